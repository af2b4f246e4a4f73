"""Local refinement of a single objective: SLSQP on continuous columns, steps on integer ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from orkernel_pymoo.projection import differences, movable

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel_pymoo.evaluation import Evaluation

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Integers = NDArray[np.int64]

SMOOTH_COLUMNS = 300
"""Most continuous columns for which SLSQP is run: a step costs their cube."""
SMOOTH_ROWS = 1000
ITERATIONS = 200
NEIGHBOURS = 20_000
"""Most neighbours of an integer point that are looked at per step."""
DESCENTS = 200
"""Most integer steps."""


class _OutOfTime(Exception):
    """Raised inside SciPy to leave it."""


def refine(evaluation: Evaluation, x: Floats, ctx: RunContext) -> Floats:
    """A point at least as good as `x` as far as the local methods can tell, not yet checked."""
    model = evaluation.space.model
    return slsqp(model, descend(evaluation, x, ctx), ctx)


def slsqp(model: Model, x: Floats, ctx: RunContext) -> Floats:
    """The local optimum of the continuous columns near `x`; `x` where SLSQP fails.

    Args:
        model: One objective.
        x: Shape `(n,)`.
        ctx: Its deadline ends the search.
    """
    columns = movable(model)
    rows = np.ones(len(model.rows), np.bool_)
    for block in model.rows.blocks:
        rows[block.offset : block.offset + block.size] = not block.logical
    if not 0 < columns.size <= SMOOTH_COLUMNS or rows.sum() > SMOOTH_ROWS:
        return x
    local = _Local(model, x, columns, rows, ctx)
    try:
        found = minimize(
            local.loss,
            x[columns],
            jac=local.gradient,
            bounds=list(
                zip(model.columns.lower[columns], model.columns.upper[columns], strict=True)
            ),
            constraints=local.constraints(),
            method="SLSQP",
            options={"maxiter": ITERATIONS, "ftol": 1e-12},
        )
    except (_OutOfTime, ValueError, ArithmeticError, np.linalg.LinAlgError):
        return x
    if not np.all(np.isfinite(found.x)):
        return x
    point = x.copy()
    point[columns] = np.clip(found.x, model.columns.lower[columns], model.columns.upper[columns])
    return point


class _Local:
    """Objective and rows as functions of the continuous columns, remembered at the last point."""

    def __init__(
        self, model: Model, x: Floats, columns: Integers, rows: Bools, ctx: RunContext
    ) -> None:
        self.model = model
        self.x = x
        self.columns = columns
        self.rows = rows
        self.ctx = ctx
        self.sign = -1.0 if model.formulation.objectives[0].sense == "maximize" else 1.0
        self.size = max(1.0, abs(float(model.evaluate(x).objectives[0, 0])))
        allowed = model.intervals
        self.equal = rows & (allowed.lower == allowed.upper)
        self.below = rows & ~self.equal & np.isfinite(allowed.upper)
        self.above = rows & ~self.equal & np.isfinite(allowed.lower)
        self._at: Floats | None = None
        self._values: tuple[Floats, Floats, Floats, Floats] | None = None

    def _look(self, z: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Loss, bodies, their derivatives: `()`, `(rows,)`, `(columns,)`, `(rows, columns)`."""
        if self._values is not None and self._at is not None and np.array_equal(z, self._at):
            return self._values
        if self.ctx.cancelled or self.ctx.remaining() == 0.0:
            raise _OutOfTime
        x = self.x.copy()
        x[self.columns] = z
        near, steps = differences(self.model, x, self.columns)
        values = self.model.evaluate(np.vstack([x, near]))
        loss = self.sign * values.objectives[:, 0] / self.size
        bodies = values.bodies / values.scales[0]
        if not (np.all(np.isfinite(loss)) and np.all(np.isfinite(bodies))):
            raise ArithmeticError
        slopes = (loss[1:] - loss[0]) / steps
        jacobian = ((bodies[1:] - bodies[0]) / steps[:, None]).T
        self._at = z.copy()
        self._values = (loss[0], bodies[0], slopes, jacobian)
        self.scales = values.scales[0]
        return self._values

    def loss(self, z: Floats) -> float:
        return float(self._look(z)[0])

    def gradient(self, z: Floats) -> Floats:
        return self._look(z)[2]

    def constraints(self) -> list[dict[str, Any]]:
        """SciPy's dictionaries for equations and for both sides of inequalities."""
        allowed = self.model.intervals

        def part(mask: Bools, limit: Floats, sign: float, kind: str) -> dict[str, Any]:
            def value(z: Floats) -> Floats:
                bodies = self._look(z)[1]
                found: Floats = sign * (bodies[mask] - limit[mask] / self.scales[mask])
                return found

            def slopes(z: Floats) -> Floats:
                found: Floats = sign * self._look(z)[3][mask]
                return found

            return {"type": kind, "fun": value, "jac": slopes}

        parts = [
            (self.equal, allowed.lower, 1.0, "eq"),
            (self.above, allowed.lower, 1.0, "ineq"),
            (self.below, allowed.upper, -1.0, "ineq"),
        ]
        return [part(*p) for p in parts if p[0].any()]


def descend(evaluation: Evaluation, x: Floats, ctx: RunContext) -> Floats:
    """Steepest descent over integer columns: one step of one, or two columns in step.

    Violation counts before the loss.
    """
    space = evaluation.space
    integer = np.flatnonzero(space.integer)
    if not integer.size or not np.all(np.isfinite(x)):
        return x
    y = x[space.columns]
    best = _rank(evaluation, y[None, :])[0]
    moves = _moves(integer, y.size)
    for _ in range(DESCENTS):
        if ctx.cancelled or ctx.remaining() == 0.0:
            break
        around = y + moves
        around = around[np.all((around >= space.lower) & (around <= space.upper), axis=1)]
        if not len(around):
            break
        ranks = _rank(evaluation, around)
        k = min(range(len(ranks)), key=ranks.__getitem__)
        if ranks[k] >= best:
            break
        y, best = around[k], ranks[k]
    found: Floats = space.decode(y[None, :])[0]
    return found


def _rank(evaluation: Evaluation, Y: Floats) -> list[tuple[float, float]]:
    loss, violation = evaluation(Y)
    return list(zip(violation.tolist(), loss[:, 0].tolist(), strict=True))


def _moves(integer: Integers, width: int) -> Floats:
    """Steps of ±1 in one integer column, and in two where there are not too many."""
    single = np.zeros((2 * integer.size, width))
    single[np.arange(integer.size), integer] = 1.0
    single[integer.size + np.arange(integer.size), integer] = -1.0
    if 2 * integer.size * (integer.size - 1) > NEIGHBOURS:
        return single
    first, second = np.triu_indices(len(single), 1)
    double = single[first] + single[second]
    moves: Floats = np.vstack([single, double[np.any(double != 0.0, axis=1)]])
    return moves
