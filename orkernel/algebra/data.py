"""Data expressions over a space: numbers, truth values and members, all rows at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra import arithmetic, generators, lists, relations, subscripts
from orkernel.algebra.chains import addends, factors
from orkernel.algebra.members import TEXT, BoundSet
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
    Text,
    Unary,
)
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.scope import Scope
from orkernel.algebra.space import Atoms, Label, Space
from orkernel.algebra.subscripts import arity_error
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
    Bools = NDArray[np.bool_]
    Integers = NDArray[np.int64]
    Value = Array | Label | Atoms

SCALAR_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "abs": np.abs,
    "exp": np.exp,
    "log": arithmetic.log,
    "log10": arithmetic.log10,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "floor": arithmetic.floor,
    "ceil": arithmetic.ceil,
}
"""NumPy function behind each scalar function of the algebra."""
BINARY_OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "**": arithmetic.power,
    "//": arithmetic.floor_divide,
    "%": arithmetic.modulo,
}
"""What computes each operator beyond `+ - * /`."""


class DataEvaluator:
    """Evaluates expressions without variables.

    Results have shape `(rows,)`, or `()` where they do not vary. Numbers are floats, truth
    values are booleans, members are `Label` or `Atoms`. Every number is finite: anything else
    is an `ExpressionError` that names the row.

    Args:
        scope: What the names stand for.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._displays: dict[int, tuple[Node, BoundSet]] = {}

    # ------------------------------------------------------------------ values

    def value(self, node: Node, space: Space) -> Value:
        """Value of any data expression."""
        match node:
            case Number(value=value):
                return np.array(float(value))
            case Text(value=value):
                return Atoms(np.array(self.scope.universe.code(value)))
            case Name(id=name):
                return self._name(node, name, space)
            case Subscript():
                return self._subscript(node, space)
            case Unary(op="not", operand=operand):
                return ~self.truth(operand, space)
            case Unary() | Binary(op="+" | "-"):
                return self._sum(node, space)
            case Binary(op="*" | "/"):
                return self._product(node, space)
            case Binary():
                return self._power(node, space)
            case Compare() | Logic():
                return self.truth(node, space)
            case Conditional():
                return self._conditional(node, space)
            case Call():
                return self._call(node, space)
        raise ExpressionError(
            "a list or comprehension stands where a number is expected",
            span=node.span,
            fix="use it inside sum(…), min(…) or another function",
        )

    def number(self, node: Node, space: Space) -> Array:
        """Value of a data expression as floats."""
        return self.as_number(self.value(node, space), node)

    def as_number(self, value: Value, node: Node) -> Array:
        """A value as floats; members must be integers."""
        if isinstance(value, Label):
            if value.arity == 1 and value.domain.numeric[max(value.component, 0)]:
                return value.domain.numbers[max(value.component, 0)][value.positions]
            shown = f"'{node.id}'" if isinstance(node, Name) else "this"
            raise ExpressionError(
                f"{shown} runs over members of '{value.domain.name}', which are not numbers",
                span=node.span,
                fix="use ord(…) for the position, or a parameter indexed by it",
            )
        if isinstance(value, Atoms):
            if np.any(value.array >= TEXT):
                raise ExpressionError("a member stands where a number is expected", span=node.span)
            return value.array.astype(np.float64)
        return value.astype(np.float64) if value.dtype != np.float64 else value

    def _name(self, node: Node, name: str, space: Space) -> Value:
        label = space.get(name)
        if label is not None:
            return label
        kind = self.scope.kind(name)
        if kind == "parameter":
            parameter = self.scope.parameters[name]
            if parameter.index:
                raise arity_error(self, node, name, 0)
            return parameter.values
        if kind == "variable":
            raise ExpressionError(
                f"'{name}' is a variable; only data may stand here", span=node.span
            )
        if kind == "random parameter":
            raise ExpressionError(
                f"'{name}' is random; data must be known before the model is solved",
                span=node.span,
                fix="give it a fixed value",
            )
        if kind == "set":
            raise ExpressionError(
                f"'{name}' is a set, not a number",
                span=node.span,
                fix=f"write card({name}) for its size, or let an index run over it",
            )
        raise self.scope.unknown(node, name, space.names())

    def _subscript(self, node: Subscript, space: Space) -> Value:
        kind = self.scope.kind(node.base)
        if kind == "parameter":
            parameter = self.scope.parameters[node.base]
            return parameter.values.reshape(-1)[self.flat(node, parameter.index, space)]
        if kind == "set":
            return self._member(node, self.scope.sets[node.base], space)
        if space.get(node.base) is not None:
            raise ExpressionError(f"'{node.base}' is an index and takes none", span=node.span)
        if not kind:
            raise self.scope.unknown(node, node.base)
        return self._name(node, node.base, space)

    def _member(self, node: Subscript, domain: BoundSet, space: Space) -> Label:
        if len(node.indices) != 1:
            raise ExpressionError(
                f"{node.base}[k] takes the position of a member, from 1", span=node.span
            )
        positions = self.codes(self.number(node.indices[0], space), node)[0] - 1
        bad = (positions < 0) | (positions >= len(domain))
        if np.any(bad):
            raise self.failure(
                f"'{node.base}' has {len(domain)} members, none at the position asked for",
                node,
                space,
                bad,
            )
        return Label(domain, -1 if domain.arity > 1 else 0, positions)

    def failure(self, message: str, node: Node, space: Space, bad: Array) -> ExpressionError:
        """An error that names the first bad row."""
        row = int(np.argmax(bad)) if np.ndim(bad) else 0
        where = space.describe(row) if space.size else ""
        return ExpressionError(f"{message}{f', where {where}' if where else ''}", span=node.span)

    def flat(self, node: Subscript, index: Sequence[BoundSet], space: Space) -> Integers:
        """Position in the flattened array of a parameter or variable; see `subscripts.flat`."""
        return subscripts.flat(self, node, index, space)

    def positions(self, values: Sequence[Value], domain: BoundSet, node: Node) -> Integers:
        """Positions in a set of the members that `values` make up, −1 where there is none."""
        return subscripts.positions_in(values, domain, node)

    def codes(self, value: Value, node: Node) -> tuple[Integers, ...]:
        """Codes of members; whole numbers stand for themselves."""
        return subscripts.codes_of(value, node)

    def entries(self, node: Node, space: Space) -> tuple[Integers, Array]:
        """The numbers of a list in every row; see `lists.entries`."""
        return lists.entries(self, node, space)

    def breakpoints(self, node: Call, space: Space) -> tuple[Array, Array]:
        """The points of a piecewise function; see `lists.breakpoints`."""
        return lists.breakpoints(self, node, space)

    # ------------------------------------------------------------------ arithmetic

    def _sum(self, node: Node, space: Space) -> Array:
        total: Array | None = None
        for sign, part in addends(node):
            value = self.number(part, space)
            with np.errstate(over="ignore", invalid="ignore"):
                if total is None:
                    total = value if sign > 0 else -value
                else:
                    total = total + value if sign > 0 else total - value
        assert total is not None
        return self.finite(total, node, space, "this sum")

    def _product(self, node: Node, space: Space) -> Array:
        total: Array | None = None
        for op, part in factors(node):
            value = self.number(part, space)
            if op == "/":
                zero = value == 0
                if np.any(zero):
                    raise self.failure("division by zero", part, space, zero)
            with np.errstate(over="ignore", invalid="ignore"):
                if op == "/":
                    total = (1.0 if total is None else total) / value
                else:
                    total = value if total is None else total * value
        assert total is not None
        return self.finite(total, node, space, "this product")

    def _power(self, node: Binary, space: Space) -> Array:
        left, right = self.number(node.left, space), self.number(node.right, space)
        if node.op in ("//", "%") and np.any(right == 0):
            raise self.failure("division by zero", node, space, right == 0)
        with np.errstate(all="ignore"):
            result = BINARY_OPERATIONS[node.op](left, right)
        return self.finite(result, node, space, f"the result of '{node.op}'")

    def finite(self, array: Array, node: Node, space: Space, what: str) -> Array:
        bad = ~np.isfinite(array)
        if np.any(bad):
            raise self.failure(f"{what} is not a finite number", node, space, bad)
        return array

    # ------------------------------------------------------------------ truth

    def truth(self, node: Node, space: Space) -> Bools:
        """Truth of a data condition."""
        match node:
            case Compare():
                return relations.compare(self, node, space)
            case Logic(op=op, operands=operands):
                return self._logic(op == "and", operands, space)
            case Unary(op="not", operand=operand):
                return ~self.truth(operand, space)
            case Call(function="implies", arguments=(left, right)):
                return self._logic(False, (Unary("not", left), right), space)
            case Call(function="iff", arguments=(left, right)):
                return ~(self.truth(left, space) ^ self.truth(right, space))
        value = self.value(node, space)
        if isinstance(value, np.ndarray):
            return value if value.dtype == np.bool_ else value != 0
        raise ExpressionError("a member stands where a condition is expected", span=node.span)

    def _logic(self, conjunction: bool, operands: Sequence[Node], space: Space) -> Bools:
        """`and`/`or`, each operand only over the rows that the ones before leave open."""
        truth = np.array(self.truth(operands[0], space))
        for operand in operands[1:]:
            if truth.ndim == 0:
                if bool(truth) != conjunction:
                    return truth
                truth = np.array(self.truth(operand, space))
                continue
            undecided = np.flatnonzero(truth if conjunction else ~truth)
            if undecided.size:
                truth[undecided] = self.truth(operand, space.take(undecided))
        return truth

    # ------------------------------------------------------------------ conditionals, calls

    def split(self, node: Conditional, space: Space) -> tuple[Space | None, Space | None]:
        """The rows where the test holds and those where it does not; None where empty.

        A test that is the same in all rows gives the space itself.
        """
        key = ("split", id(node))
        if key not in space.memo:
            truth = np.broadcast_to(self.truth(node.test, space), (space.size,))
            halves: tuple[Space | None, Space | None]
            if truth.all():
                halves = (space, None)
            elif not truth.any():
                halves = (None, space)
            else:
                halves = (space.take(np.flatnonzero(truth)), space.take(np.flatnonzero(~truth)))
            space.memo[key] = (node, halves)
        found: tuple[Space | None, Space | None] = space.memo[key][1]
        return found

    def _conditional(self, node: Conditional, space: Space) -> Value:
        yes, no = self.split(node, space)
        if yes is None or no is None:
            branch = node.then if no is None else node.otherwise
            return self.value(branch, space)
        pieces = [(yes, self.value(node.then, yes)), (no, self.value(node.otherwise, no))]
        if any(isinstance(value, (Label, Atoms)) for _, value in pieces):
            codes = np.empty(space.size, np.int64)
            for part, value in pieces:
                codes[part.rows] = self.codes(value, node)[0]
            return Atoms(codes)
        kind = np.result_type(*[np.asarray(v).dtype for _, v in pieces])
        merged = np.empty(space.size, kind)
        for part, value in pieces:
            merged[part.rows] = value
        return merged

    def _call(self, node: Call, space: Space) -> Value:
        name = node.function
        if name in SCALAR_FUNCTIONS:
            argument = self.number(node.arguments[0], space)
            with np.errstate(all="ignore"):
                result = SCALAR_FUNCTIONS[name](argument)
            return self.finite(result, node, space, f"{name}(…)")
        if name in lists.REDUCTIONS:
            return lists.reduce(self, node, space)
        if name in ("implies", "iff"):
            return self.truth(node, space)
        if name in ("first", "last", "card"):
            domain = self.source(node.arguments[0])
            if name == "card":
                return np.array(float(len(domain)))
            if not len(domain):
                raise ExpressionError(
                    f"'{domain.name}' is empty, it has no {name} member", span=node.span
                )
            position = np.array(0 if name == "first" else len(domain) - 1)
            return Label(domain, -1 if domain.arity > 1 else 0, position)
        if name in ("ord", "pred", "succ"):
            return self._neighbour(node, space)
        if name == "piecewise":
            xs, ys = self.breakpoints(node, space)
            x = self.number(node.arguments[0], space)
            if not space.size:
                return np.zeros(0)
            outside = (x < xs[:, 0]) | (x > xs[:, -1])
            if np.any(outside):
                raise self.failure("piecewise: x lies outside its points", node, space, outside)
            return lists.interpolate(x, xs, ys)
        raise ExpressionError(f"{name}(…) cannot be used in data", span=node.span)

    def _neighbour(self, node: Call, space: Space) -> Value:
        value = self.value(node.arguments[0], space)
        if len(node.arguments) > 1:
            domain = self.source(node.arguments[1])
        elif isinstance(value, Label) and (value.component < 0 or value.domain.arity == 1):
            domain = value.domain
        else:
            raise ExpressionError(
                f"{node.function}(…) needs the set here",
                span=node.span,
                fix=f"write {node.function}(i, S)",
            )
        positions = self.positions([value], domain, node)
        if np.any(positions < 0):
            raise self.failure(
                f"{node.function}: the member is not in '{domain.name}'", node, space, positions < 0
            )
        if node.function == "ord":
            return positions + 1.0
        moved = positions + (1 if node.function == "succ" else -1)
        outside = (moved < 0) | (moved >= len(domain))
        if np.any(outside):
            side = "after the last" if node.function == "succ" else "before the first"
            raise self.failure(
                f"there is no member {side} of '{domain.name}'", node, space, outside
            )
        return Label(domain, -1 if domain.arity > 1 else 0, moved)

    # ------------------------------------------------------------------ spaces and sets

    def grow(self, node: Comprehension, space: Space) -> Space:
        """The space of a comprehension inside another, remembered by the outer one."""
        key = ("grow", id(node))
        if key not in space.memo:
            space.memo[key] = (node, generators.extend(self, space, node.generators))
        found: Space = space.memo[key][1]
        return found

    def source(self, node: Node) -> BoundSet:
        """The set that a generator runs over or a membership test looks into."""
        if isinstance(node, Name):
            if self.scope.kind(node.id) == "set":
                return self.scope.sets[node.id]
            if not self.scope.kind(node.id):
                raise self.scope.unknown(node, node.id)
            raise ExpressionError(
                f"'{node.id}' is a {self.scope.kind(node.id)}, not a set", span=node.span
            )
        if isinstance(node, (Display, Comprehension)):
            if id(node) not in self._displays:
                domain = generators.collect(self, node, "the list")
                self._displays[id(node)] = (node, domain)
            return self._displays[id(node)][1]
        raise ExpressionError(
            "a set is expected", span=node.span, fix="name a set, or write a list [a, b]"
        )
