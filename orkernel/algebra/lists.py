"""Lists of data, entry by entry for every row, and what aggregates make of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.nodes import Call, Comprehension, Name, Node
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.space import Label, Space, groups
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.data import DataEvaluator

    Array = NDArray[Any]
    Integers = NDArray[np.int64]

REDUCTIONS: dict[str, tuple[np.ufunc, float | None]] = {
    "sum": (np.add, 0.0),
    "prod": (np.multiply, 1.0),
    "min": (np.minimum, None),
    "max": (np.maximum, None),
    "all": (np.logical_and, True),
    "any": (np.logical_or, False),
}
"""NumPy function behind each aggregate, and its value over nothing (None: an error)."""


def entries(data: DataEvaluator, node: Node, space: Space) -> tuple[Integers, Array]:
    """The numbers of a list in every row: the row of each entry (ascending) and its value."""
    if isinstance(node, Comprehension):
        inner = data.grow(node, space)
        values = np.broadcast_to(_plain(data, node.element, inner), (inner.size,))
        return inner.rows_in(space), values
    if isinstance(node, Display):
        columns = [np.broadcast_to(_plain(data, item, space), (space.size,)) for item in node.items]
        owner = np.repeat(np.arange(space.size), len(columns))
        stacked = np.stack(columns, axis=1) if columns else np.zeros((space.size, 0))
        return owner, stacked.reshape(-1)
    values = _array(data, node)
    return np.repeat(np.arange(space.size), values.size), np.tile(values, space.size)


def _plain(data: DataEvaluator, node: Node, space: Space) -> Array:
    value = data.value(node, space)
    if isinstance(value, np.ndarray) and value.dtype == np.bool_:
        return value
    return data.as_number(value, node)


def _array(data: DataEvaluator, node: Node) -> Array:
    if isinstance(node, Name):
        kind = data.scope.kind(node.id)
        if kind == "parameter":
            return data.scope.parameters[node.id].values.reshape(-1)
        if kind == "set":
            domain = data.scope.sets[node.id]
            every = np.arange(len(domain))
            return data.as_number(Label(domain, -1 if domain.arity > 1 else 0, every), node)
        if not kind:
            raise data.scope.unknown(node, node.id)
    raise ExpressionError(
        "a list is expected", span=node.span, fix="write [a, b] or (… for i in I)"
    )


def reduce(data: DataEvaluator, node: Call, space: Space) -> Array:
    ufunc, empty = REDUCTIONS[node.function]
    logical = node.function in ("all", "any")
    several = len(node.arguments) > 1
    listing = Display(node.arguments) if several else node.arguments[0]
    owner, values = entries(data, listing, space)
    values = (values != 0) if logical else values.astype(np.float64)
    starts, present = groups(owner, space.size)
    if empty is None and present.size < space.size:
        gap = np.ones(space.size, np.bool_)
        gap[present] = False
        raise data.failure(f"{node.function}(…) over nothing", node, space, gap)
    result = np.full(space.size, 0.0 if empty is None else empty, values.dtype)
    if present.size:
        with np.errstate(over="ignore", invalid="ignore"):
            result[present] = ufunc.reduceat(values, starts)
    return result if logical else data.finite(result, node, space, f"{node.function}(…)")


def breakpoints(data: DataEvaluator, node: Call, space: Space) -> tuple[Array, Array]:
    """The points of a piecewise function in every row, two arrays of shape `(rows, points)`.

    Raises:
        ExpressionError: Fewer than two points, x not increasing, or lists of unequal length.
    """
    xs, ys = (_table(data, argument, space) for argument in node.arguments[1:3])
    if xs.shape[1] != ys.shape[1] or (space.size and xs.shape[1] < 2):
        raise ExpressionError(
            f"piecewise needs as many x as y, at least two; here {xs.shape[1]} and {ys.shape[1]}",
            span=node.span,
        )
    falling = np.any(np.diff(xs, axis=1) <= 0, axis=1)
    if np.any(falling):
        raise data.failure("piecewise needs increasing x values", node, space, falling)
    return xs, ys


def _table(data: DataEvaluator, node: Node, space: Space) -> Array:
    """The numbers of a list that has one length in all rows, shape `(rows, entries)`."""
    owner, values = entries(data, node, space)
    counts = np.bincount(owner, minlength=space.size)
    if space.size and np.any(counts != counts[0]):
        raise ExpressionError("this list has a different length in every row", span=node.span)
    return values.reshape(space.size, int(counts[0]) if space.size else 0)


def interpolate(x: Array, xs: Array, ys: Array) -> Array:
    """Linear interpolation row by row.

    Args:
        x: Shape `(…, rows)` or `()`.
        xs: Points, ascending, shape `(rows, points)`.
        ys: Values at the points, same shape.
    """
    inside = np.clip(x, xs[:, 0], xs[:, -1])
    segment = np.sum(inside[..., np.newaxis] >= xs[:, 1:-1], axis=-1)
    rows = np.arange(xs.shape[0])
    x0, x1 = xs[rows, segment], xs[rows, segment + 1]
    y0, y1 = ys[rows, segment], ys[rows, segment + 1]
    return np.asarray(y0 + (inside - x0) * (y1 - y0) / (x1 - x0))
