"""Points as the kernel judges them: feasible or not, and how good."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.records import Event
from orkernel.verify import ROW_TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel.model import Model

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Assessment:
    """Points judged together.

    Attributes:
        losses: Objectives turned so that less is better, shape `(points, m)`; NaN where undefined.
        bodies: Left minus right of every row, shape `(points, rows)`.
        excess: Largest violation of a row, shape `(points,)`, scaled as the kernel does, or, for
            whole points that are tried one by one, only as far as rounding needs it.
    """

    losses: Floats
    bodies: Floats
    excess: Floats

    @property
    def feasible(self) -> Bools:
        """Whether the kernel would accept the rows, shape `(points,)`."""
        return self.excess <= ROW_TOLERANCE

    @property
    def defined(self) -> Bools:
        """Whether every objective has a value, shape `(points,)`."""
        found: Bools = np.all(np.isfinite(self.losses), axis=1)
        return found


TIGHT = 1e-8
"""Scaled violation that a search allows itself, so as not to live on the kernel's tolerance."""


ROUNDING = 1e-6
"""Part of a row's scale that counts where every point is tried: 1e-12 of the right side is
rounding. More would let a row over whole numbers be broken by one unit in a million."""


class Judge:
    """A model's rows and objectives at many points, and the best point so far.

    Args:
        model: The model.
        ctx: Deadline, cancellation, events.

    Attributes:
        signs: −1 per objective to be maximised, else 1; shape `(m,)`.
        best: The best feasible point of a single-objective model so far.
        loss: Its objective, less is better.
        tolerance: Scaled violation up to which a point may be the best.
        exact: Whether rows are judged up to rounding, as for whole points that are all tried.
        count: Points judged.
    """

    def __init__(self, model: Model, ctx: RunContext) -> None:
        self.model = model
        self.ctx = ctx
        senses = [o.sense == "maximize" for o in model.formulation.objectives]
        self.signs = np.where(np.array(senses, np.bool_), -1.0, 1.0)
        self.best: Floats | None = None
        self.loss = np.inf
        self.tolerance = ROW_TOLERANCE
        self.exact = False
        self._spare: tuple[float, Floats] | None = None
        self.count = 0
        self._started = time.perf_counter()

    @property
    def stopped(self) -> bool:
        """Whether the user interrupted, the time is up, or any feasible point will do."""
        settled = self.best is not None and not len(self.signs)
        return settled or self.ctx.cancelled or self.ctx.remaining() == 0.0

    def tighten(self) -> None:
        """From here on only points within `TIGHT` count, while there are such."""
        self.tolerance = TIGHT
        if self.best is not None:
            best, self.best, self.loss = self.best, None, np.inf
            self.assess(best[np.newaxis])

    def settle(self) -> None:
        """Fall back to a point within the kernel's tolerance if there is no tighter one."""
        if self.best is None and self._spare is not None:
            self.loss, self.best = self._spare

    def assess(self, points: Floats) -> Assessment:
        """Judge points, shape `(points, n)`, and keep the best."""
        found = self.model.evaluate(points)
        self.count += len(points)
        scales = 1.0 + ROUNDING * found.scales if self.exact else found.scales
        excess = np.max(found.violations / scales, axis=1, initial=0.0)
        excess = np.where(np.isnan(excess), np.inf, excess)
        assessment = Assessment(found.objectives * self.signs, found.bodies, excess)
        if len(self.signs) <= 1:
            self._keep(points, assessment)
        return assessment

    def rank(self, points: Floats) -> list[tuple[float, float]]:
        """Per point a key that sorts feasible before infeasible, then better before worse."""
        found = self.assess(points)
        good = (found.excess <= self.tolerance) & found.defined
        losses = found.losses[:, 0] if len(self.signs) else np.zeros(len(points))
        return list(
            zip(
                np.where(good, 0.0, np.where(found.defined, found.excess, np.inf)).tolist(),
                np.where(good, losses, 0.0).tolist(),
                strict=True,
            )
        )

    def _keep(self, points: Floats, assessment: Assessment) -> None:
        good = assessment.feasible & assessment.defined
        if not good.any():
            return
        losses = assessment.losses[:, 0] if len(self.signs) else np.zeros(len(points))
        tight = np.where(good & (assessment.excess <= self.tolerance), losses, np.inf)
        first = int(tight.argmin())
        if np.isfinite(tight[first]) and (self.best is None or tight[first] < self.loss):
            self.best, self.loss = points[first] + 0.0, float(tight[first])
            self._report()
        elif self.best is None:
            first = int(np.where(good, losses, np.inf).argmin())
            if self._spare is None or losses[first] < self._spare[0]:
                self._spare = float(losses[first]), points[first] + 0.0

    def _report(self) -> None:
        if not len(self.signs):
            return
        value = self.objective
        data = {"objective": value, "seconds": time.perf_counter() - self._started}
        self.ctx.emit(Event("solver.incumbent", "solve", f"objective {value:.9g}", data))

    @property
    def objective(self) -> float | None:
        """Objective of the best point, in its own sense; None without an objective or point."""
        if self.best is None or not len(self.signs):
            return None
        return float(self.loss * self.signs[0])
