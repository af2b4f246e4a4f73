"""Proofs for what a solver merely says: infeasible rows, directions without end.

Both are small linear programs that always have an optimum; scipy solves them, and the
kernel checks the outcome by arithmetic, so it does not matter who found it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel_pyomo.arrays import Arrays

LARGEST = 200_000
"""Nonzeros up to which a proof is looked for."""


def farkas_multipliers(arrays: Arrays) -> Floats | None:
    """Row multipliers that prove the linear rows and the bounds infeasible, shape `(m,)`.

    They are the duals of the elastic program: the least total violation of the rows, the
    columns kept within their bounds. None if that is zero, or the model is too large.
    """
    if arrays.matrix.nnz > LARGEST or np.any(arrays.lower > arrays.upper):
        return None
    linear = np.array([i not in arrays.row_quadratic for i in range(len(arrays.row_lower))])
    below = np.flatnonzero(np.isfinite(arrays.row_upper) & linear)
    above = np.flatnonzero(np.isfinite(arrays.row_lower) & linear)
    size = len(below) + len(above)
    if size == 0:
        return None
    n = len(arrays.lower)
    rows = vstack([arrays.matrix[below, :], -arrays.matrix[above, :]])
    sides = np.concatenate([arrays.row_upper[below], -arrays.row_lower[above]])
    slack = csr_array((-np.ones(size), (np.arange(size), np.arange(size))), shape=(size, size))
    answer = linprog(
        np.concatenate([np.zeros(n), np.ones(size)]),
        A_ub=csr_array(_beside(rows, slack)),
        b_ub=sides,
        bounds=np.vstack(
            [np.column_stack([arrays.lower, arrays.upper]), np.tile([0.0, np.inf], (size, 1))]
        ),
        method="highs",
    )
    if answer.status != 0 or answer.fun <= 0.0:
        return None
    marginals = np.asarray(answer.ineqlin.marginals, dtype=float)
    y = np.zeros(len(arrays.row_lower))
    np.add.at(y, below, marginals[: len(below)])
    np.add.at(y, above, -marginals[len(below) :])
    return y


def improving_ray(arrays: Arrays) -> Floats | None:
    """A direction that stays feasible for ever and improves the objective at a constant rate.

    Along it a quadratic objective is flat, Q d = 0.

    Returns:
        Shape `(n,)`; None if there is none, or the model has quadratic rows or is too large.
    """
    if arrays.matrix.nnz > LARGEST or arrays.row_quadratic:
        return None
    flat = arrays.quadratic
    sign = -1.0 if arrays.maximize else 1.0
    below = np.isfinite(arrays.row_upper)
    above = np.isfinite(arrays.row_lower)
    rows = csr_array(vstack([arrays.matrix[below, :], -arrays.matrix[above, :]]))
    answer = linprog(
        sign * arrays.cost,
        A_ub=rows if rows.shape[0] else None,
        b_ub=np.zeros(rows.shape[0]) if rows.shape[0] else None,
        A_eq=flat,
        b_eq=None if flat is None else np.zeros(flat.shape[0]),
        bounds=np.column_stack(
            [
                np.where(np.isfinite(arrays.lower), 0.0, -1.0),
                np.where(np.isfinite(arrays.upper), 0.0, 1.0),
            ]
        ),
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10},
    )
    scale = float(np.max(np.abs(arrays.cost), initial=0.0))
    if answer.status != 0 or answer.fun >= -1e-9 * scale:
        return None
    return np.where(np.abs(answer.x) < 1e-10, 0.0, answer.x)


def _beside(left: csr_array, right: csr_array) -> csr_array:
    return csr_array(vstack([csr_array(left).T, csr_array(right).T]).T)
