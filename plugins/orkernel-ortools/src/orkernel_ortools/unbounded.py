"""Models with columns that the rows leave unbounded.

A box finds a point. The objective of a point bounds the columns at every better one: where
these bounds are finite, the model is solved within them and nothing is lost. Where they are
not, the linear relaxation tells whether the model is unbounded, or proves the point optimal.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from orkernel.errors import Unsupported
from orkernel.records import Guarantee
from orkernel.solution import Certificate, Solution, Status
from orkernel_ortools.bounds import Bounds, derived
from orkernel_ortools.engine import identity

if TYPE_CHECKING:
    from collections.abc import Callable

    from orkernel.algebra.forms import Floats, LinearForm
    from orkernel.context import RunContext
    from orkernel.model import Model

    Solve = Callable[[Bounds, RunContext, Floats | None, float | None], Solution]

REACHES = (1e6, 1e3)
"""Widths of the box, tried in this order while numbers overflow."""
EFFORT = 0.2
"""CP-SAT's deterministic seconds within the box before the objective's bounds are tried."""
RAY = 1e-6
"""An improving direction changes the objective by at least this per unit of its largest entry."""


def solve_unbounded(model: Model, bounds: Bounds, ctx: RunContext, solve: Solve) -> Solution:
    """Solve a model with open columns.

    Args:
        model: The model.
        bounds: What the rows imply; open for at least one column.
        ctx: Run context.
        solve: Solves the model within finite bounds, from a start, with an effort or without
            a limit of effort.

    Raises:
        Unsupported: Nothing can be proven about the points outside the box.
    """
    box, found = _in_box(bounds, ctx, solve, EFFORT if model.formulation.objectives else None)
    if found.values is None and found.status is Status.TIME_LIMIT and ctx.remaining() != 0.0:
        found = solve(box, ctx, None, None)
    if found.values is None:
        if found.status is Status.INFEASIBLE:
            raise _unknown(model, bounds)
        return found
    if not model.formulation.objectives:
        return found
    better = derived(model, bounds, _objective(model, found))
    if better.within(box):
        if found.status is Status.OPTIMAL:
            return found
        return solve(better, ctx, found.values, None)
    if not better.open.size:
        return solve(better, ctx, found.values, None)
    return _by_relaxation(model, bounds, box, found, ctx, solve)


def _objective(model: Model, found: Solution) -> float:
    assert found.values is not None
    return float(model.evaluate(found.values).objectives[0, 0])


def _unknown(model: Model, bounds: Bounds) -> Unsupported:
    column = int(bounds.open[0])
    side = "an upper" if np.isfinite(bounds.lower[column]) else "a lower"
    return Unsupported(
        f"variable '{model.columns.label(column)}'",
        f"it has no finite bounds and none follow from the model; give it {side} bound",
    )


def _in_box(
    bounds: Bounds, ctx: RunContext, solve: Solve, effort: float | None
) -> tuple[Bounds, Solution]:
    """The box around the finite bounds, and the best point in it after some effort."""
    for reach in REACHES:
        lower = np.where(
            np.isfinite(bounds.lower),
            bounds.lower,
            np.where(np.isfinite(bounds.upper), bounds.upper - reach, -reach),
        )
        upper = np.where(np.isfinite(bounds.upper), bounds.upper, np.maximum(lower, 0.0) + reach)
        box = Bounds(lower, upper)
        try:
            return box, solve(box, ctx, None, effort)
        except Unsupported:
            if reach == REACHES[-1]:
                raise
    raise AssertionError


# --------------------------------------------------------------------------- relaxation


def _by_relaxation(
    model: Model, bounds: Bounds, box: Bounds, found: Solution, ctx: RunContext, solve: Solve
) -> Solution:
    try:
        form = model.linear()
    except Unsupported:
        raise _unknown(model, bounds) from None
    ray = improving_ray(form)
    if ray is not None:
        return Solution(
            Status.UNBOUNDED,
            identity(),
            values=found.values,
            certificate=Certificate("primal_ray", ray),
            message="the objective improves without end along a direction from a feasible point",
        )
    if found.status is not Status.OPTIMAL:
        found = solve(box, ctx, found.values, None)
    bound = relaxation_bound(form, bounds)
    if bound is None or found.values is None:
        raise _unknown(model, bounds)
    value = _objective(model, found)
    if abs(bound - value) <= 1e-6 * max(1.0, abs(value)):
        return replace(found, status=Status.OPTIMAL, bound=value)
    column = model.columns.label(int(bounds.open[0]))
    note = f"variable '{column}' has no bound and was searched within a box only"
    return replace(
        found,
        status=Status.FEASIBLE,
        bound=bound,
        guarantee=Guarantee.GLOBAL,
        assumptions=(*found.assumptions, note),
    )


def improving_ray(form: LinearForm) -> Floats | None:
    """A direction that keeps the linear rows and bounds and improves the objective, or None.

    With rational data and a feasible integer point it proves that the model is unbounded
    (Meyer, On the existence of optimal solutions to integer and mixed-integer programming
    problems, 1974).
    """
    (objective,) = form.objectives
    cost = -objective.cost if objective.maximize else objective.cost
    lower = np.where(np.isfinite(form.columns.lower), 0.0, -1.0)
    upper = np.where(np.isfinite(form.columns.upper), 0.0, 1.0)
    result = _relaxed(
        cost,
        form,
        np.where(np.isfinite(form.row_lower), 0.0, -np.inf),
        np.where(np.isfinite(form.row_upper), 0.0, np.inf),
        lower,
        upper,
    )
    if result is None or result.fun > -RAY * max(1e-9, float(np.max(np.abs(cost), initial=0.0))):
        return None
    ray: Floats = np.asarray(result.x, np.float64)
    return np.where(np.abs(ray) < 1e-9, 0.0, ray)


def relaxation_bound(form: LinearForm, bounds: Bounds) -> float | None:
    """Optimum of the linear relaxation, in the objective's own sense; None if unknown."""
    (objective,) = form.objectives
    cost = -objective.cost if objective.maximize else objective.cost
    result = _relaxed(cost, form, form.row_lower, form.row_upper, bounds.lower, bounds.upper)
    if result is None:
        return None
    value = float(result.fun)
    return objective.offset + (-value if objective.maximize else value)


def _relaxed(
    cost: Floats,
    form: LinearForm,
    row_lower: Floats,
    row_upper: Floats,
    lower: Floats,
    upper: Floats,
) -> Any:

    above, below = np.isfinite(row_upper), np.isfinite(row_lower)
    matrix = sparse.vstack([form.matrix[above], -form.matrix[below]]).tocsr()
    limits = np.concatenate([row_upper[above], -row_lower[below]])
    rows = {"A_ub": matrix, "b_ub": limits} if limits.size else {}
    result = linprog(cost, bounds=np.stack([lower, upper], axis=1), method="highs", **rows)
    return result if result.status == 0 else None
