"""Logic, absolute values, extremes, piecewise functions and products with binaries as a MIP.

The linear form keeps the model's columns and rows first, in their order. Added columns follow
the model's `n`, added rows follow its `m`, both labelled by the constraint or objective that
they come from. The row of a condition stays, empty, and the added rows
state it (a single binary is stated in place). Where a row or
objective pushes a convex function down (or a concave one up), no binary is added.

Sources: big-M and McCormick forms as in Williams, Model Building in Mathematical Programming,
5th ed., ch. 9; the constants come from interval arithmetic over column bounds that are first
tightened by the plain linear rows.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from orkernel.algebra.affine import Affine, total
from orkernel.algebra.assembly import AddedRow, Assembly, Owner
from orkernel.algebra.conditions import Conditions
from orkernel.algebra.forms import (
    Column,
    Columns,
    Constant,
    Graph,
    IndexSet,
    LinearForm,
    LinearObjective,
    RowBlock,
    Rows,
    VariableBlock,
)
from orkernel.algebra.implied_bounds import implied_bounds
from orkernel.algebra.interning import NodeTable
from orkernel.algebra.linearizer import Linearizer, Side
from orkernel.errors import Unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.model import Model

    Floats = NDArray[np.float64]


def linearize(model: Model) -> LinearForm:
    """The linear integer form of a model; its own linear form where it has one.

    Raises:
        Unsupported: An element has no linear form, or needs a bound of a variable that is
            missing (the variable is named).
    """
    try:
        return model.linear()
    except Unsupported:
        return linearize_graph(model.graph())


def linearize_graph(graph: Graph) -> LinearForm:
    """The linear integer form of a graph.

    Raises:
        Unsupported: As for `linearize`.
    """
    columns, labels = graph.columns, graph.row_labels
    plain = _plain(graph)
    lower, upper = _bounds(graph, plain)
    assembly = Assembly(columns, lower.tolist(), upper.tolist())
    linearizer = Linearizer(graph, assembly)
    conditions = Conditions(linearizer, NodeTable.of(graph).integral)
    linearizer.conditions = conditions

    own: list[AddedRow] = []
    for block in labels.blocks:
        for number in range(block.offset, block.offset + block.size):
            row = graph.rows[number]
            owner = Owner(f"constraint '{block.constraint}'", block.constraint, number)
            assembly.owner = owner
            body = plain[row.node]
            if block.logical and body is None:
                conditions.enforce((row.node, True))
                own.append(AddedRow(owner, Affine(), -np.inf, np.inf))
                continue
            if body is None:
                body = linearizer.affine(row.node, _side(row.lower, row.upper))
            own.append(
                AddedRow(
                    owner,
                    body,
                    row.lower - body.constant,
                    row.upper - body.constant,
                )
            )
    objectives: list[tuple[Affine, str, bool]] = []
    for objective in graph.objectives:
        assembly.owner = Owner(f"objective '{objective.name}'", objective.name, -1)
        side = Side.BELOW if objective.maximize else Side.ABOVE
        body = plain[objective.node] or linearizer.affine(objective.node, side)
        objectives.append((body, objective.name, objective.maximize))

    rows = own + assembly.rows
    size = len(assembly.lower)
    return LinearForm(
        _matrix([row.body for row in rows], size),
        np.array([row.lower for row in rows]),
        np.array([row.upper for row in rows]),
        _columns(columns, assembly),
        _labels(labels, assembly.rows),
        tuple(
            LinearObjective(name, maximize, _dense(body, size), body.constant)
            for body, name, maximize in objectives
        ),
        tuple(conditions.assumptions),
    )


def _side(lower: float, upper: float) -> Side:
    """How the body of a row may be replaced."""
    if math.isfinite(lower):
        return Side.EXACT if math.isfinite(upper) else Side.BELOW
    return Side.ABOVE


def _plain(graph: Graph) -> list[Affine | None]:
    """The affine expression of each node that has one without any added column."""
    found: list[Affine | None] = []
    for node in graph.nodes:
        result: Affine | None = None
        if isinstance(node, Constant):
            result = Affine(node.value)
        elif isinstance(node, Column):
            result = Affine.column(node.number)
        else:
            parts = [part for k in node.arguments if (part := found[k]) is not None]
            if len(parts) == len(node.arguments):
                varying = [part for part in parts if part.terms]
                if node.op == "sum":
                    result = total(parts)
                elif node.op == "neg":
                    result = parts[0].scaled(-1.0)
                elif node.op == "prod" and len(varying) == 1:
                    factor = math.prod(part.constant for part in parts if not part.terms)
                    result = varying[0].scaled(factor)
        found.append(result)
    return found


def _bounds(graph: Graph, plain: Sequence[Affine | None]) -> tuple[Floats, Floats]:
    """Column bounds that hold at every feasible point."""
    columns = graph.columns
    bodies, lower, upper = [], [], []
    for row in graph.rows:
        body = plain[row.node]
        if body is not None and body.terms:
            bodies.append(body)
            lower.append(row.lower - body.constant)
            upper.append(row.upper - body.constant)
    return implied_bounds(
        _matrix(bodies, len(columns)),
        np.array(lower),
        np.array(upper),
        columns.lower,
        columns.upper,
        columns.integer,
    )


def _matrix(bodies: Sequence[Affine], size: int) -> sparse.csr_array:
    counts = [len(body.terms) for body in bodies]
    starts = np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]).astype(np.int64)
    columns = np.array([k for body in bodies for k in body.terms], np.int64)
    values = np.array([c for body in bodies for c in body.terms.values()], np.float64)
    matrix = sparse.csr_array((values, columns, starts), shape=(len(bodies), size))
    matrix.sort_indices()
    return matrix


def _dense(body: Affine, size: int) -> Floats:
    cost = np.zeros(size)
    for column, coefficient in body.terms.items():
        cost[column] = coefficient
    return cost


def _columns(columns: Columns, assembly: Assembly) -> Columns:
    """The model's columns, with its own bounds, then the added ones."""
    n = len(columns)
    blocks = list(columns.blocks)
    offset = n
    for element, members in groupby(assembly.owners, key=lambda owner: owner.element):
        size = len(list(members))
        numbers = tuple(range(1, size + 1))
        index = IndexSet("added", numbers, 1, {k: k - 1 for k in numbers})
        blocks.append(VariableBlock(f"added by {element}", (index,), (size,), offset, size))
        offset += size
    added = len(assembly.owners)
    return Columns(
        tuple(blocks),
        np.concatenate([columns.lower, assembly.lower[n:]]),
        np.concatenate([columns.upper, assembly.upper[n:]]),
        np.concatenate([columns.integer, np.array(assembly.integer[n:], np.bool_)]),
        np.concatenate([columns.start, np.full(added, np.nan)]),
    )


def _labels(labels: Rows, added: Sequence[AddedRow]) -> Rows:
    """The model's row blocks, then one block per run of added rows of one constraint part."""
    blocks = list(labels.blocks)
    starts = np.array([block.offset for block in labels.blocks])
    offset = labels.size

    def home(row: AddedRow) -> tuple[int, str]:
        number = row.owner.row
        return (int(np.searchsorted(starts, number, "right")) - 1 if number >= 0 else -1), (
            row.owner.name
        )

    for (place, name), run in groupby(added, key=home):
        rows = [row.owner.row for row in run]
        if place < 0:
            blocks.append(RowBlock(name, 0, offset, len(rows)))
        else:
            block = labels.blocks[place]
            inside = np.array(rows) - block.offset
            blocks.append(
                RowBlock(
                    block.constraint,
                    block.part,
                    offset,
                    len(rows),
                    block.names,
                    tuple(members[inside] for members in block.index),
                    block.sources,
                )
            )
        offset += len(rows)
    return Rows(tuple(blocks), offset)
