"""The linear rows of a model, and the elimination of equations among them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Unsupported

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.model import Model

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Integers = NDArray[np.int64]

DENSE_ENTRIES = 4_000_000
"""Largest dense matrix that is worked with; larger linear systems are left to the search."""
PIVOT = 1e-9
"""Smallest pivot, relative to the largest entry of the scaled rows."""
WIDEST = 1e6
"""Range that an unbounded column counts as when pivots are chosen."""


@dataclass(frozen=True, slots=True, eq=False)
class LinearRows:
    """`lower ≤ matrix · x ≤ upper`, the linear rows of a model.

    Attributes:
        matrix: CSR, shape `(rows, n)`.
        lower: Shape `(rows,)`.
        upper: Shape `(rows,)`.
        numbers: Row number in the model of each, ascending.
    """

    matrix: object
    lower: Floats
    upper: Floats
    numbers: Integers

    @classmethod
    def of(cls, model: Model) -> LinearRows:
        """The rows of the constraints that are linear."""
        classes = model.structure.constraint_class
        chosen = [c for c in model.formulation.constraints if classes.get(c.name) == "linear"]
        names = {c.name for c in chosen}
        full = np.concatenate(
            [
                np.zeros(0, np.int64),
                *(
                    np.arange(block.offset, block.offset + block.size)
                    for block in model.program.rows.blocks
                    if block.constraint in names
                ),
            ]
        )
        try:
            lowered = model.derive(constraints=chosen).lowered_rows()
        except Unsupported:
            lowered = model.derive(constraints=()).lowered_rows()
            full = full[:0]
        kept = np.arange(len(model.program.rows)) if model.kept_rows is None else model.kept_rows
        present = np.flatnonzero(np.isin(full, kept))
        part = lowered.selected(present)
        return cls(part.matrix, part.lower, part.upper, np.searchsorted(kept, full[present]))


@dataclass(frozen=True, slots=True, eq=False)
class Elimination:
    """Columns that equations determine: `x[dependent] = base + factors · x`.

    Attributes:
        dependent: Column numbers.
        base: Shape `(dependent,)`.
        factors: Shape `(dependent, n)`, zero in the dependent columns.
        rows: Model rows that hold by construction.
    """

    dependent: Integers
    base: Floats
    factors: Floats
    rows: Integers

    def complete(self, X: Floats) -> None:
        """Fill in the dependent columns of points `(points, n)`, in place."""
        if self.dependent.size:
            X[:, self.dependent] = self.base + X @ self.factors.T


def eliminate(linear: LinearRows, lower: Floats, upper: Floats, integer: Bools) -> Elimination:
    """Solve the linear equations for columns, widest contribution first.

    Gauss–Jordan elimination with full pivoting over columns scaled by their range, so that the
    columns that leave the search are those whose bounds are least likely to be missed. An
    integer column is determined only by whole numbers: coefficient ±1, the rest of the equation
    whole. An equation without such a column stays a constraint.

    Args:
        linear: The linear rows.
        lower: Column bounds, shape `(n,)`.
        upper: Column bounds, shape `(n,)`.
        integer: Shape `(n,)`.
    """
    n = lower.size
    equations = np.flatnonzero(np.isfinite(linear.lower) & (linear.lower == linear.upper))
    none = Elimination(np.zeros(0, np.int64), np.zeros(0), np.zeros((0, n)), np.zeros(0, np.int64))
    if not equations.size or equations.size * n > DENSE_ENTRIES:
        return none
    A = linear.matrix[equations].toarray()  # type: ignore[index]
    b = linear.lower[equations].copy()
    width = np.where(np.isfinite(upper - lower), upper - lower, WIDEST)
    weight = np.where(width > 0.0, np.clip(width, 1.0 / WIDEST, WIDEST), 0.0)
    norms = np.abs(A * weight).max(axis=1, initial=0.0)
    rounding = PIVOT * np.maximum(1.0, np.abs(A).max(axis=1, initial=0.0))
    size = np.maximum(1.0, np.abs(b))
    open_rows = norms > 0.0
    pivots: list[tuple[int, int]] = []
    while open_rows.any():
        score = np.abs(A) * weight / np.where(norms > 0.0, norms, 1.0)[:, None]
        score[~open_rows] = 0.0
        score[:, integer] *= _whole(A, b, integer)[:, integer]
        row, column = np.unravel_index(int(score.argmax()), score.shape)
        if score[row, column] <= PIVOT:
            break
        value = A[row, column]
        A[row] /= value
        b[row] /= value
        others = A[:, column].copy()
        others[row] = 0.0
        A -= np.outer(others, A[row])
        b -= others * b[row]
        A[:, column] = 0.0
        A[row, column] = 1.0
        weight[column] = 0.0
        open_rows[row] = False
        pivots.append((int(row), int(column)))
    if not pivots:
        return none
    rows = np.array([r for r, _ in pivots], np.int64)
    dependent = np.array([c for _, c in pivots], np.int64)
    factors = -A[rows]
    factors[:, dependent] = 0.0
    implied = (np.abs(A).max(axis=1, initial=0.0) <= rounding) & (np.abs(b) <= PIVOT * size)
    held = np.union1d(rows, np.flatnonzero(implied))
    return Elimination(dependent, b[rows], factors, linear.numbers[equations[held]])


def _whole(A: Floats, b: Floats, integer: Bools) -> Bools:
    """Entries ±1 of rows of whole numbers over integer columns, right side included."""
    whole = np.all(np.where(integer, np.rint(A) == A, A == 0.0), axis=1) & (np.rint(b) == b)
    found: Bools = whole[:, None] & (np.abs(A) == 1.0)
    return found
