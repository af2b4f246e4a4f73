"""Random small models: HiGHS' answers against scipy and against their own proofs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from orkernel_highs.program import Program
from orkernel_highs.solving import solve_form
from scipy.optimize import Bounds, LinearConstraint, milp

from orkernel.algebra.forms import LinearForm
from orkernel.certificates import proves_infeasible, proves_optimal, proves_unbounded
from orkernel.context import RunContext
from orkernel.solution import Status

INF = np.inf
Builder = Callable[..., LinearForm]
RELAXED = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@st.composite
def models(draw: st.DrawFn, *, integers: bool) -> dict[str, Any]:
    """Small integer data, so that ties, empty rows and every status occur."""
    n, m = draw(st.integers(1, 5)), draw(st.integers(0, 5))
    small = st.integers(-4, 4)

    def vector(size: int, values: st.SearchStrategy[int]) -> list[int]:
        return draw(st.lists(values, min_size=size, max_size=size))

    matrix = np.array([vector(n, small) for _ in range(m)], dtype=float).reshape(m, n)
    right = np.array(vector(m, st.integers(-6, 9)), dtype=float)
    kind = np.array(vector(m, st.integers(0, 3)))
    return {
        "matrix": matrix,
        "row_lower": np.where(kind == 0, -INF, np.where(kind == 3, right - 3, right)),
        "row_upper": np.where(kind == 1, INF, right),
        "lower": np.where(np.array(vector(n, st.integers(0, 3))) == 0, -INF, 0.0),
        "upper": np.where(np.array(vector(n, st.integers(0, 1))) == 0, INF, 5.0),
        "cost": np.array(vector(n, small), dtype=float),
        "maximize": draw(st.booleans()),
        "integer": np.array(vector(n, st.integers(0, 1)) if integers else [0] * n, dtype=bool),
        "offset": float(draw(small)),
    }


def third_party(model: dict[str, Any]) -> tuple[str, float | None]:
    sign = -1.0 if model["maximize"] else 1.0
    rows = LinearConstraint(model["matrix"], model["row_lower"], model["row_upper"])
    answer = milp(
        sign * model["cost"],
        integrality=model["integer"].astype(int),
        bounds=Bounds(model["lower"], model["upper"]),
        constraints=rows if len(model["row_lower"]) else None,
    )
    if answer.status == 0:
        return "optimal", sign * answer.fun + model["offset"]
    return {2: "infeasible", 3: "unbounded"}.get(answer.status, "other"), None


def agree(build: Builder, model: dict[str, Any]) -> None:
    f = build(**model)
    solution = solve_form(f, RunContext())
    status, objective = third_party(model)
    if status == "other":
        assert solution.status in (Status.INFEASIBLE, Status.UNBOUNDED)
        return
    assert str(solution.status) == status
    if objective is not None:
        assert solution.objective is not None
        assert abs(solution.objective - objective) <= 1e-6 * max(1, abs(objective))
        assert solution.values is not None
        assert Program.of(f).row_violation(solution.values) <= 1e-6


@RELAXED
@given(model=models(integers=True))
def test_integer_models_agree_with_scipy(form: Builder, model: dict[str, Any]) -> None:
    agree(form, model)


@RELAXED
@given(model=models(integers=False))
def test_linear_models_agree_with_scipy_and_every_claim_is_proven(
    form: Builder, model: dict[str, Any]
) -> None:
    agree(form, model)
    f = form(**model)
    solution = solve_form(f, RunContext())
    assert solution.certificate is not None
    proof = solution.certificate.vector
    if solution.status is Status.OPTIMAL:
        assert proves_optimal(f, solution.values, proof, convex=True)
    elif solution.status is Status.UNBOUNDED:
        assert proves_unbounded(f, proof)
    else:
        assert proves_infeasible(f, proof)
        assert solution.infeasible_subset is not None
        assert solution.infeasible_subset.minimal


@RELAXED
@given(model=models(integers=False), row=st.integers(0, 4), step=st.floats(0.01, 0.99))
def test_dual_value_is_the_slope_within_the_range_of_the_right_hand_side(
    form: Builder, model: dict[str, Any], row: int, step: float
) -> None:
    solution = solve_form(form(**model), RunContext())
    one_sided = np.isfinite(model["row_lower"]) ^ np.isfinite(model["row_upper"])
    if solution.status is not Status.OPTIMAL or row >= len(one_sided) or not one_sided[row]:
        return
    assert solution.duals is not None
    if "rhs" not in solution.duals.ranges:
        return
    side = "row_lower" if np.isfinite(model["row_lower"][row]) else "row_upper"
    now = model[side][row]
    for end in solution.duals.ranges["rhs"][row]:
        moved = now + step * (np.clip(end, now - 10, now + 10) - now)
        changed = {**model, side: np.where(np.arange(len(one_sided)) == row, moved, model[side])}
        other = solve_form(form(**changed), RunContext())
        expected = solution.objective + solution.duals.rows[row] * (moved - now)
        assert other.status is Status.OPTIMAL
        assert other.objective is not None
        assert abs(other.objective - expected) <= 1e-6 * max(1, abs(expected))


@RELAXED
@given(model=models(integers=False), column=st.integers(0, 4), step=st.floats(0.01, 0.99))
def test_point_stays_optimal_within_the_range_of_a_cost(
    form: Builder, model: dict[str, Any], column: int, step: float
) -> None:
    solution = solve_form(form(**model), RunContext())
    if solution.status is not Status.OPTIMAL or column >= len(model["cost"]):
        return
    assert solution.duals is not None
    if "objective" not in solution.duals.ranges:
        return
    now = model["cost"][column]
    for end in solution.duals.ranges["objective"][column]:
        moved = now + step * (np.clip(end, now - 10, now + 10) - now)
        cost = np.where(np.arange(len(model["cost"])) == column, moved, model["cost"])
        other = solve_form(form(**{**model, "cost": cost}), RunContext())
        expected = cost @ solution.values + model["offset"]
        assert other.status is Status.OPTIMAL
        assert other.objective is not None
        assert abs(other.objective - expected) <= 1e-6 * max(1, abs(expected))


@RELAXED
@given(model=models(integers=False), rank=st.integers(0, 4), seed=st.integers(0, 2**20))
def test_convex_quadratic_models_are_decided_and_proven(
    form: Builder, model: dict[str, Any], rank: int, seed: int
) -> None:
    n = len(model["cost"])
    factor = np.random.default_rng(seed).integers(-3, 4, (rank, n))
    sign = -1.0 if model["maximize"] else 1.0
    f = form(**model, quadratic=sign * (factor.T @ factor))
    solution = solve_form(f, RunContext())
    assert solution.status in (Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED)
    if solution.status is Status.OPTIMAL:
        assert solution.certificate is not None
        assert proves_optimal(f, solution.values, solution.certificate.vector, convex=True)
