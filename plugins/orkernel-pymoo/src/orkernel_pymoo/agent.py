"""PymooAgent: Pareto fronts and single objectives by evolutionary search."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pymoo

from orkernel.errors import Cancelled, Unsupported
from orkernel.records import Guarantee
from orkernel.solution import Solution, SolverIdentity, Status
from orkernel_pymoo import orkernel_solver_agents
from orkernel_pymoo.answer import best_single, checked_points, ends, front, summary
from orkernel_pymoo.evaluation import Evaluation
from orkernel_pymoo.search import Found, search
from orkernel_pymoo.settings import Settings
from orkernel_pymoo.space import SearchSpace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem

    Floats = NDArray[np.float64]

"""Name of the picture of the front in the run folder."""
ALGORITHMS = {"nsga2": "NSGA-II", "nsga3": "NSGA-III", "ga": "GA", "de": "DE"}


class PymooAgent:
    """Searches the front of several objectives, or the best point of one."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        """Solve a model heuristically.

        Args:
            problem: What the user gave; not used.
            model: Any number of objectives of one priority.
            ctx: Seed, deadline, cancellation, options, wanted size of a front.

        Returns:
            `pareto_front` for several objectives, `feasible` for one or none, both labelled
            heuristic; `time_limit` if no feasible point was found in the time or the budget.

        Raises:
            Unsupported: An element cannot be evaluated at a population, or objectives are
                ordered by priority.
            UsageError: An option does not fit the model.
            Cancelled: Interrupted before a feasible point was found.
        """
        del problem
        began = time.perf_counter()
        _refuse(model)
        objectives = len(model.formulation.objectives)
        settings = Settings.of(
            ctx, objectives, len(model.columns), bool(model.columns.integer.any())
        )
        solution = _solve(model, settings, ctx)
        name = f"pymoo {ALGORITHMS[settings.algorithm]}"
        return replace(
            solution,
            solver=SolverIdentity("pymoo", name, str(pymoo.__version__)),
            guarantee=Guarantee.HEURISTIC,
            seconds=time.perf_counter() - began,
        )


def _nobody() -> SolverIdentity:
    return SolverIdentity("pymoo", "pymoo", str(pymoo.__version__))


def _refuse(model: Model) -> None:
    """Raise for what this agent does not take."""
    (spec,) = orkernel_solver_agents()
    (supported,) = spec.supports
    lacking = sorted(model.needs - supported)
    if lacking:
        classes = {
            **{f"constraint '{n}'": c for n, c in model.structure.constraint_class.items()},
            **{f"objective '{n}'": c for n, c in model.structure.objective_class.items()},
        }
        element = next((e for e, c in classes.items() if c in lacking), "the model")
        raise Unsupported(element, f"{lacking[0]} is not searched for by evolution")
    if len({o.priority for o in model.formulation.objectives}) > 1:
        raise Unsupported(
            "objectives", "they are ordered by priority; a front has objectives of equal rank"
        )


def _solve(model: Model, settings: Settings, ctx: RunContext) -> Solution:
    if ctx.remaining() == 0.0:
        return Solution(Status.TIME_LIMIT, _nobody(), message="no time left to start the search")
    columns = model.columns
    whole_low, whole_high = np.ceil(columns.lower), np.floor(columns.upper)
    lower = np.where(columns.integer, whole_low, columns.lower)
    upper = np.where(columns.integer, whole_high, columns.upper)
    crossed = np.flatnonzero(lower > upper)
    if crossed.size:
        label = columns.label(int(crossed[0]))
        message = f"no search: no value of {label} lies within its bounds"
        return Solution(Status.ERROR, _nobody(), message=message)
    space = SearchSpace.of(model.derive(lower=lower, upper=upper))
    evaluation = Evaluation(space, settings.equality_tolerance)
    if space.columns.size:
        found = search(space, evaluation, settings, ctx)
    else:
        found = Found(np.zeros((1, 0)), True, 0, None, (), "")
    points = checked_points(evaluation, found, ctx) if len(found.points) else []
    solution = _answered(evaluation, settings, found, points, ctx)
    statistics = {
        "generations": float(found.generations),
        "evaluations": float(evaluation.evaluations),
        "population": float(settings.population),
        **solution.statistics,
    }
    return replace(solution, statistics=statistics)


def _answered(
    evaluation: Evaluation,
    settings: Settings,
    found: Found,
    points: list[Floats],
    ctx: RunContext,
) -> Solution:
    model = evaluation.space.model
    solution: Solution | None = None
    if len(evaluation.maximize) > 1:
        if settings.polish:
            points = [*points, *ends(evaluation, points, ctx)]
        members = front(evaluation, points, settings.wanted)
        if members:
            middle, statistics = summary(members, evaluation.maximize)
            solution = Solution(
                Status.PARETO_FRONT,
                _nobody(),
                values=members[middle].values,
                pareto=members,
                statistics=statistics,
            )
    else:
        best = best_single(evaluation, points, settings.polish, ctx)
        if best is not None:
            values, objective = best
            solution = Solution(Status.FEASIBLE, _nobody(), values=values, objective=objective)
    if solution is None:
        if ctx.cancelled:
            raise Cancelled
        message = (
            f"no feasible point was found in {found.generations} generations "
            f"({evaluation.evaluations} points); a heuristic cannot prove that there is none"
        )
        status = Status.TIME_LIMIT if found.stopped == "time" else Status.ERROR
        return Solution(status, _nobody(), message=message)
    return replace(
        solution,
        message=_ending(found),
        assumptions=(*model.assumptions(), *_assumptions(evaluation, settings, found)),
    )


def _ending(found: Found) -> str:
    how = {"time": "stopped at the time limit", "cancelled": "interrupted"}
    words = f"{how.get(found.stopped, 'finished')} after {found.generations} generations"
    if found.at_edge:
        words += "; the best points lie at the edge of the searched box: it may be unbounded"
    return words


def _assumptions(evaluation: Evaluation, settings: Settings, found: Found) -> list[str]:
    model = evaluation.space.model
    notes = []
    if evaluation.relaxed:
        notes.append(
            "equations that could not be eliminated were held within "
            f"{settings.equality_tolerance:g}·max(1, |right side|) during the search; every "
            "point of the answer was then moved onto them and holds within 1e-6"
        )
    if found.radius is not None:
        named = [
            model.columns.label(int(j))
            for j in evaluation.space.columns[evaluation.space.open_sides]
        ]
        shown = ", ".join(named[:5]) + (f" and {len(named) - 5} more" if len(named) > 5 else "")
        notes.append(f"no bound was given for {shown}: searched up to {found.radius:g} away")
    if found.at_edge:
        labels = ", ".join(model.columns.label(j) for j in found.at_edge[:5])
        notes.append(
            f"the best points still lie at the edge of the searched box in {labels}: "
            "the model may be unbounded"
        )
    weighted = [o.name for o in model.formulation.objectives if o.weight is not None]
    if len(evaluation.maximize) > 1 and weighted:
        notes.append(f"the weight of objective '{weighted[0]}' plays no part in a front")
    return notes
