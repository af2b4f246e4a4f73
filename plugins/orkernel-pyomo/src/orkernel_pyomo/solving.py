"""From a lowered form to a solution: run the worker and say exactly how it ended."""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.certificates import proves_infeasible
from orkernel.context import RunContext
from orkernel.errors import PluginError, UnknownName, Unsupported
from orkernel.records import Event, Guarantee
from orkernel.solution import (
    Certificate,
    Duals,
    InfeasibleSubset,
    Solution,
    SolverIdentity,
    Status,
)
from orkernel_pyomo.arrays import Arrays, Scaling, linear_part, scaled
from orkernel_pyomo.choice import AUTO, default_solver
from orkernel_pyomo.evidence import farkas_multipliers, improving_ray
from orkernel_pyomo.job import (
    Answer,
    Point,
    Request,
    read_answer,
    write_graph,
    write_request,
)
from orkernel_pyomo.process import Stopped, run_worker

if TYPE_CHECKING:
    from orkernel.algebra.forms import Graph, LinearForm, QuadraticForm

OPTIMALITY_GAP = 1e-6
"""A mixed-integer answer is called optimal if its bound is this close, relative to the
objective or, near zero, to the largest cost up to 1."""
EXPORTS = ("lp", "mps", "nl")
_PROGRESS = re.compile(r"(?:mip =|>>>>>)\s*(not found yet|\S+)\s*[<>]=\s*(\S+)")
"""GLPK's progress line: `+  52: mip = 4.2e+01 <= 4.4e+01 4.8% (5; 3)`, with `>>>>>` for a new
incumbent; at the end the bound reads `tree is empty`."""


def solve_arrays(form: LinearForm | QuadraticForm, ctx: RunContext, *, convex: bool) -> Solution:
    """Solve a linear or quadratic form.

    Args:
        form: At most one objective.
        ctx: Seed, deadline, gap, cancellation, options of the agent `pyomo`.
        convex: Whether a continuous model is known to be convex.

    Returns:
        A solution in the form's column and row order.
    """
    started = time.perf_counter()
    linear_form = linear_part(form)
    if len(linear_form.objectives) > 1:
        raise Unsupported("objectives", "Pyomo's solvers take one objective at a time")
    arrays = Arrays.of(form)
    linear = arrays.quadratic is None and not arrays.row_quadratic
    integer = bool(np.any(arrays.integer))
    run = _Run(ctx, linear=linear, integer=integer, convex=convex)
    solution = run.without_solver() or _by_data(linear_form, arrays)
    if solution is None:
        arranged, scaling = scaled(arrays)
        run.objective_scale = scaling.objective
        solution = _unscaled(run.solve(arranged.write), scaling)
        solution = _explained(solution, linear_form, arrays)
        solution = _with_objective(solution, arrays, run)
    if not arrays.has_objective:
        solution = replace(solution, objective=None, bound=None)
    return replace(solution, seconds=time.perf_counter() - started)


def solve_graph(graph: Graph, ctx: RunContext) -> Solution:
    """Solve a smooth nonlinear model; the answer is local.

    Args:
        graph: At most one objective.
        ctx: As for `solve_arrays`.
    """
    started = time.perf_counter()
    if len(graph.objectives) > 1:
        raise Unsupported("objectives", "Pyomo's solvers take one objective at a time")
    integer = bool(np.any(graph.columns.integer))
    run = _Run(ctx, linear=False, integer=integer, convex=False)
    solution = run.without_solver()
    if solution is None:
        solution = run.solve(lambda folder: write_graph(graph, folder))
    if not graph.objectives:
        solution = replace(solution, objective=None, bound=None)
    return replace(solution, seconds=time.perf_counter() - started)


def export_model(
    model: Arrays | Graph, format: str, column_names: tuple[str, ...], row_names: tuple[str, ...]
) -> str:
    """The text of an LP, MPS or NL file.

    Raises:
        Unsupported: Another format, or the format cannot express the model.
    """
    if format not in EXPORTS:
        raise Unsupported(f"format '{format}'", f"Pyomo writes {', '.join(EXPORTS)}")
    request = Request(export=format, column_names=column_names, row_names=row_names)
    with tempfile.TemporaryDirectory(prefix="orkernel-pyomo-") as name:
        folder = Path(name)
        if isinstance(model, Arrays):
            model.write(folder)
        else:
            write_graph(model, folder)
        write_request(request, folder)
        run_worker(folder, RunContext(), lambda line: None)
        found = read_answer(folder)
    if found is None:
        raise PluginError(f"the worker that writes {format} ended without an answer")
    answer, _ = found
    if answer.ending != "exported":
        raise Unsupported("model", f"Pyomo cannot write it as {format}: {answer.words}")
    return answer.text


# --------------------------------------------------------------------------- one run


class _Run:
    """One job of the worker and its interpretation."""

    def __init__(self, ctx: RunContext, *, linear: bool, integer: bool, convex: bool) -> None:
        self.ctx, self.linear, self.integer, self.convex = ctx, linear, integer, convex
        wanted = str(ctx.options.get("solver", AUTO)).strip() or AUTO
        self.solver = default_solver(linear=linear, integer=integer) if wanted == AUTO else wanted
        if self.solver == "ipopt" and integer:
            raise Unsupported("integer variables", "ipopt takes continuous variables only")
        if self.solver == "glpk" and not linear:
            raise Unsupported("model", "glpk takes linear models only")
        if self.solver == "bonmin" and not integer:
            self.solver = "ipopt"
        self.objective_scale = 1.0
        self.bound: float | None = None
        self.last_incumbent: str = ""

    def identity(self, answer: Answer | None = None) -> SolverIdentity:
        name = answer.solver if answer and answer.solver else self.solver
        return SolverIdentity("pyomo", name, answer.version if answer else "")

    def without_solver(self) -> Solution | None:
        """The answer when there is no time to start anything."""
        if self.ctx.remaining() == 0.0:
            return Solution(
                Status.TIME_LIMIT, self.identity(), message="no time left to start a solver"
            )
        return None

    def solve(self, write: Callable[[Path], None]) -> Solution:
        remaining = self.ctx.remaining()
        starts = max(1, int(self.ctx.options.get("starts", 4)))
        request = Request(
            solver=self.solver,
            deadline=None if remaining is None else time.time() + remaining,
            gap=OPTIMALITY_GAP / 2 if self.ctx.gap is None else self.ctx.gap,
            seed=self.ctx.seed,
            starts=starts,
            all_starts=not self.linear and not self.convex and not self.integer,
        )
        with tempfile.TemporaryDirectory(prefix="orkernel-pyomo-") as name:
            folder = Path(name)
            write(folder)
            write_request(request, folder)
            try:
                code = run_worker(folder, self.ctx, self._on_line)
            except Stopped:
                return Solution(
                    Status.TIME_LIMIT,
                    self.identity(),
                    bound=self.bound,
                    message=f"{self.solver} was stopped when the time was over",
                )
            found = read_answer(folder)
        if found is None:
            how = f"signal {-code}" if code < 0 else f"status {code}"
            return Solution(
                Status.ERROR,
                self.identity(),
                message=f"the process that runs {self.solver} ended with {how} and no answer",
            )
        return self._interpret(*found)

    def _on_line(self, line: str) -> None:
        if self.ctx.options.get("log", True):
            self.ctx.emit(Event("log.line", "solve", line))
        progress = _PROGRESS.search(line)
        if progress and self.solver == "glpk":
            self._on_progress(*progress.groups())

    def _on_progress(self, incumbent: str, bound: str) -> None:
        objective = self._unscaled(_number(incumbent))
        proven = objective if bound == "tree" else self._unscaled(_number(bound))
        self.bound = proven if proven is not None else self.bound
        if objective is None or incumbent == self.last_incumbent:
            return
        self.last_incumbent = incumbent
        gap = None if proven is None else abs(proven - objective) / max(1e-10, abs(objective))
        data = {"objective": objective, "bound": proven, "gap": gap}
        self.ctx.emit(Event("solver.incumbent", "solve", f"objective {objective:.9g}", data))

    def _unscaled(self, value: float | None) -> float | None:
        return None if value is None else value / self.objective_scale

    def _interpret(self, answer: Answer, point: Point | None) -> Solution:
        identity = self.identity(answer)
        if answer.ending == "unknown_solver":
            raise UnknownName(
                f"solver '{self.solver}' is not known to Pyomo or not installed",
                fix=f"available: {', '.join(answer.text.split())}",
            )
        words = f"{answer.solver or self.solver}: {answer.words}"
        basis = Solution(Status.ERROR, identity, message=words, statistics=dict(answer.statistics))
        if answer.ending in ("optimal", "local", "feasible"):
            assert point is not None
            return self._with_point(basis, answer, point)
        if answer.ending == "unbounded":
            status = Status.UNBOUNDED
            guarantee = Guarantee.GLOBAL if self.linear else Guarantee.LOCAL
            values = point.values if point is not None and self.linear else None
            return replace(basis, status=status, guarantee=guarantee, values=values)
        statuses = {
            "infeasible": Status.INFEASIBLE,
            "infeasible_or_unbounded": Status.INFEASIBLE_OR_UNBOUNDED,
            "limit": Status.TIME_LIMIT,
        }
        if answer.ending == "locally_infeasible":
            if self.convex and not self.integer:
                return replace(basis, status=Status.INFEASIBLE)
            message = f"{words}: no feasible point was found, which does not prove that none exists"
            return replace(basis, message=message, guarantee=Guarantee.LOCAL)
        if answer.ending == "limit" and answer.words.startswith("Maximum_Iter"):
            return basis
        return replace(basis, status=statuses.get(answer.ending, Status.ERROR), bound=self.bound)

    def _with_point(self, basis: Solution, answer: Answer, point: Point) -> Solution:
        proven = answer.ending == "optimal" or (answer.ending == "local" and self._exact())
        duals = None
        if not self.integer and len(point.column_duals):
            duals = Duals(point.row_duals, point.column_duals)
        certificate = None
        if proven and duals is not None:
            certificate = Certificate("dual", duals.rows)
        return replace(
            basis,
            status=Status.OPTIMAL if proven else Status.FEASIBLE,
            values=point.values,
            objective=answer.objective,
            bound=self._unscaled(answer.bound),
            guarantee=self._guarantee(answer),
            duals=duals,
            certificate=certificate,
        )

    def _exact(self) -> bool:
        """True if a local optimum is a global one."""
        return self.convex and not self.integer

    def _guarantee(self, answer: Answer) -> Guarantee:
        if answer.ending == "local":
            return Guarantee.GLOBAL if self._exact() else Guarantee.LOCAL
        if answer.ending == "optimal":
            return Guarantee.GLOBAL
        if self.linear and (answer.bound is not None or self.bound is not None):
            return Guarantee.GLOBAL
        return Guarantee.HEURISTIC if self.linear else Guarantee.LOCAL


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None


# --------------------------------------------------------------------------- around it


def _by_data(form: LinearForm, arrays: Arrays) -> Solution | None:
    """The answer when bounds contradict, or there are no variables to decide."""
    identity = SolverIdentity("pyomo", "data", "")
    m = len(arrays.row_lower)
    crossed = np.flatnonzero(arrays.lower > arrays.upper)
    if crossed.size:
        j = int(crossed[0])
        return Solution(
            Status.INFEASIBLE,
            identity,
            certificate=Certificate("farkas", np.zeros(m)),
            infeasible_subset=InfeasibleSubset(lower=(j,), upper=(j,), minimal=True),
            message=f"the bounds of {form.columns.label(j)} contradict each other",
        )
    empty = np.diff(arrays.matrix.indptr) == 0
    empty[list(arrays.row_quadratic)] = False
    false = np.flatnonzero(empty & ((arrays.row_lower > 1e-9) | (arrays.row_upper < -1e-9)))
    if false.size:
        i = int(false[0])
        multipliers = np.zeros(m)
        multipliers[i] = 1.0
        return Solution(
            Status.INFEASIBLE,
            identity,
            certificate=Certificate("farkas", multipliers),
            infeasible_subset=InfeasibleSubset(rows=(i,), minimal=True),
            message=f"row {form.rows.label(i)} holds no variable and is false",
        )
    if len(arrays.lower) == 0:
        return Solution(
            Status.OPTIMAL,
            identity,
            values=np.zeros(0),
            objective=arrays.offset,
            bound=arrays.offset,
            duals=Duals(np.zeros(m), np.zeros(0)),
            certificate=Certificate("dual", np.zeros(m)),
            message="the model has no variables",
        )
    return None


def _unscaled(solution: Solution, scaling: Scaling) -> Solution:
    if solution.duals is None:
        return solution
    rows = solution.duals.rows * scaling.rows / scaling.objective
    duals = Duals(rows, solution.duals.columns / scaling.objective)
    proof = None if solution.certificate is None else Certificate("dual", rows)
    return replace(solution, duals=duals, certificate=proof)


def _explained(solution: Solution, form: LinearForm, arrays: Arrays) -> Solution:
    """With a proof of infeasibility or unboundedness, where linear rows have one."""
    says_infeasible = solution.status is Status.INFEASIBLE or (
        solution.status is Status.ERROR and solution.guarantee is Guarantee.LOCAL
    )
    if says_infeasible:
        multipliers = farkas_multipliers(arrays)
        if multipliers is not None and proves_infeasible(form, multipliers):
            return replace(
                solution,
                status=Status.INFEASIBLE,
                guarantee=Guarantee.GLOBAL,
                certificate=Certificate("farkas", multipliers),
            )
    if solution.status is Status.UNBOUNDED:
        ray = improving_ray(arrays)
        if ray is not None:
            certificate = Certificate("primal_ray", ray)
            return replace(solution, guarantee=Guarantee.GLOBAL, certificate=certificate)
    return solution


def _with_objective(solution: Solution, arrays: Arrays, run: _Run) -> Solution:
    """The objective recomputed, the bound, and `optimal` only if they meet."""
    if solution.values is None or solution.status is Status.UNBOUNDED:
        return solution
    objective = arrays.objective(solution.values)
    bound: Any = solution.bound if solution.bound is not None else run.bound
    if solution.status is not Status.OPTIMAL:
        return replace(solution, objective=objective, bound=bound)
    if not run.integer:
        return replace(solution, objective=objective, bound=objective)
    if run.solver == "glpk":
        bound = objective
    slack = max(abs(objective), min(1.0, float(np.max(np.abs(arrays.cost), initial=0.0))))
    closed = bound is not None and abs(bound - objective) <= OPTIMALITY_GAP * slack
    return replace(
        solution,
        status=Status.OPTIMAL if closed else Status.FEASIBLE,
        objective=objective,
        bound=bound,
    )
