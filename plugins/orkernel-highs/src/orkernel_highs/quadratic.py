"""Convex quadratic objectives: run HiGHS until its answer is proven.

HiGHS adds a multiple of the identity to the Hessian. Measured on random semidefinite
problems, its default of 1e-7 leaves one "optimal" answer in five without valid duals and
sometimes hides unboundedness; no regularisation makes some runs fail; and without rows it may call
a bounded problem unbounded. So a few settings are tried in turn, and the first answer
whose duals prove it optimal is taken.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from orkernel.certificates import proves_optimal
from orkernel_highs.engine import Engine, ModelStatus
from orkernel_highs.sensitivity import marginal_values

if TYPE_CHECKING:
    from orkernel.algebra.forms import LinearForm
    from orkernel.context import RunContext
    from orkernel_highs.program import Program

ATTEMPTS = (
    (1e-9, np.inf),
    (1e-9, 1e4),
    (0.0, np.inf),
    (1e-11, np.inf),
    (1e-11, 1e4),
    (1e-11, 1e6),
    (1e-9, 1e8),
    (1e-7, 1e6),
)
"""Regularisation, and a box |x| ≤ B put around the columns. A box changes nothing if the
duals of the answer prove it optimal for the program without the box."""
ITERATIONS_PER_SIZE = 100
"""Iterations allowed per row and column in one attempt: the active-set method can cycle."""
PRIMAL_TOLERANCE = 1e-6
_DECIDED = frozenset({ModelStatus.kInfeasible, ModelStatus.kTimeLimit, ModelStatus.kInterrupt})


def run_quadratic(
    form: LinearForm, program: Program, ctx: RunContext
) -> tuple[Engine, ModelStatus, bool]:
    """Solve a program with a convex quadratic objective.

    Args:
        form: Where the program comes from.
        program: Continuous, with a Hessian.
        ctx: Deadline and cancellation hold for all attempts together.

    Returns:
        The engine that holds the answer, HiGHS' status, and whether optimality is proven.
        Without a proof it is the first attempt that ended as optimal, else the first.
    """
    tried: list[tuple[Engine, ModelStatus]] = []
    limit = 1_000 + ITERATIONS_PER_SIZE * sum(program.matrix.shape)
    for number, (regularisation, box) in enumerate(ATTEMPTS):
        boxed = replace(
            program,
            lower=np.maximum(program.lower, -box),
            upper=np.minimum(program.upper, box),
        )
        engine = Engine(
            boxed,
            ctx,
            silent=number > 0,
            qp_regularization_value=regularisation,
            qp_iteration_limit=limit,
        )
        status = engine.run()
        if status == ModelStatus.kOptimal and _proven(form, engine):
            return engine, status, True
        if status in _DECIDED:
            return (engine, status, False) if not tried else (*tried[0], False)
        tried.append((engine, status))
    finished = [(e, s) for e, s in tried if s == ModelStatus.kOptimal]
    engine, status = (finished or tried)[0]
    return engine, status, False


def _proven(form: LinearForm, engine: Engine) -> bool:
    x = engine.values()
    if engine.program.row_violation(x) > PRIMAL_TOLERANCE:
        return False
    duals = marginal_values(engine, ranges="off")
    return duals is not None and proves_optimal(form, x, duals.rows, convex=True)
