"""Finite models: every point counts, and only then is a claim exact."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.context import RunContext
from orkernel.errors import Unsupported
from orkernel.formulation.schema import Formulation
from orkernel.fronts import nondominated
from orkernel.model import Model
from orkernel.records import Guarantee, Problem
from orkernel.solution import Solution, Status
from orkernel.verify import verify
from orkernel_numpy import enumeration
from orkernel_numpy.agent import NumpyAgent

EXPRESSIONS = (
    "x + 2*y - z",
    "x*y - 3*z",
    "x**2 + y**2 - 4*z",
    "abs(x - y) + floor(z / 2)",
    "max(x, y, z) - min(x, y)",
    "sin(x) + cos(y * z)",
    "log(x + y)",
    "x / z",
    "3",
)
CONDITIONS = (
    "x + y + z <= {}",
    "2*x - y >= {}",
    "x - z == {}",
    "x*y <= {}",
    "x**2 + z >= {}",
    "implies(x >= 1, y + z <= {})",
    "x != {}",
    "all_different([x, y, z])",
    "sqrt(x + y) <= {}",
)
CORNERS = st.tuples(st.integers(-3, 2), st.integers(-1, 4))


@st.composite
def formulations(draw: st.DrawFn, objectives: int = 1) -> dict[str, Any]:
    rules = draw(st.lists(st.tuples(st.sampled_from(CONDITIONS), st.integers(-3, 6)), max_size=3))
    return {
        "variables": [
            {"name": name, "domain": "integer", "lower": low, "upper": high}
            for name, (low, high) in zip("xyz", draw(st.tuples(CORNERS, CORNERS, CORNERS)))  # noqa: B905
        ],
        "objectives": [
            {
                "name": f"goal {k}",
                "sense": draw(st.sampled_from(["minimize", "maximize"])),
                "expression": draw(st.sampled_from(EXPRESSIONS)),
            }
            for k in range(objectives)
        ],
        "constraints": [
            {"name": f"rule {k}", "expression": text.format(limit)}
            for k, (text, limit) in enumerate(rules)
        ],
    }


def bind(data: dict[str, Any]) -> Model:
    return Model.bind(Formulation.model_validate(data))


def answer(model: Model, **options: Any) -> Solution:
    return NumpyAgent().solve(Problem(""), model, RunContext(options=options))


def naive(model: Model) -> tuple[list[np.ndarray], np.ndarray, bool]:
    """Points, objectives of the admissible ones, one by one; and whether any is feasible."""
    ranges = [
        range(int(low), int(high) + 1)
        for low, high in zip(model.columns.lower, model.columns.upper, strict=True)
    ]
    points, objectives, feasible = [], [], False
    for point in itertools.product(*ranges):
        values = model.evaluate(np.array(point, float))
        if np.all(values.violations <= 1e-6 * values.scales):
            feasible = True
            if np.all(np.isfinite(values.objectives)):
                points.append(np.array(point, float))
                objectives.append(values.objectives[0])
    return points, np.array(objectives), feasible


@settings(max_examples=150, deadline=None)
@given(formulations())
def test_enumeration_agrees_with_a_naive_loop(data: dict[str, Any]) -> None:
    model = bind(data)
    solution = answer(model)
    points, objectives, feasible = naive(model)
    if not feasible:
        assert solution.status is Status.INFEASIBLE
        assert solution.guarantee is Guarantee.GLOBAL
    elif not points:
        assert solution.status is Status.ERROR
    else:
        maximize = data["objectives"][0]["sense"] == "maximize"
        best = objectives.max() if maximize else objectives.min()
        assert solution.status is Status.OPTIMAL
        assert solution.objective == pytest.approx(best, rel=1e-12, abs=1e-12)
        assert solution.bound == solution.objective
        assert verify(model, solution).verified


@settings(max_examples=60, deadline=None)
@given(formulations(objectives=2))
def test_the_front_is_exactly_the_efficient_set(data: dict[str, Any]) -> None:
    model = bind(data)
    solution = answer(model)
    points, objectives, feasible = naive(model)
    if not points:
        assert solution.status is (Status.ERROR if feasible else Status.INFEASIBLE)
        return
    maximize = [o["sense"] == "maximize" for o in data["objectives"]]
    efficient = np.unique(objectives[nondominated(objectives, maximize)].round(9), axis=0)
    found = np.unique(np.array([p.objectives for p in solution.pareto]).round(9), axis=0)
    assert solution.status is Status.PARETO_FRONT
    assert solution.guarantee is Guarantee.GLOBAL
    np.testing.assert_allclose(found, efficient, atol=1e-8)
    assert len(solution.pareto) == len(efficient)
    assert verify(model, solution).verified


def knapsack(size: int = 8, **changes: Any) -> dict[str, Any]:
    return {
        "sets": [{"name": "I", "range": [1, size]}],
        "parameters": [
            {"name": "w", "index": ["I"], "value": [3 + (7 * i) % 11 for i in range(size)]},
            {"name": "v", "index": ["I"], "value": [5 + (5 * i) % 13 for i in range(size)]},
        ],
        "variables": [{"name": "take", "index": ["I"], "domain": "binary"}],
        "objectives": [
            {"name": "value", "sense": "maximize", "expression": "sum(v[i]*take[i] for i in I)"}
        ],
        "constraints": [{"name": "room", "expression": "sum(w[i]*take[i] for i in I) <= 20"}],
        **changes,
    }


def test_a_linear_objective_cuts_most_points_short() -> None:
    solution = answer(bind(knapsack(20)))
    assert solution.status is Status.OPTIMAL
    assert solution.statistics["points"] < 2**20 / 20


def test_bounds_of_integers_are_derived_from_rows() -> None:
    model = bind(
        {
            "variables": [
                {"name": "x", "domain": "integer"},
                {"name": "y", "domain": "integer", "lower": None},
            ],
            "objectives": [{"name": "z", "sense": "maximize", "expression": "x**2 - y**2 + x*y"}],
            "constraints": [
                {"name": "a", "expression": "3*x + y <= 20"},
                {"name": "b", "expression": "y >= x - 4"},
            ],
        }
    )
    points = [
        (x**2 - y**2 + x * y) for x in range(20) for y in range(-20, 21)
        if 3 * x + y <= 20 and y >= x - 4
    ]  # fmt: skip
    solution = answer(model)
    assert (solution.status, solution.objective) == (Status.OPTIMAL, max(points))


def test_quadratic_assignment_of_seven_is_solved_by_trying_all() -> None:
    flow = [[(3 * i + 5 * j) % 7 if i != j else 0 for j in range(6)] for i in range(6)]
    distance = [[abs(i - j) for j in range(6)] for i in range(6)]
    model = bind(
        {
            "sets": [{"name": "N", "range": [1, 6]}],
            "parameters": [
                {"name": "f", "index": ["N", "N"], "value": flow},
                {"name": "d", "index": ["N", "N"], "value": distance},
            ],
            "variables": [
                {"name": "at", "index": ["N"], "domain": "integer", "lower": 1, "upper": 6}
            ],
            "objectives": [
                {
                    "name": "work",
                    "sense": "minimize",
                    "expression": "sum(f[i,j] * abs(at[i] - at[j]) for i in N for j in N)",
                }
            ],
            "constraints": [{"name": "apart", "expression": "all_different(at[i] for i in N)"}],
        }
    )
    best = min(
        sum(flow[i][j] * abs(p[i] - p[j]) for i in range(6) for j in range(6))
        for p in itertools.permutations(range(1, 7))
    )
    solution = answer(model)
    assert (solution.status, solution.objective) == (Status.OPTIMAL, best)


def test_ten_objectives_give_a_front_whose_points_all_hold() -> None:
    model = bind(
        {
            "sets": [{"name": "I", "range": [1, 4]}],
            "variables": [{"name": "x", "index": ["I"], "domain": "integer", "upper": 3}],
            "objectives": [
                {
                    "name": f"goal {k}",
                    "sense": "minimize" if k % 2 else "maximize",
                    "expression": f"sum(((i * {k + 1}) % 5) * x[i] for i in I)",
                }
                for k in range(10)
            ],
        }
    )
    solution = answer(model)
    objectives = np.array([p.objectives for p in solution.pareto])
    assert solution.status is Status.PARETO_FRONT
    assert nondominated(objectives, [not k % 2 for k in range(10)]).all()
    assert verify(model, solution).verified


def test_a_front_over_too_many_points_is_refused_with_their_number() -> None:
    data = knapsack(30)
    data["objectives"].append(
        {"name": "weight", "sense": "minimize", "expression": "sum(w[i]*take[i] for i in I)"}
    )
    with pytest.raises(Unsupported, match=r"1\.07e\+09 combinations.*numpy\.points"):
        answer(bind(data))


def test_beyond_the_limit_the_answer_is_searched_and_proves_nothing() -> None:
    data = knapsack(
        12,
        objectives=[
            {
                "name": "value",
                "sense": "maximize",
                "expression": "sum(v[i] * sin(i * take[i]) for i in I)",
            }
        ],
    )
    whole = answer(bind(data))
    part = answer(bind(data), points=100)
    assert whole.status is Status.OPTIMAL
    assert (part.status, part.guarantee) == (Status.FEASIBLE, Guarantee.HEURISTIC)
    assert part.bound is None
    assert part.objective <= whole.objective + 1e-9
    assert verify(bind(data), part).verified


def test_small_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = answer(bind(knapsack()))
    monkeypatch.setattr(enumeration, "CHUNK", 3)
    assert answer(bind(knapsack())).objective == whole.objective


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ({}, Status.OPTIMAL),
        ({"constraints": [{"name": "c", "expression": "1 <= 2"}]}, Status.OPTIMAL),
        ({"constraints": [{"name": "c", "expression": "3 <= 2"}]}, Status.INFEASIBLE),
        (
            {
                "sets": [{"name": "I", "members": []}],
                "variables": [{"name": "x", "index": ["I"], "domain": "integer"}],
                "objectives": [
                    {"name": "f", "sense": "minimize", "expression": "sum(x[i] for i in I) + 2"}
                ],
            },
            Status.OPTIMAL,
        ),
    ],
)
def test_models_without_columns_have_one_point(parts: dict[str, Any], status: Status) -> None:
    model = bind(parts)
    solution = answer(model)
    assert solution.status is status
    if status is Status.OPTIMAL:
        assert verify(model, solution).verified


@pytest.mark.parametrize("domain", ["integer", "continuous"])
def test_bounds_that_contradict_each_other_are_infeasible(domain: str) -> None:
    model = bind({"variables": [{"name": "x", "domain": domain, "upper": 4}]})
    crossed = model.derive(lower=np.array([5.0]))
    solution = answer(crossed)
    assert (solution.status, solution.guarantee) == (Status.INFEASIBLE, Guarantee.GLOBAL)
    assert "x" in solution.message


def test_an_objective_that_is_nowhere_defined_is_an_error_not_infeasible() -> None:
    model = bind(
        {
            "variables": [{"name": "x", "domain": "integer", "upper": 5}],
            "objectives": [{"name": "f", "sense": "minimize", "expression": "log(-1 - x)"}],
        }
    )
    solution = answer(model)
    assert solution.status is Status.ERROR
    assert "no feasible point gives the objectives a value" in solution.message


@pytest.mark.parametrize("factor", [1, 10**4])
def test_a_row_of_large_whole_numbers_is_not_broken_by_a_unit(factor: int) -> None:
    model = Model.bind(
        Formulation.model_validate(
            {
                "variables": [{"name": n, "domain": "integer", "upper": 5} for n in "xy"],
                "objectives": [{"name": "z", "sense": "maximize", "expression": "2*x + 2.001*y"}],
                "constraints": [
                    {
                        "name": "room",
                        "expression": f"{1234567 * factor}*x + {1234567 * factor + 2}*y "
                        f"<= {3703701 * factor + 1}",
                    }
                ],
            }
        )
    )
    solution = NumpyAgent().solve(Problem(""), model, RunContext())
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(6.0)
