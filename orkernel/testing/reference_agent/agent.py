"""ReferenceAgent: picks the one exact method that fits a model, or says how weak its answer is."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from orkernel.compose import irreducible_subset
from orkernel.errors import Cancelled, Unsupported
from orkernel.records import Capability, Guarantee
from orkernel.solution import Certificate, Duals, InfeasibleSubset, Solution, Status
from orkernel.testing.reference_agent.branching import Search, branch_and_bound
from orkernel.testing.reference_agent.enumeration import best, scan
from orkernel.testing.reference_agent.found import IDENTITY, out_of_time, stopped
from orkernel.testing.reference_agent.fronts import front
from orkernel.testing.reference_agent.local import Local
from orkernel.testing.reference_agent.record import LINEARIZABLE
from orkernel.testing.reference_agent.relaxation import Relaxation

if TYPE_CHECKING:
    from orkernel.algebra.forms import LinearForm
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem

PURE = frozenset({Capability.CONTINUOUS, Capability.LINEAR})
SAMPLE = ("expectations and probabilities are those of the kernel's fixed scenarios",)


class ReferenceAgent:
    """Every capability, for small models."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        """Solve a model.

        Args:
            problem: Not used.
            model: Any small model.
            ctx: Seed, deadline, cancellation.

        Raises:
            Unsupported: Too many combinations of integer values.
            Cancelled: Interrupted before there was an incumbent.
        """
        del problem
        started = time.perf_counter()
        return replace(_solve(model, ctx), seconds=time.perf_counter() - started)


def _solve(model: Model, ctx: RunContext) -> Solution:
    if out_of_time(ctx):
        return stopped(ctx, None, Guarantee.GLOBAL)
    if (crossed := _crossed(model)) is not None:
        return crossed
    if Capability.MULTI_OBJECTIVE in model.needs:
        return front(model, ctx)
    if model.needs <= LINEARIZABLE:
        return _linear(model, ctx)
    if model.columns.integer.all():
        return _enumerated(model, ctx)
    return _local(model, ctx)


def _crossed(model: Model) -> Solution | None:
    """Infeasible by the bounds of one column."""
    columns = model.columns
    low = np.where(columns.integer, np.ceil(columns.lower - 1e-9), columns.lower)
    high = np.where(columns.integer, np.floor(columns.upper + 1e-9), columns.upper)
    for j in np.flatnonzero(low > high).tolist():
        return Solution(
            Status.INFEASIBLE,
            IDENTITY,
            infeasible_subset=InfeasibleSubset(lower=(j,), upper=(j,), minimal=True),
            message=f"the bounds of {columns.label(j)} contradict each other",
        )
    return None


def _sign(model: Model) -> float:
    return -1.0 if any(o.sense == "maximize" for o in model.formulation.objectives) else 1.0


# ----------------------------------------------------------------------- branch and bound


def _linear(model: Model, ctx: RunContext) -> Solution:
    plain = not model.needs & {Capability.LOGICAL, Capability.PIECEWISE}
    form = model.linear() if plain else model.linearized()
    search = branch_and_bound(form, ctx)
    n = len(model.columns)
    if search.unbounded:
        return _unbounded(model, form, ctx)
    values = search.incumbent.values
    if not search.finished:
        answer = stopped(ctx, None if values is None else values[:n], Guarantee.GLOBAL)
        return replace(answer, bound=_stated(form, search.bound) if values is not None else None)
    if values is None:
        return _infeasible(model, form, ctx)
    solution = Solution(
        Status.OPTIMAL,
        IDENTITY,
        values=values[:n],
        objective=_stated(form, search.incumbent.loss),
        bound=_stated(form, search.bound),
        assumptions=form.assumptions,
        statistics={"nodes": float(search.nodes)},
    )
    return _with_duals(solution, form, search) if model.needs <= PURE else solution


def _stated(form: LinearForm, loss: float) -> float | None:
    """A loss as the objective's value."""
    if not form.objectives or not np.isfinite(loss):
        return None
    (objective,) = form.objectives
    return (-loss if objective.maximize else loss) + objective.offset


def _with_duals(solution: Solution, form: LinearForm, search: Search) -> Solution:
    rows, columns = Relaxation(form).marginals(search.root)
    return replace(solution, duals=Duals(rows, columns), certificate=Certificate("dual", rows))


def _unbounded(model: Model, form: LinearForm, ctx: RunContext) -> Solution:
    search = branch_and_bound(form, ctx, ignore_cost=True)
    if search.incumbent.values is None:
        return (
            _infeasible(model, form, ctx)
            if search.finished
            else stopped(ctx, None, Guarantee.GLOBAL)
        )
    ray = Relaxation(form).ray() if model.needs <= PURE | {Capability.INTEGER} else None
    return Solution(
        Status.UNBOUNDED,
        IDENTITY,
        values=search.incumbent.values[: len(model.columns)],
        certificate=None if ray is None else Certificate("primal_ray", ray),
    )


def _infeasible(model: Model, form: LinearForm, ctx: RunContext) -> Solution:
    if not model.needs <= PURE:
        return Solution(Status.INFEASIBLE, IDENTITY)
    multipliers = Relaxation(form).farkas()

    def decide(part: Model, part_ctx: RunContext) -> Solution:
        search = branch_and_bound(part.linear(), part_ctx)
        if search.finished and search.incumbent.values is None:
            return Solution(Status.INFEASIBLE, IDENTITY)
        return stopped(part_ctx, search.incumbent.values, Guarantee.GLOBAL)

    try:
        subset = irreducible_subset(model, decide, ctx)
    except Cancelled:
        subset = None
    return Solution(
        Status.INFEASIBLE,
        IDENTITY,
        certificate=None if multipliers is None else Certificate("farkas", multipliers),
        infeasible_subset=subset,
    )


# -------------------------------------------------------------------- other ways to solve


def _enumerated(model: Model, ctx: RunContext) -> Solution:
    random = Capability.RANDOM in model.needs
    guarantee = Guarantee.SAMPLED if random else Guarantee.GLOBAL
    found = scan(model, ctx)
    sign = _sign(model)
    incumbent = best(found, sign)
    if not found.complete:
        return stopped(ctx, incumbent.values, guarantee)
    if incumbent.values is None:
        return Solution(Status.INFEASIBLE, IDENTITY, guarantee=guarantee)
    return Solution(
        Status.FEASIBLE if random else Status.OPTIMAL,
        IDENTITY,
        values=incumbent.values,
        objective=sign * incumbent.loss if model.formulation.objectives else None,
        bound=None if random or not model.formulation.objectives else sign * incumbent.loss,
        guarantee=guarantee,
        assumptions=SAMPLE if random else (),
    )


def _local(model: Model, ctx: RunContext) -> Solution:
    if np.any(~np.isfinite(model.columns.lower) & model.columns.integer):
        raise Unsupported("the variables", "an integer without bounds in a nonlinear model")
    random = Capability.RANDOM in model.needs
    guarantee = Guarantee.SAMPLED if random else Guarantee.LOCAL
    search = Local(model, _sign(model), ctx).run()
    if not search.finished:
        return stopped(ctx, search.incumbent.values, guarantee)
    if search.incumbent.values is None:
        return Solution(
            Status.ERROR, IDENTITY, guarantee=guarantee, message="no feasible point was found"
        )
    return Solution(
        Status.FEASIBLE,
        IDENTITY,
        values=search.incumbent.values,
        objective=search.sign * search.incumbent.loss if model.formulation.objectives else None,
        guarantee=guarantee,
        assumptions=SAMPLE if random else (),
    )
