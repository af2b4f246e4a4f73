"""What is not enumerated: convex cuts where they apply, else local and global search."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize

from orkernel.records import Guarantee
from orkernel.solution import Certificate, Solution, SolverIdentity, Status
from orkernel_numpy.cuts import Convex, ConvexProgram, Master, cut
from orkernel_numpy.descent import FAR, Smooth, Stopped, pattern_search
from orkernel_numpy.population import evolve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel_numpy.domain import Domain
    from orkernel_numpy.judging import Judge

    Floats = NDArray[np.float64]

WINDOW = 1e3
"""Half-width of the window searched where a bound is missing, relative to the start."""
WIDER = 4
"""How often the window grows tenfold while the best point lies at its edge."""
EDGE = "the best point lies at the edge of the searched window; the model may be unbounded"
LOCAL_COLUMNS = 400
"""Most continuous columns for a local search by differences."""


def search(
    model: Model, domain: Domain, judge: Judge, ctx: RunContext, solver: SolverIdentity
) -> Solution:
    """The best point that cuts or search find, labelled with what stands behind it."""
    program = ConvexProgram.of(model, judge.signs)
    outcome = Convex() if program is None else cut(program, domain, judge)
    if outcome.infeasible and judge.best is None:
        return Solution(
            Status.INFEASIBLE, solver, message="the constraints' tangents contradict each other"
        )
    if outcome.proven:
        return Solution(
            Status.OPTIMAL,
            solver,
            values=judge.best,
            objective=judge.objective,
            bound=judge.objective,
            message="convex: value and bound of the cutting planes meet",
            statistics={"cut_rounds": float(outcome.rounds)},
        )
    relaxed = _relaxed_point(domain, judge)
    if relaxed is not None and not relaxed.size and domain.lower.size:
        return Solution(
            Status.INFEASIBLE, solver, message="the linear constraints contradict each other"
        )
    if domain.all_linear and _is_linear(model):
        if judge.best is None and relaxed is not None and relaxed.size:
            judge.assess(np.where(domain.integer, np.round(relaxed), relaxed)[np.newaxis])
        ray = _ray(model, domain, judge)
        if ray is not None and judge.best is not None:
            return Solution(
                Status.UNBOUNDED,
                solver,
                values=judge.best,
                certificate=Certificate("primal_ray", ray),
                message="the objective improves for ever along a direction",
            )
    judge.tighten()
    notes: list[str] = []
    with suppress(Stopped):
        notes = _searched(domain, judge, ctx, relaxed)
    judge.settle()
    return _labelled(domain, judge, ctx, solver, outcome, notes)


def _relaxed_point(domain: Domain, judge: Judge) -> Floats | None:
    """A point of the linear rows and whole numbers; empty if there is none, None if unknown."""
    if not domain.lower.size:
        return np.zeros(0)
    return Master(domain, 0).solve(domain.lower, domain.upper, judge)


def _is_linear(model: Model) -> bool:
    return bool(model.formulation.objectives) and all(
        kind == "linear" for kind in model.structure.objective_class.values()
    )


def _ray(model: Model, domain: Domain, judge: Judge) -> Floats | None:
    """A direction of the linear rows along which the linear objective improves."""
    (objective,) = model.derive(constraints=()).linear().objectives
    cost = objective.cost * judge.signs[0]
    below = np.where(np.isfinite(domain.row_lower), 0.0, -np.inf)
    above = np.where(np.isfinite(domain.row_upper), 0.0, np.inf)
    answer = optimize.milp(
        cost,
        bounds=optimize.Bounds(
            np.where(np.isfinite(model.columns.lower), 0.0, -1.0),
            np.where(np.isfinite(model.columns.upper), 0.0, 1.0),
        ),
        constraints=[optimize.LinearConstraint(domain.matrix.tocsc(), below, above)],
    )
    if answer.status != 0 or answer.fun >= -1e-7:
        return None
    found: Floats = np.asarray(answer.x, np.float64)
    return found


# ----------------------------------------------------------------------------- search


def _searched(domain: Domain, judge: Judge, ctx: RunContext, relaxed: Floats | None) -> list[str]:
    """Local searches from several starts, then a population, then local again."""
    if judge.stopped:
        return []
    generator = np.random.default_rng([ctx.seed, 3])
    centre = _centre(domain, judge, relaxed)
    reach = WINDOW
    for attempt in range(WIDER):
        window = _window(domain, centre, reach)
        starts = [centre] if attempt == 0 else []
        if relaxed is not None and relaxed.size and attempt == 0:
            starts.append(relaxed)
        count = max(0, int(ctx.options.get("starts", 8)) - len(starts))
        starts += list(generator.uniform(*window, (count, centre.size)))
        for start in starts:
            _descend(judge, domain, start)
        evolve(judge, domain, window, ctx.seed + attempt)
        origin = _least_violated(judge, starts) if judge.best is None else judge.best
        pattern_search(judge, domain, origin, generator)
        if judge.best is not None:
            _descend(judge, domain, judge.best)
            if not _at_edge(judge.best, domain, window):
                return []
            centre = judge.best
        elif np.all(np.isfinite(domain.upper - domain.lower)):
            return []
        reach *= 10
    return [] if judge.best is None else [EDGE]


def _at_edge(x: Floats, domain: Domain, window: tuple[Floats, Floats]) -> bool:
    """Whether a point lies at or beyond a side of the window that is no bound."""
    low, high = window
    near = 1e-3 * (high - low)
    beyond = ((x <= low + near) & (low > domain.lower)) | (
        (x >= high - near) & (high < domain.upper)
    )
    return bool(beyond.any())


def _centre(domain: Domain, judge: Judge, relaxed: Floats | None) -> Floats:
    start = judge.model.columns.start
    fallback = np.zeros(start.size) if relaxed is None or not relaxed.size else relaxed
    middle = np.where(
        np.isfinite(domain.lower + domain.upper), (domain.lower + domain.upper) / 2, fallback
    )
    centre: Floats = np.clip(
        np.where(np.isfinite(start), start, middle), domain.lower, domain.upper
    )
    return centre


def _window(domain: Domain, centre: Floats, reach: float) -> tuple[Floats, Floats]:
    """Finite bounds: the domain's own, or a distance from the centre."""
    spread = reach * np.maximum(1.0, np.abs(centre) / 100)
    below = np.maximum(np.floor(centre - spread), -FAR)
    above = np.minimum(np.ceil(centre + spread), FAR)
    low = np.where(np.isfinite(domain.lower), domain.lower, below)
    high = np.where(np.isfinite(domain.upper), domain.upper, above)
    return np.minimum(low, high), np.maximum(low, high)


def _descend(judge: Judge, domain: Domain, start: Floats) -> None:
    if int((~domain.integer).sum()) > LOCAL_COLUMNS:
        return
    if judge.stopped:
        raise Stopped
    judge.assess(np.where(domain.integer, np.round(start), start)[np.newaxis])
    Smooth(judge, domain, start).descend()


def _least_violated(judge: Judge, starts: list[Floats]) -> Floats:
    if not starts:
        return np.zeros(len(judge.model.columns))
    whole = np.where(judge.model.columns.integer, np.round(starts), starts)
    ranks = judge.rank(whole)
    found: Floats = whole[min(range(len(ranks)), key=ranks.__getitem__)]
    return found


# ----------------------------------------------------------------------------- label


def _labelled(
    domain: Domain,
    judge: Judge,
    ctx: RunContext,
    solver: SolverIdentity,
    outcome: Convex,
    notes: list[str],
) -> Solution:
    if judge.best is None:
        late = ctx.remaining() == 0.0 or ctx.cancelled
        return Solution(
            Status.TIME_LIMIT if late else Status.ERROR,
            solver,
            guarantee=Guarantee.HEURISTIC,
            message="stopped before a feasible point was found"
            if late
            else "the search found no feasible point, which does not prove that there is none",
        )
    if not len(judge.signs):
        return Solution(
            Status.OPTIMAL, solver, values=judge.best, message="a feasible point was asked for"
        )
    bound = outcome.bound * judge.signs[0] if np.isfinite(outcome.bound) else None
    local = not notes and not judge.stopped and _is_local(judge, domain)
    return Solution(
        Status.FEASIBLE,
        solver,
        values=judge.best,
        objective=judge.objective,
        bound=bound,
        guarantee=Guarantee.LOCAL if local else Guarantee.HEURISTIC,
        message="first-order optimality conditions hold" if local else "best point of a search",
        assumptions=tuple(notes),
    )


def _is_local(judge: Judge, domain: Domain) -> bool:
    assert judge.best is not None
    if domain.integer.any() or domain.integer.size > LOCAL_COLUMNS:
        return False
    try:
        return Smooth(judge, domain, judge.best).is_stationary()
    except Stopped:
        return False
