"""Polynomials of degree two at most, one per row of a space, as arrays of terms."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.space import ragged

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

MAX_TERMS = 100_000_000
"""Most terms that one expression may have."""


class TooManyTerms(Exception):
    """A product would have more than `MAX_TERMS` terms."""


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """Terms `coefficient · x[column]` or `coefficient · x[column] · x[second]`.

    Attributes:
        rows: Row of each term; None when term k belongs to row k.
        columns: Column numbers.
        second: Second column numbers; None for linear terms.
        coefficients: One per term, or one for all, shape `()`.
    """

    rows: Integers | None
    columns: Integers
    second: Integers | None
    coefficients: Floats

    def scaled(self, factor: Floats) -> Terms:
        """Multiplied row by row."""
        if factor.ndim and self.rows is not None:
            factor = factor[self.rows]
        return Terms(self.rows, self.columns, self.second, self.coefficients * factor)

    def moved(self, rows: Integers) -> Terms:
        """The same terms with row k renamed to `rows[k]`."""
        return Terms(
            rows if self.rows is None else rows[self.rows],
            self.columns,
            self.second,
            self.coefficients,
        )

    def shifted(self, offset: int) -> Terms:
        """The same terms with row k renamed to `offset + k`."""
        return Terms(self.row_numbers() + offset, self.columns, self.second, self.coefficients)

    def row_numbers(self) -> Integers:
        """Row of each term, always explicit."""
        return np.arange(self.columns.size) if self.rows is None else self.rows

    def values(self) -> Floats:
        """Coefficient of each term, always explicit."""
        return np.broadcast_to(self.coefficients, self.columns.shape)


@dataclass(frozen=True, slots=True, eq=False)
class Polynomial:
    """One polynomial per row.

    Attributes:
        size: Number of rows.
        constant: Shape `(size,)` or `()`.
        linear: Linear terms.
        quadratic: Quadratic terms.
    """

    size: int
    constant: Floats
    linear: tuple[Terms, ...] = ()
    quadratic: tuple[Terms, ...] = ()

    @property
    def degree(self) -> int:
        """0, 1 or 2, by the terms present."""
        return 2 if self.quadratic else 1 if self.linear else 0

    def scaled(self, factor: Floats) -> Polynomial:
        """Multiplied row by row, by an array of shape `(size,)` or `()`."""
        return Polynomial(
            self.size,
            self.constant * factor,
            tuple(t.scaled(factor) for t in self.linear),
            tuple(t.scaled(factor) for t in self.quadratic),
        )

    def moved(self, rows: Integers, size: int) -> Polynomial:
        """Rows renamed and summed: row k becomes part of row `rows[k]` of `size` rows."""
        if self.constant.ndim or self.constant != 0:
            weights = np.broadcast_to(self.constant, (self.size,))
            constant: Floats = np.bincount(rows, weights=weights, minlength=size).astype(np.float64)
        else:
            constant = np.zeros(())
        return Polynomial(
            size,
            constant,
            tuple(t.moved(rows) for t in self.linear),
            tuple(t.moved(rows) for t in self.quadratic),
        )

    def times(self, other: Polynomial) -> Polynomial:
        """Product row by row; both must be linear."""
        first, second = _flattened(self.linear), _flattened(other.linear)
        linear = tuple(t.scaled(other.constant) for t in self.linear) + tuple(
            t.scaled(self.constant) for t in other.linear
        )
        product = _products(first, second, self.size)
        return Polynomial(self.size, self.constant * other.constant, linear, (product,))


def total(polynomials: Sequence[Polynomial], size: int) -> Polynomial:
    """Sum of polynomials over the same rows."""
    constant: Any = np.zeros(())
    for p in polynomials:
        constant = constant + p.constant
    return Polynomial(
        size,
        np.asarray(constant),
        tuple(t for p in polynomials for t in p.linear),
        tuple(t for p in polynomials for t in p.quadratic),
    )


def _flattened(terms: Iterable[Terms]) -> Terms:
    """Several groups of terms as one, ordered by row."""
    groups = list(terms)
    if len(groups) == 1 and groups[0].rows is None:
        return groups[0]
    rows = np.concatenate([t.row_numbers() for t in groups])
    order = np.argsort(rows, kind="stable")
    return Terms(
        rows[order],
        np.concatenate([t.columns for t in groups])[order],
        None,
        np.concatenate([t.values() for t in groups])[order],
    )


def _products(first: Terms, second: Terms, size: int) -> Terms:
    """Every term of `first` with every term of `second` in the same row."""
    if first.rows is None and second.rows is None:
        return Terms(None, first.columns, second.columns, first.coefficients * second.coefficients)
    rows, others = first.row_numbers(), second.row_numbers()
    counts = np.bincount(others, minlength=size)
    repeats = counts[rows]
    if int(repeats.sum()) > MAX_TERMS:
        raise TooManyTerms
    starts = np.cumsum(counts) - counts
    left, offsets = ragged(repeats)
    right = starts[rows[left]] + offsets
    return Terms(
        rows[left],
        first.columns[left],
        second.columns[right],
        first.values()[left] * second.values()[right],
    )
