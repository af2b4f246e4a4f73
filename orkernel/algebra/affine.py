"""Affine expressions over columns, and their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

INFINITY = float("inf")


@dataclass(frozen=True, slots=True)
class Affine:
    """`constant + Σ coefficient · x[column]`, no zero coefficients."""

    constant: float = 0.0
    terms: Mapping[int, float] = field(default_factory=dict)

    @classmethod
    def column(cls, number: int) -> Affine:
        """A single column."""
        return cls(0.0, {number: 1.0})

    def __add__(self, other: Affine) -> Affine:
        return total((self, other))

    def __sub__(self, other: Affine) -> Affine:
        return total((self, other.scaled(-1.0)))

    def scaled(self, factor: float) -> Affine:
        """Multiplied by a number."""
        if factor == 0.0:
            return Affine()
        return Affine(self.constant * factor, {k: c * factor for k, c in self.terms.items()})

    def plus(self, constant: float) -> Affine:
        """With a number added."""
        return Affine(self.constant + constant, self.terms)

    def interval(self, lower: Sequence[float], upper: Sequence[float]) -> tuple[float, float]:
        """Smallest and largest value for columns within bounds."""
        low = high = self.constant
        for column, coefficient in self.terms.items():
            ends = coefficient * lower[column], coefficient * upper[column]
            low += min(ends)
            high += max(ends)
        return low, high

    def is_whole(self, integer: Sequence[bool]) -> bool:
        """Whether it is a whole number wherever integer columns are."""
        return self.constant.is_integer() and all(
            integer[k] and c.is_integer() for k, c in self.terms.items()
        )


def total(parts: Iterable[Affine]) -> Affine:
    """Sum of affine expressions."""
    constant = 0.0
    terms: dict[int, float] = {}
    for part in parts:
        constant += part.constant
        for column, coefficient in part.terms.items():
            terms[column] = terms.get(column, 0.0) + coefficient
    return Affine(constant, {k: c for k, c in terms.items() if c != 0.0})
