"""Intervals that hold the values of an expression graph, from the bounds of its columns."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

Interval = tuple[float, float]
ANY: Interval = (-math.inf, math.inf)
RANGES: dict[str, Interval] = {
    "abs": (0.0, math.inf),
    "exp": (0.0, math.inf),
    "sqrt": (0.0, math.inf),
    "sin": (-1.0, 1.0),
    "cos": (-1.0, 1.0),
    "cosh": (1.0, math.inf),
    "tanh": (-1.0, 1.0),
    "asin": (-math.pi / 2, math.pi / 2),
    "acos": (0.0, math.pi),
    "atan": (-math.pi / 2, math.pi / 2),
}
"""Values of functions, whatever their arguments."""
INCREASING = {"exp": math.exp, "sqrt": math.sqrt, "log": math.log, "log10": math.log10}
"""Functions whose ends follow from the ends of the argument, where these are defined."""


def interval(op: str, arguments: Sequence[Any]) -> Interval:
    """Values of an operation over the intervals of its arguments; wider than need be.

    Args:
        op: An operation of an expression graph.
        arguments: An interval per argument.
    """
    if op == "sum":
        return sum(low for low, _ in arguments), sum(high for _, high in arguments)
    if op == "sub":
        (low, high), (least, most) = arguments
        return low - most, high - least
    if op == "neg":
        ((low, high),) = arguments
        return -high, -low
    if op == "prod":
        product: Interval = (1.0, 1.0)
        for other in arguments:
            product = _product(product, other)
        return product
    if op == "div":
        (_, (least, most)) = arguments
        if least <= 0.0 <= most:
            return ANY
        return _product(arguments[0], (1.0 / most, 1.0 / least))
    if op == "pow":
        return _power(*arguments)
    if op == "cos":
        return _cosine(*arguments[0])
    if op in INCREASING:
        low, high = (_at(INCREASING[op], end) for end in arguments[0])
        return (RANGES.get(op, ANY)[0] if low is None else low, math.inf if high is None else high)
    return RANGES.get(op, ANY)


def _product(a: Interval, b: Interval) -> Interval:
    ends = [0.0 if 0.0 in (x, y) else x * y for x in a for y in b]
    return min(ends), max(ends)


def _cosine(low: float, high: float) -> Interval:
    if low < -math.pi or high > math.pi:
        return RANGES["cos"]
    ends = math.cos(low), math.cos(high)
    return min(ends), 1.0 if low <= 0.0 <= high else max(ends)


def _power(base: Interval, exponent: Interval) -> Interval:
    (low, high), (p, q) = base, exponent
    if p != q or (low <= 0.0 and p < 0.0):
        return (0.0, math.inf) if low >= 0.0 or (p == q and p % 2 == 0) else ANY
    ends = [_at(lambda end: end**p, end) for end in (low, high)]
    if p % 2 == 0:
        inside = [0.0] if low < 0.0 < high else []
    elif low < 0.0 and p != int(p):
        ends, inside = [_at(lambda end: end**p, max(0.0, high))], [0.0]
    else:
        inside = []
    known = [math.inf if end is None else end for end in ends]
    return min(known + inside), max(known + inside)


def _at(function: Any, end: float) -> float | None:
    """The value at an end; None where it has none."""
    try:
        value = function(end)
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return float(value) if isinstance(value, float) and not math.isnan(value) else None
