"""Global constraints that must hold, as CP-SAT's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from orkernel.algebra.forms import Operation
from orkernel_ortools.exact import Linear, Rational, common_scale, rational
from orkernel_ortools.intervals import interval_variable, nonnegative, scale_of, spans
from orkernel_ortools.lookup import position
from orkernel_ortools.program import FALSE, TRUE

if TYPE_CHECKING:
    from orkernel.algebra.arguments import Arcs
    from orkernel_ortools.compiler import Compiler


def post(c: Compiler, node: Operation) -> None:
    """Add a global constraint that holds."""
    NATIVE[node.op](c, node)


def defined_values(c: Compiler, numbers: tuple[int, ...]) -> list[Linear]:
    """Values of nodes that must all be defined."""
    found = [c.number(k) for k in numbers]
    for value in found:
        for literal in value.defined:
            c.program.clause((literal,))
    return [value.linear for value in found]


def _all_different(c: Compiler, node: Operation) -> None:
    values = defined_values(c, node.arguments)
    scale = common_scale(values)
    if len(values) > 1:
        c.program.model.add_all_different([c.program.affine(v, scale) for v in values])


def _table(c: Compiler, node: Operation) -> None:
    values = defined_values(c, node.arguments)
    scales = [value.scale for value in values]
    rows = table_rows(node.data, scales)
    if not values:
        if not node.data:
            c.program.clause(())
        return
    expressions = [c.program.affine(v, s) for v, s in zip(values, scales, strict=True)]
    c.program.model.add_allowed_assignments(expressions, rows)


def table_rows(data: Any, scales: list[int]) -> list[list[int]]:
    """Rows in whole multiples of each entry's step; rows that are none are left out."""
    found = []
    for row in data:
        scaled: list[Rational] = [rational(v) * s for v, s in zip(row, scales, strict=True)]
        if all(value.denominator == 1 for value in scaled):
            found.append([int(value) for value in scaled])
    return found


def _inverse(c: Compiler, node: Operation) -> None:
    lists = [defined_values(c, c.arguments(k)) for k in node.arguments]
    keys = [axis[0] for axis in node.data]
    if not lists[0]:
        return
    found = [
        [position(c.program, value, other) for value in values]
        for values, other in zip(lists, reversed(keys), strict=True)
    ]
    for _, inside in found[0] + found[1]:
        c.program.clause((inside,))
    if any(inside == FALSE for _, inside in found[0] + found[1]):
        return
    expressions = [[c.program.variable(index) for index, _ in part] for part in found]
    c.program.model.add_inverse(*expressions)


# --------------------------------------------------------------------------- tours


def arc_literals(c: Compiler, node: Operation) -> dict[tuple[int, int], list[int]]:
    """Literals of the arcs from node to node, both 0-based; the depot is 0."""
    arcs: Arcs = node.data
    order = list(arcs.nodes)
    if arcs.depot is not None:
        order = [arcs.depot, *(n for n in order if n != arcs.depot)]
    number = {n: k for k, n in enumerate(order)}
    found: dict[tuple[int, int], list[int]] = {}
    for (tail, head), k in zip(arcs.ends, node.arguments, strict=True):
        found.setdefault((number[tail], number[head]), []).append(c.chosen(k))
    return found


def node_count(node: Operation) -> int:
    """Number of nodes of a circuit, the depot included."""
    arcs: Arcs = node.data
    return len({*arcs.nodes, *(() if arcs.depot is None else (arcs.depot,))})


def _circuit(c: Compiler, node: Operation) -> None:
    arcs = arc_literals(c, node)
    if {tail for tail, _ in arcs} | {head for _, head in arcs} != set(range(node_count(node))):
        c.program.clause(())
        return
    if arcs:
        _post_arcs(c, c.program.model.proto.constraints.add().circuit, arcs)


def _multi_circuit(c: Compiler, node: Operation) -> None:
    arcs = arc_literals(c, node)
    for literal in arcs.pop((0, 0), []):
        c.program.clause((~literal,))
    others = {n for arc in arcs for n in arc} - {0}
    if others != set(range(1, node_count(node))):
        c.program.clause(())
        return
    if not any(0 in arc for arc in arcs):
        for n in others:
            c.program.clause(arcs.get((n, n), []))
        for (tail, head), literals in arcs.items():
            for literal in literals if tail != head else ():
                c.program.clause((~literal,))
        return
    if all((n, n) in arcs for n in others):
        _always_leave_the_depot(arcs)
    _post_arcs(c, c.program.model.proto.constraints.add().routes, arcs)


def _always_leave_the_depot(arcs: dict[tuple[int, int], list[int]]) -> None:
    """Add a node of its own tour: CP-SAT's presolve takes for granted that some arc leaves."""
    extra = max(n for arc in arcs for n in arc) + 1
    arcs[0, extra] = arcs[extra, 0] = [TRUE]


def _post_arcs(c: Compiler, constraint: Any, arcs: dict[tuple[int, int], list[int]]) -> None:
    """Fill CP-SAT's constraint; a loop that is given twice is one."""
    tails, heads, indices = [], [], []
    for (tail, head), literals in arcs.items():
        for literal in [c.program.any_of(literals)] if tail == head else literals:
            tails.append(tail)
            heads.append(head)
            indices.append(c.program.index(literal))
    constraint.tails.extend(tails)
    constraint.heads.extend(heads)
    constraint.literals.extend(indices)


# --------------------------------------------------------------------------- time


def _no_overlap(c: Compiler, node: Operation) -> None:
    found, defined = spans(c, node.arguments)
    c.program.clause((defined,))
    scale = scale_of(found)
    intervals = [interval_variable(c.program, span, scale) for span in found]
    c.program.model.add_no_overlap([i for i in intervals if i is not None])


def _cumulative(c: Compiler, node: Operation) -> None:
    program = c.program
    intervals, demands, capacity = node.arguments
    found, defined = spans(c, c.arguments(intervals))
    program.clause((defined,))
    (limit,) = defined_values(c, (capacity,))
    wanted = []
    for span, k in zip(found, c.arguments(demands), strict=True):
        value = c.number(k)
        for literal in value.defined:
            program.clause((literal, ~span.present))
        wanted.append(value.linear)
    program.between(limit, 0, float("inf"))
    scale, units = scale_of(found), common_scale((*wanted, limit))
    pairs = []
    for span, demand in zip(found, wanted, strict=True):
        need = nonnegative(program, demand, units, span.present)
        interval = interval_variable(program, span, scale)
        if interval is not None:
            pairs.append((interval, program.affine(need, 1)))
    if pairs:
        program.model.add_cumulative(
            [interval for interval, _ in pairs],
            [need for _, need in pairs],
            program.affine(limit, units),
        )


NATIVE: Mapping[str, Callable[[Compiler, Operation], None]] = {
    "all_different": _all_different,
    "table": _table,
    "inverse": _inverse,
    "circuit": _circuit,
    "multi_circuit": _multi_circuit,
    "no_overlap": _no_overlap,
    "cumulative": _cumulative,
}
