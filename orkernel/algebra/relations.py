"""Comparisons and memberships of data: members by code, numbers by value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.members import TEXT
from orkernel.algebra.nodes import Compare, Node
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.space import Atoms, Label, Space
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.data import DataEvaluator

    Array = NDArray[Any]
    Bools = NDArray[np.bool_]


def compare(data: DataEvaluator, node: Compare, space: Space) -> Bools:
    """Truth of a comparison or chain of data."""
    result: Bools | None = None
    for left, op, right in zip(node.operands, node.ops, node.operands[1:], strict=False):
        if op in ("in", "not in"):
            part = _contains(data, left, right, space)
            part = ~part if op == "not in" else part
        else:
            part = _relation(data, left, op, right, space)
        result = part if result is None else result & part
    assert result is not None
    return result


def _relation(data: DataEvaluator, left: Node, op: str, right: Node, space: Space) -> Bools:
    if op in ("==", "!="):
        a, b = _keys(data, left, space), _keys(data, right, space)
        if len(a) != len(b):
            raise ExpressionError(
                f"a tuple of {len(a)} parts is compared with one of {len(b)}",
                span=left.span,
            )
        equal: Bools = np.array(True)
        for x, y in zip(a, b, strict=True):
            equal = equal & _equal(x, y)
        return equal if op == "==" else ~equal
    a_number, b_number = data.number(left, space), data.number(right, space)
    relation = {"<=": np.less_equal, ">=": np.greater_equal, "<": np.less, ">": np.greater}[op]
    result: Bools = relation(a_number, b_number)
    return result


def _keys(data: DataEvaluator, node: Node, space: Space) -> tuple[Array, ...]:
    """What equality compares: codes of members, else numbers."""
    if isinstance(node, Display):
        return tuple(key for item in node.items for key in _keys(data, item, space))
    value = data.value(node, space)
    return value.codes() if isinstance(value, (Label, Atoms)) else (value,)


def key(data: DataEvaluator, node: Node, space: Space) -> Array:
    """Codes or numbers by which a single value is compared for equality."""
    keys = _keys(data, node, space)
    if len(keys) != 1:
        raise ExpressionError("a tuple stands where one value is expected", span=node.span)
    return keys[0]


def _contains(data: DataEvaluator, left: Node, right: Node, space: Space) -> Bools:
    if isinstance(right, Display):
        found: Bools = np.array(False)
        for item in right.items:
            found = found | _relation(data, left, "==", item, space)
        return found
    domain = data.source(right)
    if not len(domain):
        return np.array(False)
    values = [
        data.value(item, space) for item in (left.items if isinstance(left, Display) else (left,))
    ]
    if sum(v.arity if isinstance(v, Label) else 1 for v in values) != domain.arity:
        raise ExpressionError(
            f"members of '{domain.name}' have {domain.arity} part(s)", span=left.span
        )
    return data.positions(values, domain, left) >= 0


def _equal(x: Array, y: Array) -> Bools:
    """Equality of codes and numbers; a text equals no number."""
    if x.dtype == np.int64 and y.dtype != np.int64:
        x = np.where(x < TEXT, x, np.nan)
    elif y.dtype == np.int64 and x.dtype != np.int64:
        y = np.where(y < TEXT, y, np.nan)
    result: Bools = np.equal(x, y)
    return result
