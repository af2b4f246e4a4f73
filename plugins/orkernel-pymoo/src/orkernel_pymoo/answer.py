"""From the points of a search to an answer of which every point has been checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pymoo.indicators.hv import HV

from orkernel.fronts import (
    COMPILED_OBJECTIVES,
    REFERENCE_MARGIN,
    compromise,
    losses,
    nondominated,
)
from orkernel.solution import ParetoPoint
from orkernel.verify import ROW_TOLERANCE, check_point
from orkernel_pymoo.projection import project
from orkernel_pymoo.refining import end_weights, refine

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel_pymoo.evaluation import Evaluation
    from orkernel_pymoo.search import Found

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

CLOSEST = 20
"""Points that are mended at the end if the search found none within its tolerances."""
REFINED = 3
"""Best points of a single objective that are refined locally."""
EQUAL = 1e-9
"""Relative difference within which two objective values count as one."""


def checked_points(evaluation: Evaluation, found: Found, ctx: RunContext) -> list[Floats]:
    """Points of the search that hold within the kernel's tolerance, moved where they must be."""
    points = found.points if found.feasible else found.points[:CLOSEST]
    return _mended(evaluation, evaluation.space.decode(points), ctx)


def ends(evaluation: Evaluation, points: list[Floats], ctx: RunContext) -> list[Floats]:
    """Refined ends of a front: from the best point in each objective."""
    if not points:
        return []
    loss = _losses(evaluation, np.array(points))
    refined = [
        refine(evaluation, points[int(np.argmin(loss[:, k]))], ctx, end_weights(loss, k))
        for k in range(loss.shape[1])
    ]
    return _mended(evaluation, np.array(refined), ctx)


def _mended(evaluation: Evaluation, X: Floats, ctx: RunContext) -> list[Floats]:
    """The points that hold, after those that do not were moved onto the rows."""
    wrong = ~_holds(evaluation, X)
    X[wrong] = project(evaluation.space.model, X[wrong], ctx)
    return list(X[_holds(evaluation, X)])


def _holds(evaluation: Evaluation, X: Floats) -> Bools:
    """Which points keep rows, bounds and defined objectives; `check_point` has the last word."""
    model = evaluation.space.model
    values = model.evaluate(X)
    evaluation.evaluations += len(X)
    columns = model.columns
    good: Bools = np.all(values.violations <= ROW_TOLERANCE * values.scales, axis=1)
    good &= np.all(np.isfinite(values.objectives), axis=1)
    for bound, sign in ((columns.lower, 1.0), (columns.upper, -1.0)):
        finite = np.isfinite(bound)
        limit = bound[finite]
        excess = sign * (limit - X[:, finite]) / np.maximum(1.0, np.abs(limit))
        good &= np.all(excess <= ROW_TOLERANCE, axis=1)
    return good


def best_single(
    evaluation: Evaluation, points: list[Floats], polish: bool, ctx: RunContext
) -> tuple[Floats, float | None] | None:
    """The best checked point of one objective (or none), and its value in its own sense."""
    model = evaluation.space.model
    if not points:
        return None
    if not evaluation.maximize:
        for point in points:
            if check_point(model, point).verified:
                return point, None
        return None
    candidates = points
    if polish:
        order = np.argsort(_losses(evaluation, np.array(points))[:, 0], kind="stable")
        best = [points[k] for k in order[:REFINED]]
        refined = [refine(evaluation, point, ctx, np.ones(1)) for point in best]
        candidates = [*points, *_mended(evaluation, np.array(refined), ctx)]
    for k in np.argsort(_losses(evaluation, np.array(candidates))[:, 0], kind="stable"):
        verification = check_point(model, candidates[k])
        if verification.verified and verification.values is not None:
            return verification.values, next(iter(verification.objectives.values()))
    return None


def _losses(evaluation: Evaluation, X: Floats) -> Floats:
    return losses(evaluation.space.model.evaluate(X).objectives, evaluation.maximize)


def front(
    evaluation: Evaluation, points: list[Floats], wanted: int | None
) -> tuple[ParetoPoint, ...]:
    """The nondominated checked points, at most `wanted`, ordered by their objectives.

    Args:
        evaluation: Evaluates points.
        points: Points of the model.
        wanted: Wanted number of points; None keeps all.
    """
    model, maximize = evaluation.space.model, evaluation.maximize
    kept = []
    for point in points:
        verification = check_point(model, point)
        if verification.verified and verification.values is not None:
            kept.append((tuple(verification.objectives.values()), verification.values))
    if not kept:
        return ()
    objectives = np.array([o for o, _ in kept])
    efficient = np.flatnonzero(nondominated(objectives, maximize, EQUAL))
    chosen = efficient[_spread(losses(objectives[efficient], maximize), wanted)]
    order = chosen[np.lexsort(objectives[chosen].T[::-1])]
    return tuple(ParetoPoint(kept[k][0], kept[k][1]) for k in order)


def _spread(points: Floats, wanted: int | None) -> list[int]:
    """Indices of at most `wanted` points far apart: best of each objective, then the farthest."""
    if wanted is None or len(points) <= wanted:
        return list(range(len(points)))
    extent = np.ptp(points, axis=0)
    scaled = (points - points.min(axis=0)) / np.where(extent > 0.0, extent, 1.0)
    chosen = list(dict.fromkeys(np.argmin(scaled, axis=0).tolist()))[: max(1, wanted)]
    distance = np.min(np.linalg.norm(scaled[:, None, :] - scaled[None, chosen, :], axis=2), axis=1)
    while len(chosen) < wanted:
        farthest = int(np.argmax(distance))
        chosen.append(farthest)
        gap = np.linalg.norm(scaled - scaled[farthest], axis=1)
        distance = np.minimum(distance, gap)
    return sorted(chosen)


def summary(members: tuple[ParetoPoint, ...], maximize: list[bool]) -> tuple[int, dict[str, float]]:
    """The compromise's position in a front, and figures of the front."""
    objectives = np.array([m.objectives for m in members])
    statistics = {"points": float(len(members))}
    if objectives.shape[1] <= COMPILED_OBJECTIVES:
        statistics["hypervolume"] = hypervolume(objectives, maximize)
    return compromise(objectives, maximize), statistics


def hypervolume(objectives: Floats, maximize: list[bool]) -> float:
    """The hypervolume as `orkernel.fronts.figures` defines it, by pymoo's compiled indicator.

    The kernel's own takes 20 s for 100 points of five objectives, this one milliseconds.

    Args:
        objectives: Shape `(points, m)`, each in its own sense.
        maximize: Per objective whether more is better.
    """
    points = losses(objectives, maximize)
    extent = np.ptp(points, axis=0)
    extent = np.where(extent > 0.0, extent, 1.0)
    reference = points.max(axis=0) + REFERENCE_MARGIN * extent
    return float(HV(ref_point=np.zeros(points.shape[1]))((points - reference) / extent))
