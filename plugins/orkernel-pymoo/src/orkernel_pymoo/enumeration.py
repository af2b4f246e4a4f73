"""Small boxes of whole numbers are not searched: every point is evaluated."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orkernel.fronts import nondominated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel_pymoo.evaluation import Evaluation
    from orkernel_pymoo.space import SearchSpace

    Floats = NDArray[np.float64]

MOST_POINTS = 20_000
"""Largest number of points that are all evaluated."""
BEST = 100
"""Points kept for one objective, best first, and where none is feasible."""


def countable(space: SearchSpace) -> bool:
    """True if all searched columns are whole numbers with few combinations."""
    if not space.integer.all() or space.open_sides.any():
        return False
    sizes = np.log(space.upper - space.lower + 1.0)
    return bool(sizes.sum() <= np.log(MOST_POINTS))


def all_points(space: SearchSpace) -> Floats:
    """Every point of the box, shape `(points, columns)`."""
    axes = [np.arange(a, b + 1.0) for a, b in zip(space.lower, space.upper, strict=True)]
    grid = np.meshgrid(*axes, indexing="ij")
    return np.stack([axis.ravel() for axis in grid], axis=1)


def best_of_all(evaluation: Evaluation) -> tuple[Floats, bool]:
    """The best points of a countable box, and whether they are feasible.

    Returns:
        Nondominated points for several objectives, else the best ones in order; the least
        violated where none is feasible.
    """
    points = all_points(evaluation.space)
    loss, violation = evaluation(points)
    inside = np.flatnonzero(violation <= 0.0)
    if not inside.size:
        return points[np.argsort(violation, kind="stable")[:BEST]], False
    if loss.shape[1] == 1:
        return points[inside[np.argsort(loss[inside, 0], kind="stable")[:BEST]]], True
    values, first = np.unique(loss[inside], axis=0, return_index=True)
    efficient = nondominated(values, [False] * loss.shape[1])
    return points[inside[first[efficient]]], True
