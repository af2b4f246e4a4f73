"""Rows over arcs that every tour fulfils anyway, such as written-out degrees."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orkernel_ortools.routing.tour import Arc, Interval, Limit

ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Degrees:
    """Every node except a depot of several tours has one chosen arc out and one in.

    A loop, which leaves a node out, counts for both.

    Attributes:
        depot: The node with any number of tours, or None.
        ends: Arc by column.
    """

    depot: int | None
    ends: Mapping[int, Arc]

    def not_implied(self, rows: Iterable[Limit]) -> list[Limit]:
        """The rows that some choice of one arc per node breaks."""
        sizes = [Counter(arc[side] for arc in self.ends.values()) for side in (0, 1)]
        rest = []
        for row in rows:
            ranges = [self._range(row, side, sizes[side]) for side in (0, 1)]
            low, high = max(r[0] for r in ranges), min(r[1] for r in ranges)
            slack = ROUNDING * max(map(abs, row.terms.values()), default=1.0)
            if low < row.lower - slack or high > row.upper + slack:
                rest.append(row)
        return rest

    def _range(self, row: Limit, side: int, sizes: Mapping[int, int]) -> Interval:
        groups: dict[int, list[float]] = defaultdict(list)
        for column, coefficient in row.terms.items():
            groups[self.ends[column][side]].append(coefficient)
        low = high = 0.0
        for node, values in groups.items():
            if node == self.depot:
                low += sum(min(value, 0.0) for value in values)
                high += sum(max(value, 0.0) for value in values)
            else:
                others = [0.0] if len(values) < sizes[node] else []
                low += min(values + others)
                high += max(values + others)
        return low, high
