"""Hand-built lowered forms, for testing solver agents below the level of formulations."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from orkernel.algebra.forms import (
    Columns,
    LinearForm,
    LinearObjective,
    RowBlock,
    Rows,
    VariableBlock,
)


def build_form(
    matrix: Any,
    row_lower: Any,
    row_upper: Any,
    lower: Any,
    upper: Any,
    cost: Any = None,
    *,
    maximize: bool = False,
    integer: Any = None,
    offset: float = 0.0,
    quadratic: Any = None,
    start: Any = None,
) -> LinearForm:
    """A form with columns x0, x1, … and rows r0, r1, …; no objective without a cost.

    Args:
        matrix: Shape `(m, n)`.
        row_lower: Shape `(m,)`, −inf where open.
        row_upper: Shape `(m,)`, inf where open.
        lower: Shape `(n,)`.
        upper: Shape `(n,)`.
        cost: Shape `(n,)`.
        maximize: Objective sense.
        integer: Shape `(n,)`; all continuous by default.
        offset: Constant of the objective.
        quadratic: Symmetric Hessian `(n, n)`.
        start: Shape `(n,)`.
    """
    a = csr_array(np.asarray(matrix, dtype=float))
    m, n = a.shape
    columns = Columns(
        blocks=tuple(VariableBlock(f"x{j}", (), (), j, 1) for j in range(n)),
        lower=np.asarray(lower, dtype=float),
        upper=np.asarray(upper, dtype=float),
        integer=np.zeros(n, dtype=bool) if integer is None else np.asarray(integer, dtype=bool),
        start=np.full(n, np.nan) if start is None else np.asarray(start, dtype=float),
    )
    objective = None
    if cost is not None:
        hessian = None if quadratic is None else csr_array(np.asarray(quadratic, dtype=float))
        objective = LinearObjective(
            "goal", maximize, np.asarray(cost, dtype=float), offset, hessian
        )
    return LinearForm(
        matrix=a,
        row_lower=np.asarray(row_lower, dtype=float),
        row_upper=np.asarray(row_upper, dtype=float),
        columns=columns,
        rows=Rows(tuple(RowBlock(f"r{i}", 0, i, 1) for i in range(m)), m),
        objectives=() if objective is None else (objective,),
    )


def wyndor_form() -> LinearForm:
    """Hillier and Lieberman's Wyndor Glass: optimum 36 at (2, 6), duals 0, 1.5, 1."""
    inf = np.inf
    return build_form(
        [[1, 0], [0, 2], [3, 2]], [-inf] * 3, [4, 12, 18], [0, 0], [inf, inf], [3, 5], maximize=True
    )


def market_split_form(rows: int = 6, columns: int = 50) -> LinearForm:
    """A market split problem (Cornuéjols and Dawande 1998): small, and out of reach in seconds.

    The slacks make every binary point feasible, so that there is an incumbent at once.
    """
    rng = np.random.default_rng(7)
    weights = rng.integers(0, 100, (rows, columns))
    half = weights.sum(axis=1) // 2
    matrix = np.hstack([weights, np.eye(rows), -np.eye(rows)])
    size = columns + 2 * rows
    return build_form(
        matrix,
        half,
        half,
        np.zeros(size),
        np.concatenate([np.ones(columns), np.full(2 * rows, np.inf)]),
        np.concatenate([np.zeros(columns), np.ones(2 * rows)]),
        integer=np.arange(size) < columns,
    )
