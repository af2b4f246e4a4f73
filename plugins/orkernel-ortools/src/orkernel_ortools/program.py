"""Program: a CP-SAT model under construction, with the bounds of its variables.

Literals are numbers: a variable's own number when it must be 1, its bitwise complement when it
must be 0. Variable 0 is the constant 1, so that `TRUE` is 0 and `FALSE` is −1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from ortools.sat.python import cp_model, cp_model_helper

from orkernel.errors import Unsupported
from orkernel_ortools.exact import Linear, Rational

TRUE = 0
FALSE = -1
LARGEST = 2**62
"""Sums of products of coefficients and bounds must stay within this in CP-SAT's 64 bits."""
WHOLE = 2.0**53
"""Floats below this hold whole numbers, and sums of them, exactly."""
SNAP = 1e-9
SNAP_STEP = 1e-3
"""A row's bound this near (relative to its size above 1, and to the step between two values of
the body) to a value of the body is that value."""

Literals = tuple[int, ...]


class _Model(cp_model.CpModel):
    """A model without the deprecated names of its methods, which take long to attach."""

    def _add_pre_pep8_methods(self) -> None:
        pass


@dataclass(slots=True)
class Program:
    """A CP-SAT model, and what is known about it.

    Attributes:
        model: The model.
        indices: Index of each variable in CP-SAT's model.
        lower: Their lower bounds.
        upper: Their upper bounds.
        element: What is being compiled, for messages.
        tick: Called now and then; may raise to stop the construction.
        largest_scale: Largest number by which anything was multiplied to make it whole.
    """

    model: Any = field(default_factory=_Model)
    indices: list[int] = field(default_factory=list)
    lower: list[int] = field(default_factory=list)
    upper: list[int] = field(default_factory=list)
    element: str = "model"
    tick: Callable[[], None] = lambda: None
    largest_scale: int = 1
    _conjunctions: dict[frozenset[int], int] = field(default_factory=dict)
    _ranges: dict[Any, int] = field(default_factory=dict)
    _affine: dict[Any, Linear] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.integer(1, 1)

    # ------------------------------------------------------------------ variables

    def integer(self, lower: int, upper: int) -> int:
        """A new integer variable."""
        if max(abs(lower), abs(upper)) > LARGEST:
            raise too_wide(self.element)
        self.indices.append(self.model.new_int_var(lower, upper, "").index)
        self.lower.append(lower)
        self.upper.append(upper)
        if not len(self.indices) % 256:
            self.tick()
        return len(self.indices) - 1

    def integers(self, lower: Sequence[int], upper: Sequence[int]) -> range:
        """New integer variables, all at once; bounds within ±`LARGEST`."""
        kinds: dict[tuple[int, int], Any] = {}
        for ends in zip(lower, upper, strict=True):
            if ends not in kinds:
                kinds[ends] = cp_model_helper.IntegerVariableProto()
                kinds[ends].domain.extend(ends)
        variables = self.model.proto.variables
        first, index = len(self.indices), len(variables)
        variables.extend([kinds[ends] for ends in zip(lower, upper, strict=True)])
        self.indices.extend(range(index, index + len(lower)))
        self.lower.extend(lower)
        self.upper.extend(upper)
        self.tick()
        return range(first, len(self.indices))

    def boolean(self) -> int:
        """A new variable that is 0 or 1."""
        return self.integer(0, 1)

    def cp(self, literal: int) -> Any:
        """CP-SAT's literal, or variable by number."""
        variable = cp_model.IntVar(
            self.model.proto, self.indices[literal if literal >= 0 else ~literal]
        )
        return variable if literal >= 0 else variable.negated()

    def index(self, literal: int) -> int:
        """CP-SAT's index of a literal: of the variable, or its bitwise complement."""
        return self.indices[literal] if literal >= 0 else ~self.indices[~literal]

    def number(self, literal: int) -> Linear:
        """A literal as 0 or 1."""
        if literal in (TRUE, FALSE):
            return Linear({}, int(literal == TRUE))
        return Linear({literal: 1}) if literal >= 0 else Linear({~literal: -1}, 1)

    # ------------------------------------------------------------------ linear expressions

    def range(self, linear: Linear) -> tuple[Rational, Rational]:
        """Smallest and largest value within the bounds of the variables."""
        low = high = linear.constant
        for v, c in linear.terms.items():
            ends = c * self.lower[v], c * self.upper[v]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def whole_range(self, linear: Linear, scale: int) -> tuple[int, int]:
        """Range of `scale · linear`, which must be whole."""
        low = high = _whole(linear.constant, scale)
        for v, c in linear.terms.items():
            k = _whole(c, scale)
            ends = k * self.lower[v], k * self.upper[v]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def expression(self, linear: Linear, scale: int) -> Any:
        """`scale · linear`, which must be whole, as CP-SAT's expression.

        Raises:
            Unsupported: The numbers do not fit into 64 bits.
        """
        variables, coefficients, constant = self.scaled(linear, scale)
        if coefficients == [1] and not constant:
            return self.cp(variables[0])
        parts = [self.cp(v) for v in variables]
        return cp_model.LinearExpr.weighted_sum(parts, coefficients) + constant

    def scaled(self, linear: Linear, scale: int) -> tuple[list[int], list[int], int]:
        """Variables, coefficients and constant of `scale · linear`, which must be whole.

        Raises:
            Unsupported: The numbers do not fit into 64 bits.
        """
        coefficients = [c.numerator * (scale // c.denominator) for c in linear.terms.values()]
        constant = _whole(linear.constant, scale)
        reach = abs(constant)
        for v, c in zip(linear.terms, coefficients, strict=True):
            reach += abs(c) * max(-self.lower[v], self.upper[v])
        if reach > LARGEST:
            raise Unsupported(self.element, _too_large(scale))
        self.largest_scale = max(self.largest_scale, scale)
        return list(linear.terms), coefficients, constant

    def affine(self, linear: Linear, scale: int) -> Any:
        """`scale · linear` as an expression of at most one variable, a new one if need be."""
        if scale == 1 and len(linear.terms) == 1 and not linear.constant:
            ((number, coefficient),) = linear.terms.items()
            if coefficient == 1:
                return self.cp(number)
        if len(linear.terms) <= 1:
            return self.expression(linear, scale)
        key = (linear.key, scale)
        if key not in self._affine:
            number = self.integer(*self.whole_range(linear, scale))
            self.model.add(self.cp(number) == self.expression(linear, scale))
            self._affine[key] = Linear.variable(number)
        return self.expression(self._affine[key], 1)

    def variable(self, linear: Linear) -> Any:
        """A whole expression as a variable, a new one if need be."""
        if len(linear.terms) == 1 and not linear.constant:
            ((number, coefficient),) = linear.terms.items()
            if coefficient == 1:
                return self.cp(number)
        number = self.integer(*self.whole_range(linear, 1))
        self.model.add(self.cp(number) == self.expression(linear, 1))
        return self.cp(number)

    # ------------------------------------------------------------------ constraints

    def between(
        self, linear: Linear, lower: float | Rational, upper: float | Rational, when: Literals = ()
    ) -> None:
        """`lower ≤ linear ≤ upper` whenever all literals hold."""
        if FALSE in when:
            return
        body = Linear(linear.terms)
        scale = body.scale
        low = _inwards(lower, linear.constant, scale, math.ceil)
        high = _inwards(upper, linear.constant, scale, math.floor)
        least, most = self.whole_range(body, scale)
        if (low is None or low <= least) and (high is None or high >= most):
            return
        low = least if low is None else max(low, least)
        high = most if high is None else min(high, most)
        if low > high:
            self.clause(~literal for literal in when)
            return
        variables, coefficients, _ = self.scaled(body, scale)
        self.row([self.indices[v] for v in variables], coefficients, low, high, when)

    def row(
        self,
        indices: Sequence[int],
        coefficients: Sequence[int],
        low: int,
        high: int,
        when: Literals = (),
    ) -> None:
        """`low ≤ Σ coefficient · variable ≤ high` by CP-SAT's indices, all within 64 bits."""
        constraint = self.model.proto.constraints.add()
        linear = constraint.linear
        linear.vars.extend(indices)
        linear.coeffs.extend(coefficients)
        linear.domain.extend((low, high))
        conditions = [self.index(literal) for literal in when if literal != TRUE]
        if conditions:
            constraint.enforcement_literal.extend(conditions)

    def minimize(self, indices: Sequence[int], coefficients: Sequence[int], constant: int) -> None:
        """Set the objective `constant + Σ coefficient · variable`, by CP-SAT's indices."""
        objective = self.model.proto.objective
        objective.vars.extend(indices)
        objective.coeffs.extend(coefficients)
        objective.offset = constant
        objective.scaling_factor = 1.0

    def _enforce(self, constraint: Any, when: Literals) -> None:
        conditions = [self.cp(literal) for literal in when if literal != TRUE]
        if conditions:
            constraint.only_enforce_if(conditions)

    def clause(self, literals: Iterable[int]) -> None:
        """At least one literal holds."""
        chosen = [literal for literal in literals if literal != FALSE]
        if TRUE not in chosen:
            self.model.add_bool_or([self.cp(literal) for literal in chosen])

    def within(self, linear: Linear, lower: Rational | None, upper: Rational | None) -> int:
        """The literal that says whether `lower ≤ linear ≤ upper`."""
        body = Linear(linear.terms)
        scale = body.scale
        least, most = self.whole_range(body, scale)
        low = least if lower is None else math.ceil((lower - linear.constant) * scale)
        high = most if upper is None else math.floor((upper - linear.constant) * scale)
        low, high = max(low, least), min(high, most)
        if low > high:
            return FALSE
        if (low, high) == (least, most):
            return TRUE
        if most - least == 1 and len(body.terms) == 1:
            ((variable, coefficient),) = body.terms.items()
            if self.lower[variable] == 0:
                return variable if (low == most) == (coefficient > 0) else ~variable
        key = (body.key, low, high)
        if key not in self._ranges:
            self._ranges[key] = self._range_literal(body, scale, (least, low, high, most))
        return self._ranges[key]

    def _range_literal(self, body: Linear, scale: int, ends: tuple[int, int, int, int]) -> int:
        least, low, high, most = ends
        opposite = self._ranges.get((body.key, least, low - 1) if high == most else ())
        if opposite is None and low == least:
            opposite = self._ranges.get((body.key, high + 1, most))
        if opposite is not None:
            return ~opposite
        literal = self.boolean()
        expression = self.expression(body, scale)
        self._enforce(self.model.add_linear_constraint(expression, low, high), (literal,))
        outside = [
            (first, last) for first, last in ((least, low - 1), (high + 1, most)) if first <= last
        ]
        domain = cp_model.Domain.from_intervals(outside)
        constraint = self.model.add_linear_expression_in_domain(expression, domain)
        self._enforce(constraint, (~literal,))
        return literal

    # ------------------------------------------------------------------ logic

    def all_of(self, literals: Iterable[int]) -> int:
        """The literal that says whether all hold."""
        chosen = frozenset(literals) - {TRUE}
        if FALSE in chosen or any(~literal in chosen for literal in chosen):
            return FALSE
        if not chosen:
            return TRUE
        if len(chosen) == 1:
            return next(iter(chosen))
        if chosen not in self._conjunctions:
            literal = self.boolean()
            parts = [self.cp(k) for k in sorted(chosen)]
            self.model.add_bool_and(parts).only_enforce_if(self.cp(literal))
            self.model.add_bool_or([self.cp(literal), *(p.negated() for p in parts)])
            self._conjunctions[chosen] = literal
        return self._conjunctions[chosen]

    def any_of(self, literals: Iterable[int]) -> int:
        """The literal that says whether at least one holds."""
        return ~self.all_of(~literal for literal in literals)

    def same(self, one: int, other: int) -> int:
        """The literal that says whether two literals agree."""
        if one in (TRUE, FALSE):
            return other if one == TRUE else ~other
        return self.within(self.number(one).minus(self.number(other)), 0, 0)

    def equal(self, one: Linear, other: Linear) -> int:
        """The literal that says whether two expressions are equal."""
        return self.within(one.minus(other), 0, 0)


def _whole(value: Rational, scale: int) -> int:
    """`scale · value`, which must be whole."""
    return value.numerator * (scale // value.denominator)


def _inwards(
    bound: float | Rational, constant: Rational, scale: int, round_: Callable[[Any], int]
) -> int | None:
    """A bound of a whole expression; None where open.

    Rounding inwards loses nothing, except that noise of the arithmetic behind the bound must
    not exclude a value that the bound was meant to allow.
    """
    if isinstance(bound, float):
        if math.isinf(bound):
            return None
        if bound.is_integer() and abs(bound) < WHOLE:
            return round_((int(bound) - constant) * scale)
        exact = (Fraction(repr(bound)) - constant) * scale
        nearest = round(exact)
        noise = min(scale * SNAP * max(1.0, abs(bound)), SNAP_STEP)
        return nearest if abs(exact - nearest) <= noise else round_(exact)
    return round_((bound - constant) * scale)


def too_wide(element: str) -> Unsupported:
    """An integer variable has bounds that CP-SAT cannot hold."""
    return Unsupported(element, "its values can exceed what CP-SAT holds in 64-bit integers")


def _too_large(scale: int) -> str:
    scaled = f" once multiplied by {scale:,} to make its decimals whole" if scale > 1 else ""
    return (
        f"its numbers exceed the 64-bit integers that CP-SAT computes with{scaled}; "
        "rescale the data or tighten the bounds of its variables"
    )
