"""Asking a solver agent, and judging its answer by the kernel's own check."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.agents import Agents
from orkernel.records import Guarantee, Problem, SolverAgentSpec
from orkernel.solution import Solution, Status
from orkernel.testing.conformance.base import Subject, require
from orkernel.verify import Verification, verify

if TYPE_CHECKING:
    from orkernel.model import Model
    from orkernel.testing.conformance.solver_agents.problems.known import KnownProblem

SECONDS = 20.0
"""Time limit for a small problem; an idle machine needs a fraction of a second."""
QUESTION = Problem("a conformance test", name="conformance")


def spec(subject: Subject) -> SolverAgentSpec:
    """The record of the agent under test."""
    assert isinstance(subject.record, SolverAgentSpec)
    return subject.record


def promised(subject: Subject, known: KnownProblem) -> Guarantee:
    """The guarantee that the record gives for a problem that it takes."""
    promise = spec(subject).promise(known.needs)
    return Guarantee.HEURISTIC if promise is None else promise


def ask(subject: Subject, model: Model, agent: Any = None, **context: Any) -> Solution:
    """What the agent itself answers.

    Args:
        subject: The agent under test.
        model: The model.
        agent: An object of its target; the registry's by default.
        context: Fields of the run context; a time limit of `SECONDS` unless a deadline is given.
    """
    ctx = subject.context(**context)
    ctx = ctx if "deadline" in context else ctx.limited(SECONDS)
    found: object = (agent or subject.target).solve(QUESTION, model, ctx)
    require(isinstance(found, Solution), f"it returned {type(found).__name__}, not a Solution")
    assert isinstance(found, Solution)
    return found


@cache
def answer(subject: Subject, known: KnownProblem) -> tuple[Model, Solution]:
    """The model of a problem and what the agent answers; asked once for all tests."""
    model = known.model()
    return model, ask(subject, model)


def ask_kernel(subject: Subject, model: Model) -> Solution:
    """What the kernel gets, which puts several objectives to the agent one after the other."""
    ctx = subject.context().limited(SECONDS)
    agents = Agents(subject.registry, QUESTION, ctx)
    return agents.solve(subject.record.name, model, ctx)[0]


def require_verified(model: Model, solution: Solution) -> Verification:
    """Fail unless the answer has a point that the kernel finds feasible.

    Raises:
        AssertionError: It has none, or it does not hold.
    """
    require(
        solution.values is not None,
        f"it ended '{solution.status}' without a point: {solution.message}",
    )
    found = verify(model, solution)
    require(found.verified, "; ".join(found.problems) or f"'{solution.status}' is no answer")
    return found


def require_answer(
    subject: Subject, known: KnownProblem, model: Model, solution: Solution
) -> Verification:
    """Fail unless the answer is right, and as strong as the record promises.

    Raises:
        AssertionError: It is not.
    """
    found = require_verified(model, solution)
    require(
        solution.status in (Status.OPTIMAL, Status.FEASIBLE),
        f"it ended '{solution.status}' with a feasible point",
    )
    exact = promised(subject, known) is Guarantee.GLOBAL
    require(
        solution.status is Status.OPTIMAL or not exact,
        f"it ended '{solution.status}' ({solution.message}); its record promises a global "
        f"optimum, and the problem is small",
    )
    require_optimum(known, found, exact=solution.status is Status.OPTIMAL)
    return found


def require_optimum(known: KnownProblem, found: Verification, *, exact: bool) -> None:
    """Fail unless the recomputed objective is near enough to the known optimum.

    Raises:
        AssertionError: It is too far away, or better than can be.
    """
    if known.optimum is None or len(found.objectives) != 1:
        return
    (value,) = found.objectives.values()
    scale = max(1.0, abs(known.optimum))
    loss = (value - known.optimum) / scale
    if known.formulation.objectives[0].sense == "maximize":
        loss = -loss
    require(loss >= -known.tolerance, f"objective {value:.9g} is better than {known.optimum:.9g}")
    allowed = known.tolerance if exact else known.slack
    require(
        allowed is None or loss <= allowed,
        f"objective {value:.9g} is too far from the optimum {known.optimum:.9g}",
    )


def require_refusal_is_honest(solution: Solution) -> None:
    """Fail if the answer claims anything: a model that an agent cannot take has no answer.

    Raises:
        AssertionError: It claims something.
    """
    require(
        solution.status is Status.ERROR and solution.values is None,
        f"it ended '{solution.status}' on a model that its record does not take; it must raise "
        f"Unsupported",
    )


def named(model: Model, solution: Solution) -> dict[str, float]:
    """Values by label, rounded for comparison."""
    assert solution.values is not None
    values = np.round(np.asarray(solution.values, float), 5) + 0.0
    return {model.columns.label(j): float(v) for j, v in enumerate(values)}
