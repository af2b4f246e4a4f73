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
from orkernel_ortools.engine import Ending, identity, run
from orkernel_ortools.infeasible import infeasible_subset
from orkernel_ortools.search import search
from orkernel_ortools.tours import not_worse, recognised, routed_answer, starting_point
from orkernel_ortools.unbounded import solve_unbounded

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel_ortools.routing import Tour


class OutOfTime(Exception):
    """The deadline passed while the program was being built."""


def solve_model(model: Model, ctx: RunContext) -> Solution:
    """Solve a model of integer columns; see `OrtoolsAgent.solve`."""
    started = time.perf_counter()
    if ctx.remaining() == 0.0:
        solution = _out_of_time("no time left to start CP-SAT")
    else:
        try:
            solution = _by_method(model, ctx)
        except OutOfTime:
            solution = _out_of_time("the time was over before the model was built")
    return replace(solution, seconds=time.perf_counter() - started)


def _out_of_time(message: str) -> Solution:
    return Solution(Status.TIME_LIMIT, identity(), message=message)


def _by_method(model: Model, ctx: RunContext) -> Solution:
    if ctx.options.get("method", "auto") != "routing":
        return _solve(model, ctx, recognised(model, ctx))

    def exact(ctx: RunContext, start: Floats | None) -> Solution:
        return _solve(model, ctx, None, start)

    return routed_answer(model, ctx, exact)


def _ticker(ctx: RunContext) -> Callable[[], None]:
    """Stops a construction when the user interrupts or the time is over."""

    def tick() -> None:
        ctx.check_cancelled()
        if ctx.remaining() == 0.0:
            raise OutOfTime

    return tick


def _solve(
    model: Model, ctx: RunContext, tour: Tour | None, given: Floats | None = None
) -> Solution:
    """CP-SAT's answer.

    Args:
        model: The model.
        ctx: Run context.
        tour: The tours that routing may search for a better start.
        given: A point to start from; the model's own starting values otherwise.
    """
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
        if effort is not None:
            return _interpret(built, run(built, ctx, effort=effort))
        routed: list[Floats] = []

        def better() -> Floats | None:
            point = starting_point(tour, ctx)
            routed.extend([] if point is None else [point])
            return point

        ending = search(built, ctx, better)
        if ending.interrupted and ending.value is None and routed:
            ending = replace(ending, interrupted=False)
        return not_worse(model, _interpret(built, ending), routed[0] if routed else None)

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
    solution = within(bounds, ctx, given, None)
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
        c * ending.value(built.program.cp(v)) for v, c in goal.linear.terms.items()
    )
    scaled = int(Fraction(exact) * goal.scale) * (-1 if goal.maximize else 1)
    closed = ending.bound is not None and ending.bound >= scaled
    proven = ending.proven or closed or not goal.linear.terms
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
