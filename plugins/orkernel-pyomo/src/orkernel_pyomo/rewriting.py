"""Expression graphs in fewer operations, so that more solvers take them.

Values of min, max and piecewise linear functions are sums of absolute values; functions that
SCIP does not know are written by those that it does, or by an added column y with a row that
fixes it, such as sin y = x for asin.

SCIP takes functions for defined everywhere: it moves a variable beyond the edge of a logarithm
and calls that optimal. So an argument that may leave the domain becomes an added column that
cannot. These rewritings are exact but at an open edge, such as 0 for log(x) and 1/x with x ≥ 0:
there the column keeps the distance `EDGE`, and is named as a guard.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from orkernel_pyomo.intervals import ANY, Interval, interval

Content = dict[str, Any]
"""As `orkernel_pyomo.job.read_graph` gives it."""
KINKED = frozenset({"min", "max", "piecewise"})
"""Operations that `without_kinks` writes by absolute values."""
EDGE = 1e-9
"""Distance kept from an open edge of a domain, as SCIP does in its own propagation."""


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
    """The graph with only those functions that SCIP reads, each within its domain.

    Columns may be added at the end; `guards` are those among them that keep `EDGE` from the edge
    of a domain, `quotients` those whose denominator may be 0.

    Raises:
        Undefined: A power with a variable exponent whose base may be negative.
    """
    return _rewritten(content, _FOR_SCIP)


class Undefined(Exception):
    """A function that SCIP cannot be kept within the domain of."""


class _Graph:
    """A graph under construction."""

    def __init__(self, content: Content) -> None:
        self.nodes: list[list[Any]] = []
        self.rows: list[list[Any]] = []
        self.columns = {name: list(values) for name, values in content["columns"].items()}
        self.guards: list[int] = []
        self.quotients: list[int] = []
        self.intervals: list[Interval] = []

    def add(self, op: str, *arguments: Any) -> int:
        self.nodes.append([op, *arguments])
        self.intervals.append(self._interval(op, arguments))
        return len(self.nodes) - 1

    def _interval(self, op: str, arguments: Sequence[Any]) -> Interval:
        if op == "c":
            return arguments[0], arguments[0]
        if op == "x":
            return self.columns["lower"][arguments[0]], self.columns["upper"][arguments[0]]
        if op == "piecewise":
            return min(arguments[2]), max(arguments[2])
        low, high = interval(op, [self.intervals[k] for k in arguments])
        return (low, high) if low <= high else ANY

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

    def equal(self, node: int, lower: float, upper: float) -> int:
        """An added column within bounds that equals a node."""
        column = self.column(lower, upper)
        self.limit(self.add("sub", node, column), 0.0, 0.0)
        return column

    def nonnegative(self, node: int) -> int:
        """The node, kept from values below 0."""
        return node if self.intervals[node][0] >= 0.0 else self.equal(node, 0.0, math.inf)

    def positive(self, node: int) -> int:
        """The node, kept `EDGE` away from 0 and what is below."""
        if self.intervals[node][0] >= EDGE:
            return node
        column = self.equal(node, EDGE, math.inf)
        self.guards.append(self.nodes[column][1])
        return column

    def logarithm(self, op: str, x: int) -> int:
        return self.add(op, self.positive(x))

    def root(self, x: int) -> int:
        return self.add("sqrt", self.nonnegative(x))

    def quotient(self, top: int, bottom: int) -> int:
        """top/bottom; where bottom changes sign an added column q with q·bottom = top."""
        low, high = self.intervals[bottom]
        if low >= 0.0:
            return self.add("div", top, self.positive(bottom))
        if high <= 0.0:
            positive = self.positive(self.add("neg", bottom))
            return self.add("div", self.add("neg", top), positive)
        column = self.column(-math.inf, math.inf)
        self.quotients.append(self.nodes[column][1])
        self.limit(self.add("sub", self.add("prod", column, bottom), top), 0.0, 0.0)
        return column

    def power(self, base: int, exponent: int) -> int:
        low = self.intervals[base][0]
        p, last = self.intervals[exponent]
        if p != last:
            if low < EDGE:
                raise Undefined("a power with a variable exponent needs a positive base")
            return self.add("pow", base, exponent)
        if p < 0.0 and low < EDGE:
            return self.quotient(self.constant(1.0), self.power(base, self.constant(-p)))
        if p != int(p):
            base = self.nonnegative(base)
        return self.add("pow", base, exponent)

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
        return self.quotient(self.add("sin", x), self.add("cos", x))

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
    "log": lambda graph, arguments: graph.logarithm("log", *arguments),
    "log10": lambda graph, arguments: graph.logarithm("log10", *arguments),
    "sqrt": lambda graph, arguments: graph.root(*arguments),
    "div": lambda graph, arguments: graph.quotient(*arguments),
    "pow": lambda graph, arguments: graph.power(*arguments),
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
        "guards": graph.guards,
        "quotients": graph.quotients,
    }
