"""The search itself: generation after generation, in a box that grows where bounds are missing."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.fronts import COMPILED_OBJECTIVES
from orkernel.records import Event
from orkernel_pymoo.answer import hypervolume
from orkernel_pymoo.enumeration import best_of_all, countable
from orkernel_pymoo.evaluation import WORST, Evaluation
from orkernel_pymoo.mending import Mender
from orkernel_pymoo.problem import PopulationProblem, started
from orkernel_pymoo.refining import end_weights, refine
from orkernel_pymoo.space import RADII

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel_pymoo.settings import Settings
    from orkernel_pymoo.space import SearchSpace

    Floats = NDArray[np.float64]

REPORT_SECONDS = 1.0
"""Least time between two reports of an incumbent."""
PATIENCE = 50
"""Generations without progress after which a single objective is left alone."""
PROGRESS = 1e-9
"""Relative improvement that counts as progress."""
EDGE = 0.02
"""A point is at the edge of the box if it is this near, relative to the box."""
SAMPLE = 64
"""Random points from which the ends of a front are looked for."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """What the search ended with.

    Attributes:
        points: Best points of the search, shape `(points, columns)`: nondominated and within
            the tolerances, or the least violated where none is.
        feasible: Whether `points` are within the search's tolerances.
        generations: Generations run.
        radius: Half-width of the last box; None if every column is bounded.
        at_edge: Searched columns whose best points lie at an edge that is not their own.
        stopped: `time`, `cancelled`, or empty.
    """

    points: Floats
    feasible: bool
    generations: int
    radius: float | None
    at_edge: tuple[int, ...]
    stopped: str


def search(
    space: SearchSpace, evaluation: Evaluation, settings: Settings, ctx: RunContext
) -> Found:
    """Search until the budget, the time or the user ends it.

    Args:
        space: What is searched; at least one column.
        evaluation: Evaluates points; counts them.
        settings: Algorithm and budget, per box.
        ctx: Deadline, cancellation, events.
    """
    if _stop(ctx):
        return Found(np.zeros((0, space.columns.size)), False, 0, None, (), _stop(ctx))
    if countable(space):
        return Found(*best_of_all(evaluation), 0, None, (), "")
    given = _given(space)
    generations = 0
    radii = RADII if space.open_sides.any() else (0.0,)
    found: Found | None = None
    for attempt, radius in enumerate(radii):
        lower, upper = space.box(radius)
        problem = PopulationProblem(evaluation, lower, upper)
        mender = Mender.of(space, lower, upper)
        if mender.impossible:
            continue
        start = given if mender.middle is None else np.vstack([given, mender.middle])
        start = mender.mend(start, lower, upper)
        if settings.polish and len(evaluation.maximize) > 1 and len(space.model.rows):
            start = np.vstack([start, _ends(evaluation, mender, start, problem, settings, ctx)])
        algorithm = started(problem, settings, mender, start, settings.seed + attempt)
        ended = list(_generations(algorithm, evaluation, ctx))
        generations += len(ended)
        stopped = ended[-1] if ended else ""
        if algorithm.pop is None or not len(algorithm.pop):
            break
        points, feasible = _best(algorithm)
        leaders = algorithm.opt.get("X").astype(np.float64)
        edge = _at_edge(space, leaders, lower, upper) if radius else ()
        found = Found(points, feasible, generations, radius or None, edge, stopped)
        if stopped or (feasible and not edge):
            break
        given = np.vstack([points[: settings.population // 2], given])
    if found is None:
        nothing = np.zeros((0, space.columns.size))
        return Found(nothing, False, generations, None, (), _stop(ctx))
    return found


def _given(space: SearchSpace) -> Floats:
    """The starting values of the model, where it has any; else the point nearest to 0."""
    start = space.model.columns.start[space.columns]
    low = np.where(np.isfinite(space.lower), space.lower, -np.inf)
    high = np.where(np.isfinite(space.upper), space.upper, np.inf)
    points = [np.clip(np.zeros(low.size), low, high)]
    if np.isfinite(start).any():
        points.insert(0, np.clip(np.where(np.isfinite(start), start, points[0]), low, high))
    found: Floats = np.array(points)
    return found


def _ends(
    evaluation: Evaluation,
    mender: Mender,
    start: Floats,
    problem: PopulationProblem,
    settings: Settings,
    ctx: RunContext,
) -> Floats:
    """Ends of the front as far as local search finds them, from the best of a random sample."""
    rng = np.random.default_rng(settings.seed)
    drawn = problem.xl + rng.random((SAMPLE, problem.n_var)) * (problem.xu - problem.xl)
    sample = np.vstack([start, mender.mend(drawn, problem.xl, problem.xu)])
    loss, violation = evaluation(sample)
    ends = []
    for k in range(loss.shape[1]):
        best = sample[np.lexsort((loss[:, k], violation))[0]]
        x = evaluation.space.decode(best[None, :])[0]
        refined = refine(evaluation, x, ctx, end_weights(loss[loss[:, k] < WORST], k))
        ends.append(refined[evaluation.space.columns])
    return mender.mend(np.array(ends), problem.xl, problem.xu)


def _generations(algorithm: Any, evaluation: Evaluation, ctx: RunContext) -> Iterator[str]:
    """Run generations; each yields why the search stops after it, or an empty string."""
    watch = _Watch(evaluation, ctx)
    while algorithm.has_next():
        if _stop(ctx):
            return
        algorithm.next()
        watch.look(algorithm)
        yield (stop := _stop(ctx))
        if stop or watch.idle >= PATIENCE or watch.done:
            return


def _stop(ctx: RunContext) -> str:
    """Why to stop now, or an empty string."""
    if ctx.cancelled:
        return "cancelled"
    return "time" if ctx.remaining() == 0.0 else ""


class _Watch:
    """Reports incumbents and notices when a single objective stops improving."""

    def __init__(self, evaluation: Evaluation, ctx: RunContext) -> None:
        self.evaluation = evaluation
        self.ctx = ctx
        self.best = np.inf
        self.idle = 0
        self.done = False
        self.reported = -np.inf

    def look(self, algorithm: Any) -> None:
        """After a generation."""
        opt = algorithm.opt
        if opt is None or not len(opt) or not bool(np.all(opt.get("CV") <= 0.0)):
            return
        maximize = self.evaluation.maximize
        if len(maximize) > 1:
            self._report(algorithm, opt.get("F"))
            return
        best = float(opt.get("F")[0, 0])
        self.done = not maximize
        if best < self.best - PROGRESS * max(1.0, abs(best)):
            self.best, self.idle = best, 0
            self._report(algorithm, opt.get("F"))
        else:
            self.idle += 1

    def _report(self, algorithm: Any, found: Floats) -> None:
        now = time.monotonic()
        if now - self.reported < REPORT_SECONDS:
            return
        self.reported = now
        signs = np.where(self.evaluation.maximize, -1.0, 1.0)
        data: dict[str, Any] = {
            "generation": int(algorithm.n_gen) - 1,
            "evaluations": self.evaluation.evaluations,
        }
        if len(signs) == 1:
            data["objective"] = float(found[0, 0] * signs[0])
            words = f"{data['objective']:.9g}"
        elif len(signs) > 1:
            data["points"] = len(found)
            words = f"front of {len(found)} points"
            if len(signs) <= COMPILED_OBJECTIVES:
                data["hypervolume"] = hypervolume(found, [False] * len(signs))
                words += f", hypervolume {data['hypervolume']:.4f}"
        else:
            words = "feasible point"
        message = f"generation {data['generation']}: {words}"
        self.ctx.emit(Event("solver.incumbent", "solve", message, data))


def _best(algorithm: Any) -> tuple[Floats, bool]:
    """The best points of the last generation, and whether they are within the tolerances."""
    population = algorithm.pop
    violation = population.get("CV")[:, 0]
    X: Floats = population.get("X").astype(np.float64)
    if np.any(violation <= 0.0):
        inside = violation <= 0.0
        X, F = X[inside], population.get("F")[inside]
        order = np.lexsort((*F.T[::-1],)) if F.shape[1] == 1 else np.arange(len(X))
        return X[order], True
    return X[np.argsort(violation, kind="stable")], False


def _at_edge(space: SearchSpace, points: Floats, lower: Floats, upper: Floats) -> tuple[int, ...]:
    """Columns, by their number in the model, with points at an edge that is not their bound."""
    margin = EDGE * (upper - lower)
    low = ~np.isfinite(space.lower) & np.any(points <= lower + margin, axis=0)
    high = ~np.isfinite(space.upper) & np.any(points >= upper - margin, axis=0)
    return tuple(space.columns[np.flatnonzero(low | high)].tolist())
