"""Ipopt and Bonmin inside casadi, fed with the `.nl` file that Pyomo writes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

import casadi
import numpy as np
import pyomo.environ as pyo
from pyomo.repn.plugins.nl_writer import NLWriter

from orkernel_pyomo.job import Answer, Point

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel_pyomo.building import Built
    from orkernel_pyomo.job import Request

SPREAD = 10.0
"""Random starting points of an open column lie this far around 0 (or its one bound)."""
SNAP = 1e-8
"""An interior point this close to a bound is moved onto it."""
FEASIBLE = 1e-6
"""Largest constraint violation of a point that counts, relative to max(1, |bound|)."""
HUGE = 1e10
"""A feasible point with an objective beyond this, where Ipopt diverges, shows unboundedness."""

ENDINGS = {
    "Solve_Succeeded": "local",
    "SUCCESS": "local",
    "Solved_To_Acceptable_Level": "feasible",
    "Feasible_Point_Found": "feasible",
    "Infeasible_Problem_Detected": "locally_infeasible",
    "INFEASIBLE": "locally_infeasible",
    "CONTINUOUS_UNBOUNDED": "diverged",
    "Diverging_Iterates": "diverged",
    "Error_In_Step_Computation": "diverged",
    "Restoration_Failed": "diverged",
    "Maximum_CpuTime_Exceeded": "limit",
    "Maximum_WallTime_Exceeded": "limit",
    "Maximum_Iterations_Exceeded": "limit",
    "LIMIT_EXCEEDED": "limit",
}


def solve(built: Built, request: Request, folder: Path) -> tuple[Answer, Point | None]:
    """Solve a continuous model with Ipopt, a mixed one with Bonmin.

    Args:
        built: The model.
        request: Solver, deadline, seed, starting points.
        folder: Where the `.nl` file goes.

    Returns:
        The best answer over the starting points: the first success, or the best of all
        with `request.all_starts`. One that runs away without end outdoes every point.
    """
    problem = Problem(built, request, folder)
    best: tuple[float, Outcome] | None = None
    first: Outcome | None = None
    tried = 0
    for start in _starts(built, request):
        if tried and request.deadline is not None and time.time() > request.deadline - 0.1:
            break
        tried += 1
        outcome = problem.run(start)
        if first is None or _ORDER.index(outcome.ending) < _ORDER.index(first.ending):
            first = outcome
        if outcome.ending in ("local", "feasible") and (best is None or outcome.value < best[0]):
            best = outcome.value, outcome
        if outcome.ending == "unbounded" or (best is not None and not request.all_starts):
            break
    assert first is not None
    chosen = first if best is None or first.ending == "unbounded" else best[1]
    return problem.answer(chosen, tried)


def best_point(built: Built, request: Request, folder: Path) -> tuple[Answer, Point] | None:
    """The best local optimum from the starting points, integer columns fixed at whole numbers."""
    problem = Problem(built, request, folder)
    integer = np.array([v.is_integer() for v in built.columns], dtype=bool)
    best: Outcome | None = None
    tried = 0
    for start in _starts(built, request):
        if request.deadline is not None and time.time() > request.deadline:
            break
        tried += 1
        outcome = problem.descend(np.where(integer, np.round(start), start))
        if outcome is None or outcome.ending not in ("local", "feasible"):
            continue
        if best is None or outcome.value < best.value:
            best = outcome
    return None if best is None else (problem.answer(best, tried)[0], problem.point(best))


def feasible_point(built: Built, request: Request, folder: Path) -> tuple[float, Floats] | None:
    """Objective and values of a starting point, or where Ipopt gets from it, that is feasible."""
    problem = Problem(built, request, folder)
    integer = np.array([v.is_integer() for v in built.columns], dtype=bool)
    for start in _starts(built, request):
        if request.deadline is not None and time.time() > request.deadline:
            break
        values = np.where(integer, np.round(start), start)
        value, violation = problem.judge(values)
        if violation > FEASIBLE:
            outcome = problem.descend(values)
            if outcome is None:
                continue
            values = problem.point(outcome).values
            value, violation = problem.judge(values)
        if violation <= FEASIBLE:
            return problem.sign * value, values
    return None


_ORDER = ("unbounded", "local", "feasible", "limit", "diverged", "locally_infeasible", "failed")


class Outcome:
    """One run: how it ended and where. `value` is to be minimised."""

    def __init__(self, ending: str, words: str, result: dict[str, Any], iterations: float) -> None:
        self.ending, self.words, self.iterations = ending, words, iterations
        self.x = np.array(result["x"], dtype=float).reshape(-1)
        self.value = float(result["f"])
        self.row_multipliers = np.array(result["lam_g"], dtype=float).reshape(-1)
        self.column_multipliers = np.array(result["lam_x"], dtype=float).reshape(-1)


class Problem:
    """The casadi problem behind a Pyomo model, with the way back to columns and rows.

    casadi minimises: it turns a maximisation round while reading the file. Its multipliers
    are those of L = f + λᵀg, so the derivative of the minimum with respect to an active
    bound is −λ.
    """

    def __init__(self, built: Built, request: Request, folder: Path) -> None:
        self.built, self.request = built, request
        path = folder / "model.nl"
        with path.open("w", encoding="ascii") as stream:
            info = NLWriter().write(built.model, stream, linear_presolve=False, scale_model=False)
        column_of = {id(v): j for j, v in enumerate(built.columns)}
        row_of = {id(c): i for i, c in enumerate(built.rows) if c is not None}
        self.columns = np.array([column_of[id(v)] for v in info.variables], dtype=int)
        self.rows = np.array([row_of[id(c)] for c in info.constraints], dtype=int)
        self.sign = -1.0 if built.model.objective.sense == pyo.maximize else 1.0
        self.nl = casadi.NlpBuilder()
        self.nl.import_nl(str(path))
        self.evaluate = casadi.Function(
            "evaluate", [casadi.vertcat(*self.nl.x)], [self.nl.f, casadi.vertcat(*self.nl.g)]
        )

    def run(self, start: Floats) -> Outcome:
        """Solve from a starting point, shape `(n,)` over the model's columns."""
        low, high = np.array(self.nl.x_lb, dtype=float), np.array(self.nl.x_ub, dtype=float)
        outcome = self._run(self.request.solver, start[self.columns], low, high)
        whole = np.array(self.nl.discrete, dtype=bool)
        if outcome.ending not in ("local", "feasible") or not np.any(whole):
            return outcome
        print("with integers fixed at whole numbers:")
        fixed = (
            np.where(whole, np.round(outcome.x), low),
            np.where(whole, np.round(outcome.x), high),
        )
        sharpened = self._run("ipopt", outcome.x, *fixed)
        if sharpened.ending != "local":
            return outcome
        sharpened.ending, sharpened.words = outcome.ending, outcome.words
        sharpened.x = np.where(whole, np.round(sharpened.x), sharpened.x)
        return sharpened

    def judge(self, values: Floats) -> tuple[float, float]:
        """Objective to be minimised and largest scaled violation of a row, at a point."""
        value, g = self._computed(values[self.columns])
        return value, self._violation(g) if np.isfinite(value) else np.inf

    def descend(self, values: Floats) -> Outcome | None:
        """Ipopt from a point, integer columns fixed there; None if there are no others."""
        x0 = values[self.columns]
        whole = np.array(self.nl.discrete, dtype=bool)
        if np.all(whole):
            return None
        low = np.where(whole, x0, np.array(self.nl.x_lb, dtype=float))
        high = np.where(whole, x0, np.array(self.nl.x_ub, dtype=float))
        return self._run("ipopt", x0, low, high)

    def polish(self, values: Floats) -> Outcome | None:
        """The local optimum next to a point, integer columns fixed; None where Ipopt fails."""
        outcome = self.descend(values)
        return outcome if outcome is not None and outcome.ending == "local" else None

    def _computed(self, x: Floats) -> tuple[float, Floats]:
        value, g = (np.array(v, dtype=float).reshape(-1) for v in self.evaluate(x))
        return float(value[0]), g

    def _run(self, name: str, x0: Floats, low: Floats, high: Floats) -> Outcome:
        solver = casadi.nlpsol("solver", name, self.nl, self._options(name))
        result = solver(x0=x0, lbx=low, ubx=high, lbg=self.nl.g_lb, ubg=self.nl.g_ub)
        stats = solver.stats()
        words = str(stats["return_status"])
        outcome = Outcome(
            ENDINGS.get(words, "failed"), words, result, float(stats.get("iter_count", 0))
        )
        self._judge(outcome)
        return outcome

    def _judge(self, outcome: Outcome) -> None:
        """Check the point itself: a status alone has been wrong before."""
        outcome.value, g = self._computed(outcome.x)
        holds = self._violation(g) <= FEASIBLE and np.isfinite(outcome.value)
        if outcome.ending in ("local", "feasible") and not holds:
            outcome.ending = "failed"
        elif outcome.ending == "limit" and holds:
            outcome.ending = "feasible"
        elif outcome.ending == "diverged" and holds and outcome.value < -HUGE:
            outcome.ending = "unbounded"

    def _violation(self, g: Floats) -> float:
        if not np.all(np.isfinite(g)):
            return np.inf
        low, high = np.array(self.nl.g_lb, dtype=float), np.array(self.nl.g_ub, dtype=float)
        worst = 0.0
        for bound, excess in ((low, low - g), (high, g - high)):
            finite = np.isfinite(bound)
            scale = np.maximum(1.0, np.abs(bound[finite]))
            worst = max(worst, float(np.max(excess[finite] / scale, initial=0.0)))
        return worst

    def _options(self, name: str) -> dict[str, Any]:
        remaining = self.request.remaining()
        if name == "bonmin":
            options: dict[str, Any] = {"discrete": list(self.nl.discrete)}
            if remaining is not None:
                options["bonmin.time_limit"] = remaining
            return options
        limits = {} if remaining is None else {"ipopt.max_wall_time": remaining}
        return {
            "ipopt.sb": "yes",
            "ipopt.tol": 1e-9,
            "ipopt.constr_viol_tol": 1e-9,
            "ipopt.bound_relax_factor": 0.0,
            "ipopt.honor_original_bounds": "yes",
            "print_time": False,
            **limits,
        }

    def answer(self, outcome: Outcome, tried: int) -> tuple[Answer, Point | None]:
        """The outcome in the model's own columns, rows and sense."""
        answer = Answer(
            outcome.ending,
            outcome.words,
            self.request.solver,
            f"casadi {metadata.version('casadi')}",
            objective=self.sign * outcome.value,
            statistics={"iterations": outcome.iterations, "starts": float(tried)},
        )
        if outcome.ending not in ("local", "feasible", "unbounded"):
            return answer, None
        return answer, self.point(outcome)

    def point(self, outcome: Outcome) -> Point:
        """Values in the model's own columns; multipliers where it has no integer ones."""
        values = self.built.starts.copy()
        values[self.columns] = outcome.x
        if np.any(self.nl.discrete):
            return Point(values, np.zeros(0), np.zeros(0))
        values = _snapped(values, self.built)
        rows, columns = np.zeros(len(self.built.rows)), np.zeros(len(values))
        rows[self.rows] = -self.sign * outcome.row_multipliers
        columns[self.columns] = -self.sign * outcome.column_multipliers
        return Point(values, rows, columns)


def _snapped(values: Floats, built: Built) -> Floats:
    for bound_of in ("lb", "ub"):
        bounds = np.array(
            [np.nan if (b := getattr(v, bound_of)) is None else b for v in built.columns],
            dtype=float,
        )
        near = np.abs(values - bounds) <= SNAP * np.maximum(1.0, np.abs(bounds))
        values = np.where(near, bounds, values)
    return values


def _starts(built: Built, request: Request) -> Iterator[Floats]:
    """The given starting point, then random ones within the bounds."""
    yield built.starts
    generator = np.random.default_rng(request.seed)
    lower = np.array([-np.inf if v.lb is None else v.lb for v in built.columns], dtype=float)
    upper = np.array([np.inf if v.ub is None else v.ub for v in built.columns], dtype=float)
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper - SPREAD, -SPREAD))
    high = np.where(np.isfinite(upper), upper, np.where(np.isfinite(lower), lower + SPREAD, SPREAD))
    for _ in range(request.starts - 1):
        yield generator.uniform(low, high)
