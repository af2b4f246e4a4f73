"""Global constraints inside logic: the literal that says whether one holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING

from orkernel.algebra.forms import Operation
from orkernel_ortools.arithmetic import multiply
from orkernel_ortools.constraints import arc_literals, node_count
from orkernel_ortools.exact import Linear, rational, total
from orkernel_ortools.intervals import Span, spans
from orkernel_ortools.program import FALSE

if TYPE_CHECKING:
    from orkernel_ortools.compiler import Compiler


def literal(c: Compiler, node: Operation) -> int:
    """The literal of a global constraint; one over something undefined does not hold."""
    return _LITERALS[node.op](c, node)


def _values(c: Compiler, numbers: tuple[int, ...]) -> tuple[list[Linear], list[int]]:
    found = [c.number(k) for k in numbers]
    return [v.linear for v in found], [literal for v in found for literal in v.defined]


def _all_different(c: Compiler, node: Operation) -> int:
    values, defined = _values(c, node.arguments)
    pairs = (~c.program.equal(a, b) for a, b in combinations(values, 2))
    return c.program.all_of((*pairs, *defined))


def _table(c: Compiler, node: Operation) -> int:
    values, defined = _values(c, node.arguments)

    def row(entries: tuple[float, ...]) -> int:
        pairs = zip(values, map(rational, entries), strict=True)
        return c.program.all_of(c.program.within(value, entry, entry) for value, entry in pairs)

    return c.program.all_of((c.program.any_of(row(entries) for entries in node.data), *defined))


def _inverse(c: Compiler, node: Operation) -> int:
    (one, defined), (other, more) = (_values(c, c.arguments(k)) for k in node.arguments)
    keys, other_keys = ([rational(key) for key in axis[0]] for axis in node.data)
    within = c.program.within
    conditions = [*defined, *more]
    for values, own, targets, back in (
        (one, keys, other, other_keys),
        (other, other_keys, one, keys),
    ):
        for value, key in zip(values, own, strict=True):
            hits = [
                c.program.all_of((within(value, k, k), within(target, key, key)))
                for k, target in zip(back, targets, strict=True)
            ]
            conditions.append(c.program.any_of(hits))
    return c.program.all_of(conditions)


# --------------------------------------------------------------------------- time


def _before(c: Compiler, one: Span, other: Span) -> int:
    return c.program.within(other.start.minus(one.end), 0, None)


def _no_overlap(c: Compiler, node: Operation) -> int:
    found, defined = spans(c, node.arguments)
    conditions = [defined, *_sizes(c, found)]
    conditions += [
        c.program.any_of((~a.present, ~b.present, _before(c, a, b), _before(c, b, a)))
        for a, b in combinations(found, 2)
    ]
    return c.program.all_of(conditions)


def _sizes(c: Compiler, found: list[Span]) -> list[int]:
    return [c.program.any_of((~s.present, c.program.within(s.size, 0, None))) for s in found]


def _cumulative(c: Compiler, node: Operation) -> int:
    program = c.program
    intervals, demands, capacity = node.arguments
    found, defined = spans(c, c.arguments(intervals))
    (limit,), known = _values(c, (capacity,))
    wanted = []
    conditions = [defined, *known, *_sizes(c, found), program.within(limit, 0, None)]
    for span, k in zip(found, c.arguments(demands), strict=True):
        value = c.number(k)
        wanted.append(value.linear)
        for literal_ in (*value.defined, program.within(value.linear, 0, None)):
            conditions.append(program.any_of((~span.present, literal_)))
    for moment in found:
        load = []
        for span, demand in zip(found, wanted, strict=True):
            begun = program.within(moment.start.minus(span.start), 0, None)
            ended = program.within(moment.start.minus(span.end), 0, None)
            running = program.all_of((span.present, begun, ~ended))
            load.append(multiply(c, program.number(running), demand))
        fits = program.within(limit.minus(total(load)), 0, None)
        conditions.append(program.any_of((~moment.present, fits)))
    return program.all_of(conditions)


# --------------------------------------------------------------------------- tours


def _circuit(c: Compiler, node: Operation) -> int:
    arcs = arc_literals(c, node)
    nodes = range(node_count(node))
    loops = {n: c.program.any_of(arcs.get((n, n), ())) for n in nodes}
    degrees = [d for n in nodes for d in _degrees(c, arcs, n, ~loops[n])]
    return _without_subtour(c, arcs, degrees, {n: ~loops[n] for n in nodes}, closed=None)


def _multi_circuit(c: Compiler, node: Operation) -> int:
    arcs = arc_literals(c, node)
    others = range(1, node_count(node))
    loops = {n: c.program.any_of(arcs.get((n, n), ())) for n in others}
    degrees = [~k for k in arcs.get((0, 0), ())]
    degrees += [d for n in others for d in _degrees(c, arcs, n, ~loops[n])]
    return _without_subtour(c, arcs, degrees, {n: ~loops[n] for n in others}, closed=0)


Arcs = dict[tuple[int, int], list[int]]


def _degrees(c: Compiler, arcs: Arcs, node: int, inside: int) -> list[int]:
    """One arc out of and one into a node that is inside, none otherwise."""
    program = c.program
    found = []
    for end in (0, 1):
        used = [k for arc, ks in arcs.items() if arc[end] == node != arc[1 - end] for k in ks]
        count = total([program.number(k) for k in used])
        found.append(program.within(count.minus(program.number(inside)), 0, 0))
    return found


def _without_subtour(
    c: Compiler, arcs: Arcs, degrees: list[int], inside: dict[int, int], closed: int | None
) -> int:
    """Whether degrees are right and no tour leaves out a node (or the depot `closed`).

    True is witnessed by a position of every node along its tour, false by wrong degrees or by a
    set of nodes that the chosen arcs do not leave: a set without the depot, or, without a depot,
    one that holds some but not all nodes inside.
    """
    program = c.program
    right = program.all_of(degrees)
    if right == FALSE:
        return FALSE
    connected = program.boolean()
    last = max(len(inside) - 1, 0)
    place = {n: Linear.variable(program.integer(0, last)) for n in inside}
    first = {n: program.boolean() if closed is None else FALSE for n in inside}
    if closed is None:
        some = program.any_of(inside.values())
        count = total([program.number(k) for k in first.values()])
        program.between(count.minus(program.number(some)), 0, 0)
        for n, literal_ in first.items():
            program.clause((~literal_, inside[n]))
    member = {n: program.boolean() for n in inside}
    for n, literal_ in member.items():
        program.clause((~literal_, inside[n]))
    for (tail, head), literals in arcs.items():
        if tail == head:
            continue
        for k in literals:
            if tail in place and head in place:
                after = place[head].minus(place[tail])
                when = (connected, right, k, ~first[head])
                program.between(after, 1, last + 1, when)
                program.clause((connected, ~right, ~k, ~member[tail], member[head]))
            elif tail in place:
                program.clause((connected, ~right, ~k, ~member[tail]))
    program.clause((connected, ~right, *member.values()))
    if closed is None:
        outside = [program.all_of((inside[n], ~member[n])) for n in inside]
        program.clause((connected, ~right, *outside))
    return program.all_of((right, connected))


_LITERALS: Mapping[str, Callable[[Compiler, Operation], int]] = {
    "all_different": _all_different,
    "table": _table,
    "inverse": _inverse,
    "no_overlap": _no_overlap,
    "cumulative": _cumulative,
    "circuit": _circuit,
    "multi_circuit": _multi_circuit,
}
