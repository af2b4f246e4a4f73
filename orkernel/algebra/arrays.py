"""Terms of polynomials as sparse arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import sparse

from orkernel.algebra.polynomial import Terms

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.forms import LinearObjective

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


class QuadraticRows(Mapping[int, sparse.csr_array]):
    """Quadratic parts of rows, one symmetric matrix made at a time.

    Args:
        rows: Row of each term, ascending.
        first: First column of each term.
        second: Second column of each term.
        coefficients: Coefficient of each term `x[first] · x[second]`.
        columns: Number of columns of the model.
    """

    def __init__(
        self,
        rows: Integers,
        first: Integers,
        second: Integers,
        coefficients: Floats,
        columns: int,
    ) -> None:
        self.rows = rows
        self.first = first
        self.second = second
        self.coefficients = coefficients
        self.columns = columns
        self.numbers = np.unique(rows)

    def __getitem__(self, row: int) -> sparse.csr_array:
        start, end = np.searchsorted(self.rows, [row, row + 1])
        if start == end:
            raise KeyError(row)
        part = slice(start, end)
        return symmetric(self.first[part], self.second[part], self.coefficients[part], self.columns)

    def __iter__(self) -> Iterator[int]:
        return iter(self.numbers.tolist())

    def __len__(self) -> int:
        return int(self.numbers.size)

    def selected(self, keep: Integers) -> QuadraticRows:
        """The rows in `keep` (ascending), renumbered from 0."""
        place = np.searchsorted(keep, self.rows)
        known = np.append(keep, -1)[place] == self.rows
        return QuadraticRows(
            place[known],
            self.first[known],
            self.second[known],
            self.coefficients[known],
            self.columns,
        )


def symmetric(
    first: Integers, second: Integers, coefficients: Floats, size: int
) -> sparse.csr_array:
    """Matrix Q with ½ xᵀ Q x = Σ coefficient · x[first] · x[second]."""
    values = np.concatenate([coefficients, coefficients])
    places = (np.concatenate([first, second]), np.concatenate([second, first]))
    matrix = sparse.csr_array((values, places), shape=(size, size))
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


@dataclass(frozen=True, slots=True, eq=False)
class LoweredRows:
    """All rows: `lower ≤ matrix · x + quadratic ≤ upper`."""

    matrix: sparse.csr_array
    lower: Floats
    upper: Floats
    quadratic: QuadraticRows

    def infinite_row(self) -> int | None:
        """The first row with a coefficient that is not finite, None without one."""
        bad = np.flatnonzero(~np.isfinite(self.matrix.data))
        if bad.size:
            return int(np.searchsorted(self.matrix.indptr, bad[0], "right")) - 1
        bad = np.flatnonzero(~np.isfinite(2 * self.quadratic.coefficients))
        return int(self.quadratic.rows[bad[0]]) if bad.size else None

    def selected(self, keep: Integers) -> LoweredRows:
        """The rows in `keep` (ascending)."""
        return LoweredRows(
            self.matrix[keep],
            self.lower[keep],
            self.upper[keep],
            self.quadratic.selected(keep),
        )


@dataclass(frozen=True, slots=True, eq=False)
class LinearPart:
    """The linear constraints and objectives of a model that need not be linear elsewhere.

    Attributes:
        rows: All rows; one of another kind has no entries and no bounds.
        linear: Which rows are linear, shape `(rows,)`.
        objectives: In formulation order; None for one of another kind.
    """

    rows: LoweredRows
    linear: Bools
    objectives: tuple[LinearObjective | None, ...]

    def selected(self, keep: Integers) -> LinearPart:
        """Of the rows in `keep` (ascending)."""
        return LinearPart(self.rows.selected(keep), self.linear[keep], self.objectives)


def to_csr(terms: Sequence[Terms], rows: int, columns: int) -> sparse.csr_array:
    """Terms as a matrix: duplicates summed, zeros dropped, indices sorted."""
    if not terms:
        return sparse.csr_array((rows, columns))
    dtype = np.int32 if max(rows, columns) < 2**31 else np.int64
    row, column = (
        np.concatenate(parts, dtype=dtype, casting="same_kind")
        for parts in ([t.row_numbers() for t in terms], [t.columns for t in terms])
    )
    values = np.concatenate([t.values() for t in terms])
    matrix = sparse.coo_array((values, (row, column)), shape=(rows, columns)).tocsr()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def to_quadratic_rows(terms: Sequence[Terms], columns: int) -> QuadraticRows:
    """Quadratic terms of all rows, equal ones summed, zeros dropped."""
    if not terms:
        none = np.zeros(0, np.int64)
        return QuadraticRows(none, none, none, np.zeros(0), columns)
    first = np.concatenate([t.columns for t in terms])
    second = np.concatenate([t.second for t in terms if t.second is not None])
    rows = np.concatenate([t.row_numbers() for t in terms])
    values = np.concatenate([t.values() for t in terms])
    small, large = np.minimum(first, second), np.maximum(first, second)
    order = np.lexsort((large, small, rows))
    rows, small, large, values = rows[order], small[order], large[order], values[order]
    new = np.ones(rows.size, np.bool_)
    new[1:] = (np.diff(rows) != 0) | (np.diff(small) != 0) | (np.diff(large) != 0)
    starts = np.flatnonzero(new)
    with np.errstate(over="ignore", invalid="ignore"):
        sums = np.add.reduceat(values, starts) if starts.size else values[:0]
    kept = sums != 0
    return QuadraticRows(
        rows[starts][kept], small[starts][kept], large[starts][kept], sums[kept], columns
    )
