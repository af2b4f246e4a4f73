"""One objective: against brute force and known optima, and always labelled heuristic."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment, linprog

from orkernel.model import Model
from orkernel.records import Guarantee
from orkernel.solution import Solution, Status
from orkernel.verify import verify

Bind = Callable[..., Model]
Solve = Callable[..., Solution]


def require_best(model: Model, solution: Solution, best: float, **tolerance: float) -> None:
    """Checked, feasible, heuristic, and as good as known."""
    assert solution.status is Status.FEASIBLE, solution.message
    assert solution.guarantee is Guarantee.HEURISTIC
    assert solution.bound is None
    assert verify(model, solution).verified
    assert solution.objective == pytest.approx(best, **tolerance)


def test_rastrigin_has_its_optimum_among_many_local_ones(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"index": ["I"], "lower": -4.12, "upper": 6.12}},
        {"f": "min sum((x[i]-1)**2 - 10*cos(6.283185307179586*(x[i]-1)) + 10 for i in I)"},
        sets=[{"name": "I", "range": [1, 5]}],
    )
    require_best(model, solve(model), 0.0, abs=1e-8)


def test_hock_schittkowski_71_with_a_nonlinear_equation(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"index": ["I"], "lower": 1, "upper": 5}},
        {"f": "min x[1]*x[4]*(x[1] + x[2] + x[3]) + x[3]"},
        ["prod(x[i] for i in I) >= 25", "sum(x[i]**2 for i in I) == 40"],
        sets=[{"name": "I", "range": [1, 4]}],
    )
    require_best(model, solve(model), 17.0140173, rel=1e-6)


def test_transport_with_redundant_equations_meets_the_linear_program(
    bind: Bind, solve: Solve
) -> None:
    rng = np.random.default_rng(2)
    cost, supply, demand = rng.integers(1, 20, (3, 4)), [30, 40, 30], [20, 30, 25, 25]
    model = bind(
        {"x": {"index": ["I", "J"]}},
        {"f": "min sum(k[i,j]*x[i,j] for i in I for j in J)"},
        ["sum(x[i,j] for j in J) == s[i] @ i in I", "sum(x[i,j] for i in I) == d[j] @ j in J"],
        sets=[{"name": "I", "range": [1, 3]}, {"name": "J", "range": [1, 4]}],
        parameters=[
            {"name": "k", "index": ["I", "J"], "value": cost.tolist()},
            {"name": "s", "index": ["I"], "value": supply},
            {"name": "d", "index": ["J"], "value": demand},
        ],
    )
    rows = [np.kron(np.eye(3), np.ones(4)), np.kron(np.ones(3), np.eye(4))]
    exact = linprog(cost.ravel(), A_eq=np.vstack(rows), b_eq=[*supply, *demand]).fun
    solution = solve(model, generations=60)
    require_best(model, solution, exact, rel=1e-6)
    assert not any("equations" in note for note in solution.assumptions)


def test_assignment_by_whole_number_equations(bind: Bind, solve: Solve) -> None:
    cost = np.random.default_rng(1).integers(1, 50, (5, 5))
    model = bind(
        {"x": {"index": ["I", "I"], "domain": "binary"}},
        {"f": "min sum(k[i,j]*x[i,j] for i in I for j in I)"},
        ["sum(x[i,j] for j in I) == 1 @ i in I", "sum(x[i,j] for i in I) == 1 @ j in I"],
        sets=[{"name": "I", "range": [1, 5]}],
        parameters=[{"name": "k", "index": ["I", "I"], "value": cost.tolist()}],
    )
    exact = cost[linear_sum_assignment(cost)].sum()
    require_best(model, solve(model), exact)


@settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(st.integers(-5, 9), min_size=3, max_size=3),
    st.lists(st.integers(-3, 6), min_size=3, max_size=3),
    st.integers(0, 14),
    st.integers(0, 3),
)
def test_small_integer_models_meet_enumeration(
    bind: Bind, solve: Solve, gains: list[int], weights: list[int], limit: int, squared: int
) -> None:
    model = bind(
        {"x": {"index": ["I"], "domain": "integer", "lower": -2, "upper": 3}},
        {"f": f"max sum(g[i]*x[i] for i in I) - {squared}*x[1]*x[2]"},
        [f"sum(w[i]*x[i] for i in I) <= {limit}"],
        sets=[{"name": "I", "range": [1, 3]}],
        parameters=[
            {"name": "g", "index": ["I"], "value": gains},
            {"name": "w", "index": ["I"], "value": weights},
        ],
    )
    points = np.array(list(itertools.product(range(-2, 4), repeat=3)))
    points = points[points @ np.array(weights) <= limit]
    exact = np.max(points @ np.array(gains) - squared * points[:, 0] * points[:, 1])
    require_best(model, solve(model, generations=60), exact)


def test_mixed_model_meets_a_fine_grid(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"n": {"domain": "integer", "upper": 8}, "b": {"domain": "binary"}, "x": {"upper": 3}},
        {"f": "max n*x + 5*b - exp(x) - 0.1*n**2"},
        ["n + 4*b <= 9.5", "implies(b == 1, x <= 1.5)"],
    )
    n, b, x = np.meshgrid(np.arange(9), [0, 1], np.linspace(0, 3, 30001), indexing="ij")
    inside = (n + 4 * b <= 9.5) & ((b == 0) | (x <= 1.5))
    exact = np.max((n * x + 5 * b - np.exp(x) - 0.1 * n**2)[inside])
    require_best(model, solve(model), exact, rel=1e-6)


@pytest.mark.parametrize(
    "constraint",
    [
        "all_different(x[i] for i in I)",
        "table([x[1], x[2], x[3]], [[1, 2, 3], [4, 4, 1], [5, 0, 0]])",
        "element(cost, x[1]) + x[2] <= 4",
        "x[1] <= 1 or x[2] + x[3] <= 4",
        "piecewise(x[1], [0, 2, 5], [0, 1, 10]) <= 4",
        "abs(x[1] - x[2]) + max(x[2], x[3]) <= 3",
    ],
)
@pytest.mark.parametrize("slack", [False, True])
def test_structures_that_a_population_can_search(
    bind: Bind, solve: Solve, constraint: str, slack: bool
) -> None:
    """Once with whole numbers only, where all points are tried, once beside a continuous column."""
    model = bind(
        {
            "x": {"index": ["I"], "domain": "integer", "lower": 0, "upper": 5},
            **({"y": {"upper": 1}} if slack else {}),
        },
        {"f": "max 3*x[1] + x[2] + 1.1*x[3]" + (" - (y - 0.5)**2" if slack else "")},
        [constraint],
        sets=[{"name": "I", "range": [1, 3]}, {"name": "C", "range": [0, 5]}],
        parameters=[{"name": "cost", "index": ["C"], "value": [9, 0, 1, 5, 6, 7]}],
    )
    points = np.array(list(itertools.product(range(6), repeat=3)), float)
    points = np.column_stack([points, np.full(len(points), 0.5)]) if slack else points
    values = model.evaluate(points)
    feasible = np.all(values.violations <= 1e-9, axis=1)
    exact = float(np.max(values.objectives[feasible, 0]))
    require_best(model, solve(model), exact, rel=1e-9)


def test_undefined_objective_is_worst_not_fatal(bind: Bind, solve: Solve) -> None:
    model = bind({"x": {"lower": -5, "upper": 5}}, {"f": "min x - log(x)"})
    require_best(model, solve(model), 1.0, rel=1e-6)


def test_objective_that_is_defined_nowhere_gives_no_answer(bind: Bind, solve: Solve) -> None:
    model = bind({"x": {"lower": -5, "upper": -1}}, {"f": "min log(x)", "g": "min x"})
    solution = solve(model, generations=10)
    assert solution.status is Status.ERROR
    assert solution.values is None
    assert "no feasible point" in solution.message


def test_a_far_optimum_is_found_by_growing_the_box(bind: Bind, solve: Solve) -> None:
    model = bind({"x": {"lower": None}}, {"f": "min (x - 123456)**2 + 7"})
    solution = solve(model)
    require_best(model, solution, 7.0, rel=1e-6)
    assert any("no bound was given for x" in note for note in solution.assumptions)


def test_what_keeps_improving_at_the_edge_is_said_to_be_possibly_unbounded(
    bind: Bind, solve: Solve
) -> None:
    model = bind({"x": {}, "y": {"upper": 3}}, {"f": "max x*x - y"}, ["x >= y"])
    solution = solve(model)
    assert solution.status is Status.FEASIBLE
    assert "unbounded" in solution.message
    assert any("may be unbounded" in note for note in solution.assumptions)


def test_bounds_that_rows_imply_are_no_open_sides(bind: Bind, solve: Solve) -> None:
    model = bind({"x": {}, "y": {}}, {"f": "max x*y"}, ["2*x + y <= 8"])
    solution = solve(model)
    require_best(model, solution, 8.0, rel=1e-5)
    assert not any("no bound" in note for note in solution.assumptions)


def test_starting_values_are_used(bind: Bind, solve: Solve) -> None:
    from orkernel_pymoo.search import _given
    from orkernel_pymoo.space import SearchSpace

    model = bind({"x": {"upper": 9}, "y": {"upper": 9}}, {"f": "min (x - y)**2"})
    started: Any = SearchSpace.of(model.derive(start=np.array([4.0, np.nan])))
    assert _given(started)[0].tolist() == [4.0, 0.0]


def test_no_objective_ends_at_the_first_feasible_point(bind: Bind, solve: Solve) -> None:
    model = bind({"x": {"upper": 9}, "y": {"upper": 9}}, None, ["x*y >= 20", "x + y <= 10"])
    solution = solve(model)
    assert solution.status is Status.FEASIBLE
    assert solution.objective is None
    assert solution.statistics["generations"] < 50
    assert verify(model, solution).verified
