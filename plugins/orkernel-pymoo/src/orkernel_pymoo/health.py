"""Health check for `orkernel doctor`."""

from __future__ import annotations

import pymoo

from orkernel.context import RunContext
from orkernel.errors import PluginError
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Problem
from orkernel.solution import Status
from orkernel_pymoo.agent import PymooAgent

SCHAFFER = {
    "variables": [{"name": "x", "lower": -10, "upper": 10}],
    "objectives": [
        {"name": "f1", "sense": "minimize", "expression": "x**2"},
        {"name": "f2", "sense": "minimize", "expression": "(x - 2)**2"},
    ],
}
"""Schaffer's problem; its efficient points are 0 ≤ x ≤ 2."""


def check() -> str:
    """Find the front of Schaffer's two-objective problem.

    Returns:
        One line with the version.

    Raises:
        PluginError: The front is wrong.
    """
    model = Model.bind(Formulation.model_validate(SCHAFFER))
    ctx = RunContext(options={"generations": 30, "population": 20})
    solution = PymooAgent().solve(Problem(""), model, ctx.limited(30))
    inside = all(-0.05 <= p.values[0] <= 2.05 for p in solution.pareto)
    if solution.status is not Status.PARETO_FRONT or len(solution.pareto) < 10 or not inside:
        raise PluginError(
            f"pymoo {pymoo.__version__} misses the front of a test problem",
            fix="pip install --force-reinstall pymoo",
        )
    return f"pymoo {pymoo.__version__} found the front of a test problem"
