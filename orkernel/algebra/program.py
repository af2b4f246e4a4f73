"""A formulation's statements, parsed and matched with the bound data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra import generators
from orkernel.algebra.data import DataEvaluator
from orkernel.algebra.forms import Columns, RowBlock, Rows
from orkernel.algebra.functions import FUNCTIONS, Kind
from orkernel.algebra.nodes import Call, Compare, Conditional, Generator, Logic, Node, Unary
from orkernel.algebra.parse import parse, parse_for_each
from orkernel.algebra.scope import Scope, dependent_nodes, place
from orkernel.algebra.space import Space
from orkernel.algebra.validate import validate
from orkernel.errors import ExpressionError
from orkernel.formulation.schema import (
    ConstraintDefinition,
    Formulation,
    ObjectiveDefinition,
    ResultDefinition,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.members import BoundSet

    Floats = NDArray[np.float64]

MIRRORED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "=="}
"""What a comparison becomes when its sides change places."""
MAX_MODEL_ROWS = 50_000_000
"""Most rows of a model."""

_TRUE_OR_FALSE = frozenset(
    f.name
    for f in FUNCTIONS.values()
    if f.kind is Kind.LOGICAL or (f.kind is Kind.GLOBAL and f.name != "element")
)


def is_condition(node: Node) -> bool:
    """Whether an expression is true or false by its form, rather than a number."""
    match node:
        case Compare() | Logic() | Unary(op="not"):
            return True
        case Call(function=name):
            return name in _TRUE_OR_FALSE
        case Conditional(then=then, otherwise=otherwise):
            return is_condition(then) and is_condition(otherwise)
    return False


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A parsed expression and where it comes from.

    Attributes:
        element: `constraint 'supply'`, for messages.
        text: The expression as written.
        node: Its tree.
        dependent: `id` of each node below that is more than data.
    """

    element: str
    text: str
    node: Node
    dependent: frozenset[int]

    def is_data(self, node: Node) -> bool:
        """Whether a part of the expression is data."""
        return id(node) not in self.dependent


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One comparison of a constraint, or a whole logical constraint.

    Attributes:
        number: Which comparison of a chain, from 0.
        op: `<= >= == < >`; empty for a logical part, whose condition is `left`.
        right: None for a logical part; data, if one side of the comparison is.
        offset: First row.
    """

    number: int
    op: str
    left: Node
    right: Node | None
    offset: int


@dataclass(eq=False)
class Repeated:
    """A statement with its `for_each`."""

    statement: Statement
    for_each: str
    generators: tuple[Generator, ...]
    data: DataEvaluator

    @cached_property
    def space(self) -> Space:
        """The combinations of its indices, one per repetition."""
        with place(self.statement.element, self.for_each):
            return generators.extend(self.data, Space(), self.generators)

    def names(self) -> tuple[str, ...]:
        """The indices, in order."""
        return tuple(target for g in self.generators for target in g.targets)

    def members(self) -> tuple[NDArray[np.object_], ...]:
        """Per index its members, one per repetition."""
        found = []
        for name in self.names():
            label = self.space.get(name)
            assert label is not None
            found.append(label.objects(self.space.size))
        return tuple(found)


@dataclass(eq=False)
class Constraint(Repeated):
    """A constraint: its rows are those of its parts, one after the other."""

    definition: ConstraintDefinition
    parts: tuple[Part, ...] = ()

    def blocks(self) -> Iterator[RowBlock]:
        """The row blocks, one per part."""
        members = self.members()
        for part in self.parts:
            yield RowBlock(
                self.definition.name,
                part.number,
                part.offset,
                self.space.size,
                self.names(),
                members,
                self.definition.sources,
                not part.op,
            )


@dataclass(frozen=True, slots=True, eq=False)
class Objective:
    """An objective."""

    definition: ObjectiveDefinition
    statement: Statement


@dataclass(eq=False)
class Result(Repeated):
    """A figure to report."""

    definition: ResultDefinition


@dataclass(eq=False)
class Program:
    """All statements of a formulation over one scope.

    Attributes:
        scope: What names stand for.
        data: Evaluates data expressions.
        columns: The scalar variables.
    """

    scope: Scope
    data: DataEvaluator
    columns: Columns
    objectives: tuple[Objective, ...]
    constraints: tuple[Constraint, ...]
    results: tuple[Result, ...]
    integer_names: frozenset[str] = field(default_factory=frozenset)

    @classmethod
    def compile(cls, formulation: Formulation, scope: Scope, columns: Columns) -> Program:
        """Parse and check every statement, and lay out the rows.

        Raises:
            ExpressionError: A statement does not fit the formulation.
        """
        data = DataEvaluator(scope)
        integer_names = frozenset(v.name for v in formulation.variables if v.domain != "continuous")
        objectives = tuple(_objective(d, scope) for d in formulation.objectives)
        constraints = _constraints(formulation.constraints, scope, data)
        results = tuple(_result(d, scope, data) for d in formulation.results)
        return cls(scope, data, columns, objectives, constraints, results, integer_names)

    def replaced(
        self, formulation: Formulation, columns: Columns, changes: Mapping[str, object]
    ) -> Program:
        """The same over other columns, with the objectives or constraints in `changes` anew."""
        program = Program(
            self.scope,
            self.data,
            columns,
            tuple(_objective(d, self.scope) for d in formulation.objectives)
            if "objectives" in changes
            else self.objectives,
            _constraints(formulation.constraints, self.scope, self.data)
            if "constraints" in changes
            else self.constraints,
            self.results,
            self.integer_names,
        )
        if program.constraints is self.constraints:
            program.rows = self.rows
        return program

    @cached_property
    def rows(self) -> Rows:
        """All rows, in constraint order."""
        blocks = tuple(block for c in self.constraints for block in c.blocks())
        return Rows(blocks, sum(block.size for block in blocks))

    def flat(self, node: Node, name: str, space: Space) -> NDArray[np.int64]:
        """Column numbers of a variable over a space, shape `(rows,)` or `()`."""
        block = self.scope.variables[name]
        indices = getattr(node, "indices", ())
        if not block.index and not indices:
            return np.array(block.offset)
        index: Sequence[BoundSet] = block.index  # type: ignore[assignment]
        return self.data.flat(node, index, space) + block.offset  # type: ignore[arg-type]


def as_comparison(node: Node) -> Compare | None:
    """A constraint as a comparison, if it is one in every case.

    `a <= b if test else c <= d` is `(a if test else c) <= (b if test else d)`, provided that
    both sides compare in the same way.
    """
    if isinstance(node, Compare):
        return node
    if isinstance(node, Conditional):
        then, otherwise = as_comparison(node.then), as_comparison(node.otherwise)
        if then is not None and otherwise is not None and then.ops == otherwise.ops:
            pairs = zip(then.operands, otherwise.operands, strict=True)
            sides = tuple(Conditional(node.test, a, b, span=node.span) for a, b in pairs)
            return Compare(sides, then.ops, span=node.span)
    return None


def _statement(
    text: str,
    element: str,
    scope: Scope,
    indices: Sequence[str] = (),
    *,
    constraint: bool = False,
) -> Statement:
    with place(element, text):
        node = parse(text, element=element)
        validate(node, scope, indices)
        if constraint:
            node = as_comparison(node) or node
        known = dict.fromkeys([*scope.variables, *scope.random])
        return Statement(element, text, node, dependent_nodes(node, known))


def _for_each(
    text: str | None, element: str, scope: Scope
) -> tuple[tuple[Generator, ...], list[str]]:
    if text is None:
        return (), []
    with place(element, text):
        found = parse_for_each(text, element=element)
        names: list[str] = []
        for generator in found:
            validate(generator, scope, names)
            names.extend(generator.targets)
        return found, names


def _objective(definition: ObjectiveDefinition, scope: Scope) -> Objective:
    statement = _statement(definition.expression, f"objective '{definition.name}'", scope)
    _number_only(statement)
    return Objective(definition, statement)


def _result(definition: ResultDefinition, scope: Scope, data: DataEvaluator) -> Result:
    element = f"result '{definition.name}'"
    parts, names = _for_each(definition.for_each, element, scope)
    statement = _statement(definition.expression, element, scope, names)
    return Result(statement, definition.for_each or "", parts, data, definition)


def _constraints(
    definitions: Sequence[ConstraintDefinition], scope: Scope, data: DataEvaluator
) -> tuple[Constraint, ...]:
    found: list[Constraint] = []
    offset = 0
    for definition in definitions:
        element = f"constraint '{definition.name}'"
        parts, names = _for_each(definition.for_each, element, scope)
        statement = _statement(definition.expression, element, scope, names, constraint=True)
        comparisons = _comparisons(statement)
        statement = _with_conditions(
            statement, [left for _, left, right in comparisons if right is None]
        )
        constraint = Constraint(statement, definition.for_each or "", parts, data, definition)
        layout = []
        for number, (op, left, right) in enumerate(comparisons):
            layout.append(Part(number, op, left, right, offset))
            offset += constraint.space.size
        constraint.parts = tuple(layout)
        found.append(constraint)
        if offset > MAX_MODEL_ROWS:
            raise ExpressionError(
                f"more than {MAX_MODEL_ROWS:,} rows",
                element=element,
                text=definition.for_each or "",
            )
    return tuple(found)


def _comparisons(statement: Statement) -> list[tuple[str, Node, Node | None]]:
    """The parts of a constraint: each comparison of a chain, or the whole condition."""
    node = statement.node
    if isinstance(node, Compare):
        found: list[tuple[str, Node, Node | None]] = []
        for left, op, right in zip(node.operands, node.ops, node.operands[1:], strict=False):
            if op in ("in", "not in", "!="):
                found.append(("", Compare((left, right), (op,), span=node.span), None))
            else:
                found.append(_oriented(statement, op, left, right))
        return found
    if is_condition(node):
        return [("", node, None)]
    raise ExpressionError(
        "a constraint must be a comparison or a condition, this is a number",
        element=statement.element,
        text=statement.text,
        span=node.span,
        fix="compare it with <=, >= or ==",
    )


def _oriented(statement: Statement, op: str, left: Node, right: Node) -> tuple[str, Node, Node]:
    """The comparison with data on its right: the limit that a dual value is the worth of."""
    if statement.is_data(left) and not statement.is_data(right):
        return MIRRORED[op], right, left
    return op, left, right


def _with_conditions(statement: Statement, conditions: Sequence[Node]) -> Statement:
    """The statement that also knows which conditions, cut out of a chain, are data."""
    cut_out = frozenset(
        id(node)
        for node in conditions
        if not all(statement.is_data(child) for child in node.children())
    )
    return replace(statement, dependent=statement.dependent | cut_out)


def _number_only(statement: Statement) -> None:
    if is_condition(statement.node):
        raise ExpressionError(
            "an objective must be a number, this is a condition",
            element=statement.element,
            text=statement.text,
            span=statement.node.span,
            fix="move it to the constraints",
        )
