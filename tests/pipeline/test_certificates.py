"""Certificates are accepted exactly when they prove what they claim."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from scipy.sparse import csr_array

from orkernel.algebra.forms import Columns, LinearForm, LinearObjective, Rows
from orkernel.certificates import dual_bound, proves_infeasible, proves_optimal, proves_unbounded

INF = float("inf")


def form(
    matrix: Any,
    row_lower: Any,
    row_upper: Any,
    cost: Any,
    *,
    maximize: bool = False,
    lower: Any = None,
    upper: Any = None,
    offset: float = 0.0,
    quadratic: Any = None,
    integer: Any = None,
) -> LinearForm:
    a = csr_array(np.atleast_2d(np.array(matrix, dtype=float)))
    n = a.shape[1]
    columns = Columns(
        blocks=(),
        lower=np.zeros(n) if lower is None else np.array(lower, dtype=float),
        upper=np.full(n, INF) if upper is None else np.array(upper, dtype=float),
        integer=np.zeros(n, dtype=bool) if integer is None else np.array(integer, dtype=bool),
        start=np.full(n, np.nan),
    )
    q = None if quadratic is None else csr_array(np.array(quadratic, dtype=float))
    objective = LinearObjective("z", maximize, np.array(cost, dtype=float), offset, q)
    return LinearForm(
        matrix=a,
        row_lower=np.array(row_lower, dtype=float),
        row_upper=np.array(row_upper, dtype=float),
        columns=columns,
        rows=Rows((), a.shape[0]),
        objectives=(objective,),
    )


def wyndor() -> LinearForm:
    return form(
        [[1, 0], [0, 2], [3, 2]], [-INF] * 3, [4, 12, 18], [3, 5], maximize=True, offset=10.0
    )


def test_the_duals_of_wyndor_prove_its_optimum() -> None:
    assert proves_optimal(wyndor(), np.array([2.0, 6.0]), np.array([0, 1.5, 1.0]), convex=True)


@pytest.mark.parametrize("duals", [[0, 0, 0], [0, 1.5, -1.0], [0, 1.4, 1.0], [1, 1, 1]])
def test_wrong_duals_prove_nothing(duals: list[float]) -> None:
    assert not proves_optimal(wyndor(), np.array([2.0, 6.0]), np.array(duals), convex=True)


def test_a_suboptimal_point_is_not_proven_by_the_right_duals() -> None:
    assert not proves_optimal(wyndor(), np.array([4.0, 3.0]), np.array([0, 1.5, 1.0]), convex=True)


def test_integer_columns_are_never_proven_by_duals() -> None:
    model = form([[1]], [-INF], [3], [1], maximize=True, integer=[True])
    assert not proves_optimal(model, np.array([3.0]), np.array([1.0]), convex=True)


def test_a_convex_quadratic_optimum_is_proven_by_its_tangent() -> None:
    # minimise x² + y² with x + y ≥ 2: optimum (1, 1), dual 2
    model = form([[1, 1]], [2], [INF], [0, 0], quadratic=[[2, 0], [0, 2]])
    assert proves_optimal(model, np.array([1.0, 1.0]), np.array([2.0]), convex=True)
    assert not proves_optimal(model, np.array([1.0, 1.0]), np.array([2.0]), convex=False)
    assert not proves_optimal(model, np.array([2.0, 0.0]), np.array([2.0]), convex=True)


def test_farkas_multipliers_prove_infeasibility_in_either_sign() -> None:
    # x + y ≤ 1 and x + y ≥ 3
    model = form([[1, 1], [1, 1]], [-INF, 3], [1, INF], [0, 0])
    assert proves_infeasible(model, np.array([-1.0, 1.0]))
    assert proves_infeasible(model, np.array([1.0, -1.0]))
    assert not proves_infeasible(model, np.array([1.0, 1.0]))
    assert not proves_infeasible(model, np.zeros(2))


def test_contradicting_bounds_need_no_multipliers() -> None:
    assert proves_infeasible(form([[1]], [-INF], [1], [0], lower=[2], upper=[1]), np.zeros(1))


def test_an_empty_row_that_excludes_zero_needs_no_multipliers() -> None:
    assert proves_infeasible(form([[0], [1]], [-INF, 0], [-2, 1], [0]), np.zeros(2))
    assert not proves_infeasible(form([[0], [1]], [-INF, 0], [0, 1], [0]), np.zeros(2))


def test_a_feasible_system_is_never_proven_infeasible_by_nan_or_infinite_multipliers() -> None:
    model = wyndor()
    for value in (np.nan, INF, -INF):
        assert not proves_infeasible(model, np.array([value, 0.0, 0.0]))


def test_a_ray_proves_unboundedness_only_if_it_stays_feasible_and_improves() -> None:
    model = form([[1, -1]], [-INF], [2], [1, 1], maximize=True)
    assert proves_unbounded(model, np.array([1.0, 1.0]))
    assert not proves_unbounded(model, np.array([1.0, 0.0]))
    assert not proves_unbounded(model, np.array([-1.0, -1.0]))
    assert not proves_unbounded(form([[1, -1]], [-INF], [2], [1, 1]), np.array([1.0, 1.0]))
    assert not proves_unbounded(model, np.zeros(2))


def test_a_ray_counts_under_a_quadratic_objective_only_where_that_is_flat() -> None:
    flat = form([[0, 1]], [-INF], [2], [1, 0], maximize=True, quadratic=[[0, 0], [0, -2]])
    assert proves_unbounded(flat, np.array([1.0, 0.0]))
    bent = form([[0, 1]], [-INF], [2], [1, 0], maximize=True, quadratic=[[-2, 0], [0, 0]])
    assert not proves_unbounded(bent, np.array([1.0, 0.0]))


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_solver_duals_of_random_programs_prove_the_optimum_and_no_better_point(seed: int) -> None:
    """scipy's HiGHS is the outside judge: its marginals certify its optimum."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    matrix = rng.integers(-4, 5, (m, n)).astype(float)
    point = rng.integers(0, 4, n).astype(float)
    upper_rows = matrix @ point + rng.integers(0, 4, m)
    cost = rng.integers(-5, 6, n).astype(float)
    model = form(matrix, [-INF] * m, upper_rows, cost, upper=[9.0] * n)
    found = linprog(cost, A_ub=matrix, b_ub=upper_rows, bounds=[(0, 9)] * n, method="highs")
    assert found.status == 0
    duals = found.ineqlin.marginals
    assert proves_optimal(model, found.x, duals, convex=True)
    worse = dual_bound(model, cost, 0.0, rng.normal(size=m))
    assert worse <= found.fun + 1e-6 * max(1.0, abs(found.fun))


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_no_multipliers_prove_a_feasible_system_infeasible(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 6)), int(rng.integers(1, 6))
    matrix = rng.integers(-4, 5, (m, n)).astype(float)
    point = rng.integers(0, 4, n).astype(float)
    body = matrix @ point
    model = form(matrix, body - rng.integers(0, 3, m), body + rng.integers(0, 3, m), np.zeros(n))
    assert not proves_infeasible(model, rng.normal(size=m) * 10.0 ** rng.integers(-6, 7))
