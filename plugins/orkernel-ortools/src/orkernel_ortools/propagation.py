"""Ranges of the nodes of a graph that hold at every feasible point, by interval propagation.

Upwards a node's range follows from its arguments', downwards an argument's range follows from
the node's where the node must be defined at every feasible point (Benhamou et al., Revising
hull and box consistency, 1999). Ranges are loosened against rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from orkernel.algebra.forms import Column, Constant, Graph, Operation
from orkernel.algebra.interning import TRUTHS

Range = tuple[float, float]

INFINITY = math.inf
EVERYTHING: Range = (-INFINITY, INFINITY)
ROUNDS = 30
NOISE = 1e-9
"""Loosening, relative to the largest number behind a range."""
WHOLE = 1e-6
"""A range's end this near to a whole number is that number."""


class Empty(Exception):
    """No value is left for a node: the rows contradict each other or the bounds."""


@dataclass(slots=True)
class Propagation:
    """Ranges of all nodes of a graph.

    Attributes:
        graph: The graph.
        ranges: Range of each node where it is defined.
        forced: Nodes that are defined at every feasible point.
        true: Conditions that hold at every feasible point.
    """

    graph: Graph
    ranges: list[Range] = field(default_factory=list)
    forced: set[int] = field(default_factory=set)
    true: set[int] = field(default_factory=set)

    @classmethod
    def of(cls, graph: Graph, lower: Iterable[float], upper: Iterable[float]) -> Propagation:
        """Start from bounds of the columns."""
        bounds = list(zip(lower, upper, strict=True))
        found = cls(graph)
        for node in graph.nodes:
            if isinstance(node, Constant):
                found.ranges.append((node.value, node.value))
            elif isinstance(node, Column):
                found.ranges.append(bounds[node.number])
            else:
                found.ranges.append((0.0, 1.0) if node.op in TRUTHS else EVERYTHING)
        return found

    def require(self, number: int, lower: float, upper: float) -> None:
        """Demand that a node is defined and within a range at every feasible point."""
        stack = [number]
        while stack:
            current = stack.pop()
            node = self.graph.nodes[current]
            if current in self.forced or not isinstance(node, Operation):
                continue
            if node.op not in TRUTHS:
                self.forced.add(current)
                stack.extend(node.arguments)
        self._narrow(number, lower, upper)

    def hold(self, number: int) -> None:
        """Demand that a condition holds at every feasible point."""
        node = self.graph.nodes[number]
        if isinstance(node, Operation) and node.op == "and":
            for argument in node.arguments:
                self.hold(argument)
        elif isinstance(node, Operation) and node.op in TRUTHS:
            self.true.add(number)
            if node.op in _COMPARED or node.op in ("table", "all_different"):
                for argument in node.arguments:
                    self.require(argument, *EVERYTHING)
        elif isinstance(node, Column):
            self._narrow(number, 0.5, INFINITY)

    def run(self) -> None:
        """Propagate until nothing changes much.

        Raises:
            Empty: Some range became empty.
        """
        order = sorted(self.forced | self.true, reverse=True)
        for _ in range(ROUNDS):
            before = list(self.ranges)
            for number, node in enumerate(self.graph.nodes):
                if isinstance(node, Operation) and node.op in _UPWARDS:
                    parts = [self.ranges[k] for k in node.arguments]
                    self._narrow(number, *_UPWARDS[node.op](node, parts))
            for number in order:
                node = self.graph.nodes[number]
                assert isinstance(node, Operation)
                if node.op in _DOWNWARDS:
                    self._downwards(number, node)
            if not any(map(_differs, before, self.ranges)):
                return

    def _downwards(self, number: int, node: Operation) -> None:
        if node.op == "inverse":
            for argument, (keys,) in zip(node.arguments, reversed(node.data), strict=True):
                listed = self.graph.nodes[argument]
                assert isinstance(listed, Operation)
                for k in listed.arguments:
                    self._narrow(k, min(keys, default=0.0), max(keys, default=0.0))
            return
        parts = [self.ranges[k] for k in node.arguments]
        wanted = _DOWNWARDS[node.op](node, self.ranges[number], parts)
        for k, (low, high) in zip(node.arguments, wanted, strict=False):
            self._narrow(k, low, high)

    def _narrow(self, number: int, low: float, high: float) -> None:
        old = self.ranges[number]
        node = self.graph.nodes[number]
        if isinstance(node, Column) and self.graph.columns.integer[node.number]:
            low = math.ceil(low - WHOLE) if math.isfinite(low) else low
            high = math.floor(high + WHOLE) if math.isfinite(high) else high
        low, high = max(old[0], low), min(old[1], high)
        if low > high:
            if isinstance(node, Column) or low - high > 1e-6 * max(1.0, abs(low), abs(high)):
                raise Empty
            return
        self.ranges[number] = (low, high)


def _differs(old: Range, new: Range) -> bool:
    return any(
        math.isinf(a) != math.isinf(b) or abs(a - b) > 1e-3 * max(1.0, abs(b))
        for a, b in zip(old, new, strict=True)
        if a != b
    )


def _loose(low: float, high: float, size: float = 0.0) -> Range:
    """A range with room for rounding; NaN (∞ − ∞) means nothing is known."""
    low = -INFINITY if math.isnan(low) else low
    high = INFINITY if math.isnan(high) else high
    size = max((1.0, size, *(abs(end) for end in (low, high) if math.isfinite(end))))
    return low - NOISE * size, high + NOISE * size


def _size(parts: Iterable[Range]) -> float:
    return max((abs(e) for part in parts for e in part if math.isfinite(e)), default=0.0)


# --------------------------------------------------------------------------- upwards


def _sum(node: Operation, parts: list[Range]) -> Range:
    del node
    return _loose(sum(p[0] for p in parts), sum(p[1] for p in parts), _size(parts))


def _product_of(a: Range, b: Range) -> Range:
    ends = [x * y if x and y else 0.0 for x in a for y in b]
    return min(ends), max(ends)


def _product(node: Operation, parts: list[Range]) -> Range:
    low, high = 1.0, 1.0
    for part in parts:
        low, high = _product_of((low, high), part)
    if len(node.arguments) == 2 and node.arguments[0] == node.arguments[1]:
        low = max(low, 0.0)
    return _loose(low, high)


def _power(node: Operation, parts: list[Range]) -> Range:
    base, (exponent, fixed) = parts
    if exponent != fixed or not exponent.is_integer() or exponent < 1:
        return (0.0, INFINITY) if base[0] >= 0 else EVERYTHING
    try:
        ends = sorted(e**exponent for e in base)
    except OverflowError:
        return EVERYTHING if exponent % 2 else (0.0, INFINITY)
    if exponent % 2 == 0 and base[0] < 0:
        return _loose(0.0 if base[1] > 0 else ends[0], ends[1])
    return _loose(ends[0], ends[1])


def _absolute(node: Operation, parts: list[Range]) -> Range:
    del node
    low, high = parts[0]
    return (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))


def _element(node: Operation, parts: list[Range]) -> Range:
    entries = parts[len(node.data) :]
    return (min(e[0] for e in entries), max(e[1] for e in entries)) if entries else EVERYTHING


_UPWARDS: Mapping[str, Callable[[Operation, list[Range]], Range]] = {
    "sum": _sum,
    "neg": lambda node, parts: (-parts[0][1], -parts[0][0]),
    "sub": lambda node, parts: _loose(
        parts[0][0] - parts[1][1], parts[0][1] - parts[1][0], _size(parts)
    ),
    "prod": _product,
    "pow": _power,
    "abs": _absolute,
    "max": lambda node, parts: (max(p[0] for p in parts), max(p[1] for p in parts)),
    "min": lambda node, parts: (min(p[0] for p in parts), min(p[1] for p in parts)),
    "floor": lambda node, parts: _loose(parts[0][0] - 1, parts[0][1]),
    "ceil": lambda node, parts: _loose(parts[0][0], parts[0][1] + 1),
    "piecewise": lambda node, parts: (min(node.data[1]), max(node.data[1])),
    "element": _element,
}


# --------------------------------------------------------------------------- downwards

_Ranges = Iterable[Range]


def _sum_down(node: Operation, own: Range, parts: list[Range]) -> _Ranges:
    del node
    size = _size([own, *parts])
    ends = []
    for k in (0, 1):
        finite = [p[k] for p in parts if math.isfinite(p[k])]
        ends.append((sum(finite), len(parts) - len(finite)))

    def others(k: int, part: Range) -> float:
        total, infinite = ends[k]
        own_infinite = math.isinf(part[k])
        if infinite - own_infinite:
            return INFINITY if k else -INFINITY
        return total if own_infinite else total - part[k]

    return [_loose(own[0] - others(1, p), own[1] - others(0, p), size) for p in parts]


def _product_down(node: Operation, own: Range, parts: list[Range]) -> _Ranges:
    if len(node.arguments) == 2 and node.arguments[0] == node.arguments[1]:
        root = math.sqrt(max(own[1], 0.0))
        return [_loose(-root, root)]
    found = []
    for k in range(len(parts)):
        other = (1.0, 1.0)
        for part in parts[:k] + parts[k + 1 :]:
            other = _product_of(other, part)
        if other[0] <= 0.0 <= other[1]:
            found.append(EVERYTHING)
        else:
            inverse = 1.0 / other[1], 1.0 / other[0]
            found.append(_loose(*_product_of(own, inverse)))
    return found


def _power_down(node: Operation, own: Range, parts: list[Range]) -> _Ranges:
    del node
    exponent, fixed = parts[1]
    if exponent != fixed or not exponent.is_integer() or exponent < 1:
        return []
    if exponent % 2 == 0:
        root = max(own[1], 0.0) ** (1.0 / exponent)
        return [_loose(-root, root)]
    low, high = (math.copysign(abs(end) ** (1.0 / exponent), end) for end in own)
    return [_loose(low, high)]


def _keys_down(node: Operation, own: Range, parts: list[Range]) -> _Ranges:
    del own, parts
    return [(min(axis, default=0.0), max(axis, default=0.0)) for axis in node.data]


def _table_down(node: Operation, own: Range, parts: list[Range]) -> _Ranges:
    del own
    if not node.data:
        return [(1.0, 0.0) for _ in parts]
    return [_loose(min(column), max(column)) for column in zip(*node.data, strict=True)]


def _below(node: Operation, own: Range, parts: list[Range]) -> _Ranges:
    del node, own
    (low, _), (_, high) = parts
    return [_loose(-INFINITY, high), _loose(low, INFINITY)]


def _above(node: Operation, own: Range, parts: list[Range]) -> _Ranges:
    del node, own
    (_, high), (low, _) = parts
    return [_loose(low, INFINITY), _loose(-INFINITY, high)]


def _equal(node: Operation, own: Range, parts: list[Range]) -> _Ranges:
    del node, own
    return [_loose(*parts[1]), _loose(*parts[0])]


_COMPARED = frozenset({"le", "lt", "ge", "gt", "eq", "ne"})
_DOWNWARDS: Mapping[str, Callable[[Operation, Range, list[Range]], _Ranges]] = {
    "sum": _sum_down,
    "neg": lambda node, own, parts: [(-own[1], -own[0])],
    "sub": lambda node, own, parts: [
        _loose(own[0] + parts[1][0], own[1] + parts[1][1], _size([own, *parts])),
        _loose(parts[0][0] - own[1], parts[0][1] - own[0], _size([own, *parts])),
    ],
    "prod": _product_down,
    "pow": _power_down,
    "abs": lambda node, own, parts: [(-own[1], own[1])],
    "max": lambda node, own, parts: [(-INFINITY, own[1])] * len(parts),
    "min": lambda node, own, parts: [(own[0], INFINITY)] * len(parts),
    "floor": lambda node, own, parts: [_loose(own[0], own[1] + 1)],
    "ceil": lambda node, own, parts: [_loose(own[0] - 1, own[1])],
    "piecewise": lambda node, own, parts: [_loose(node.data[0][0], node.data[0][-1])],
    "element": _keys_down,
    "table": _table_down,
    "inverse": _table_down,
    "le": _below,
    "lt": _below,
    "ge": _above,
    "gt": _above,
    "eq": _equal,
}
