"""Lowering to arrays: linear and quadratic forms straight to CSR, all rows at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.arrays import LinearPart, LoweredRows, symmetric, to_csr, to_quadratic_rows
from orkernel.algebra.chains import addends, factors
from orkernel.algebra.forms import LinearForm, LinearObjective, QuadraticForm
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
from orkernel.algebra.polynomial import Polynomial, Terms, TooManyTerms, total
from orkernel.algebra.program import Constraint, Objective, Program, Statement, is_condition
from orkernel.algebra.rows import Intervals
from orkernel.algebra.scope import place
from orkernel.algebra.space import Space
from orkernel.errors import ExpressionError, Unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.forms import Rows
    from orkernel.model import Model

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

ROUNDING = 1e-9
"""A row without variables that misses its bound by less (relative) is taken to hold."""


def to_linear(model: Model) -> LinearForm:
    """The linear form of a model.

    Raises:
        Unsupported: An objective or constraint is not linear.
        ExpressionError: A data expression fails, e.g. an index out of range.
    """
    form = to_quadratic(model)
    if form.row_quadratic:
        row = next(iter(form.row_quadratic))
        name = form.linear.rows.block_of(row).constraint
        raise Unsupported(f"constraint '{name}'", "it has a product of variables")
    for objective in form.linear.objectives:
        if objective.quadratic is not None:
            raise Unsupported(f"objective '{objective.name}'", "it has a product of variables")
    return form.linear


def to_quadratic(model: Model) -> QuadraticForm:
    """The quadratic form of a model.

    Raises:
        Unsupported: An objective or constraint is neither linear nor quadratic.
        ExpressionError: A data expression fails.
    """
    rows = model.lowered_rows()
    linear = LinearForm(
        rows.matrix,
        rows.lower,
        rows.upper,
        model.columns,
        model.rows,
        model.lowered_objectives(),
    )
    return QuadraticForm(linear, rows.quadratic)


# --------------------------------------------------------------------------- expressions


@dataclass(frozen=True, slots=True)
class Lowering:
    """Turns the expressions of one statement into polynomials over a space.

    Attributes:
        degree: Highest degree; more is refused before it is multiplied out.
    """

    program: Program
    statement: Statement
    degree: int = 2

    def polynomial(self, node: Node, space: Space) -> Polynomial:
        """The polynomial of each row.

        Raises:
            Unsupported: The expression is not a polynomial of that degree at most.
        """
        if self.statement.is_data(node):
            return Polynomial(space.size, self.program.data.number(node, space))
        match node:
            case Name(id=name) | Subscript(base=name):
                if name not in self.program.scope.variables:
                    raise self._unsupported(node, "a random parameter")
                flat = self.program.flat(node, name, space)
                columns = np.broadcast_to(flat, (space.size,))
                return Polynomial(
                    space.size, np.zeros(()), (Terms(None, columns, None, np.ones(())),)
                )
            case Unary(op="+" | "-") | Binary(op="+" | "-"):
                return total(
                    [
                        self.polynomial(part, space).scaled(np.array(float(sign)))
                        if sign < 0
                        else self.polynomial(part, space)
                        for sign, part in addends(node)
                    ],
                    space.size,
                )
            case Binary(op="*" | "/"):
                return self._product(node, space)
            case Binary(op="**"):
                return self._power(node, space)
            case Conditional():
                return self._conditional(node, space)
            case Call(function="sum"):
                return self._sum(node.arguments[0], space)
            case Call(function="prod"):
                return self._prod(node.arguments[0], node, space)
            case Call(function=name):
                raise self._unsupported(node, f"{name}(…) of variables")
        raise self._unsupported(
            node, "a condition on variables" if is_condition(node) else "an expression of this kind"
        )

    def _unsupported(self, node: Node, what: str) -> Unsupported:
        start, end = node.span
        quoted = self.statement.text[start:end]
        shown = f", '{quoted}'," if 0 < len(quoted) <= 80 else ""
        return Unsupported(self.statement.element, f"{what}{shown} is neither linear nor quadratic")

    def _product(self, node: Node, space: Space) -> Polynomial:
        factor: Floats = np.ones(())
        result: Polynomial | None = None
        for op, part in factors(node):
            if self.statement.is_data(part):
                number = self.program.data.number(part, space)
                if op == "*":
                    factor = factor * number
                    continue
                zero = number == 0
                if np.any(zero):
                    raise self.program.data.failure("division by zero", part, space, zero)
                factor = factor / number
            elif op == "/":
                raise self._unsupported(node, "division by a variable")
            else:
                polynomial = self.polynomial(part, space)
                result = polynomial if result is None else self._times(result, polynomial, node)
        assert result is not None
        return result if factor.ndim == 0 and factor == 1 else result.scaled(factor)

    def _times(self, left: Polynomial, right: Polynomial, node: Node) -> Polynomial:
        if right.degree == 0:
            return left.scaled(right.constant)
        if left.degree == 0:
            return right.scaled(left.constant)
        if left.degree + right.degree > self.degree:
            raise self._unsupported(node, "a product of more than two variables")
        try:
            return left.times(right)
        except TooManyTerms:
            raise ExpressionError(
                "this product has too many terms",
                span=node.span,
                fix="introduce a variable for one of the sums",
            ) from None

    def _power(self, node: Binary, space: Space) -> Polynomial:
        if not self.statement.is_data(node.right):
            raise self._unsupported(node, "a power with a variable exponent")
        exponents = np.unique(self.program.data.number(node.right, space))
        if exponents.size != 1 or exponents[0] not in (0.0, 1.0, 2.0):
            raise self._unsupported(node, "a power other than 2")
        base = self.polynomial(node.left, space)
        if exponents[0] == 0:
            return Polynomial(space.size, np.ones(()))
        return base if exponents[0] == 1 else self._times(base, base, node)

    def _conditional(self, node: Conditional, space: Space) -> Polynomial:
        yes, no = self.program.data.split(node, space)
        if yes is None or no is None:
            return self.polynomial(node.then if no is None else node.otherwise, space)
        return total(
            [
                self.polynomial(branch, part).moved(part.rows_in(space), space.size)
                for part, branch in ((yes, node.then), (no, node.otherwise))
            ],
            space.size,
        )

    def _sum(self, listing: Node, space: Space) -> Polynomial:
        if isinstance(listing, Comprehension):
            inner = self.program.data.grow(listing, space)
            return self.polynomial(listing.element, inner).moved(inner.rows_in(space), space.size)
        if isinstance(listing, Display):
            return total([self.polynomial(item, space) for item in listing.items], space.size)
        return self._block(listing, space)

    def _block(self, node: Node, space: Space) -> Polynomial:
        """The sum of all columns of a variable given by its bare name."""
        block = self.program.scope.variables.get(node.id) if isinstance(node, Name) else None
        if block is None:
            raise self._unsupported(node, "a sum of this")
        rows = np.repeat(np.arange(space.size), block.size)
        columns = np.tile(np.arange(block.offset, block.offset + block.size), space.size)
        return Polynomial(space.size, np.zeros(()), (Terms(rows, columns, None, np.ones(())),))

    def _prod(self, listing: Node, node: Node, space: Space) -> Polynomial:
        if not isinstance(listing, Display):
            raise self._unsupported(node, "prod(…) of variables")
        result = Polynomial(space.size, np.ones(()))
        for item in listing.items:
            result = self._times(result, self.polynomial(item, space), node)
        return result


# --------------------------------------------------------------------------- whole models


def lower_rows(program: Program, allowed: Intervals, rows: Rows) -> LoweredRows:
    """Lower every constraint.

    Raises:
        Unsupported: A constraint is neither linear nor quadratic.
    """
    lower, upper = allowed.lower.copy(), allowed.upper.copy()
    terms: list[Terms] = []
    for constraint in program.constraints:
        terms.extend(_lower_constraint(program, constraint, 2, lower, upper))
    return _assembled(program, rows, terms, lower, upper)


def linear_part(program: Program, allowed: Intervals, rows: Rows) -> LinearPart:
    """Lower the constraints and objectives that are linear, and say which they are."""
    lower, upper = allowed.lower.copy(), allowed.upper.copy()
    terms: list[Terms] = []
    linear = np.ones(len(rows), np.bool_)
    for constraint in program.constraints:
        try:
            terms.extend(_lower_constraint(program, constraint, 1, lower, upper))
        except (Unsupported, ExpressionError):
            for part in constraint.parts:
                numbers = slice(part.offset, part.offset + constraint.space.size)
                lower[numbers], upper[numbers], linear[numbers] = -np.inf, np.inf, False
    objectives: list[LinearObjective | None] = []
    for objective in program.objectives:
        try:
            objectives.append(_lower_objective(program, objective, 1))
        except (Unsupported, ExpressionError):
            objectives.append(None)
    lowered = _assembled(program, rows, terms, lower, upper)
    return LinearPart(lowered, linear, tuple(objectives))


def _lower_constraint(
    program: Program, constraint: Constraint, degree: int, lower: Floats, upper: Floats
) -> list[Terms]:
    """Terms of a constraint; its constants are moved to the bounds of its rows."""
    terms: list[Terms] = []
    statement, space = constraint.statement, constraint.space.fresh()
    with place(statement.element, statement.text), np.errstate(all="ignore"):
        for part in constraint.parts:
            numbers = slice(part.offset, part.offset + space.size)
            if part.right is None:
                if not statement.is_data(part.left):
                    raise Unsupported(statement.element, "a logical condition is not linear")
                truth = program.data.truth(part.left, space)
                lower[numbers] = np.where(truth, -np.inf, 1.0)
                upper[numbers] = np.where(truth, np.inf, 1.0)
                continue
            lowering = Lowering(program, statement, degree)
            left = lowering.polynomial(part.left, space)
            right = lowering.polynomial(part.right, space)
            body = total([left, right.scaled(np.array(-1.0))], space.size)
            _check_finite(body, part.left, space, program)
            lower[numbers] -= body.constant
            upper[numbers] -= body.constant
            if body.degree == 0:
                scale = np.maximum(1.0, np.abs(right.constant)) * ROUNDING
                near = (lower[numbers] > 0) & (lower[numbers] <= scale)
                lower[numbers] = np.where(near, 0.0, lower[numbers])
                near = (upper[numbers] < 0) & (upper[numbers] >= -scale)
                upper[numbers] = np.where(near, 0.0, upper[numbers])
            terms.extend(t.shifted(part.offset) for t in (*body.linear, *body.quadratic))
    return terms


def _assembled(
    program: Program, rows: Rows, terms: list[Terms], lower: Floats, upper: Floats
) -> LoweredRows:
    size = len(program.columns)
    lowered = LoweredRows(
        to_csr([t for t in terms if t.second is None], len(rows), size),
        lower,
        upper,
        to_quadratic_rows([t for t in terms if t.second is not None], size),
    )
    row = lowered.infinite_row()
    if row is not None:
        raise _too_large(f"constraint '{rows.block_of(row).constraint}'")
    return lowered


def _too_large(element: str) -> ExpressionError:
    return ExpressionError("a coefficient is not a finite number", element=element)


def _check_finite(body: Polynomial, node: Node, space: Space, program: Program) -> None:
    bad = ~np.isfinite(np.broadcast_to(body.constant, (space.size,)))
    for terms in (*body.linear, *body.quadratic):
        infinite = ~np.isfinite(terms.coefficients)
        if infinite.ndim == 0:
            bad = bad | infinite
        elif infinite.any():
            bad = bad.copy()
            bad[terms.row_numbers()[infinite]] = True
    if np.any(bad):
        raise program.data.failure("a coefficient is not a finite number", node, space, bad)


def lower_objectives(program: Program) -> tuple[LinearObjective, ...]:
    """Lower every objective.

    Raises:
        Unsupported: An objective is neither linear nor quadratic.
    """
    return tuple(_lower_objective(program, objective, 2) for objective in program.objectives)


def _lower_objective(program: Program, objective: Objective, degree: int) -> LinearObjective:
    size = len(program.columns)
    statement, space = objective.statement, Space()
    with place(statement.element, statement.text), np.errstate(all="ignore"):
        body = Lowering(program, statement, degree).polynomial(statement.node, space)
        _check_finite(body, statement.node, space, program)
        cost = np.zeros(size)
        for terms in body.linear:
            cost += np.bincount(terms.columns, weights=terms.values(), minlength=size)
    merged = to_quadratic_rows(body.quadratic, size)
    if not (np.isfinite(cost).all() and np.isfinite(2 * merged.coefficients).all()):
        raise _too_large(statement.element)
    return LinearObjective(
        objective.definition.name,
        objective.definition.sense == "maximize",
        cost,
        float(body.constant if body.constant.ndim == 0 else body.constant[0]),
        symmetric(merged.first, merged.second, merged.coefficients, size) if len(merged) else None,
    )
