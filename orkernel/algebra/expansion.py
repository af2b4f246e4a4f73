"""Expansion: a syntax tree over a space becomes one graph node per row of the space."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.arguments import Arcs, list_keys
from orkernel.algebra.chains import addends, factors
from orkernel.algebra.functions import FUNCTIONS, Kind
from orkernel.algebra.globals import arc_ends, table_rows
from orkernel.algebra.interning import TRUTHS, NodeTable
from orkernel.algebra.nodes import (
    Binary,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Logic,
    Name,
    Node,
    Subscript,
    Unary,
)
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.program import Program, Statement, is_condition
from orkernel.algebra.space import Space
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

GRAPH_COMPARISON = {"<=": "le", ">=": "ge", "==": "eq", "!=": "ne", "<": "lt", ">": "gt"}


@dataclass(frozen=True, slots=True)
class Expansion:
    """Turns the expressions of one statement into nodes.

    Attributes:
        program: The model's statements and data.
        statement: The statement.
        table: Where the nodes go.
    """

    program: Program
    statement: Statement
    table: NodeTable

    # ------------------------------------------------------------------ numbers

    def number(self, node: Node, space: Space) -> Integers:
        """Nodes of a numeric expression, shape `(space.size,)`; conditions count 0 and 1."""
        if is_condition(node):
            return self.truth(node, space)
        if self.statement.is_data(node):
            return self.table.constants(self.program.data.number(node, space), space.size)
        match node:
            case Name(id=name) | Subscript(base=name):
                return self._leaf(node, name, space)
            case Unary() | Binary(op="+" | "-"):
                return self.total(addends(node), space)
            case Binary(op="*" | "/"):
                return self._product(node, space)
            case Binary():
                return self._binary(node, space)
            case Conditional():
                return self._conditional(node, space, truth=False)
            case Call():
                return self._call(node, space)
        raise ExpressionError(
            "a list or comprehension stands where a number is expected",
            span=node.span,
            fix="use it inside sum(…), min(…) or another function",
        )

    def _leaf(self, node: Node, name: str, space: Space) -> Integers:
        """A variable, or a random parameter (which stands only inside an expectation)."""
        scope = self.program.scope
        if name in scope.variables:
            columns = self.program.flat(node, name, space)
            return self.table.column_nodes(np.broadcast_to(columns, (space.size,)))
        flat = np.array(0)
        if isinstance(node, Subscript):
            flat = self.program.data.flat(node, scope.random[name].index, space)
        places = np.broadcast_to(flat, (space.size,)).tolist()
        return self._rows(self.table.operation("random", (), (name, k)) for k in places)

    def total(self, terms: Iterable[tuple[int, Node]], space: Space) -> Integers:
        """Nodes of a sum of signed terms."""
        rows: list[list[int]] = [[] for _ in range(space.size)]
        for sign, part in terms:
            inner = isinstance(part, Call) and part.function == "sum"
            if inner and not self.statement.is_data(part):
                owner, numbers = self._entries(part.children()[0], space)
            else:
                owner, numbers = np.arange(space.size), self.number(part, space)
            for row, number in zip(owner.tolist(), numbers.tolist(), strict=True):
                rows[row].append(number if sign > 0 else self.table.negative(number))
        return self._rows(self.table.total(row) for row in rows)

    def _product(self, node: Node, space: Space) -> Integers:
        result: Integers | None = None
        for op, part in factors(node):
            numbers = self.number(part, space)
            if result is None:
                result = numbers
            elif op == "*":
                result = self._pairs(lambda a, b: self.table.scaled(1.0, (a, b)), result, numbers)
            else:
                result = self._pairs(self.table.quotient, result, numbers)
        assert result is not None
        return result

    def _binary(self, node: Binary, space: Space) -> Integers:
        table = self.table
        left, right = self.number(node.left, space), self.number(node.right, space)
        if node.op == "**":
            return self._pairs(table.power, left, right)

        def quotient(a: int, b: int) -> int:
            return table.function("floor", table.quotient(a, b))

        def remainder(a: int, b: int) -> int:
            return table.total((a, table.negative(table.scaled(1.0, (b, quotient(a, b))))))

        return self._pairs(quotient if node.op == "//" else remainder, left, right)

    def _conditional(self, node: Conditional, space: Space, *, truth: bool) -> Integers:
        expand = self.truth if truth else self.number
        yes, no = self.program.data.split(node, space)
        if yes is None or no is None:
            return expand(node.then if no is None else node.otherwise, space)
        merged = np.empty(space.size, np.int64)
        merged[yes.rows] = expand(node.then, yes)
        merged[no.rows] = expand(node.otherwise, no)
        return merged

    # ------------------------------------------------------------------ truth

    def truth(self, node: Node, space: Space) -> Integers:
        """Nodes of a condition, shape `(space.size,)`; their values are 0 or 1."""
        table = self.table
        if self.statement.is_data(node):
            truth = np.broadcast_to(self.program.data.truth(node, space), (space.size,))
            return table.constants(truth, space.size)
        match node:
            case Compare():
                parts = [self._comparison(node, k, space) for k in range(len(node.ops))]
                return self._gather("and", parts)
            case Logic(op=op, operands=operands):
                return self._gather(op, [self.truth(o, space) for o in operands])
            case Unary(op="not", operand=operand):
                return self._each(table.opposite, self.truth(operand, space))
            case Conditional():
                return self._conditional(node, space, truth=True)
            case Call(function="implies", arguments=(a, b)):
                return self._pairs(table.implication, self.truth(a, space), self.truth(b, space))
            case Call(function="iff", arguments=(a, b)):
                return self._pairs(table.equivalence, self.truth(a, space), self.truth(b, space))
            case Call(function="all" | "any", arguments=(argument,)):
                op = "and" if node.function == "all" else "or"
                owner, numbers = self._entries(argument, space, truth=True)
                rows = self._grouped(owner, numbers, space.size)
                return self._rows(table.junction(op, row) for row in rows)
            case Call(function=name) if name in TRUTHS:
                return self._constraint(node, space)
        return self._each(table.truth, self.number(node, space))

    def _comparison(self, node: Compare, part: int, space: Space) -> Integers:
        left, op, right = node.operands[part], node.ops[part], node.operands[part + 1]
        if self.statement.is_data(left) and self.statement.is_data(right):
            truth = self.program.data.truth(Compare((left, right), (op,), span=node.span), space)
            return self.table.constants(truth, space.size)
        if op in ("in", "not in"):
            raise ExpressionError(
                f"'{op}' compares data only; the left side contains a variable",
                span=node.span,
                fix="write table([x], [[1], [2]]) for a variable that takes listed values",
            )
        name = GRAPH_COMPARISON[op]
        numbers = self.number(left, space), self.number(right, space)
        return self._pairs(lambda a, b: self.table.compare(name, a, b), *numbers)

    # ------------------------------------------------------------------ calls

    def _call(self, node: Call, space: Space) -> Integers:
        table, name, arguments = self.table, node.function, node.arguments
        kind = FUNCTIONS[name].kind
        if kind is Kind.SCALAR:
            argument = self.number(arguments[0], space)
            return self._each(lambda a: table.function(name, a), argument)
        if name == "sum":
            return self.total([(1, node)], space)
        if kind is Kind.AGGREGATE:
            source = arguments[0] if len(arguments) == 1 else Display(arguments, span=node.span)
            rows = self._lists(source, space)
            if name == "prod":
                return self._rows(table.scaled(1.0, row) for row in rows)
            for row, terms in enumerate(rows):
                if not terms:
                    bad = np.arange(space.size) == row
                    raise self.program.data.failure(f"{name}(…) over nothing", node, space, bad)
            return self._rows(table.extreme(name, row) for row in rows)
        if kind is Kind.RANDOM:
            expand = self.number if name == "expectation" else self.truth
            inner = expand(arguments[0], space)
            return self._each(lambda a: table.operation(name, (a,)), inner)
        if name == "interval":
            parts = [self.number(a, space) for a in arguments[:2]]
            parts += [self.truth(a, space) for a in arguments[2:]]
            rows = np.stack(parts, axis=1).tolist()
            return self._rows(table.operation("interval", row) for row in rows)
        if name == "piecewise":
            xs, ys = self.program.data.breakpoints(node, space)
            points = zip(map(tuple, xs.tolist()), map(tuple, ys.tolist()), strict=True)
            values = self.number(arguments[0], space).tolist()
            return self._rows(
                table.operation("piecewise", (a,), pair)
                for a, pair in zip(values, points, strict=True)
            )
        return self._element(node, space)

    def _element(self, node: Call, space: Space) -> Integers:
        """`element`: arguments are the positions, then the entries in C order."""
        values, *places = node.arguments
        rows = self._lists(values, space)
        wanted = [self.number(place, space) for place in places]
        firsts = np.stack(wanted, axis=1).tolist()
        keys = {n: list_keys(self.program.data, values, n) for n in set(map(len, rows))}
        return self._rows(
            self.table.operation("element", (*first, *row), keys[len(row)])
            for first, row in zip(firsts, rows, strict=True)
        )

    def _constraint(self, node: Call, space: Space) -> Integers:
        """A global constraint."""
        table, name, arguments = self.table, node.function, node.arguments
        rows = self._lists(arguments[0], space)
        if name in ("all_different", "no_overlap"):
            return self._rows(table.operation(name, row) for row in rows)
        if name in ("circuit", "multi_circuit"):
            return self._circuit(node, rows, space)
        if name == "table":
            allowed = table_rows(self.program.data, arguments[1])
            if allowed.shape[1] != max(map(len, rows), default=0):
                raise ExpressionError(
                    f"the rows have {allowed.shape[1]} entries, {len(rows[0])} values are given",
                    span=node.span,
                )
            data = tuple(map(tuple, allowed.tolist()))
            return self._rows(table.operation(name, row, data) for row in rows)
        others = self._lists(arguments[1], space)
        for row, (first, second) in enumerate(zip(rows, others, strict=True)):
            if len(first) != len(second):
                bad = np.arange(space.size) == row
                raise self.program.data.failure(
                    f"the lists of {name} have {len(first)} and {len(second)} entries",
                    node,
                    space,
                    bad,
                )
        pairs = [
            (table.operation("list", first), table.operation("list", second))
            for first, second in zip(rows, others, strict=True)
        ]
        if name == "cumulative":
            limits = self.number(arguments[2], space).tolist()
            return self._rows(
                table.operation(name, (*pair, limit))
                for pair, limit in zip(pairs, limits, strict=True)
            )
        return self._rows(
            table.operation(
                name,
                pair,
                (
                    list_keys(self.program.data, arguments[0], len(first)),
                    list_keys(self.program.data, arguments[1], len(first)),
                ),
            )
            for pair, first in zip(pairs, rows, strict=True)
        )

    def _circuit(self, node: Call, rows: list[list[int]], space: Space) -> Integers:
        data = self.program.data
        inner, tails, heads, nodes = arc_ends(data, node.arguments[0], space)
        atom = self.program.scope.universe.atom
        everything = tuple(atom(code) for code in nodes)
        names = {code: atom(code) for code in {*tails.tolist(), *heads.tolist()}}
        arcs = [(names[a], names[b]) for a, b in zip(tails.tolist(), heads.tolist(), strict=True)]
        limits = np.searchsorted(inner.rows_in(space), np.arange(space.size + 1)).tolist()
        ends = [arcs[begin:end] for begin, end in pairwise(limits)]
        depots: list[str | int | None] = [None] * space.size
        if node.function == "multi_circuit":
            value = data.value(node.arguments[1], space)
            codes = np.broadcast_to(data.codes(value, node.arguments[1])[0], (space.size,))
            depots = [atom(code) for code in codes.tolist()]
        return self._rows(
            self.table.operation(node.function, row, Arcs(tuple(e), everything, depot))
            for row, e, depot in zip(rows, ends, depots, strict=True)
        )

    # ------------------------------------------------------------------ lists

    def _entries(
        self, node: Node, space: Space, *, truth: bool = False
    ) -> tuple[Integers, Integers]:
        """Nodes of a list in every row: the row of each entry (ascending) and its node."""
        expand = self.truth if truth else self.number
        if isinstance(node, Comprehension):
            inner = self.program.data.grow(node, space)
            return inner.rows_in(space), expand(node.element, inner)
        if isinstance(node, Display):
            owner = np.repeat(np.arange(space.size), len(node.items))
            if not node.items:
                return owner, np.zeros(0, np.int64)
            columns = [expand(item, space) for item in node.items]
            return owner, np.stack(columns, axis=1).reshape(-1)
        if isinstance(node, Name) and node.id in self.program.scope.variables:
            block = self.program.scope.variables[node.id]
            numbers = self.table.column_nodes(block.offset + np.arange(block.size))
            if truth:
                numbers = self._each(self.table.truth, numbers)
            return np.repeat(np.arange(space.size), block.size), np.tile(numbers, space.size)
        if isinstance(node, Name) and node.id in self.program.scope.random:
            size = int(np.prod([len(s) for s in self.program.scope.index_of(node.id)]))
            leaves = [self.table.operation("random", (), (node.id, k)) for k in range(size)]
            return np.repeat(np.arange(space.size), size), np.tile(leaves, space.size)
        owner, values = self.program.data.entries(node, space)
        return owner, self.table.constants(values != 0 if truth else values, values.size)

    def _lists(self, node: Node, space: Space) -> list[list[int]]:
        owner, numbers = self._entries(node, space)
        return self._grouped(owner, numbers, space.size)

    @staticmethod
    def _grouped(owner: Integers, numbers: Integers, size: int) -> list[list[int]]:
        """The entries of each row, from entries in the order of their rows."""
        ends = np.searchsorted(owner, np.arange(size + 1)).tolist()
        entries = numbers.tolist()
        return [entries[begin:end] for begin, end in pairwise(ends)]

    def _gather(self, op: str, parts: list[Integers]) -> Integers:
        rows = np.stack(parts, axis=1).tolist()
        return self._rows(self.table.junction(op, row) for row in rows)

    @staticmethod
    def _rows(numbers: Iterable[int]) -> Integers:
        return np.fromiter(numbers, np.int64)

    @staticmethod
    def _each(make: Callable[[int], int], numbers: Integers) -> Integers:
        return np.fromiter(map(make, numbers.tolist()), np.int64, numbers.size)

    @staticmethod
    def _pairs(make: Callable[[int, int], int], left: Integers, right: Integers) -> Integers:
        return np.fromiter(map(make, left.tolist(), right.tolist()), np.int64, left.size)
