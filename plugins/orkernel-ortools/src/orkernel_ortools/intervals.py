"""Intervals of a graph: their parts at one whole scale, and CP-SAT's interval variables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from orkernel_ortools.exact import Linear, common_scale, total
from orkernel_ortools.program import FALSE, TRUE, Program

if TYPE_CHECKING:
    from orkernel_ortools.compiler import Compiler


@dataclass(frozen=True, slots=True)
class Span:
    """An interval: start and size, and the literal that says whether it takes place."""

    start: Linear
    size: Linear
    present: int

    @property
    def end(self) -> Linear:
        """Start plus size."""
        return total((self.start, self.size))


def spans(c: Compiler, numbers: Sequence[int]) -> tuple[list[Span], int]:
    """Intervals by node number.

    Returns:
        The intervals, and the literal that says whether all that take place are defined.
    """
    found, defined = [], []
    for number in numbers:
        start, size, *rest = c.arguments(number)
        parts = c.number(start), c.number(size)
        present = c.program.all_of(map(c.chosen, rest)) if rest else TRUE
        for literal in (*parts[0].defined, *parts[1].defined):
            defined.append(c.program.any_of((literal, ~present)))
        found.append(Span(parts[0].linear, parts[1].linear, present))
    return found, c.program.all_of(defined)


def scale_of(found: Sequence[Span]) -> int:
    """Least number that makes starts and sizes whole."""
    return common_scale(part for span in found for part in (span.start, span.size))


def nonnegative(program: Program, number: Linear, scale: int, present: int) -> Linear:
    """`scale · number` with a domain from 0 up, equal to it where `present` holds."""
    scaled = number.times(scale)
    low, high = program.range(scaled)
    if low >= 0:
        return scaled
    if present == TRUE:
        program.between(scaled, 0, high)
    if high < 0:
        program.clause((~present,))
        return Linear()
    clipped = Linear.variable(program.integer(0, int(high)))
    program.between(clipped.minus(scaled), 0, 0, (present,))
    program.between(clipped, 0, 0, (~present,))
    return clipped


def interval_variable(program: Program, span: Span, scale: int) -> Any:
    """CP-SAT's interval; None for one that never takes place."""
    if span.present == FALSE:
        return None
    start = span.start.times(scale)
    size = nonnegative(program, span.size, scale, span.present)
    if span.present == FALSE:
        return None
    begin = program.affine(start, 1)
    if not size.terms:
        _, _, fixed = program.scaled(size, 1)
        if span.present == TRUE:
            return program.model.new_fixed_size_interval_var(begin, fixed, "")
        present = program.cp(span.present)
        return program.model.new_optional_fixed_size_interval_var(begin, fixed, present, "")
    length = program.affine(size, 1)
    low, high = program.range(total((start, size)))
    finish = program.cp(program.integer(int(low), int(high)))
    if span.present == TRUE:
        return program.model.new_interval_var(begin, length, finish, "")
    present = program.cp(span.present)
    return program.model.new_optional_interval_var(begin, length, finish, present, "")
