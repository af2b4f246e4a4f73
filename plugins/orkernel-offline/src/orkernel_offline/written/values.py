"""Constant expressions of a statement, evaluated: counts, bounds, entries of vectors."""

from __future__ import annotations

import math
from collections.abc import Mapping

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.nodes import Node

Number = int | float
MAX_EXPONENT = 64


def is_whole(text: str) -> bool:
    """Whether `text` is a whole number in plain digits."""
    return text.isascii() and text.isdecimal()


def number(text: str) -> Number:
    """The value of a number as written; whole numbers stay ints."""
    if text == "inf":
        return math.inf
    if is_whole(text):
        return int(text)
    return float(text)


def constant(node: Node, known: Mapping[str, Number] | None = None) -> Number | None:
    """The value of an expression over numbers and `known` scalars, or None when it has none.

    Args:
        node: An expression.
        known: Values of scalar symbols by name.
    """
    if isinstance(node, n.Num):
        return number(node.text)
    if isinstance(node, n.Sym) and not node.subs and known is not None:
        return known.get(node.name)
    if isinstance(node, n.Neg):
        value = constant(node.arg, known)
        return None if value is None else -value
    if isinstance(node, n.Bin):
        left, right = constant(node.left, known), constant(node.right, known)
        if left is None or right is None:
            return None
        return _operated(node, left, right)
    return None


def _operated(node: n.Bin, left: Number, right: Number) -> Number | None:
    try:
        match node.op:
            case "+":
                return left + right
            case "-":
                return left - right
            case "*":
                return left * right
            case "/":
                exact = isinstance(left, int) and isinstance(right, int) and left % right == 0
                return left // right if exact else left / right
            case _:
                if abs(right) > MAX_EXPONENT:
                    return None
                power = left**right
                return power if isinstance(power, int | float) else None
    except (ZeroDivisionError, OverflowError):
        raise Unreadable("this number is not finite", ((node.start, node.end),)) from None


def whole(node: Node, known: Mapping[str, Number]) -> int | None:
    """The value of an expression when it is a whole number."""
    value = constant(node, known)
    if value is None or value != value or value in (math.inf, -math.inf) or int(value) != value:
        return None
    return int(value)


def literal(value: Number) -> str:
    """A number as the project's algebra writes it."""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return repr(value)
