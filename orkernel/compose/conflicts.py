"""Composition over any solver agent: several objectives, and the deletion filter.

An agent that solves one objective at a time serves lexicographic and weighted models
through here, and any agent that can say "infeasible" yields an irreducible infeasible
subset.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import OrkernelError, Unsupported
from orkernel.formulation.schema import ConstraintDefinition, ObjectiveDefinition
from orkernel.records import Guarantee
from orkernel.solution import InfeasibleSubset, Solution, Status

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model

    Solve = Callable[[Model, RunContext], Solution]

LEXICOGRAPHIC_SLACK = (0.0, 1e-9, 1e-6)
"""Relative slack with which an earlier objective is held, tried in this order."""


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """One single-objective solve: the model that was solved and its answer."""

    model: Model
    solution: Solution


def solve_composed(model: Model, solve: Solve, ctx: RunContext) -> tuple[Solution, list[Stage]]:
    """Solve a model with several objectives by single-objective solves.

    Objectives of different priority are lexicographic (1 first): each later stage holds
    the earlier values within `LEXICOGRAPHIC_SLACK`. Objectives of equal priority are
    combined by their weights, Σ weight · value in the sense of the first; the others are
    negated where their sense differs.

    Args:
        model: The model; with at most one objective it is solved as it is.
        solve: Solves a single-objective model.
        ctx: Run context.

    Returns:
        The final solution and every stage. With several stages `objective` and `bound` are
        None, since they belong to no single objective.

    Raises:
        Unsupported: Two objectives share a priority and a weight is missing.
    """
    objectives = model.formulation.objectives
    if len(objectives) <= 1:
        solution = solve(model, ctx)
        return solution, [Stage(model, solution)]

    levels = _levels(objectives)
    held: list[tuple[ObjectiveDefinition, float]] = []
    stages: list[Stage] = []
    current = model
    for number, objective in enumerate(levels, start=1):
        stage = _solve_level(current, objective, held, solve, ctx)
        stages.append(stage)
        point = stage.solution.values
        if stage.solution.status not in (Status.OPTIMAL, Status.FEASIBLE) or point is None:
            break
        if number < len(levels):
            held.append((objective, float(stage.model.evaluate(point).objectives[0, 0])))
            current = model.derive(start=point)
    return _combine(stages, total=len(levels)), stages


def _levels(objectives: tuple[ObjectiveDefinition, ...]) -> list[ObjectiveDefinition]:
    ordered = sorted(objectives, key=lambda o: o.priority)
    return [_weighted(tuple(group)) for _, group in groupby(ordered, key=lambda o: o.priority)]


def _weighted(group: tuple[ObjectiveDefinition, ...]) -> ObjectiveDefinition:
    if len(group) == 1:
        return group[0]
    missing = [o.name for o in group if o.weight is None]
    if missing:
        raise Unsupported(
            f"objective '{missing[0]}'",
            f"it shares priority {group[0].priority} with {len(group) - 1} other objective(s) "
            "and has no weight: a Pareto front is asked for",
        )
    sense = group[0].sense
    terms = [f"{'' if o.sense == sense else '-'}({o.weight!r}) * ({o.expression})" for o in group]
    return ObjectiveDefinition(
        name=" + ".join(f"{o.weight:g}·{o.name}" for o in group)[:500],
        sense=sense,
        expression=" + ".join(terms),
        priority=group[0].priority,
    )


def _hold(objective: ObjectiveDefinition, value: float, slack: float) -> ConstraintDefinition:
    """The constraint that keeps an objective no worse than `value`, but for the slack."""
    margin = slack * max(1.0, abs(value))
    operator, limit = (
        ("<=", value + margin) if objective.sense == "minimize" else (">=", value - margin)
    )
    return ConstraintDefinition(
        name=f"hold {objective.name}"[:500],
        expression=f"({objective.expression}) {operator} {limit!r}",
    )


def _solve_level(
    model: Model,
    objective: ObjectiveDefinition,
    held: list[tuple[ObjectiveDefinition, float]],
    solve: Solve,
    ctx: RunContext,
) -> Stage:
    single = objective.model_copy(update={"priority": 1, "weight": None})
    stage: Stage | None = None
    for slack in LEXICOGRAPHIC_SLACK:
        constraints = (
            *model.formulation.constraints,
            *(_hold(earlier, value, slack) for earlier, value in held),
        )
        derived = model.derive(objectives=(single,), constraints=constraints)
        stage = Stage(derived, solve(derived, ctx))
        if not held or stage.solution.status is not Status.INFEASIBLE:
            break
    assert stage is not None
    return stage


def _combine(stages: list[Stage], total: int) -> Solution:
    last = stages[-1].solution
    if len(stages) == total == 1:
        return replace(last, objective=None, bound=None, certificate=None)
    found = [s for s in stages if s.solution.values is not None]
    if last.values is None and found and last.status in (Status.TIME_LIMIT, Status.INFEASIBLE):
        last = replace(last, values=found[-1].solution.values, status=Status.FEASIBLE)
    status = last.status
    if status is Status.OPTIMAL and any(s.solution.status is not Status.OPTIMAL for s in stages):
        status = Status.FEASIBLE
    weakest = max((s.solution.guarantee for s in stages), key=list(Guarantee).index)
    return replace(
        last,
        status=status,
        guarantee=weakest,
        objective=None,
        bound=None,
        duals=None,
        certificate=None,
        seconds=sum(s.solution.seconds for s in stages),
        assumptions=(
            *last.assumptions,
            f"objectives were optimised in order of priority, {len(stages)} of {total} levels, "
            "earlier ones held",
        ),
    )


# --------------------------------------------------------------------------- deletion filter


class _Undecided(OrkernelError):
    """A subproblem was neither shown feasible nor infeasible."""


def irreducible_subset(
    model: Model, solve: Solve, ctx: RunContext, hint: InfeasibleSubset | None = None
) -> InfeasibleSubset | None:
    """An irreducible infeasible subset of rows and variable bounds by deletion.

    Chinneck's deletion filter (Feasibility and Infeasibility in Optimization, 2008,
    ch. 6): drop a member; if the rest is still infeasible, leave it out for good. Groups
    are tried before single members, so that large models need few solves.

    Args:
        model: An infeasible model.
        solve: Decides feasibility of a model without objective.
        ctx: Its deadline ends the search.
        hint: A subset believed infeasible; checked first, and used if it is.

    Returns:
        The subset; `minimal` is False when the deadline or an undecided subproblem
        stopped the search early. None if not even the whole model is found infeasible.
    """
    whole = _members(model)
    start = whole
    if hint is not None and (hint.rows or hint.lower or hint.upper):
        wanted = {("row", i) for i in hint.rows}
        wanted |= {("lower", j) for j in hint.lower} | {("upper", j) for j in hint.upper}
        start = [m for m in whole if m in wanted]
    try:
        if not _infeasible(model, start, solve, ctx):
            start = whole
            if not _infeasible(model, start, solve, ctx):
                return None
    except _Undecided:
        return None
    kept, minimal = _filter(model, start, solve, ctx)
    return InfeasibleSubset(
        rows=tuple(i for kind, i in kept if kind == "row"),
        lower=tuple(i for kind, i in kept if kind == "lower"),
        upper=tuple(i for kind, i in kept if kind == "upper"),
        minimal=minimal,
    )


MemberKey = tuple[str, int]


def _members(model: Model) -> list[MemberKey]:
    """Bounds first: they are dropped first, so that sentences remain rather than bounds."""
    columns = model.columns
    return [
        *(("lower", int(j)) for j in np.flatnonzero(np.isfinite(columns.lower))),
        *(("upper", int(j)) for j in np.flatnonzero(np.isfinite(columns.upper))),
        *(("row", i) for i in range(len(model.rows))),
    ]


def _filter(
    model: Model, members: list[MemberKey], solve: Solve, ctx: RunContext
) -> tuple[list[MemberKey], bool]:
    kept = list(members)
    minimal = True
    position = 0
    group = max(1, len(kept) // 2)
    while position < len(kept):
        remaining = ctx.remaining()
        if ctx.cancelled or (remaining is not None and remaining <= 0.0):
            return kept, False
        group = min(group, len(kept) - position)
        rest = kept[:position] + kept[position + group :]
        try:
            still_infeasible = _infeasible(model, rest, solve, ctx)
        except _Undecided:
            still_infeasible, minimal = False, minimal and group > 1
        if still_infeasible:
            kept = rest
        elif group > 1:
            group //= 2
        else:
            position += 1
            group = max(1, (len(kept) - position) // 4)
    return kept, minimal


def _infeasible(model: Model, members: list[MemberKey], solve: Solve, ctx: RunContext) -> bool:
    chosen = set(members)
    columns = model.columns
    n = len(columns)
    lower_kept = np.fromiter((("lower", j) in chosen for j in range(n)), dtype=bool, count=n)
    upper_kept = np.fromiter((("upper", j) in chosen for j in range(n)), dtype=bool, count=n)
    rows = len(model.rows)
    subset = model.derive(
        objectives=(),
        keep_rows=np.fromiter((("row", i) in chosen for i in range(rows)), dtype=bool, count=rows),
        lower=np.where(lower_kept, columns.lower, -np.inf),
        upper=np.where(upper_kept, columns.upper, np.inf),
    )
    try:
        solution = solve(subset, ctx)
    except Unsupported as error:
        raise _Undecided(f"a subproblem cannot be solved: {error.message}") from error
    if solution.status is Status.INFEASIBLE and solution.guarantee is Guarantee.GLOBAL:
        return True
    if solution.status in (Status.OPTIMAL, Status.FEASIBLE, Status.UNBOUNDED):
        return False
    raise _Undecided(f"a subproblem ended {solution.status}")
