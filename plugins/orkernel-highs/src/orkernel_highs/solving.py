"""From a linear form to a solution: run HiGHS and say exactly how it ended."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from orkernel.certificates import proves_infeasible
from orkernel.errors import Cancelled
from orkernel.records import Guarantee
from orkernel.solution import Certificate, Duals, InfeasibleSubset, Solution, SolverIdentity, Status
from orkernel_highs.engine import Engine, ModelStatus
from orkernel_highs.evidence import (
    elastic_multipliers,
    farkas_multipliers,
    improving_ray,
    infeasible_subset,
)
from orkernel_highs.program import Program
from orkernel_highs.quadratic import run_quadratic
from orkernel_highs.sensitivity import marginal_values

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats, LinearForm
    from orkernel.context import RunContext

OPTIMALITY_GAP = 1e-6
"""A mixed-integer answer is called optimal if its bound is this close, relative to the
objective or, near zero, to the largest cost up to 1."""
EMPTY = 1e-9
"""A row without variables is false if 0 misses its bounds by more than this."""
EXACT = 1e-10
"""Relative row violation that is rounding and not tolerance."""
MIP_ATTEMPTS: tuple[dict[str, Any], ...] = (
    {"mip_feasibility_tolerance": 1e-7},
    {"mip_feasibility_tolerance": 1e-9},
    {"mip_feasibility_tolerance": 1e-7, "presolve": "off"},
)
"""Tried in turn while HiGHS ends in a solve error: its own check can find that the point
it presolved its way to breaks a row by more than the tolerance."""
LIMITS = frozenset(
    {
        ModelStatus.kTimeLimit,
        ModelStatus.kInterrupt,
        ModelStatus.kIterationLimit,
        ModelStatus.kSolutionLimit,
        ModelStatus.kObjectiveBound,
        ModelStatus.kObjectiveTarget,
        ModelStatus.kUnknown,
    }
)


def identity() -> SolverIdentity:
    """Agent, solver and version."""
    version = ".".join(
        str(part)
        for part in (
            highspy.HIGHS_VERSION_MAJOR,
            highspy.HIGHS_VERSION_MINOR,
            highspy.HIGHS_VERSION_PATCH,
        )
    )
    return SolverIdentity(agent="highs", name="HiGHS", version=version)


def solve_form(form: LinearForm, ctx: RunContext) -> Solution:
    """Solve a linear, mixed-integer or convex quadratic form.

    Args:
        form: At most one objective; a quadratic one must be convex in its sense.
        ctx: Seed, deadline, gap, cancellation, options of the agent `highs`.

    Returns:
        A solution in the form's column and row order. A mixed-integer answer is `optimal`
        if bound and objective agree within `OPTIMALITY_GAP`, else `feasible`; after a
        cancellation the incumbent is returned as `feasible`.

    Raises:
        Unsupported: Several objectives, or integers with a quadratic objective.
        Cancelled: Interrupted before there was an incumbent.
        PluginError: HiGHS refuses the model or fails.
    """
    started = time.perf_counter()
    program = Program.of(form)
    if ctx.remaining() == 0.0:
        solution = Solution(Status.TIME_LIMIT, identity(), message="no time left to start HiGHS")
    elif (contradiction := _contradiction(form, program)) is not None:
        solution = contradiction
    elif len(program.lower) == 0:
        solution = _without_columns(program)
    else:
        engine, status, proven = _run(form, program, ctx)
        solved = time.perf_counter()
        solution = _interpret(form, engine, status, proven, ctx)
        times = {"solve_seconds": solved - started}
        counts = {} if engine.abandoned else engine.statistics()
        solution = replace(solution, statistics={**times, **counts, **solution.statistics})
    if not form.objectives:
        solution = replace(solution, objective=None, bound=None)
    return replace(solution, seconds=time.perf_counter() - started)


def _run(form: LinearForm, program: Program, ctx: RunContext) -> tuple[Engine, ModelStatus, bool]:
    """The engine that holds the answer, its status, and whether `optimal` may be believed."""
    if program.hessian is not None:
        if improving_ray(program, ctx) is not None:
            return Engine(program, ctx, silent=True), ModelStatus.kUnboundedOrInfeasible, False
        return run_quadratic(form, program, ctx)
    for settings in MIP_ATTEMPTS if program.is_mip else ({},):
        engine = Engine(program, ctx, **settings)
        status = engine.run()
        if status != ModelStatus.kSolveError:
            break
    return engine, status, True


def _contradiction(form: LinearForm, program: Program) -> Solution | None:
    """Infeasible by the data alone: crossed bounds, or a row without variables that is false."""
    multipliers = np.zeros(len(program.row_lower))
    crossed = np.flatnonzero(program.lower > program.upper)
    if crossed.size:
        j = int(crossed[0])
        subset = InfeasibleSubset(lower=(j,), upper=(j,), minimal=True)
        message = f"the bounds of {form.columns.label(j)} contradict each other"
    else:
        empty = np.diff(program.matrix.indptr) == 0
        impossible = (program.row_lower > EMPTY) | (program.row_upper < -EMPTY)
        false = np.flatnonzero(empty & impossible)
        if not false.size:
            return None
        i = int(false[0])
        multipliers[i] = 1.0
        subset = InfeasibleSubset(rows=(i,), minimal=True)
        message = f"row {form.rows.label(i)} holds no variable and is false"
    return Solution(
        Status.INFEASIBLE,
        identity(),
        certificate=Certificate("farkas", multipliers),
        infeasible_subset=subset,
        message=message,
    )


def _without_columns(program: Program) -> Solution:
    m = len(program.row_lower)
    return Solution(
        Status.OPTIMAL,
        identity(),
        values=np.zeros(0),
        objective=program.offset,
        bound=program.offset,
        duals=Duals(np.zeros(m), np.zeros(0)),
        certificate=Certificate("dual", np.zeros(m)),
        message="the model has no variables",
    )


def _interpret(
    form: LinearForm, engine: Engine, status: ModelStatus, proven: bool, ctx: RunContext
) -> Solution:
    program = Program.of(form)
    if engine.interrupted and not engine.has_point:
        raise Cancelled
    words = "interrupted" if engine.interrupted else _words(engine, status)
    if status == ModelStatus.kOptimal and proven:
        return replace(_answer(engine, ctx, finished=True), message=words)
    if status == ModelStatus.kOptimal:
        words = "HiGHS calls this point optimal, but its duals do not prove it"
        return replace(_answer(engine, ctx, finished=False), message=words)
    if status == ModelStatus.kInfeasible:
        return replace(_infeasible(form, program, ctx), message=words)
    if status in (ModelStatus.kUnbounded, ModelStatus.kUnboundedOrInfeasible):
        return _unbounded_or_infeasible(form, program, ctx, words)
    if status in LIMITS and engine.has_point:
        return replace(_answer(engine, ctx, finished=False), message=words)
    if status == ModelStatus.kTimeLimit:
        return Solution(Status.TIME_LIMIT, identity(), bound=_bound(engine), message=words)
    return Solution(Status.ERROR, identity(), message=f"HiGHS ended with: {words}")


def _words(engine: Engine, status: ModelStatus) -> str:
    if engine.abandoned:
        return "HiGHS did not react to its time limit and was left behind"
    return str(engine.highs.modelStatusToString(status))


def _bound(engine: Engine) -> float | None:
    return engine.bound() if engine.program.is_mip and not engine.abandoned else None


def _answer(engine: Engine, ctx: RunContext, *, finished: bool) -> Solution:
    """The point that HiGHS holds."""
    program = engine.program
    if program.is_mip:
        return _integer_answer(engine, ctx)
    x = engine.values()
    objective = program.objective(x)
    if not finished:
        return Solution(
            Status.FEASIBLE,
            identity(),
            values=x,
            objective=objective,
            guarantee=Guarantee.HEURISTIC,
        )
    duals = marginal_values(engine, ranges=str(ctx.options.get("ranges", "auto")))
    return Solution(
        Status.OPTIMAL,
        identity(),
        values=x,
        objective=objective,
        bound=objective,
        duals=duals,
        certificate=None if duals is None else Certificate("dual", duals.rows),
    )


def _integer_answer(engine: Engine, ctx: RunContext) -> Solution:
    program = engine.program
    x, assumptions = _whole_numbers(program, engine.values(), ctx)
    objective = program.objective(x)
    bound = _bound(engine)
    slack = max(abs(objective), min(1.0, float(np.max(np.abs(program.cost), initial=0.0))))
    closed = bound is not None and abs(bound - objective) <= OPTIMALITY_GAP * slack
    return Solution(
        Status.OPTIMAL if closed else Status.FEASIBLE,
        identity(),
        values=x,
        objective=objective,
        bound=bound,
        guarantee=Guarantee.HEURISTIC if bound is None else Guarantee.GLOBAL,
        assumptions=assumptions,
        statistics={"optimality_gap": OPTIMALITY_GAP},
    )


def _whole_numbers(program: Program, x: Floats, ctx: RunContext) -> tuple[Floats, tuple[str, ...]]:
    """The point with exactly whole integer columns, the continuous ones solved again for them.

    HiGHS accepts rows and whole numbers within a tolerance, and uses it: 0.9999999 may
    open a row with a large coefficient, a row may be overdrawn for the objective's sake.
    """
    whole = np.where(program.integer, np.round(x), x)
    if program.row_violation(whole) <= EXACT:
        return whole, ()
    engine = Engine(program.with_fixed_integers(x), ctx, silent=True)
    if engine.run() == ModelStatus.kOptimal:
        return np.where(program.integer, np.round(x), engine.values()), ()
    if program.row_violation(whole) <= program.row_violation(x):
        return whole, ()
    note = "integer values are whole only within HiGHS' tolerance: rounding them breaks a row"
    return x, (note,)


def _infeasible(form: LinearForm, program: Program, ctx: RunContext) -> Solution:
    """Infeasible, with what proves it, as far as time allows."""
    certificate = None
    for find in (farkas_multipliers, elastic_multipliers):
        multipliers = find(program, ctx)
        if multipliers is not None and proves_infeasible(form, multipliers):
            certificate = Certificate("farkas", multipliers)
            break
    subset = None
    if certificate is not None and ctx.options.get("iis", True):
        subset = infeasible_subset(program, ctx)
    return Solution(
        Status.INFEASIBLE, identity(), certificate=certificate, infeasible_subset=subset
    )


def _unbounded_or_infeasible(
    form: LinearForm, program: Program, ctx: RunContext, words: str
) -> Solution:
    """Tell unbounded from infeasible: is there a point at all, and a direction to leave by?

    A mixed-integer program with a point, rational data and an unbounded relaxation is
    unbounded (Meyer 1974), so the direction is sought in the relaxation.
    """
    engine = Engine(program.without_objective(), ctx, silent=True)
    status = engine.run()
    if engine.interrupted:
        raise Cancelled
    if status == ModelStatus.kInfeasible:
        return replace(_infeasible(form, program, ctx), message=words)
    if status == ModelStatus.kOptimal:
        ray = improving_ray(program, ctx)
        if ray is not None:
            return Solution(
                Status.UNBOUNDED,
                identity(),
                values=engine.values(),
                certificate=Certificate("primal_ray", ray),
                message=words,
            )
    return Solution(Status.INFEASIBLE_OR_UNBOUNDED, identity(), message=words)
