"""The box that is searched: free columns with finite bounds, the rest determined by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.implied_bounds import implied_bounds
from orkernel_pymoo.linear import Elimination, LinearRows, eliminate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.model import Model

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Integers = NDArray[np.int64]

RADII = (1e2, 1e4, 1e6, 1e8)
"""Half-widths of the box around an open side, tried in turn."""
SNAP = 1e-9
"""A dependent column this near its bound (relative) is put on it."""


@dataclass(frozen=True, slots=True, eq=False)
class SearchSpace:
    """Points of the search and what they stand for.

    Attributes:
        model: The model.
        elimination: The columns that linear equations determine.
        columns: Numbers of the searched columns.
        lower: Lower bounds of the searched columns, finite unless `open_below`.
        upper: Upper bounds of the searched columns, finite unless `open_above`.
        integer: Which searched columns are integer.
        fixed: Values of the columns with equal bounds, shape `(n,)`; 0 elsewhere.
        linear: The linear rows of the model.
    """

    model: Model
    elimination: Elimination
    columns: Integers
    lower: Floats
    upper: Floats
    integer: Bools
    fixed: Floats
    linear: LinearRows

    @classmethod
    def of(cls, model: Model) -> SearchSpace:
        """The space of a model whose bounds do not contradict each other."""
        bounds = model.columns
        linear = LinearRows.of(model)
        lower, upper = implied_bounds(
            linear.matrix, linear.lower, linear.upper, bounds.lower, bounds.upper, bounds.integer
        )
        elimination = eliminate(linear, lower, upper, bounds.integer)
        searched = lower < upper
        searched[elimination.dependent] = False
        columns = np.flatnonzero(searched)
        fixed = np.where(searched, 0.0, np.where(np.isfinite(lower), lower, 0.0))
        fixed[elimination.dependent] = 0.0
        return cls(
            model,
            elimination,
            columns,
            lower[columns],
            upper[columns],
            bounds.integer[columns],
            fixed,
            linear,
        )

    @property
    def open_sides(self) -> Bools:
        """Searched columns without a lower or an upper bound."""
        found: Bools = ~np.isfinite(self.lower) | ~np.isfinite(self.upper)
        return found

    def box(self, radius: float) -> tuple[Floats, Floats]:
        """Finite bounds: an open side lies `radius` from the other side, or from 0."""
        low, high = np.isfinite(self.lower), np.isfinite(self.upper)
        start = self.model.columns.start[self.columns]
        centre = np.where(np.isfinite(start), start, 0.0)
        anchor_low = np.where(high, np.minimum(self.upper, centre), centre)
        anchor_high = np.where(low, np.maximum(self.lower, centre), centre)
        lower = np.where(low, self.lower, np.round(anchor_low - radius))
        upper = np.where(high, self.upper, np.round(anchor_high + radius))
        return lower, upper

    def decode(self, Y: Floats) -> Floats:
        """Points of the model, shape `(points, n)`, from points of the search."""
        X = np.repeat(self.fixed[None, :], len(Y), axis=0)
        X[:, self.columns] = Y
        self.elimination.complete(X)
        dependent = self.elimination.dependent
        if dependent.size:
            values = X[:, dependent]
            for bound in (self.model.columns.lower[dependent], self.model.columns.upper[dependent]):
                limit = np.where(np.isfinite(bound), bound, np.nan)
                near = np.abs(values - limit) <= SNAP * np.maximum(1.0, np.abs(limit))
                values = np.where(near, limit, values)
            X[:, dependent] = values
        return X

    def overshoot(self, X: Floats) -> Floats:
        """How far dependent columns miss their bounds, relative to them, summed per point."""
        dependent = self.elimination.dependent
        if not dependent.size:
            return np.zeros(len(X))
        columns = self.model.columns
        total = np.zeros(len(X))
        for bound, sign in ((columns.lower[dependent], 1.0), (columns.upper[dependent], -1.0)):
            finite = np.isfinite(bound)
            limit = bound[finite]
            excess = np.maximum(0.0, sign * (limit - X[:, dependent[finite]]))
            total += (excess / np.maximum(1.0, np.abs(limit))).sum(axis=1)
        return total
