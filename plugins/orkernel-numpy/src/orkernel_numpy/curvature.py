"""Which nodes of an expression graph are convex or concave, by composition rules.

The rules are those of disciplined convex programming (Grant, Boyd and Ye, 2006), with random
parameters as data: what matters is their sign over the scenarios.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import IntEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.data import SCALAR_FUNCTIONS
from orkernel.algebra.forms import Column, Constant, Graph, Operation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

    Node = Constant | Column | Operation


class Curvature(IntEnum):
    """How a value bends as a function of the columns."""

    CONCAVE = -1
    AFFINE = 0
    CONVEX = 1
    UNKNOWN = 2

    def times(self, values: Any) -> Curvature:
        """Curvature after multiplication by data."""
        if self is Curvature.AFFINE or np.all(values == 0):
            return Curvature.AFFINE
        if self is Curvature.UNKNOWN or np.any(~np.isfinite(values)):
            return Curvature.UNKNOWN
        if np.all(values >= 0):
            return self
        return Curvature(-self) if np.all(values <= 0) else Curvature.UNKNOWN


def joined(parts: Sequence[Curvature]) -> Curvature:
    """Curvature of a sum."""
    bent = {part for part in parts if part is not Curvature.AFFINE}
    if not bent:
        return Curvature.AFFINE
    return bent.pop() if len(bent) == 1 else Curvature.UNKNOWN


class Shapes:
    """Curvature of every node of a graph, and the values of those that are data.

    Args:
        graph: The graph.
        scenarios: Per random parameter an array `(scenarios, size)`.

    Attributes:
        data: Value of each node without columns: a number, or an array `(scenarios,)`.
        curvature: Per node.
    """

    def __init__(self, graph: Graph, scenarios: Mapping[str, Floats]) -> None:
        self.graph = graph
        self.scenarios = scenarios
        self.data: list[Any] = []
        self.curvature: list[Curvature] = []
        with np.errstate(all="ignore"):
            for node in graph.nodes:
                value = self._value(node)
                self.data.append(value)
                self.curvature.append(
                    Curvature.AFFINE if value is not None else self._curvature(node)
                )

    def _value(self, node: Node) -> Any:
        if isinstance(node, Constant):
            return node.value
        if isinstance(node, Column):
            return None
        if node.op == "random":
            name, place = node.data
            return self.scenarios[name][:, place]
        arguments = [self.data[k] for k in node.arguments]
        if any(value is None for value in arguments):
            return None
        return apply(node, arguments)

    def _curvature(self, node: Node) -> Curvature:
        if not isinstance(node, Operation):
            return Curvature.AFFINE
        parts = [self.curvature[k] for k in node.arguments]
        values = [self.data[k] for k in node.arguments]
        match node.op:
            case "sum":
                return joined(parts)
            case "sub":
                return joined([parts[0], parts[1].times(-1.0)])
            case "neg":
                return parts[0].times(-1.0)
            case "expectation":
                return parts[0]
            case "prod":
                bent = [p for p, v in zip(parts, values, strict=True) if v is None]
                scale: Any = 1.0
                for value in values:
                    scale = scale if value is None else scale * value
                if len(bent) == 1:
                    return bent[0].times(scale)
                varying = [k for k, v in zip(node.arguments, values, strict=True) if v is None]
                square = len(varying) == 2 and varying[0] == varying[1]
                if square and bent[0] is Curvature.AFFINE:
                    return Curvature.CONVEX.times(scale)
                return Curvature.UNKNOWN
            case "div":
                if values[1] is None or np.any(values[1] == 0):
                    return Curvature.UNKNOWN
                return parts[0].times(1.0 / np.asarray(values[1]))
            case "pow":
                square = values[1] is not None and bool(np.all(values[1] == 2.0))
                flat = parts[0] is Curvature.AFFINE and values[0] is None
                return Curvature.CONVEX if square and flat else Curvature.UNKNOWN
            case "abs":
                flat = parts[0] is Curvature.AFFINE
                return Curvature.CONVEX if flat else Curvature.UNKNOWN
            case "max" | "exp":
                return _bent(parts, Curvature.CONVEX)
            case "min" | "log" | "log10" | "sqrt":
                return _bent(parts, Curvature.CONCAVE)
            case "piecewise":
                return _piecewise(parts[0], node.data)
        return Curvature.UNKNOWN


def _bent(parts: Sequence[Curvature], way: Curvature) -> Curvature:
    """Curvature of an increasing function that bends one way."""
    fitting = all(part in (way, Curvature.AFFINE) for part in parts)
    return way if fitting else Curvature.UNKNOWN


def _piecewise(part: Curvature, points: tuple[Sequence[float], Sequence[float]]) -> Curvature:
    if part is not Curvature.AFFINE:
        return Curvature.UNKNOWN
    slopes = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(zip(*points, strict=True))]
    if all(a <= b for a, b in pairwise(slopes)):
        return Curvature.CONVEX
    return Curvature.CONCAVE if all(a >= b for a, b in pairwise(slopes)) else Curvature.UNKNOWN


def apply(node: Operation, arguments: Sequence[Any]) -> Any:
    """Value of an operation that `Shapes` knows; NaN for any other."""
    match node.op:
        case "sum":
            return sum(arguments[1:], arguments[0])
        case "prod":
            product = arguments[0]
            for value in arguments[1:]:
                product = product * value
            return product
        case "sub":
            return arguments[0] - arguments[1]
        case "neg":
            return -arguments[0]
        case "div":
            return np.divide(arguments[0], arguments[1])
        case "pow":
            return np.power(np.asarray(arguments[0], np.float64), arguments[1])
        case "max" | "min":
            choose = np.maximum if node.op == "max" else np.minimum
            chosen = arguments[0]
            for value in arguments[1:]:
                chosen = choose(chosen, value)
            return chosen
        case "expectation":
            return np.mean(arguments[0])
        case "piecewise":
            xs, ys = node.data
            inside = (arguments[0] >= xs[0] - 1e-9) & (arguments[0] <= xs[-1] + 1e-9)
            return np.where(inside, np.interp(arguments[0], xs, ys), np.nan)
    if node.op in SCALAR_FUNCTIONS:
        return SCALAR_FUNCTIONS[node.op](arguments[0])
    return np.nan
