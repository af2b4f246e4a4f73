"""Every whole point of a bounded box, judged by the model's own evaluator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Unsupported
from orkernel.testing.reference_agent.found import Incumbent, out_of_time

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel.model import Model

MOST_POINTS = 2_000_000
CHUNK = 4096
TOLERANCE = 1e-9
"""Scaled violation at which a row still holds."""


@dataclass(frozen=True, slots=True, eq=False)
class Scan:
    """Feasible points of a box with their objectives.

    Attributes:
        points: Shape `(k, n)`.
        objectives: Shape `(k, m)`, each in its own sense.
        complete: False if the search was cut short.
    """

    points: Floats
    objectives: Floats
    complete: bool


def size(model: Model) -> float:
    """Whole points in the box of the integer columns; infinite where a bound is missing."""
    low, high = _box(model)
    return float(np.prod(np.maximum(high - low + 1.0, 0.0)))


def require_small(model: Model) -> None:
    """Refuse a box with too many points.

    Raises:
        Unsupported: It has more than `MOST_POINTS`, or infinitely many.
    """
    if size(model) > MOST_POINTS:
        raise Unsupported("the variables", f"more than {MOST_POINTS:,} combinations of values")


def grid(model: Model, start: Floats) -> Iterator[Floats]:
    """Blocks of whole points, shape `(k, n)`; continuous columns as in `start`."""
    low, high = _box(model)
    whole = np.flatnonzero(model.columns.integer)
    shape = tuple((high - low + 1).astype(int))
    total = int(np.prod(shape))
    for first in range(0, total, CHUNK):
        numbers = np.arange(first, min(total, first + CHUNK))
        block = np.tile(start, (numbers.size, 1))
        if whole.size:
            block[:, whole] = low + np.column_stack(np.unravel_index(numbers, shape))
        yield block


def feasible(model: Model, points: Floats) -> tuple[Floats, Floats]:
    """Those points at which every row holds, and their objectives."""
    values = model.evaluate(points)
    holds = np.all(values.violations <= TOLERANCE * values.scales, axis=1)
    holds &= np.all(np.isfinite(values.objectives), axis=1)
    return points[holds], values.objectives[holds]


def scan(model: Model, ctx: RunContext) -> Scan:
    """All feasible points of a model without continuous columns.

    Raises:
        Unsupported: There are too many points.
    """
    require_small(model)
    n, m = len(model.columns), len(model.formulation.objectives)
    points, objectives = [np.zeros((0, n))], [np.zeros((0, m))]
    for block in grid(model, np.zeros(n)):
        if out_of_time(ctx):
            return Scan(np.concatenate(points), np.concatenate(objectives), False)
        kept, values = feasible(model, block)
        points.append(kept)
        objectives.append(values)
    return Scan(np.concatenate(points), np.concatenate(objectives), True)


def best(found: Scan, sign: float) -> Incumbent:
    """The point with the least `sign · objective`; the first without an objective."""
    incumbent = Incumbent()
    if len(found.points):
        losses = sign * found.objectives[:, 0] if found.objectives.shape[1] else [0.0]
        k = int(np.argmin(losses))
        incumbent.offer(float(losses[k]), found.points[k])
    return incumbent


def _box(model: Model) -> tuple[Floats, Floats]:
    columns, whole = model.columns, model.columns.integer
    return np.ceil(columns.lower[whole] - 1e-9), np.floor(columns.upper[whole] + 1e-9)
