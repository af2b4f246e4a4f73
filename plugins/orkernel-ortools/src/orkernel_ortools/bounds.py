"""Finite bounds for the columns of a model, where they follow from its rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from orkernel.algebra.forms import Column
from orkernel.algebra.implied_bounds import implied_bounds
from orkernel.errors import Unsupported
from orkernel_ortools.propagation import Empty, Propagation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.forms import Floats, Graph, LinearForm
    from orkernel.model import Model

    Integers = NDArray[np.int64]

LARGEST = 2.0**53
"""A bound beyond this counts as none: larger whole numbers are not exact in the answer."""


@dataclass(frozen=True, slots=True, eq=False)
class Bounds:
    """Bounds at whole numbers, shape `(n,)`; infinite where none is known.

    Attributes:
        empty: True if no point is left.
    """

    lower: Floats
    upper: Floats
    empty: bool = False

    @property
    def open(self) -> Integers:
        """Columns with an infinite bound."""
        known = np.isfinite(self.lower) & np.isfinite(self.upper)
        return np.flatnonzero(~known)

    def within(self, other: Bounds) -> bool:
        """Whether every point of these bounds is within the others."""
        return bool(np.all(self.lower >= other.lower) and np.all(self.upper <= other.upper))


def declared(model: Model) -> Bounds:
    """The bounds that the model states, rounded inwards; huge ones count as none."""
    lower, upper = np.ceil(model.columns.lower), np.floor(model.columns.upper)
    return Bounds(
        np.where(lower < -LARGEST, -np.inf, lower), np.where(upper > LARGEST, np.inf, upper)
    )


def derived(model: Model, bounds: Bounds, cutoff: float | None = None) -> Bounds:
    """Tighten bounds by the rows.

    Args:
        model: The model.
        bounds: Where to start.
        cutoff: The objective must be at least as good as this.
    """
    try:
        form = model.linear()
    except Unsupported:
        return _by_graph(model.graph(), bounds, cutoff)
    return _by_matrix(form, bounds, cutoff)


def _by_matrix(form: LinearForm, bounds: Bounds, cutoff: float | None) -> Bounds:
    matrix, row_lower, row_upper = form.matrix, form.row_lower, form.row_upper
    used = np.asarray(abs(matrix).sum(axis=0)).reshape(-1) > 0
    for objective in form.objectives:
        used |= objective.cost != 0
        if cutoff is not None:
            limit = cutoff - objective.offset
            matrix = sparse.vstack([matrix, sparse.csr_array(objective.cost[np.newaxis])]).tocsr()
            row_lower = np.append(row_lower, limit if objective.maximize else -np.inf)
            row_upper = np.append(row_upper, np.inf if objective.maximize else limit)
    lower, upper = implied_bounds(
        matrix, row_lower, row_upper, bounds.lower, bounds.upper, form.columns.integer
    )
    return _settled(Bounds(lower, upper), used)


def _by_graph(graph: Graph, bounds: Bounds, cutoff: float | None) -> Bounds:
    propagation = Propagation.of(graph, bounds.lower.tolist(), bounds.upper.tolist())
    logical = np.zeros(len(graph.rows), np.bool_)
    for block in graph.row_labels.blocks:
        logical[block.offset : block.offset + block.size] = block.logical
    try:
        for row, truth in zip(graph.rows, logical.tolist(), strict=True):
            if truth:
                propagation.hold(row.node)
            else:
                propagation.require(row.node, row.lower, row.upper)
        for objective in graph.objectives:
            limit = np.inf if cutoff is None else cutoff
            if objective.maximize:
                propagation.require(objective.node, -np.inf if cutoff is None else cutoff, np.inf)
            else:
                propagation.require(objective.node, -np.inf, limit)
        propagation.run()
    except Empty:
        return Bounds(bounds.lower, bounds.upper, empty=True)
    lower, upper = bounds.lower.copy(), bounds.upper.copy()
    used = np.zeros(len(lower), np.bool_)
    for number, node in enumerate(graph.nodes):
        if isinstance(node, Column):
            used[node.number] = True
            lower[node.number], upper[node.number] = propagation.ranges[number]
    return _settled(Bounds(lower, upper), used)


def _settled(bounds: Bounds, used: NDArray[np.bool_]) -> Bounds:
    """A column that nothing depends on may as well stay where it is nearest to 0."""
    free = np.zeros(len(used), np.bool_)
    free[bounds.open] = True
    free &= ~used
    nearest = np.clip(0.0, bounds.lower, bounds.upper)
    return Bounds(np.where(free, nearest, bounds.lower), np.where(free, nearest, bounds.upper))
