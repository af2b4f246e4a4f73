"""From routes to the values of all columns of the model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise
from math import inf, isfinite
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel_ortools.routing.tour import Dimension, Stop, Tour

Route = Sequence[int]
"""Nodes in the order of the visits, from depot to depot."""


def completed(tour: Tour, routes: Iterable[Route]) -> Floats:
    """Values of all columns.

    Quantities along a tour are as small as they can be (as large, where they fall along it);
    what no tour needs is at the bound nearest to 0.

    Args:
        tour: The routing problem.
        routes: Routes with at least one stop besides the depot.

    Returns:
        Shape `(n,)`; within all bounds only if the routes keep to the rules.
    """
    routes = list(routes)
    x = np.clip(np.zeros(len(tour.lower)), tour.lower, tour.upper)
    x[list(tour.arcs.values())] = 0.0
    visited = {node for route in routes for node in route}
    chosen = [arc for route in routes for arc in pairwise(route)]
    chosen += [(node, node) for node in range(tour.nodes) if node not in visited]
    for arc in chosen:
        x[tour.arcs[arc]] = 1.0
    for column, body in tour.determined.items():
        x[column] = body.constant + sum(c * x[k] for k, c in body.terms.items())
    for dimension in tour.dimensions:
        _fill(dimension, routes, x)
    return x


def _fill(dimension: Dimension, routes: Iterable[Route], x: Floats) -> None:
    """Values of one quantity."""
    first, last = dimension.start.range[0], dimension.end.range[0]
    for route in routes:
        values = _values(dimension, route)
        for stop, value in zip(dimension.along(route)[1:-1], values[1:-1], strict=True):
            _put(x, dimension, stop, value)
        first, last = values[0], max(last, values[-1])
    _put(x, dimension, dimension.start, first)
    _put(x, dimension, dimension.end, last)


def _put(x: Floats, dimension: Dimension, stop: Stop, value: float) -> None:
    if stop.column is not None and isfinite(value):
        x[stop.column] = dimension.sign * value


def _values(dimension: Dimension, route: Route) -> list[float]:
    """Smallest values along a route that keep to the growth and, from below, to the ranges."""
    least = [stop.range[0] for stop in dimension.along(route)]
    if not dimension.exact:
        values = [least[0]]
        for arc, low in zip(pairwise(route), least[1:], strict=True):
            values.append(max(low, values[-1] + dimension.transits.get(arc, -inf)))
        return values
    growth = [dimension.transits.get(arc, 0.0) for arc in pairwise(route)]
    offsets = list(accumulate(growth, initial=0.0))
    start = max(low - offset for low, offset in zip(least, offsets, strict=True))
    return [start + offset for offset in offsets]
