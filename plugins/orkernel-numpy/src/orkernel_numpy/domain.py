"""The values that columns may take: bounds as the kernel accepts them, tightened by linear rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.implied_bounds import implied_bounds
from orkernel.errors import Unsupported
from orkernel.verify import ROW_TOLERANCE

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from orkernel.algebra.forms import LinearForm
    from orkernel.model import Model

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """A box, and the linear rows of a model.

    Attributes:
        lower: Shape `(n,)`, whole for integer columns, −inf where free.
        upper: Shape `(n,)`.
        integer: Shape `(n,)`.
        matrix: The rows that are linear, shape `(m, n)`.
        row_lower: Shape `(m,)`.
        row_upper: Shape `(m,)`.
        slack: What the kernel tolerates, and as much again; shape `(m,)`.
        all_linear: Whether these are all the rows.
    """

    lower: Floats
    upper: Floats
    integer: Bools
    matrix: csr_array
    row_lower: Floats
    row_upper: Floats
    slack: Floats
    all_linear: bool

    @classmethod
    def of(cls, model: Model) -> Domain:
        """The domain of a model; bounds that contradict each other stay so."""
        columns = model.columns
        lower, upper = _accepted(columns.lower, -1.0), _accepted(columns.upper, 1.0)
        whole = columns.integer
        low = np.where(whole, np.ceil(lower), columns.lower)
        high = np.where(whole, np.floor(upper), columns.upper)
        form, complete = _linear_rows(model)
        sizes = [
            np.abs(np.nan_to_num(b, posinf=0, neginf=0)) for b in (form.row_lower, form.row_upper)
        ]
        slack = 2 * ROW_TOLERANCE * np.maximum(1.0, np.maximum(*sizes))
        rows = (form.matrix, form.row_lower - slack, form.row_upper + slack)
        if not np.any(low > high):
            low, high = implied_bounds(*rows, low, high, whole)
        return cls(low, high, whole, form.matrix, form.row_lower, form.row_upper, slack, complete)

    @property
    def contradiction(self) -> int | None:
        """A column that no value suits, or None."""
        crossed = self.lower > self.upper + 2 * ROW_TOLERANCE * np.maximum(1.0, np.abs(self.upper))
        crossed |= self.integer & (self.lower > self.upper)
        return int(crossed.argmax()) if crossed.any() else None

    @property
    def size(self) -> float:
        """Number of points of an all-integer domain; inf if there are infinitely many."""
        if not self.integer.all():
            return np.inf
        with np.errstate(over="ignore"):
            return float(np.prod(np.maximum(0.0, self.upper - self.lower + 1.0)))


def _accepted(bounds: Floats, sign: float) -> Floats:
    """Bounds moved outwards by what the kernel tolerates."""
    moved: Floats = bounds + sign * ROW_TOLERANCE * np.maximum(1.0, _size(bounds))
    return moved


def _size(bounds: Floats) -> Floats:
    """Absolute values, 0 where infinite."""
    found: Floats = np.where(np.isfinite(bounds), np.abs(bounds), 0.0)
    return found


def _linear_rows(model: Model) -> tuple[LinearForm, bool]:
    """The form of the linear rows, and whether there are no others."""
    classes = model.structure.constraint_class
    rows = model.rows
    linear = np.zeros(len(rows), np.bool_)
    for block in rows.blocks:
        linear[block.offset : block.offset + block.size] = classes[block.constraint] == "linear"
    try:
        return model.derive(objectives=(), keep_rows=linear).linear(), bool(linear.all())
    except Unsupported:
        return model.derive(objectives=(), constraints=()).linear(), not len(rows)
