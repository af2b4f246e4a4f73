"""SCIP: global optima of nonconvex and mixed-integer nonlinear models.

Pyomo writes an `.nl` file with a name for every column and row, SCIP reads it; names lead
back. The point that SCIP ends with is polished by Ipopt with integers fixed, because
SCIP's own tolerances show in the objective.
"""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyscipopt
from pyomo.repn.plugins.nl_writer import NLWriter
from pyscipopt.scip import PY_SCIP_EVENTTYPE, Eventhdlr

from orkernel_pyomo.job import Answer, Point, announce, write_incumbent
from orkernel_pyomo.rewriting import EDGE

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel_pyomo.building import Built
    from orkernel_pyomo.job import Request

FEASTOL = 1e-8
"""Absolute and relative tolerance on rows; the kernel accepts 1e-6."""
SMALLEST_GAP = 1e-7
"""Relative gap below which SCIP's tolerances leave nothing to prove."""
SHARE = 0.9
"""Part of the time that SCIP gets; the rest is for polishing."""
SUBSET_SECONDS = 5.0
"""Longest time spent on an infeasible subset."""
BOUND_SECONDS = 5.0
"""A search without any bound by then will not come to one: it ends with its best point."""
EVERY = 0.25
"""Seconds between notes of the bound."""
RUNAWAY = 1e15
"""A bound beyond this is none; an objective beyond it while there is no bound has no optimum."""
FAR = 1e12
"""SCIP's arithmetic means nothing at columns this large without a bound on that side."""
POLE = 1e7
"""A quotient beyond this lies too near to its pole for tolerances to mean anything."""
MEMORY_SHARE = 0.8
"""Part of the allowed memory at which SCIP gives up by itself and still answers."""

ENDINGS = {
    "optimal": "optimal",
    "gaplimit": "optimal",
    "infeasible": "infeasible",
    "unbounded": "unbounded",
    "inforunbd": "infeasible_or_unbounded",
    "timelimit": "limit",
    "memlimit": "out_of_memory",
    "terminate": "terminated",
}


def solve(
    built: Built, local: Built, request: Request, folder: Path, cutoff: float | None = None
) -> tuple[Answer, Point | None]:
    """Solve to global optimality.

    Args:
        built: The model in functions that SCIP reads; its first columns are those of `local`.
        local: The model as it is.
        request: Deadline, gap, seed, memory.
        folder: Where the `.nl` files go.
        cutoff: Objective that points outside the bounds of `built` cannot reach; None where it
            has the bounds of `local`.
    """
    search = _Search(built, local, request, folder, cutoff)
    search.run()
    ending, words = search.ending()
    version = str(search.scip.version())
    answer = Answer(ending, words, "scip", version, bound=search.bound())
    statistics = {"nodes": float(search.scip.getNTotalNodes())}
    answer = replace(answer, statistics=statistics)
    if ending == "infeasible" and (built.guards or built.quotients):
        known = _refuted(answer, local, request, folder)
        if known is not None:
            return known
    if ending == "infeasible":
        return replace(answer, subset=search.subset() if request.subset else ((), (), ())), None
    point = search.point()
    if ending in ("unbounded", "infeasible_or_unbounded") and not built.linear:
        return _judged_unbounded(answer, point, local, request, folder)
    if point is None:
        return answer, None
    if ending not in ("optimal", "unbounded"):
        answer = replace(answer, ending="feasible")
    if search.is_at_edge(built):
        words = f"{answer.words} at the edge of where a function is defined, which proves nothing"
        answer = replace(answer, ending="feasible", bound=None, words=words)
    if built.linear:
        return answer, Point(point, np.zeros(0), np.zeros(0))
    return _polished(answer, point, local, request, folder)


class _Search:
    """One run of SCIP."""

    def __init__(
        self, built: Built, local: Built, request: Request, folder: Path, cutoff: float | None
    ) -> None:
        self.request, self.folder, self.local, self.cutoff = request, folder, local, cutoff
        self.scip = pyscipopt.Model()
        self._set()
        names = _write(built, folder)
        self.scip.readProblem(str(folder / "scip.nl"))
        variables = {variable.name: variable for variable in self.scip.getVars()}
        missing = names - variables.keys()
        if missing:
            raise ValueError(f"SCIP lost the columns {sorted(missing)}")
        mine = range(len(local.columns))
        self.variables = {j: variables[f"x{j}"] for j in mine if f"x{j}" in names}
        self.all_variables = variables
        self.watcher = _Watcher(self)
        self.scip.includeEventhdlr(self.watcher, "incumbents", "stores incumbents")

    def _set(self) -> None:
        request, scip = self.request, self.scip
        settings: dict[str, Any] = {
            "numerics/feastol": FEASTOL,
            "limits/gap": max(request.gap, SMALLEST_GAP),
            "limits/absgap": request.absolute_gap,
            "randomization/randomseedshift": request.seed % 2**31,
            "misc/catchctrlc": False,
        }
        if (remaining := request.remaining()) is not None:
            settings["limits/time"] = SHARE * remaining
        if request.memory_mb:
            settings["limits/memory"] = MEMORY_SHARE * request.memory_mb
        for name, value in settings.items():
            scip.setParam(name, value)

    def run(self) -> None:
        """Search until SCIP has finished, runs away or is hopeless."""
        timer = threading.Timer(BOUND_SECONDS, self._stop_without_bound)
        timer.daemon = True
        timer.start()
        self.scip.optimizeNogil()
        timer.cancel()

    def _stop_without_bound(self) -> None:
        if self.watcher.bound is None:
            self.scip.interruptSolve()

    @property
    def sign(self) -> float:
        """1 for a minimisation, −1 for a maximisation."""
        return 1.0 if self.scip.getObjectiveSense() == "minimize" else -1.0

    def ending(self) -> tuple[str, str]:
        """How it ended, in the words of `Answer` and of SCIP."""
        words = str(self.scip.getStatus())
        if words == "userinterrupt":
            if self.watcher.runaway:
                return "unbounded", "the objective runs away"
            words = f"no bound after {BOUND_SECONDS:g} s"
            return ("limit" if self.scip.getNSols() else "failed"), words
        return ENDINGS.get(words, "failed"), words

    def bound(self) -> float | None:
        """The proven bound; None without one."""
        value = float(self.scip.getDualbound())
        if abs(value) >= RUNAWAY:
            return None
        if self.cutoff is None:
            return value
        return self.sign * min(self.sign * value, self.sign * self.cutoff)

    def point(self) -> Floats | None:
        """Values of the best point, of the model's own columns."""
        return self.values(self.scip.getBestSol()) if self.scip.getNSols() else None

    def is_at_edge(self, built: Built) -> bool:
        """Whether the best point is as near to the edge of a domain, or a pole, as SCIP looks."""

        def values(columns: Sequence[int]) -> list[float]:
            names = [f"x{j}" for j in columns if f"x{j}" in self.all_variables]
            best = self.scip.getBestSol()
            return [self.scip.getSolVal(best, self.all_variables[name]) for name in names]

        near = any(value <= 10.0 * EDGE for value in values(built.guards))
        return near or any(abs(value) >= POLE for value in values(built.quotients))

    def values(self, solution: Any) -> Floats:
        """Values of a point; columns that SCIP does not see stay where they start."""
        values = self.local.starts.copy()
        for j, variable in self.variables.items():
            values[j] = self.scip.getSolVal(solution, variable)
        return _whole(values, self.local)

    def subset(self) -> tuple[list[int], list[int], list[int]]:
        """Rows and bounds that cannot hold together, as SCIP finds them in a short time."""
        remaining = self.request.remaining()
        limit = SUBSET_SECONDS if remaining is None else min(SUBSET_SECONDS, remaining)
        self.scip.setParam("iis/time", limit)
        part = self.scip.generateIIS().getSubscip()
        rows = [int(c.name[1:]) for c in part.getConss() if re.fullmatch(r"c\d+", c.name)]
        columns = [v for v in part.getVars() if re.fullmatch(r"x\d+", v.name)]
        bounded = [
            (int(v.name[1:]), v.getLbOriginal(), v.getUbOriginal())
            for v in columns
            if int(v.name[1:]) < len(self.local.columns)
        ]
        infinity = self.scip.infinity()
        lower = [j for j, low, _ in bounded if low > -infinity]
        upper = [j for j, _, high in bounded if high < infinity]
        return [i for i in rows if i < len(self.local.rows)], lower, upper


class _Watcher(Eventhdlr):
    """Stores incumbents and bounds as they come; stops a search that runs away."""

    EVENTS = (PY_SCIP_EVENTTYPE.BESTSOLFOUND, PY_SCIP_EVENTTYPE.NODESOLVED)

    def __init__(self, search: _Search) -> None:
        self.search = search
        self.best: tuple[Floats, float] | None = None
        self.bound: float | None = None
        self.runaway = False
        self.noted = 0.0

    def eventinit(self) -> None:
        for event in self.EVENTS:
            self.model.catchEvent(event, self)

    def eventexit(self) -> None:
        for event in self.EVENTS:
            self.model.dropEvent(event, self)

    def eventexec(self, event: Any) -> None:
        search = self.search
        bound = self.bound = search.bound()
        if event.getType() != PY_SCIP_EVENTTYPE.BESTSOLFOUND:
            if self.best is not None and time.monotonic() > self.noted + EVERY:
                write_incumbent(*self.best, bound, search.folder)
                self.noted = time.monotonic()
            return
        solution = self.model.getBestSol()
        values = search.values(solution)
        objective = float(self.model.getSolObjVal(solution))
        if bound is None and search.sign * objective < -RUNAWAY:
            self.runaway = True
            self.model.interruptSolve()
        if np.all(np.isfinite(values)) and math.isfinite(objective):
            self.best = values, objective
            announce(values, objective, bound, search.folder)


def _write(built: Built, folder: Path) -> set[str]:
    """Write the `.nl` file with names x0, x1 …, c0, c1 …; the names of the columns in it."""
    labels = {
        id(component): f"{letter}{number}"
        for letter, components in (("x", built.columns), ("c", built.rows))
        for number, component in enumerate(components)
        if component is not None
    }
    path = folder / "scip.nl"
    with path.open("w", encoding="ascii") as stream:
        info = NLWriter().write(built.model, stream, linear_presolve=False, scale_model=False)
    names = [labels[id(v)] for v in info.variables]
    rows = [labels[id(c)] for c in info.constraints]
    for suffix, labelled in ((".col", names), (".row", rows)):
        if labelled:
            text = "".join(f"{name}\n" for name in labelled)
            path.with_suffix(suffix).write_text(text, encoding="ascii")
    return set(names)


def _whole(values: Floats, built: Built) -> Floats:
    """The point with integer columns at whole numbers."""
    integer = np.array([v.is_integer() for v in built.columns], dtype=bool)
    rounded: Floats = np.where(integer, np.round(values), values)
    return rounded


# ------------------------------------------------------------------- after the search


def _refuted(
    answer: Answer, local: Built, request: Request, folder: Path
) -> tuple[Answer, Point] | None:
    """A feasible point of a model that SCIP calls infeasible, as it may where values are huge."""
    from orkernel_pyomo import nlp

    known = nlp.feasible_point(local, request, folder)
    if known is None:
        return None
    objective, values = known
    words = f"{answer.words} near a pole, which a local search refutes"
    answer = replace(answer, ending="feasible", words=words, bound=None, objective=objective)
    return answer, Point(values, np.zeros(0), np.zeros(0))


def _polished(
    answer: Answer, point: Floats, local: Built, request: Request, folder: Path
) -> tuple[Answer, Point | None]:
    """The point that Ipopt makes of SCIP's, if it holds and is no worse."""
    from orkernel_pyomo import nlp

    problem = nlp.Problem(local, request, folder)
    value, violation = problem.judge(point)
    best = Point(point, np.zeros(0), np.zeros(0))
    outcome = problem.polish(point)
    if outcome is not None:
        slack = nlp.FEASIBLE * max(1.0, abs(value)) if violation <= nlp.FEASIBLE else math.inf
        if outcome.value <= value + slack:
            value, best = outcome.value, problem.point(outcome)
    answer = replace(answer, objective=problem.sign * value)
    if answer.ending == "optimal" and _far(best.values, local):
        words = f"{answer.words} at a point as far away as 1e12, which proves nothing"
        answer = replace(answer, ending="feasible", bound=None, words=words)
    return answer, best


def _far(values: Floats, built: Built) -> bool:
    return any(
        (value > FAR and v.ub is None) or (value < -FAR and v.lb is None)
        for value, v in zip(values.tolist(), built.columns, strict=True)
    )


def _judged_unbounded(
    answer: Answer, point: Floats | None, local: Built, request: Request, folder: Path
) -> tuple[Answer, Point | None]:
    """Whether Ipopt runs away as well: SCIP takes an unbounded relaxation for the model."""
    from orkernel_pyomo import nlp

    if point is None:
        return answer, None
    problem = nlp.Problem(local, request, folder)
    outcome = problem.descend(point)
    if outcome is not None and outcome.ending == "unbounded":
        return replace(answer, ending="unbounded"), None
    value, violation = problem.judge(point)
    if violation <= nlp.FEASIBLE and value < -nlp.HUGE:
        return replace(answer, ending="unbounded"), None
    if outcome is not None and outcome.ending in ("local", "feasible"):
        words = f"{answer.words}, which a local search does not confirm"
        return replace(
            answer,
            ending="feasible",
            words=words,
            bound=None,
            objective=problem.sign * outcome.value,
        ), problem.point(outcome)
    return answer, None
