"""Looking values up: positions by key, entries by position, functions by table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from orkernel.errors import Unsupported
from orkernel_ortools.exact import Linear, Rational, common_scale, rational, tidy, total
from orkernel_ortools.program import FALSE, TRUE, Program

MOST_VALUES = 10_000
"""Most values of an expression for which a function of it is tabulated."""


def position(program: Program, place: Linear, keys: Sequence[float]) -> tuple[Linear, int]:
    """The 0-based position of the key that an expression equals.

    Returns:
        The position (0 where there is none), and the literal that says whether there is one.
    """
    exact = [rational(key) for key in keys]
    first: dict[Rational, int] = {}
    for k, key in enumerate(exact):
        first.setdefault(key, k)
    if not first:
        return Linear(), FALSE
    if not place.terms:
        found = first.get(place.constant)
        return Linear({}, found or 0), FALSE if found is None else TRUE
    consecutive = exact == [exact[0] + k for k in range(len(exact))]
    if consecutive and place.scale == 1:
        inside = program.within(place, exact[0], exact[-1])
        if inside == TRUE:
            return place.plus(-exact[0]), TRUE
        if inside == FALSE:
            return Linear(), FALSE
        clipped = Linear.variable(program.integer(0, len(exact) - 1))
        program.between(clipped.minus(place), -exact[0], -exact[0], (inside,))
        program.between(clipped, 0, 0, (~inside,))
        return clipped, inside
    literals = {k: program.within(place, key, key) for key, k in first.items()}
    index = total(program.number(hit).times(k) for k, hit in literals.items())
    inside = program.any_of(literals.values())
    if len(index.terms) <= 1:
        return index, inside
    number = Linear.variable(program.integer(0, max(literals)))
    program.between(number.minus(index), 0, 0)
    return number, inside


@dataclass(slots=True)
class Entries:
    """A list that is looked into, made whole when a variable position first needs it.

    Attributes:
        linears: The entries.
    """

    linears: Sequence[Linear]
    _whole: tuple[int, int, int, list[Any]] | None = None

    def whole(self, program: Program) -> tuple[int, int, int, list[Any]]:
        """What the entries are multiplied by, their range then, and CP-SAT's expressions."""
        if self._whole is None:
            scale = common_scale(self.linears)
            ranges = [program.whole_range(entry, scale) for entry in self.linears]
            expressions = [
                program.affine(entry, scale) if entry.terms else low
                for entry, (low, _) in zip(self.linears, ranges, strict=True)
            ]
            low, high = min(r[0] for r in ranges), max(r[1] for r in ranges)
            self._whole = scale, low, high, expressions
        return self._whole


def element(
    program: Program,
    places: Sequence[Linear],
    keys: Sequence[Sequence[float]],
    entries: Entries,
) -> tuple[Linear, int]:
    """The entry (C order over the axes) at a position per axis, found by key.

    Returns:
        The entry, and the literal that says whether there is one.
    """
    found = [position(program, place, axis) for place, axis in zip(places, keys, strict=True)]
    inside = program.all_of(literal for _, literal in found)
    if inside == FALSE:
        return Linear(), FALSE
    flat = Linear()
    for (index, _), axis in zip(found, keys, strict=True):
        flat = total((flat.times(len(axis)), index))
    if not flat.terms:
        return entries.linears[int(flat.constant)], inside
    scale, low, high, expressions = entries.whole(program)
    target = program.integer(low, high)
    program.model.add_element(program.affine(flat, 1), expressions, program.cp(target))
    return Linear({target: tidy(Fraction(1, scale))}), inside


def tabulated(
    program: Program, x: Linear, function: Callable[[Rational], Rational | None]
) -> tuple[Linear, int]:
    """A function of an expression with few values; None where it is undefined.

    Returns:
        The value (0 where undefined), and the literal that says whether it is defined.

    Raises:
        Unsupported: The expression can have too many values.
    """
    scale = x.scale
    low, high = program.whole_range(x, scale)
    if high - low >= MOST_VALUES:
        raise Unsupported(
            program.element,
            f"a function that needs a table has an argument with {high - low + 1:,} values; "
            f"tighten the bounds of its variables to at most {MOST_VALUES:,}",
        )
    values = [function(tidy(Fraction(k, scale))) for k in range(low, high + 1)]
    holes = [k for k, value in enumerate(values, start=low) if value is None]
    defined = program.all_of(
        ~program.within(x, Fraction(k, scale), Fraction(k, scale)) for k in holes
    )
    known = [Fraction(0) if value is None else Fraction(value) for value in values]
    multiple = math.lcm(1, *(value.denominator for value in known))
    whole = [int(value * multiple) for value in known]
    target = program.integer(min(whole), max(whole))
    index = program.affine(x.times(scale).plus(-low), 1)
    program.model.add_element(index, whole, program.cp(target))
    return Linear({target: tidy(Fraction(1, multiple))}), defined
