"""The loop of candidates: repair, early end, services that fail, trials, questions."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orkernel import (
    Capability,
    FormulatorSpec,
    Guarantee,
    LanguageModel,
    Model,
    Option,
    ScorerSpec,
    SolverAgentSpec,
    Status,
    hookimpl,
    run,
)
from orkernel.answer import Answer
from orkernel.config import Config
from orkernel.context import Ledger, RunContext
from orkernel.errors import (
    Cancelled,
    NoMoreReadings,
    NoMoreRepairs,
    Unavailable,
    UnknownName,
    UsageError,
)
from orkernel.formulation.schema import Formulation
from orkernel.language_model import MODEL_OPTIONS, model_options, without_credentials
from orkernel.records import DIMENSIONS, Evaluation, Finding, Problem, Question, Score
from orkernel.registry import Registry
from orkernel.replaying import resume
from orkernel.resources import Resources
from orkernel.solution import Solution, SolverIdentity

STATEMENT = "Maximize x, at most 4."


def formulation(upper: str = "4", expression: str = "x") -> Formulation:
    return Formulation.model_validate(
        {
            "variables": [{"name": "x", "sources": [{"quote": "Maximize x"}]}],
            "objectives": [{"name": "gain", "sense": "maximize", "expression": expression}],
            "constraints": [
                {
                    "name": "limit",
                    "expression": f"x <= {upper}",
                    "sources": [{"quote": "at most 4"}],
                }
            ],
        }
    )


class Formulator:
    """Says one thing after the other: a formulation, or an exception to raise."""

    def __init__(self, *said: object, repairs: Sequence[object] = ()) -> None:
        self.said = list(said)
        self.repairs = list(repairs)
        self.asked: list[str] = []

    def formulate(self, problem: Problem, history: object, ctx: RunContext) -> Formulation:
        self.asked.append("formulate")
        return self._next(self.said)

    def repair(self, problem: Problem, candidate: object, ctx: RunContext) -> Formulation:
        self.asked.append("repair")
        return self._next(self.repairs)

    @staticmethod
    def _next(queue: list[object]) -> Formulation:
        if not queue:
            raise NoMoreReadings
        found = queue.pop(0)
        if isinstance(found, BaseException):
            raise found
        assert isinstance(found, Formulation)
        return found


class Plugin:
    """A formulator `spoken`, a scorer `double` that wants second trials, an agent `resort`."""

    @hookimpl
    def orkernel_formulators(self) -> Iterable[FormulatorSpec]:
        yield FormulatorSpec(name="spoken", target="orkernel_test_loop:formulator")
        yield FormulatorSpec(
            name="modelled", target="orkernel_test_loop:formulator", needs_language_model=True
        )

    @hookimpl
    def orkernel_confidence_scorers(self) -> Iterable[ScorerSpec]:
        yield ScorerSpec(name="double", target="orkernel_test_loop:scorer", second_trial=True)

    @hookimpl
    def orkernel_solver_agents(self) -> Iterable[SolverAgentSpec]:
        yield SolverAgentSpec(
            name="resort",
            target="orkernel_test_loop:agent",
            supports=(frozenset(Capability),),
            guarantee=Guarantee.HEURISTIC,
            last_resort=True,
            needs_language_model=True,
        )


class Scorer:
    """Keeps what it was shown, and finds one fault."""

    def __init__(self) -> None:
        self.seconds: list[Solution | None] = []

    def score(self, problem: Any, candidate: Any, peers: Any, ctx: RunContext) -> Evaluation:
        self.seconds.append(candidate.second)
        scores = {d: Score(90.0) for d in DIMENSIONS}
        return Evaluation("double", scores, (Finding("constraints", "nothing says why 4"),))


class Resort:
    """Answers x = 3, which is feasible and not optimal."""

    def __init__(self) -> None:
        self.calls = 0

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        self.calls += 1
        identity = SolverIdentity("resort", "resort", "1")
        values = model.point({"x": 3.0})
        return Solution(Status.FEASIBLE, identity, values=values, guarantee=Guarantee.HEURISTIC)


class Installed:
    """The plugin in a registry, beside some real ones."""

    def __init__(self, module: ModuleType) -> None:
        self.module = module
        self.scorer = Scorer()
        self.agent = Resort()
        module.scorer = self.scorer  # type: ignore[attr-defined]
        module.agent = self.agent  # type: ignore[attr-defined]

    def run(
        self, spoken: Formulator, /, plugins: str = "highs,pyomo,maxmin", **more: Any
    ) -> Answer:
        self.module.formulator = spoken  # type: ignore[attr-defined]
        arguments: dict[str, Any] = {"formulator": "spoken", **more}
        return run(Problem(STATEMENT), registry=self.registry(plugins), **arguments)

    def registry(self, plugins: str = "highs,pyomo,maxmin") -> Registry:
        return Registry.load(Config.load(plugins=plugins), extra=[Plugin()])


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Installed:
    module = ModuleType("orkernel_test_loop")
    monkeypatch.setitem(sys.modules, "orkernel_test_loop", module)
    return Installed(module)


# ---------------------------------------------------------------------------- the loop


def test_a_reason_for_no_further_candidate_is_told(installed: Installed) -> None:
    reason = NoMoreReadings("nothing is left to repair")
    answer = installed.run(Formulator(formulation(), reason))
    assert answer.status is Status.OPTIMAL
    assert "no further candidate: nothing is left to repair" in answer.notes


def test_no_reason_no_note(installed: Installed) -> None:
    answer = installed.run(Formulator(formulation(), NoMoreReadings()))
    assert not any("no further" in note for note in answer.notes)


def test_a_service_that_is_down_from_the_start_ends_the_run_with_5(installed: Installed) -> None:
    answer = installed.run(Formulator(Unavailable("the server does not answer")))
    assert (answer.status, answer.exit_code) == (Status.ERROR, 5)
    assert "the server does not answer" in answer.message


def test_a_service_that_goes_down_later_leaves_what_there_is(installed: Installed) -> None:
    answer = installed.run(Formulator(formulation(), Unavailable("gone")))
    assert (answer.status, answer.objectives) == (Status.OPTIMAL, {"gain": 4.0})
    assert any("gone" in note for note in answer.notes)


def test_a_usage_error_of_a_formulator_ends_the_run_as_one(installed: Installed) -> None:
    with pytest.raises(UsageError, match="wrong key"):
        installed.run(Formulator(UsageError("wrong key")))


def test_a_refused_candidate_is_repaired(installed: Installed) -> None:
    formulator = Formulator(formulation("undefined_name"), repairs=[formulation()])
    answer = installed.run(formulator)
    assert answer.objectives == {"gain": 4.0}
    assert formulator.asked[:2] == ["formulate", "repair"]


def test_a_formulator_may_end_the_repairs(installed: Installed) -> None:
    formulator = Formulator(formulation("undefined_name"), formulation(), repairs=[NoMoreRepairs()])
    answer = installed.run(formulator)
    assert [bool(c.refused) for c in answer.candidates] == [True, False]
    assert formulator.asked == ["formulate", "repair", "formulate", "formulate"]


# ---------------------------------------------------------------------------- trials


def test_a_scorer_that_wants_it_sees_a_second_agents_trial(installed: Installed) -> None:
    answer = installed.run(Formulator(formulation()), scorers=["double"])
    (second,) = installed.scorer.seconds
    assert second is not None
    assert second.objective == pytest.approx(4.0)
    trial = answer.candidates[0].trial
    assert trial is not None
    assert trial.solver.agent != second.solver.agent


def test_without_a_second_exact_agent_there_is_no_second_trial(installed: Installed) -> None:
    installed.run(Formulator(formulation()), plugins="highs", scorers=["double"])
    assert installed.scorer.seconds == [None]


def test_findings_and_second_trials_survive_in_the_run_folder(
    installed: Installed, tmp_path: Path
) -> None:
    answer = installed.run(Formulator(formulation()), scorers=["double"], out=tmp_path)
    assert answer.run_dir is not None
    from orkernel.runs import RunFolder

    (candidate,) = RunFolder(answer.run_dir).read_candidates()
    assert candidate.evaluations[0].findings == (Finding("constraints", "nothing says why 4"),)
    assert candidate.second is not None
    assert candidate.second.objective == pytest.approx(4.0)
    found = json.loads((answer.run_dir / "answer.json").read_text())["candidates"][0]["findings"]
    assert found == [{"scorer": "double", "dimension": "constraints", "text": "nothing says why 4"}]


# ---------------------------------------------------------------------------- last resort


def test_a_last_resort_is_named_last_and_not_asked_while_others_answer(
    installed: Installed,
) -> None:
    answer = installed.run(Formulator(formulation()), model="anything:Model")
    assert answer.classification is not None
    assert [a.name for a in answer.classification.agents][-1] == "resort"
    assert answer.status is Status.OPTIMAL
    assert installed.agent.calls == 0


def test_a_last_resort_answers_where_no_other_agent_takes_the_model(installed: Installed) -> None:
    answer = installed.run(
        Formulator(formulation(expression="sin(x)")), plugins="highs", model="anything:Model"
    )
    assert (answer.status, answer.verified) == (Status.FEASIBLE, True)
    assert str(answer.guarantee) == "heuristic"
    assert answer.candidates[0].trial is None
    assert installed.agent.calls == 1


def test_a_last_resort_is_asked_by_name_and_only_once(installed: Installed) -> None:
    answer = installed.run(Formulator(formulation()), solver="resort", model="anything:Model")
    assert (answer.status, answer.objectives) == (Status.FEASIBLE, {"gain": 3.0})
    assert installed.agent.calls == 1


def test_without_a_language_model_there_is_no_last_resort(installed: Installed) -> None:
    answer = installed.run(Formulator(formulation(expression="sin(x)")), plugins="highs")
    assert (answer.status, answer.exit_code) == (Status.ILL_POSED, 4)
    assert installed.agent.calls == 0


@pytest.mark.parametrize("asked", [{"solver": "resort"}, {"formulator": "modelled"}])
def test_what_needs_a_language_model_says_so_before_any_work(
    installed: Installed, asked: dict[str, str]
) -> None:
    formulator = Formulator(formulation())
    with pytest.raises(UsageError, match="needs a language model"):
        installed.run(formulator, **asked)
    assert formulator.asked == []


# ---------------------------------------------------------------------------- presets


def test_an_unknown_preset_is_a_usage_error_with_a_hint(installed: Installed) -> None:
    with pytest.raises(UnknownName, match="coopa"):
        installed.run(Formulator(formulation()), preset="copa")


def test_an_address_without_a_model_is_a_usage_error(installed: Installed) -> None:
    with pytest.raises(UsageError, match="needs a model"):
        installed.run(Formulator(formulation()), base_url="http://localhost:1")


def test_model_options_are_typed_and_known() -> None:
    config = Config.load(options=["model.temperature=0.5", "model.retries=2"])
    values = model_options(config)
    assert (values["temperature"], values["retries"]) == (0.5, 2)
    assert set(values) == {option.name for option in MODEL_OPTIONS}
    with pytest.raises(UnknownName, match="temperature"):
        model_options(Config.load(options=["model.temprature=1"]))
    with pytest.raises(UsageError, match=r"model\.retries"):
        model_options(Config.load(options=["model.retries=many"]))


@pytest.mark.parametrize(
    "option", ["timeout=0", "timeout=-1", "retries=-1", "concurrency=0", "max_tokens=0"]
)
def test_quantities_of_a_model_have_a_least_value(option: str) -> None:
    name = option.partition("=")[0]
    with pytest.raises(UsageError, match=rf"model\.{name}: .* is too small"):
        model_options(Config.load(options=[f"model.{option}"]))


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("http://me:secret@host:80/v1?key=secret#secret", "http://host:80/v1"),
        ("https://[::1]:9/v1", "https://[::1]:9/v1"),
        ("http://host/v1", "http://host/v1"),
        (None, None),
    ],
)
def test_addresses_are_kept_without_credentials(url: str | None, kept: str | None) -> None:
    assert without_credentials(url) == kept


def test_a_run_folder_keeps_the_model_but_no_credentials(
    installed: Installed, tmp_path: Path
) -> None:
    answer = installed.run(
        Formulator(formulation()),
        model="openai/some-model",
        base_url="http://me:secret@localhost:1/v1",
        out=tmp_path,
    )
    assert answer.run_dir is not None
    text = (answer.run_dir / "run.json").read_text()
    assert "secret" not in text
    stored = json.loads(text)["request"]["language_model"]
    assert (stored["name"], stored["base_url"]) == ("openai/some-model", "http://localhost:1/v1")


# ---------------------------------------------------------------------------- questions


class Asking(Formulator):
    """Asks one question before each formulation."""

    def formulate(self, problem: Problem, history: object, ctx: RunContext) -> Formulation:
        self.asked.append(str(ctx.ask(Question("Whole numbers?", ("yes", "no")))))
        return self._next(self.said)


def test_a_question_is_put_once_and_not_again_after_an_interruption(
    installed: Installed, tmp_path: Path
) -> None:
    put: list[str] = []

    def ask(question: Question) -> str | None:
        put.append(question.text)
        return "no"

    with pytest.raises(Cancelled):
        installed.run(Asking(formulation(), Cancelled()), ask=ask, out=tmp_path)
    (folder,) = tmp_path.iterdir()
    again = Asking(formulation(), NoMoreReadings())
    installed.module.formulator = again  # type: ignore[attr-defined]
    answer = resume(folder, installed.registry(), ask=ask)
    assert answer.status is Status.OPTIMAL
    assert put == ["Whole numbers?"]
    assert set(again.asked) == {"no"}
    stored = json.loads((folder / "clarifications.json").read_text())
    assert stored == [{"question": "Whole numbers?", "answer": "no"}]


def test_nobody_is_asked_who_is_not_there(installed: Installed) -> None:
    formulator = Asking(formulation())
    installed.run(formulator)
    assert formulator.asked[0] == "None"


# ---------------------------------------------------------------------------- shared things


def test_resources_are_made_once_whichever_thread_asks_first() -> None:
    resources, made = Resources(), []

    def make() -> object:
        made.append(object())
        return made[-1]

    found: list[object] = []
    threads = [
        threading.Thread(target=lambda: found.append(resources.get("a.b", make))) for _ in range(16)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1
    assert set(map(id, found)) == {id(made[0])}


def test_resources_are_closed_though_one_of_them_fails() -> None:
    closed: list[str] = []

    class Thing:
        def __init__(self, name: str, error: Exception | None = None) -> None:
            self.name, self.error = name, error

        def close(self) -> None:
            closed.append(self.name)
            if self.error:
                raise self.error

    resources = Resources()
    resources.get("first", lambda: Thing("first"))
    resources.get("second", lambda: Thing("second", RuntimeError("no")))
    resources.close()
    assert closed == ["second", "first"]


def test_the_ledger_adds_up_over_threads_and_knows_what_has_no_price() -> None:
    ledger = Ledger()

    def add() -> None:
        for _ in range(500):
            ledger.add(prompt_tokens=2, completion_tokens=1, cost=0.5)

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert ledger.to_json()["calls"] == 4000
    assert (ledger.prompt_tokens, ledger.completion_tokens) == (8000, 4000)
    assert ledger.to_json()["cost"] == 2000.0
    ledger.add(prompt_tokens=1, completion_tokens=1)
    assert ledger.to_json()["cost"] is None


def test_a_language_model_has_a_value_for_every_option() -> None:
    assert set(LanguageModel("a:B").options) == {option.name for option in MODEL_OPTIONS}
    assert all(isinstance(option, Option) for option in MODEL_OPTIONS)
