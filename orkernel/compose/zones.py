"""Where further efficient points of three or more objectives may lie."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.forms import Floats

MAX_ZONES = 1000
"""Most zones kept; beyond, the smallest are given up and the front is no longer complete."""


class Zones:
    """The search region: points that no point found so far dominates, as a union of corners.

    A zone is everything below its upper corner in every objective. A new point splits each
    zone that it lies in, one part per objective (Klamroth, Lacour and Vanderpooten, On the
    representation of the search region in multi-objective optimization, Eur. J. Oper. Res.
    245, 2015); corners below others are redundant.

    Args:
        ideal: Least loss of each objective.
        nadir: Estimate of the largest loss on the front; only orders the zones.
        margins: How much better than a corner a point must be in each objective.

    Attributes:
        corners: Upper corners, shape `(zones, m)`, infinite where open.
        exhausted: False once a zone had to be given up.
    """

    def __init__(self, ideal: Floats, nadir: Floats, margins: Floats) -> None:
        self.ideal = ideal
        self.nadir = nadir
        self.margins = margins
        self.corners: Floats = np.full((1, ideal.size), np.inf)
        self.exhausted = True
        self._empty: Floats = np.empty((0, ideal.size))

    def largest(self) -> int:
        """Number of the zone with the most room, measured between ideal and nadir."""
        extent = np.maximum(self.nadir - self.ideal, 1e-9)
        room = (np.minimum(self.corners, self.nadir + 0.1 * extent) - self.ideal) / extent
        return int(np.argmax(np.prod(np.maximum(room, 0.0), axis=1)))

    def limits(self, zone: int) -> dict[int, float]:
        """Per objective the largest loss of a point that counts as inside a zone."""
        bounds = self.corners[zone] - self.margins
        return {k: float(v) for k, v in enumerate(bounds) if np.isfinite(v)}

    def discard(self, zone: int) -> None:
        """A zone without points, and all that lies within it."""
        corner = self.corners[zone]
        self._empty = np.vstack([self._empty, corner])
        self.corners = self.corners[~np.all(self.corners <= corner, axis=1)]

    def split(self, point: Floats) -> bool:
        """Take out what a new point dominates; False if it lies in no zone."""
        inside = np.all(point <= self.corners - self.margins / 2, axis=1)
        if not inside.any():
            return False
        children = []
        for j in range(point.size):
            parts = self.corners[inside].copy()
            parts[:, j] = point[j]
            if point[j] - self.margins[j] >= self.ideal[j] - 1e-9 * max(1.0, abs(self.ideal[j])):
                children.append(parts)
        kept = np.vstack([self.corners[~inside], *children])
        kept = np.unique(kept, axis=0)
        kept = kept[~_below(kept, self._empty, strict=False)]
        kept = kept[~_below(kept, kept, strict=True)]
        self.corners = kept
        if len(kept) > MAX_ZONES:
            extent = np.maximum(self.nadir - self.ideal, 1e-9)
            room = (np.minimum(kept, self.nadir + 0.1 * extent) - self.ideal) / extent
            volume = np.prod(np.maximum(room, 0.0), axis=1)
            order = np.argsort(-volume, kind="stable")
            self.corners = kept[order[:MAX_ZONES]]
            self.exhausted = False
        return True


def _below(corners: Floats, others: Floats, *, strict: bool) -> NDArray[np.bool_]:
    """Which corners lie below one of the others in every objective, itself not counted."""
    found = np.zeros(len(corners), np.bool_)
    for i, corner in enumerate(corners):
        above = np.all(corner <= others, axis=1)
        if strict:
            above &= np.any(corner < others, axis=1)
        found[i] = bool(above.any())
    return found
