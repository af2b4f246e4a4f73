"""SCIP on models with columns without bounds: within a box that holds every better point.

While columns are free SCIP often has no bound on the objective. A local optimum is quickly
known; what is no worse than it often lies within bounds that can be computed.
"""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orkernel_pyomo import building, rewriting, scip
from orkernel_pyomo.cutoff import Box, needs_box, search_box

if TYPE_CHECKING:
    from orkernel_pyomo.building import Built
    from orkernel_pyomo.job import Answer, Point, Request

SHARE = 0.2
"""Part of the time that the first local optimum may take."""
ABSOLUTE_GAP = 5e-7
"""Half of what counts as closed for an objective below 1 (`orkernel_pyomo.running.meets`)."""


def solve(content: dict[str, Any], request: Request, folder: Path) -> tuple[Answer, Point | None]:
    """Solve a graph to global optimality.

    Args:
        content: The graph (`orkernel_pyomo.job.read_graph`), without kinks.
        request: Deadline, gap, seed, starting points, memory.
        folder: Where the `.nl` files go.
    """
    request = replace(request, absolute_gap=ABSOLUTE_GAP)
    local, wide = building.from_graph(content), rewriting.for_scip(content)
    known = _known(local, request, folder) if needs_box(content) else None
    if known is not None and known[0].objective is not None:
        box = search_box(wide, known[0].objective)
        if box is not None:
            found = _within(box, wide, local, known, request, folder)
            if found is not None:
                return found
    return scip.solve(building.from_graph(wide), local, request, folder)


def _known(local: Built, request: Request, folder: Path) -> tuple[Answer, Point] | None:
    from orkernel_pyomo import nlp

    remaining = request.remaining()
    deadline = None if remaining is None else time.time() + SHARE * remaining
    return nlp.best_point(local, replace(request, deadline=deadline), folder)


def _within(
    box: Box,
    wide: dict[str, Any],
    local: Built,
    known: tuple[Answer, Point],
    request: Request,
    folder: Path,
) -> tuple[Answer, Point] | None:
    """What SCIP finds in the box, or the known point where that is better; None if neither."""
    built = building.from_graph(wide)
    box.tighten(built)
    answer, point = scip.solve(
        built, local, replace(request, subset=False), folder, cutoff=box.cutoff
    )
    words = (
        "variables were searched within bounds that any better point must satisfy "
        f"(objective at {'least' if wide['maximize'] else 'most'} {box.cutoff:.9g})"
    )
    answer = replace(answer, assumptions=(words,))
    if answer.ending not in ("optimal", "feasible", "limit"):
        return None
    first, start = known
    assert first.objective is not None
    sign = -1.0 if wide["maximize"] else 1.0
    if point is not None and answer.objective is not None:
        if answer.ending == "optimal":
            return None if box.is_active(point.values, local) else (answer, point)
        if sign * answer.objective <= sign * first.objective:
            return answer, point
    return replace(answer, ending="feasible", objective=first.objective), start
