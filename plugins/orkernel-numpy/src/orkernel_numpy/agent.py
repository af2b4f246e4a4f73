"""NumpyAgent: the method that fits a model, and an answer that says how strong it is."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import scipy

from orkernel.algebra.sampling import SCENARIOS
from orkernel.errors import Cancelled, Unsupported
from orkernel.fronts import compromise
from orkernel.records import Capability, Guarantee
from orkernel.solution import ParetoPoint, Solution, SolverIdentity, Status
from orkernel_numpy.domain import Domain
from orkernel_numpy.enumeration import Enumeration, enumerate_points
from orkernel_numpy.judging import Judge
from orkernel_numpy.searching import search
from orkernel_numpy.simulation import precision, simulated

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem

SAMPLE_COST = 1024
"""A point whose expectations are averaged over the sample counts as this many."""


class NumpyAgent:
    """Enumeration of small finite models, convex cuts and SciPy search for the rest."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        """Solve a model.

        Args:
            problem: What the user gave; not used.
            model: One objective, none, or, if it is small and finite, several.
            ctx: Seed, deadline, cancellation, options.

        Returns:
            `optimal`, `infeasible` and `pareto_front` only where the method proves them.

        Raises:
            Unsupported: Several objectives over a domain that is too large to enumerate.
            Cancelled: Interrupted before there was an incumbent.
            UsageError: An option has no sensible value.
        """
        del problem
        started = time.perf_counter()
        ctx.check_cancelled()
        wanted = precision(ctx)
        if ctx.remaining() == 0.0:
            return Solution(Status.TIME_LIMIT, identity(), message="no time left to start")
        domain = Domain.of(model)
        judge = Judge(model, ctx)
        solution = _solved(model, domain, judge, ctx)
        if solution.values is None and ctx.cancelled:
            raise Cancelled
        if Capability.RANDOM in model.needs:
            solution = simulated(model, _sampled(model, solution, ctx), wanted, ctx)
        return replace(
            solution,
            seconds=time.perf_counter() - started,
            statistics={"points": float(judge.count), **solution.statistics},
            assumptions=(*model.assumptions(), *solution.assumptions),
        )

    def promise(self, model: Model, ctx: RunContext) -> Guarantee:
        """What can be promised for a model: global if all its points can be tried.

        Args:
            model: The bound model.
            ctx: Its option `points` limits the enumeration.
        """
        if Capability.RANDOM in model.needs:
            return Guarantee.SAMPLED
        small = Domain.of(model).size <= _limit(model, ctx)
        return Guarantee.GLOBAL if small else Guarantee.HEURISTIC


def identity() -> SolverIdentity:
    """This agent with the SciPy in use."""
    return SolverIdentity("numpy", "scipy", scipy.__version__)


def _solved(model: Model, domain: Domain, judge: Judge, ctx: RunContext) -> Solution:
    column = domain.contradiction
    if column is not None:
        label = model.columns.label(column)
        return Solution(
            Status.INFEASIBLE, identity(), message=f"no value suits the bounds of {label}"
        )
    limit = _limit(model, ctx)
    size = domain.size
    if size <= limit:
        judge.exact = True
        return _enumerated(model, enumerate_points(model, domain, judge), judge)
    if len(judge.signs) > 1:
        raise Unsupported(
            "objectives",
            f"a front is enumerated, and the variables take {_count(size)} combinations; "
            f"at most {limit:,.0f} are tried (-o numpy.points=N)",
        )
    return search(model, domain, judge, ctx, identity())


def _limit(model: Model, ctx: RunContext) -> float:
    """Most points to enumerate."""
    limit = float(ctx.options.get("points", 20_000_000))
    return limit / SAMPLE_COST if Capability.RANDOM in model.needs else limit


def _count(size: float) -> str:
    return f"{size:.3g}" if np.isfinite(size) else "infinitely many"


def _enumerated(model: Model, found: Enumeration, judge: Judge) -> Solution:
    if len(judge.signs) > 1:
        return _front(model, found, judge)
    if judge.best is not None:
        exact = found.complete
        return Solution(
            Status.OPTIMAL if exact else Status.FEASIBLE,
            identity(),
            values=judge.best,
            objective=judge.objective,
            bound=judge.objective if exact else None,
            guarantee=Guarantee.GLOBAL if exact else Guarantee.HEURISTIC,
            message="every point was tried or ruled out"
            if exact
            else "the enumeration was stopped; this is the best point so far",
        )
    return _without_point(found)


def _without_point(found: Enumeration) -> Solution:
    if not found.complete:
        return Solution(
            Status.TIME_LIMIT,
            identity(),
            guarantee=Guarantee.HEURISTIC,
            message="the enumeration was stopped before it met a feasible point",
        )
    if found.feasible:
        return Solution(
            Status.ERROR, identity(), message="no feasible point gives the objectives a value"
        )
    return Solution(
        Status.INFEASIBLE, identity(), message="every point was tried; none meets all constraints"
    )


def _front(model: Model, found: Enumeration, judge: Judge) -> Solution:
    if found.points is None or found.losses is None:
        return _without_point(found)
    objectives = found.losses * judge.signs
    maximize = [o.sense == "maximize" for o in model.formulation.objectives]
    members = tuple(
        ParetoPoint(tuple(values.tolist()), point)
        for values, point in zip(objectives, found.points, strict=True)
    )
    return Solution(
        Status.PARETO_FRONT,
        identity(),
        values=found.points[compromise(objectives, maximize)],
        pareto=members,
        guarantee=Guarantee.GLOBAL if found.complete else Guarantee.HEURISTIC,
        message="every point was tried or ruled out"
        if found.complete
        else "the enumeration was stopped; further points may dominate these",
    )


def _sampled(model: Model, solution: Solution, ctx: RunContext) -> Solution:
    """An answer found on a sample proves nothing about all scenarios."""
    if solution.status is Status.INFEASIBLE:
        return _infeasible_for_certain(model, solution, ctx)
    if solution.values is None:
        return replace(solution, guarantee=Guarantee.SAMPLED)
    strength = "optimal" if solution.status is Status.OPTIMAL else "the best point found"
    note = f"{strength} over {SCENARIOS:,} Latin hypercube scenarios ({solution.message})"
    return replace(
        solution,
        status=Status.FEASIBLE,
        bound=None,
        guarantee=Guarantee.SAMPLED,
        assumptions=(*solution.assumptions, note),
    )


def _infeasible_for_certain(model: Model, solution: Solution, ctx: RunContext) -> Solution:
    """Infeasible if the rows without random parameters are; else only the sample says so."""
    classes = model.structure.constraint_class
    certain = np.ones(len(model.rows), np.bool_)
    for block in model.rows.blocks:
        known = classes[block.constraint] != "random"
        certain[block.offset : block.offset + block.size] = known
    rest = model.derive(objectives=(), keep_rows=certain)
    if _solved(rest, Domain.of(rest), Judge(rest, ctx), ctx).status is Status.INFEASIBLE:
        return solution
    return replace(
        solution,
        status=Status.ERROR,
        guarantee=Guarantee.SAMPLED,
        message=f"no point meets the constraints over the {SCENARIOS:,} scenarios of the sample, "
        "which does not prove that none does",
    )
