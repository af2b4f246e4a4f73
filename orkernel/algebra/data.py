"""Data expressions over a space: numbers, truth values and members, all rows at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra import generators
from orkernel.algebra.chains import addends, factors
from orkernel.algebra.members import MAX_INTEGER, TEXT, BoundSet
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
from orkernel.algebra.space import Atoms, Label, Space, groups
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
    "log": np.log,
    "log10": np.log10,
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
    "floor": np.floor,
    "ceil": np.ceil,
}
"""NumPy function behind each scalar function of the algebra."""

REDUCTIONS: dict[str, tuple[np.ufunc, float | None]] = {
    "sum": (np.add, 0.0),
    "prod": (np.multiply, 1.0),
    "min": (np.minimum, None),
    "max": (np.maximum, None),
    "all": (np.logical_and, True),
    "any": (np.logical_or, False),
}
"""NumPy function behind each aggregate, and its value over nothing (None: an error)."""


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
                raise self._arity(node, name, 0)
            return parameter.values
        if kind == "variable":
            raise ExpressionError(
                f"'{name}' is a variable; only data may stand here", span=node.span
            )
        if kind == "random parameter":
            raise ExpressionError(
                f"'{name}' is random; it may stand only inside expectation(…) or probability(…)",
                span=node.span,
                fix=f"write expectation({name}), or give it a fixed value",
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
        number = self.number(node.indices[0], space)
        positions = number.astype(np.int64) - 1
        bad = (positions + 1 != number) | (positions < 0) | (positions >= len(domain))
        if np.any(bad):
            raise self.failure(
                f"'{node.base}' has {len(domain)} members, none at the position asked for",
                node,
                space,
                bad,
            )
        return Label(domain, -1 if domain.arity > 1 else 0, positions)

    def _arity(self, node: Node, name: str, given: int) -> ExpressionError:
        index = self.scope.index_of(name)
        wanted = sum(s.arity for s in index)
        sets = ", ".join(s.name for s in index)
        takes = (
            f"{wanted} {'index' if wanted == 1 else 'indices'} ({sets})" if wanted else "no index"
        )
        return ExpressionError(f"'{name}' takes {takes}, {given or 'none'} given", span=node.span)

    def failure(self, message: str, node: Node, space: Space, bad: Array) -> ExpressionError:
        """An error that names the first bad row."""
        row = int(np.argmax(bad)) if np.ndim(bad) else 0
        where = space.describe(row) if space.size else ""
        return ExpressionError(f"{message}{f', where {where}' if where else ''}", span=node.span)

    # ------------------------------------------------------------------ subscripts

    def flat(self, node: Subscript, index: Sequence[BoundSet], space: Space) -> Integers:
        """Position in the flattened array of a parameter or variable, shape `(rows,)` or `()`.

        Raises:
            ExpressionError: Wrong number of indices, or a member that the set does not have.
        """
        parts: list[tuple[Node, Value]] = []
        for item in node.indices:
            for part in item.items if isinstance(item, Display) else (item,):
                parts.append((part, self.value(part, space)))
        given = sum(v.arity if isinstance(v, Label) else 1 for _, v in parts)
        empty = next((s.name for s in index if not len(s)), None)
        if empty is not None:
            if not space.size:
                return np.zeros(0, np.int64)
            message = f"'{node.base}' has no entries, since '{empty}' is empty"
            raise self.failure(message, node, space, np.array(True))
        if given != sum(s.arity for s in index) or not index:
            raise self._arity(node, node.base, given)
        flat: Integers = np.array(0, np.int64)
        for domain in index:
            taken: list[tuple[Node, Value]] = []
            while sum(v.arity if isinstance(v, Label) else 1 for _, v in taken) < domain.arity:
                taken.append(parts.pop(0))
            if sum(v.arity if isinstance(v, Label) else 1 for _, v in taken) != domain.arity:
                raise ExpressionError(
                    f"'{node.base}': a tuple stands across index positions", span=node.span
                )
            positions = self.positions([v for _, v in taken], domain, node)
            bad = positions < 0
            if np.any(bad):
                raise self._no_member(node, domain, taken, space, bad)
            flat = (
                positions if flat.ndim == 0 and not flat.any() else flat * len(domain) + positions
            )
        return flat

    def positions(self, values: Sequence[Value], domain: BoundSet, node: Node) -> Integers:
        """Positions in a set of the members that `values` make up, −1 where there is none."""
        first = values[0]
        if isinstance(first, Label) and len(values) == 1:
            if first.domain is domain and (first.component < 0 or domain.arity == 1):
                return first.positions
            return domain.translate(first.domain, first.component)[first.positions]
        if isinstance(first, Label) and first.domain is domain:
            whole = all(
                isinstance(v, Label)
                and v.domain is domain
                and v.component == k
                and v.positions is first.positions
                for k, v in enumerate(values)
            )
            if whole:
                return first.positions
        codes: list[Integers] = []
        for value in values:
            codes.extend(self.codes(value, node))
        return domain.find(codes)

    def codes(self, value: Value, node: Node) -> tuple[Integers, ...]:
        """Codes of members; whole numbers stand for themselves."""
        if isinstance(value, (Label, Atoms)):
            return value.codes()
        if value.dtype == np.bool_:
            raise ExpressionError("a condition stands where a member is expected", span=node.span)
        whole = (np.rint(value) == value) & (np.abs(value) <= MAX_INTEGER)
        return (np.where(whole, value, -(MAX_INTEGER + 1)).astype(np.int64),)

    def _no_member(
        self,
        node: Subscript,
        domain: BoundSet,
        taken: Sequence[tuple[Node, Value]],
        space: Space,
        bad: Array,
    ) -> ExpressionError:
        row = int(np.argmax(bad)) if bad.ndim else 0
        shown = []
        texts = False
        for part, value in taken:
            for codes in self.codes(value, part):
                code = int(codes[row]) if codes.ndim else int(codes)
                if code < -MAX_INTEGER:
                    assert not isinstance(value, (Label, Atoms))
                    shown.append(f"{float(value[row] if value.ndim else value):g}")
                else:
                    atom = self.scope.universe.atom(code)
                    texts = texts or str(atom) in map(str, domain.members[:1000])
                    shown.append(f'"{atom}"' if isinstance(atom, str) else str(atom))
        where = space.describe(row)
        error = ExpressionError(
            f"'{node.base}' has no entry for {', '.join(shown)}: it is not in '{domain.name}'"
            + (f", where {where}" if where else ""),
            span=node.span,
        )
        if texts:
            error.fix = "numbers and texts differ: write the member as it stands in the set"
        elif domain.first_of_run is not None:
            first, last = domain.members[0], domain.members[-1]
            error.fix = (
                f"'{domain.name}' runs from {first} to {last}; exclude the ends with a condition"
            )
        return error

    # ------------------------------------------------------------------ arithmetic

    def _sum(self, node: Node, space: Space) -> Array:
        total: Array | None = None
        for sign, part in addends(node):
            value = self.number(part, space)
            if total is None:
                total = value if sign > 0 else -value
            else:
                total = total + value if sign > 0 else total - value
        assert total is not None
        return self._finite(total, node, space, "this sum")

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
        return self._finite(total, node, space, "this product")

    def _power(self, node: Binary, space: Space) -> Array:
        left, right = self.number(node.left, space), self.number(node.right, space)
        if node.op in ("//", "%") and np.any(right == 0):
            raise self.failure("division by zero", node, space, right == 0)
        with np.errstate(all="ignore"):
            result = {"//": np.floor_divide, "%": np.mod, "**": np.power}[node.op](left, right)
        return self._finite(result, node, space, f"the result of '{node.op}'")

    def _finite(self, array: Array, node: Node, space: Space, what: str) -> Array:
        bad = ~np.isfinite(array)
        if np.any(bad):
            raise self.failure(f"{what} is not a finite number", node, space, bad)
        return array

    # ------------------------------------------------------------------ truth

    def truth(self, node: Node, space: Space) -> Bools:
        """Truth of a data condition."""
        match node:
            case Compare():
                return self._compare(node, space)
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

    def _compare(self, node: Compare, space: Space) -> Bools:
        result: Bools | None = None
        for left, op, right in zip(node.operands, node.ops, node.operands[1:], strict=False):
            if op in ("in", "not in"):
                part = self._contains(left, right, space)
                part = ~part if op == "not in" else part
            else:
                part = self._relation(left, op, right, space)
            result = part if result is None else result & part
        assert result is not None
        return result

    def _relation(self, left: Node, op: str, right: Node, space: Space) -> Bools:
        if op in ("==", "!="):
            a, b = self._keys(left, space), self._keys(right, space)
            if len(a) != len(b):
                raise ExpressionError(
                    f"a tuple of {len(a)} parts is compared with one of {len(b)}",
                    span=left.span,
                )
            equal: Bools = np.array(True)
            for x, y in zip(a, b, strict=True):
                equal = equal & _equal(x, y)
            return equal if op == "==" else ~equal
        a_number, b_number = self.number(left, space), self.number(right, space)
        compare = {"<=": np.less_equal, ">=": np.greater_equal, "<": np.less, ">": np.greater}[op]
        result: Bools = compare(a_number, b_number)
        return result

    def _keys(self, node: Node, space: Space) -> tuple[Array, ...]:
        """What equality compares: codes of members, else numbers."""
        if isinstance(node, Display):
            return tuple(key for item in node.items for key in self._keys(item, space))
        value = self.value(node, space)
        return value.codes() if isinstance(value, (Label, Atoms)) else (value,)

    def key(self, node: Node, space: Space) -> Array:
        """Codes or numbers by which a single value is compared for equality."""
        keys = self._keys(node, space)
        if len(keys) != 1:
            raise ExpressionError("a tuple stands where one value is expected", span=node.span)
        return keys[0]

    def _contains(self, left: Node, right: Node, space: Space) -> Bools:
        if isinstance(right, Display):
            found: Bools = np.array(False)
            for item in right.items:
                found = found | self._relation(left, "==", item, space)
            return found
        domain = self.source(right)
        if not len(domain):
            return np.array(False)
        values = [
            self.value(item, space)
            for item in (left.items if isinstance(left, Display) else (left,))
        ]
        if sum(v.arity if isinstance(v, Label) else 1 for v in values) != domain.arity:
            raise ExpressionError(
                f"members of '{domain.name}' have {domain.arity} part(s)", span=left.span
            )
        return self.positions(values, domain, left) >= 0

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
            return self._finite(result, node, space, f"{name}(…)")
        if name in REDUCTIONS:
            return self._reduce(node, space)
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
            outside = (x < xs[0]) | (x > xs[-1])
            if np.any(outside):
                raise self.failure("piecewise: x lies outside its points", node, space, outside)
            return np.interp(x, xs, ys)
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

    def breakpoints(self, node: Call, space: Space) -> tuple[Array, Array]:
        """The points of a piecewise function: x strictly increasing, both of one length ≥ 2."""
        xs, ys = (self.plain_list(argument, space) for argument in node.arguments[1:3])
        if xs.size != ys.size or xs.size < 2:
            raise ExpressionError(
                f"piecewise needs as many x as y, at least two; here {xs.size} and {ys.size}",
                span=node.span,
            )
        if np.any(np.diff(xs) <= 0):
            raise ExpressionError("piecewise needs increasing x values", span=node.span)
        return xs, ys

    def plain_list(self, node: Node, space: Space) -> Array:
        """Numbers of a list that is the same in every row, shape `(k,)`."""
        row = space.take(np.zeros(1, np.int64)) if space.size else None
        if space.size > 1:
            owner, values = self.entries(node, space)
            counts = np.bincount(owner, minlength=space.size)
            table = values.reshape(space.size, -1) if np.all(counts == counts[0]) else None
            if table is None or np.any(table != table[0]):
                raise ExpressionError(
                    "the points of piecewise must be the same in every row",
                    span=node.span,
                    fix="write one constraint per case",
                )
            first: Array = table[0]
            return first
        return self.entries(node, row if row is not None else Space())[1]

    # ------------------------------------------------------------------ lists

    def entries(self, node: Node, space: Space) -> tuple[Integers, Array]:
        """The numbers of a list in every row: the row of each entry (ascending) and its value."""
        if isinstance(node, Comprehension):
            inner = self.grow(node, space)
            values = np.broadcast_to(self._plain(node.element, inner), (inner.size,))
            return inner.rows_in(space), values
        if isinstance(node, Display):
            columns = [
                np.broadcast_to(self._plain(item, space), (space.size,)) for item in node.items
            ]
            owner = np.repeat(np.arange(space.size), len(columns))
            stacked = np.stack(columns, axis=1) if columns else np.zeros((space.size, 0))
            return owner, stacked.reshape(-1)
        values = self._array(node)
        return np.repeat(np.arange(space.size), values.size), np.tile(values, space.size)

    def _plain(self, node: Node, space: Space) -> Array:
        value = self.value(node, space)
        if isinstance(value, np.ndarray) and value.dtype == np.bool_:
            return value
        return self.as_number(value, node)

    def _array(self, node: Node) -> Array:
        if isinstance(node, Name):
            kind = self.scope.kind(node.id)
            if kind == "parameter":
                return self.scope.parameters[node.id].values.reshape(-1)
            if kind == "set":
                domain = self.scope.sets[node.id]
                every = np.arange(len(domain))
                return self.as_number(Label(domain, -1 if domain.arity > 1 else 0, every), node)
            if not kind:
                raise self.scope.unknown(node, node.id)
        raise ExpressionError(
            "a list is expected", span=node.span, fix="write [a, b] or (… for i in I)"
        )

    def _reduce(self, node: Call, space: Space) -> Array:
        ufunc, empty = REDUCTIONS[node.function]
        logical = node.function in ("all", "any")
        several = len(node.arguments) > 1
        listing = Display(node.arguments) if several else node.arguments[0]
        owner, values = self.entries(listing, space)
        values = (values != 0) if logical else values.astype(np.float64)
        starts, present = groups(owner, space.size)
        if empty is None and present.size < space.size:
            gap = np.ones(space.size, np.bool_)
            gap[present] = False
            raise self.failure(f"{node.function}(…) over nothing", node, space, gap)
        result = np.full(space.size, 0.0 if empty is None else empty, values.dtype)
        if present.size:
            result[present] = ufunc.reduceat(values, starts)
        return result if logical else self._finite(result, node, space, f"{node.function}(…)")

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


def _equal(x: Array, y: Array) -> Bools:
    """Equality of codes and numbers; a text equals no number."""
    if x.dtype == np.int64 and y.dtype != np.int64:
        x = np.where(x < TEXT, x, np.nan)
    elif y.dtype == np.int64 and x.dtype != np.int64:
        y = np.where(y < TEXT, y, np.nan)
    result: Bools = np.equal(x, y)
    return result
