"""Models from a few expressions, and what enumeration by the kernel's evaluator says of them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

from orkernel.context import RunContext
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Problem
from orkernel.solution import Solution, Status
from orkernel.verify import check_point
from orkernel_ortools.agent import OrtoolsAgent

CTX = RunContext(options={"workers": 1})


def _model_of(
    variables: list[dict[str, Any]],
    constraints: list[str],
    objective: str = "",
    sense: str = "minimize",
    **parts: Any,
) -> Model:
    document = {
        "schema_version": 1,
        "variables": [{"domain": "integer", **v} for v in variables],
        "constraints": [
            {"name": f"c{k}", "expression": text} for k, text in enumerate(constraints)
        ],
        "objectives": [{"name": "goal", "sense": sense, "expression": objective}]
        if objective
        else [],
        **parts,
    }
    return Model.bind(Formulation.model_validate(document))


def _solve(model: Model, ctx: RunContext = CTX) -> Solution:
    return OrtoolsAgent().solve(Problem(""), model, ctx)


def _enumerated(model: Model) -> float | None:
    """The optimum by trying every point (0 without an objective), None if there is no point."""
    columns = model.columns
    axes = [
        range(int(low), int(high) + 1)
        for low, high in zip(columns.lower, columns.upper, strict=True)
    ]
    points = np.array(list(product(*axes)), float).reshape(-1, len(columns))
    values = model.evaluate(points)
    feasible = np.all(values.violations <= 1e-6 * values.scales, axis=1)
    if model.formulation.objectives:
        feasible &= np.isfinite(values.objectives[:, 0])
    if not feasible.any():
        return None
    if not model.formulation.objectives:
        return 0.0
    found = values.objectives[feasible, 0]
    maximize = model.formulation.objectives[0].sense == "maximize"
    return float(found.max() if maximize else found.min())


def _agrees(model: Model) -> None:
    best = _enumerated(model)
    solution = _solve(model)
    if best is None:
        assert solution.status is Status.INFEASIBLE
        return
    assert solution.status is Status.OPTIMAL
    assert not check_point(model, solution.values).problems
    if model.formulation.objectives:
        assert solution.objective == pytest.approx(best, abs=1e-6)
        assert solution.bound == pytest.approx(best, abs=1e-6)


@pytest.fixture(scope="session")
def model_of() -> Callable[..., Model]:
    """Makes a model from variables, constraints and an objective."""
    return _model_of


@pytest.fixture(scope="session")
def solve() -> Callable[..., Solution]:
    """Asks the agent."""
    return _solve


@pytest.fixture(scope="session")
def agrees() -> Callable[[Model], None]:
    """Compares the agent's answer with the best of all points."""
    return _agrees
