"""Several objectives in levels: priorities in order, weights within a level, a front at the end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

from orkernel.compose.epsilon import exact_front
from orkernel.compose.stages import LEXICOGRAPHIC_SLACK, Stage, limited, solve_held, weighted
from orkernel.errors import Unsupported
from orkernel.records import Guarantee
from orkernel.solution import ParetoPoint, Solution, Status
from orkernel.verify import Verification, verify

if TYPE_CHECKING:
    from orkernel.compose.stages import Solve
    from orkernel.context import RunContext
    from orkernel.formulation.schema import ObjectiveDefinition
    from orkernel.model import Model

__all__ = ["LEXICOGRAPHIC_SLACK", "Levels", "arrange", "solve_composed"]


@dataclass(frozen=True, slots=True)
class Levels:
    """The objectives of a model in the order in which they count.

    Attributes:
        groups: One group of objectives per priority, the most important first.
        is_front: True if the last group has no weights, so that a Pareto front is asked for.
    """

    groups: tuple[tuple[ObjectiveDefinition, ...], ...]
    is_front: bool

    @property
    def settled(self) -> tuple[tuple[ObjectiveDefinition, ...], ...]:
        """The groups that are one objective each."""
        return self.groups[:-1] if self.is_front else self.groups

    @property
    def front(self) -> tuple[ObjectiveDefinition, ...]:
        """The objectives of the front; empty if none is asked for."""
        return self.groups[-1] if self.is_front else ()


def arrange(objectives: Sequence[ObjectiveDefinition]) -> Levels:
    """The levels of a model's objectives.

    Raises:
        Unsupported: A level without weights is followed by another, or only some objectives
            of a level have weights: neither says what is to be optimised.
    """
    ordered = sorted(objectives, key=lambda o: o.priority)
    groups = tuple(tuple(group) for _, group in groupby(ordered, key=lambda o: o.priority))
    for number, group in enumerate(groups, start=1):
        missing = [o for o in group if o.weight is None]
        if len(group) == 1 or not missing:
            continue
        if len(missing) < len(group):
            given = next(o for o in group if o.weight is not None)
            raise Unsupported(
                f"objective '{missing[0].name}'",
                f"it has no weight, while '{given.name}' of the same priority has one: give "
                "every objective of a priority a weight, or none of them",
            )
        if number < len(groups):
            raise Unsupported(
                f"objective '{group[0].name}'",
                f"it shares priority {group[0].priority} with {len(group) - 1} other "
                "objective(s) without weights, and less important objectives follow: a Pareto "
                "front can only be asked for at the last priority",
            )
    last = groups[-1] if groups else ()
    return Levels(groups, len(last) > 1 and last[0].weight is None)


def solve_composed(
    model: Model,
    solve: Solve,
    ctx: RunContext,
    *,
    native_front: bool = False,
    free: str | None = None,
) -> tuple[Solution, list[Verification]]:
    """Solve a model with several objectives by single-objective solves.

    Objectives of different priority are lexicographic (1 first): each later stage holds
    the earlier values within `LEXICOGRAPHIC_SLACK`. Objectives of equal priority are
    combined by their weights, Σ weight · value in the sense of the first. Where the last level
    has no weights, its Pareto front is computed.

    Args:
        model: The model; with at most one objective it is solved as it is.
        solve: Solves a single-objective model, and a front if `native_front`.
        ctx: Run context.
        native_front: Whether the agent computes fronts itself.
        free: Name of the objective of the front that the agent cannot take as a constraint.

    Returns:
        The final solution, and the check of every solve it rests on; none if the model was
        solved as it is. With several objectives `objective` and `bound` are None, since they
        belong to no single one.

    Raises:
        Unsupported: The levels do not say what is to be optimised (see `arrange`).
        Cancelled: Interrupted before there was a point.
    """
    if len(model.formulation.objectives) <= 1:
        return solve(model, ctx), []
    levels = arrange(model.formulation.objectives)
    stages: list[Stage] = []
    held: list[tuple[ObjectiveDefinition, float]] = []
    current = model
    for group in levels.settled:
        objective = weighted(group, [o.weight or 0.0 for o in group])
        stage = solve_held(current, objective, held, (), solve, ctx)
        stages.append(stage)
        if stage.point is None:
            return _combined(stages, levels), [s.check for s in stages]
        held.append((objective, _value(stage)))
        current = model.derive(start=stage.point)
    if not levels.is_front:
        return _combined(stages, levels), [s.check for s in stages]
    return _front_below(current, levels, held, stages, solve, ctx, native_front, free)


def _value(stage: Stage) -> float:
    return next(iter(stage.check.objectives.values()))


def _combined(stages: Sequence[Stage], levels: Levels) -> Solution:
    """The last stage's solution, in the names of a model with several objectives."""
    last = stages[-1].solution
    bare = replace(last, objective=None, bound=None, duals=None, certificate=None)
    total = len(levels.groups)
    if len(stages) == total == 1:
        return bare
    found = [s for s in stages if s.point is not None]
    if last.values is None and found and last.status in (Status.TIME_LIMIT, Status.INFEASIBLE):
        bare = replace(bare, values=found[-1].solution.values, status=Status.FEASIBLE)
    status = bare.status
    if status is Status.OPTIMAL and any(s.solution.status is not Status.OPTIMAL for s in stages):
        status = Status.FEASIBLE
    return replace(
        bare,
        status=status,
        guarantee=_weakest(s.solution for s in stages),
        seconds=sum(s.solution.seconds for s in stages),
        assumptions=(
            *last.assumptions,
            f"objectives were optimised in order of priority, {len(stages)} of {total} levels, "
            "earlier ones held",
        ),
    )


def _weakest(solutions: Iterable[Solution]) -> Guarantee:
    return max((s.guarantee for s in solutions), key=list(Guarantee).index)


def _front_below(
    model: Model,
    levels: Levels,
    held: Sequence[tuple[ObjectiveDefinition, float]],
    stages: Sequence[Stage],
    solve: Solve,
    ctx: RunContext,
    native: bool,
    free: str | None,
) -> tuple[Solution, list[Verification]]:
    """The front of the last level, with the levels above it held."""
    objectives = tuple(o.model_copy(update={"priority": 1}) for o in levels.front)
    for slack in LEXICOGRAPHIC_SLACK:
        holds = [limited(o, v, slack * max(1.0, abs(v)), "hold") for o, v in held]
        below = model.derive(
            objectives=objectives,
            constraints=(*model.formulation.constraints, *holds) if holds else None,
        )
        if native:
            front = solve(below, ctx)
            checks = [verify(below, front)]
        else:
            front, checks = exact_front(below, solve, ctx, free)
        if not held or front.status is not Status.INFEASIBLE:
            break
    checks = [*(s.check for s in stages), *checks]
    if not stages:
        return front, checks
    guarantee = _weakest([front, *(s.solution for s in stages)])
    exact = all(s.solution.status is Status.OPTIMAL for s in stages)
    if not exact and guarantee is Guarantee.GLOBAL:
        guarantee = Guarantee.HEURISTIC
    return replace(
        front,
        objective=None,
        bound=None,
        certificate=None,
        guarantee=guarantee,
        pareto=tuple(_with_all_objectives(model, p) for p in front.pareto),
        seconds=front.seconds + sum(s.solution.seconds for s in stages),
        assumptions=(
            *front.assumptions,
            f"the front is that of the last of {len(levels.groups)} priorities, with those above "
            "it held at their best",
        ),
    ), checks


def _with_all_objectives(model: Model, point: ParetoPoint) -> ParetoPoint:
    """A point of the front with the held objectives among its values."""
    computed = model.evaluate(point.values).objectives[0]
    return ParetoPoint(tuple(computed.tolist()), point.values)
