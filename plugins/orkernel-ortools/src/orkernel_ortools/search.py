"""The search for a program: one worker while it is easy, routing for tours, then a portfolio."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from orkernel_ortools.engine import Ending, run

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel_ortools.building import Built

EASY = 0.1
"""Deterministic seconds (one is some seconds on a clock) that one worker gets alone."""
PORTFOLIO = 8
"""Fewest workers of a portfolio: CP-SAT's strategies complement each other even on one core."""


def search(built: Built, ctx: RunContext, better: Callable[[], Floats | None]) -> Ending:
    """Solve a program: alone and repeatably while it is easy, then by a portfolio of workers.

    Workers of a portfolio race; with the option `deterministic` they take turns in a fixed
    order. With the option `workers` at 1 there is no portfolio.

    Args:
        built: The program.
        ctx: Run context.
        better: Asked for a good point between the two, may return None.

    Raises:
        Cancelled: Interrupted as a KeyboardInterrupt.
        PluginError: CP-SAT refuses the program.
    """
    workers = int(ctx.options.get("workers", 0))
    workers = workers if workers > 0 else max(PORTFOLIO, os.cpu_count() or 1)
    alone = run(built, ctx, effort=EASY)
    if alone.status in ("optimal", "infeasible") or alone.interrupted or ctx.remaining() == 0.0:
        return alone
    start = better()
    if start is None and alone.value is not None:
        start = built.point(alone.value)
    if start is not None:
        built.hint(start)
    return _better(alone, run(built, ctx, workers=workers))


def _better(first: Ending, second: Ending) -> Ending:
    """The better point of two runs, with the better bound."""
    bounds = [ending.bound for ending in (first, second) if ending.bound is not None]
    bound = max(bounds, default=None)
    if second.status == "infeasible" or first.value is None:
        return replace(second, bound=bound)
    worse = (
        second.objective is not None
        and first.objective is not None
        and first.objective < second.objective
    )
    if second.value is None or worse:
        return replace(first, bound=bound, interrupted=second.interrupted)
    return replace(second, bound=bound)
