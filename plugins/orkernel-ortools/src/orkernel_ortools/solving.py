"""From a model to a solution: bounds, CP-SAT, and exactly how it ended."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Cancelled
from orkernel.solution import InfeasibleSubset, Solution, Status
from orkernel_ortools.bounds import Bounds, declared, derived
from orkernel_ortools.building import Built, build
from orkernel_ortools.engine import Ending, identity, run, solve
from orkernel_ortools.infeasible import infeasible_subset
from orkernel_ortools.unbounded import solve_unbounded

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel.model import Model


class OutOfTime(Exception):
    """The deadline passed while the program was being built."""


def solve_model(model: Model, ctx: RunContext, start: Floats | None = None) -> Solution:
    """Solve a model of integer columns; see `OrtoolsAgent.solve`.

    Args:
        model: At most one objective.
        ctx: Run context.
        start: A point to start from; the model's own starting values otherwise.
    """
    started = time.perf_counter()
    if ctx.remaining() == 0.0:
        solution = _out_of_time("no time left to start CP-SAT")
    else:
        try:
            solution = _solve(model, ctx, start)
        except OutOfTime:
            solution = _out_of_time("the time was over before the model was built")
    return replace(solution, seconds=time.perf_counter() - started)


def _out_of_time(message: str) -> Solution:
    return Solution(Status.TIME_LIMIT, identity(), message=message)


def _ticker(ctx: RunContext) -> Callable[[], None]:
    """Stops a construction when the user interrupts or the time is over."""

    def tick() -> None:
        ctx.check_cancelled()
        if ctx.remaining() == 0.0:
            raise OutOfTime

    return tick


def _solve(model: Model, ctx: RunContext, start: Floats | None) -> Solution:
    tick = _ticker(ctx)
    bounds = declared(model)
    crossed = np.flatnonzero(bounds.lower > bounds.upper)
    if crossed.size:
        j = int(crossed[0])
        return Solution(
            Status.INFEASIBLE,
            identity(),
            infeasible_subset=InfeasibleSubset(lower=(j,), upper=(j,), minimal=True),
            message=f"the bounds of {model.columns.label(j)} contradict each other",
        )

    def within(
        limits: Bounds, ctx: RunContext, start: Floats | None, effort: float | None
    ) -> Solution:
        built = build(model, limits.lower, limits.upper, tick=tick)
        built.hint(model.columns.start if start is None else start)
        ending = solve(built, ctx) if effort is None else run(built, ctx, effort=effort)
        return _interpret(built, ending)

    if bounds.open.size:
        implied = derived(model, bounds)
        if implied.empty:
            return Solution(
                Status.INFEASIBLE,
                identity(),
                message="the ranges that the rows leave to the variables contradict each other",
            )
        bounds = implied
    if bounds.open.size:
        return solve_unbounded(model, bounds, ctx, within)
    solution = within(bounds, ctx, start, None)
    if solution.status is Status.INFEASIBLE and len(model.rows):
        return replace(solution, infeasible_subset=infeasible_subset(model, bounds, ctx, tick))
    return solution


def _interpret(built: Built, ending: Ending) -> Solution:
    """The solution that an ending means."""
    scale, goal = built.program.largest_scale, built.goal
    notes: tuple[str, ...] = ()
    if scale > 1:
        notes = (f"decimals were made whole exactly, multiplied by up to {scale:,}",)
    basis = Solution(
        Status.ERROR,
        identity(),
        message=f"CP-SAT: {'interrupted' if ending.interrupted else ending.status}",
        assumptions=notes,
        statistics={**ending.statistics, "scale": float(scale)},
    )
    if ending.status == "infeasible":
        return replace(basis, status=Status.INFEASIBLE)
    if ending.value is None:
        if ending.interrupted:
            raise Cancelled
        bound = None if goal is None or ending.bound is None else goal.value(ending.bound)
        return replace(basis, status=Status.TIME_LIMIT, bound=bound)
    values = built.point(ending.value)
    if goal is None:
        return replace(basis, status=Status.OPTIMAL, values=values)
    exact = goal.linear.constant + sum(
        c * ending.value(built.program.variables[v]) for v, c in goal.linear.terms.items()
    )
    scaled = int(Fraction(exact) * goal.scale) * (-1 if goal.maximize else 1)
    proven = not goal.linear.terms or (ending.bound is not None and ending.bound >= scaled)
    return replace(
        basis,
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        values=values,
        objective=float(exact),
        bound=float(exact)
        if proven
        else None
        if ending.bound is None
        else goal.value(ending.bound),
    )
