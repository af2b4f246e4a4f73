"""Is a point efficient? A second agent's answer for the points of a front."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.compose.levels import arrange
from orkernel.compose.search import extent
from orkernel.compose.stages import limited, solve_stage, weighted
from orkernel.compose.steps import step_of
from orkernel.errors import OrkernelError
from orkernel.fronts import losses
from orkernel.records import Guarantee
from orkernel.solution import ParetoPoint, Solution, Status

if TYPE_CHECKING:
    from orkernel.compose.stages import Solve
    from orkernel.context import RunContext
    from orkernel.model import Model

HELD = 1e-9
"""Relative slack with which the objectives of the point in question are held."""
BETTER = 1e-5
"""A point is dominated if the sum of its losses, ranges scaled to 1, improves by more."""


class Undecided(OrkernelError):
    """An agent could not say whether a point is efficient."""


@dataclass(frozen=True, slots=True, eq=False)
class Dominated:
    """A point of a front, and a point that is better in some objective and worse in none."""

    point: ParetoPoint
    better: ParetoPoint


def dominated_point(
    model: Model, front: Solution, solve: Solve, ctx: RunContext
) -> Dominated | None:
    """The first point of a front that an exact agent finds dominated; None if it finds none.

    Benson's test (J. Optim. Theory Appl. 26, 1978): a point is efficient exactly if no sum
    of losses is less among the points that are no worse in every objective.

    Args:
        model: The model with its several objectives.
        front: Its front; every point of it is a feasible point of the model.
        solve: Solves a single-objective model to global optimality.
        ctx: Its deadline ends the test.

    Raises:
        Undecided: A test had no proven result, its point is worse in some objective by what the
            agent tolerates, or time is up.
    """
    objectives = model.formulation.objectives
    tested = arrange(objectives).front
    chosen = [i for i, o in enumerate(objectives) if o in tested]
    maximize = [o.sense == "maximize" for o in objectives]
    found = losses([p.objectives for p in front.pareto], maximize)[:, chosen]
    ranges = extent(list(found), len(chosen))
    steps = [step_of(model, o) for o in tested]
    least = min(
        BETTER if s is None else min(BETTER, 0.5 * s / r)
        for s, r in zip(steps, ranges, strict=True)
    )
    total = weighted(tested, (1.0 / ranges).tolist())
    for point, before in zip(front.pareto, found, strict=True):
        if ctx.cancelled or ctx.remaining() == 0.0:
            raise Undecided("time is up")
        holds = [
            limited(o, value, HELD * max(1.0, abs(value)), "hold")
            for o, value in zip(objectives, point.objectives, strict=True)
        ]
        stage = solve_stage(model, total, holds, solve, ctx, point.values)
        optimal = stage.solution.status is Status.OPTIMAL
        if not optimal or stage.solution.guarantee is not Guarantee.GLOBAL or stage.point is None:
            raise Undecided(f"a test of efficiency ended {stage.solution.status}")
        values = model.evaluate(stage.point).objectives
        after = losses(values, maximize)[0, chosen]
        if np.sum((before - after) / ranges) > least:
            allowed = [
                2.0 * HELD * max(1.0, abs(loss)) if step is None else step / 2
                for step, loss in zip(steps, before.tolist(), strict=True)
            ]
            if np.any(after > before + allowed):
                raise Undecided("its tolerances exceed the differences between points")
            return Dominated(point, ParetoPoint(tuple(values[0].tolist()), stage.point))
    return None
