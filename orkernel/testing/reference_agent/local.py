"""Local search with SLSQP from several points, for every choice of the integers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import minimize

from orkernel.testing.reference_agent.enumeration import grid, require_small, size
from orkernel.testing.reference_agent.found import Incumbent, out_of_time

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel.model import Model

STARTS = 12
FAR = 10.0
"""Where a column without a bound is started from at most."""
STEP = 1e-7
HOLDS = 1e-7
"""Scaled violation at which a row holds."""


class _Stop(Exception):
    """The deadline has passed, or the user has interrupted."""


@dataclass(slots=True, eq=False)
class Local:
    """A local search.

    Attributes:
        model: The model.
        sign: −1 where the objective is to be maximised.
        ctx: Seed, deadline and cancellation.
        incumbent: The best feasible point so far.
        finished: False if the search was cut short.
    """

    model: Model
    sign: float
    ctx: RunContext
    incumbent: Incumbent = field(default_factory=Incumbent)
    finished: bool = False

    def run(self) -> Local:
        """Search from `STARTS` points, fewer with many combinations of integers.

        Raises:
            Unsupported: There are too many combinations of integers.
        """
        if self.model.columns.integer.any():
            require_small(self.model)
        combinations = size(self.model) if self.model.columns.integer.any() else 1.0
        starts = self._starts(max(2, int(STARTS / combinations)))
        try:
            for start in starts:
                for block in grid(self.model, start):
                    for point in block:
                        self._descend(point)
        except _Stop:
            return self
        self.finished = True
        return self

    def _starts(self, count: int) -> list[Floats]:
        columns = self.model.columns
        low = np.where(np.isfinite(columns.lower), columns.lower, -FAR)
        high = np.where(np.isfinite(columns.upper), columns.upper, np.maximum(FAR, low + FAR))
        low = np.where(np.isfinite(columns.lower), low, np.minimum(low, high - FAR))
        chance = np.random.default_rng(self.ctx.seed)
        given = np.where(np.isfinite(columns.start), columns.start, (low + high) / 2)
        return [given, *chance.uniform(low, high, (count - 1, len(columns)))]

    def _descend(self, start: Floats) -> None:
        free = np.flatnonzero(~self.model.columns.integer)
        columns = self.model.columns

        def whole(part: Floats) -> Floats:
            x = start.copy()
            x[free] = part
            return x

        def measured(part: Floats) -> tuple[Floats, Floats]:
            """Loss and bodies at a point and at its neighbours, for derivatives."""
            if out_of_time(self.ctx):
                raise _Stop
            near = np.tile(whole(part), (2 * free.size + 1, 1))
            steps = STEP * np.maximum(1.0, np.abs(part))
            rows = np.arange(free.size)
            near[1 + rows, free] += steps
            near[1 + free.size + rows, free] -= steps
            values = self.model.evaluate(near)
            loss = (
                self.sign * values.objectives[:, 0]
                if values.objectives.size
                else np.zeros(len(near))
            )
            return loss, values.bodies

        cache: dict[bytes, tuple[Floats, Floats]] = {}

        def at(part: Floats) -> tuple[Floats, Floats]:
            key = part.tobytes()
            if key not in cache:
                cache.clear()
                cache[key] = measured(part)
            return cache[key]

        def slopes(values: Floats, part: Floats) -> Floats:
            steps = 2 * STEP * np.maximum(1.0, np.abs(part))
            ahead, behind = values[1 : 1 + free.size], values[1 + free.size :]
            found: Floats = (ahead - behind).T / steps
            return found

        def sides(bodies: Floats) -> tuple[Floats, Floats]:
            equal, above, below = self._sides()
            level = bodies - np.where(np.isfinite(self._lower()), self._lower(), 0.0)
            room = np.where(np.isfinite(self._upper()), self._upper(), 0.0) - bodies
            return level[..., equal], np.concatenate([room[..., above], level[..., below]], -1)

        constraints: list[dict[str, Any]] = []
        equal, above, below = self._sides()
        if equal.any():
            constraints.append(
                {
                    "type": "eq",
                    "fun": lambda p: sides(at(p)[1])[0][0],
                    "jac": lambda p: slopes(sides(at(p)[1])[0], p),
                }
            )
        if above.any() or below.any():
            constraints.append(
                {
                    "type": "ineq",
                    "fun": lambda p: sides(at(p)[1])[1][0],
                    "jac": lambda p: slopes(sides(at(p)[1])[1], p),
                }
            )
        if free.size:
            found = minimize(
                lambda p: float(at(p)[0][0]),
                start[free],
                jac=lambda p: slopes(at(p)[0], p),
                bounds=np.column_stack([columns.lower[free], columns.upper[free]]),
                constraints=constraints,
                method="SLSQP",
                options={"ftol": 1e-12, "maxiter": 200},
            )
            self._offer(whole(np.clip(found.x, columns.lower[free], columns.upper[free])))
        else:
            if out_of_time(self.ctx):
                raise _Stop
            self._offer(start)

    def _lower(self) -> Floats:
        return self.model.intervals.lower

    def _upper(self) -> Floats:
        return self.model.intervals.upper

    def _sides(self) -> tuple[Any, Any, Any]:
        """Rows that are equalities, and that are bounded from above or below only."""
        equal = self._lower() == self._upper()
        return (
            equal,
            np.isfinite(self._upper()) & ~equal,
            np.isfinite(self._lower()) & ~equal,
        )

    def _offer(self, x: Floats) -> None:
        values = self.model.evaluate(x)
        holds = np.all(values.violations <= HOLDS * values.scales)
        loss = self.sign * values.objectives[0, 0] if values.objectives.size else 0.0
        if holds and np.isfinite(loss):
            self.incumbent.offer(float(loss), x)
