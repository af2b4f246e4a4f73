"""Numeric operations of a graph in CP-SAT, exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING

from orkernel.algebra.forms import Constant, Operation
from orkernel.errors import Unsupported
from orkernel_ortools import lookup
from orkernel_ortools.exact import Linear, Rational, common_scale, rational, tidy, total
from orkernel_ortools.program import LARGEST, TRUE, Literals

if TYPE_CHECKING:
    from orkernel_ortools.compiler import Compiler, Number


def compile_number(c: Compiler, node: Operation) -> Number:
    """A numeric operation.

    Raises:
        Unsupported: It has no exact integer form.
    """
    compile_ = _OPERATIONS.get(node.op)
    if compile_ is None:
        raise Unsupported(
            c.program.element, f"'{node.op}' has no exact value in CP-SAT's whole numbers"
        )
    return compile_(c, node)


def _values(c: Compiler, numbers: Sequence[int]) -> tuple[list[Linear], Literals]:
    """Values of nodes, and the literals that must hold for all to be defined."""
    found = [c.number(k) for k in numbers]
    defined = dict.fromkeys(literal for value in found for literal in value.defined)
    return [value.linear for value in found], tuple(defined)


def _made(linear: Linear, defined: Literals) -> Number:
    from orkernel_ortools.compiler import Number

    return Number(linear, tuple(k for k in defined if k != TRUE))


# --------------------------------------------------------------------------- linear


def _sum(c: Compiler, node: Operation) -> Number:
    parts, defined = _values(c, node.arguments)
    return _made(total(parts), defined)


def _negative(c: Compiler, node: Operation) -> Number:
    (part,), defined = _values(c, node.arguments)
    return _made(part.times(-1), defined)


def _difference(c: Compiler, node: Operation) -> Number:
    (left, right), defined = _values(c, node.arguments)
    return _made(left.minus(right), defined)


# --------------------------------------------------------------------------- products


def _product(c: Compiler, node: Operation) -> Number:
    parts, defined = _values(c, node.arguments)
    result = Linear({}, 1)
    for part in sorted(parts, key=lambda p: len(p.terms)):
        result = multiply(c, result, part)
    return _made(result, defined)


def multiply(c: Compiler, one: Linear, other: Linear) -> Linear:
    """The product of two expressions."""
    if not one.terms:
        return other.times(one.constant)
    if not other.terms:
        return one.times(other.constant)
    program = c.program
    scales = one.scale, other.scale
    ranges = [program.whole_range(e, s) for e, s in zip((one, other), scales, strict=True)]
    ends = [a * b for a in ranges[0] for b in ranges[1]]
    low, high = min(ends), max(ends)
    if one.key == other.key:
        low = max(low, 0)
    product = program.integer(low, high)
    factors = [program.affine(e, s) for e, s in zip((one, other), scales, strict=True)]
    program.model.add_multiplication_equality(program.cp(product), factors)
    return Linear({product: tidy(Fraction(1, scales[0] * scales[1]))})


def _power(c: Compiler, node: Operation) -> Number:
    base, exponent = (c.node(k) for k in node.arguments)
    if isinstance(exponent, Constant) and exponent.value.is_integer() and exponent.value >= 0:
        value = c.number(node.arguments[0])
        result = Linear({}, 1)
        square, left = value.linear, int(exponent.value)
        while left:
            if left % 2:
                result = multiply(c, result, square)
            left //= 2
            if left:
                square = multiply(c, square, square)
        return _made(result, value.defined)
    if isinstance(exponent, Constant) and exponent.value.is_integer():
        degree = int(exponent.value)
        return _tabulated(c, node.arguments[0], lambda x: Fraction(x) ** degree if x else None)
    if isinstance(base, Constant) and base.value > 0:
        fixed = Fraction(rational(base.value))

        def power(x: Rational) -> Rational | None:
            if Fraction(x).denominator != 1:
                raise Unsupported(c.program.element, "a fractional power is not exact")
            return tidy(fixed ** int(x))

        return _tabulated(c, node.arguments[1], power)
    raise Unsupported(c.program.element, "this power has no exact form in whole numbers")


def _tabulated(c: Compiler, number: int, function: Callable[[Rational], Rational | None]) -> Number:
    """A function of one expression with few values."""
    value = c.number(number)
    result, defined = lookup.tabulated(c.program, value.linear, function)
    return _made(result, (*value.defined, defined))


# --------------------------------------------------------------------------- quotients


def _quotient(c: Compiler, node: Operation) -> Number:
    (numerator,), defined = _values(c, node.arguments[:1])
    inverse = _tabulated(c, node.arguments[1], lambda x: Fraction(1) / x if x else None)
    return _made(multiply(c, numerator, inverse.linear), (*defined, *inverse.defined))


def _floor(c: Compiler, node: Operation) -> Number:
    return _rounded(c, node, 1)


def _ceil(c: Compiler, node: Operation) -> Number:
    return _rounded(c, node, -1)


def _rounded(c: Compiler, node: Operation, sign: int) -> Number:
    """floor(x), or with sign −1 ceil(x) = −floor(−x)."""
    inner = c.node(node.arguments[0])
    program = c.program
    if isinstance(inner, Operation) and inner.op == "div":
        (numerator, divisor), defined = _values(c, inner.arguments)
        quotient, nonzero = _floor_division(c, numerator.times(sign), divisor)
        return _made(quotient.times(sign), (*defined, nonzero))
    value = c.number(node.arguments[0])
    linear, scale = value.linear.times(sign), value.linear.scale
    if scale == 1:
        return value
    low, high = program.range(linear)
    whole = program.integer(math.floor(low), math.floor(high))
    rest = linear.minus(Linear.variable(whole))
    program.between(rest, 0, Fraction(scale - 1, scale))
    return _made(Linear.variable(whole).times(sign), value.defined)


def _floor_division(c: Compiler, numerator: Linear, divisor: Linear) -> tuple[Linear, int]:
    """⌊numerator / divisor⌋, and the literal that says that the divisor is not 0."""
    program = c.program
    scale = common_scale((numerator, divisor))
    numerator, divisor = numerator.times(scale), divisor.times(scale)
    low, high = program.whole_range(numerator, 1)
    reach = max(abs(low), abs(high))
    if not divisor.terms and divisor.constant == 0:
        return Linear(), ~TRUE
    quotient = Linear.variable(program.integer(-reach, reach))
    rest = numerator.minus(multiply(c, quotient, divisor))
    positive = program.within(divisor, 1, None)
    negative = program.within(divisor, None, -1)
    program.between(rest, 0, LARGEST, (positive,))
    program.between(rest.minus(divisor), -LARGEST, -1, (positive,))
    program.between(rest, -LARGEST, 0, (negative,))
    program.between(rest.minus(divisor), 1, LARGEST, (negative,))
    nonzero = program.any_of((positive, negative))
    program.between(quotient, 0, 0, (~nonzero,))
    return quotient, nonzero


# --------------------------------------------------------------------------- extremes


def _absolute(c: Compiler, node: Operation) -> Number:
    (part,), defined = _values(c, node.arguments)
    low, high = c.program.range(part)
    if low >= 0 or high <= 0:
        return _made(part.times(1 if low >= 0 else -1), defined)
    scale = part.scale
    size = c.program.integer(0, int(max(-low, high) * scale))
    c.program.model.add_abs_equality(c.program.cp(size), c.program.expression(part, scale))
    return _made(Linear({size: tidy(Fraction(1, scale))}), defined)


def _maximum(c: Compiler, node: Operation) -> Number:
    return _extreme(c, node, 1)


def _minimum(c: Compiler, node: Operation) -> Number:
    return _extreme(c, node, -1)


def _extreme(c: Compiler, node: Operation, sign: int) -> Number:
    """max(…), or with sign −1 min(…) = −max(−…)."""
    parts, defined = _values(c, node.arguments)
    parts = [part.times(sign) for part in parts]
    scale = common_scale(parts)
    ranges = [c.program.range(part) for part in parts]
    low, high = (max(r[k] for r in ranges) for k in (0, 1))
    largest = c.program.integer(int(low * scale), int(high * scale))
    c.program.model.add_max_equality(
        c.program.cp(largest), [c.program.expression(p, scale) for p in parts]
    )
    return _made(Linear({largest: tidy(Fraction(sign, scale))}), defined)


# --------------------------------------------------------------------------- functions


def _piecewise(c: Compiler, node: Operation) -> Number:
    """Interpolation: one literal per segment that x can lie in."""
    value = c.number(node.arguments[0])
    x, program = value.linear, c.program
    xs, ys = ([rational(v) for v in axis] for axis in node.data)
    low, high = program.range(x)
    inside = program.within(x, xs[0], xs[-1])
    segments = [
        (a, b, ya, Fraction(yb - ya) / (b - a))
        for (a, ya), (b, yb) in pairwise(zip(xs, ys, strict=True))
        if a <= high and b >= low
    ]
    if not segments:
        if len(xs) == 1:
            return _made(Linear({}, ys[0]), (*value.defined, inside))
        return _made(Linear(), (*value.defined, ~TRUE))
    if len(segments) == 1:
        a, _, ya, slope = segments[0]
        return _made(x.times(tidy(slope)).plus(ya - slope * a), (*value.defined, inside))
    pieces = [(a, b, x.times(tidy(slope)).plus(ya - slope * a)) for a, b, ya, slope in segments]
    scale = common_scale(piece for _, _, piece in pieces)
    first, last = max(low, xs[0]), min(high, xs[-1])
    reach = [
        ya + slope * (end - a)
        for a, b, ya, slope in segments
        for end in (max(a, first), min(b, last))
    ]
    y = program.integer(math.floor(min(reach) * scale), math.ceil(max(reach) * scale))
    result = Linear({y: tidy(Fraction(1, scale))})
    chosen = []
    for a, b, piece in pieces:
        here = program.all_of((program.within(x, a, b), inside))
        chosen.append(here)
        program.between(result.minus(piece), 0, 0, (here,))
    return _made(result, (*value.defined, inside))


def _element(c: Compiler, node: Operation) -> Number:
    axes = len(node.data)
    positions, defined = _values(c, node.arguments[:axes])
    entries = c.entries(node.arguments[axes:])
    result, found = lookup.element(c.program, positions, node.data, entries)
    return _made(result, (*defined, found))


_OPERATIONS: Mapping[str, Callable[[Compiler, Operation], Number]] = {
    "sum": _sum,
    "neg": _negative,
    "sub": _difference,
    "prod": _product,
    "pow": _power,
    "div": _quotient,
    "floor": _floor,
    "ceil": _ceil,
    "abs": _absolute,
    "max": _maximum,
    "min": _minimum,
    "piecewise": _piecewise,
    "element": _element,
}
