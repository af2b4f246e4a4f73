"""Whole runs with a scripted model: budget, presets, questions, figures asked for, recordings."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from llm_scripted_model import ScriptedModel, scripted
from llm_stories import (
    KITES,
    KITES_ANSWER,
    KITES_OPTIMUM,
    changed,
    judgement,
    stage_of,
)

import orkernel
from orkernel.answer import Answer
from orkernel.config import Config
from orkernel.presets import PRESETS
from orkernel.records import Problem
from orkernel.registry import Registry
from orkernel.replaying import replay
from orkernel.solution import Status

GOOD = json.dumps(KITES_ANSWER)
PLUGINS = "llm,offline,maxmin,highs,ortools"
PAGE = KITES + "".join(
    f" In the {season} the wind blew from the west on most days, the children of the village "
    "stood on the hill, and the maker wrote down what was flown and what came down, without "
    "drawing any conclusion from it for the kites that are to be sewn."
    for season in ("spring", "summer", "autumn", "winter", "rain", "frost", "fog", "thaw", "heat")
)
"""About a page."""


def registry_of(*options: str, preset: str | None = None) -> Registry:
    chosen = PRESETS[preset].options if preset else {}
    pairs = [*(f"{k}={v}" for k, v in chosen.items()), *options]
    return Registry.load(Config.load(plugins=PLUGINS, options=pairs))


def play(*formulations: str, scores: tuple[str, ...] = ()) -> tuple[str, type[ScriptedModel]]:
    """A model that answers each stage from its own queue; the last answer is given for ever."""
    queues: dict[str, list[str]] = {
        "formulate": list(formulations),
        "evaluate": list(scores) or [judgement()],
        "classify": [json.dumps({"kind": "MIP", "agents": [{"name": "highs", "reason": "MIP"}]})],
    }
    queues["repair"] = queues["formulate"]
    name, model = scripted([""])

    def generate(self: ScriptedModel, messages: Any, **settings: Any) -> str:
        ScriptedModel.generate(self, messages, **settings)
        queue = queues[stage_of(self.seen[-1].messages[0].text)]
        return queue.pop(0) if len(queue) > 1 else queue[0]

    model.generate = generate  # type: ignore[method-assign]
    return name, model


def solve(name: str, statement: str = KITES, preset: str | None = None, **more: Any) -> Answer:
    return orkernel.run(
        Problem(statement), model=name, registry=registry_of(preset=preset), preset=preset, **more
    )


# ------------------------------------------------------------------ budget


def variants(count: int) -> list[str]:
    """Formulations that say the same in different words, so that the loop does not end early."""
    return [
        GOOD.replace("income", f"income_{i}").replace("blue_most", f"most_{i}")
        for i in range(count)
    ]


def test_the_dearest_loop_of_three_stays_within_eight_calls_and_35000_tokens() -> None:
    unreadable, misnamed = "nonsense", GOOD.replace("sewn[k] for", "sown[k] for")
    findings = [{"dimension": "constraints", "problem": "missing", "text": "something is missing"}]
    doubtful = judgement(70, findings)
    name, model = play(unreadable, misnamed, *variants(3), scores=(doubtful,))
    answer = solve(name, PAGE)
    assert answer.usage["calls"] == len(model.seen) == 8
    tokens = (answer.usage["prompt_tokens"] or 0) + (answer.usage["completion_tokens"] or 0)
    assert tokens <= 35_000
    assert len(answer.candidates) == 3
    assert answer.objectives == {"income_2": pytest.approx(KITES_OPTIMUM)}


def test_two_candidates_that_agree_end_the_loop_after_four_calls() -> None:
    name, model = play(*variants(3))
    answer = solve(name, PAGE)
    assert len(model.seen) == 4
    assert any("nothing is left to repair" in note for note in answer.notes)


def test_the_original_statement_reaches_every_stage() -> None:
    name, model = play("nonsense", *variants(3))
    solve(name, PAGE, classifier="llm")
    stages = {stage_of(asked.messages[0].text) for asked in model.seen}
    assert stages == {"formulate", "repair", "evaluate", "classify"}
    assert all(PAGE in asked.messages[-1].text for asked in model.seen)


# ------------------------------------------------------------------ presets


def test_preset_coopa_is_three_candidates_self_confidence_alone_and_max_min() -> None:
    scores = (judgement(60), judgement(90), judgement(80))
    name, model = play(*variants(3), scores=scores)
    answer = solve(name, preset="coopa")
    assert len(answer.candidates) == 3
    assert [c.min_confidence for c in answer.candidates] == [60, 90, 80]
    assert {e.scorer for c in answer.candidates for e in c.evaluations} == {"self-confidence"}
    assert answer.selection is not None
    assert answer.selection.index == 1
    stages = [stage_of(asked.messages[0].text) for asked in model.seen]
    assert (stages.count("formulate"), stages.count("evaluate")) == (3, 3)
    assert "Candidate 2" in model.seen[4].messages[-1].text  # refinement is on


def test_preset_coopa_goes_on_though_nothing_is_left_to_repair() -> None:
    name, _ = play(GOOD)
    assert len(solve(name, preset="coopa").candidates) == 3


def test_what_the_user_names_wins_over_the_preset() -> None:
    name, _ = play(*variants(3))
    answer = solve(name, preset="coopa", k=1, scorers=["evidence"])
    assert len(answer.candidates) == 1
    assert {e.scorer for e in answer.candidates[0].evaluations} == {"evidence"}


def test_the_default_asks_a_second_agent_and_what_solving_shows() -> None:
    name, _ = play(*variants(3))
    answer = solve(name)
    first = answer.candidates[0]
    assert {e.scorer for e in first.evaluations} == {"self-confidence", "evidence", "solving"}
    assert first.second is not None
    assert first.second.objective == pytest.approx(KITES_OPTIMUM)


# ------------------------------------------------------------------ the better one wins


def test_findings_and_diagnostics_reach_the_next_prompt_and_max_min_picks_the_better() -> None:
    wrong = changed(KITES_ANSWER, constraints=KITES_ANSWER["constraints"][:1])
    wrong["parameters"][1]["value"] = 50
    finding = {
        "dimension": "constraints",
        "problem": "missing",
        "quote": "At most 15 blue kites can be sold",
        "text": "The limit on blue kites is missing.",
        "serious": True,
    }
    name, model = play(json.dumps(wrong), GOOD, scores=(judgement(95, [finding]), judgement(93)))
    answer = solve(name)
    told = next(
        asked.messages[-1].text
        for asked in model.seen[1:]
        if stage_of(asked.messages[0].text) == "formulate"
    )
    for words in (
        "its quotes do not say 50",
        "no other element uses it",
        "The limit on blue kites is missing.",
    ):
        assert words in told
    assert answer.selection is not None
    assert answer.selection.index == 1
    assert answer.objectives == {"income": pytest.approx(KITES_OPTIMUM)}
    assert answer.candidates[0].min_confidence <= 60 < answer.candidates[1].min_confidence


# ------------------------------------------------------------------ questions


QUESTION = {"question": "May half a kite be sewn?", "choices": ["no", "yes"], "default": "no"}


def test_answers_typed_at_the_question_become_part_of_the_run(tmp_path: Path) -> None:
    answers = [json.dumps({"questions": [QUESTION]}), GOOD, judgement()]
    (tmp_path / "said.json").write_text(json.dumps([*answers, GOOD]))
    (tmp_path / "kites.md").write_text(KITES)
    environ = {
        **os.environ,
        "LLM_SCRIPTED_ANSWERS": "said.json",
        "PYTHONPATH": os.pathsep.join(p for p in sys.path if p.endswith("support")),
    }
    command = [sys.executable, "-m", "orkernel", "run", "kites.md", "--ask", "--json"]
    command += ["--model", "llm_scripted_model:FromFile", "--plugins", PLUGINS]
    for typed, said in (("2\n", "answered: yes"), ("", "not answered; taken: no")):
        done = subprocess.run(
            command,
            input=typed,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environ,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert "? May half a kite be sewn?" in done.stderr
        found = json.loads(done.stdout)
        assert f"asked: May half a kite be sewn? {said}" in found["assumptions"]
        assert found["objectives"] == {"income": pytest.approx(KITES_OPTIMUM)}


# ------------------------------------------------------------------ figures asked for


def test_figures_asked_for_are_filled_and_told_first() -> None:
    statement = KITES.replace("?", ", and how many kites are that in all?")
    asked = {
        "name": "kites in all",
        "for_each": "",
        "expression": "sum(sewn[k] for k in KITE)",
        "quotes": ["how many kites are that in all"],
    }
    name, _ = play(json.dumps(changed(KITES_ANSWER, results=[asked])))
    answer = solve(name, statement)
    assert answer.results == {"kites in all": pytest.approx(23)}
    from rich.console import Console

    from orkernel.report.terminal import render

    console = Console(width=100, record=True, file=open(os.devnull, "w"))  # noqa: SIM115
    console.print(render(answer))
    text = console.export_text()
    assert text.index("kites in all = 23") < text.index("income")


def test_a_goal_program_reports_the_profit_that_is_wanted() -> None:
    statement = (
        "A potter fires plates and jugs. A plate takes 1 hour, a jug 2 hours. The potter wants to "
        "come as near as possible to 40 hours of firing, with at least 10 jugs and at least 16 "
        "plates. A plate earns 3 coins and a jug 8 coins. What is earned?"
    )
    said = {
        "title": "Pottery",
        "parameters": [
            {"name": "plate_hours", "value": 1, "quotes": ["A plate takes 1 hour"]},
            {"name": "jug_hours", "value": 2, "quotes": ["a jug 2 hours"]},
            {"name": "goal", "value": 40, "quotes": ["40 hours of firing"]},
            {"name": "least_jugs", "value": 10, "quotes": ["at least 10 jugs"]},
            {"name": "least_plates", "value": 16, "quotes": ["at least 16 plates"]},
            {"name": "plate_coins", "value": 3, "quotes": ["A plate earns 3 coins"]},
            {"name": "jug_coins", "value": 8, "quotes": ["a jug 8 coins"]},
        ],
        "variables": [
            {"name": "plates", "domain": "integer", "quotes": ["plates and jugs"]},
            {"name": "jugs", "domain": "integer", "quotes": ["plates and jugs"]},
            {"name": "over", "quotes": ["come as near as possible"]},
            {"name": "under", "quotes": ["come as near as possible"]},
        ],
        "objectives": [
            {
                "name": "distance",
                "sense": "minimize",
                "expression": "over + under",
                "quotes": ["come as near as possible to 40 hours"],
            }
        ],
        "constraints": [
            {
                "name": "hours",
                "expression": "plate_hours*plates + jug_hours*jugs == goal + over - under",
                "quotes": ["40 hours of firing"],
            },
            {"name": "jugs", "expression": "jugs >= least_jugs", "quotes": ["at least 10 jugs"]},
            {
                "name": "plates",
                "expression": "plates >= least_plates",
                "quotes": ["at least 16 plates"],
            },
        ],
        "results": [
            {
                "name": "earned",
                "expression": "plate_coins*plates + jug_coins*jugs",
                "quotes": ["What is earned"],
            }
        ],
    }
    name, _ = play(json.dumps(said))
    answer = solve(name, statement)
    assert answer.objectives == {"distance": pytest.approx(0.0)}
    plates, jugs = answer.variables["plates"], answer.variables["jugs"]
    assert plates + 2 * jugs == pytest.approx(40)
    assert answer.results == {"earned": pytest.approx(3 * plates + 8 * jugs)}
    from orkernel.bench.labels import Label
    from orkernel.bench.results import measured
    from orkernel.bench.scoring import Rules, score

    label = Label(value=3 * plates + 8 * jugs, key="earned")
    scored = score(measured("", "potter", answer, 0.0), label, Rules())
    assert (scored.verdict, scored.figure) == ("right", "result earned")


# ------------------------------------------------------------------ recordings


def test_a_recording_answers_in_place_of_the_model(tmp_path: Path) -> None:
    name, model = play(*variants(3))
    first = solve(name, out=tmp_path)
    calls = len(model.seen)
    again = orkernel.run(Problem(KITES), replay_model=tmp_path, registry=registry_of())
    assert len(model.seen) == calls
    assert (again.status, again.objectives) == (first.status, first.objectives)
    assert [c.confidence for c in again.candidates] == [c.confidence for c in first.candidates]
    assert again.usage["calls"] == calls


def test_a_recording_of_another_statement_is_a_miss_that_says_where(tmp_path: Path) -> None:
    name, _ = play(*variants(3))
    solve(name, out=tmp_path)
    other = KITES.replace("60 m", "61 m")
    answer = orkernel.run(Problem(other), replay_model=tmp_path, registry=registry_of())
    assert (answer.status, answer.exit_code) == (Status.ERROR, 5)
    assert "has no answer to this request" in answer.message
    assert "formulate" in answer.message


def test_a_finished_run_is_checked_again_without_the_model(tmp_path: Path) -> None:
    name, model = play(*variants(3))
    answer = solve(name, out=tmp_path)
    calls = len(model.seen)
    assert answer.run_dir is not None
    assert replay(answer.run_dir, registry_of()).differences == ()
    assert len(model.seen) == calls
