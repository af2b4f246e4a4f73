"""Values of an expression graph at points, node by node; the reference for whoever consumes it.

A comparison with something undefined (the logarithm of a negative number) is undefined, NaN;
logic over it is undefined unless the other operands decide.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra import arithmetic
from orkernel.algebra.data import SCALAR_FUNCTIONS
from orkernel.algebra.forms import Column, Constant, Graph, Operation
from orkernel.algebra.graph_constraints import holds
from orkernel.algebra.interning import COMPARISONS, TRUTHS
from orkernel.errors import Unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

TOLERANCE = 1e-6
"""Two numbers closer than this are equal to a comparison inside logic."""


def evaluate_graph(graph: Graph, points: Floats) -> tuple[Floats, Floats]:
    """Values of all rows and objectives.

    Args:
        graph: The graph.
        points: Shape `(pop, n)` or `(n,)`.

    Returns:
        Row values, shape `(pop, rows)`, to be compared with the bounds of the rows, and
        objective values, shape `(pop, objectives)`.

    Raises:
        Unsupported: The graph contains an expectation or probability.
    """
    population = np.atleast_2d(np.asarray(points, np.float64))
    size = len(population)
    values: list[Floats] = []
    with np.errstate(all="ignore"):
        for node in graph.nodes:
            if isinstance(node, Constant):
                values.append(np.full(size, node.value))
            elif isinstance(node, Column):
                values.append(population[:, node.number])
            else:
                values.append(_value(graph, node, values, size))
    empty = np.zeros((size, 0))
    rows = [values[row.node] for row in graph.rows]
    objectives = [values[objective.node] for objective in graph.objectives]
    return (
        np.stack(rows, axis=1) if rows else empty,
        np.stack(objectives, axis=1) if objectives else empty,
    )


def _value(graph: Graph, node: Operation, values: list[Floats], size: int) -> Floats:
    op = node.op
    arguments = [values[k] for k in node.arguments]
    if op in COMPARISONS:
        fixed = [n.value for k in node.arguments if isinstance(n := graph.nodes[k], Constant)]
        return _comparison(op, arguments[0], arguments[1], abs(fixed[-1]) if fixed else 0.0)
    if op in _REDUCTIONS:
        return np.asarray(_REDUCTIONS[op](np.stack(arguments)), np.float64)
    if op in SCALAR_FUNCTIONS:
        result: Floats = SCALAR_FUNCTIONS[op](arguments[0])
        return result
    if op in _SIMPLE:
        return np.asarray(_SIMPLE[op](*arguments), np.float64)
    if op == "piecewise":
        return _piecewise(arguments[0], node.data)
    if op == "element":
        return _element(arguments, node.data)
    if op in ("interval", "list"):
        return np.zeros(size)
    if op in TRUTHS:
        table = np.stack(values)
        truth = [holds(graph, node, column.item) for column in table.T]
        return np.array(truth, np.float64)
    raise Unsupported(f"operation '{op}'", "it has no value at a point without sampling")


_REDUCTIONS: Mapping[str, Callable[[Floats], Any]] = {
    "sum": lambda a: a.sum(axis=0),
    "prod": lambda a: a.prod(axis=0),
    "min": lambda a: a.min(axis=0),
    "max": lambda a: a.max(axis=0),
    "and": lambda a: a.min(axis=0, initial=1.0, where=~np.isnan(a)) + _unknown(a, 0.0),
    "or": lambda a: a.max(axis=0, initial=0.0, where=~np.isnan(a)) + _unknown(a, 1.0),
}

_SIMPLE: Mapping[str, Callable[..., Any]] = {
    "neg": lambda a: -a,
    "sub": lambda a, b: a - b,
    "div": arithmetic.divide,
    "pow": arithmetic.power,
    "not": lambda a: 1.0 - a,
    "implies": lambda a, b: _REDUCTIONS["or"](np.stack([1.0 - a, b])),
    "iff": lambda a, b: 1.0 - np.abs(a - b),
}


def _unknown(truths: Floats, decisive: float) -> Floats:
    """NaN where a truth is undefined and none has the decisive value, else 0."""
    undefined = np.isnan(truths).any(axis=0) & ~(truths == decisive).any(axis=0)
    return np.where(undefined, np.nan, 0.0)


def _comparison(op: str, left: Floats, right: Floats, fixed: float) -> Floats:
    """Truth within `TOLERANCE`, times max(1, |the constant side|); strict ones beyond it."""
    slack = TOLERANCE * max(1.0, fixed)
    difference = left - right
    truth = {
        "le": difference <= slack,
        "ge": difference >= -slack,
        "lt": difference < -slack,
        "gt": difference > slack,
        "eq": np.abs(difference) <= slack,
        "ne": np.abs(difference) > slack,
    }[op]
    return np.where(np.isnan(difference), np.nan, truth)


def _piecewise(x: Floats, points: tuple[tuple[float, ...], tuple[float, ...]]) -> Floats:
    """Interpolated value, NaN outside the points."""
    xs, ys = np.array(points[0]), np.array(points[1])
    slack = TOLERANCE * max(1.0, abs(xs[0]), abs(xs[-1]))
    inside = (x >= xs[0] - slack) & (x <= xs[-1] + slack)
    return np.where(inside, np.interp(x, xs, ys), np.nan)


def _element(arguments: list[Floats], keys: tuple[tuple[float, ...], ...]) -> Floats:
    """Value at the positions that come first, NaN where there is no such position."""
    places, entries = arguments[: len(keys)], arguments[len(keys) :]
    shape = tuple(len(axis) for axis in keys)
    table = np.stack(entries, axis=-1).reshape(-1, *shape)
    result = np.full(len(table), np.nan)
    for point in range(len(table)):
        hits = [
            np.flatnonzero(np.abs(np.array(axis) - place[point]) <= 10 * TOLERANCE)
            for axis, place in zip(keys, places, strict=True)
        ]
        if all(hit.size for hit in hits):
            result[point] = table[(point, *(int(hit[0]) for hit in hits))]
    return result
