"""From a model's graph to a routing problem, or to the knowledge that it is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, floor, isfinite
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.affine import Affine, total
from orkernel.algebra.arguments import Arcs
from orkernel.algebra.forms import Column, Constant, Operation
from orkernel_ortools.routing.dimensions import Growth, Places, connected, dimension, growths
from orkernel_ortools.routing.implied import Degrees
from orkernel_ortools.routing.statements import Foreign, read
from orkernel_ortools.routing.tour import Arc, Dimension, Limit, Tour

if TYPE_CHECKING:
    from orkernel.algebra.forms import Bools, Floats, Graph
    from orkernel.model import Model

ROUNDING = 1e-9


def recognise(model: Model) -> Tour | None:
    """Find the routing problem that a model is.

    A model is one if it has one `circuit` or `multi_circuit` over binary columns, a linear
    objective over them, and otherwise only linear rows over them, columns that are affine
    functions of them, and quantities along the tours (loads, arrival times) whose growth along
    an arc follows from `implies(arc[i,j] == 1, …)` or a big-M row. No row is left out.

    Args:
        model: Any model.

    Returns:
        The routing problem, or None.
    """
    try:
        return _recognised(model)
    except Foreign:
        return None


def _recognised(model: Model) -> Tour:
    graph = model.graph()
    said = read(graph)
    if len(said.tours) != 1:
        raise Foreign
    operation = said.tours[0]
    names, ends = _arcs(graph, operation)
    lower, upper = model.columns.lower.copy(), model.columns.upper.copy()
    rows = _tightened(said.linear, lower, upper, model.columns.integer)
    rules, rows = _rules(said.conditional, rows, ends)
    grown = {column for _, row in rules for column in row.terms}
    fixed = {
        column: Affine(float(lower[column]))
        for column in np.flatnonzero(lower == upper).tolist()
        if column not in grown and column not in ends
    }
    determined, rows, cost = _eliminated(rows, said.objective, fixed, set(ends) | grown)
    rows += [
        Limit.of(body, float(lower[column]), float(upper[column]))
        for column, body in determined.items()
    ]
    if any(set(row.terms) - set(ends) for row in rows) or set(cost.terms) - set(ends):
        raise Foreign
    arcs = {arc: column for column, arc in ends.items() if upper[column] >= 1.0}
    forced = frozenset(arc for arc, column in arcs.items() if lower[column] > 0.0)
    depot = names.index(operation.data.depot) if operation.op == "multi_circuit" else None
    if depot is not None:
        arcs.pop((depot, depot), None)
    places = Places(model.columns, names)
    quantities = connected(growths(rules, places))
    depot, dimensions = _dimensions(
        quantities, _depots(depot, len(names), arcs, cost), arcs, lower, upper
    )
    several = operation.op == "multi_circuit"
    rows = Degrees(depot if several else None, ends).not_implied(rows)
    vehicles = (1, 1)
    if several:
        vehicles, rows = _vehicles(rows, depot, len(names), arcs)
    return Tour(
        model,
        len(names),
        depot,
        arcs,
        forced,
        {arc: cost.terms.get(column, 0.0) for arc, column in arcs.items()},
        vehicles,
        dimensions,
        tuple(rows),
        determined,
        lower,
        upper,
    )


def _arcs(graph: Graph, operation: Operation) -> tuple[list[str | int], dict[int, Arc]]:
    """Names of the nodes, and the arc of each arc column."""
    data: Arcs = operation.data
    names = list(data.nodes)
    place = {name: k for k, name in enumerate(names)}
    ends: dict[int, Arc] = {}
    for (tail, head), argument in zip(data.ends, operation.arguments, strict=True):
        node = graph.nodes[argument]
        if node == Constant(0.0):
            continue
        if not isinstance(node, Column) or node.number in ends:
            raise Foreign
        ends[node.number] = place[tail], place[head]
    columns = graph.columns
    binary = all(
        columns.integer[k] and columns.lower[k] >= 0.0 and columns.upper[k] <= 1.0 for k in ends
    )
    if not binary or len(set(ends.values())) != len(ends) or len(names) < 2:
        raise Foreign
    return names, ends


def _tightened(rows: Iterable[Limit], lower: Floats, upper: Floats, integer: Bools) -> list[Limit]:
    """The rows over several columns; those over one become bounds."""
    rest = []
    for row in rows:
        if len(row.terms) > 1:
            rest.append(row)
            continue
        if not row.terms:
            if row.lower > ROUNDING or row.upper < -ROUNDING:
                raise Foreign
            continue
        ((column, coefficient),) = row.terms.items()
        unit = row.times(1.0 / coefficient)
        lower[column] = max(lower[column], unit.lower)
        upper[column] = min(upper[column], unit.upper)
    for column in np.flatnonzero(integer).tolist():
        if isfinite(lower[column]):
            lower[column] = ceil(lower[column] - ROUNDING)
        if isfinite(upper[column]):
            upper[column] = floor(upper[column] + ROUNDING)
    return rest


def _rules(
    conditional: Iterable[tuple[int, Limit]], rows: Iterable[Limit], ends: Mapping[int, Arc]
) -> tuple[list[tuple[Arc, Limit]], list[Limit]]:
    """Rows that bind when an arc is chosen, and all others.

    A linear row with one arc column and the difference of two others binds when the arc is
    chosen; whether it is loose otherwise is left to the check of the finished point.
    """
    rules: list[tuple[Arc, Limit]] = []
    for column, row in conditional:
        if column not in ends or set(row.terms) & set(ends):
            raise Foreign
        rules.append((ends[column], row))
    pending, rest = [], []
    for row in rows:
        inside = [column for column in row.terms if column in ends]
        one_sided = not (isfinite(row.lower) and isfinite(row.upper))
        if len(inside) == 1 and len(row.terms) == 3 and one_sided:
            rules.append((ends[inside[0]], _given(row, inside[0])))
        elif len(inside) == 1 and len(row.terms) == 2 and one_sided:
            pending.append((inside[0], row))
        else:
            rest.append(row)
    grown = {column for _, row in rules for column in row.terms}
    for arc, row in pending:
        if set(row.terms) - {arc} <= grown:
            rules.append((ends[arc], _given(row, arc)))
        else:
            rest.append(row)
    return rules, rest


def _given(row: Limit, arc: int) -> Limit:
    """A row when an arc is chosen."""
    rest = {column: c for column, c in row.terms.items() if column != arc}
    return Limit(rest, row.lower - row.terms[arc], row.upper - row.terms[arc])


def _eliminated(
    rows: list[Limit], objective: Affine, fixed: Mapping[int, Affine], known: set[int]
) -> tuple[dict[int, Affine], list[Limit], Affine]:
    """Columns that equations make affine functions of known ones, and what is left without them."""
    determined = dict(fixed)
    progress = True
    while progress:
        progress = False
        rest = []
        for row in rows:
            body = _substituted(Affine(0.0, row.terms), determined)
            row = Limit.of(body, row.lower, row.upper)
            unknown = [column for column in row.terms if column not in known]
            if len(unknown) == 1 and row.lower == row.upper:
                column = unknown[0]
                factor = -1.0 / row.terms[column]
                others = {k: c for k, c in row.terms.items() if k != column}
                determined[column] = Affine(-row.lower, others).scaled(factor)
                progress = True
            else:
                rest.append(row)
        rows = rest
    return determined, rows, _substituted(objective, determined)


def _substituted(body: Affine, determined: Mapping[int, Affine]) -> Affine:
    return total(
        [Affine(body.constant)]
        + [determined.get(k, Affine.column(k)).scaled(c) for k, c in body.terms.items()]
    )


def _depots(given: int | None, nodes: int, arcs: Mapping[Arc, int], cost: Affine) -> list[int]:
    """Where tours may begin: the given depot, or any node that a single tour has to pass.

    Where every node may be left out, the one that is dearest to leave out is taken.
    """
    if given is not None:
        return [given]
    loops = {i: column for (i, j), column in arcs.items() if i == j}
    return [i for i in range(nodes) if i not in loops] or [
        max(loops, key=lambda i: cost.terms.get(loops[i], 0.0))
    ]


def _dimensions(
    quantities: Sequence[Sequence[Growth]],
    depots: Iterable[int],
    arcs: Mapping[Arc, int],
    lower: Floats,
    upper: Floats,
) -> tuple[int, tuple[Dimension, ...]]:
    """The first depot from which all quantities can start, and the quantities."""
    for depot in depots:
        try:
            found = [dimension(rows, depot, arcs, lower, upper) for rows in quantities]
        except Foreign:
            continue
        return depot, tuple(found)
    raise Foreign


def _vehicles(
    rows: Iterable[Limit], depot: int, nodes: int, arcs: Mapping[Arc, int]
) -> tuple[tuple[int, int], list[Limit]]:
    """Fewest and most tours, and the rows that say something else."""
    leaving = {column for (i, _), column in arcs.items() if i == depot}
    entering = {column for (_, j), column in arcs.items() if j == depot}
    fewest, most = 0, min(nodes - 1, len(leaving), len(entering))
    rest = []
    for row in rows:
        coefficients = set(row.terms.values())
        if len(coefficients) == 1 and set(row.terms) in (leaving, entering):
            count = row.times(1.0 / coefficients.pop())
            if isfinite(count.lower):
                fewest = max(fewest, ceil(count.lower - ROUNDING))
            if isfinite(count.upper):
                most = min(most, floor(count.upper + ROUNDING))
        else:
            rest.append(row)
    if most < max(fewest, 1):
        raise Foreign
    return (fewest, most), rest
