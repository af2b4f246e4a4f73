"""Pareto fronts of agents that take several objectives themselves."""

from __future__ import annotations

import numpy as np

from orkernel.fronts import losses, nondominated
from orkernel.model import Model
from orkernel.records import Guarantee
from orkernel.solution import Solution, Status
from orkernel.testing.conformance.base import Subject, conformance_test, require
from orkernel.testing.conformance.solver_agents.asking import ask, promised, require_verified
from orkernel.testing.conformance.solver_agents.problems.known import KnownProblem
from orkernel.testing.conformance.solver_agents.problems.several import FRONTS

WANTED = 40
"""Points asked for; the discrete front has fewer."""
NEAR = 0.25
"""How far a heuristic front may stay from the true one, relative to its range."""


def _front(subject: Subject, model: Model) -> Solution:
    solution = ask(subject, model, front_points=WANTED)
    require(
        solution.status is Status.PARETO_FRONT,
        f"it ended '{solution.status}' ({solution.message}); a Pareto front was asked for",
    )
    return solution


def _senses(model: Model) -> list[bool]:
    return [objective.sense == "maximize" for objective in model.formulation.objectives]


@conformance_test(added_in="0.1", cases=FRONTS)
def test_front_points_hold(subject: Subject, case: KnownProblem) -> None:
    """Every point of a front is feasible and has the objectives that it states."""
    model = case.model()
    solution = _front(subject, model)
    require_verified(model, solution)
    values = np.asarray(solution.values)
    require(
        any(np.array_equal(values, np.asarray(p.values)) for p in solution.pareto),
        "its values are none of the points of its front",
    )


@conformance_test(added_in="0.1", cases=FRONTS)
def test_front_has_no_dominated_point(subject: Subject, case: KnownProblem) -> None:
    """No point of a front is dominated by another one of it."""
    model = case.model()
    points = [p.objectives for p in _front(subject, model).pareto]
    kept = nondominated(points, _senses(model), tolerance=1e-9)
    dominated = [points[i] for i in np.flatnonzero(~kept)]
    require(not dominated, f"dominated or repeated points in the front: {dominated}")


@conformance_test(added_in="0.1", cases=FRONTS)
def test_front_is_complete(subject: Subject, case: KnownProblem) -> None:
    """An exact front misses no efficient point, a heuristic one comes near to each."""
    model = case.model()
    senses = _senses(model)
    found = losses([p.objectives for p in _front(subject, model).pareto], senses)
    truth = losses(case.front, senses)
    exact = promised(subject, case) is Guarantee.GLOBAL
    allowed = (1e-4 if exact else NEAR) * np.maximum(1.0, np.ptp(truth, axis=0))
    for wanted, point in zip(case.front, truth, strict=True):
        covered = np.any(np.all(found <= point + allowed, axis=1))
        require(covered, f"no point of the front comes near the efficient {wanted}")
