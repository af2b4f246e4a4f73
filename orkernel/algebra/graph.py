"""The expression graph of a whole model: every row and objective, scalar by scalar.

What operations carry in `data`: `circuit` and `multi_circuit` an `arguments.Arcs`; `table` its
rows; `piecewise` the points `(xs, ys)`; `element` per axis the keys of its list (its arguments
are the positions, then the entries in C order); `inverse` the keys of both lists; `random` the
parameter's name and the flat position of the entry. `cumulative` takes a `list` of intervals,
a `list` of demands and the capacity; `inverse` takes two `list`s.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.chains import addends
from orkernel.algebra.expansion import Expansion
from orkernel.algebra.forms import (
    Column,
    Constant,
    Graph,
    GraphObjective,
    GraphRow,
    Operation,
)
from orkernel.algebra.interning import NodeTable
from orkernel.algebra.lower import ROUNDING
from orkernel.algebra.scope import place
from orkernel.algebra.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.program import Part
    from orkernel.model import Model

    Integers = NDArray[np.int64]


def build_graph(model: Model) -> Graph:
    """Expand a model.

    Constants of a body are moved to the bounds of its row.

    Raises:
        ExpressionError: A data expression fails, e.g. an index out of range.
    """
    program = model.program
    table = NodeTable(model.columns)
    pieces: list[Integers] = []
    logical: list[NDArray[np.bool_]] = []
    for constraint in program.constraints:
        statement, space = constraint.statement, constraint.space.fresh()
        expansion = Expansion(program, statement, table)
        with place(statement.element, statement.text):
            for part in constraint.parts:
                pieces.append(
                    _body(expansion, part, space)
                    if _needed(model.kept_rows, part.offset, space.size)
                    else np.zeros(space.size, np.int64)
                )
                logical.append(np.full(space.size, part.right is None))
    numbers = np.concatenate([np.zeros(0, np.int64), *pieces])
    truths = np.concatenate([np.zeros(0, np.bool_), *logical])
    if model.kept_rows is not None:
        numbers, truths = numbers[model.kept_rows], truths[model.kept_rows]
    allowed = model.intervals
    rows = [
        GraphRow(number, lower, upper) if truth else _shifted(table, number, lower, upper)
        for number, truth, lower, upper in zip(
            numbers.tolist(),
            truths.tolist(),
            allowed.lower.tolist(),
            allowed.upper.tolist(),
            strict=True,
        )
    ]
    objectives = []
    for objective in program.objectives:
        definition, statement = objective.definition, objective.statement
        with place(statement.element, statement.text):
            node = int(Expansion(program, statement, table).number(statement.node, Space())[0])
        objectives.append(GraphObjective(definition.name, definition.sense == "maximize", node))
    return _compact(
        Graph(tuple(table.nodes), tuple(rows), tuple(objectives), model.columns, model.rows)
    )


def _needed(kept: Integers | None, offset: int, size: int) -> bool:
    """Whether any row of a block is kept."""
    if kept is None:
        return True
    first, end = np.searchsorted(kept, [offset, offset + size])
    return bool(first < end)


def _body(expansion: Expansion, part: Part, space: Space) -> Integers:
    """Left minus right of a comparison, or the truth of a condition."""
    if part.right is None:
        return expansion.truth(part.left, space)
    terms = addends(part.left) + [(-sign, node) for sign, node in addends(part.right)]
    return expansion.total(terms, space)


def _shifted(table: NodeTable, number: int, lower: float, upper: float) -> GraphRow:
    """A row whose constant summand has been moved to the bounds."""
    node = table.nodes[number]
    if isinstance(node, Constant):
        lower, upper = lower - node.value, upper - node.value
        near = ROUNDING * max(1.0, abs(node.value))
        lower = 0.0 if 0 < lower <= near else lower
        upper = 0.0 if -near <= upper < 0 else upper
        return GraphRow(table.constant(0.0), lower, upper)
    if isinstance(node, Operation) and node.op == "sum":
        constant = table.value(node.arguments[-1])
        if constant is not None:
            rest = table.total(node.arguments[:-1])
            return GraphRow(rest, lower - constant, upper - constant)
    return GraphRow(number, lower, upper)


def _compact(graph: Graph) -> Graph:
    """The graph without nodes that no row or objective uses."""
    used = reachable(graph, [r.node for r in graph.rows] + [o.node for o in graph.objectives])
    if used.all():
        return graph
    order: list[int] = (np.cumsum(used) - 1).tolist()
    nodes: list[Constant | Column | Operation] = []
    for number in np.flatnonzero(used).tolist():
        node = graph.nodes[number]
        if isinstance(node, Operation):
            arguments = tuple([order[k] for k in node.arguments])
            if arguments != node.arguments:
                node = Operation(node.op, arguments, node.data)
        nodes.append(node)
    return Graph(
        tuple(nodes),
        tuple(replace(row, node=order[row.node]) for row in graph.rows),
        tuple(replace(o, node=order[o.node]) for o in graph.objectives),
        graph.columns,
        graph.row_labels,
    )


def reachable(graph: Graph, roots: Iterable[int]) -> NDArray[np.bool_]:
    """Which nodes the roots depend on, themselves included; shape `(nodes,)`."""
    used = [False] * len(graph.nodes)
    for root in roots:
        used[root] = True
    for number in range(len(used) - 1, -1, -1):
        node = graph.nodes[number]
        if used[number] and isinstance(node, Operation):
            for argument in node.arguments:
                used[argument] = True
    return np.array(used, np.bool_)
