"""A routing problem in whole numbers: what the routing library takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

from orkernel_ortools.routing.tour import Arc, Dimension, Interval, Limit, Tour
from orkernel_ortools.routing.whole import scale_of


@dataclass(frozen=True, slots=True)
class WholeCosts:
    """Costs and penalties, none negative; every tour costs the same constant less.

    Attributes:
        arcs: Cost of moving along an arc.
        penalties: Cost of leaving a node out, for nodes that may be left out.
    """

    arcs: Mapping[Arc, int]
    penalties: Mapping[int, int]


def whole_costs(tour: Tour) -> WholeCosts | None:
    """Scale the costs, and shift them where some are negative.

    Every node but the depot is entered once and left once, or left out, so a constant may be
    added to all arcs into it and its loop, and another to all arcs out of it and its loop.
    """
    total = sum(map(abs, tour.cost.values()))
    scale = scale_of(tour.cost.values(), total)
    if scale is None:
        return None
    costs = {arc: round(cost * scale) for arc, cost in tour.cost.items()}
    for side in (1, 0):
        lowest: dict[int, int] = {}
        for arc, cost in costs.items():
            lowest[arc[side]] = min(lowest.get(arc[side], 0), cost)
        lowest[tour.depot] = 0
        costs = {arc: cost - lowest[arc[side]] for arc, cost in costs.items()}
    penalties = {i: cost for (i, j), cost in costs.items() if i == j}
    return WholeCosts({arc: c for arc, c in costs.items() if arc[0] != arc[1]}, penalties)


@dataclass(frozen=True, slots=True)
class WholeDimension:
    """A quantity that starts at 0 or above and stays within its capacity.

    Attributes:
        transits: Square matrix over the nodes; what an arc without a rule says is void.
        slack: Most that the growth along an arc may exceed its transit.
        stops: Range by node, where it has one.
        start: Range at the depot when leaving.
        end: Range at the depot when coming back.
    """

    transits: list[list[int]]
    slack: int
    capacity: int
    stops: Mapping[int, tuple[int, int]]
    start: tuple[int, int]
    end: tuple[int, int]


def whole_dimension(tour: Tour, dimension: Dimension) -> WholeDimension | None:
    """Scale a quantity and shift it so that it is never negative.

    Infinite ends of ranges become ends that no sequence of transits can pass.
    """
    stops = (dimension.start, dimension.end, *dimension.stops.values())
    ends = [end for stop in stops for end in stop.range if isfinite(end)]
    largest: dict[int, float] = {}
    for (tail, _), transit in dimension.transits.items():
        largest[tail] = max(largest.get(tail, 0.0), abs(transit))
    span = sum(largest.values())
    low, high = min([0.0, *ends]) - span, max([0.0, *ends]) + span
    scale = scale_of([*dimension.transits.values(), *ends], 4.0 * (high - low) * tour.nodes)
    if scale is None:
        return None
    base, capacity = round(low * scale), round((high - low) * scale)

    def shifted(bounds: Interval) -> tuple[int, int]:
        lower, upper = bounds
        return (
            round(lower * scale) - base if isfinite(lower) else 0,
            round(upper * scale) - base if isfinite(upper) else capacity,
        )

    void = 0 if dimension.exact else -capacity
    matrix = [[void] * tour.nodes for _ in range(tour.nodes)]
    for (tail, head), transit in dimension.transits.items():
        matrix[tail][head] = round(transit * scale)
    ranges = {node: shifted(stop.range) for node, stop in dimension.stops.items()}
    start, end = shifted(dimension.start.range), shifted(dimension.end.range)
    if any(lower > upper for lower, upper in (start, end, *ranges.values())):
        return None
    slack = 0 if dimension.exact else 2 * capacity
    return WholeDimension(matrix, slack, capacity, ranges, start, end)


@dataclass(frozen=True, slots=True)
class WholeLimit:
    """`lower ≤ Σ coefficient · chosen arc ≤ upper`; an infinite bound is None."""

    coefficients: Mapping[Arc, int]
    lower: int | None
    upper: int | None


def whole_limit(limit: Limit, ends: Mapping[int, Arc]) -> WholeLimit | None:
    """Scale a row; arcs that may not be chosen fall out."""
    terms = {ends[column]: c for column, c in limit.terms.items() if column in ends}
    bounds = [bound for bound in (limit.lower, limit.upper) if isfinite(bound)]
    values = [*terms.values(), *bounds]
    scale = scale_of(values, sum(map(abs, values)))
    if scale is None:
        return None
    lower, upper = (
        round(bound * scale) if isfinite(bound) else None for bound in (limit.lower, limit.upper)
    )
    return WholeLimit({arc: round(c * scale) for arc, c in terms.items()}, lower, upper)
