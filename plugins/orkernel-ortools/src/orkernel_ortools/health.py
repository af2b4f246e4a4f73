"""Health check for `orkernel doctor`."""

from __future__ import annotations

from orkernel.context import RunContext
from orkernel.errors import PluginError
from orkernel_ortools.building import Built, Goal
from orkernel_ortools.engine import identity, run
from orkernel_ortools.exact import Linear
from orkernel_ortools.program import Program


def check() -> str:
    """Solve max 3x + 5y s.t. x ≤ 4, 2y ≤ 12, 3x + 2y ≤ 18 in whole numbers, optimum 36.

    Returns:
        One line with the version.

    Raises:
        PluginError: CP-SAT gives another answer.
    """
    program = Program()
    x, y = program.integer(0, 4), program.integer(0, 6)
    program.between(Linear({x: 3, y: 2}), 0, 18)
    objective = Linear({x: 3, y: 5})
    program.model.minimize(-program.expression(objective, 1))
    built = Built(program, (x, y), Goal(objective, 1, maximize=True))
    ending = run(built, RunContext().limited(30), silent=True)
    version = identity().version
    if ending.status != "optimal" or ending.bound != -36:
        raise PluginError(
            f"CP-SAT {version} ended with {ending.status} on a model whose optimum is 36",
            fix="pip install --force-reinstall ortools",
        )
    return f"CP-SAT {version} solved a test model"
