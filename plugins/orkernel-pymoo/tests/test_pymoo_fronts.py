"""Fronts against analytic ones, plain pymoo, and enumeration."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.indicators.igd import IGD
from pymoo.optimize import minimize
from pymoo.problems import get_problem

from orkernel.context import RunContext
from orkernel.fronts import figures, nondominated
from orkernel.model import Model
from orkernel.records import Guarantee
from orkernel.solution import Solution, Status
from orkernel.verify import verify
from orkernel_pymoo.answer import hypervolume
from orkernel_pymoo.directions import directions

Floats = NDArray[np.float64]
Bind = Callable[..., Model]
Solve = Callable[..., Solution]


def grid_on_simplex(steps: int) -> Floats:
    """Points with coordinates that are multiples of 1/steps and sum to 1, three of them."""
    return np.array(
        [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)]
    ) / float(steps)


def zdt3_front() -> Floats:
    f1 = np.linspace(0.0, 1.0, 4001)
    curve = np.column_stack([f1, 1 - np.sqrt(f1) - f1 * np.sin(10 * np.pi * f1)])
    return curve[nondominated(curve, [False, False])]


def analytic(name: str) -> Floats:
    """The front by its formula."""
    f1 = np.linspace(0.0, 1.0, 501)
    simplex = grid_on_simplex(30)
    return {
        "zdt1": lambda: np.column_stack([f1, 1 - np.sqrt(f1)]),
        "zdt2": lambda: np.column_stack([f1, 1 - f1**2]),
        "zdt3": zdt3_front,
        "dtlz1": lambda: 0.5 * simplex,
        "dtlz2": lambda: simplex / np.linalg.norm(simplex, axis=1)[:, None],
    }[name]()


def plain(name: str, generations: int, population: int, seed: int) -> Floats:
    """The front that pymoo finds on its own problem class."""
    if name.startswith("zdt"):
        algorithm: Any = NSGA2(pop_size=population)
        problem = get_problem(name)
    else:
        algorithm = NSGA3(directions(3, population), pop_size=population)
        problem = get_problem(name, n_var={"dtlz1": 7, "dtlz2": 12}[name], n_obj=3)
    found = minimize(problem, algorithm, ("n_gen", generations), seed=seed).F
    return np.asarray(found, np.float64)


@pytest.mark.parametrize(
    ("name", "generations"),
    [("zdt1", 100), ("zdt2", 100), ("zdt3", 100), ("dtlz1", 200), ("dtlz2", 60)],
)
def test_front_is_as_near_to_the_analytic_one_as_plain_pymoo(
    load: Callable[[str], Model], solve: Solve, name: str, generations: int
) -> None:
    distance = IGD(analytic(name))
    population = 60 if name.startswith("zdt") else 92
    solution = solve(load(name), generations=generations, population=population)
    ours = np.array([p.objectives for p in solution.pareto])
    theirs = plain(name, generations, population, seed=0)
    assert solution.status is Status.PARETO_FRONT
    assert solution.statistics["generations"] == generations
    assert distance(ours) <= 1.5 * distance(theirs)


@given(
    arrays(np.float64, (7, 3), elements=st.floats(0, 1, width=16)),
    st.lists(st.booleans(), min_size=3, max_size=3),
)
@settings(deadline=None)
def test_hypervolume_of_the_kernel_is_that_of_pymoo(points: Floats, maximize: list[bool]) -> None:
    assert figures(points, maximize).hypervolume == pytest.approx(
        hypervolume(points, maximize), abs=1e-9
    )


def test_hypervolume_of_six_objectives_takes_no_time(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"index": ["K"], "upper": 1}},
        {f"f{k}": f"min (x[{k}] - 1)**2 + 0.1*sum(x[i] for i in K)" for k in range(1, 7)},
        sets=[{"name": "K", "range": [1, 6]}],
    )
    began = time.process_time()
    solution = solve(model, generations=20)
    assert time.process_time() - began < 10.0
    assert 0.0 < solution.statistics["hypervolume"] < 1.1**6


def test_statistics_carry_the_hypervolume_generations_and_evaluations(
    load: Callable[[str], Model], solve: Solve
) -> None:
    solution = solve(load("zdt1"), generations=30, population=20)
    points = np.array([p.objectives for p in solution.pareto])
    expected = figures(points, [False, False]).hypervolume
    assert solution.statistics["hypervolume"] == pytest.approx(expected)
    assert solution.statistics["generations"] == 30
    assert solution.statistics["evaluations"] >= 30 * 20


BNH = (
    {"x": {"upper": 5}, "y": {"upper": 3}},
    {"f1": "min 4*x**2 + 4*y**2", "f2": "min (x - 5)**2 + (y - 5)**2"},
    ["(x - 5)**2 + y**2 <= 25", "(x - 8)**2 + (y + 3)**2 >= 7.7"],
)
"""Binh and Korn 1997. Efficient: x = y in [0, 3], then y = 3 and x in [3, 5]."""


def bnh_front() -> Floats:
    x = np.linspace(0.0, 5.0, 400)
    y = np.minimum(x, 3.0)
    return np.column_stack([4 * x**2 + 4 * y**2, (x - 5) ** 2 + (y - 5) ** 2])


def test_constrained_front_of_binh_and_korn_is_met(bind: Bind, solve: Solve) -> None:
    model = bind(*BNH)
    solution = solve(model, generations=80, population=60)
    points = np.array([p.objectives for p in solution.pareto])
    size = np.ptp(bnh_front(), axis=0)
    assert IGD(bnh_front() / size)(points / size) < 0.01
    assert verify(model, solution).verified


def test_constrained_front_of_osyczka_and_kundu_is_met(bind: Bind, solve: Solve) -> None:
    bounds = [(0, 10), (0, 10), (1, 5), (0, 6), (1, 5), (0, 10)]
    model = bind(
        {f"x{k}": {"lower": a, "upper": b} for k, (a, b) in enumerate(bounds, 1)},
        {
            "f1": "min -(25*(x1-2)**2 + (x2-2)**2 + (x3-1)**2 + (x4-4)**2 + (x5-1)**2)",
            "f2": "min x1**2 + x2**2 + x3**2 + x4**2 + x5**2 + x6**2",
        },
        [
            "x1 + x2 >= 2", "x1 + x2 <= 6", "x2 - x1 <= 2", "x1 - 3*x2 <= 2",
            "(x3 - 3)**2 + x4 <= 4", "(x5 - 3)**2 + x6 >= 4",
        ],
    )  # fmt: skip
    solution = solve(model, generations=250, population=100)
    points = np.array([p.objectives for p in solution.pareto])
    corners = np.array([[-274.0, 76.0], [-41.81, 4.0]])
    reached = np.min(np.linalg.norm((points[:, None] - corners) / [274, 76], axis=2), axis=0)
    assert np.all(reached < 0.05)
    assert verify(model, solution).verified


def test_linear_equations_hold_exactly_on_the_whole_front(bind: Bind, solve: Solve) -> None:
    gains, risks = [0.10, 0.12, 0.07, 0.2], [0.02, 0.03, 0.01, 0.1]
    model = bind(
        {"x": {"index": ["I"]}},
        {"gain": "max sum(r[i]*x[i] for i in I)", "risk": "min sum(q[i]*x[i]**2 for i in I)"},
        ["sum(x[i] for i in I) == 1"],
        sets=[{"name": "I", "range": [1, 4]}],
        parameters=[
            {"name": "r", "index": ["I"], "value": gains},
            {"name": "q", "index": ["I"], "value": risks},
        ],
    )
    solution = solve(model, generations=60, population=40)
    values = np.array([p.values for p in solution.pareto])
    assert np.max(np.abs(values.sum(axis=1) - 1.0)) < 1e-11
    assert np.all(values >= 0.0)
    best = np.array([p.objectives for p in solution.pareto])
    assert best[:, 0].max() == pytest.approx(0.2, abs=2e-3)
    least_risk = 1.0 / np.sum(1.0 / np.array(risks))
    assert best[:, 1].min() == pytest.approx(least_risk, rel=0.02)


def test_nonlinear_equation_is_relaxed_stated_and_then_met(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"upper": 1}, "y": {"upper": 1}},
        {"right": "max x", "up": "max y"},
        ["x**2 + y**2 == 1"],
    )
    solution = solve(model, generations=50, population=40, equality_tolerance=0.02)
    points = np.array([p.objectives for p in solution.pareto])
    assert np.max(np.abs(np.linalg.norm(points, axis=1) - 1.0)) < 1e-6
    assert np.ptp(points, axis=0) == pytest.approx([1.0, 1.0], abs=0.02)
    assert any("0.02" in note for note in solution.assumptions)
    assert verify(model, solution).verified


def knapsack(bind: Bind) -> tuple[Model, Floats, Floats, Floats]:
    rng = np.random.default_rng(5)
    weights, gains, joys = rng.integers(3, 20, (3, 15)).astype(float)
    model = bind(
        {"take": {"index": ["I"], "domain": "binary"}},
        {"gain": "max sum(g[i]*take[i] for i in I)", "joy": "max sum(j[i]*take[i] for i in I)"},
        ["sum(w[i]*take[i] for i in I) <= 70"],
        sets=[{"name": "I", "range": [1, 15]}],
        parameters=[
            {"name": n, "index": ["I"], "value": v.tolist()}
            for n, v in (("w", weights), ("g", gains), ("j", joys))
        ],
    )
    return model, weights, gains, joys


def test_binary_front_is_the_enumerated_one(bind: Bind, solve: Solve) -> None:
    model, weights, gains, joys = knapsack(bind)
    points = np.array(list(itertools.product([0, 1], repeat=15)), float)
    points = points[points @ weights <= 70]
    objectives = np.column_stack([points @ gains, points @ joys])
    exact = -_efficient(-objectives)
    solution = solve(model, generations=60)
    assert {p.objectives for p in solution.pareto} == {tuple(row) for row in exact.tolist()}


def test_mixed_front_is_the_one_on_a_fine_grid(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"n": {"domain": "integer", "lower": -3, "upper": 12}, "x": {"lower": -2, "upper": 4}},
        {"cost": "min (n - 2)**2 + (x - 1)**2", "time": "min (n - 6)**2 + (x - 3)**2 + n"},
        ["n + x >= 4", "n*x <= 15"],
    )
    n, x = np.meshgrid(np.arange(-3, 13), np.linspace(-2, 4, 1201), indexing="ij")
    inside = (n + x >= 4) & (n * x <= 15)
    n, x = n[inside], x[inside]
    grid = np.column_stack([(n - 2) ** 2 + (x - 1) ** 2, (n - 6) ** 2 + (x - 3) ** 2 + n])
    exact = _efficient(grid)
    solution = solve(model, generations=80, population=60)
    points = np.array([p.objectives for p in solution.pareto])
    assert all(p.values[0] == round(p.values[0]) for p in solution.pareto)
    assert IGD(exact)(points) < 0.25
    assert verify(model, solution).verified


def _efficient(points: Floats) -> Floats:
    """Nondominated points of two objectives, by sorting."""
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    best = np.minimum.accumulate(order[:, 1])
    return order[np.concatenate([[True], order[1:, 1] < best[:-1]])]


def test_ten_objectives_give_a_checked_front(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"index": ["K"], "upper": 1}},
        {f"f{k}": f"min (x[{k}] - 1)**2 + 0.1*sum(x[i] for i in K)" for k in range(1, 11)},
        sets=[{"name": "K", "range": [1, 10]}],
    )
    solution = solve(model, generations=30)
    assert solution.status is Status.PARETO_FRONT
    assert solution.solver.name == "pymoo NSGA-III"
    assert len(solution.pareto) >= 50
    assert verify(model, solution).verified


@pytest.mark.parametrize(
    ("objectives", "wanted"), [(3, 92), (5, 100), (6, 100), (10, 280), (20, 9)]
)
def test_directions_sum_to_one_and_keep_to_the_wanted_number(objectives: int, wanted: int) -> None:
    found = directions(objectives, wanted)
    assert found.sum(axis=1) == pytest.approx(np.ones(len(found)))
    assert np.all(found >= 0.0)
    assert len(np.unique(found.round(9), axis=0)) == len(found)
    assert len(found) <= max(wanted, 2 * objectives)


def test_front_has_the_wanted_number_of_points_and_its_ends(bind: Bind, solve: Solve) -> None:
    ctx = RunContext(front_points=7).limited(30)
    solution = solve(bind(*BNH), ctx, generations=60, population=60)
    full = solve(bind(*BNH), generations=60, population=60)
    assert len(solution.pareto) == 7
    few, many = (np.array([p.objectives for p in s.pareto]) for s in (solution, full))
    assert few.min(axis=0) == pytest.approx(many.min(axis=0))


def test_front_is_sorted_deduplicated_and_contains_the_answer(bind: Bind, solve: Solve) -> None:
    solution = solve(bind(*BNH), generations=40, population=40)
    points = [p.objectives for p in solution.pareto]
    assert points == sorted(set(points))
    assert nondominated(np.array(points), [False, False]).all()
    assert any(np.array_equal(p.values, solution.values) for p in solution.pareto)
    assert solution.objective is None
    assert solution.guarantee is Guarantee.HEURISTIC


def test_senses_are_kept_when_both_kinds_meet(bind: Bind, solve: Solve) -> None:
    model = bind({"x": {"upper": 4}}, {"gain": "max 3*x", "wear": "min x**2"})
    solution = solve(model, generations=40, population=40)
    gain, wear = np.array([p.objectives for p in solution.pareto]).T
    assert gain.max() == pytest.approx(12.0, abs=0.05)
    assert wear.min() == pytest.approx(0.0, abs=0.05)
    assert wear == pytest.approx((gain / 3) ** 2)
