"""Convexity: decided for known matrices of every size, never wrong on random ones."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from orkernel.algebra.convexity import DENSE_SIZE, is_convex, is_positive_semidefinite
from orkernel.algebra.forms import Columns, LinearForm, LinearObjective, QuadraticForm, Rows


def gram(rng: np.random.Generator, size: int, rank: int) -> np.ndarray:
    factor = rng.standard_normal((size, rank))
    return factor @ factor.T


def chain(size: int, corner: float) -> sparse.csr_array:
    """The second-difference matrix, definite; `corner` is added to its first entry."""
    matrix = sparse.diags_array(
        [np.full(size - 1, -1.0), np.full(size, 2.0), np.full(size - 1, -1.0)], offsets=[-1, 0, 1]
    ).tolil()
    matrix[0, 0] += corner
    return matrix.tocsr()


@settings(max_examples=150, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 12),
    st.integers(1, 12),
    st.sampled_from([1e-12, 1e-3, 1.0, 1e6, 1e12]),
)
def test_gram_matrices_of_any_rank_and_scale_are_semidefinite(
    seed: int, size: int, rank: int, scale: float
) -> None:
    matrix = gram(np.random.default_rng(seed), size, rank) * scale
    assert is_positive_semidefinite(matrix) is True


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.sampled_from([1e-12, 1.0, 1e12]))
def test_a_clearly_negative_direction_is_found(seed: int, size: int, scale: float) -> None:
    rng = np.random.default_rng(seed)
    basis, _ = np.linalg.qr(rng.standard_normal((size, size)))
    eigenvalues = rng.uniform(0, 1, size)
    eigenvalues[0] = -1e-3
    matrix = (basis * eigenvalues) @ basis.T * scale
    assert is_positive_semidefinite((matrix + matrix.T) / 2) is False


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_a_small_indefinite_block_is_not_hidden_by_a_large_definite_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = sparse.block_diag(
        [gram(rng, 5, 5) * 1e9, np.array([[1.0, 1.1], [1.1, 1.0]]), np.zeros((3, 3))]
    )
    order = rng.permutation(matrix.shape[0])
    assert is_positive_semidefinite(sparse.csr_array(matrix)[order][:, order]) is False


def test_the_empty_matrix_and_bilinear_terms() -> None:
    assert is_positive_semidefinite(sparse.csr_array((3, 3))) is True
    assert is_positive_semidefinite(np.array([[0.0, 1.0], [1.0, 0.0]])) is False
    assert is_positive_semidefinite(np.array([[1.0, -1.0], [-1.0, 1.0]])) is True


def test_rounding_noise_on_the_diagonal_of_a_coupled_block_is_not_a_negative_direction() -> None:
    noisy = np.array([[4.0, 2.0], [2.0, 1.0 - 1e-15]])
    assert is_positive_semidefinite(noisy) is True


def test_a_large_sparse_matrix_is_decided_both_ways() -> None:
    size = 50 * DENSE_SIZE
    assert is_positive_semidefinite(chain(size, 0.5)) is True
    assert is_positive_semidefinite(chain(size, -1.5)) is False


def test_a_large_sparse_matrix_without_dominant_diagonal_is_definite() -> None:
    size = 3 * DENSE_SIZE
    rng = np.random.default_rng(7)
    half = sparse.eye_array(size) + sparse.diags_array([rng.uniform(1, 3, size - 1)], offsets=[1])
    assert is_positive_semidefinite(half.T @ half + 0.01 * sparse.eye_array(size)) is True


def test_a_large_dense_matrix_is_never_called_wrongly() -> None:
    size = DENSE_SIZE + 50
    matrix = gram(np.random.default_rng(3), size, 5)
    assert is_positive_semidefinite(matrix) in (True, None)
    assert is_positive_semidefinite(-matrix) is False
    assert is_positive_semidefinite(matrix - 0.1 * np.ones((size, size))) is False


# ------------------------------------------------------------------------- whole forms


def form(
    *,
    objective: np.ndarray | None = None,
    maximize: bool = False,
    row: np.ndarray | None = None,
    lower: float = -np.inf,
    upper: float = np.inf,
) -> QuadraticForm:
    n = 2
    columns = Columns((), np.zeros(n), np.full(n, np.inf), np.zeros(n, bool), np.full(n, np.nan))
    quadratic = None if objective is None else sparse.csr_array(objective)
    linear = LinearForm(
        matrix=sparse.csr_array((1, n)),
        row_lower=np.array([lower]),
        row_upper=np.array([upper]),
        columns=columns,
        rows=Rows((), 1),
        objectives=(LinearObjective("cost", maximize, np.zeros(n), 0.0, quadratic),),
    )
    return QuadraticForm(linear, {} if row is None else {0: sparse.csr_array(row)})


BOWL = np.array([[2.0, 0.0], [0.0, 2.0]])
SADDLE = np.array([[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({}, True),
        ({"objective": BOWL}, True),
        ({"objective": BOWL, "maximize": True}, False),
        ({"objective": -BOWL, "maximize": True}, True),
        ({"objective": SADDLE}, False),
        ({"row": BOWL, "upper": 1.0}, True),
        ({"row": BOWL, "lower": 1.0}, False),
        ({"row": -BOWL, "lower": -1.0}, True),
        ({"row": BOWL, "lower": 0.0, "upper": 1.0}, False),
        ({"row": BOWL, "lower": 1.0, "upper": 1.0}, False),
        ({"row": SADDLE}, True),
        ({"objective": BOWL, "row": SADDLE, "upper": 1.0}, False),
    ],
)
def test_sense_and_row_bounds_decide(parts: dict[str, object], expected: bool) -> None:
    assert is_convex(form(**parts)) is expected  # type: ignore[arg-type]


def test_a_matrix_that_may_not_be_written_to_is_decided_and_left_alone() -> None:
    matrix = sparse.csr_array(np.array([[2.0, 1.0], [1.0, 2.0]]))
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.flags.writeable = False
    assert is_positive_semidefinite(matrix) is True
