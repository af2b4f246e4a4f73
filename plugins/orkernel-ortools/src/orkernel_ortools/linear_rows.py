"""Linear rows of a model in CP-SAT, straight from the arrays of its linear part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel_ortools.exact import Linear, rationals
from orkernel_ortools.program import SNAP, SNAP_STEP, WHOLE, Program

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.arrays import LoweredRows
    from orkernel.algebra.forms import Rows

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Limits:
    """What rows of whole numbers allow, within the bounds of their columns; shape `(rows,)`.

    Attributes:
        low: Smallest allowed value of the body.
        high: Largest allowed value.
        idle: Rows that hold at every point.
        exact: Rows whose numbers are whole and so small that floats hold them exactly; the
            others say nothing here.
    """

    low: Floats
    high: Floats
    idle: Bools
    exact: Bools

    @classmethod
    def of(cls, rows: LoweredRows, lower: Floats, upper: Floats) -> Limits:
        """Of rows over columns with finite bounds."""
        matrix = rows.matrix
        data, places, size = matrix.data, matrix.indices, matrix.shape[0]
        owner = np.repeat(np.arange(size), np.diff(matrix.indptr))

        def summed(terms: Floats) -> Any:
            return np.bincount(owner, weights=terms, minlength=size)

        reach = summed(np.abs(data) * np.maximum(np.abs(lower), np.abs(upper))[places])
        unfit = summed(((np.rint(data) != data) | (np.abs(data) >= WHOLE)).astype(np.float64))
        exact = (unfit == 0) & (reach < WHOLE / 2)
        ends = data * lower[places], data * upper[places]
        least, most = summed(np.minimum(*ends)), summed(np.maximum(*ends))
        low, high = _inwards(rows.lower, np.ceil), _inwards(rows.upper, np.floor)
        idle = exact & (low <= least) & (high >= most)
        return cls(np.maximum(low, least), np.minimum(high, most), idle, exact)


def _inwards(bounds: Floats, round_: Callable[[Floats], Floats]) -> Floats:
    """Bounds of whole bodies; noise around a whole number is that number."""
    nearest = np.rint(bounds)
    noise = np.minimum(SNAP * np.maximum(1.0, np.abs(bounds)), SNAP_STEP)
    with np.errstate(invalid="ignore"):
        near = np.abs(bounds - nearest) <= noise
    return np.where(near, nearest, round_(bounds))


def add_linear_rows(
    program: Program,
    columns: range,
    rows: LoweredRows,
    labels: Rows,
    wanted: Integers,
    guards: Sequence[int] = (),
) -> None:
    """Add linear rows.

    Rows of whole numbers are added as they are. In the others each coefficient is made exact
    and the row is multiplied until it is whole.

    Args:
        program: Where they go.
        columns: Variable of each column.
        rows: All rows of the model.
        labels: Their names.
        wanted: The rows to add.
        guards: Per row of the model the literal that switches it on; empty if all always hold.

    Raises:
        Unsupported: Numbers do not fit into 64 bits.
    """
    if not wanted.size:
        return
    lower, upper = (
        np.array(bounds[columns.start : columns.stop], np.float64)
        for bounds in (program.lower, program.upper)
    )
    limits = Limits.of(rows, lower, upper)
    matrix: Any = rows.matrix
    starts, places, data = matrix.indptr.tolist(), matrix.indices, matrix.data
    indices: list[int] = np.array(program.indices[columns.start : columns.stop], np.int64)[
        places
    ].tolist()
    whole: list[int] = np.where(np.abs(data) < WHOLE, data, 0.0).astype(np.int64).tolist()
    for step, i in enumerate(wanted[~limits.idle[wanted]].tolist()):
        if not step % 64:
            program.tick()
        part = slice(starts[i], starts[i + 1])
        when = (guards[i],) if guards else ()
        if not limits.exact[i]:
            program.element = f"constraint '{labels.label(i)}'"
            variables = [columns[j] for j in places[part].tolist()]
            terms = dict(zip(variables, rationals(data[part]), strict=True))
            program.between(Linear(terms), float(rows.lower[i]), float(rows.upper[i]), when)
        elif limits.low[i] > limits.high[i]:
            program.clause(~literal for literal in when)
        else:
            low, high = int(limits.low[i]), int(limits.high[i])
            program.row(indices[part], whole[part], low, high, when)
