"""Pareto fronts: by enumeration where all is whole, else two objectives by ε-constraints.

The ε-constraint method (Haimes, Lasdon and Wismer 1971): optimise one objective while the
other has to reach a level, for levels spread over its range, each followed by a solve that
pushes the other one as far as it goes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Cancelled, Unsupported
from orkernel.formulation.schema import ConstraintDefinition, ObjectiveDefinition
from orkernel.fronts import compromise, nondominated
from orkernel.records import Capability, Guarantee
from orkernel.solution import ParetoPoint, Solution, Status
from orkernel.testing.reference_agent.branching import branch_and_bound
from orkernel.testing.reference_agent.enumeration import MOST_POINTS, scan, size
from orkernel.testing.reference_agent.found import IDENTITY, out_of_time
from orkernel.testing.reference_agent.local import Local
from orkernel.testing.reference_agent.record import LINEARIZABLE

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel.model import Model

POINTS = 12
"""Points of a front when the user does not say."""
HELD = 1e-9
"""Relative slack with which a level is held."""


def front(model: Model, ctx: RunContext) -> Solution:
    """The front of a model with several objectives.

    Raises:
        Unsupported: More than two objectives, and not all whole.
        Cancelled: Interrupted before there was a point.
    """
    if model.columns.integer.all() and size(model) <= MOST_POINTS:
        found = scan(model, ctx)
        points, complete = found.points, found.complete
        exact = Capability.RANDOM not in model.needs
    else:
        points, complete = _levels(model, ctx)
        exact = model.needs <= LINEARIZABLE | {Capability.MULTI_OBJECTIVE}
    guarantee = Guarantee.GLOBAL if exact else Guarantee.SAMPLED
    if not len(points):
        return _pointless(complete, guarantee, ctx)
    senses = [o.sense == "maximize" for o in model.formulation.objectives]
    objectives = model.evaluate(points).objectives
    kept = nondominated(objectives, senses, tolerance=1e-9)
    points, objectives = points[kept], objectives[kept]
    return Solution(
        Status.PARETO_FRONT,
        IDENTITY,
        values=points[compromise(objectives, senses)],
        pareto=tuple(
            ParetoPoint(tuple(o.tolist()), p) for o, p in zip(objectives, points, strict=True)
        ),
        guarantee=guarantee if complete else Guarantee.HEURISTIC,
    )


def _pointless(complete: bool, guarantee: Guarantee, ctx: RunContext) -> Solution:
    if ctx.cancelled:
        raise Cancelled
    if not complete:
        return Solution(Status.TIME_LIMIT, IDENTITY)
    return Solution(Status.INFEASIBLE, IDENTITY, guarantee=guarantee)


def _levels(model: Model, ctx: RunContext) -> tuple[Floats, bool]:
    """Points for levels of the second objective, and whether all were reached."""
    objectives = model.formulation.objectives
    if len(objectives) != 2:
        raise Unsupported("the objectives", "fronts of more than two need whole variables")
    main, other = objectives
    found: list[Floats] = []

    def reach(first: ObjectiveDefinition, second: ObjectiveDefinition) -> Floats | None:
        """The best point for one objective, and among those the best for the other."""
        point = _optimum(model, first, (), ctx)
        if point is None:
            return None
        level = float(model.derive(objectives=(first,)).evaluate(point).objectives[0, 0])
        better = _optimum(model, second, (_held(first, level),), ctx)
        return point if better is None else better

    for pair in ((main, other), (other, main)):
        if (end := reach(*pair)) is not None:
            found.append(end)
    if len(found) == 2:
        worst, best = (float(model.evaluate(p).objectives[0, 1]) for p in found)
        for level in np.linspace(worst, best, ctx.front_points or POINTS)[1:-1]:
            if out_of_time(ctx):
                break
            point = _optimum(model, main, (_held(other, float(level)),), ctx)
            if point is not None:
                found.append(point)
    return np.array(found).reshape(len(found), len(model.columns)), not out_of_time(ctx)


def _held(objective: ObjectiveDefinition, level: float) -> ConstraintDefinition:
    slack = HELD * max(1.0, abs(level))
    operator, limit = (
        (">=", level - slack) if objective.sense == "maximize" else ("<=", level + slack)
    )
    return ConstraintDefinition(
        name=f"level of {objective.name}",
        expression=f"({objective.expression}) {operator} {limit!r}",
    )


def _optimum(
    model: Model,
    objective: ObjectiveDefinition,
    held: tuple[ConstraintDefinition, ...],
    ctx: RunContext,
) -> Floats | None:
    """The best point found for one objective; None without any."""
    if out_of_time(ctx):
        return None
    part = model.derive(
        objectives=(objective,), constraints=(*model.formulation.constraints, *held)
    )
    if part.needs <= LINEARIZABLE:
        plain = not part.needs & {Capability.LOGICAL, Capability.PIECEWISE}
        search = branch_and_bound(part.linear() if plain else part.linearized(), ctx)
        values = search.incumbent.values
        return None if values is None else values[: len(model.columns)]
    sign = -1.0 if objective.sense == "maximize" else 1.0
    return Local(part, sign, ctx).run().incumbent.values
