"""Mending points of the search: whole numbers, and linear rows over continuous columns.

A point that misses a linear row is pulled straight towards a point in the middle of the
polytope until the rows hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog

from orkernel_pymoo.linear import DENSE_ENTRIES

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel_pymoo.space import SearchSpace

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

INTERIOR = 1e-7
"""Least relative distance from the middle to every row; a thinner polytope is not used."""
LP_SECONDS = 5.0
INFEASIBLE = 2
"""SciPy's status of an infeasible linear program."""


@dataclass(frozen=True, slots=True, eq=False)
class Mender:
    """Mends whole populations.

    Attributes:
        integer: Which searched columns are integer.
        rows: Linear rows `rows · y ≤ limits` over continuous searched columns.
        limits: Shape `(rows,)`.
        middle: A point well inside; None when rows are left to the search.
        impossible: True if no point of the box keeps the rows, not even with fractions.
    """

    integer: Bools
    rows: Floats
    limits: Floats
    middle: Floats | None
    impossible: bool

    @classmethod
    def of(cls, space: SearchSpace, lower: Floats, upper: Floats) -> Mender:
        """Prepare for a box.

        Args:
            space: The search space.
            lower: Finite lower bounds of the searched columns.
            upper: Finite upper bounds of the searched columns.
        """
        rows, limits = _inequalities(space)
        keep = ~np.any(rows[:, space.integer] != 0.0, axis=1) & np.any(rows != 0.0, axis=1)
        rows, limits = rows[keep], limits[keep]
        middle, impossible = None, False
        if len(rows):
            middle, impossible = _middle(rows, limits, lower, upper)
        return cls(space.integer, rows, limits, middle, impossible)

    def mend(self, Y: Floats, lower: Floats, upper: Floats) -> Floats:
        """Mended copies of points `(points, columns)` within a box."""
        Y = np.where(self.integer, np.rint(Y), Y)
        if self.middle is None:
            return np.clip(Y, lower, upper)
        direction = np.where(self.integer, 0.0, Y - self.middle)
        speed = direction @ self.rows.T
        room = self.limits - self.rows @ self.middle
        with np.errstate(divide="ignore", invalid="ignore"):
            steps = np.where(speed > room, room / speed, 1.0)
        reach = np.min(steps, axis=1, initial=1.0)
        pulled = self.middle + reach[:, None] * direction
        return np.where(self.integer | (reach[:, None] == 1.0), Y, np.clip(pulled, lower, upper))


def _inequalities(space: SearchSpace) -> tuple[Floats, Floats]:
    """Linear rows and bounds of dependent columns as `rows · y ≤ limits`."""
    linear, elimination = space.linear, space.elimination
    n, width = len(space.model.columns), space.columns.size
    open_rows = np.flatnonzero(~np.isin(linear.numbers, elimination.rows))
    bounds = space.model.columns
    dependent = elimination.dependent
    if (open_rows.size + dependent.size) * n > DENSE_ENTRIES:
        return np.zeros((0, width)), np.zeros(0)
    A = linear.matrix[open_rows].toarray()  # type: ignore[index]
    from_dependent = A[:, dependent]
    reduced = A.copy()
    reduced[:, dependent] = 0.0
    reduced = reduced + from_dependent @ elimination.factors
    offset = from_dependent @ elimination.base + reduced @ space.fixed
    shift = elimination.base + elimination.factors @ space.fixed
    parts = [
        (reduced[:, space.columns], linear.upper[open_rows] - offset),
        (-reduced[:, space.columns], offset - linear.lower[open_rows]),
        (elimination.factors[:, space.columns], bounds.upper[dependent] - shift),
        (-elimination.factors[:, space.columns], shift - bounds.lower[dependent]),
    ]
    rows = np.vstack([part for part, _ in parts])
    limits = np.concatenate([limit for _, limit in parts])
    finite = np.isfinite(limits)
    return rows[finite], limits[finite]


def _middle(
    rows: Floats, limits: Floats, lower: Floats, upper: Floats
) -> tuple[Floats | None, bool]:
    """The point with the largest least distance to rows and bounds, each relative to the box.

    Returns:
        The point, None if it is not well inside; and whether there is no point at all.
    """
    width = upper - lower
    scaled = rows * width
    norms = np.linalg.norm(scaled, axis=1)
    n = width.size
    # y = lower + width · z, 0 ≤ z ≤ 1; maximise t with rows·y + norm·t ≤ limits, t ≤ z ≤ 1 − t.
    eye = np.eye(n)
    matrix = np.vstack(
        [
            np.column_stack([scaled, norms]),
            np.column_stack([-eye, np.ones(n)]),
            np.column_stack([eye, np.ones(n)]),
        ]
    )
    right = np.concatenate([limits - rows @ lower, np.zeros(n), np.ones(n)])
    cost = np.zeros(n + 1)
    cost[-1] = -1.0
    found = linprog(
        cost,
        A_ub=matrix,
        b_ub=right,
        bounds=[(0.0, 1.0)] * n + [(0.0, 0.5)],
        method="highs",
        options={"time_limit": LP_SECONDS},
    )
    if found.x is None or found.x[-1] < INTERIOR:
        return None, found.status == INFEASIBLE
    middle: Floats = lower + width * found.x[:-1]
    return middle, False
