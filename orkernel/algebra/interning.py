"""The nodes of an expression graph: each made once, constants folded as they arise."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra import arithmetic
from orkernel.algebra.forms import Column, Columns, Constant, Graph, Operation

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

COMPARISONS: Mapping[str, Callable[[Any, Any], Any]] = {
    "le": operator.le,
    "ge": operator.ge,
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "gt": operator.gt,
}
"""Graph operation of each comparison and what it computes."""

NEGATED = {"le": "gt", "ge": "lt", "lt": "ge", "gt": "le", "eq": "ne", "ne": "eq"}

TRUTHS = frozenset(COMPARISONS) | {
    *("and", "or", "not", "implies", "iff"),
    *("all_different", "circuit", "multi_circuit", "cumulative", "no_overlap", "table", "inverse"),
}
"""Operations whose value is 0 or 1."""

FUNCTIONS: Mapping[str, Callable[[float], float]] = {
    "abs": abs,
    "exp": math.exp,
    "log": math.log,
    "log10": math.log10,
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "asin": math.asin,
    "acos": math.acos,
    "atan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "floor": lambda x: float(arithmetic.floor(np.asarray(x))),
    "ceil": lambda x: float(arithmetic.ceil(np.asarray(x))),
}
"""What each scalar function computes."""

_KEEP_INTEGRAL = frozenset({"sum", "prod", "neg", "abs", "min", "max", "floor", "ceil"})


class NodeTable:
    """Builds nodes in topological order, equal nodes once.

    Args:
        columns: Columns of the model, for what is integer and what is binary.
    """

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self.nodes: list[Constant | Column | Operation] = []
        self.integral: list[bool] = []
        self._constants: dict[float, int] = {}
        self._operations: dict[tuple[str, tuple[int, ...], Any], int] = {}
        self._binary = columns.integer & (columns.lower >= 0) & (columns.upper <= 1)
        self._columns = np.full(len(columns), -1, np.int64)

    @classmethod
    def of(cls, graph: Graph) -> NodeTable:
        """The table of a finished graph; nodes keep their numbers."""
        table = cls(graph.columns)
        for node in graph.nodes:
            if isinstance(node, Operation):
                table.operation(node.op, node.arguments, node.data)
            elif isinstance(node, Column):
                table.column_nodes(np.array([node.number]))
            else:
                table.constant(node.value)
        return table

    def _add(self, node: Constant | Column | Operation, integral: bool) -> int:
        self.nodes.append(node)
        self.integral.append(integral)
        return len(self.nodes) - 1

    # ------------------------------------------------------------------ leaves

    def constant(self, value: float) -> int:
        """A number."""
        value = float(value) + 0.0
        number = self._constants.get(value)
        if number is None:
            number = self._constants[value] = self._add(Constant(value), value.is_integer())
        return number

    def constants(self, values: NDArray[Any], size: int) -> Integers:
        """Numbers, one per row of a space."""
        distinct, places = np.unique(np.asarray(values, np.float64), return_inverse=True)
        numbers = np.array([self.constant(v) for v in distinct.tolist()], np.int64)
        return np.broadcast_to(numbers[places].reshape(np.shape(values)), (size,))

    def column_nodes(self, columns: Integers) -> Integers:
        """Nodes of column numbers."""
        new = np.unique(columns[self._columns[columns] < 0])
        if new.size:
            self._columns[new] = len(self.nodes) + np.arange(new.size)
            self.nodes.extend(map(Column, new.tolist()))
            self.integral.extend(self.columns.integer[new].tolist())
        found: Integers = self._columns[columns]
        return found

    def value(self, number: int) -> float | None:
        """The value of a constant node, None for any other."""
        node = self.nodes[number]
        return node.value if isinstance(node, Constant) else None

    def is_truth(self, number: int) -> bool:
        """Whether a node can only be 0 or 1."""
        node = self.nodes[number]
        if isinstance(node, Constant):
            return node.value in (0.0, 1.0)
        if isinstance(node, Column):
            return bool(self._binary[node.number])
        return node.op in TRUTHS

    # ------------------------------------------------------------------ arithmetic

    def operation(self, op: str, arguments: Iterable[int], data: Any = None) -> int:
        """An operation as it is, without folding."""
        numbers = tuple(arguments)
        key = op, numbers, data
        known = self._operations.get(key)
        if known is not None:
            return known
        integral = op in TRUTHS or (op in _KEEP_INTEGRAL and all(self.integral[k] for k in numbers))
        if op in ("floor", "ceil"):
            integral = True
        if op == "element":
            integral = all(self.integral[k] for k in numbers[len(data) :])
        if op == "pow" and self.integral[numbers[0]]:
            exponent = self.value(numbers[1])
            integral = exponent is not None and exponent >= 0 and exponent.is_integer()
        number = self._operations[key] = self._add(Operation(op, numbers, data), integral)
        return number

    def total(self, terms: Iterable[int]) -> int:
        """Sum of nodes; sums among them are spliced in, their constant comes last."""
        constant, rest = 0.0, []
        for term in terms:
            node = self.nodes[term]
            inner = isinstance(node, Operation) and node.op == "sum"
            for part in node.arguments if inner else (term,):  # type: ignore[union-attr]
                value = self.value(part)
                if value is None:
                    rest.append(part)
                else:
                    constant += value
        if not rest:
            return self.constant(constant)
        if constant:
            rest.append(self.constant(constant))
        return rest[0] if len(rest) == 1 else self.operation("sum", rest)

    def negative(self, number: int) -> int:
        """−a, folded into a constant factor."""
        return self.scaled(-1.0, (number,))

    def scaled(self, coefficient: float, factors: Iterable[int]) -> int:
        """coefficient · product of nodes."""
        rest: list[int] = []
        for factor in factors:
            node = self.nodes[factor]
            if isinstance(node, Constant):
                coefficient *= node.value
            elif isinstance(node, Operation) and node.op == "neg":
                coefficient = -coefficient
                rest.append(node.arguments[0])
            elif isinstance(node, Operation) and node.op == "prod":
                first = self.value(node.arguments[0])
                coefficient *= 1.0 if first is None else first
                rest.extend(node.arguments if first is None else node.arguments[1:])
            else:
                rest.append(factor)
        if not rest or coefficient == 0.0:
            return self.constant(coefficient)
        if coefficient == -1.0 and len(rest) == 1:
            return self.operation("neg", rest)
        if coefficient != 1.0:
            rest.insert(0, self.constant(coefficient))
        return rest[0] if len(rest) == 1 else self.operation("prod", rest)

    def quotient(self, numerator: int, denominator: int) -> int:
        """a / b; a constant divisor divides the coefficient."""
        divisor = self.value(denominator)
        if divisor is None or divisor == 0.0:
            return self.operation("div", (numerator, denominator))
        node = self.nodes[numerator]
        if isinstance(node, Constant):
            return self.constant(node.value / divisor)
        if isinstance(node, Operation) and node.op == "prod":
            first = self.value(node.arguments[0])
            if first is not None:
                return self.scaled(first / divisor, node.arguments[1:])
        return self.scaled(1.0 / divisor, (numerator,))

    def power(self, base: int, exponent: int) -> int:
        """a ** b."""
        b, p = self.value(base), self.value(exponent)
        if p == 1.0:
            return base
        if p == 0.0:
            return self.constant(1.0)
        if b is not None and p is not None:
            folded = _guarded(lambda: b**p)
            if folded is not None:
                return self.constant(folded)
        return self.operation("pow", (base, exponent))

    def function(self, name: str, argument: int) -> int:
        """A scalar function of a node."""
        value = self.value(argument)
        if value is not None:
            folded = _guarded(lambda: FUNCTIONS[name](value))
            if folded is not None:
                return self.constant(folded)
        return self.operation(name, (argument,))

    def extreme(self, op: str, terms: Iterable[int]) -> int:
        """`min` or `max` of one or more nodes."""
        choose = min if op == "min" else max
        best: float | None = None
        rest: dict[int, None] = {}
        for term in terms:
            value = self.value(term)
            if value is None:
                rest[term] = None
            else:
                best = value if best is None else choose(best, value)
        if best is not None:
            rest[self.constant(best)] = None
        return next(iter(rest)) if len(rest) == 1 else self.operation(op, rest)

    # ------------------------------------------------------------------ truth

    def truth(self, number: int) -> int:
        """A node read as a truth value: numbers are true from ½ up."""
        if self.is_truth(number):
            return number
        return self.compare("ge", number, self.constant(0.5))

    def compare(self, op: str, left: int, right: int) -> int:
        """Truth of a comparison."""
        a, b = self.value(left), self.value(right)
        if a is not None and b is not None:
            return self.constant(float(COMPARISONS[op](a, b)))
        return self.operation(op, (left, right))

    def junction(self, op: str, terms: Iterable[int]) -> int:
        """`and` or `or` of truths; over nothing true for `and`, false for `or`."""
        neutral = 1.0 if op == "and" else 0.0
        rest: dict[int, None] = {}
        for term in terms:
            value = self.value(term)
            if value is None:
                rest[term] = None
            elif value != neutral:
                return self.constant(1.0 - neutral)
        if not rest:
            return self.constant(neutral)
        return next(iter(rest)) if len(rest) == 1 else self.operation(op, rest)

    def opposite(self, number: int) -> int:
        """`not` of a truth; comparisons are turned round."""
        node = self.nodes[number]
        if isinstance(node, Constant):
            return self.constant(1.0 - node.value)
        if isinstance(node, Operation) and node.op == "not":
            return node.arguments[0]
        if isinstance(node, Operation) and node.op in NEGATED:
            return self.operation(NEGATED[node.op], node.arguments)
        return self.operation("not", (number,))

    def implication(self, left: int, right: int) -> int:
        """`implies(a, b)` of truths."""
        a, b = self.value(left), self.value(right)
        if a == 1.0:
            return right
        if a == 0.0 or b == 1.0:
            return self.constant(1.0)
        if b == 0.0:
            return self.opposite(left)
        return self.operation("implies", (left, right))

    def equivalence(self, left: int, right: int) -> int:
        """`iff(a, b)` of truths."""
        a, b = self.value(left), self.value(right)
        if a is not None:
            return right if a == 1.0 else self.opposite(right)
        if b is not None:
            return left if b == 1.0 else self.opposite(left)
        return self.operation("iff", (left, right))


def _guarded(compute: Callable[[], float]) -> float | None:
    """A folded value, or None where the function has none (the operation then stays)."""
    try:
        value = compute()
    except (ValueError, OverflowError, ZeroDivisionError):
        return None
    return float(value) if not isinstance(value, complex) and math.isfinite(value) else None
