"""Routing for tours: a good point for CP-SAT to start from, or the answer itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Cancelled, Unsupported
from orkernel.records import Capability, Event, Guarantee
from orkernel.solution import Solution, SolverIdentity, Status
from orkernel_ortools.engine import identity

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel_ortools.routing import Tour

TOURS = frozenset({Capability.CIRCUIT, Capability.MULTI_CIRCUIT})
SHARE, LONGEST = 0.2, 10.0
"""Share of the time, and seconds, that routing gets before CP-SAT goes on."""
ROUTING_SHARE, ROUTING_LONGEST = 0.8, 60.0
"""The same where routing is to answer and CP-SAT adds a bound."""
BOUNDING = 10.0
"""Seconds that CP-SAT gets for that bound where there is no deadline."""


def recognised(model: Model, ctx: RunContext) -> Tour | None:
    """The tours of a model, unless the option `method` excludes routing."""
    if ctx.options.get("method", "auto") == "cp-sat" or not model.needs & TOURS:
        return None
    from orkernel_ortools.routing import recognise

    return recognise(model)


def starting_point(tour: Tour | None, ctx: RunContext) -> Floats | None:
    """A good point of a recognised model after a small share of the time."""
    return None if tour is None else _routed(tour, ctx, SHARE, LONGEST)


def _routed(tour: Tour, ctx: RunContext, share: float, longest: float) -> Floats | None:
    from orkernel_ortools.routing import improve

    remaining = ctx.remaining()
    seconds = longest if remaining is None else min(longest, share * remaining)
    point = improve(tour, ctx, seconds)
    if point is not None and tour.model.formulation.objectives:
        objective = _objective(tour.model, point)
        data = {"objective": objective, "bound": None, "gap": None}
        message = f"objective {objective:.9g} (routing)"
        ctx.emit(Event("solver.incumbent", "solve", message, data))
    return point


def _objective(model: Model, point: Floats) -> float:
    return float(model.evaluate(point).objectives[0, 0])


def not_worse(model: Model, solution: Solution, point: Floats | None) -> Solution:
    """The solution, or the given point where CP-SAT ended with nothing or something worse."""
    if point is None or solution.status not in (Status.FEASIBLE, Status.TIME_LIMIT):
        return solution
    objective = _objective(model, point) if model.formulation.objectives else None
    if objective is not None and solution.objective is not None:
        sign = -1.0 if model.formulation.objectives[0].sense == "maximize" else 1.0
        if sign * objective >= sign * solution.objective:
            return solution
    return replace(solution, status=Status.FEASIBLE, values=point, objective=objective)


def routed_answer(
    model: Model, ctx: RunContext, exact: Callable[[RunContext, Floats | None], Solution]
) -> Solution:
    """Routing's point, with CP-SAT's bound where one can be had in the remaining time.

    Raises:
        Unsupported: The model is no tour that the routing library takes.
        Cancelled: Interrupted before there was a point.
    """
    tour = recognised(model, ctx)
    if tour is None:
        raise Unsupported(
            "model", "it is no tour or vehicle routing that routing can express; use method=auto"
        )
    point = _routed(tour, ctx, ROUTING_SHARE, ROUTING_LONGEST)
    if point is None:
        ctx.check_cancelled()
        message = "routing found no point in time, which does not prove that there is none"
        return Solution(Status.TIME_LIMIT, _routing(), message=message)
    objective = _objective(model, point) if model.formulation.objectives else None
    answer = Solution(
        Status.FEASIBLE,
        _routing(),
        values=point,
        objective=objective,
        guarantee=Guarantee.HEURISTIC,
        message="local search over routes",
    )
    if objective is None or ctx.cancelled or ctx.remaining() == 0.0:
        return answer
    limited = ctx if ctx.remaining() is not None else ctx.limited(BOUNDING)
    try:
        bound = exact(limited, np.asarray(point)).bound
    except (Unsupported, Cancelled):
        bound = None
    return replace(answer, bound=bound)


def _routing() -> SolverIdentity:
    return replace(identity(), name="OR-Tools routing")
