"""A good point of a routing problem: first solution, guided local search, completion, check."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from orkernel.verify import check_point
from orkernel_ortools.routing.completion import completed

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel_ortools.routing.tour import Tour


def improve(tour: Tour, ctx: RunContext, seconds: float) -> Floats | None:
    """Search for a good point of a routing problem.

    Args:
        tour: From `recognise`.
        ctx: Seed, deadline, cancellation.
        seconds: Wall-clock limit; the search ends earlier when it stops getting better.

    Returns:
        Values of all columns of a point that the model's evaluator finds feasible, shape `(n,)`;
        None where none was found, which proves nothing.
    """
    stop = time.monotonic() + seconds
    if ctx.deadline is not None:
        stop = min(stop, ctx.deadline)
    if ctx.cancelled or time.monotonic() >= stop:
        return None
    from orkernel_ortools.routing.search import Search

    search = Search.of(tour)
    routes = None if search is None else search.routes(ctx, stop)
    if routes is None:
        return None
    point = check_point(tour.model, completed(tour, routes))
    return point.values if point.verified else None
