"""Which rows cannot hold together, from CP-SAT's sufficient assumptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.forms import Column
from orkernel.algebra.graph import reachable
from orkernel.errors import OrkernelError
from orkernel.solution import InfeasibleSubset
from orkernel_ortools.building import Built, build
from orkernel_ortools.engine import run

if TYPE_CHECKING:
    from collections.abc import Callable

    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel_ortools.bounds import Bounds

SECONDS = 5.0
"""Longest time spent on a subset."""


def infeasible_subset(
    model: Model, bounds: Bounds, ctx: RunContext, tick: Callable[[], None]
) -> InfeasibleSubset | None:
    """Rows, and the bounds of their columns, that cannot hold together; None if not found.

    Each row holds only if a literal of its own does. CP-SAT names literals that cannot all
    hold; rows are then dropped one by one while the rest still cannot.
    """
    limited = ctx.limited(SECONDS)
    try:
        built = build(model, bounds.lower, bounds.upper, guarded=True, objective=False, tick=tick)
        core = _core(built, list(range(len(built.guards))), limited)
        if core is None:
            return None
        for row in list(core):
            rest = [k for k in core if k != row]
            smaller = _core(built, rest, limited) if len(rest) < len(core) else None
            core = core if smaller is None else smaller
    except OrkernelError:
        return None
    return _with_bounds(model, core)


def _core(built: Built, rows: list[int], ctx: RunContext) -> list[int] | None:
    """Some of the rows that cannot hold together, or None if they can or time is over."""
    if ctx.remaining() == 0.0:
        return None
    program = built.program.model
    program.clear_assumptions()
    numbers = {built.program.cp(built.guards[row]).index: row for row in rows}
    program.add_assumptions([built.program.cp(built.guards[row]) for row in rows])
    ending = run(built, ctx, silent=True)
    if ending.status != "infeasible":
        return None
    found = sorted(numbers[k] for k in ending.core if k in numbers)
    return found or rows


def _with_bounds(model: Model, rows: list[int]) -> InfeasibleSubset:
    """Rows with the finite bounds of the columns in them."""
    graph = model.graph()
    used = reachable(graph, [graph.rows[i].node for i in rows])
    columns = [
        node.number
        for node, there in zip(graph.nodes, used.tolist(), strict=True)
        if there and isinstance(node, Column)
    ]
    return InfeasibleSubset(
        rows=tuple(rows),
        lower=tuple(j for j in columns if np.isfinite(model.columns.lower[j])),
        upper=tuple(j for j in columns if np.isfinite(model.columns.upper[j])),
    )
