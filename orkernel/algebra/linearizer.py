"""Numeric operations of a graph as affine expressions over added columns.

An expression that is only pushed down (in an objective to be minimised, on the smaller side of
`<=`) may be replaced by anything above it: convex functions then need rows but no binaries.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING

from orkernel.algebra.affine import INFINITY, Affine, total
from orkernel.algebra.assembly import Assembly
from orkernel.algebra.forms import Column, Constant, Graph, Operation
from orkernel.algebra.interning import TRUTHS

if TYPE_CHECKING:
    from orkernel.algebra.conditions import Conditions


class Side(IntEnum):
    """How an affine expression may differ from the value that it stands for."""

    BELOW = -1
    EXACT = 0
    ABOVE = 1

    def through(self, factor: float) -> Side:
        """The side for an operand that is multiplied by `factor`."""
        return Side(-self) if factor < 0 else self


class Linearizer:
    """Turns numeric nodes into affine expressions.

    Args:
        graph: The model's graph.
        assembly: Where columns and rows are added.

    Attributes:
        conditions: Linearizes truth nodes.
        conditional: Set while an expression is linearized that need not have a value.
    """

    conditions: Conditions
    conditional: bool = False

    def __init__(self, graph: Graph, assembly: Assembly) -> None:
        self.graph = graph
        self.assembly = assembly
        self._known: dict[tuple[int, Side], Affine] = {}

    def affine(self, number: int, side: Side) -> Affine:
        """An affine expression for a node.

        Raises:
            Unsupported: The operation has no linear form, or needs a bound that is missing.
        """
        node = self.graph.nodes[number]
        if isinstance(node, Constant):
            return Affine(node.value)
        if isinstance(node, Column):
            return Affine.column(node.number)
        for known in (side, Side.EXACT):
            if (number, known) in self._known:
                return self._known[number, known]
        found = self._operation(number, node, side)
        self._known[number, side] = found
        return found

    def _operation(self, number: int, node: Operation, side: Side) -> Affine:
        arguments = node.arguments
        match node.op:
            case "sum":
                return total([self.affine(k, side) for k in arguments])
            case "neg":
                return self.affine(arguments[0], side.through(-1.0)).scaled(-1.0)
            case "prod":
                return self._product(arguments, side)
            case "pow":
                return self._power(arguments[0], arguments[1])
            case "max":
                return self._largest([(1.0, k) for k in arguments], side)
            case "min":
                return self._largest([(-1.0, k) for k in arguments], side.through(-1.0)).scaled(
                    -1.0
                )
            case "abs":
                return self._largest([(1.0, arguments[0]), (-1.0, arguments[0])], side, 0.0)
            case "piecewise":
                return self._piecewise(arguments[0], node.data, side)
        if node.op in TRUTHS:
            return self.conditions.indicator(number, True, side)
        raise self.assembly.unsupported(f"{_NAMES.get(node.op, node.op)} has no linear form")

    # ------------------------------------------------------------------ products

    def _product(self, factors: Sequence[int], side: Side) -> Affine:
        coefficient = 1.0
        rest: list[int] = []
        for factor in factors:
            node = self.graph.nodes[factor]
            if isinstance(node, Constant):
                coefficient *= node.value
            else:
                rest.append(factor)
        if len(rest) == 1:
            return self.affine(rest[0], side.through(coefficient)).scaled(coefficient)
        parts = [self.affine(k, Side.EXACT) for k in rest]
        flags = [part for part in parts if self.assembly.is_binary(part)]
        others = [part for part in parts if not self.assembly.is_binary(part)]
        flag = self._conjunction(flags)
        if not others:
            return flag.scaled(coefficient)
        if len(others) > 1:
            raise self.assembly.unsupported(
                "a product of two variables that are not binary has no linear form"
            )
        return self._switched(flag, others[0]).scaled(coefficient)

    def _power(self, base: int, exponent: int) -> Affine:
        power = self.graph.nodes[exponent]
        if isinstance(power, Constant) and power.value >= 1:
            flag = self.affine(base, Side.EXACT)
            if self.assembly.is_binary(flag):
                return flag
        raise self.assembly.unsupported("a power of variables has no linear form")

    def _conjunction(self, flags: Sequence[Affine]) -> Affine:
        """Product of 0–1 expressions."""
        distinct: dict[tuple[float, frozenset[tuple[int, float]]], Affine] = {
            (flag.constant, frozenset(flag.terms.items())): flag for flag in flags
        }
        several = list(distinct.values())
        if not several:
            return Affine(1.0)
        if len(several) == 1:
            return several[0]
        product = self.assembly.share()
        for flag in several:
            self.assembly.require(flag - product, lower=0.0)
        self.assembly.require(product - total(several), lower=1.0 - len(several))
        return product

    def _switched(self, flag: Affine, value: Affine) -> Affine:
        """`flag · value`: the value where the flag is 1, else 0."""
        if not flag.terms:
            return value.scaled(flag.constant)
        low, high = self.assembly.low(value), self.assembly.high(value)
        product = self.assembly.result(min(low, 0.0), max(high, 0.0), (value,))
        off = Affine(1.0) - flag
        self.assembly.require(product - flag.scaled(high), upper=0.0)
        self.assembly.require(product - flag.scaled(low), lower=0.0)
        self.assembly.require(product - value + off.scaled(low), upper=0.0)
        self.assembly.require(product - value + off.scaled(high), lower=0.0)
        return product

    # ------------------------------------------------------------------ largest of several

    def _largest(
        self, signed: Sequence[tuple[float, int]], side: Side, least: float = -INFINITY
    ) -> Affine:
        """max of `sign · node`, which is known to be at least `least`."""
        assembly = self.assembly
        parts = [self.affine(k, side.through(sign)).scaled(sign) for sign, k in signed]
        intervals = [assembly.interval(part) for part in parts]
        floor = max(least, *(low for low, _ in intervals))
        best = max(range(len(parts)), key=lambda k: intervals[k][0])
        kept = [k for k, (_, high) in enumerate(intervals) if high > floor or k == best]
        if len(kept) == 1:
            return parts[kept[0]]
        ceiling = max(intervals[k][1] for k in kept)
        chosen = [parts[k] for k in kept]
        if side is not Side.ABOVE:
            for part in chosen:
                assembly.low(part)
            ceiling = max(assembly.high(part) for part in chosen)
        largest = assembly.result(floor, ceiling, chosen)
        if side is not Side.BELOW:
            for part in chosen:
                assembly.require(largest - part, lower=0.0)
        if side is not Side.ABOVE:
            for part, flag in zip(chosen, self._one_of(len(chosen)), strict=True):
                assembly.require(largest - part, upper=0.0, guards=(flag,))
        return largest

    def _one_of(self, count: int) -> list[Affine]:
        """0–1 expressions of which exactly one is 1."""
        flags = [self.assembly.binary() for _ in range(count - 1)]
        last = Affine(1.0) - total(flags)
        if count > 2:
            self.assembly.require(last, lower=0.0)
        return [*flags, last]

    # ------------------------------------------------------------------ piecewise

    def _piecewise(
        self, argument: int, points: tuple[Sequence[float], Sequence[float]], side: Side
    ) -> Affine:
        """Interpolation through points; the argument stays between the first and the last."""
        assembly = self.assembly
        xs, ys = points
        x = self.affine(argument, Side.EXACT)
        low, high = assembly.interval(x)
        if self.conditional and (low < xs[0] or high > xs[-1]):
            raise assembly.unsupported(
                "piecewise(x, …) inside a condition needs bounds that keep x within its points"
            )
        slopes = [(ys[k + 1] - ys[k]) / (xs[k + 1] - xs[k]) for k in range(len(xs) - 1)]
        assembly.require(x, lower=xs[0], upper=xs[-1])
        if all(math.isclose(slope, slopes[0], rel_tol=1e-12) for slope in slopes):
            return x.scaled(slopes[0]).plus(ys[0] - slopes[0] * xs[0])
        convex = all(a <= b for a, b in pairwise(slopes))
        concave = all(a >= b for a, b in pairwise(slopes))
        if (side is Side.ABOVE and convex) or (side is Side.BELOW and concave):
            result = assembly.result(min(ys), max(ys), ())
            for slope, corner, height in zip(slopes, xs, ys, strict=False):
                line = x.scaled(slope).plus(height - slope * corner)
                if convex:
                    assembly.require(result - line, lower=0.0)
                else:
                    assembly.require(result - line, upper=0.0)
            return result
        weights = [assembly.share() for _ in xs]
        assembly.require(total(weights), lower=1.0, upper=1.0)
        joined = total([weight.scaled(at) for weight, at in zip(weights, xs, strict=True)])
        assembly.require(x - joined, lower=0.0, upper=0.0)
        segments = self._one_of(len(slopes))
        for k, weight in enumerate(weights):
            beside = total(segments[max(0, k - 1) : k + 1])
            assembly.require(beside - weight, lower=0.0)
        return total([weight.scaled(at) for weight, at in zip(weights, ys, strict=True)])


_NAMES = {
    "div": "division by a variable",
    "random": "a random parameter",
} | {
    name: f"{name}(…) of variables"
    for name in (
        *("exp", "log", "log10", "sqrt", "sin", "cos", "tan", "asin", "acos", "atan"),
        *("sinh", "cosh", "tanh", "floor", "ceil", "element", "expectation", "probability"),
    )
}
