"""Curved models with conditions: conditions in linear integer form beside a graph."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.forms import Column, Constant, Graph, GraphRow, Operation

if TYPE_CHECKING:
    from orkernel.algebra.forms import LinearForm
    from orkernel.model import Model

LINEAR = frozenset({"linear", "piecewise", "logical"})
"""Classes of constraints that go into the linear form; the linear ones give it bounds."""


def mixed_graph(model: Model) -> tuple[Graph, tuple[str, ...]]:
    """The graph of a model whose conditions are replaced by rows over added columns.

    The columns of the model come first; the rows are in an order of their own.

    Returns:
        The graph, and what it assumes beyond the model.

    Raises:
        Unsupported: A condition is not linear, or needs a bound that is missing.
    """
    classes = model.structure.constraint_class
    if "logical" not in classes.values():
        return model.graph(), ()
    flat = np.zeros(len(model.rows), dtype=bool)
    for block in model.rows.blocks:
        flat[block.offset : block.offset + block.size] = classes[block.constraint] in LINEAR
    form = model.derive(objectives=(), keep_rows=flat).linearized()
    return _joined(model.derive(keep_rows=~flat).graph(), form), form.assumptions


def _joined(graph: Graph, form: LinearForm) -> Graph:
    """The graph's rows and objective, then the rows of the form."""
    nodes = list(graph.nodes)

    def add(node: Constant | Column | Operation) -> int:
        nodes.append(node)
        return len(nodes) - 1

    rows = list(graph.rows)
    matrix = form.matrix
    bounds = zip(form.row_lower.tolist(), form.row_upper.tolist(), strict=True)
    for i, (lower, upper) in enumerate(bounds):
        part = slice(matrix.indptr[i], matrix.indptr[i + 1])
        terms = [
            add(Operation("prod", (add(Constant(value)), add(Column(column)))))
            for value, column in zip(
                matrix.data[part].tolist(), matrix.indices[part].tolist(), strict=True
            )
        ]
        body = Operation("sum", tuple(terms)) if terms else Constant(0.0)
        rows.append(GraphRow(add(body), lower, upper))
    return replace(
        graph, nodes=tuple(nodes), rows=tuple(rows), columns=form.columns, row_labels=form.rows
    )
