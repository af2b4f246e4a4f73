"""Exact numbers: what a float was meant to be, and linear expressions with such coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Rational = int | Fraction

TYPED_DIGITS = 14
"""A float whose shortest decimal has at most this many digits was typed: it is that decimal."""
LARGEST_DENOMINATOR = 1_000_000
"""Largest denominator of the fraction that a computed float may stand for."""
ARITHMETIC = Fraction(4, 2**52)
"""Relative rounding error of a few floating-point operations."""


@lru_cache(maxsize=65536)
def rational(value: float) -> Rational:
    """The number that a float stands for.

    A float with few decimal digits is its shortest decimal (0.1 is 1/10). One with many was
    computed: it is the simplest fraction within the rounding error of the computation
    (0.3333333333333333 is 1/3, 0.30000000000000004 is 3/10), or else its shortest decimal.
    """
    if value.is_integer():
        return int(value)
    decimal = Fraction(repr(value))
    if _digits(value) > TYPED_DIGITS:
        simple = decimal.limit_denominator(LARGEST_DENOMINATOR)
        if abs(simple - decimal) <= ARITHMETIC * abs(decimal):
            decimal = simple
    return tidy(decimal)


def rationals(values: NDArray[np.float64]) -> Sequence[Rational]:
    """The numbers that floats stand for."""
    if values.size and np.abs(values).max() < 2.0**53 and (np.rint(values) == values).all():
        whole: list[int] = values.astype(np.int64).tolist()
        return whole
    return list(map(rational, values.tolist()))


def _digits(value: float) -> int:
    mantissa = repr(abs(value)).partition("e")[0].replace(".", "")
    return len(mantissa.strip("0"))


def tidy(value: Rational) -> Rational:
    """Whole fractions as ints."""
    return value.numerator if value.denominator == 1 else value


@dataclass(frozen=True, slots=True)
class Linear:
    """`constant + Σ coefficient · variable`, no zero coefficients; variables by number."""

    terms: Mapping[int, Rational] = field(default_factory=dict)
    constant: Rational = 0

    @classmethod
    def variable(cls, number: int) -> Linear:
        """A single variable."""
        return cls({number: 1})

    def times(self, factor: Rational) -> Linear:
        """Multiplied by a number."""
        if factor == 1:
            return self
        if factor == 0:
            return Linear()
        terms = {v: tidy(c * factor) for v, c in self.terms.items()}
        return Linear(terms, tidy(self.constant * factor))

    def plus(self, constant: Rational) -> Linear:
        """With a number added."""
        return Linear(self.terms, tidy(self.constant + constant)) if constant else self

    def minus(self, other: Linear) -> Linear:
        """The difference."""
        return total((self, other.times(-1)))

    @property
    def key(self) -> tuple[frozenset[tuple[int, Rational]], Rational]:
        """Equal for equal expressions."""
        return frozenset(self.terms.items()), self.constant

    @property
    def scale(self) -> int:
        """Least positive number that makes all coefficients whole."""
        return math.lcm(self.constant.denominator, *[c.denominator for c in self.terms.values()])


def total(parts: Iterable[Linear]) -> Linear:
    """Sum of linear expressions."""
    terms: dict[int, Rational] = {}
    constant: Rational = 0
    for part in parts:
        constant += part.constant
        for variable, coefficient in part.terms.items():
            terms[variable] = terms.get(variable, 0) + coefficient
    return Linear({v: tidy(c) for v, c in terms.items() if c}, tidy(constant))


def common_scale(parts: Iterable[Linear]) -> int:
    """Least positive number that makes the coefficients of all parts whole."""
    return math.lcm(1, *(part.scale for part in parts))
