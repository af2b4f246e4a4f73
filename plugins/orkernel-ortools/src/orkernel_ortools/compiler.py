"""Compiler: nodes of an expression graph as linear expressions and literals of a program.

An expression can be undefined at a point (a position outside its list, a division by zero).
A number therefore comes with the literals that must hold for it to be defined, and a truth as
two literals: certainly true, certainly false. Both fail where it is undefined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from orkernel.algebra.forms import Column, Constant, Operation
from orkernel.errors import Unsupported
from orkernel_ortools import arithmetic, logic
from orkernel_ortools.exact import Linear, rational
from orkernel_ortools.lookup import Entries
from orkernel_ortools.program import FALSE, TRUE, Literals, Program

if TYPE_CHECKING:
    from orkernel.algebra.forms import Graph


@dataclass(frozen=True, slots=True)
class Number:
    """A numeric expression.

    Attributes:
        linear: Its value where it is defined.
        defined: Literals that all hold exactly where it is defined.
    """

    linear: Linear
    defined: Literals = ()


@dataclass(frozen=True, slots=True)
class Truth:
    """Literals for "certainly true" and "certainly false"."""

    true: int
    false: int

    @classmethod
    def of(cls, literal: int) -> Truth:
        """A condition that is always defined."""
        return cls(literal, ~literal)


@dataclass(slots=True)
class Compiler:
    """Compiles nodes on demand, each once.

    Attributes:
        graph: The model's graph.
        program: Where everything goes.
        columns: Variable of each column.
    """

    graph: Graph
    program: Program
    columns: Sequence[int]
    _numbers: dict[int, Number] = field(default_factory=dict)
    _truths: dict[int, Truth] = field(default_factory=dict)
    _entries: dict[tuple[int, ...], Entries] = field(default_factory=dict)

    def node(self, number: int) -> Constant | Column | Operation:
        """A node of the graph."""
        return self.graph.nodes[number]

    def arguments(self, number: int) -> tuple[int, ...]:
        """Arguments of an operation."""
        node = self.node(number)
        assert isinstance(node, Operation)
        return node.arguments

    def number(self, number: int) -> Number:
        """A node as a number.

        Raises:
            Unsupported: CP-SAT has no exact form of it.
        """
        if number not in self._numbers:
            self._numbers[number] = self._number(number)
        return self._numbers[number]

    def _number(self, number: int) -> Number:
        node = self.node(number)
        if isinstance(node, Constant):
            return Number(Linear({}, rational(node.value)))
        if isinstance(node, Column):
            variable = self.columns[node.number]
            fixed = self.program.lower[variable] == self.program.upper[variable]
            if fixed:
                return Number(Linear({}, self.program.lower[variable]))
            return Number(Linear.variable(variable))
        if node.op in logic.OPERATIONS:
            truth = self.truth(number)
            decided = self.program.any_of((truth.true, truth.false))
            return Number(self.program.number(truth.true), () if decided == TRUE else (decided,))
        return arithmetic.compile_number(self, node)

    def entries(self, numbers: tuple[int, ...]) -> Entries:
        """Nodes as a list that is looked into.

        Raises:
            Unsupported: One may be undefined.
        """
        if numbers not in self._entries:
            found = [self.number(k) for k in numbers]
            if any(entry.defined for entry in found):
                raise Unsupported(self.program.element, "an entry of a list may be undefined")
            self._entries[numbers] = Entries([entry.linear for entry in found])
        return self._entries[numbers]

    def truth(self, number: int) -> Truth:
        """A node as a condition; a number is true from ½ up.

        Raises:
            Unsupported: CP-SAT has no exact form of it.
        """
        if number not in self._truths:
            literal = self._column_literal(number)
            self._truths[number] = self._truth(number) if literal is None else Truth.of(literal)
        return self._truths[number]

    def _column_literal(self, number: int) -> int | None:
        """The literal of a column that is 0 or 1, None for any other node."""
        node = self.graph.nodes[number]
        if not isinstance(node, Column):
            return None
        variable = self.columns[node.number]
        binary = self.program.lower[variable] == 0 and self.program.upper[variable] == 1
        return variable if binary else None

    def _truth(self, number: int) -> Truth:
        node = self.node(number)
        if isinstance(node, Operation) and node.op in logic.OPERATIONS:
            return logic.compile_truth(self, node)
        value = self.number(number)
        holds = self.program.within(value.linear, rational(0.5), None)
        return self.decided(holds, value.defined)

    def decided(self, holds: int, defined: Literals) -> Truth:
        """A truth that is undefined unless some literals hold."""
        if not defined:
            return Truth.of(holds)
        return Truth(
            self.program.all_of((holds, *defined)), self.program.all_of((~holds, *defined))
        )

    def chosen(self, number: int) -> int:
        """The literal of an optional part: an undefined condition counts as false."""
        literal = self._column_literal(number)
        return self.truth(number).true if literal is None else literal

    def require(self, number: int, when: Literals = ()) -> None:
        """Make a condition true whenever all literals hold."""
        if FALSE not in when:
            logic.require(self, number, tuple(k for k in when if k != TRUE))

    def limit(self, number: int, lower: float, upper: float, when: Literals = ()) -> None:
        """Keep a number, defined, within bounds whenever all literals hold."""
        value = self.number(number)
        for literal in value.defined:
            self.program.clause((literal, *(~k for k in when)))
        self.program.between(value.linear, lower, upper, when)
