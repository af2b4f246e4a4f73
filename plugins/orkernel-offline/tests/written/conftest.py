"""Solve a formulation with nothing but the kernel's arrays and SciPy."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp, minimize

from orkernel.errors import Unsupported
from orkernel.formulation.schema import Formulation
from orkernel.model import Model

Optimum = Callable[..., float]


@pytest.fixture(scope="session")
def optimum() -> Optimum:
    """Optimal value of a formulation's only objective."""
    return _optimum


def _optimum(formulation: dict[str, Any], data: Path | None = None) -> float:
    model = Model.bind(Formulation.model_validate(formulation), data)
    try:
        form = model.linear()
    except Unsupported:
        return _nonlinear(model)
    (objective,) = form.objectives
    sign = -1.0 if objective.maximize else 1.0
    columns = form.columns
    rows = [LinearConstraint(form.matrix, form.row_lower, form.row_upper)] if form.rows.size else []
    answer = milp(
        sign * objective.cost,
        constraints=rows,
        bounds=Bounds(columns.lower, columns.upper),
        integrality=columns.integer,
    )
    assert answer.x is not None, answer.message
    return float(sign * answer.fun + objective.offset)


def _nonlinear(model: Model) -> float:
    """Best of several local searches; for small smooth problems."""
    columns, allowed = model.columns, model.intervals
    sign = -1.0 if model.formulation.objectives[0].sense == "maximize" else 1.0
    low = np.where(np.isfinite(columns.lower), columns.lower, -10.0)
    high = np.where(np.isfinite(columns.upper), columns.upper, 10.0)

    def goal(x: Any) -> float:
        return sign * float(model.evaluate(x).objectives[0, 0])

    def slack(x: Any) -> Any:
        bodies = model.evaluate(x).bodies[0]
        above = np.where(np.isfinite(allowed.upper), allowed.upper - bodies, 1.0)
        below = np.where(np.isfinite(allowed.lower), bodies - allowed.lower, 1.0)
        return np.concatenate([above, below])

    found = []
    for seed in range(8):
        start = low + (high - low) * np.random.default_rng(seed).uniform(0.1, 0.9, low.size)
        answer = minimize(
            goal,
            start,
            method="SLSQP",
            bounds=Bounds(columns.lower, columns.upper),
            constraints=[{"type": "ineq", "fun": slack}],
            options={"maxiter": 500, "ftol": 1e-12},
        )
        if answer.success:
            found.append(answer.fun)
    assert found, "no local search converged"
    return float(sign * min(found))
