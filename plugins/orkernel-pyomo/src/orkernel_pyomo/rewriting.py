"""Expression graphs in fewer operations, so that more solvers take them.

Each rewriting is exact. Values of min, max and piecewise linear functions are sums of
absolute values; functions that SCIP does not know are written by those that it does, or by
an added column y with a row that fixes it, such as sin y = x for asin.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

Content = dict[str, Any]
"""As `orkernel_pyomo.job.read_graph` gives it."""
KINKED = frozenset({"min", "max", "piecewise"})
"""Operations that `without_kinks` writes by absolute values."""


def without_kinks(content: Content) -> Content:
    """The graph with min, max and piecewise linear functions as sums of absolute values.

    A piecewise function keeps its argument within its points by an added row.
    """
    return _rewritten(
        content,
        {
            "min": lambda graph, arguments: graph.extreme(arguments, -0.5),
            "max": lambda graph, arguments: graph.extreme(arguments, 0.5),
            "piecewise": lambda graph, arguments: graph.interpolated(*arguments),
        },
    )


def for_scip(content: Content) -> Content:
    """The graph with only those functions that SCIP reads; columns may be added at the end."""
    return _rewritten(content, _FOR_SCIP)


class _Graph:
    """A graph under construction."""

    def __init__(self, content: Content) -> None:
        self.nodes: list[list[Any]] = []
        self.rows: list[list[Any]] = []
        self.columns = {name: list(values) for name, values in content["columns"].items()}

    def add(self, op: str, *arguments: Any) -> int:
        self.nodes.append([op, *arguments])
        return len(self.nodes) - 1

    def constant(self, value: float) -> int:
        return self.add("c", value)

    def scaled(self, factor: float, node: int) -> int:
        return self.add("prod", self.constant(factor), node)

    def limit(self, node: int, lower: float, upper: float) -> None:
        self.rows.append([node, lower, upper])

    def column(self, lower: float, upper: float) -> int:
        number = len(self.columns["lower"])
        for name, value in (("lower", lower), ("upper", upper), ("integer", False), ("start", 0.0)):
            self.columns[name].append(value)
        return self.add("x", number)

    def extreme(self, arguments: Sequence[int], half: float) -> int:
        """max(a, b) = (a + b)/2 + |a − b|/2, and min with −1/2, folded over all arguments."""
        first, *others = arguments
        for other in others:
            distance = self.add("abs", self.add("sub", first, other))
            middle = self.scaled(0.5, self.add("sum", first, other))
            first = self.add("sum", middle, self.scaled(half, distance))
        return first

    def interpolated(self, x: int, xs: Sequence[float], ys: Sequence[float]) -> int:
        """Interpolation through points: f(x) = a + b·x + Σ (change of slope)/2 · |x − xₖ|."""
        self.limit(x, xs[0], xs[-1])
        steps = zip(pairwise(xs), pairwise(ys), strict=True)
        slopes = [(high - low) / (right - left) for (left, right), (low, high) in steps]
        bends = [
            (at, (after - before) / 2)
            for at, (before, after) in zip(xs[1:-1], pairwise(slopes), strict=True)
        ]
        slope = (slopes[0] + slopes[-1]) / 2
        height = ys[0] - slope * xs[0] - sum(bend * abs(xs[0] - at) for at, bend in bends)
        parts = [self.constant(height), self.scaled(slope, x)]
        for at, bend in bends:
            if bend:
                distance = self.add("abs", self.add("sub", x, self.constant(at)))
                parts.append(self.scaled(bend, distance))
        return self.add("sum", *parts)

    def exponential(self, factor: float, node: int) -> int:
        return self.add("exp", self.scaled(factor, node))

    def tangent(self, x: int) -> int:
        return self.add("div", self.add("sin", x), self.add("cos", x))

    def hyperbolic(self, x: int, sign: float) -> int:
        """sinh with sign −1, cosh with sign 1."""
        up, down = self.exponential(1.0, x), self.exponential(-1.0, x)
        return self.add("sum", self.scaled(0.5, up), self.scaled(0.5 * sign, down))

    def hyperbolic_tangent(self, x: int) -> int:
        """tanh x = 1 − 2/(exp 2x + 1)."""
        one = self.constant(1.0)
        bottom = self.add("sum", self.exponential(2.0, x), one)
        return self.add("sub", one, self.add("div", self.constant(2.0), bottom))

    def arc_sine(self, x: int) -> int:
        y = self.column(-math.pi / 2, math.pi / 2)
        self.limit(self.add("sub", self.add("sin", y), x), 0.0, 0.0)
        return y

    def arc_cosine(self, x: int) -> int:
        return self.add("sub", self.constant(math.pi / 2), self.arc_sine(x))

    def arc_tangent(self, x: int) -> int:
        """The y in [−π/2, π/2] with sin y = x cos y."""
        y = self.column(-math.pi / 2, math.pi / 2)
        turned = self.add("prod", x, self.add("cos", y))
        self.limit(self.add("sub", self.add("sin", y), turned), 0.0, 0.0)
        return y


Rule = Callable[[_Graph, list[Any]], int]

_FOR_SCIP: dict[str, Rule] = {
    "tan": lambda graph, arguments: graph.tangent(*arguments),
    "sinh": lambda graph, arguments: graph.hyperbolic(arguments[0], -1.0),
    "cosh": lambda graph, arguments: graph.hyperbolic(arguments[0], 1.0),
    "tanh": lambda graph, arguments: graph.hyperbolic_tangent(*arguments),
    "asin": lambda graph, arguments: graph.arc_sine(*arguments),
    "acos": lambda graph, arguments: graph.arc_cosine(*arguments),
    "atan": lambda graph, arguments: graph.arc_tangent(*arguments),
}


def _rewritten(content: Content, rules: dict[str, Rule]) -> Content:
    if not any(node[0] in rules for node in content["nodes"]):
        return content
    graph = _Graph(content)
    places: list[int] = []
    for op, *arguments in content["nodes"]:
        if op == "piecewise":
            arguments = [places[arguments[0]], *arguments[1:]]
        elif op not in ("c", "x"):
            arguments = [places[k] for k in arguments]
        places.append(rules[op](graph, arguments) if op in rules else graph.add(op, *arguments))
    objective = content["objective"]
    return {
        **content,
        "nodes": graph.nodes,
        "rows": [[places[k], low, high] for k, low, high in content["rows"]] + graph.rows,
        "objective": None if objective is None else places[objective],
        "columns": graph.columns,
    }
