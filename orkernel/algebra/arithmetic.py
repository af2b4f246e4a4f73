"""Arithmetic of the algebra on floats: what has no value is NaN, and noise rounds nothing away.

A quotient by zero, a negative power of zero and the logarithm of zero have no value, whatever
their limits: a comparison with one is neither true nor false. `floor`, `ceil`, `//` and `%` take
a number within the rounding error of a whole one for the whole one, as its decimals meant:
`floor(0.29 * 100)` is 29, `1 // 0.1` is 10 and `1 % 0.1` is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

NOISE = 1e-12
"""A number this near to a whole one, times max(1, |number|), is taken for it."""


def floor(x: Array) -> Array:
    """Largest whole number not above `x`, but for noise."""
    return np.where(_nearly_whole(x), np.rint(x), np.floor(x))


def ceil(x: Array) -> Array:
    """Smallest whole number not below `x`, but for noise."""
    return np.where(_nearly_whole(x), np.rint(x), np.ceil(x))


def divide(a: Array, b: Array) -> Array:
    """`a / b`, NaN by zero."""
    return np.where(b == 0, np.nan, np.divide(a, b))


def floor_divide(a: Array, b: Array) -> Array:
    """`a // b`, NaN by zero; exact between whole numbers."""
    return np.where(
        _whole(a) & _whole(b), _if_divided(np.floor_divide(a, b), b), floor(divide(a, b))
    )


def modulo(a: Array, b: Array) -> Array:
    """`a % b` with the sign of `b`, NaN by zero; 0 where `a` is a multiple of `b`."""
    multiple = _nearly_whole(divide(a, b)) & ~(_whole(a) & _whole(b))
    return np.where(multiple, 0.0, _if_divided(np.mod(a, b), b))


def power(a: Array, b: Array) -> Array:
    """`a ** b`, NaN for a negative power of zero."""
    return np.where((a == 0) & (b < 0), np.nan, np.power(a, b))


def log(x: Array) -> Array:
    """Natural logarithm, NaN of zero and below."""
    return np.where(x == 0, np.nan, np.log(x))


def log10(x: Array) -> Array:
    """Logarithm to base 10, NaN of zero and below."""
    return np.where(x == 0, np.nan, np.log10(x))


def _whole(x: Array) -> Array:
    return np.asarray(np.rint(x) == x)


def _nearly_whole(x: Array) -> Array:
    return np.asarray(np.abs(x - np.rint(x)) <= NOISE * np.maximum(1.0, np.abs(x)))


def _if_divided(result: Array, divisor: Array) -> Array:
    return np.where(divisor == 0, np.nan, result)
