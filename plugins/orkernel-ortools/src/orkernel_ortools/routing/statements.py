"""The rows of a graph taken apart: one global constraint, linear rows, rows under a condition."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf

from orkernel.algebra.affine import Affine, total
from orkernel.algebra.forms import Column, Constant, Graph, Operation
from orkernel.algebra.interning import COMPARISONS, TRUTHS
from orkernel_ortools.routing.tour import Limit


class Foreign(Exception):
    """Something in the model that is no part of a tour."""


@dataclass(slots=True)
class Statements:
    """What a model says.

    Attributes:
        tours: The `circuit` and `multi_circuit` operations.
        linear: Rows that always hold.
        conditional: Rows that hold when a binary column is 1, with that column.
        objective: To be minimised.
    """

    tours: list[Operation] = field(default_factory=list)
    linear: list[Limit] = field(default_factory=list)
    conditional: list[tuple[int, Limit]] = field(default_factory=list)
    objective: Affine = field(default_factory=Affine)


def read(graph: Graph) -> Statements:
    """Take a graph apart.

    Raises:
        Foreign: A row or objective has none of these shapes.
    """
    reader = _Reader(graph, Statements())
    for row in graph.rows:
        node = graph.nodes[row.node]
        if isinstance(node, Operation) and node.op in TRUTHS:
            if row.lower <= 0.0 or row.upper < 1.0:
                raise Foreign
            reader.assert_truth(row.node)
        else:
            reader.assert_linear(Limit.of(reader.affine(row.node), row.lower, row.upper))
    if len(graph.objectives) > 1:
        raise Foreign
    for objective in graph.objectives:
        goal = reader.affine(objective.node)
        reader.found.objective = goal.scaled(-1.0) if objective.maximize else goal
    return reader.found


@dataclass(slots=True)
class _Reader:
    graph: Graph
    found: Statements
    known: dict[int, Affine] = field(default_factory=dict)

    def affine(self, number: int) -> Affine:
        """A node as an affine function of columns."""
        if number not in self.known:
            self.known[number] = self._affine(number)
        return self.known[number]

    def _affine(self, number: int) -> Affine:
        node = self.graph.nodes[number]
        if isinstance(node, Constant):
            return Affine(node.value)
        if isinstance(node, Column):
            return Affine.column(node.number)
        if node.op == "sum":
            return total(map(self.affine, node.arguments))
        if node.op == "neg":
            return self.affine(node.arguments[0]).scaled(-1.0)
        if node.op == "sub":
            return self.affine(node.arguments[0]) - self.affine(node.arguments[1])
        if node.op == "prod":
            result = Affine(1.0)
            for part in map(self.affine, node.arguments):
                if part.terms and result.terms:
                    raise Foreign
                factor, rest = (result, part) if part.terms else (part, result)
                result = rest.scaled(factor.constant)
            return result
        raise Foreign

    # ------------------------------------------------------------------ rows

    def assert_linear(self, row: Limit) -> None:
        """A row that always holds."""
        self.found.linear.append(row)

    def assert_truth(self, number: int) -> None:
        """A condition that always holds."""
        node = self.graph.nodes[number]
        if not isinstance(node, Operation):
            self.assert_linear(Limit.of(self.affine(number), 1.0, inf))
        elif node.op == "and":
            for argument in node.arguments:
                self.assert_truth(argument)
        elif node.op in ("circuit", "multi_circuit"):
            self.found.tours.append(node)
        elif node.op == "implies":
            condition, consequence = node.arguments
            self._assert_if(self._switch(condition), consequence)
        else:
            self.assert_linear(self._comparison(node))

    def _assert_if(self, column: int, number: int) -> None:
        node = self.graph.nodes[number]
        if not isinstance(node, Operation):
            raise Foreign
        if node.op == "and":
            for argument in node.arguments:
                self._assert_if(column, argument)
        else:
            self.found.conditional.append((column, self._comparison(node)))

    def _switch(self, number: int) -> int:
        """The binary column whose being 1 is the condition."""
        node = self.graph.nodes[number]
        if isinstance(node, Column):
            return node.number
        if node.op not in COMPARISONS:  # type: ignore[union-attr]
            raise Foreign
        left, right = (self.affine(k) for k in node.arguments)  # type: ignore[union-attr]
        difference = left - right
        if len(difference.terms) != 1:
            raise Foreign
        ((column, coefficient),) = difference.terms.items()
        holds = COMPARISONS[node.op]  # type: ignore[union-attr]
        off, on = (holds(difference.constant + coefficient * k, 0.0) for k in (0.0, 1.0))
        if off or not on:
            raise Foreign
        return column

    def _comparison(self, node: Operation) -> Limit:
        if node.op not in COMPARISONS:
            raise Foreign
        left, right = (self.affine(k) for k in node.arguments)
        body = left - right
        match node.op:
            case "le":
                return Limit.of(body, -inf, 0.0)
            case "ge":
                return Limit.of(body, 0.0, inf)
            case "eq":
                return Limit.of(body, 0.0, 0.0)
        whole = body.is_whole(self.graph.columns.integer)  # type: ignore[arg-type]
        if node.op == "lt" and whole:
            return Limit.of(body, -inf, -1.0)
        if node.op == "gt" and whole:
            return Limit.of(body, 1.0, inf)
        raise Foreign
