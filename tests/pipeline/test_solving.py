"""No agent's word is taken: what does not hold is refused, and the next agent is asked."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import replace
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from orkernel import Capability, Formulation, Guarantee, Model, SolverAgentSpec, Status, hookimpl
from orkernel.agents import Agents, classify
from orkernel.config import Config
from orkernel.context import RunContext
from orkernel.errors import Cancelled, ExitCode, RefusedError, UnknownName, Unsupported, UsageError
from orkernel.presenting import presented
from orkernel.records import Classification, Problem, RankedAgent
from orkernel.registry import Registry
from orkernel.solution import Evidence, ParetoPoint, Solution, SolverIdentity
from orkernel.solving import Outcome, solve_ranked
from orkernel.verify import verify

LINEAR = frozenset({Capability.CONTINUOUS, Capability.INTEGER, Capability.LINEAR})
IDENTITY = SolverIdentity("liar", "liar", "1")

Answer = Callable[[Any, Model, RunContext], Solution]


class Agent:
    """An agent that answers with a given function."""

    def __init__(self, answer: Answer) -> None:
        self.solve = answer


class Plugin:
    """A plugin with one agent named `liar`, and with the real `highs` beside it."""

    def __init__(self, target: str, guarantee: Guarantee = Guarantee.GLOBAL) -> None:
        self.target = target
        self.guarantee = guarantee

    @hookimpl
    def orkernel_solver_agents(self) -> Iterable[SolverAgentSpec]:
        yield SolverAgentSpec(
            name="liar", target=self.target, supports=(LINEAR,), guarantee=self.guarantee
        )


@pytest.fixture
def liar(monkeypatch: pytest.MonkeyPatch) -> Callable[[Answer], Agents]:
    """Installs an agent with the given answer beside the real ones."""

    def install(answer: Answer) -> Agents:
        module = ModuleType("orkernel_test_liar")
        module.agent = Agent(answer)  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "orkernel_test_liar", module)
        registry = Registry.load(
            Config.load(plugins="highs"), extra=[Plugin("orkernel_test_liar:agent")]
        )
        return Agents(registry, Problem(""), RunContext())

    return install


def model(**changes: Any) -> Model:
    base: dict[str, Any] = {
        "variables": [{"name": "x", "domain": "integer", "upper": 10}, {"name": "y", "upper": 10}],
        "objectives": [{"name": "z", "sense": "maximize", "expression": "2*x + 3*y"}],
        "constraints": [{"name": "c", "expression": "4*x + 5*y <= 22"}],
    }
    return Model.bind(Formulation.model_validate({**base, **changes}))


def ask(agents: Agents, problem: Model, *names: str) -> Outcome:
    ranked = [RankedAgent(name, "test") for name in names]
    return solve_ranked(agents, problem, ranked, agents.ctx)


def claim(x: list[float], objective: float | None = None, **changes: Any) -> Answer:
    solution = Solution(Status.OPTIMAL, IDENTITY, values=np.array(x), objective=objective)
    return lambda problem, model, ctx: replace(solution, **changes)


WRONG = {
    "a violated constraint": (claim([5, 3]), "constraint c is violated by 13"),
    "a broken upper bound": (claim([-1e-9, 10.1]), "variable y = 10.1 is above its upper bound 10"),
    "a broken lower bound": (claim([0, -0.1]), "variable y = -0.1 is below its lower bound 0"),
    "a fraction for an integer": (claim([0.5, 4]), "variable x = 0.5 is not a whole number"),
    "another objective": (
        claim([0, 4], 99.0),
        "objective 'z' is 12 when recomputed; the solver says 99",
    ),
    "a bound that the point beats": (
        claim([0, 4], 12.0, bound=11.0, status=Status.FEASIBLE),
        "objective 'z' is 12, better than the bound 11 that the solver claims",
    ),
    "not a number": (claim([0, float("nan")]), "variable y is nan, not a finite number"),
    "infinity": (claim([0, float("inf")]), "variable y is inf, not a finite number"),
    "too few values": (claim([0]), "the answer has 1 values; the model has 2 columns"),
    "optimal by a heuristic": (
        claim([0, 4], guarantee=Guarantee.HEURISTIC),
        "'optimal' was claimed with a heuristic guarantee, which cannot support it",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_answer_is_refused_and_the_next_agent_answers(
    liar: Callable[[Answer], Agents], kind: str
) -> None:
    answer, reason = WRONG[kind]
    agents = liar(answer)
    outcome = ask(agents, model(), "liar", "highs")
    assert f"answer of liar refused: {reason}" in agents.notes
    assert outcome.verification.verified
    assert outcome.solution.solver.agent == "highs"
    assert outcome.verification.objectives["z"] == pytest.approx(13.2)
    alone = ask(liar(answer), model(), "liar")
    assert not alone.verification.verified
    assert reason in alone.verification.problems


def test_a_feasible_but_worse_point_called_optimal_is_caught_by_the_second_agent(
    liar: Callable[[Answer], Agents],
) -> None:
    outcome = ask(liar(claim([0, 4], 12.0)), model(), "liar")
    assert not outcome.verification.verified
    assert outcome.evidence is None
    assert outcome.verification.problems == (
        "two exact agents disagree: liar says optimal (z = 12), highs says optimal (z = 13.2)",
    )


def test_infeasible_claimed_for_a_feasible_model_is_caught_by_the_second_agent(
    liar: Callable[[Answer], Agents],
) -> None:
    def answer(problem: Any, model: Model, ctx: RunContext) -> Solution:
        return Solution(Status.INFEASIBLE, IDENTITY)

    outcome = ask(liar(answer), model(), "liar")
    assert not outcome.verification.verified
    assert outcome.verification.problems == (
        "two exact agents disagree: liar says infeasible, highs says optimal (z = 13.2)",
    )
    shown = presented(model(), outcome, Classification("", ()))
    assert (shown.status, shown.exit_code) == (Status.ERROR, ExitCode.REFUSED)


def test_agreement_of_two_agents_is_evidence(liar: Callable[[Answer], Agents]) -> None:
    outcome = ask(liar(claim([0, 4.4], 13.2)), model(), "liar")
    assert outcome.evidence is Evidence.SECOND_AGENT


def test_integers_within_tolerance_are_rounded_and_checked_again(
    liar: Callable[[Answer], Agents],
) -> None:
    outcome = ask(liar(claim([3.000001, 2.0], None)), model(), "liar")
    assert outcome.verification.values is not None
    assert outcome.verification.values[0] == 3.0


def test_local_infeasibility_is_no_proof(liar: Callable[[Answer], Agents]) -> None:
    def answer(problem: Any, model: Model, ctx: RunContext) -> Solution:
        return Solution(Status.INFEASIBLE, IDENTITY, guarantee=Guarantee.LOCAL)

    outcome = ask(liar(answer), model(), "liar")
    assert outcome.solution.status is Status.ERROR
    assert not outcome.verification.verified


def test_a_feasible_answer_is_no_stronger_than_its_agents_record(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("orkernel_test_liar")
    module.agent = Agent(claim([1, 1], 4.0, status=Status.FEASIBLE))  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "orkernel_test_liar", module)
    plugin = Plugin("orkernel_test_liar:agent", Guarantee.LOCAL)
    registry = Registry.load(Config.load(plugins="highs"), extra=[plugin])
    solution, _ = Agents(registry, Problem(""), RunContext()).solve("liar", model(), RunContext())
    assert (solution.status, solution.guarantee) == (Status.FEASIBLE, Guarantee.LOCAL)


def raising(error: BaseException) -> Answer:
    def answer(problem: Any, model: Model, ctx: RunContext) -> Solution:
        raise error

    return answer


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (Unsupported("constraint 'c'", "no rows"), "liar cannot take constraint 'c': no rows"),
        (RuntimeError("boom"), "liar failed: RuntimeError: boom"),
        (MemoryError(), "liar failed: MemoryError"),
    ],
)
def test_an_agent_that_raises_is_noted_and_the_next_answers(
    liar: Callable[[Answer], Agents], error: BaseException, note: str
) -> None:
    agents = liar(raising(error))
    outcome = ask(agents, model(), "liar", "highs")
    assert note in agents.notes
    assert outcome.verification.verified


def test_an_agent_that_returns_something_else_is_noted(liar: Callable[[Answer], Agents]) -> None:
    agents = liar(lambda problem, model, ctx: "optimal")  # type: ignore[arg-type,return-value]
    assert ask(agents, model(), "liar", "highs").verification.verified
    assert agents.notes[0].startswith("liar failed: ")


def test_cancellation_passes_through(liar: Callable[[Answer], Agents]) -> None:
    with pytest.raises(Cancelled):
        ask(liar(raising(Cancelled())), model(), "liar", "highs")


def test_a_mutated_model_does_not_fool_the_check(liar: Callable[[Answer], Agents]) -> None:
    """An agent that widens the bounds of its input is still judged by the formulation."""

    def answer(problem: Any, model: Model, ctx: RunContext) -> Solution:
        try:
            model.columns.upper[:] = 1e9
            model.linear().row_upper[:] = 1e9
        except ValueError:
            return Solution(Status.OPTIMAL, IDENTITY, values=np.array([100.0, 100.0]))
        return Solution(Status.OPTIMAL, IDENTITY, values=np.array([100.0, 100.0]))

    outcome = ask(liar(answer), model(), "liar")
    assert not outcome.verification.verified


# ----------------------------------------------------------------------- classification


def test_a_solver_asked_for_that_cannot_take_a_front_is_told_who_can(
    liar: Callable[[Answer], Agents],
) -> None:
    agents = liar(claim([0, 0]))
    front = model(
        objectives=[
            {"name": "a", "sense": "maximize", "expression": "x"},
            {"name": "b", "sense": "maximize", "expression": "abs(y - 3)"},
        ]
    )
    with pytest.raises(RefusedError) as error:
        classify(agents, front, None, "liar", agents.ctx)
    assert error.value.message == "solver 'liar' cannot take this model: it lacks piecewise"
    assert error.value.fix == "able to take it: highs"


def test_an_agent_that_lacks_a_capability_is_named_with_what_it_lacks(
    liar: Callable[[Answer], Agents],
) -> None:
    nonlinear = model(constraints=[{"name": "c", "expression": "exp(x) + y <= 5"}])
    agents = liar(claim([0, 0]))
    with pytest.raises(RefusedError) as error:
        classify(agents, nonlinear, None, "liar", agents.ctx)
    assert error.value.message == "solver 'liar' cannot take this model: it lacks nonlinear"
    assert error.value.fix == "`pip install orkernel-pyomo`"
    with pytest.raises(RefusedError, match="no installed solver agent takes this model"):
        classify(agents, nonlinear, None, "auto", agents.ctx)


def test_an_agent_that_finds_it_cannot_take_the_model_refuses_it_and_others_are_named(
    liar: Callable[[Answer], Agents],
) -> None:
    agents = liar(raising(Unsupported("constraint 'c'", "no rows")))
    outcome = ask(agents, model(), "liar")
    assert outcome.solution.status is Status.ILL_POSED
    message = "liar cannot take constraint 'c': no rows (able to take it: highs)"
    assert outcome.solution.message == message
    answer = presented(model(), outcome, Classification("LP", ()))
    assert (answer.exit_code, answer.message) == (ExitCode.REFUSED, message)


def test_an_agent_that_fails_is_no_refusal(liar: Callable[[Answer], Agents]) -> None:
    outcome = ask(liar(raising(RuntimeError("boom"))), model(), "liar")
    assert outcome.solution.status is Status.ERROR
    answer = presented(model(), outcome, Classification("LP", ()))
    assert answer.exit_code is ExitCode.BROKEN


class Scheduler:
    """A plugin with an exact agent for intervals over whole numbers."""

    @hookimpl
    def orkernel_solver_agents(self) -> Iterable[SolverAgentSpec]:
        whole = frozenset({Capability.INTEGER, Capability.LINEAR, Capability.NO_OVERLAP})
        guarantee = Guarantee.GLOBAL
        yield SolverAgentSpec(name="times", target="a:b", supports=(whole,), guarantee=guarantee)


def test_continuous_variables_in_the_way_of_an_exact_agent_are_named() -> None:
    registry = Registry.load(Config.load(plugins="numpy,highs"), extra=[Scheduler()])
    agents = Agents(registry, Problem(""), RunContext())
    remedy = "times can once 'start' and 'end' are integer, if whole numbers will do"

    def shop(domain: str) -> Model:
        return model(
            variables=[
                {"name": "start", "domain": domain, "upper": 9},
                {"name": "end", "domain": domain, "upper": 9},
                {"name": "count", "domain": "integer", "upper": 9},
            ],
            objectives=[{"name": "z", "sense": "minimize", "expression": "end"}],
            constraints=[
                {"name": "c", "expression": "no_overlap([interval(start, 2), interval(0, 1)])"},
                {"name": "d", "expression": "start + 2 <= end"},
            ],
        )

    with pytest.raises(RefusedError) as error:
        classify(agents, shop("continuous"), None, "times", agents.ctx)
    assert error.value.fix == f"able to take it: numpy; {remedy}"
    classify(agents, shop("continuous"), None, "auto", agents.ctx)
    assert agents.notes == [f"no solver agent can prove an answer: {remedy}"]
    with pytest.raises(RefusedError) as error:
        classify(agents, shop("integer"), None, "highs", agents.ctx)
    assert error.value.fix == "able to take it: numpy, times"


def test_an_unknown_solver_is_answered_with_near_matches(
    liar: Callable[[Answer], Agents],
) -> None:
    agents = liar(claim([0, 0]))
    with pytest.raises(UnknownName) as error:
        classify(agents, model(), None, "hihgs", agents.ctx)
    assert "highs" in error.value.fix


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (SystemExit(0), "liar failed: SystemExit: 0"),
        (GeneratorExit(), "liar failed: GeneratorExit"),
        (ValueError("a\ud800\nb"), "liar failed: ValueError: a b"),
    ],
)
def test_an_agent_cannot_end_the_process_or_spoil_the_messages(
    liar: Callable[[Answer], Agents], error: BaseException, note: str
) -> None:
    agents = liar(raising(error))
    outcome = ask(agents, model(), "liar", "highs")
    assert outcome.verification.verified
    assert note in agents.notes


def test_an_option_without_sense_is_the_users_error_and_not_the_agents(
    liar: Callable[[Answer], Agents],
) -> None:
    with pytest.raises(UsageError, match="half_width"):
        ask(liar(raising(UsageError("half_width is -3"))), model(), "liar", "highs")


@pytest.mark.parametrize("returned", [None, "optimal", {"status": "optimal"}])
def test_what_is_no_solution_is_a_failure_of_the_agent(
    liar: Callable[[Answer], Agents], returned: Any
) -> None:
    agents = liar(lambda *_: returned)
    assert not ask(agents, model(), "liar").verification.verified
    kind = type(returned).__name__
    assert agents.notes == [f"liar failed: it returned {kind}, not a Solution"]


def test_a_status_given_as_text_is_judged_like_the_status(
    liar: Callable[[Answer], Agents],
) -> None:
    def answer(*_: Any) -> Solution:
        return Solution("optimal", IDENTITY, np.zeros(2), 0.0)  # type: ignore[arg-type]

    outcome = ask(liar(answer), model(), "liar")
    assert not outcome.verification.verified
    assert "two exact agents disagree" in outcome.verification.problems[0]


@pytest.mark.parametrize(
    "fields",
    [
        {"status": "great"},
        {"solver": None},
        {"seconds": -1.0},
        {"seconds": float("nan")},
        {"objective": "much"},
        {"guarantee": "firm"},
    ],
)
def test_a_solution_refuses_fields_that_mean_nothing(fields: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        Solution(**{"status": Status.OPTIMAL, "solver": IDENTITY, **fields})


@pytest.mark.parametrize("name", ["matrix", "row_upper", "columns.upper", "cost"])
def test_an_agent_cannot_change_what_the_next_one_is_asked(
    liar: Callable[[Answer], Agents], name: str
) -> None:
    def answer(_: Any, asked: Model, __: RunContext) -> Solution:
        form = asked.linear()
        arrays = {
            "matrix": form.matrix.data,
            "row_upper": form.row_upper,
            "columns.upper": form.columns.upper,
            "cost": form.objectives[0].cost,
        }
        arrays[name][:] = 0
        return Solution(Status.OPTIMAL, IDENTITY, np.zeros(2), 0.0)

    agents = liar(answer)
    outcome = ask(agents, model(), "liar", "highs")
    assert outcome.verification.objectives == {"z": pytest.approx(13.2)}
    assert "read-only" in agents.notes[0]


@pytest.mark.parametrize("status", [Status.OPTIMAL, Status.FEASIBLE])
def test_an_answer_without_a_point_says_so(
    liar: Callable[[Answer], Agents], status: Status
) -> None:
    outcome = ask(liar(lambda *_: Solution(status, IDENTITY)), model(), "liar")
    assert outcome.verification.problems == (f"'{status}' was claimed without a point",)


def test_complex_values_are_no_numbers(liar: Callable[[Answer], Agents]) -> None:
    point = np.zeros(2) + 1j
    outcome = ask(liar(lambda *_: Solution(Status.OPTIMAL, IDENTITY, point)), model(), "liar")
    assert outcome.verification.problems == ("the values are not numbers",)


TWO = [
    {"name": "z", "sense": "maximize", "expression": "2*x + 3*y"},
    {"name": "w", "sense": "minimize", "expression": "x"},
]


@pytest.mark.parametrize(
    ("objectives", "front", "problem"),
    [
        (TWO[:1], [(0.0, 0.0)], "fewer than two objectives"),
        (TWO, [], "without its points"),
        (TWO, [(0.0, 0.0), (9.0, 9.0)], "point 2 of the front: constraint c is violated"),
        (TWO, [(0.0, 1.0)], "point 1 of the front: its objectives are"),
    ],
)
def test_every_point_of_a_front_is_checked(
    objectives: list[Any], front: list[tuple[float, float]], problem: str
) -> None:
    points = tuple(ParetoPoint((0.0,) * len(objectives), np.array(x)) for x in front)
    solution = Solution(Status.PARETO_FRONT, IDENTITY, np.zeros(2), pareto=points)
    found = verify(model(objectives=objectives), solution)
    assert not found.verified
    assert problem in found.problems[0]
