"""Quantities along the tours, put together from the rows that bind to single arcs.

A row that holds when arc (i, j) is chosen bounds the growth from node i to node j; what it leaves
out counts as 0. Columns that such rows connect are one quantity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf, isclose, isfinite
from typing import TYPE_CHECKING

from orkernel_ortools.routing.statements import Foreign
from orkernel_ortools.routing.tour import ANYTHING, Arc, Dimension, Interval, Limit, Stop

if TYPE_CHECKING:
    from orkernel.algebra.forms import Columns, Floats


@dataclass(frozen=True, slots=True)
class Growth:
    """`lower ≤ head − tail ≤ upper` when the arc is chosen; a missing column counts as 0."""

    arc: Arc
    tail: int | None
    head: int | None
    lower: float
    upper: float


@dataclass(frozen=True, slots=True)
class Places:
    """Which node each column of a quantity belongs to.

    Attributes:
        columns: Columns of the model, for their labels.
        names: Names of the nodes.
    """

    columns: Columns
    names: Sequence[str | int]

    def of(self, rules: Sequence[tuple[Arc, Limit]]) -> dict[int, int]:
        """Node by column: the one that all its arcs share, or that its label names."""
        possible: dict[int, set[int]] = {}
        for arc, row in rules:
            for column in row.terms:
                possible[column] = possible.get(column, set(arc)) & set(arc)
        return {column: self._one(column, nodes) for column, nodes in possible.items()}

    def _one(self, column: int, nodes: set[int]) -> int:
        if len(nodes) > 1:
            label = self.columns.member(column)
            nodes = {node for node in nodes if self.names[node] in label}
        if len(nodes) != 1:
            raise Foreign
        return next(iter(nodes))


def growths(rules: Sequence[tuple[Arc, Limit]], places: Places) -> list[Growth]:
    """What each row says about the growth along its arc.

    Raises:
        Foreign: A row is not a difference of one column at the head and one at the tail.
    """
    where = places.of(rules)
    found = []
    for arc, row in rules:
        tail, head = arc
        sides: dict[int, int] = {where[column]: column for column in row.terms}
        if tail == head or len(sides) != len(row.terms) or not 1 <= len(sides) <= 2:
            raise Foreign
        last = row.terms[sides[head]] if head in sides else -row.terms[sides[tail]]
        unit = row.times(1.0 / last)
        if tail in sides and not isclose(unit.terms[sides[tail]], -1.0):
            raise Foreign
        found.append(Growth(arc, sides.get(tail), sides.get(head), unit.lower, unit.upper))
    return found


def connected(rows: Iterable[Growth]) -> list[list[Growth]]:
    """The rows of each quantity."""
    parent: dict[int, int] = {}

    def root(column: int) -> int:
        parent.setdefault(column, column)
        while parent[column] != column:
            parent[column] = parent[parent[column]]
            column = parent[column]
        return column

    rows = list(rows)
    for row in rows:
        if row.tail is not None and row.head is not None:
            parent[root(row.tail)] = root(row.head)
    groups: dict[int, list[Growth]] = defaultdict(list)
    for row in rows:
        column = row.tail if row.head is None else row.head
        assert column is not None
        groups[root(column)].append(row)
    return list(groups.values())


def dimension(
    rows: Sequence[Growth], depot: int, arcs: Mapping[Arc, int], lower: Floats, upper: Floats
) -> Dimension:
    """One quantity.

    Args:
        rows: What is said about its growth.
        depot: Where tours begin and end.
        arcs: The arcs that may be chosen.
        lower: Column bounds.
        upper: Column bounds.

    Raises:
        Foreign: The rows do not fit together.
    """
    bounds = _merged(rows)
    exact = all(low == high for low, high in bounds.values())
    sign = 1.0 if exact or all(high == inf for _, high in bounds.values()) else -1.0
    if not exact and any(
        (high if sign > 0 else low * sign) != inf for low, high in bounds.values()
    ):
        raise Foreign
    transits = {arc: low if sign > 0 else -high for arc, (low, high) in bounds.items()}
    if not all(map(isfinite, transits.values())):
        raise Foreign

    def stop(column: int | None) -> Stop:
        if column is None:
            return Stop(None, (0.0, 0.0))
        ends = sorted((sign * float(lower[column]), sign * float(upper[column])))
        return Stop(column, (ends[0], ends[1]))

    stops, leaving, returning = _columns(rows, depot)
    outgoing = {arc for arc in arcs if arc[0] == depot != arc[1]}
    incoming = {arc for arc in arcs if arc[1] == depot != arc[0]}
    if exact:
        _complete(set(bounds), set(arcs), outgoing, incoming)
    start = stop(leaving) if outgoing & set(bounds) else ANYTHING
    if start.column is not None and not exact:
        start = Stop(start.column, (start.range[0], start.range[0]))
    end = stop(returning) if incoming & set(bounds) else ANYTHING
    return Dimension(sign, exact, transits, {k: stop(c) for k, c in stops.items()}, start, end)


def _merged(rows: Iterable[Growth]) -> dict[Arc, Interval]:
    bounds: dict[Arc, Interval] = {}
    for row in rows:
        low, high = bounds.get(row.arc, (-inf, inf))
        bounds[row.arc] = max(low, row.lower), min(high, row.upper)
    return bounds


def _columns(rows: Iterable[Growth], depot: int) -> tuple[dict[int, int], int | None, int | None]:
    """Column by node, and those of the depot when leaving and when coming back."""
    found: dict[tuple[int, bool], set[int | None]] = defaultdict(set)
    for row in rows:
        for node, column, tail in ((row.arc[0], row.tail, True), (row.arc[1], row.head, False)):
            found[node, tail and node == depot].add(column)
    if any(len(columns) > 1 for columns in found.values()):
        raise Foreign
    single = {key: next(iter(columns)) for key, columns in found.items()}
    leaving = single.pop((depot, True), None)
    returning = single.pop((depot, False), None)
    if leaving is not None and leaving == returning:
        raise Foreign
    stops = {node: column for (node, _), column in single.items() if column is not None}
    if len(stops) != len(single) or len(set(stops.values())) != len(stops):
        raise Foreign
    if {leaving, returning} & set(stops.values()):
        raise Foreign
    return stops, leaving, returning


def _complete(ruled: set[Arc], arcs: set[Arc], outgoing: set[Arc], incoming: set[Arc]) -> None:
    """An exact quantity has a rule on every arc; only those at the depot may all have none."""
    inner = {(i, j) for i, j in arcs if i != j} - outgoing - incoming
    partial = any(0 < len(ruled & side) < len(side) for side in (outgoing, incoming))
    if partial or inner - ruled:
        raise Foreign
