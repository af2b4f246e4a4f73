"""Branch and bound, depth first, on linear relaxations (Land and Doig 1960)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from orkernel.testing.reference_agent.found import Incumbent, out_of_time
from orkernel.testing.reference_agent.relaxation import End, Relaxation

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats, LinearForm
    from orkernel.context import RunContext

WHOLE = 1e-7
"""A value this near to a whole number is one."""
CLOSE = 1e-9
"""Relative improvement below which a node is not worth visiting."""


@dataclass(slots=True)
class Search:
    """What branch and bound found.

    Attributes:
        incumbent: The best point; its loss leaves out the objective's constant.
        finished: True if nothing better can exist.
        unbounded: True if the relaxation at the root was unbounded.
        bound: Lower bound on the loss.
        nodes: Relaxations solved.
        root: SciPy's result at the root, for duals.
    """

    incumbent: Incumbent = field(default_factory=Incumbent)
    finished: bool = False
    unbounded: bool = False
    bound: float = -np.inf
    nodes: int = 0
    root: object = None


def branch_and_bound(form: LinearForm, ctx: RunContext, *, ignore_cost: bool = False) -> Search:
    """Minimise the form's objective, or find any point.

    Args:
        form: At most one objective.
        ctx: Deadline and cancellation.
        ignore_cost: Look for a feasible point only.
    """
    relaxation = Relaxation(form)
    columns = form.columns
    whole = columns.integer
    lower = np.where(whole, np.ceil(columns.lower - WHOLE), columns.lower)
    upper = np.where(whole, np.floor(columns.upper + WHOLE), columns.upper)
    cost = np.zeros(len(columns)) if ignore_cost else relaxation.cost
    search = Search()
    stack: list[tuple[float, Floats, Floats]] = [(-np.inf, lower, upper)]
    while stack:
        if out_of_time(ctx):
            break
        bound, low, high = stack[-1]
        if _hopeless(bound, search.incumbent):
            stack.pop()
            continue
        end, found = relaxation.solve(low, high, cost=cost, seconds=ctx.remaining())
        search.nodes += 1
        if end is End.UNBOUNDED or (end is End.UNDECIDED and search.nodes == 1):
            if _feasible(relaxation, low, high, ctx):
                search.unbounded = True
                break
            end = End.UNDECIDED if out_of_time(ctx) else End.INFEASIBLE
        if end is End.UNDECIDED:
            break
        stack.pop()
        if search.nodes == 1:
            search.root = found
        if end is End.INFEASIBLE or _hopeless(found.fun, search.incumbent):
            continue
        fractions = np.where(whole, np.abs(found.x - np.round(found.x)), 0.0)
        j = int(fractions.argmax()) if fractions.size else 0
        if not fractions.size or fractions[j] <= WHOLE:
            _keep(relaxation, found.x, low, high, cost, search)
            continue
        down, up = high.copy(), low.copy()
        down[j], up[j] = np.floor(found.x[j]), np.ceil(found.x[j])
        halves = [(found.fun, low, down), (found.fun, up, high)]
        stack += halves if found.x[j] - np.floor(found.x[j]) > 0.5 else reversed(halves)
    search.finished = not stack and not search.unbounded
    open_bounds = [bound for bound, _, _ in stack]
    search.bound = min([search.incumbent.loss, *open_bounds])
    return search


def _hopeless(bound: float, incumbent: Incumbent) -> bool:
    margin = CLOSE * max(1.0, abs(incumbent.loss))
    return incumbent.values is not None and bound >= incumbent.loss - margin


def _feasible(relaxation: Relaxation, low: Floats, high: Floats, ctx: RunContext) -> bool:
    nothing = np.zeros_like(low)
    return relaxation.solve(low, high, cost=nothing, seconds=ctx.remaining())[0] is End.OPTIMAL


def _keep(
    relaxation: Relaxation, x: Floats, low: Floats, high: Floats, cost: Floats, search: Search
) -> None:
    """Take a point whose integers are whole, the rest solved again for exactly whole ones."""
    whole = relaxation.form.columns.integer
    if not whole.any():
        search.incumbent.offer(float(cost @ x), x)
        return
    fixed = np.clip(np.round(x), low, high)
    end, found = relaxation.solve(
        np.where(whole, fixed, low), np.where(whole, fixed, high), cost=cost, seconds=None
    )
    if end is End.OPTIMAL:
        point = np.where(whole, fixed, found.x)
        search.incumbent.offer(float(cost @ point), point)
