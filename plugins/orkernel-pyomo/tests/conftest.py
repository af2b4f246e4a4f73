"""Hand-built forms for the tests of the Pyomo agent."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from orkernel.algebra.forms import (
    Columns,
    LinearForm,
    LinearObjective,
    RowBlock,
    Rows,
    VariableBlock,
)

FormBuilder = Callable[..., LinearForm]


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
    """A form with columns x0, x1, … and rows r0, r1, …; no objective without a cost."""
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


@pytest.fixture
def form() -> FormBuilder:
    return build_form


@pytest.fixture
def wyndor() -> LinearForm:
    """Hillier and Lieberman's Wyndor Glass: optimum 36 at (2, 6), duals 0, 1.5, 1."""
    inf = np.inf
    return build_form(
        [[1, 0], [0, 2], [3, 2]], [-inf] * 3, [4, 12, 18], [0, 0], [inf, inf], [3, 5], maximize=True
    )


@pytest.fixture
def market_split() -> LinearForm:
    """A market split problem (Cornuéjols and Dawande 1998): small, and out of reach in seconds.

    The slacks make every binary point feasible, so that there is an incumbent at once.
    """
    rng = np.random.default_rng(7)
    m, n = 6, 50
    a = rng.integers(0, 100, (m, n))
    half = a.sum(axis=1) // 2
    matrix = np.hstack([a, np.eye(m), -np.eye(m)])
    size = n + 2 * m
    return build_form(
        matrix,
        half,
        half,
        np.zeros(size),
        np.concatenate([np.ones(n), np.full(2 * m, np.inf)]),
        np.concatenate([np.zeros(n), np.ones(2 * m)]),
        integer=np.arange(size) < n,
    )
