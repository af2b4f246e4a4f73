"""Exhaustive enumeration of a finite model, in chunks, with linear rows cutting prefixes short."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Unsupported
from orkernel.fronts import nondominated
from orkernel.records import Capability
from orkernel_numpy.judging import Judge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.model import Model
    from orkernel_numpy.domain import Domain

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

CHUNK = 16_384
"""Most prefixes or points handled together."""
SAMPLED_CHUNK = 256
"""Most points together whose expectations are averaged over the sample."""
CHUNK_NUMBERS = 2_000_000
"""Most numbers in one chunk."""


@dataclass(slots=True, eq=False)
class Enumeration:
    """What enumerating found.

    Attributes:
        complete: Whether every point was judged or ruled out; False when stopped.
        feasible: Whether some point meets all rows, its objectives defined or not.
        points: Efficient points of a model with several objectives, shape `(k, n)`.
        losses: Their objectives, less is better, shape `(k, m)`.
    """

    complete: bool = True
    feasible: bool = False
    points: Floats | None = None
    losses: Floats | None = None


class Prefixes:
    """Cuts partial points that no completion makes feasible or better.

    Args:
        domain: Finite box and linear rows.
        cost: Linear objective to be minimised, or None.
        offset: Its constant.
    """

    def __init__(self, domain: Domain, cost: Floats | None, offset: float) -> None:
        dense = domain.matrix.toarray()
        self.row_lower = domain.row_lower - domain.slack
        self.row_upper = domain.row_upper + domain.slack
        if cost is not None:
            dense = np.vstack([dense, cost])
        self.rows = dense
        self.has_cost = cost is not None
        self.offset = offset
        least = np.minimum(dense * domain.lower, dense * domain.upper)
        most = np.maximum(dense * domain.lower, dense * domain.upper)
        self.least_left = _tail_sums(least)
        self.most_left = _tail_sums(most)
        self.touched = dense != 0

    def promising(self, prefixes: Floats, loss: float) -> Bools:
        """Which prefixes may be completed to a feasible point that beats `loss`."""
        width = prefixes.shape[1]
        keep = np.ones(len(prefixes), np.bool_)
        m = len(self.row_lower)
        active = np.flatnonzero(self.touched[:m, width - 1])
        if active.size:
            done = prefixes @ self.rows[active, :width].T
            keep &= np.all(done + self.least_left[active, width] <= self.row_upper[active], axis=1)
            keep &= np.all(done + self.most_left[active, width] >= self.row_lower[active], axis=1)
        if self.has_cost and np.isfinite(loss):
            reach = prefixes @ self.rows[m, :width] + self.least_left[m, width] + self.offset
            keep &= reach < loss
        return keep


def _tail_sums(parts: Floats) -> Floats:
    """Per row and width the sum over the columns from that width on, shape `(rows, n + 1)`."""
    reversed_sums = np.cumsum(parts[:, ::-1], axis=1)[:, ::-1]
    return np.concatenate([reversed_sums, np.zeros((len(parts), 1))], axis=1)


def enumerate_points(model: Model, domain: Domain, judge: Judge) -> Enumeration:
    """Judge every point of a finite domain; `judge` keeps the best.

    Args:
        model: All of its columns integer.
        domain: Finite.
        judge: Judges the points; for one objective its best point is the optimum if the
            enumeration is complete.
    """
    found = Enumeration()
    several = len(judge.signs) > 1
    cost, offset = _cost(model, judge)
    prefixes = Prefixes(domain, cost, offset)
    n = len(domain.lower)
    chunk = max(1, min(CHUNK, CHUNK_NUMBERS // max(1, n, len(model.rows))))
    if Capability.RANDOM in model.needs:
        chunk = min(chunk, SAMPLED_CHUNK)
    stack: list[Floats] = [np.zeros((1, 0))]
    front: list[tuple[Floats, Floats]] = []
    while stack:
        if judge.stopped:
            found.complete = False
            break
        part = stack.pop()
        width = part.shape[1]
        if width == n:
            assessment = judge.assess(part)
            found.feasible |= bool(assessment.feasible.any())
            if several:
                good = assessment.feasible & assessment.defined
                front = _merged(front, part[good], assessment.losses[good])
            elif not len(judge.signs) and judge.best is not None:
                break
            continue
        low, high = float(domain.lower[width]), float(domain.upper[width])
        values = np.arange(low, high + 0.5)
        share = max(1, chunk // max(1, len(values)))
        if len(part) > share:
            stack.extend(part[k : k + share] for k in _starts(len(part), share))
            continue
        grown = np.column_stack([np.repeat(part, len(values), axis=0), np.tile(values, len(part))])
        grown = grown[prefixes.promising(grown, judge.loss)]
        stack.extend(grown[k : k + chunk] for k in _starts(len(grown), chunk))
    if front:
        found.points, found.losses = front[0]
    return found


def _starts(size: int, step: int) -> list[int]:
    """Starts of the pieces, last first, so that a stack gives the first piece first."""
    return list(range(0, size, step))[::-1]


def _cost(model: Model, judge: Judge) -> tuple[Floats | None, float]:
    """A single linear objective as one to be minimised."""
    if len(judge.signs) != 1:
        return None, 0.0
    try:
        (objective,) = model.derive(constraints=()).linear().objectives
    except Unsupported:
        return None, 0.0
    sign = float(judge.signs[0])
    return sign * objective.cost, sign * objective.offset


def _merged(
    front: list[tuple[Floats, Floats]], points: Floats, losses: Floats
) -> list[tuple[Floats, Floats]]:
    """The front with further points, dominated ones left out."""
    if not len(points):
        return front
    if front:
        points = np.vstack([front[0][0], points])
        losses = np.vstack([front[0][1], losses])
    losses, first = np.unique(losses, axis=0, return_index=True)
    points = points[first]
    keep = _efficient(losses)
    return [(points[keep], losses[keep])]


def _efficient(losses: Floats) -> Bools:
    """Which rows, sorted and distinct, no other dominates; halved to keep it quick."""
    if len(losses) <= 512:
        return nondominated(losses, [False] * losses.shape[1])
    half = len(losses) // 2
    keep = np.concatenate([_efficient(losses[:half]), _efficient(losses[half:])])
    left = np.flatnonzero(keep)
    if len(left) < len(losses):
        keep[left] = _efficient(losses[left])
        return keep
    return nondominated(losses, [False] * losses.shape[1])
