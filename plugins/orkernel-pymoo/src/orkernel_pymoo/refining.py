"""Local refinement by a weighted sum: SLSQP on continuous columns, steps on integer ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from orkernel_pymoo.projection import differences

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel_pymoo.evaluation import Evaluation
    from orkernel_pymoo.space import SearchSpace

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
AUGMENTATION = 1e-3
"""Weight of the other objectives at the end of a front, relative to their ranges."""
SHARES = 33
"""Points looked at between two points."""
ZOOMS = 6
"""How often the best part of the line is looked at more closely."""


class _OutOfTime(Exception):
    """Raised inside SciPy to leave it."""


def refine(evaluation: Evaluation, x: Floats, ctx: RunContext, weights: Floats) -> Floats:
    """A point that is no worse than `x` in a weighted sum of the losses, not yet checked.

    Args:
        evaluation: Evaluates points.
        x: Point of the model, shape `(n,)`.
        ctx: Its deadline ends the work.
        weights: Weight of each objective's loss, shape `(m,)`.
    """
    near = descend(evaluation, x, ctx, weights)
    target = slsqp(evaluation.space, near, ctx, weights)
    return _towards(evaluation, near, target, weights)


def end_weights(loss: Floats, objective: int) -> Floats:
    """Weights that lead to the end of a front: one objective, and a little of the others.

    Without that little, a point that is hopeless in the others would do (weakly efficient).

    Args:
        loss: Losses of some points, shape `(points, m)`; their ranges set the scale.
        objective: Which objective.
    """
    extent = np.ptp(loss, axis=0)
    weights: Floats = AUGMENTATION / np.where(extent > 0.0, extent, 1.0)
    weights[objective] /= AUGMENTATION
    return weights


def _towards(evaluation: Evaluation, x: Floats, target: Floats, weights: Floats) -> Floats:
    """The best point between two: conditions, which SLSQP does not see, may end half-way."""
    low, high = 0.0, 1.0
    best = x
    for _ in range(ZOOMS):
        shares = np.linspace(low, high, SHARES)
        line = x + shares[:, None] * (target - x)
        line[shares == 1.0] = target
        ranks = _rank(*evaluation.at(line), weights)
        k = min(range(SHARES), key=ranks.__getitem__)
        best = line[k]
        if shares[k] == 1.0:
            break
        low, high = shares[max(k - 1, 0)], shares[min(k + 1, SHARES - 1)]
    return best


def slsqp(space: SearchSpace, x: Floats, ctx: RunContext, weights: Floats) -> Floats:
    """The local optimum of the continuous columns near `x`; `x` where SLSQP fails.

    It works in the search space, where the linear equations are gone: dependent ones among
    them would make its subproblems singular.

    Args:
        space: The search space.
        x: Shape `(n,)`.
        ctx: Its deadline ends the search.
        weights: Weight of each objective's loss, shape `(m,)`.
    """
    columns = np.flatnonzero(~space.integer)
    if not 0 < columns.size <= SMOOTH_COLUMNS or len(space.model.rows) > SMOOTH_ROWS:
        return x
    local = _Local(space, x, columns, ctx, weights)
    y = x[space.columns]
    lower, upper = space.lower[columns], space.upper[columns]
    try:
        found = minimize(
            local.loss,
            y[columns],
            jac=local.gradient,
            bounds=list(zip(lower, upper, strict=True)),
            constraints=local.constraints(),
            method="SLSQP",
            options={"maxiter": ITERATIONS, "ftol": 1e-12},
        )
    except (_OutOfTime, ValueError, ArithmeticError, np.linalg.LinAlgError):
        return x
    if not np.all(np.isfinite(found.x)):
        return x
    y[columns] = np.clip(found.x, lower, upper)
    point: Floats = space.decode(y[None, :])[0]
    return point


@dataclass(frozen=True, slots=True, eq=False)
class _Look:
    """Loss and bodies at a point, and their derivatives by the continuous columns."""

    loss: float
    bodies: Floats
    gradient: Floats
    jacobian: Floats


class _Local:
    """Objective and rows as functions of continuous columns; the last point is remembered.

    Rows are those that the search does not hold by construction, each divided by its scale,
    followed by the dependent columns.
    """

    def __init__(
        self,
        space: SearchSpace,
        x: Floats,
        columns: Integers,
        ctx: RunContext,
        weights: Floats,
    ) -> None:
        model = space.model
        self.space, self.columns, self.ctx = space, columns, ctx
        senses = [o.sense == "maximize" for o in model.formulation.objectives]
        self.weights = np.where(senses, -weights, weights)
        self.y = x[space.columns]
        values = model.evaluate(x)
        self.size = max(1.0, abs(float(values.objectives[0] @ self.weights)))
        kept = np.ones(len(model.rows), np.bool_)
        for block in model.rows.blocks:
            kept[block.offset : block.offset + block.size] = not block.logical
        kept[space.elimination.rows] = False
        self.rows, self.scales = np.flatnonzero(kept), values.scales[0, kept]
        dependent, allowed = space.elimination.dependent, model.intervals
        self.lower, self.upper = (
            np.concatenate([row[self.rows] / self.scales, bound[dependent]])
            for row, bound in (
                (allowed.lower, model.columns.lower),
                (allowed.upper, model.columns.upper),
            )
        )
        self._at: Floats | None = None
        self._seen: _Look | None = None

    def loss(self, z: Floats) -> float:
        """Weighted sum of the losses, relative to its size at the start."""
        return self._look(z).loss

    def gradient(self, z: Floats) -> Floats:
        """Derivative of `loss`."""
        return self._look(z).gradient

    def constraints(self) -> list[dict[str, Any]]:
        """SciPy's dictionaries for equations and for both sides of inequalities."""
        equal = self.lower == self.upper
        sides = [
            ("eq", equal, self.lower, 1.0),
            ("ineq", ~equal & np.isfinite(self.lower), self.lower, 1.0),
            ("ineq", ~equal & np.isfinite(self.upper), self.upper, -1.0),
        ]
        return [self._side(*side) for side in sides if side[1].any()]

    def _side(self, kind: str, mask: Bools, limit: Floats, sign: float) -> dict[str, Any]:
        def value(z: Floats) -> Floats:
            found: Floats = sign * (self._look(z).bodies - limit)[mask]
            return found

        def slopes(z: Floats) -> Floats:
            found: Floats = sign * self._look(z).jacobian[mask]
            return found

        return {"type": kind, "fun": value, "jac": slopes}

    def _look(self, z: Floats) -> _Look:
        if self._seen is not None and self._at is not None and np.array_equal(z, self._at):
            return self._seen
        if self.ctx.cancelled or self.ctx.remaining() == 0.0:
            raise _OutOfTime
        y = self.y.copy()
        y[self.columns] = z
        near, steps = differences(self.space.upper, y, self.columns)
        X = self.space.decode(np.vstack([y, near]))
        values = self.space.model.evaluate(X)
        loss = values.objectives @ self.weights / self.size
        rows = values.bodies[:, self.rows] / self.scales
        bodies = np.hstack([rows, X[:, self.space.elimination.dependent]])
        if not (np.all(np.isfinite(loss)) and np.all(np.isfinite(bodies))):
            raise ArithmeticError
        gradient = (loss[1:] - loss[0]) / steps
        jacobian = ((bodies[1:] - bodies[0]) / steps[:, None]).T
        self._at = z.copy()
        self._seen = _Look(float(loss[0]), bodies[0], gradient, jacobian)
        return self._seen


def descend(evaluation: Evaluation, x: Floats, ctx: RunContext, weights: Floats) -> Floats:
    """Steepest descent over integer columns: one step of one, or two columns in step.

    Violation counts before the loss.
    """
    space = evaluation.space
    integer = np.flatnonzero(space.integer)
    if not integer.size or not np.all(np.isfinite(x)):
        return x
    y = x[space.columns]
    best = _rank(*evaluation(y[None, :]), weights)[0]
    moves = _moves(integer, y.size)
    for _ in range(DESCENTS):
        if ctx.cancelled or ctx.remaining() == 0.0:
            break
        around = y + moves
        around = around[np.all((around >= space.lower) & (around <= space.upper), axis=1)]
        if not len(around):
            break
        ranks = _rank(*evaluation(around), weights)
        k = min(range(len(ranks)), key=ranks.__getitem__)
        if ranks[k] >= best:
            break
        y, best = around[k], ranks[k]
    found: Floats = space.decode(y[None, :])[0]
    return found


def _rank(loss: Floats, violation: Floats, weights: Floats) -> list[tuple[float, float]]:
    """What is compared: violation before loss."""
    return list(zip(violation.tolist(), (loss @ weights).tolist(), strict=True))


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
