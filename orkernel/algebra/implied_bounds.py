"""Bounds of columns that linear rows imply, by propagating row activities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

ROUNDS = 10
MARGIN = 1e-6
"""Bounds are loosened by this, relative to their size, against solver tolerances."""
ROUNDING = 1e-14
"""Relative error of a row's activity."""


def implied_bounds(
    matrix: Any,
    row_lower: Floats,
    row_upper: Floats,
    lower: Floats,
    upper: Floats,
    integer: Bools,
) -> tuple[Floats, Floats]:
    """Tighten column bounds.

    Every point within the given bounds that meets the rows is within the result. Where the
    rows contradict the bounds, tightening stops before the bounds cross.

    Args:
        matrix: CSR of rows that always hold, shape `(m, n)`.
        row_lower: Shape `(m,)`.
        row_upper: Shape `(m,)`.
        lower: Shape `(n,)`, −inf where free.
        upper: Shape `(n,)`, inf where free.
        integer: Shape `(n,)`.
    """
    lower, upper = lower.copy(), upper.copy()
    coo = matrix.tocoo()
    row, column, value = coo.row, coo.col, coo.data
    up = value > 0
    size = np.abs(value)
    rows = matrix.shape[0]
    for _ in range(ROUNDS):
        reach = np.maximum(_finite(lower), _finite(upper))[column] * size
        noise = ROUNDING * np.bincount(row, weights=reach, minlength=rows)[row] / size
        least = value * np.where(up, lower[column], upper[column])
        most = value * np.where(up, upper[column], lower[column])
        slack_up = row_upper[row] - _sum_of_others(least, row, rows)
        slack_down = row_lower[row] - _sum_of_others(most, row, rows)
        with np.errstate(invalid="ignore", over="ignore"):
            above = np.where(up, slack_up, slack_down) / value
            below = np.where(up, slack_down, slack_up) / value
        above = np.where(np.isnan(above), np.inf, above)
        below = np.where(np.isnan(below), -np.inf, below)
        new_upper, new_lower = upper.copy(), lower.copy()
        np.minimum.at(new_upper, column, above + noise + MARGIN * np.maximum(1.0, np.abs(above)))
        np.maximum.at(new_lower, column, below - noise - MARGIN * np.maximum(1.0, np.abs(below)))
        new_upper = np.where(integer, np.floor(new_upper + MARGIN), new_upper)
        new_lower = np.where(integer, np.ceil(new_lower - MARGIN), new_lower)
        new_upper = np.minimum(new_upper, upper)
        new_lower = np.maximum(new_lower, lower)
        if np.any(new_lower > new_upper):
            break
        with np.errstate(invalid="ignore"):
            better = (new_upper < upper - MARGIN * np.maximum(1.0, np.abs(new_upper))) | (
                new_lower > lower + MARGIN * np.maximum(1.0, np.abs(new_lower))
            )
        lower, upper = new_lower, new_upper
        if not better.any():
            break
    return lower, upper


def _sum_of_others(parts: Floats, row: NDArray[Any], rows: int) -> Floats:
    """Per entry the sum of the other entries of its row; infinite if any of them is."""
    infinite = ~np.isfinite(parts)
    finite = np.where(infinite, 0.0, parts)
    sums = np.bincount(row, weights=finite, minlength=rows)
    counts = np.bincount(row, weights=infinite, minlength=rows)
    direction = np.zeros(rows)
    np.add.at(direction, row[infinite], np.sign(parts[infinite]))
    others = counts[row] - infinite
    rest = sums[row] - finite
    result: Floats = np.where(others > 0, np.copysign(np.inf, direction[row]), rest)
    return result


def _finite(bounds: Floats) -> Floats:
    """Absolute values, 0 where infinite."""
    return np.where(np.isfinite(bounds), np.abs(bounds), 0.0)
