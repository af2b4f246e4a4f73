"""What kind of model a formulation is, read off its expressions without expanding them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.chains import addends, factors
from orkernel.algebra.forms import Structure
from orkernel.algebra.functions import FUNCTIONS, Kind
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
from orkernel.algebra.program import Constraint, Statement
from orkernel.algebra.space import Space
from orkernel.errors import ExpressionError, Unsupported
from orkernel.records import Capability

if TYPE_CHECKING:
    from orkernel.model import Model

NONLINEAR = 3
_CLASSES = {0: "linear", 1: "linear", 2: "quadratic", NONLINEAR: "nonlinear"}
_PIECEWISE = frozenset({"abs", "min", "max", "piecewise"})
_GLOBALS = frozenset(f.name for f in FUNCTIONS.values() if f.kind is Kind.GLOBAL)


@dataclass(frozen=True, slots=True)
class Shape:
    """What an expression is made of.

    Attributes:
        degree: 0 to 2, or 3 for anything else smooth.
        features: Of `piecewise`, `logical`, `random` and names of global constraints.
    """

    degree: int
    features: frozenset[str] = frozenset()

    def joined(self, other: Shape, degree: int) -> Shape:
        """Features of both, with a given degree."""
        return Shape(degree, self.features | other.features)

    def name(self) -> str:
        """Its class, the most demanding feature first."""
        for feature in ("random", *sorted(_GLOBALS), "logical"):
            if feature in self.features:
                return feature
        if "piecewise" in self.features and self.degree < 2:
            return "piecewise"
        return _CLASSES[self.degree]


def analyse(model: Model) -> Structure:
    """The structure of a model.

    Piecewise linear functions (`abs`, `min`, `max`, `piecewise` of variables) count as degree 1
    with the capability PIECEWISE. A quadratic model that is not known to be convex needs
    NONCONVEX.
    """
    program, columns = model.program, model.columns
    needs: set[str] = set()
    if columns.integer.any():
        needs.add(Capability.INTEGER)
    if not columns.integer.all() or not len(columns):
        needs.add(Capability.CONTINUOUS)
    if len(program.objectives) > 1:
        needs.add(Capability.MULTI_OBJECTIVE)
    objective_class: dict[str, str] = {}
    constraint_class: dict[str, str] = {}
    degrees = []
    for objective in program.objectives:
        shape = _Reader(model, objective.statement).shape(objective.statement.node)
        objective_class[objective.definition.name] = shape.name()
        needs |= _needs(shape, Capability.QUADRATIC_OBJECTIVE)
        degrees.append(shape)
    for constraint in program.constraints:
        shape = _constraint(model, constraint)
        constraint_class[constraint.definition.name] = shape.name()
        needs |= _needs(shape, Capability.QUADRATIC_CONSTRAINT)
        degrees.append(shape)
    convex, nonzeros = _measure(model, degrees)
    quadratic = {Capability.QUADRATIC_OBJECTIVE, Capability.QUADRATIC_CONSTRAINT} & needs
    if quadratic and convex is not True and Capability.NONLINEAR not in needs:
        needs.add(Capability.NONCONVEX)
    return Structure(
        capabilities=frozenset(needs),
        objective_class=objective_class,
        constraint_class=constraint_class,
        convex=convex,
        assumptions=model.assumptions(),
        sizes={
            "columns": len(columns),
            "integer": int(columns.integer.sum()),
            "rows": len(model.rows),
            "nonzeros": nonzeros,
            "objectives": len(program.objectives),
        },
    )


def _needs(shape: Shape, quadratic: Capability) -> set[str]:
    needs: set[str] = {Capability(feature) for feature in shape.features}
    if shape.degree == NONLINEAR:
        needs.add(Capability.NONLINEAR)
    elif shape.degree == 2:
        needs.add(quadratic)
    elif not shape.features - {"piecewise"}:
        needs.add(Capability.LINEAR)
    return needs


def _constraint(model: Model, constraint: Constraint) -> Shape:
    reader = _Reader(model, constraint.statement)
    merged = Shape(0)
    for part in constraint.parts:
        if part.right is None:
            shape = (
                Shape(0) if constraint.statement.is_data(part.left) else reader.condition(part.left)
            )
        else:
            left, right = reader.shape(part.left), reader.shape(part.right)
            shape = left.joined(right, max(left.degree, right.degree))
        merged = merged.joined(shape, max(merged.degree, shape.degree))
    return merged


def _measure(model: Model, shapes: Sequence[Shape]) -> tuple[bool | None, int]:
    """Convexity where it is decided, and the nonzeros of the rows (0 without arrays)."""
    if any(shape.features or shape.degree > 2 for shape in shapes):
        return None, 0
    try:
        form = model.quadratic()
    except Unsupported:
        return None, 0
    nonzeros = int(form.linear.matrix.nnz)
    if not form.row_quadratic and all(o.quadratic is None for o in form.linear.objectives):
        return True, nonzeros
    from orkernel.algebra.convexity import is_convex

    return is_convex(form), nonzeros


class _Reader:
    """Reads the shape of the expressions of one statement."""

    def __init__(self, model: Model, statement: Statement) -> None:
        self.data = model.program.data
        self.statement = statement

    def shape(self, node: Node) -> Shape:
        """Shape of a numeric expression."""
        if self.statement.is_data(node):
            return Shape(0)
        match node:
            case Name() | Subscript():
                return Shape(1)
            case Unary(op="+" | "-") | Binary(op="+" | "-"):
                return self._sum([part for _, part in addends(node)])
            case Binary(op="*" | "/"):
                return self._product([(op == "/", part) for op, part in factors(node)])
            case Binary(op="**"):
                return self._power(node)
            case Conditional():
                return self._sum([node.then, node.otherwise])
            case Comprehension():
                return self.shape(node.element)
            case Display():
                return self._sum(node.items)
            case Call(function="sum"):
                return self._listed(node.arguments[0])
            case Call(function="prod") if isinstance(node.arguments[0], Display):
                return self._product([(False, item) for item in node.arguments[0].items])
            case Call(function=name) if name in _PIECEWISE:
                inner = self._sum(node.arguments)
                return Shape(max(1, inner.degree), inner.features | {"piecewise"})
            case Call(function="expectation" | "probability"):
                return Shape(0, frozenset({"random"}))
            case Call(function="element"):
                inner = self._sum(node.arguments)
                return Shape(max(1, inner.degree), inner.features | {"element"})
            case Compare() | Logic() | Unary(op="not"):
                return self.condition(node)
            case Call(function=name) if FUNCTIONS[name].kind in (Kind.LOGICAL, Kind.GLOBAL):
                inner = self.condition(node)
                return Shape(max(1, inner.degree), inner.features | {"logical"})
        inner = self._sum(node.children())
        return Shape(NONLINEAR, inner.features)

    def condition(self, node: Node) -> Shape:
        """Shape of a condition on variables."""
        if self.statement.is_data(node):
            return Shape(0)
        if isinstance(node, Call) and node.function in _GLOBALS and node.function != "element":
            inner = self._terms(node.arguments)
            return Shape(max(1, inner.degree), inner.features | {node.function})
        inner = self._terms(node.children())
        return Shape(max(1, inner.degree), inner.features | {"logical"})

    def _terms(self, nodes: Sequence[Node]) -> Shape:
        """Parts of a condition: lists and intervals are looked into, the rest are expressions."""
        merged = Shape(0)
        for node in nodes:
            if isinstance(node, Comprehension):
                shape = self._terms([node.element])
            elif isinstance(node, Display) or (
                isinstance(node, Call) and node.function == "interval"
            ):
                shape = self._terms(node.children())
            else:
                shape = self._listed(node)
            merged = merged.joined(shape, max(merged.degree, shape.degree))
        return merged

    def _listed(self, node: Node) -> Shape:
        """A list, where a bare name stands for all its values."""
        return self.shape(node)

    def _sum(self, nodes: Sequence[Node]) -> Shape:
        merged = Shape(0)
        for node in nodes:
            shape = self.shape(node)
            merged = merged.joined(shape, max(merged.degree, shape.degree))
        return merged

    def _product(self, parts: Sequence[tuple[bool, Node]]) -> Shape:
        merged = Shape(0)
        for inverted, node in parts:
            shape = self.shape(node)
            if inverted and not self.statement.is_data(node):
                return merged.joined(self._sum([n for _, n in parts]), NONLINEAR)
            merged = merged.joined(shape, min(NONLINEAR, merged.degree + shape.degree))
        return merged

    def _power(self, node: Binary) -> Shape:
        base = self.shape(node.left)
        if not self.statement.is_data(node.right):
            return base.joined(self.shape(node.right), NONLINEAR)
        exponent = self._exponent(node.right)
        if exponent in (0.0, 1.0, 2.0):
            return Shape(min(NONLINEAR, int(base.degree * exponent)), base.features)
        return Shape(NONLINEAR, base.features)

    def _exponent(self, node: Node) -> float | None:
        """A constant exponent; None when it varies or depends on indices."""
        if isinstance(node, Number):
            return float(node.value)
        try:
            value = self.data.number(node, Space())
        except ExpressionError:
            return None
        return float(value) if np.ndim(value) == 0 else None
