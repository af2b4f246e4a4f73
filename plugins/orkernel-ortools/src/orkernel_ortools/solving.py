"""From a model to a solution: bounds, CP-SAT, and exactly how it ended."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Cancelled, Unsupported
from orkernel.records import Guarantee
from orkernel.solution import InfeasibleSubset, Solution, Status
from orkernel_ortools.building import Built, build, contradiction
from orkernel_ortools.engine import Ending, identity, run

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel.model import Model


class OutOfTime(Exception):
    """The deadline passed while the program was being built."""


def solve_model(model: Model, ctx: RunContext) -> Solution:
    """Solve a model of integer columns; see `OrtoolsAgent.solve`."""
    started = time.perf_counter()
    if ctx.remaining() == 0.0:
        solution = _out_of_time("no time left to start CP-SAT")
    else:
        try:
            solution = _solve(model, ctx)
        except OutOfTime:
            solution = _out_of_time("the time was over before the model was built")
    return replace(solution, seconds=time.perf_counter() - started)


def _out_of_time(message: str) -> Solution:
    return Solution(Status.TIME_LIMIT, identity(), message=message)


def ticker(ctx: RunContext) -> object:
    """Stops a construction when the user interrupts or the time is over."""

    def tick() -> None:
        ctx.check_cancelled()
        if ctx.remaining() == 0.0:
            raise OutOfTime

    return tick


def _solve(model: Model, ctx: RunContext) -> Solution:
    lower, upper = np.ceil(model.columns.lower), np.floor(model.columns.upper)
    crossed = contradiction(model, lower, upper)
    if crossed is not None:
        return Solution(
            Status.INFEASIBLE,
            identity(),
            infeasible_subset=InfeasibleSubset(lower=(crossed,), upper=(crossed,), minimal=True),
            message=f"the bounds of {model.columns.label(crossed)} contradict each other",
        )
    unbounded = np.flatnonzero(~(np.isfinite(lower) & np.isfinite(upper)))
    if unbounded.size:
        raise Unsupported(
            f"variable '{model.columns.label(int(unbounded[0]))}'",
            "CP-SAT needs bounds; give it a lower and an upper bound",
        )
    built = build(model, lower, upper, tick=ticker(ctx))  # type: ignore[arg-type]
    built.hint(model.columns.start)
    return interpret(built, run(built, ctx))


def interpret(built: Built, ending: Ending) -> Solution:
    """The solution that an ending means."""
    program, goal = built.program, built.goal
    notes = ()
    if program.largest_scale > 1:
        notes = (f"decimals were multiplied by up to {program.largest_scale:,} to be whole",)
    basis = Solution(
        Status.ERROR,
        identity(),
        message=f"CP-SAT: {'interrupted' if ending.interrupted else ending.status}",
        assumptions=notes,
        statistics={**ending.statistics, "scale": float(program.largest_scale)},
    )
    if ending.status == "infeasible":
        return replace(basis, status=Status.INFEASIBLE)
    if ending.value is None:
        if ending.interrupted:
            raise Cancelled
        return replace(basis, status=Status.TIME_LIMIT)
    values = built.point(ending.value)
    if goal is None:
        return replace(basis, status=Status.OPTIMAL, values=values)
    objective, bound = goal.value(ending.objective), goal.value(ending.bound)
    proven = ending.bound == ending.objective
    return replace(
        basis,
        status=Status.OPTIMAL if proven else Status.FEASIBLE,
        values=values,
        objective=objective,
        bound=bound,
        guarantee=Guarantee.GLOBAL,
    )
