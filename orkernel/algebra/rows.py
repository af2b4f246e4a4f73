"""What each row allows: the interval of its body, and which strict comparisons are exact."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.chains import addends, factors
from orkernel.algebra.nodes import (
    Binary,
    Call,
    Comprehension,
    Conditional,
    Name,
    Node,
    Subscript,
    Unary,
)
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.program import Constraint, Part, Program, Statement, is_condition
from orkernel.algebra.scope import place
from orkernel.algebra.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Intervals:
    """Allowed interval of the body (left minus right) of every row.

    Attributes:
        lower: Shape `(rows,)`.
        upper: Shape `(rows,)`; a logical row has both 1.
        assumptions: Strict comparisons that are treated as non-strict, in words.
    """

    lower: Floats
    upper: Floats
    assumptions: tuple[str, ...]


def intervals(program: Program) -> Intervals:
    """The intervals of all rows.

    `<=` allows (−∞, 0], `>=` [0, ∞), `==` [0, 0]. A strict comparison whose two sides can only
    differ by whole numbers is moved by one; any other is treated as non-strict, which is stated.
    """
    lower = np.full(len(program.rows), -np.inf)
    upper = np.full(len(program.rows), np.inf)
    assumptions: list[str] = []
    for constraint in program.constraints:
        for part in constraint.parts:
            rows = slice(part.offset, part.offset + constraint.space.size)
            if not part.op:
                lower[rows] = upper[rows] = 1.0
            elif part.op in ("<", ">"):
                limit, exact = _strict(program, constraint, part)
                if part.op == "<":
                    upper[rows] = limit
                else:
                    lower[rows] = -limit
                if not exact:
                    assumptions.append(
                        f"{constraint.statement.element}: a strict comparison is treated as if "
                        "equality were allowed, since its sides are not whole numbers"
                    )
            else:
                if part.op in ("<=", "=="):
                    upper[rows] = 0.0
                if part.op in (">=", "=="):
                    lower[rows] = 0.0
    return Intervals(lower, upper, tuple(assumptions))


def _strict(program: Program, constraint: Constraint, part: Part) -> tuple[Floats, bool]:
    """Largest allowed (smaller side − larger side) per row, and whether that is exact."""
    assert part.right is not None
    statement, space = constraint.statement, constraint.space
    small, large = (part.left, part.right) if part.op == "<" else (part.right, part.left)
    with place(statement.element, statement.text):
        data = program.data
        if statement.is_data(small) and statement.is_data(large):
            difference = data.number(small, space) - data.number(large, space)
            return np.where(difference < 0, 0.0, -1.0), True
        whole = Wholeness(program, statement)
        if statement.is_data(large):
            bound = data.number(large, space)
            limit, mask = np.ceil(bound) - 1 - bound, whole.of(small, space)
        elif statement.is_data(small):
            bound = data.number(small, space)
            limit, mask = bound - np.floor(bound) - 1, whole.of(large, space)
        else:
            limit = np.array(-1.0)
            mask = whole.of(small, space) & whole.of(large, space)
    mask = np.broadcast_to(mask, (space.size,))
    return np.where(mask, limit, 0.0), bool(mask.all())


@dataclass(frozen=True, slots=True)
class Wholeness:
    """Decides, row by row, whether an expression is a whole number at every whole point."""

    program: Program
    statement: Statement

    def of(self, node: Node, space: Space) -> Bools:
        """Shape `(rows,)` or `()`; False where not proven."""
        if self.statement.is_data(node):
            if is_condition(node):
                return np.array(True)
            values = self.program.data.number(node, space)
            return np.asarray(np.rint(values) == values)
        match node:
            case Name(id=name) | Subscript(base=name):
                return np.array(name in self.program.integer_names)
            case Unary(op="not"):
                return np.array(True)
            case Unary() | Binary(op="+" | "-"):
                return self._all([part for _, part in addends(node)], space)
            case Binary(op="*" | "/"):
                parts = factors(node)
                if any(op == "/" for op, _ in parts):
                    return np.array(False)
                return self._all([part for _, part in parts], space)
            case Binary(op="**", left=left, right=right) if self.statement.is_data(right):
                exponent = self.program.data.number(right, space)
                powers: Bools = (exponent >= 0) & (np.rint(exponent) == exponent)
                return self.of(left, space) & powers
            case Conditional():
                return self._conditional(node, space)
            case Call(function="abs" | "min" | "max" | "sum" | "prod", arguments=arguments):
                return self._all(arguments, space)
            case Call(function="element", arguments=arguments):
                return self._listed(arguments[0], space)
            case Call(function="floor" | "ceil") | Binary(op="//"):
                return np.array(True)
            case Binary(op="%", left=left, right=right):
                return self._all([left, right], space)
            case Display(items=items):
                return self._all(items, space)
            case Comprehension():
                inner = self.program.data.grow(node, space)
                element = np.broadcast_to(self.of(node.element, inner), (inner.size,))
                broken = np.bincount(inner.rows_in(space)[~element], minlength=space.size)
                return np.asarray(broken == 0)
        return np.array(is_condition(node))

    def _all(self, nodes: Any, space: Space) -> Bools:
        result: Bools = np.array(True)
        for node in nodes:
            result = result & self._listed(node, space)
        return result

    def _listed(self, node: Node, space: Space) -> Bools:
        """Like `of`, where the name of a parameter or set may stand for its values."""
        if isinstance(node, Name) and space.get(node.id) is None:
            scope = self.program.scope
            if node.id in scope.sets:
                return np.array(True)
            if node.id in scope.parameters:
                values = scope.parameters[node.id].values
                return np.array(np.all(np.rint(values) == values))
        if isinstance(node, (Display, Comprehension)) and self.statement.is_data(node):
            _, values = self.program.data.entries(node, space)
            return np.array(np.all(np.rint(values) == values))
        return self.of(node, space)

    def _conditional(self, node: Conditional, space: Space) -> Bools:
        yes, no = self.program.data.split(node, space)
        if yes is None or no is None:
            return self.of(node.then if no is None else node.otherwise, space)
        result = np.empty(space.size, np.bool_)
        result[yes.rows] = self.of(node.then, yes)
        result[no.rows] = self.of(node.otherwise, no)
        return result
