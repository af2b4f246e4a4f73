"""Decimals as whole numbers, exactly."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

MOST_DIGITS = 9
NOISE = 1e-12
"""Relative rounding error of a decimal that went through sums of data."""
LARGEST = 2.0**50
"""Sums of scaled numbers stay below this, far from the solver's own limit of 2⁶³."""


def scale_of(values: Iterable[float], sum_of_sizes: float) -> int | None:
    """The smallest power of ten that makes all values whole.

    Args:
        values: Finite numbers.
        sum_of_sizes: Largest total of absolute values that will be formed.

    Returns:
        The factor; None if there is none with at most `MOST_DIGITS` digits, or the total overflows.
    """
    array = np.fromiter(values, np.float64)
    for digits in range(MOST_DIGITS + 1):
        factor = int(10**digits)
        if max(1.0, sum_of_sizes) * factor > LARGEST:
            return None
        scaled = array * factor
        if np.all(np.abs(scaled - np.rint(scaled)) <= NOISE * np.maximum(1.0, np.abs(scaled))):
            return factor
    return None
