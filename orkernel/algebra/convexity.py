"""Whether the quadratic parts of a model are convex, decided block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg, sparse
from scipy.sparse import csgraph
from scipy.sparse import linalg as sparse_linalg

from orkernel.algebra.forms import QuadraticForm

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-9
"""An eigenvalue above −TOLERANCE · (largest entry) counts as not negative."""
DENSE_SIZE = 2_000
"""Blocks up to this order are factorised as dense matrices."""
SPARSE_FILL = 50
"""Larger blocks are factorised as sparse ones up to this many entries per row."""


def is_convex(form: QuadraticForm) -> bool | None:
    """Whether every quadratic objective and row is convex as written.

    Integrality is ignored: the question is about the continuous relaxation. A quadratic
    equality, or a quadratic row bounded on both sides, is not convex.

    Returns:
        True or False where decided, None where a large matrix resisted.
    """
    linear = form.linear
    parts = [
        -objective.quadratic if objective.maximize else objective.quadratic
        for objective in linear.objectives
        if objective.quadratic is not None
    ]
    for row, matrix in form.row_quadratic.items():
        bounded_below = np.isfinite(linear.row_lower[row])
        bounded_above = np.isfinite(linear.row_upper[row])
        if bounded_above:
            parts.append(matrix)
        if bounded_below:
            parts.append(-matrix)
    undecided = False
    for part in parts:
        verdict = is_positive_semidefinite(part)
        if verdict is False:
            return False
        undecided = undecided or verdict is None
    return None if undecided else True


def is_positive_semidefinite(matrix: Any) -> bool | None:
    """Whether a symmetric matrix has no negative eigenvalue, up to `TOLERANCE`.

    Args:
        matrix: Symmetric, sparse or dense, any scaling.

    Returns:
        True or False where decided, None where a large block resisted.
    """
    whole = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    whole.sum_duplicates()
    whole.eliminate_zeros()
    if not whole.nnz:
        return True
    if _has_negative_minor(whole):
        return False
    undecided = False
    for members in _blocks(whole):
        verdict = _block_verdict(whole[members][:, members])
        if verdict is False:
            return False
        undecided = undecided or verdict is None
    return None if undecided else True


def _has_negative_minor(matrix: Any) -> bool:
    """Whether a principal minor of order 1 or 2 is negative: cheap proof of a negative eigenvalue.

    The smaller eigenvalue of each 2 × 2 principal submatrix bounds that of the matrix from above.
    """
    diagonal = matrix.diagonal()
    entries = matrix.tocoo()
    first, second = diagonal[entries.row], diagonal[entries.col]
    mean, half = (first + second) / 2, (first - second) / 2
    off = entries.row != entries.col
    smaller = np.where(off, mean - np.hypot(half, entries.data), entries.data)
    largest = abs(matrix).max(axis=1).toarray().ravel()
    scale = np.maximum(largest[entries.row], largest[entries.col])
    return bool(np.any(smaller < -TOLERANCE * scale))


def _blocks(matrix: Any) -> list[NDArray[np.int64]]:
    """Index arrays of the connected blocks with more than one member."""
    _, labels = csgraph.connected_components(matrix, directed=False)
    order = np.argsort(labels, kind="stable")
    sizes = np.bincount(labels)
    pieces = np.split(order, np.cumsum(sizes)[:-1])
    return [piece for piece in pieces if piece.size > 1]


def _block_verdict(block: Any) -> bool | None:
    size = block.shape[0]
    scaled = block / np.abs(block.data).max()
    if size <= DENSE_SIZE:
        return _dense_verdict(scaled.toarray())
    diagonal = scaled.diagonal()
    if np.all(2 * diagonal - np.abs(scaled).sum(axis=1) >= -TOLERANCE):
        return True
    if scaled.nnz <= SPARSE_FILL * size:
        return _sparse_verdict(scaled)
    return False if _ritz_value(scaled) < -TOLERANCE else None


def _dense_verdict(block: NDArray[np.float64]) -> bool:
    """Cholesky settles the positive definite case quickly, eigenvalues the rest."""
    shifted = block + TOLERANCE * np.eye(len(block))
    _, failed_at = linalg.lapack.dpotrf(shifted, lower=1, overwrite_a=1)
    if failed_at == 0:
        return True
    smallest = linalg.eigvalsh(block, subset_by_index=[0, 0])[0]
    return bool(smallest >= -TOLERANCE)


def _sparse_verdict(block: Any) -> bool | None:
    """Signs of the pivots of a symmetric elimination (Sylvester's law of inertia)."""
    size = block.shape[0]
    shifted = sparse.csc_array(block + TOLERANCE * sparse.eye_array(size))
    try:
        factors = sparse_linalg.splu(
            shifted,
            permc_spec="MMD_AT_PLUS_A",
            diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )
    except RuntimeError:
        factors = None
    if factors is not None and np.array_equal(factors.perm_r, factors.perm_c):
        pivots = factors.U.diagonal()
        if np.all(pivots > 0):
            return True
    return False if _ritz_value(block) < -TOLERANCE else None


def _ritz_value(block: Any) -> float:
    """An upper bound on the smallest eigenvalue, from a Krylov space; inf if none was found."""
    start = np.random.default_rng(0).standard_normal(block.shape[0])
    try:
        values = sparse_linalg.eigsh(
            block, k=1, which="SA", v0=start, maxiter=300, tol=1e-6, return_eigenvectors=False
        )
    except sparse_linalg.ArpackNoConvergence as failure:
        values = failure.eigenvalues
    return float(min(values, default=np.inf))
