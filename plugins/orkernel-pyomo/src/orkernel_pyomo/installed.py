"""Solvers that Pyomo runs: GLPK, HiGHS, a system Ipopt, and whatever else is installed."""

from __future__ import annotations

import math
import os
import shutil
import sysconfig
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.errors import ApplicationError
from pyomo.opt import SolverFactory, TerminationCondition

from orkernel_pyomo import modern
from orkernel_pyomo.building import Built
from orkernel_pyomo.job import Answer, Point, Request, finite

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats

COMMON = (
    "glpk", "highs", "ipopt", "cbc", "scip", "gurobi", "cplex", "xpress", "mosek", "copt",
    "baron", "knitroampl", "conopt", "couenne", "bonmin", "uno",
)  # fmt: skip
"""Asked for when the user names a solver that is not there."""
BUNDLED = ("ipopt", "bonmin")
"""Always there: they come inside casadi."""
MARGIN = 0.5
"""Seconds kept back for starting a solver and reading its answer."""
GAP_OPTIONS = {
    "glpk": "mipgap",
    "cbc": "ratioGap",
    "gurobi": "MIPGap",
    "cplex": "mip_tolerances_mipgap",
    "scip": "limits/gap",
    "xpress": "miprelstop",
}
CUTS = {"glpk": "cuts"}
"""Switch for cutting planes, off by default there; MIPLIB's gt2 takes 0.2 s with, 50 s+ without."""
ABORTED = "Error detected in file"
"""GLPK's words when it stops at a fault of its own."""
ROUNDING = ("glpk",)
"""They round integer columns themselves and leave the others where the fractions had put them."""
EXACT = 1e-9
"""Distance from a whole number that is rounding and not tolerance."""
GLPK_ENDINGS = {
    "HAS NO PRIMAL FEASIBLE SOLUTION": "infeasible",
    "HAS UNBOUNDED PRIMAL SOLUTION": "infeasible_or_unbounded",
    "HAS NO DUAL FEASIBLE SOLUTION": "infeasible_or_unbounded",
}
"""What GLPK's log says of an ending that Pyomo reports as `other`, as it does of a failure."""


NONE = np.zeros(0)
Run = Callable[[Built, Request], Answer]


class UnknownSolver(Exception):
    """The solver is not known to Pyomo or not installed."""

    def __init__(self, name: str, available: Sequence[str]) -> None:
        super().__init__(f"Pyomo finds no solver '{name}'")
        self.available = tuple(available)


def add_scripts_to_path() -> None:
    """Let Pyomo find executables that came with Python packages, e.g. glpsol."""
    scripts = sysconfig.get_path("scripts")
    os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), scripts])


def has_ipopt() -> bool:
    """True if there is an `ipopt` executable."""
    add_scripts_to_path()
    return shutil.which("ipopt") is not None


def available_solvers() -> list[str]:
    """The common solvers that are there."""
    add_scripts_to_path()
    return [name for name in COMMON if name in BUNDLED or _is_available(name)]


def _is_available(name: str) -> bool:
    try:
        return bool(SolverFactory(name).available(exception_flag=False))
    except Exception:
        return False


def solve(built: Built, request: Request) -> tuple[Answer, Point | None]:
    """Solve with the solver that the request names.

    Raises:
        UnknownSolver: It is not there.
    """
    add_scripts_to_path()
    if not _is_available(request.solver):
        raise UnknownSolver(request.solver, available_solvers())
    has_integers = any(v.is_integer() for v in built.columns)
    if not has_integers:
        built.model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
        built.model.rc = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    run = modern.run if request.solver in modern.SOLVERS else _run_classic
    answer = run(built, request)
    if answer.ending not in ("optimal", "local", "feasible"):
        return _decided(built, request, answer, run)
    if has_integers and request.solver != "ipopt":
        _make_whole(built, request, run)
    return answer, _point(built)


def _run_classic(built: Built, request: Request) -> Answer:
    """One run; once more without cutting planes if these made the solver fail.

    GLPK aborts in its rounding cuts when nothing is left of a model but an empty row.
    """
    has_integers = any(v.is_integer() for v in built.columns)
    cut = has_integers and request.solver in CUTS
    answer = _run_once(built, request, has_integers=has_integers, cut=cut)
    if answer.ending == "failed" and cut and ABORTED in answer.words:
        print("without cutting planes:")
        answer = _run_once(built, request, has_integers=has_integers, cut=False)
    return answer


def _run_once(built: Built, request: Request, *, has_integers: bool, cut: bool) -> Answer:
    solver: Any = SolverFactory(request.solver)
    if has_integers and request.solver in GAP_OPTIONS:
        solver.options[GAP_OPTIONS[request.solver]] = request.gap
    if cut:
        solver.options[CUTS[request.solver]] = ""
    keywords: dict[str, Any] = {"tee": True, "load_solutions": False}
    remaining = request.remaining()
    if remaining is not None:
        keywords["timelimit"] = max(1, math.floor(remaining - MARGIN))
    with TemporaryDirectory(prefix="orkernel-log-") as folder:
        log = Path(folder) / "solver.log"
        try:
            results = solver.solve(built.model, logfile=str(log), **keywords)
        except ApplicationError as error:
            printed = str(getattr(solver, "_log", ""))
            own = f": {ABORTED}" if ABORTED in printed else ""
            return Answer("failed", f"{error}{own}", request.solver)
        text = log.read_text(encoding="utf-8", errors="replace") if log.exists() else ""
    condition = results.solver.termination_condition
    endings = {
        TerminationCondition.optimal: "optimal",
        TerminationCondition.globallyOptimal: "optimal",
        TerminationCondition.locallyOptimal: "local",
        TerminationCondition.infeasible: "infeasible",
        TerminationCondition.unbounded: "unbounded",
        TerminationCondition.infeasibleOrUnbounded: "infeasible_or_unbounded",
        TerminationCondition.maxTimeLimit: "limit",
        TerminationCondition.maxIterations: "limit",
        TerminationCondition.maxEvaluations: "limit",
        TerminationCondition.feasible: "feasible",
    }
    ending = endings.get(condition, "failed")
    if request.solver == "glpk":
        ending = _ending_of_glpk(ending, text)
    has_point = len(results.solution) > 0
    if ending == "limit" and has_point:
        ending = "feasible"
    if ending in ("optimal", "local", "feasible"):
        if not has_point:
            return Answer("failed", f"{condition} without a point", request.solver)
        built.model.solutions.load_from(results)
    version = ".".join(str(v) for v in solver.version() or ())
    maximize = built.model.objective.active and built.model.objective.sense == pyo.maximize
    stated = results.problem.upper_bound if maximize else results.problem.lower_bound
    bound = None if request.solver == "glpk" else finite(stated)
    return Answer(ending, str(condition), request.solver, version, bound=bound)


def _ending_of_glpk(ending: str, log: str) -> str:
    """Pyomo drops why GLPK gave up, and calls a linear answer at the time limit optimal."""
    if ending == "optimal" and "TIME LIMIT EXCEEDED" in log:
        return "limit"
    if ending == "failed":
        return next((end for words, end in GLPK_ENDINGS.items() if words in log), ending)
    return ending


# ------------------------------------------------------------------- after the run


def _decided(
    built: Built, request: Request, answer: Answer, run: Run
) -> tuple[Answer, Point | None]:
    """Tell infeasible from unbounded by solving without the objective.

    The point that shows that an unbounded model is feasible goes with the answer.
    """
    if answer.ending not in ("unbounded", "infeasible_or_unbounded") or not built.linear:
        return answer, None
    print("without the objective, to tell infeasible from unbounded:")
    built.model.objective.deactivate()
    built.model.nothing = pyo.Objective(expr=0.0)
    feasibility = run(built, request)
    built.model.del_component("nothing")
    built.model.objective.activate()
    if feasibility.ending == "optimal":
        return replace(answer, ending="unbounded"), Point(_values(built), NONE, NONE)
    if feasibility.ending in ("infeasible", "infeasible_or_unbounded"):
        return replace(answer, ending="infeasible"), None
    return replace(answer, ending="infeasible_or_unbounded"), None


def _make_whole(built: Built, request: Request, run: Run) -> None:
    """Fix integer variables at whole numbers; if they were not, solve the rest again."""
    integers = [v for v in built.columns if v.is_integer() and v.value is not None]
    kept = [v.value for v in built.columns]
    drift = max((abs(v.value - round(v.value)) for v in integers), default=0.0)
    for v in integers:
        v.set_value(round(v.value))
    exact = drift <= EXACT and request.solver not in ROUNDING
    if exact or not built.linear or len(integers) == len(built.columns):
        return
    print("with integers fixed at whole numbers:")
    for v in integers:
        v.fix()
    again = run(built, request)
    for v in integers:
        v.unfix()
    if again.ending != "optimal":
        for v, value in zip(built.columns, kept, strict=True):
            v.set_value(value, skip_validation=True)


def _values(built: Built) -> Floats:
    return np.array(
        [
            start if v.value is None else v.value
            for v, start in zip(built.columns, built.starts, strict=True)
        ],
        dtype=float,
    )


def _point(built: Built) -> Point:
    values = _values(built)
    if not hasattr(built.model, "dual"):
        return Point(values, NONE, NONE)
    rows = [None if row is None else built.model.dual.get(row) for row in built.rows]
    columns = [built.model.rc.get(v) for v in built.columns]
    if any(row is not None for row in built.rows) and all(d is None for d in rows):
        return Point(values, NONE, NONE)
    return Point(
        values,
        np.array([0.0 if d is None else d for d in rows], dtype=float),
        np.array([0.0 if d is None else d for d in columns], dtype=float),
    )
