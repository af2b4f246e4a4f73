"""Scaling up of tiny rows and costs, for solvers that compare with absolute tolerances.

What is written in tiny numbers would count as zero there. Multiplying by a power of two is
exact, so nothing but the solver's view of the model changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from orkernel.algebra.forms import Floats

TINY = 1e-3
"""A row or objective whose largest coefficient is below this is scaled up to about 1."""


def row_maxima(matrix: csr_array) -> Floats:
    """Largest absolute coefficient of each row, shape `(m,)`; 0 for an empty row."""
    maxima = np.zeros(matrix.shape[0])
    filled = np.diff(matrix.indptr) > 0
    if np.any(filled):
        starts = matrix.indptr[:-1][filled]
        maxima[filled] = np.maximum.reduceat(np.abs(matrix.data), starts)
    return maxima


def scale_factors(largest: Floats) -> Floats:
    """Powers of two that bring entries in (0, `TINY`) to [1, 2); 1 for all others."""
    tiny = (largest > 0.0) & (largest < TINY)
    exponents = -np.floor(np.log2(np.where(tiny, largest, 1.0)))
    return np.exp2(np.where(tiny, exponents, 0.0))
