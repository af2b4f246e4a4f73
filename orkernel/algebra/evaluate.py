"""The judge: objectives and constraints of a model at given points, from the formulation itself.

Works on the syntax trees and shares nothing with the lowerings, so that it can refuse their
results. A whole population of points is evaluated at once: arrays are `(points, rows)`, or
`(rows,)` and `()` for what does not depend on the point.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from orkernel.algebra import arithmetic
from orkernel.algebra import globals as global_constraints
from orkernel.algebra.chains import addends, factors
from orkernel.algebra.data import BINARY_OPERATIONS, SCALAR_FUNCTIONS
from orkernel.algebra.forms import Values
from orkernel.algebra.functions import FUNCTIONS, Kind
from orkernel.algebra.lists import REDUCTIONS, interpolate
from orkernel.algebra.nodes import (
    Binary,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Logic,
    Name,
    Node,
    Number,
    Subscript,
    Unary,
)
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.program import Program, Statement, is_condition
from orkernel.algebra.sampling import common_sample
from orkernel.algebra.scope import place
from orkernel.algebra.space import Space, groups
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.model import Model

    Array = NDArray[Any]
    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

TOLERANCE = 1e-6
"""Comparisons inside conditions hold within this, times max(1, |right side|)."""
INTEGRALITY = 1e-5
"""A value of an integer column this near to a whole number stands for it."""
BLOCK = 20_000_000
"""Most numbers in one array: larger populations are split."""
SCENARIO_BLOCK = 500_000
"""Most numbers in one array while several points are averaged together."""

Scenarios = Mapping[str, "Floats"]
"""Per random parameter its values, shape `(scenarios, size)`, all scenarios equally likely."""


def evaluate(model: Model, X: Floats, scenarios: Scenarios | None = None) -> Values:
    """Evaluate all objectives and rows.

    Args:
        model: The model.
        X: Points, shape `(points, n)` or `(n,)`.
        scenarios: What expectations and probabilities are averaged over;
            `sampling.common_sample` by default.

    Returns:
        Arrays with one row per point. Where an expression has no finite value at a point (the
        logarithm of a negative number), the violation is infinite and the objective NaN.
        Logical rows are judged with integer columns rounded where they are nearly whole.
    """
    program = model.program
    points = np.atleast_2d(np.asarray(X, np.float64))
    count, rows = points.shape[0], len(program.rows)
    expected = None if scenarios is None else SampleMean(scenarios)
    objectives = np.empty((count, len(program.objectives)))
    for k, objective in enumerate(program.objectives):
        space = model.space_of(objective.statement)
        values = evaluate_statement(program, objective.statement, space, points, expected=expected)
        objectives[:, k] = np.where(np.isfinite(values[:, 0]), values[:, 0], np.nan)
    bodies, scales = np.empty((count, rows)), np.ones((count, rows))
    whole = _rounded(points, program.columns.integer)
    for constraint in program.constraints:
        statement, space = constraint.statement, constraint.space
        for part in constraint.parts:
            target = slice(part.offset, part.offset + space.size)
            if part.right is None:
                bodies[:, target] = evaluate_statement(
                    program, statement, space, whole, part.left, expected
                )
                continue
            left = evaluate_statement(program, statement, space, points, part.left, expected)
            right = evaluate_statement(program, statement, space, points, part.right, expected)
            with np.errstate(all="ignore"):
                bodies[:, target] = left - right
            if statement.is_data(part.right):
                scales[:, target] = np.maximum(1.0, np.abs(right))
            elif statement.is_data(part.left):
                scales[:, target] = np.maximum(1.0, np.abs(left))
    allowed = model.intervals
    kept = model.kept_rows
    if kept is not None:
        bodies, scales = bodies[:, kept], scales[:, kept]
    with np.errstate(all="ignore"):
        violations = np.maximum(0.0, np.maximum(allowed.lower - bodies, bodies - allowed.upper))
    violations = np.where(np.isfinite(bodies), violations, np.inf)
    return Values(objectives, bodies, violations, scales)


def _rounded(points: Floats, integer: Bools) -> Floats:
    """The points with integer columns made whole where they are within `INTEGRALITY`."""
    if not integer.any():
        return points
    nearest = np.rint(points)
    return np.where(integer & (np.abs(points - nearest) <= INTEGRALITY), nearest, points)


def evaluate_expression(model: Model, node: Node, X: Floats, *, text: str = "") -> Floats:
    """Value of a single expression without indices at each point, shape `(points,)`."""
    points = np.atleast_2d(np.asarray(X, np.float64))
    statement = model.statement(node, text)
    return evaluate_statement(model.program, statement, Space(), points)[:, 0]


def evaluate_statement(
    program: Program,
    statement: Statement,
    space: Space,
    points: Floats,
    node: Node | None = None,
    expected: Expected | None = None,
) -> Floats:
    """Values of a statement (or one side of it), shape `(points, rows)`; truth as 0 and 1."""
    node = statement.node if node is None else node
    with place(statement.element, statement.text), np.errstate(all="ignore"):
        values = Evaluator(program, statement, points, expected=expected).number(node, space)
        return np.broadcast_to(values, (points.shape[0], space.size))


class Expected(Protocol):
    """How an expectation or probability gets its value."""

    def __call__(self, outer: Evaluator, node: Call, space: Space) -> Array:
        """Values at the points of `outer`, shape `(points, rows)`."""
        ...


class Evaluator:
    """Evaluates the expressions of one statement at a population of points.

    Args:
        program: The model's statements and data.
        statement: The statement.
        points: Shape `(points, n)`.
        random: Inside an expectation, values of the random parameters per point, each of shape
            `(points, size)`.
        expected: How expectations get their values; by default the mean over the common sample.
    """

    def __init__(
        self,
        program: Program,
        statement: Statement,
        points: Floats,
        random: Scenarios | None = None,
        expected: Expected | None = None,
    ) -> None:
        self.program = program
        self.statement = statement
        self.points = points
        self.random = random
        self.expected = expected
        self._truths: dict[tuple[int, Space, bool], Bools] = {}

    # ------------------------------------------------------------------ numbers

    def number(self, node: Node, space: Space) -> Array:
        """Value of an expression; conditions count 0 and 1."""
        if self.statement.is_data(node):
            return self._data(node, space)
        match node:
            case Name(id=name) | Subscript(base=name):
                return self._leaf(node, name, space)
            case Unary(op="+" | "-") | Binary(op="+" | "-"):
                total: Any = 0.0
                for sign, part in addends(node):
                    total = total + self.number(part, space) * sign
                return np.asarray(total)
            case Binary(op="*" | "/"):
                product: Any = 1.0
                for op, part in factors(node):
                    value = self.number(part, space)
                    product = product * value if op == "*" else arithmetic.divide(product, value)
                return np.asarray(product)
            case Binary(op=op, left=left, right=right):
                return BINARY_OPERATIONS[op](self.number(left, space), self.number(right, space))
            case Conditional():
                return self._conditional(node, space)
            case Call(function=name) if name in SCALAR_FUNCTIONS:
                return SCALAR_FUNCTIONS[name](self.number(node.arguments[0], space))
            case Call(function="sum" | "prod" | "min" | "max"):
                return self._reduce(node, space)
            case Call(function="piecewise"):
                return self._piecewise(node, space)
            case Call(function="element"):
                return global_constraints.element(self, node, space)
            case Call(function="expectation" | "probability"):
                return self._expected(node, space)
        if is_condition(node):
            false = np.where(self._settled(node, space, False), 0.0, np.nan)
            return np.where(self._settled(node, space, True), 1.0, false)
        raise ExpressionError("this cannot be evaluated as a number", span=node.span)

    def _data(self, node: Node, space: Space) -> Array:
        key = ("data", id(node))
        if key not in space.memo:
            data = self.program.data
            if is_condition(node):
                value = data.truth(node, space).astype(np.float64)
            else:
                value = data.number(node, space)
            if isinstance(node, Number):
                return value
            space.memo[key] = (node, value)
        found: Array = space.memo[key][1]
        return found

    def _leaf(self, node: Node, name: str, space: Space) -> Array:
        """Values of a variable, or of a random parameter inside an expectation."""
        if name in self.program.scope.random:
            assert self.random is not None
            parameter = self.program.scope.random[name]
            if isinstance(node, Subscript):
                flat = self.program.data.flat(node, parameter.index, space)
            else:
                flat = np.array(0)
            values = self.random[name][:, flat]
        else:
            values = self.points[:, self.columns(node, name, space)]
        return values[:, np.newaxis] if values.ndim == 1 else values

    def columns(self, node: Node, name: str, space: Space) -> Integers:
        """Column numbers of a variable, remembered by the space."""
        key = ("columns", id(node))
        if key not in space.memo:
            space.memo[key] = (node, self.program.flat(node, name, space))
        found: Integers = space.memo[key][1]
        return found

    def full(self, values: Array, space: Space) -> Array:
        """Values spread to `(points, rows)`."""
        return np.broadcast_to(values, (self.points.shape[0], space.size))

    def _conditional(self, node: Conditional, space: Space) -> Array:
        yes, no = self.program.data.split(node, space)
        if yes is None or no is None:
            return self.number(node.then if no is None else node.otherwise, space)
        merged = np.empty((self.points.shape[0], space.size))
        merged[:, yes.rows] = self.number(node.then, yes)
        merged[:, no.rows] = self.number(node.otherwise, no)
        return merged

    def _piecewise(self, node: Call, space: Space) -> Array:
        xs, ys = self.program.data.breakpoints(node, space)
        x = self.number(node.arguments[0], space)
        if not space.size:
            return np.zeros(0)
        first, last = xs[:, 0], xs[:, -1]
        slack = TOLERANCE * np.maximum(1.0, np.maximum(np.abs(first), np.abs(last)))
        inside = (x >= first - slack) & (x <= last + slack)
        return np.where(inside, interpolate(x, xs, ys), np.nan)

    # ------------------------------------------------------------------ lists

    def entries(
        self, node: Node, space: Space, value: Callable[[Node, Space], Array] | None = None
    ) -> tuple[Integers, Array]:
        """A list in every row: row of each entry (ascending), and values `(points, entries)`."""
        value = value or self.number
        if isinstance(node, Comprehension):
            inner = self.program.data.grow(node, space)
            return inner.rows_in(space), self.full(value(node.element, inner), inner)
        if isinstance(node, Display):
            owner = np.repeat(np.arange(space.size), len(node.items))
            columns = [self.full(value(item, space), space) for item in node.items]
            if not columns:
                return owner, np.zeros((self.points.shape[0], 0))
            return owner, np.stack(columns, axis=2).reshape(self.points.shape[0], -1)
        array = self.named(node)
        owner = np.repeat(np.arange(space.size), array.shape[-1])
        return owner, np.tile(
            np.broadcast_to(array, (self.points.shape[0], array.shape[-1])), space.size
        )

    def named(self, node: Node) -> Array:
        """All values of an indexed name, shape `(points, size)` or `(size,)`."""
        if isinstance(node, Name):
            scope = self.program.scope
            if node.id in scope.variables:
                block = scope.variables[node.id]
                return self.points[:, block.offset : block.offset + block.size]
            if node.id in scope.random and self.random is not None:
                return self.random[node.id]
        return self.program.data.entries(node, Space())[1]

    def _reduce(self, node: Call, space: Space, holds: bool = True) -> Array:
        """An aggregate; for `all` and `any`, whether it certainly is (not) so."""
        logical = node.function in ("all", "any")
        if logical:
            every = (node.function == "all") == holds
            ufunc, empty = REDUCTIONS["all" if every else "any"]
        else:
            ufunc, empty = REDUCTIONS[node.function]
        listing = Display(node.arguments) if len(node.arguments) > 1 else node.arguments[0]
        size = self._listing_size(listing, space)
        count = self.points.shape[0]
        if count > 1 and count * size > BLOCK:
            step = max(1, BLOCK // size)
            return np.concatenate(
                [self._part(k, k + step)._reduce(node, space, holds) for k in range(0, count, step)]
            )

        def value(item: Node, around: Space) -> Array:
            if logical:
                return self.truth(item, around, holds)
            return self.number(item, around)

        if isinstance(listing, Display) and listing.items:
            values = [value(item, space) for item in listing.items]
            result = values[0]
            for further in values[1:]:
                result = ufunc(result, further)
            return self.full(result, space)
        owner, entries = self.entries(listing, space, value)
        if logical and entries.dtype != np.bool_:
            entries = entries >= 0.5 if holds else entries < 0.5
        starts, present = groups(owner, space.size)
        if empty is None and present.size < space.size:
            gap = np.ones(space.size, np.bool_)
            gap[present] = False
            raise self.program.data.failure(f"{node.function}(…) over nothing", node, space, gap)
        if not space.size:
            return entries
        if present.size == space.size:
            return self.full(ufunc.reduceat(entries, starts, axis=1), space)
        reduced = np.full((count, space.size), empty, entries.dtype)
        if present.size:
            reduced[:, present] = ufunc.reduceat(entries, starts, axis=1)
        return reduced

    def _listing_size(self, listing: Node, space: Space) -> int:
        if isinstance(listing, Comprehension):
            return self.program.data.grow(listing, space).size
        return space.size * max(1, len(listing.children()))

    def _part(self, start: int, end: int) -> Evaluator:
        random = None
        if self.random is not None:
            random = {name: values[start:end] for name, values in self.random.items()}
        return Evaluator(
            self.program, self.statement, self.points[start:end], random, self.expected
        )

    # ------------------------------------------------------------------ conditions

    def truth(self, node: Node, space: Space, holds: bool = True) -> Bools:
        """Whether a condition is certainly true (or, for `holds=False`, certainly false).

        Comparisons hold within `TOLERANCE`; a number is true from ½ up. A comparison with
        something undefined (the logarithm of a negative number) is neither true nor false.
        """
        if self.statement.is_data(node):
            truth = self.program.data.truth(node, space)
            return truth if holds else ~truth
        match node:
            case Compare():
                parts = zip(node.operands, node.ops, node.operands[1:], strict=False)
                return _merge([self._relation(*part, space, holds) for part in parts], holds)
            case Logic(op=op, operands=operands):
                values = [self.truth(operand, space, holds) for operand in operands]
                return _merge(values, (op == "and") == holds)
            case Unary(op="not", operand=operand):
                return self.truth(operand, space, not holds)
            case Call(function="implies", arguments=(left, right)):
                values = [self.truth(left, space, not holds), self.truth(right, space, holds)]
                return _merge(values, not holds)
            case Call(function="iff", arguments=(left, right)):
                known = self._settled
                both = known(left, space, True) & known(right, space, holds)
                return both | (known(left, space, False) & known(right, space, not holds))
            case Call(function="all" | "any"):
                return self._reduce(node, space, holds)
            case Call(function=name) if FUNCTIONS[name].kind is Kind.GLOBAL and name != "element":
                truth = global_constraints.truth(self, node, space)
                return truth if holds else ~truth
        number = self.number(node, space)
        return np.asarray(number >= 0.5 if holds else number < 0.5)

    def _settled(self, node: Node, space: Space, holds: bool) -> Bools:
        """`truth`, remembered: without that, nested conditions asked both ways double the work."""
        key = (id(node), space, holds)
        if key not in self._truths:
            self._truths[key] = self.truth(node, space, holds)
        return self._truths[key]

    def _relation(self, left: Node, op: str, right: Node, space: Space, holds: bool) -> Bools:
        if not holds:
            op = _OPPOSITE[op]
        a, b = self.number(left, space), self.number(right, space)
        fixed = b if self.statement.is_data(right) else a if self.statement.is_data(left) else 0.0
        slack = TOLERANCE * np.maximum(1.0, np.abs(fixed))
        difference = a - b
        result: Bools
        match op:
            case "<=":
                result = difference <= slack
            case ">=":
                result = difference >= -slack
            case "==":
                result = np.abs(difference) <= slack
            case "!=":
                result = np.abs(difference) > slack
            case "<":
                result = difference < -slack
            case _:
                result = difference > slack
        return result

    # ------------------------------------------------------------------ expectations

    def _expected(self, node: Call, space: Space) -> Array:
        if self.random is not None:
            raise ExpressionError(
                f"{node.function}(…) stands inside another expectation", span=node.span
            )
        if self.expected is None:
            self.expected = SampleMean(common_sample(self.program.scope.random))
        return self.expected(self, node, space)

    def drawn(self, node: Call, space: Space, points: Floats, random: Scenarios) -> Floats:
        """What an expectation is the mean of, at points with a scenario each; truth as 0 and 1.

        Args:
            node: The expectation or probability.
            space: Where it stands.
            points: Shape `(points, n)`.
            random: Per parameter an array `(points, size)`.

        Returns:
            Shape `(points, rows)`.
        """
        inner = Evaluator(self.program, self.statement, points, random)
        argument = node.arguments[0]
        if node.function == "probability":
            values: Array = inner.truth(argument, space).astype(np.float64)
        else:
            values = inner.number(argument, space)
        return inner.full(values, space)


class SampleMean:
    """Expectations as means over scenarios, the same ones for every point.

    Args:
        scenarios: Per parameter an array `(scenarios, size)`.
    """

    def __init__(self, scenarios: Scenarios) -> None:
        self.scenarios = scenarios
        self.count = min((len(values) for values in scenarios.values()), default=1)

    def __call__(self, outer: Evaluator, node: Call, space: Space) -> Array:
        """Means at the points of `outer`, shape `(points, rows)`."""
        count, columns = outer.points.shape
        width = max(1, space.size, columns)
        together = max(1, SCENARIO_BLOCK // (self.count * width))
        step = max(1, min(self.count, BLOCK // width))
        means = np.empty((count, space.size))
        for first in range(0, count, together):
            points = outer.points[first : first + together]
            total: Any = 0.0
            for start in range(0, self.count, step):
                part = {name: v[start : start + step] for name, v in self.scenarios.items()}
                size = min(step, self.count - start)
                if len(points) == 1:
                    repeated = np.broadcast_to(points[0], (size, columns))
                else:
                    repeated = np.repeat(points, size, axis=0)
                    part = {name: np.tile(v, (len(points), 1)) for name, v in part.items()}
                values = outer.drawn(node, space, repeated, part)
                total = total + values.reshape(len(points), size, space.size).sum(axis=1)
            means[first : first + together] = total / self.count
        return means


_OPPOSITE = {"<=": ">", ">=": "<", "==": "!=", "!=": "==", "<": ">=", ">": "<="}


def _merge(values: Sequence[Bools], every: bool) -> Bools:
    """All (or any) of several truths."""
    merged = values[0]
    for value in values[1:]:
        merged = merged & value if every else merged | value
    return merged


__all__: Sequence[str] = [
    "Evaluator",
    "SampleMean",
    "evaluate",
    "evaluate_expression",
    "evaluate_statement",
]
