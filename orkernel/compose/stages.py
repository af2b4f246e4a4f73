"""One single-objective solve of a composition: holding objectives, solving, checking."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orkernel.formulation.schema import ConstraintDefinition, ObjectiveDefinition
from orkernel.solution import Solution, Status
from orkernel.verify import Verification, verify

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel.model import Model

    Solve = Callable[[Model, RunContext], Solution]

LEXICOGRAPHIC_SLACK = (0.0, 1e-9, 1e-6)
"""Relative slack with which an earlier objective is held, tried in this order."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One single-objective solve.

    Attributes:
        solution: What the agent answered.
        check: The kernel's check of it against the model that was solved.
    """

    solution: Solution
    check: Verification

    @property
    def point(self) -> Floats | None:
        """The checked point, or None if there is none or it does not hold."""
        has_point = self.solution.status in (Status.OPTIMAL, Status.FEASIBLE)
        return self.check.values if has_point and self.check.verified else None


def solve_stage(
    model: Model,
    objective: ObjectiveDefinition,
    constraints: Sequence[ConstraintDefinition],
    solve: Solve,
    ctx: RunContext,
    start: Floats | None = None,
) -> Stage:
    """Optimise one objective under additional constraints, and check the answer."""
    single = objective.model_copy(update={"priority": 1, "weight": None})
    everything = (*model.formulation.constraints, *constraints) if constraints else None
    derived = model.derive(objectives=(single,), constraints=everything, start=start)
    solution = solve(derived, ctx)
    return Stage(solution, verify(derived, solution))


def solve_held(
    model: Model,
    objective: ObjectiveDefinition,
    held: Iterable[tuple[ObjectiveDefinition, float]],
    constraints: Sequence[ConstraintDefinition],
    solve: Solve,
    ctx: RunContext,
    start: Floats | None = None,
) -> Stage:
    """Optimise one objective while others keep their values.

    They are held exactly, or within `LEXICOGRAPHIC_SLACK` where that is numerically infeasible.
    """
    held = tuple(held)
    for slack in LEXICOGRAPHIC_SLACK:
        holds = tuple(limited(o, value, slack * max(1.0, abs(value)), "hold") for o, value in held)
        stage = solve_stage(model, objective, (*constraints, *holds), solve, ctx, start)
        if not held or stage.solution.status is not Status.INFEASIBLE:
            break
    return stage


def limited(
    objective: ObjectiveDefinition, value: float, margin: float, word: str
) -> ConstraintDefinition:
    """The constraint that an objective is no worse than `value`, give or take a margin."""
    operator, limit = (
        ("<=", value + margin) if objective.sense == "minimize" else (">=", value - margin)
    )
    return ConstraintDefinition(
        name=f"{word} {objective.name}"[:500],
        expression=f"({objective.expression}) {operator} {limit!r}",
    )


def weighted(
    objectives: Sequence[ObjectiveDefinition], weights: Sequence[float]
) -> ObjectiveDefinition:
    """Σ weight · value in the sense of the first; those of the other sense are negated."""
    if len(objectives) == 1:
        return objectives[0]
    sense = objectives[0].sense
    terms = [
        f"{'' if o.sense == sense else '-'}({w!r}) * ({o.expression})"
        for o, w in zip(objectives, weights, strict=True)
    ]
    name = " + ".join(f"{w:g}·{o.name}" for o, w in zip(objectives, weights, strict=True))
    return ObjectiveDefinition(
        name=name[:500],
        sense=sense,
        expression=" + ".join(terms),
        priority=objectives[0].priority,
    )
