"""Moving points onto the constraints: Newton steps of least size on the continuous columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel.model import Model

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Integers = NDArray[np.int64]

STEPS = 20
"""Most Newton steps per point."""
TARGET = 1e-9
"""Scaled violation that is aimed at; the kernel accepts 1e-6."""
DIFFERENCE = 1e-7
"""Step of the difference quotients, relative to max(1, |x|)."""
ENTRIES = 4_000_000
"""Largest Jacobian that is worked with."""
WIDEST = 1e3
"""Range that an unbounded column counts as, relative to max(1, |x|)."""


def movable(model: Model) -> Integers:
    """Continuous columns that are not fixed."""
    columns = model.columns
    return np.flatnonzero(~columns.integer & (columns.lower < columns.upper))


def residual(model: Model, bodies: Floats) -> Floats:
    """Signed distance of rows' bodies from their intervals."""
    allowed = model.intervals
    distance: Floats = bodies - np.clip(bodies, allowed.lower, allowed.upper)
    return distance


def differences(upper: Floats, x: Floats, columns: Integers) -> tuple[Floats, Floats]:
    """Points next to `x`, one per column, and the (signed) steps that lead there.

    Steps go inwards where the point is at its upper bound.
    """
    steps = DIFFERENCE * np.maximum(1.0, np.abs(x[columns]))
    steps = np.where(x[columns] + steps > upper[columns], -steps, steps)
    points = np.repeat(x[None, :], columns.size, axis=0)
    points[np.arange(columns.size), columns] += steps
    return points, points[np.arange(columns.size), columns] - x[columns]


def project(model: Model, X: Floats, ctx: RunContext) -> Floats:
    """Points moved, as little as possible, until the rows hold; not all of them may get there.

    Args:
        model: The model.
        X: Points `(points, n)`, within the bounds but for rounding; integer columns stay.
        ctx: Its deadline ends the work; what is left stays as it is.
    """
    columns = movable(model)
    moved = X.copy()
    if not columns.size or columns.size * len(model.rows) > ENTRIES:
        return moved
    for k in range(len(moved)):
        if ctx.cancelled or ctx.remaining() == 0.0:
            break
        moved[k] = _onto(model, moved[k], columns)
    return moved


def _onto(model: Model, x: Floats, columns: Integers) -> Floats:
    bounds = model.columns
    lower, upper = bounds.lower[columns], bounds.upper[columns]
    fallback = WIDEST * np.maximum(1.0, np.abs(x[columns]))
    width = np.where(np.isfinite(upper - lower), upper - lower, fallback)
    x = x.copy()
    x[columns] = np.clip(x[columns], lower, upper)
    best, least = x.copy(), np.inf
    watched = np.zeros(len(model.rows), np.bool_)
    for _ in range(STEPS):
        near, steps = differences(bounds.upper, x, columns)
        values = model.evaluate(np.vstack([x, near]))
        missed = residual(model, values.bodies[0])
        amount = np.max(np.abs(missed) / values.scales[0], initial=0.0)
        if not np.isfinite(amount):
            return best
        if amount < least:
            best, least = x.copy(), float(amount)
        if amount <= TARGET:
            return best
        watched |= missed != 0.0
        bodies = values.bodies[:, watched]
        jacobian = ((bodies[1:] - bodies[0]) / steps[:, None]).T
        free = np.ones(columns.size, np.bool_)
        for _ in range(3):
            scaled = jacobian[:, free] * width[free]
            if not np.all(np.isfinite(scaled)):
                return best
            step = np.zeros(columns.size)
            step[free] = np.linalg.lstsq(scaled, -missed[watched], rcond=1e-12)[0] * width[free]
            target = x[columns] + step
            blocked = free & (
                ((target < lower) & (x[columns] <= lower))
                | ((target > upper) & (x[columns] >= upper))
            )
            if not blocked.any():
                break
            free &= ~blocked
        x[columns] = np.clip(x[columns] + step, lower, upper)
    return best
