"""Health check for `orkernel doctor`."""

from __future__ import annotations

import numpy as np
from scipy.sparse import csr_array

from orkernel.context import RunContext
from orkernel.errors import PluginError
from orkernel_highs.engine import Engine, ModelStatus
from orkernel_highs.program import Program


def check() -> str:
    """Solve max 3x + 5y s.t. x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18, whose optimum is 36.

    Returns:
        One line with the version.

    Raises:
        PluginError: HiGHS gives another answer.
    """
    program = Program(
        matrix=csr_array(np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 2.0]])),
        row_lower=np.full(3, -np.inf),
        row_upper=np.array([4.0, 12.0, 18.0]),
        lower=np.zeros(2),
        upper=np.full(2, np.inf),
        integer=np.zeros(2, dtype=bool),
        start=np.full(2, np.nan),
        cost=np.array([3.0, 5.0]),
        maximize=True,
    )
    engine = Engine(program, RunContext().limited(30), silent=True)
    status = engine.run()
    version = engine.highs.version()
    if status != ModelStatus.kOptimal or abs(program.objective(engine.values()) - 36.0) > 1e-6:
        raise PluginError(
            f"HiGHS {version} ended with {status.name} on a model whose optimum is 36",
            fix="pip install --force-reinstall highspy",
        )
    return f"HiGHS {version} solved a test model"
