"""A model at a population: losses to minimise and how far the constraints are missed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from orkernel.fronts import losses

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel_pymoo.space import SearchSpace

    Floats = NDArray[np.float64]

WORST = 1e30
"""What counts for an objective or a violation that is not a finite number."""
ROUNDING = 1e-9
"""Relative violation of an inequality that is rounding."""


@dataclass(slots=True, eq=False)
class Evaluation:
    """Evaluates points of a search space, the whole population in one call.

    Attributes:
        space: The search space.
        equality_tolerance: Relative violation of an equation that counts as none.
        evaluations: Points evaluated so far.
    """

    space: SearchSpace
    equality_tolerance: float
    evaluations: int = 0
    maximize: list[bool] = field(init=False)
    _slack: Floats = field(init=False)

    def __post_init__(self) -> None:
        model = self.space.model
        self.maximize = [o.sense == "maximize" for o in model.formulation.objectives]
        allowed = model.intervals
        numeric = np.ones(len(model.rows), np.bool_)
        for block in model.rows.blocks:
            if block.logical:
                numeric[block.offset : block.offset + block.size] = False
        equation = numeric & (allowed.lower == allowed.upper)
        equation[self.space.elimination.rows] = False
        self._slack = np.where(equation, max(self.equality_tolerance, ROUNDING), ROUNDING)

    @property
    def relaxed(self) -> bool:
        """True if an equation is only held within the tolerance during the search."""
        return bool(np.any(self._slack > ROUNDING))

    @property
    def constrained(self) -> bool:
        """True if anything but the box and undefined objectives can rule out a point."""
        return bool(len(self.space.model.rows) or self.space.elimination.dependent.size)

    def __call__(self, Y: Floats) -> tuple[Floats, Floats]:
        """Losses `(points, m)`, at least one column, and total violation `(points,)`."""
        return self.at(self.space.decode(Y))

    def at(self, X: Floats) -> tuple[Floats, Floats]:
        """The same for points of the model."""
        self.evaluations += len(X)
        values = self.space.model.evaluate(X)
        total = self.space.overshoot(X)
        if values.violations.shape[1]:
            scaled = values.violations / values.scales
            total = total + np.where(scaled > self._slack, scaled, 0.0).sum(axis=1)
        if not self.maximize:
            return np.zeros((len(X), 1)), np.minimum(total, WORST)
        found = losses(values.objectives, self.maximize)
        undefined = ~np.isfinite(found)
        if undefined.any():
            found[undefined.any(axis=1)] = WORST
            total = total + undefined.sum(axis=1)
        return found, np.minimum(total, WORST)
