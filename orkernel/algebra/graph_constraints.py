"""Truth of the global constraints of a graph at one point, from plain numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations, pairwise
from typing import Any

from orkernel.algebra.arguments import Arcs, Atom
from orkernel.algebra.forms import Graph, Operation

TOLERANCE = 1e-6
KEY_TOLERANCE = 1e-5
"""A value this near to a key or table entry stands for it."""

Point = Callable[[int], float]
"""Value of a node by number."""

_Interval = tuple[float, float, bool]


def holds(graph: Graph, node: Operation, value: Point) -> bool:
    """Whether a global constraint holds.

    Args:
        graph: The graph.
        node: One of its global constraints.
        value: Values of the nodes at the point.
    """
    return _CONSTRAINTS[node.op](graph, node, value)


def _arguments(graph: Graph, number: int) -> tuple[int, ...]:
    node = graph.nodes[number]
    assert isinstance(node, Operation)
    return node.arguments


def _all_different(graph: Graph, node: Operation, value: Point) -> bool:
    values = sorted(value(k) for k in node.arguments)
    return all(b - a > TOLERANCE for a, b in pairwise(values))


def _table(graph: Graph, node: Operation, value: Point) -> bool:
    values = [value(k) for k in node.arguments]
    return any(
        all(abs(a - b) <= KEY_TOLERANCE for a, b in zip(values, row, strict=True))
        for row in node.data
    )


def _inverse(graph: Graph, node: Operation, value: Point) -> bool:
    lists = [[value(k) for k in _arguments(graph, argument)] for argument in node.arguments]
    keys = [keys[0] for keys in node.data]
    return _points_back(lists[0], keys[0], lists[1], keys[1]) and _points_back(
        lists[1], keys[1], lists[0], keys[0]
    )


def _points_back(one: list[float], one_keys: Any, other: list[float], other_keys: Any) -> bool:
    for key, target in zip(one_keys, one, strict=True):
        hits = [k for k, o in enumerate(other_keys) if abs(o - target) <= KEY_TOLERANCE]
        if not hits or abs(other[hits[0]] - key) > KEY_TOLERANCE:
            return False
    return True


# --------------------------------------------------------------------------- tours


def _chosen(node: Operation, value: Point) -> list[tuple[Atom, Atom]]:
    arcs: Arcs = node.data
    return [end for end, k in zip(arcs.ends, node.arguments, strict=True) if value(k) >= 0.5]


def _circuit(graph: Graph, node: Operation, value: Point) -> bool:
    """One tour through every node without a chosen loop."""
    arcs: Arcs = node.data
    chosen = _chosen(node, value)
    outside = {a for a, b in chosen if a == b}
    after = {a: b for a, b in chosen if a != b}
    if len(after) != sum(a != b for a, b in chosen) or outside & set(after):
        return False
    inside = [n for n in arcs.nodes if n not in outside]
    if set(after) != set(inside) or set(after.values()) != set(inside):
        return False
    return not inside or len(_walk(after, inside[0], inside[0])) == len(inside)


def _multi_circuit(graph: Graph, node: Operation, value: Point) -> bool:
    """Tours from and to the depot, every other node on exactly one."""
    arcs: Arcs = node.data
    chosen = _chosen(node, value)
    depot = arcs.depot
    if (depot, depot) in chosen:
        return False
    outside = {a for a, b in chosen if a == b}
    moves = [(a, b) for a, b in chosen if a != b]
    after = {a: b for a, b in moves if a != depot}
    starts = [b for a, b in moves if a == depot]
    others = {n for n in arcs.nodes if n != depot} - outside
    leaving = [a for a, _ in moves if a != depot]
    entering = [b for _, b in moves if b != depot]
    if sorted(map(str, leaving)) != sorted(map(str, others)):
        return False
    if sorted(map(str, entering)) != sorted(map(str, others)):
        return False
    visited = [n for start in starts for n in (start, *_walk(after, start, depot))]
    return sorted(map(str, (n for n in visited if n != depot))) == sorted(map(str, others))


def _walk(after: Mapping[Any, Any], start: Any, end: Any) -> list[Any]:
    """Nodes reached after `start`, up to and including `end`."""
    found: list[Any] = []
    current = start
    while current in after and len(found) <= len(after):
        current = after[current]
        found.append(current)
        if current == end:
            break
    return found


# --------------------------------------------------------------------------- time


def _interval(graph: Graph, number: int, value: Point) -> _Interval:
    start, size, *present = _arguments(graph, number)
    return value(start), value(size), all(value(k) >= 0.5 for k in present)


def _no_overlap(graph: Graph, node: Operation, value: Point) -> bool:
    found = [_interval(graph, k, value) for k in node.arguments]
    present = [(start, size) for start, size, there in found if there]
    if any(size < -TOLERANCE for _, size in present):
        return False
    return all(
        a + size_a <= b + TOLERANCE or b + size_b <= a + TOLERANCE
        for (a, size_a), (b, size_b) in combinations(present, 2)
    )


def _cumulative(graph: Graph, node: Operation, value: Point) -> bool:
    intervals, demands, capacity = node.arguments
    found = [_interval(graph, k, value) for k in _arguments(graph, intervals)]
    wanted = [value(k) for k in _arguments(graph, demands)]
    running = [
        (start, size, demand)
        for (start, size, there), demand in zip(found, wanted, strict=True)
        if there
    ]
    if any(size < -TOLERANCE or demand < -TOLERANCE for _, size, demand in running):
        return False
    limit = value(capacity) + TOLERANCE * max(1.0, abs(value(capacity)))
    if limit < 0:
        return False
    return all(
        sum(
            demand
            for start, size, demand in running
            if start <= moment + TOLERANCE and start + size > moment + TOLERANCE
        )
        <= limit
        for moment, _, _ in running
    )


_CONSTRAINTS: Mapping[str, Callable[[Graph, Operation, Point], bool]] = {
    "all_different": _all_different,
    "table": _table,
    "inverse": _inverse,
    "circuit": _circuit,
    "multi_circuit": _multi_circuit,
    "no_overlap": _no_overlap,
    "cumulative": _cumulative,
}
