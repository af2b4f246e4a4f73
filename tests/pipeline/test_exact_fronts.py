"""Pareto fronts by single-objective solves: complete where they can be, each point efficient."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel import Formulation, Guarantee, Model, Status
from orkernel.agents import Agents, classify
from orkernel.compose import dominated_point, solve_composed
from orkernel.compose.steps import common_divisor, step_of
from orkernel.config import Config
from orkernel.context import RunContext
from orkernel.errors import Cancelled, OrkernelError, PluginError, RefusedError
from orkernel.fronts import nondominated
from orkernel.records import Event, Problem
from orkernel.registry import Registry
from orkernel.solution import Evidence, ParetoPoint, Solution, SolverIdentity
from orkernel.solving import Outcome, solve_ranked
from orkernel.verify import verify

REGISTRY = Registry.load(Config.load(plugins="highs"))


def agents(ctx: RunContext | None = None) -> Agents:
    return Agents(REGISTRY, Problem(""), ctx or RunContext())


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


def front(model: Model, ctx: RunContext | None = None) -> Outcome:
    pool = agents(ctx)
    ranked = classify(pool, model, None, "auto", pool.ctx).agents
    return solve_ranked(pool, model, ranked, pool.ctx)


def goals(*pairs: tuple[str, str], **more: Any) -> list[dict[str, Any]]:
    return [
        {"name": name, "sense": sense, "expression": expression, **more}
        for name, (sense, expression) in zip("abcdefghij", pairs, strict=False)
    ]


SHARES = {
    "variables": [{"name": n, "upper": 4} for n in "xy"],
    "constraints": [{"name": "room", "expression": "x + y <= 5"}],
}
BOTH = goals(("maximize", "x + 2*y"), ("maximize", "3*x + y"))


# ------------------------------------------------------------------- against enumeration


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 3))
def test_the_front_of_an_integer_model_is_what_enumeration_gives(seed: int, count: int) -> None:
    rng = np.random.default_rng(seed)
    n, top = 3, 2
    costs = rng.integers(-6, 7, (count, n))
    weights, room = rng.integers(0, 5, n), int(rng.integers(0, 12))
    senses = rng.choice(["minimize", "maximize"], count)

    def total(row: Any) -> str:
        return " + ".join(f"({value})*x{j}" for j, value in enumerate(row))

    model = bind(
        variables=[{"name": f"x{j}", "domain": "integer", "upper": top} for j in range(n)],
        objectives=goals(*((str(s), total(c)) for s, c in zip(senses, costs, strict=True))),
        constraints=[{"name": "room", "expression": f"{total(weights)} <= {room}"}],
    )
    points = np.array(list(itertools.product(range(top + 1), repeat=n)))
    values = points[points @ weights <= room] @ costs.T
    maximize = [s == "maximize" for s in senses]
    expected = {tuple(map(float, v)) for v in values[nondominated(values, maximize)]}
    outcome = front(model)
    assert outcome.verification.verified, outcome.verification.problems
    assert outcome.solution.guarantee is Guarantee.GLOBAL
    assert {tuple(np.round(p.objectives, 6)) for p in outcome.solution.pareto} == expected
    assert len(outcome.solution.pareto) == len(expected)
    assert any("front is complete" in a for a in outcome.solution.assumptions)


def test_a_fractional_cost_against_a_count_has_a_complete_front() -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 5]}],
        parameters=[{"name": "c", "index": ["I"], "value": [0.37, 1.21, 0.9, 2.3, 1.7]}],
        variables=[{"name": "open", "index": ["I"], "domain": "binary"}],
        objectives=goals(
            ("minimize", "sum(open[i] for i in I)"), ("maximize", "sum(c[i]*open[i] for i in I)")
        ),
    )
    found = front(model).solution
    assert [p.objectives for p in found.pareto] == [
        pytest.approx(v) for v in [(0, 0), (1, 2.3), (2, 4.0), (3, 5.21), (4, 6.11), (5, 6.48)]
    ]
    assert "the Pareto front is complete: it has 6 points (ε-constraint method)" in (
        found.assumptions
    )


# ------------------------------------------------------------------- continuous fronts


def test_a_continuous_front_has_the_wanted_points_all_proven_by_certificate() -> None:
    outcome = front(bind(**SHARES, objectives=BOTH), RunContext(front_points=7))
    found = outcome.solution
    assert found.status is Status.PARETO_FRONT
    assert (len(found.pareto), outcome.evidence) == (7, Evidence.CERTIFICATE)
    assert outcome.verification.verified
    values = [p.objectives for p in found.pareto]
    assert (values[0], values[-1]) == (pytest.approx((9, 7)), pytest.approx((6, 13)))
    for a, b in values:
        assert 2 * a + b == pytest.approx(25)
    assert "it has more: ask for them with --front-points" in found.assumptions[-1]


def test_the_number_of_points_is_21_where_none_is_wanted() -> None:
    assert len(front(bind(**SHARES, objectives=BOTH)).solution.pareto) == 21


def test_risk_against_return_is_exact_though_risk_cannot_be_a_linear_row() -> None:
    model = bind(
        variables=[{"name": n} for n in "xy"],
        objectives=goals(("minimize", "x**2 + 2*y**2"), ("maximize", "x + 3*y")),
        constraints=[{"name": "all", "expression": "x + y == 1"}],
    )
    outcome = front(model, RunContext(front_points=5))
    found = outcome.solution
    assert outcome.verification.verified
    assert (found.guarantee, outcome.evidence) == (Guarantee.GLOBAL, Evidence.CERTIFICATE)
    assert len(found.pareto) == 5
    for risk, gain in [p.objectives for p in found.pareto]:
        y = (gain - 1) / 2
        assert risk == pytest.approx((1 - y) ** 2 + 2 * y**2, abs=1e-5)
        assert y >= 1 / 3 - 1e-3


def test_ten_objectives_end_soon_and_say_how_many_points_there_are() -> None:
    rng = np.random.default_rng(5)
    costs = rng.integers(1, 9, (10, 6))
    model = bind(
        variables=[{"name": f"x{j}", "upper": 3} for j in range(6)],
        objectives=goals(
            *(("minimize", " + ".join(f"{v}*x{j}" for j, v in enumerate(row))) for row in costs)
        ),
        constraints=[{"name": "need", "expression": "x0 + x1 + x2 + x3 + x4 + x5 >= 4"}],
    )
    found = front(model, RunContext(front_points=12)).solution
    assert found.status is Status.PARETO_FRONT
    assert found.statistics["front_points"] == len(found.pareto) <= 12
    assert f"{len(found.pareto)} points spread over" in found.assumptions[-1]


# ------------------------------------------------------------------- levels


def test_a_front_below_a_priority_lists_every_objective() -> None:
    model = bind(
        variables=[{"name": n, "domain": "integer", "upper": 3} for n in "xyz"],
        objectives=[
            {"name": "total", "sense": "maximize", "expression": "x + y + z", "priority": 1},
            {"name": "x", "sense": "minimize", "expression": "x", "priority": 2},
            {"name": "y", "sense": "minimize", "expression": "y", "priority": 2},
        ],
        constraints=[{"name": "c", "expression": "x + y + z <= 5"}],
    )
    outcome = front(model)
    assert outcome.verification.verified
    assert [p.objectives for p in outcome.solution.pareto] == [(5, 0, 2), (5, 1, 1), (5, 2, 0)]


@pytest.mark.parametrize(
    ("objectives", "said"),
    [
        (
            [
                *goals(("maximize", "x"), ("maximize", "y")),
                {"name": "z", "sense": "maximize", "expression": "x", "priority": 2},
            ],
            "a Pareto front can only be asked for at the last priority",
        ),
        (
            [
                *goals(("maximize", "x")),
                {"name": "z", "sense": "maximize", "expression": "y", "weight": 2},
            ],
            "give every objective of a priority a weight, or none of them",
        ),
    ],
)
def test_priorities_and_weights_that_settle_nothing_are_refused(
    objectives: list[dict[str, Any]], said: str
) -> None:
    pool = agents()
    with pytest.raises(RefusedError, match=said) as error:
        classify(pool, bind(**SHARES, objectives=objectives), None, "auto", pool.ctx)
    assert "`priority` and `weight`" in error.value.fix


# ------------------------------------------------------------------- no front


def test_an_infeasible_model_has_no_front() -> None:
    model = bind(
        variables=SHARES["variables"],
        objectives=BOTH,
        constraints=[{"name": "c", "expression": "x + y >= 9"}],
    )
    outcome = front(model)
    assert (outcome.solution.status, outcome.solution.pareto) == (Status.INFEASIBLE, ())
    assert outcome.evidence is Evidence.CERTIFICATE
    assert outcome.subset is not None
    assert (outcome.subset.rows, outcome.subset.upper) == ((0,), (0, 1))


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_an_unbounded_objective_is_named(order: tuple[int, int]) -> None:
    both = [("minimize", "x"), ("maximize", "x + y")]
    model = bind(
        variables=[{"name": "x"}, {"name": "y"}],
        objectives=goals(*(both[i] for i in order)),
        constraints=[{"name": "c", "expression": "x >= 1"}],
    )
    outcome = front(model)
    assert outcome.solution.status is Status.UNBOUNDED
    assert f"objective '{'ab'[order.index(1)]}' is unbounded" in outcome.solution.message


def test_objectives_that_agree_have_a_front_of_one_point() -> None:
    found = front(bind(**SHARES, objectives=goals(("maximize", "x + y"), ("minimize", "-x - y"))))
    assert len(found.solution.pareto) == 1
    assert found.solution.assumptions[-1].startswith(
        "the Pareto front is complete: it has 1 point "
    )


# ------------------------------------------------------------------- limits


KNAPSACK = bind(
    sets=[{"name": "I", "range": [1, 12]}],
    parameters=[
        {"name": "a", "index": ["I"], "value": [3, 7, 2, 9, 4, 6, 8, 1, 5, 3, 7, 6]},
        {"name": "b", "index": ["I"], "value": [6, 2, 8, 1, 5, 4, 2, 9, 3, 7, 2, 3]},
        {"name": "w", "index": ["I"], "value": [2, 4, 3, 5, 3, 2, 6, 1, 4, 3, 3, 5]},
    ],
    variables=[{"name": "x", "index": ["I"], "domain": "binary"}],
    objectives=goals(
        ("maximize", "sum(a[i]*x[i] for i in I)"), ("maximize", "sum(b[i]*x[i] for i in I)")
    ),
    constraints=[{"name": "room", "expression": "sum(w[i]*x[i] for i in I) <= 20"}],
)


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize("offset", [1e8, -1e9])
def test_values_that_are_close_beside_their_size_are_still_different(
    count: int, offset: float
) -> None:
    pairs = [("minimize", f"x + {offset}"), ("maximize", f"x - y + {offset}"), ("minimize", "0*y")]
    model = bind(
        variables=[{"name": n, "domain": "integer", "upper": 5} for n in "xy"],
        objectives=goals(*pairs[:count]),
    )
    found = front(model).solution
    assert len(found.pareto) == 6
    assert "complete" in found.assumptions[-1]


def test_a_point_within_the_tolerances_of_an_agent_dominates_nothing() -> None:
    model = bind(
        variables=[{"name": n, "domain": "integer", "upper": 5} for n in "xy"],
        objectives=goals(
            ("maximize", "1234567*x + 1234568*y"), ("maximize", "10*x"), ("maximize", "x")
        ),
        constraints=[{"name": "room", "expression": "x + y <= 5"}],
    )

    def loose(stage: Model, ctx: RunContext) -> Solution:
        best = highs(model.derive(objectives=model.formulation.objectives[1:2]), ctx)
        return replace(best, objective=None, bound=None, duals=None, certificate=None)

    whole = front(model)
    assert len(whole.solution.pareto) == 6
    with pytest.raises(OrkernelError, match="tolerances"):
        dominated_point(model, whole.solution, loose, RunContext())


def test_an_interrupted_front_keeps_its_points_and_says_so() -> None:
    cancel = threading.Event()

    def emit(event: Event) -> None:
        if event.message.startswith("point 3"):
            cancel.set()

    found = front(KNAPSACK, RunContext(cancel=cancel, emit=emit)).solution
    assert (found.status, len(found.pareto)) == (Status.PARETO_FRONT, 3)
    assert found.assumptions[-1].endswith("there may be more: it was interrupted")
    assert found.guarantee is Guarantee.GLOBAL


def test_a_solver_that_dies_halfway_leaves_the_points_found_before() -> None:
    calls = itertools.count(1)

    def dying(model: Model, ctx: RunContext) -> Solution:
        if next(calls) > 5:
            raise PluginError("the process was ended by SIGKILL")
        return highs(model, ctx)

    found, _ = solve_composed(KNAPSACK, dying, RunContext())
    assert (found.status, len(found.pareto)) == (Status.PARETO_FRONT, 2)
    assert "there may be more" in found.assumptions[-1]
    assert "ended by SIGKILL" in found.assumptions[-1]
    with pytest.raises(PluginError):
        solve_composed(KNAPSACK, dying, RunContext())


def test_cancelled_before_the_first_point_there_is_no_front() -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        front(KNAPSACK, RunContext(cancel=cancel))


def test_no_time_at_all_gives_time_limit() -> None:
    assert front(KNAPSACK, RunContext().limited(0.0)).solution.status is Status.TIME_LIMIT


# ------------------------------------------------------------------- wrong agents

IDENTITY = SolverIdentity("liar", "liar", "1")


def highs(model: Model, ctx: RunContext) -> Solution:
    return agents().solve("highs", model, ctx)[0]


def test_points_that_the_agent_did_not_finish_proving_are_not_called_proven() -> None:
    def within_gap(model: Model, ctx: RunContext) -> Solution:
        return replace(highs(model, ctx), status=Status.FEASIBLE)

    model = bind(**SHARES, objectives=BOTH)
    found, _ = solve_composed(model, within_gap, RunContext(gap=0.1, front_points=3))
    assert (found.status, found.guarantee) == (Status.PARETO_FRONT, Guarantee.HEURISTIC)
    assert "optimal only within the solver's gap" in found.assumptions[-1]


def test_unproven_points_are_left_out_where_others_are_proven() -> None:
    calls = itertools.count(1)

    def tiring(model: Model, ctx: RunContext) -> Solution:
        found = highs(model, ctx)
        return found if next(calls) <= 4 else replace(found, status=Status.FEASIBLE)

    model = bind(**SHARES, objectives=BOTH)
    found, _ = solve_composed(model, tiring, RunContext(front_points=6))
    assert (len(found.pareto), found.guarantee) == (2, Guarantee.GLOBAL)


def test_one_wrong_solve_refuses_the_whole_front() -> None:
    def answer(model: Model, ctx: RunContext) -> Solution:
        return Solution(Status.OPTIMAL, IDENTITY, values=np.full(len(model.columns), 9.0))

    model = bind(**SHARES, objectives=BOTH)
    _, checks = solve_composed(model, answer, RunContext())
    assert any(check.problems for check in checks)


def points(*values: Iterable[float]) -> Solution:
    model = bind(**SHARES, objectives=BOTH)
    found = [
        ParetoPoint(tuple(model.evaluate(np.array(v)).objectives[0].tolist()), np.array(v))
        for v in values
    ]
    return Solution(Status.PARETO_FRONT, IDENTITY, values=found[0].values, pareto=tuple(found))


WRONG = {
    "dominated": (points([1.0, 4.0], [0.0, 3.0]), "point 2 of the front is dominated by point 1"),
    "infeasible": (points([4.0, 4.0]), "point 1 of the front: constraint room is violated by 3"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_a_wrong_front_is_refused(kind: str) -> None:
    claim, reason = WRONG[kind]
    checked = verify(bind(**SHARES, objectives=BOTH), claim)
    assert not checked.verified
    assert reason in " ".join(checked.problems)


def test_another_agent_finds_what_dominates_a_point_that_is_not_efficient() -> None:
    model = bind(**SHARES, objectives=BOTH)
    assert dominated_point(model, points([1.0, 4.0], [4.0, 1.0]), highs, RunContext()) is None
    found = dominated_point(model, points([4.0, 1.0], [1.0, 3.0]), highs, RunContext())
    assert found is not None
    assert found.point.objectives == pytest.approx((7, 6))
    assert all(b >= a - 1e-6 for a, b in zip((7, 6), found.better.objectives, strict=True))


# ------------------------------------------------------------------- steps


@pytest.mark.parametrize(
    ("coefficients", "step"),
    [
        ([6, 9, 15], 3),
        ([0.5, 1.25], 0.25),
        ([2.0], 2),
        ([], 1),
        ([1 / 3, 1], None),
        ([1e300], None),
    ],
)
def test_the_common_divisor_of_decimals(coefficients: list[float], step: float | None) -> None:
    found = common_divisor(np.array(coefficients, float))
    assert found == (None if step is None else pytest.approx(step))


@pytest.mark.parametrize(
    ("expression", "step"),
    [
        ("2*n + 4*k", 2),
        ("n + x", None),
        ("0.5*n", 0.5),
        ("max(n, k)", 1),
        ("n*k", 1),
        ("sqrt(n)", None),
    ],
)
def test_the_step_of_an_objective(expression: str, step: float | None) -> None:
    model = bind(
        variables=[
            {"name": "n", "domain": "integer", "upper": 9},
            {"name": "k", "domain": "integer", "upper": 9},
            {"name": "x", "upper": 9},
        ],
        objectives=goals(("minimize", expression)),
    )
    assert step_of(model, model.formulation.objectives[0]) == step
