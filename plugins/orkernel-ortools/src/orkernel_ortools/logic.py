"""Conditions of a graph as literals, and as constraints that must hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from orkernel.algebra.forms import Column, Operation
from orkernel.algebra.interning import COMPARISONS, TRUTHS
from orkernel_ortools import constraints, reified
from orkernel_ortools.exact import Linear, Rational
from orkernel_ortools.program import Literals

if TYPE_CHECKING:
    from orkernel_ortools.compiler import Compiler, Truth

OPERATIONS = TRUTHS


def compile_truth(c: Compiler, node: Operation) -> Truth:
    """A condition as literals."""
    from orkernel_ortools.compiler import Truth

    if node.op in COMPARISONS:
        return _comparison(c, node)
    if node.op not in _CONNECTIVES:
        return Truth.of(reified.literal(c, node))
    parts = [c.truth(k) for k in node.arguments]
    if all(part.false == ~part.true for part in parts):
        return Truth.of(_CONNECTIVES[node.op](c, parts, True))
    return Truth(_CONNECTIVES[node.op](c, parts, True), _CONNECTIVES[node.op](c, parts, False))


def _and(c: Compiler, parts: list[Truth], want: bool) -> int:
    if want:
        return c.program.all_of(part.true for part in parts)
    return c.program.any_of(part.false for part in parts)


def _or(c: Compiler, parts: list[Truth], want: bool) -> int:
    if want:
        return c.program.any_of(part.true for part in parts)
    return c.program.all_of(part.false for part in parts)


def _not(c: Compiler, parts: list[Truth], want: bool) -> int:
    del c
    return parts[0].false if want else parts[0].true


def _implies(c: Compiler, parts: list[Truth], want: bool) -> int:
    left, right = parts
    if want:
        return c.program.any_of((left.false, right.true))
    return c.program.all_of((left.true, right.false))


def _iff(c: Compiler, parts: list[Truth], want: bool) -> int:
    one, other = parts
    if one.false == ~one.true and other.false == ~other.true:
        agree = c.program.same(one.true, other.true)
        return agree if want else ~agree
    pairs = (
        ((one.true, other.true), (one.false, other.false))
        if want
        else ((one.true, other.false), (one.false, other.true))
    )
    return c.program.any_of(c.program.all_of(pair) for pair in pairs)


_CONNECTIVES: Mapping[str, Callable[[Compiler, list[Truth], bool], int]] = {
    "and": _and,
    "or": _or,
    "not": _not,
    "implies": _implies,
    "iff": _iff,
}


# --------------------------------------------------------------------------- comparisons


def _difference(c: Compiler, node: Operation) -> tuple[Linear, Literals]:
    left, right = (c.number(k) for k in node.arguments)
    return left.linear.minus(right.linear), (*left.defined, *right.defined)


def _interval(op: str, difference: Linear) -> tuple[Rational | None, Rational | None]:
    """Allowed interval of a difference; a strict comparison leaves out the last step."""
    step = Fraction(1, difference.scale)
    allowed: dict[str, tuple[Rational | None, Rational | None]] = {
        "le": (None, 0),
        "lt": (None, -step),
        "ge": (0, None),
        "gt": (step, None),
        "eq": (0, 0),
        "ne": (0, 0),
    }
    return allowed[op]


def _comparison(c: Compiler, node: Operation) -> Truth:
    difference, defined = _difference(c, node)
    holds = c.program.within(difference, *_interval(node.op, difference))
    return c.decided(~holds if node.op == "ne" else holds, defined)


# --------------------------------------------------------------------------- requirements


def require(c: Compiler, number: int, when: Literals) -> None:
    """Make a condition true whenever all literals hold."""
    node = c.node(number)
    if not isinstance(node, Operation) or node.op not in OPERATIONS:
        _state(c, number, when)
    elif node.op in COMPARISONS and node.op != "ne":
        difference, defined = _difference(c, node)
        for literal in defined:
            c.program.clause((literal, *(~k for k in when)))
        low, high = _interval(node.op, difference)
        infinity = float("inf")
        c.program.between(
            difference, -infinity if low is None else low, infinity if high is None else high, when
        )
    elif node.op == "and":
        for argument in node.arguments:
            c.require(argument, when)
    elif node.op == "or":
        c.program.clause([*(_sufficient(c, k) for k in node.arguments), *(~k for k in when)])
    elif node.op == "implies":
        condition, consequence = node.arguments
        c.require(consequence, (*when, ~c.truth(condition).false))
    elif node.op in constraints.NATIVE and not when:
        constraints.post(c, node)
    else:
        _state(c, number, when)


def _state(c: Compiler, number: int, when: Literals) -> None:
    c.program.clause((c.truth(number).true, *(~k for k in when)))


def _sufficient(c: Compiler, number: int) -> int:
    """A literal whose truth makes a condition true; it need not hold whenever that is true."""
    node = c.node(number)
    if isinstance(node, Column) or not isinstance(node, Operation):
        return c.truth(number).true
    if (node.op in COMPARISONS and node.op != "ne") or node.op == "and":
        literal = c.program.boolean()
        c.require(number, (literal,))
        return literal
    return c.truth(number).true
