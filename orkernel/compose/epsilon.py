"""Pareto fronts by the ε-constraint method, over any exact single-objective agent."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from orkernel.compose.search import SAME, Efficient, Search, Stopped
from orkernel.compose.zones import Zones
from orkernel.fronts import compromise, nondominated
from orkernel.records import Guarantee
from orkernel.solution import ParetoPoint, Solution, Status

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.compose.stages import Solve
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.verify import Verification

FRONT_POINTS = 21
"""Points of a front that cannot be complete, if the user names no number."""
COMPLETE_POINTS = 1000
"""Most points of a complete front, if the user names no number."""
SOLVES_PER_POINT = 10
"""Most solves for each point wanted."""
MAX_SOLVES = 1000
"""Most solves for three or more objectives, if the user names no number of points."""


def exact_front(
    model: Model, solve: Solve, ctx: RunContext, free: str | None = None
) -> tuple[Solution, list[Verification]]:
    """The Pareto front of a model's objectives, each of its points proven efficient.

    Two objectives: the ends by lexicographic solves, then the best of one under a limit ε on
    the other (Haimes, Lasdon and Wismer 1971). If the limited one moves in steps, as sums
    over integers do, ε goes down step by step and the front is complete; else it halves
    the widest gap until `ctx.front_points` points are found. Three and more: see `Zones`.

    Args:
        model: At least two objectives; priorities and weights are not looked at.
        solve: Solves a single-objective model to global optimality.
        ctx: `front_points` is the wanted number of points, the deadline ends the search.
        free: Name of an objective that the agent cannot take as a constraint (two objectives).

    Returns:
        The front, and the check of every solve. Its assumptions say whether it is complete.

    Raises:
        Unsupported: The agent cannot take a single-objective model.
        Cancelled: Interrupted before there was a point.
    """
    search = Search(model, solve, ctx, free)
    stopped: Stopped | None = None
    complete = False
    try:
        complete = _two(search) if search.size == 2 else _many(search)
    except Stopped as end:
        stopped = end
    return _result(search, complete, stopped), search.checks


# ----------------------------------------------------------------------------- two objectives


def _two(search: Search) -> bool:
    """Find the front of two objectives; True if it is complete."""
    if search.free is not None:
        main = search.free
    else:
        main = 0 if search.steps[1] is not None or search.steps[0] is None else 1
    limited = 1 - main
    low = _end(search, limited)
    high = _end(search, main)
    if search.same(low.losses, high.losses):
        return low.proven and high.proven
    wanted, step = search.ctx.front_points, search.steps[limited]
    if step is not None:
        possible = (high.losses[limited] - low.losses[limited]) / step + 1.0
        if wanted is None or possible <= wanted:
            return _sweep(search, main, low, high, step)
    return _spread(search, main, low, high, wanted or FRONT_POINTS)


def _end(search: Search, main: int) -> Efficient:
    """The end of the front where an objective is best."""
    found = search.best(main)
    if found is None:
        raise Stopped("no point satisfies the constraints", search.last)
    if not any(np.array_equal(found.losses, p.losses) for p in search.points):
        search.keep(found)
    return found


def _sweep(search: Search, main: int, low: Efficient, high: Efficient, step: float) -> bool:
    """Every efficient point from one end to the other, the limit going down step by step."""
    limited = 1 - main
    last = low.losses[limited] + step / 2
    limit = high.losses[limited] - step / 2
    while limit > last:
        if len(search.points) >= COMPLETE_POINTS:
            return False
        found = search.best(main, {limited: limit})
        if found is None or found.losses[limited] > limit:
            raise Stopped("its values are too large to tell one step from the next")
        if found.losses[limited] <= last:
            break
        search.keep(found)
        limit = found.losses[limited] - step / 2
    return all(p.proven for p in search.points)


def _spread(search: Search, main: int, low: Efficient, high: Efficient, wanted: int) -> bool:
    """Points spread over the front: the limit halves the widest gap that is still open."""
    limited = 1 - main
    ranges = search.ranges
    step = search.steps[limited]
    least = SAME * ranges[limited] if step is None else 0.75 * step
    gaps = [(low.losses[limited], high.losses[limited], low, high)]
    while gaps and len(search.points) < wanted and search.solves < SOLVES_PER_POINT * wanted:
        widest = max(range(len(gaps)), key=lambda i: _width(gaps[i], limited, ranges))
        bottom, top, below, above = gaps.pop(widest)
        limit = (bottom + top) / 2
        found = search.best(main, {limited: limit})
        if found is None:
            raise Stopped("a limit between two points was found infeasible")
        value = found.losses[limited]
        halves = [(limit, top, below, above)]
        if value > bottom + least:
            search.keep(found)
            halves = [(limit, top, found, above), (bottom, value, below, found)]
        gaps += [gap for gap in halves if gap[1] - gap[0] > least]
    return not gaps and step is not None and all(p.proven for p in search.points)


_Gap = tuple[float, float, Efficient, Efficient]


def _width(gap: _Gap, limited: int, ranges: Floats) -> float:
    """Distance between the neighbours of a gap, as far as the gap is still open."""
    bottom, top, below, above = gap
    across = (above.losses - below.losses) / ranges
    return float(np.hypot(*across) * (top - bottom) / (above.losses - below.losses)[limited])


# ----------------------------------------------------------------------------- three and more


def _many(search: Search) -> bool:
    """Find points of a front of three or more objectives; True if it is complete."""
    ends = np.array([_end(search, main).losses for main in range(search.size)])
    ideal, nadir = ends.min(axis=0), ends.max(axis=0)
    if search.same(ideal, nadir):
        return all(p.proven for p in search.points)
    wanted = search.ctx.front_points
    steps = search.steps
    stepped = all(s is not None for s in steps)
    most = wanted or (COMPLETE_POINTS if stepped else FRONT_POINTS)
    solves = MAX_SOLVES if wanted is None else max(MAX_SOLVES, SOLVES_PER_POINT * wanted)
    parts = 2.0 * np.ceil(most ** (1.0 / (search.size - 1)))
    margins = np.array(
        [
            (worst - best) / parts if step is None else step / 2
            for step, best, worst in zip(steps, ideal, nadir, strict=True)
        ]
    )
    zones = Zones(ideal, nadir, np.maximum(margins, 1e-9))
    for end in search.points:
        zones.split(end.losses)
    while len(zones.corners) and len(search.points) < most and search.solves < solves:
        zone = zones.largest()
        found = search.central(zones.limits(zone))
        if found is None:
            zones.discard(zone)
        elif zones.split(found.losses):
            search.keep(found)
        else:
            raise Stopped("its values are too large to tell one step from the next")
    finished = stepped and not len(zones.corners) and zones.exhausted
    return finished and all(p.proven for p in search.points)


# ----------------------------------------------------------------------------- the answer


def _result(search: Search, complete: bool, stopped: Stopped | None) -> Solution:
    """The front that was found, or the status that says why there is none."""
    ended = stopped.solution if stopped is not None else None
    unbounded = ended is not None and ended.status in _NO_FRONT
    if ended is not None and (unbounded or not search.points):
        message = f"{stopped}: {ended.message}" if ended.message else str(stopped)
        return replace(ended, objective=None, bound=None, duals=None, message=message)
    points = _filtered(search)
    exact = all(p.proven for p in points)
    best = points[compromise([p.losses for p in points], [False] * search.size)]
    signs = np.where(search.maximize, -1.0, 1.0)
    return Solution(
        Status.PARETO_FRONT,
        search.identity,
        values=best.values,
        guarantee=Guarantee.GLOBAL if exact else Guarantee.HEURISTIC,
        pareto=tuple(ParetoPoint(tuple((p.losses * signs).tolist()), p.values) for p in points),
        message=str(stopped) if stopped is not None else "",
        seconds=search.seconds,
        assumptions=(*search.notes, _extent(len(points), complete, exact, stopped)),
        statistics={"front_points": len(points), "front_solves": search.solves},
    )


_NO_FRONT = (Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED)


def _extent(count: int, complete: bool, exact: bool, stopped: Stopped | None) -> str:
    """How much of the front was computed, in words."""
    points = f"{count} point{'s' * (count != 1)}"
    if complete:
        return f"the Pareto front is complete: it has {points} (ε-constraint method)"
    about = "" if exact else ", optimal only within the solver's gap"
    if stopped is not None:
        return (
            f"{points} of the Pareto front were computed{about} (ε-constraint method); there may "
            f"be more: {stopped}"
        )
    return (
        f"{points} spread over the Pareto front were computed{about} (ε-constraint method); it "
        "has more: ask for them with --front-points"
    )


def _filtered(search: Search) -> list[Efficient]:
    """The points in order of the first objective, without unproven ones where others are proven.

    Of points that are the same, or dominated within the tolerance of the solves, one stays.
    """
    proven = [p for p in search.points if p.proven]
    points = proven if proven and search.ctx.gap is None else search.points
    found = np.array([p.losses for p in points])
    ranges = search.ranges
    same = np.array(
        [
            SAME if step is None else min(SAME, 0.25 * step / extent)
            for step, extent in zip(search.steps, ranges, strict=True)
        ]
    )
    scaled = (found - found.min(axis=0)) / ranges
    keep = np.flatnonzero(nondominated(scaled, [False] * search.size, same))
    order = keep[np.lexsort(found[keep].T[::-1])]
    return [points[i] for i in order]
