"""Every command on real input, with its exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Command


def test_run_prints_one_object_with_every_documented_field(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    answer = orkernel.json("run", orkernel.write("wyndor.json", wyndor))
    assert answer["status"] == "optimal"
    assert answer["objectives"] == {"profit": 36.0}
    assert answer["variables"] == {"x1": 2.0, "x2": 6.0}
    assert answer["results"] == {"units in all": 8.0}
    assert answer["duals"]["constraints"] == {
        "plant 1": 0.0,
        "plant 2": 1.5,
        "plant 3": 1.0,
    }
    assert answer["duals"]["reduced_costs"] == {"x1": 0.0, "x2": 0.0}
    assert answer["verified"] is True
    assert answer["evidence"] == "certificate"
    assert answer["guarantee"] == "global"
    assert answer["bound"] == pytest.approx(36)
    assert answer["gap"] == pytest.approx(0)
    assert answer["max_violation"] == 0.0
    assert answer["solver"]["agent"] == "highs"
    assert answer["selected"] == 0
    assert answer["candidates"][0]["refused"] is None
    assert answer["classification"]["kind"] == "LP"
    assert answer["classification"]["agents"][0]["name"] == "highs"
    assert answer["pareto"] == []
    assert answer["iis"] is None
    assert set(answer["usage"]) == {
        "calls",
        "prompt_tokens",
        "completion_tokens",
        "cost",
        "seconds",
    }
    assert set(answer["timings"]) == {"check", "classify", "solve"}
    assert (orkernel.folder / answer["run_dir"] / "report.html").is_file()


def test_the_terminal_report_says_what_was_checked(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    done = orkernel("run", orkernel.write("wyndor.json", wyndor))
    assert done.returncode == 0
    assert "profit = 36" in done.stdout
    assert "optimality proven by a certificate that the kernel checked" in done.stdout
    assert "solve" in done.stderr
    assert "solve " not in done.stdout


def test_infeasible_names_the_members_that_cannot_hold_together(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    wyndor["constraints"][0]["expression"] = "x1 >= 40"
    answer = orkernel.json("run", orkernel.write("w.json", wyndor), code=3)
    assert answer["status"] == "infeasible"
    assert answer["evidence"] == "certificate"
    assert {m["element"] for m in answer["iis"]} == {"plant 1", "plant 3", "x2"}
    assert answer["iis_minimal"] is True
    assert answer["variables"] == {}


def test_unbounded_is_exit_code_3_and_shows_no_decisions(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    wyndor["constraints"] = [{"name": "c", "expression": "x1 - x2 <= 4"}]
    answer = orkernel.json("run", orkernel.write("w.json", wyndor), code=3)
    assert answer["status"] == "unbounded"
    assert answer["evidence"] == "certificate"
    assert answer["variables"] == {}
    assert answer["objectives"] == {}


def test_a_feasibility_problem_without_objective_is_allowed(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    wyndor["objectives"] = []
    answer = orkernel.json("run", orkernel.write("w.json", wyndor))
    assert answer["status"] in ("optimal", "feasible")
    assert answer["verified"] is True


def test_show_runs_and_replay_read_what_run_wrote(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    answer = orkernel.json("run", orkernel.write("wyndor.json", wyndor))
    run_dir = answer["run_dir"]
    shown = orkernel("show", run_dir)
    assert shown.returncode == 0
    assert "optimal · verified · certificate" in shown.stdout
    assert orkernel.json("show", run_dir)["answer"] == answer
    (listed,) = orkernel.json("runs")
    assert listed["run"] == Path(run_dir).name
    assert listed["state"] == "finished"
    assert listed["objectives"] == {"profit": 36.0}
    replayed = orkernel.json("replay", run_dir)
    assert replayed["differences"] == []
    assert replayed["answer"]["objectives"] == {"profit": 36.0}


def test_replay_notices_a_changed_stored_answer(orkernel: Command, wyndor: dict[str, Any]) -> None:
    run_dir = orkernel.json("run", orkernel.write("wyndor.json", wyndor))["run_dir"]
    path = orkernel.folder / run_dir / "answer.json"
    stored = json.loads(path.read_text())
    stored["objectives"]["profit"] = 37.0
    path.write_text(json.dumps(stored))
    done = orkernel("replay", run_dir)
    assert done.returncode == 1
    assert "differs: objective 'profit' was 37.0, is 36.0" in done.stderr


def test_a_figure_that_cannot_be_computed_is_shown_as_undefined(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    wyndor["results"] = [{"name": "share", "expression": "x1/(x1 - 2)"}]
    done = orkernel("run", orkernel.write("w.json", wyndor))
    assert (done.returncode, "undefined" in done.stdout) == (0, True), done.stderr
    (run,) = orkernel.json("runs")
    shown = orkernel("show", f"runs/{run['run']}")
    assert (shown.returncode, "undefined" in shown.stdout) == (0, True), shown.stderr


def test_check_reports_and_solves_nothing(orkernel: Command, wyndor: dict[str, Any]) -> None:
    assert orkernel.json("check", orkernel.write("w.json", wyndor))["errors"] == 0
    wyndor["constraints"][0]["expression"] = "x3 <= 4"
    found = orkernel.json("check", orkernel.write("w.json", wyndor), code=4)
    assert found["errors"] == 1
    assert found["diagnostics"][0]["element"] == "constraint 'plant 1'"
    assert not (orkernel.folder / "runs").exists()


@pytest.mark.parametrize(
    ("form", "expected"),
    [("lp", "obj"), ("mps", "ROWS"), ("nl", "g3"), ("json", '"expression": "3*x1 + 5*x2"')],
)
def test_export_writes_every_format(
    orkernel: Command, wyndor: dict[str, Any], form: str, expected: str
) -> None:
    name = orkernel.write("w.json", wyndor)
    done = orkernel("export", name, "--format", form)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
    orkernel("export", name, "--format", form, "--output", f"model.{form}")
    assert (orkernel.folder / f"model.{form}").read_text() == done.stdout


def test_bench_counts_right_wrong_and_refused(orkernel: Command) -> None:
    questions = [
        ("maximize 3x + 2y subject to x + y <= 4, x <= 2, x, y >= 0", 10),
        ("maximize 3x + 2y subject to x + y <= 4, x <= 2, x, y >= 0", 11),
        ("Once upon a time there were 7 dwarfs and nothing to optimise.", 1),
    ]
    lines = [json.dumps({"question": q, "answer": a}) for q, a in questions]
    name = orkernel.write("q.jsonl", "\n".join(lines) + "\n")
    found = orkernel.json("bench", name, "--out", "out")
    summary = found["summaries"]["raw labels"]
    assert (summary["answered"], summary["right"], summary["wrong"]) == (2, 1, 1)
    assert summary["refused"] == 1
    assert len((orkernel.folder / "out" / "outcomes.jsonl").read_text().splitlines()) == 3
    parallel = orkernel.json("bench", name, "--jobs", "2")
    assert parallel["summaries"]["raw labels"]["right"] == 1


def test_statement_from_standard_input(orkernel: Command) -> None:
    done = orkernel("run", "-", "--json", stdin="maximize 3x + 2y subject to x + y <= 4, x <= 2\n")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["objectives"] != {}


def test_a_lexicographic_formulation_through_the_command_line(orkernel: Command) -> None:
    formulation = {
        "variables": [{"name": "x", "upper": 4}, {"name": "y", "upper": 4}],
        "objectives": [
            {"name": "a", "sense": "maximize", "expression": "x + y", "priority": 1},
            {"name": "b", "sense": "minimize", "expression": "x", "priority": 2},
        ],
        "constraints": [{"name": "c", "expression": "x + y <= 5"}],
    }
    answer = orkernel.json("run", orkernel.write("f.json", formulation))
    assert answer["objectives"] == pytest.approx({"a": 5.0, "b": 1.0})
    assert answer["evidence"] == "certificate"


TWO_GOALS = {
    "variables": [{"name": "x", "upper": 4}, {"name": "y", "upper": 4}],
    "objectives": [
        {"name": "a", "sense": "maximize", "expression": "x"},
        {"name": "b", "sense": "minimize", "expression": "x"},
    ],
    "constraints": [{"name": "c", "expression": "x + y <= 5"}],
}


def test_a_front_has_the_wanted_points_and_a_replay_finds_the_same(orkernel: Command) -> None:
    file = orkernel.write("f.json", TWO_GOALS)
    answer = orkernel.json("run", file, "--front-points", "5", "--solver", "highs")
    assert (answer["status"], answer["evidence"]) == ("pareto_front", "certificate")
    assert [p["objectives"]["a"] for p in answer["pareto"]] == pytest.approx([4, 3, 2, 1, 0])
    assert {p["objectives"]["b"] for p in answer["pareto"]} >= {answer["objectives"]["b"]}
    stored = json.loads(
        (orkernel.folder / answer["run_dir"] / "run.json").read_text(encoding="utf-8")
    )
    assert stored["request"]["front_points"] == 5
    assert orkernel("replay", answer["run_dir"]).returncode == 0


def test_a_front_of_one_point_cannot_be_asked_for(orkernel: Command) -> None:
    done = orkernel("run", orkernel.write("f.json", TWO_GOALS), "--front-points", "1")
    assert done.returncode == 2
    assert "--front-points" in done.stderr


def test_priorities_that_settle_nothing_are_refused_with_what_to_change(
    orkernel: Command,
) -> None:
    first, second = TWO_GOALS["objectives"]
    unclear = {**TWO_GOALS, "objectives": [{**first, "weight": 1}, second]}
    answer = orkernel.json("run", orkernel.write("f.json", unclear), code=4)
    assert answer["status"] == "ill_posed"
    assert "give every objective of a priority a weight, or none of them" in answer["message"]


def test_plugins_show_lists_what_an_agent_takes_and_exports(orkernel: Command) -> None:
    shown = orkernel("plugins", "show", "highs").stdout
    assert "takes continuous, linear, quadratic_objective\n" in shown
    assert "exports lp, mps\n" in shown


@pytest.mark.parametrize(
    "command",
    ["run", "check", "export", "show", "replay", "runs", "bench", "plugins", "doctor"],
)
def test_every_command_has_help_with_an_example(orkernel: Command, command: str) -> None:
    done = orkernel(command, "--help")
    assert done.returncode == 0
    assert f"orkernel {command}" in done.stdout.split("Example")[1]
