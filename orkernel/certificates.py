"""Checks of certificates: optimality, infeasibility and unboundedness by arithmetic alone.

All three follow from weak duality of `row_lower ≤ A x ≤ row_upper`,
`lower ≤ x ≤ upper` (see e.g. Chvátal, Linear Programming, ch. 5 and 9). For any row
multipliers y, every feasible x has

    Σ_i min(y_i · row_lower_i, y_i · row_upper_i)  ≤  yᵀ A x  ≤  Σ_i max(…)

and the box bounds any linear function of x in the same way. Integrality only shrinks
the feasible set, so infeasibility of the relaxation proves infeasibility.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats, LinearForm

ROUNDING = 1e-9
"""Relative rounding error of a sum of products."""
DUST = 1e-7
"""Multipliers up to this, relative to the largest, count as zero: solvers stop there."""
TOLERANCE = 1e-6
"""Relative difference between objective and dual bound that still counts as equal."""


def _least(weights: Floats, lower: Floats, upper: Floats, zero: Floats | float) -> float:
    """min of weights·v over lower ≤ v ≤ upper; −inf when unbounded."""
    active = np.abs(weights) > zero
    w = weights[active]
    ends = np.where(w > 0, lower[active], upper[active])
    if not np.all(np.isfinite(ends)):
        return -np.inf
    return float(w @ ends)


def _supported(y: Floats, form: LinearForm) -> Floats:
    """The multipliers, with those dropped that are mere dust on an open side of a row."""
    dust = np.abs(y) <= DUST * max(1.0, float(np.max(np.abs(y), initial=0.0)))
    needed = np.where(y > 0, form.row_lower, form.row_upper)
    return np.where(dust & ~np.isfinite(needed), 0.0, y)


def dual_bound(form: LinearForm, cost: Floats, offset: float, duals: Floats) -> float:
    """Lower bound on `offset + cost·x` that the row multipliers prove (minimisation).

    Args:
        form: The linear system.
        cost: Shape `(n,)`.
        offset: Constant part of the objective.
        duals: Row multipliers, shape `(m,)`; any vector gives a valid bound.

    Returns:
        The Lagrangian bound `offset + min_rows y·(Ax) + min_box (c − Aᵀy)·x`; −inf when a
        multiplier needs a bound that is not there. Reduced costs smaller than 1e-7
        relative to the largest term they come from count as zero.
    """
    y = _supported(np.asarray(duals, dtype=float), form)
    reduced = cost - form.matrix.T @ y
    magnitude = np.abs(cost) + abs(form.matrix).T @ np.abs(y)
    rows = _least(y, form.row_lower, form.row_upper, 0.0)
    box = _least(reduced, form.columns.lower, form.columns.upper, DUST * np.maximum(1.0, magnitude))
    return offset + rows + box


def proves_optimal(form: LinearForm, values: Floats, duals: Floats, *, convex: bool) -> bool:
    """True if the duals prove that `values` is optimal for the only objective.

    A convex quadratic objective is bounded from below by its tangent at `values`,
    f(x) ≥ f(x*) + ∇f(x*)·(x − x*), which is linear; the same dual bound applies.

    Args:
        form: The linear system with its objective (at most quadratic).
        values: The point, shape `(n,)`, already known to be feasible.
        duals: Row duals in the objective's own sense, shape `(m,)`.
        convex: Whether a quadratic objective is known to be convex in its sense.
    """
    if len(form.objectives) != 1 or bool(np.any(form.columns.integer)):
        return False
    objective = form.objectives[0]
    sign = -1.0 if objective.maximize else 1.0
    gradient = sign * objective.cost
    value = float(gradient @ values)
    if objective.quadratic is not None:
        if not convex:
            return False
        curvature = sign * (objective.quadratic @ values)
        value += 0.5 * float(curvature @ values)
        gradient = gradient + curvature
    constant = sign * objective.offset
    tangent_offset = constant + value - float(gradient @ values)
    bound = dual_bound(form, gradient, tangent_offset, sign * np.asarray(duals, dtype=float))
    return bool(constant + value - bound <= TOLERANCE * max(1.0, abs(constant + value)))


def proves_infeasible(form: LinearForm, multipliers: Floats) -> bool:
    """True if the multipliers (in either sign) prove that no point satisfies the form.

    Also true, for any multipliers, if two bounds of one column or one row contradict, or if
    a row without coefficients excludes 0.
    """
    columns = form.columns
    if np.any(columns.lower > columns.upper) or np.any(form.row_lower > form.row_upper):
        return True
    empty = np.diff(form.matrix.indptr) == 0
    if np.any(empty & ((form.row_lower > TOLERANCE) | (form.row_upper < -TOLERANCE))):
        return True
    y = np.asarray(multipliers, dtype=float)
    scale = float(np.max(np.abs(y), initial=0.0))
    if scale == 0.0 or not np.all(np.isfinite(y)):
        return False
    y = y / scale
    for candidate in (y, -y):
        combined = form.matrix.T @ candidate
        magnitude = abs(form.matrix).T @ np.abs(candidate)
        at_least = _least(candidate, form.row_lower, form.row_upper, ROUNDING)
        at_most = -_least(
            -combined, columns.lower, columns.upper, ROUNDING * np.maximum(1.0, magnitude)
        )
        if np.isfinite(at_least) and np.isfinite(at_most):
            slack = TOLERANCE * max(1.0, abs(at_least), abs(at_most))
            if at_least > at_most + slack:
                return True
    return False


def proves_unbounded(form: LinearForm, ray: Floats) -> bool:
    """True if moving along `ray` stays feasible for ever and improves the objective.

    Together with one feasible point this proves unboundedness; over integer columns it
    needs rational data, which floating-point numbers are. A quadratic objective must be flat
    along the ray (Q d = 0), so that its slope there is cost · d everywhere.
    """
    if len(form.objectives) != 1:
        return False
    d = np.asarray(ray, dtype=float)
    scale = float(np.max(np.abs(d), initial=0.0))
    if scale == 0.0 or not np.all(np.isfinite(d)):
        return False
    d = d / scale
    move = form.matrix @ d
    tolerance = ROUNDING * np.maximum(1.0, abs(form.matrix) @ np.abs(d))
    leaves_box = ((d < -ROUNDING) & np.isfinite(form.columns.lower)) | (
        (d > ROUNDING) & np.isfinite(form.columns.upper)
    )
    leaves_rows = ((move < -tolerance) & np.isfinite(form.row_lower)) | (
        (move > tolerance) & np.isfinite(form.row_upper)
    )
    if np.any(leaves_box) or np.any(leaves_rows):
        return False
    objective = form.objectives[0]
    if objective.quadratic is not None:
        bend = np.abs(objective.quadratic @ d)
        if np.any(bend > ROUNDING * (abs(objective.quadratic) @ np.abs(d))):
            return False
    gain = float(objective.cost @ d) * (1.0 if objective.maximize else -1.0)
    return gain > TOLERANCE * max(1.0, float(np.max(np.abs(objective.cost), initial=0.0)))
