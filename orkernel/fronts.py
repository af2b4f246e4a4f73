"""Pareto fronts: which points are efficient, and figures of a whole front."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

REFERENCE_MARGIN = 0.1
"""How far beyond the nadir point the reference point of the hypervolume lies, relative to
the range of each objective."""


@dataclass(frozen=True, slots=True)
class FrontFigures:
    """Figures of a front; vectors follow the objectives, each in its own sense.

    Attributes:
        ideal: Best value of each objective over the front.
        nadir: Worst value of each objective over the front.
        reference: The point against which the hypervolume is measured.
        hypervolume: Volume of what the front dominates up to `reference`, with each
            objective scaled to [0, 1] between ideal and nadir; at most
            `(1 + REFERENCE_MARGIN) ** objectives`. None beyond `OWN_OBJECTIVES`, or
            `COMPILED_OBJECTIVES` with moocore.
    """

    ideal: tuple[float, ...]
    nadir: tuple[float, ...]
    reference: tuple[float, ...]
    hypervolume: float | None


OWN_OBJECTIVES, COMPILED_OBJECTIVES = 3, 6
"""Most objectives for which the hypervolume is computed, here and by moocore where that is
installed (it comes with pymoo): its cost grows exponentially with them."""


def losses(objectives: Any, maximize: Sequence[bool]) -> Floats:
    """Objective values turned so that less is better, shape `(points, m)`."""
    signs = np.where(np.asarray(maximize, bool), -1.0, 1.0)
    found: Floats = np.asarray(objectives, np.float64).reshape(-1, signs.size) * signs
    return found


def nondominated(
    objectives: Any, maximize: Sequence[bool], tolerance: float | Floats = 0.0
) -> Bools:
    """Which points no other point dominates; of equal points the first.

    Args:
        objectives: Shape `(points, m)`, each objective in its own sense.
        maximize: Per objective whether more is better.
        tolerance: Relative difference within which two values are equal, one for all objectives
            or one for each.

    Returns:
        Shape `(points,)`.
    """
    points = losses(objectives, maximize)
    slack = tolerance * np.maximum(1.0, np.abs(points))
    keep = np.ones(len(points), np.bool_)
    for i, point in enumerate(points):
        no_worse = np.all(points <= point + slack[i], axis=1)
        better = np.any(points < point - slack[i], axis=1)
        equal = no_worse & ~better
        equal[i:] = False
        keep[i] = not np.any(no_worse & better) and not np.any(equal & keep)
    return keep


def compromise(objectives: Any, maximize: Sequence[bool]) -> int:
    """The point nearest to the ideal point, each objective scaled to the front's range.

    Args:
        objectives: Shape `(points, m)`, at least one point.
        maximize: Per objective whether more is better.
    """
    points = losses(objectives, maximize)
    scaled = (points - points.min(axis=0)) / _ranges(points)
    return int(np.argmin(np.linalg.norm(scaled, axis=1)))


def figures(objectives: Any, maximize: Sequence[bool]) -> FrontFigures:
    """Ideal and nadir point and hypervolume of a front.

    Args:
        objectives: Shape `(points, m)`, at least one point, each in its own sense.
        maximize: Per objective whether more is better.
    """
    points = losses(objectives, maximize)
    signs = np.where(np.asarray(maximize, bool), -1.0, 1.0)
    ideal, nadir = points.min(axis=0), points.max(axis=0)
    reference = nadir + REFERENCE_MARGIN * _ranges(points)
    scaled = (points - reference) / _ranges(points)
    volume = None
    if points.shape[1] <= OWN_OBJECTIVES:
        volume = hypervolume(scaled, 0.0)
    elif points.shape[1] <= COMPILED_OBJECTIVES and find_spec("moocore") is not None:
        import moocore

        volume = float(moocore.hypervolume(scaled, ref=[0.0] * points.shape[1]))
    return FrontFigures(
        ideal=tuple((ideal * signs).tolist()),
        nadir=tuple((nadir * signs).tolist()),
        reference=tuple((reference * signs).tolist()),
        hypervolume=volume,
    )


def _ranges(points: Floats) -> Floats:
    """Extent of each objective over the front; 1 where it does not vary."""
    extent = np.ptp(points, axis=0)
    found: Floats = np.where(extent > 0.0, extent, 1.0)
    return found


def hypervolume(points: Floats, reference: float) -> float:
    """Volume dominated by `points` (less is better) within the box up to `reference`.

    Slices the last objective (HSO: While et al., A faster algorithm for calculating
    hypervolume, IEEE Trans. Evol. Comput. 10, 2006).

    Args:
        points: Shape `(points, m)`.
        reference: Worst value of each objective.
    """
    inside = points[np.all(points < reference, axis=1)]
    if not len(inside):
        return 0.0
    if inside.shape[1] == 1:
        return float(reference - inside.min())
    if inside.shape[1] == 2:
        return _area(inside, reference)
    order = inside[np.argsort(inside[:, -1], kind="stable")]
    heights = np.append(order[1:, -1], reference) - order[:, -1]
    volume = 0.0
    for k, height in enumerate(heights, start=1):
        if height > 0.0:
            slab = order[:k, :-1]
            volume += height * hypervolume(slab[_efficient(slab)], reference)
    return float(volume)


def _efficient(points: Floats) -> Bools:
    return nondominated(points, [False] * points.shape[1])


def _area(points: Floats, reference: float) -> float:
    order = points[np.lexsort((points[:, 1], points[:, 0]))]
    lowest = np.minimum.accumulate(order[:, 1])
    widths = np.append(order[1:, 0], reference) - order[:, 0]
    return float(np.sum(widths * (reference - lowest)))
