"""One run of a worker, and what its answer means."""

from __future__ import annotations

import re
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from orkernel.context import RunContext
from orkernel.errors import Cancelled, PluginError, UnknownName, Unsupported
from orkernel.records import Event, Guarantee
from orkernel.solution import (
    Certificate,
    Duals,
    InfeasibleSubset,
    Solution,
    SolverIdentity,
    Status,
)
from orkernel_pyomo.choice import AUTO, default_solver, without_scip
from orkernel_pyomo.job import (
    Answer,
    Point,
    Request,
    finite,
    read_answer,
    read_incumbent,
    write_request,
)
from orkernel_pyomo.process import Listener, Stopped, run_worker

OPTIMALITY_GAP = 1e-6
"""An answer with a bound is called optimal if the bound is this close, relative to the
objective or, near zero, to the largest cost up to 1."""
UNASKED_SECONDS = 60.0
"""Longest search for a global optimum where the user gave neither a time limit nor a solver."""
LAST_LINES = 30
"""Lines of the log that are searched for the cause of a failure."""
_PROGRESS = re.compile(r"(?:mip =|>>>>>)\s*(not found yet|\S+)\s*[<>]=\s*(\S+)")
"""GLPK's progress line: `+  52: mip = 4.2e+01 <= 4.4e+01 4.8% (5; 3)`, with `>>>>>` for a new
incumbent; at the end the bound reads `tree is empty`."""
_NOISE = "Cannot set feasibility tolerance to small value"
"""SoPlex says so by the thousand."""
_NO_MEMORY = re.compile(
    r"bad_alloc|out of memory|no memory|cannot allocate|map segment|MemoryError", re.I
)


class Run:
    """One job of the worker and its interpretation.

    Attributes:
        ctx: Limits, options, where events go.
        solver: Name of the solver that is asked.
        bound: Best proven bound that was heard of on the way.
        objective_scale: What the objective that the worker sees was multiplied by.
    """

    def __init__(
        self,
        ctx: RunContext,
        *,
        linear: bool,
        integer: bool,
        convex: bool,
        boundless: bool = False,
        subset: bool = False,
    ) -> None:
        """Choose the solver.

        Args:
            ctx: Run context with the agent's options.
            linear: All rows and the objective are linear.
            integer: Some column is integer.
            convex: The model without its integrality is known to be convex.
            boundless: Some integer column has no finite bounds.
            subset: Look for an infeasible subset.
        """
        self.ctx, self.linear, self.integer, self.convex = ctx, linear, integer, convex
        self.subset = subset
        wanted = str(ctx.options.get("solver", AUTO)).strip() or AUTO
        self.chosen = wanted == AUTO
        self.solver = wanted
        if self.chosen:
            self.solver = default_solver(
                linear=linear, integer=integer, convex=convex, boundless=boundless
            )
        if self.solver == "ipopt" and integer:
            raise Unsupported("integer variables", "ipopt takes continuous variables only")
        if self.solver == "glpk" and not linear:
            raise Unsupported("model", "glpk takes linear models only")
        if self.solver == "bonmin" and not integer:
            self.solver = "ipopt"
        self.objective_scale = 1.0
        self.bound: float | None = None
        self._last_incumbent = ""
        self._last_lines: list[str] = []

    @property
    def memory_mb(self) -> int:
        """Address space of the worker in MiB; 0 for no limit."""
        return max(0, int(self.ctx.options.get("memory_mb", 0)))

    def identity(self, answer: Answer | None = None) -> SolverIdentity:
        """Who answers."""
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
        """Solve the model that `write` stores in a folder.

        Where the solver is ours to choose and SCIP fails, a local solver is asked.

        Raises:
            Cancelled: The user interrupted before there was an incumbent.
            PluginError: The worker ended without an answer, or was out of memory.
            UnknownName: The wanted solver is not there.
        """
        solution = self._solve(write)
        if solution.status is Status.ERROR and self.chosen and self.solver == "scip":
            failure = solution.message
            self.solver = without_scip(integer=self.integer)
            solution = self.without_solver() or self._solve(write)
            message = f"{failure}; {solution.message}"
            solution = replace(solution, message=message)
        return solution

    def _solve(self, write: Callable[[Path], None]) -> Solution:
        with tempfile.TemporaryDirectory(prefix="orkernel-pyomo-") as name:
            folder = Path(name)
            write(folder)
            write_request(self._request(), folder)
            listener = Listener(self._on_line, self._on_incumbent)
            try:
                code = run_worker(folder, self.ctx, listener, self.memory_mb)
            except Stopped:
                words = f"{self.solver} was stopped when the time was over"
                return self._incumbent(folder, words) or Solution(
                    Status.TIME_LIMIT, self.identity(), bound=self.bound, message=words
                )
            except Cancelled:
                incumbent = self._incumbent(folder, f"{self.solver} was interrupted")
                if incumbent is None:
                    raise
                return incumbent
            found = read_answer(folder)
            if found is None or self._is_broken(*found):
                words = self._failure(code, found)
                incumbent = self._incumbent(folder, words)
                if incumbent is None:
                    raise PluginError(words, fix=self._remedy(found))
                return incumbent
        return self._interpret(*found)

    def _request(self) -> Request:
        remaining = self.ctx.remaining()
        if remaining is None and self.chosen and self.solver == "scip":
            remaining = UNASKED_SECONDS
        return Request(
            solver=self.solver,
            deadline=None if remaining is None else time.time() + remaining,
            gap=OPTIMALITY_GAP / 2 if self.ctx.gap is None else self.ctx.gap,
            seed=self.ctx.seed,
            starts=max(1, int(self.ctx.options.get("starts", 4))),
            all_starts=not self.linear and not self.convex and not self.integer,
            memory_mb=self.memory_mb,
            subset=self.subset,
        )

    # ------------------------------------------------------------------ on the way

    def _on_line(self, line: str) -> None:
        if line.startswith(_NOISE):
            return
        self._last_lines = [*self._last_lines[1 - LAST_LINES :], line]
        if self.ctx.options.get("log", True):
            self.ctx.emit(Event("log.line", "solve", line))
        progress = _PROGRESS.search(line)
        if progress and self.solver == "glpk":
            incumbent, bound = progress.groups()
            if incumbent != self._last_incumbent:
                objective = _number(incumbent)
                self._last_incumbent = incumbent
            else:
                objective = None
            self._on_incumbent(objective, objective if bound == "tree" else _number(bound))

    def _on_incumbent(self, objective: float | None, bound: float | None) -> None:
        objective, proven = self._unscaled(objective), self._unscaled(bound)
        self.bound = proven if proven is not None else self.bound
        if objective is None:
            return
        gap = None if proven is None else abs(proven - objective) / max(1e-10, abs(objective))
        data = {"objective": objective, "bound": proven, "gap": gap}
        self.ctx.emit(Event("solver.incumbent", "solve", f"objective {objective:.9g}", data))

    def _unscaled(self, value: float | None) -> float | None:
        return None if value is None else value / self.objective_scale

    # ------------------------------------------------------------------ without an answer

    def _incumbent(self, folder: Path, words: str) -> Solution | None:
        """The best point that the worker left behind."""
        stored = read_incumbent(folder)
        if stored is None:
            return None
        values, objective, bound = stored
        proven = self._unscaled(bound) if bound is not None else self.bound
        return Solution(
            Status.FEASIBLE,
            self.identity(),
            values=values,
            objective=self._unscaled(objective),
            bound=proven,
            guarantee=self._strength(proven),
            message=f"{words}; the best point until then is given",
        )

    def _is_broken(self, answer: Answer, point: Point | None) -> bool:
        """True for an answer that says no more than that the process failed."""
        starved = answer.ending == "failed" and self._starved()
        return point is None and (answer.ending in ("out_of_memory", "terminated") or starved)

    def _starved(self) -> bool:
        return any(_NO_MEMORY.search(line) for line in self._last_lines)

    def _failure(self, code: int, found: tuple[Answer, Point | None] | None) -> str:
        """Why there is no answer."""
        process = f"the process that runs {self.solver}"
        if found is not None and found[0].ending == "terminated":
            return f"{process} was ended by SIGTERM from outside"
        outside = code in (-signal.SIGTERM, -getattr(signal, "SIGKILL", 9))
        if found is not None or self._starved() or (self.memory_mb and not outside):
            limit = f" of {self.memory_mb} MiB" if self.memory_mb else ""
            return f"{process} ran out of its memory{limit}"
        if code >= 0:
            return f"{process} ended with status {code} and no answer"
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"signal {-code}"
        return f"{process} was ended by {name}" + (" from outside" if outside else ", a crash")

    def _remedy(self, found: tuple[Answer, Point | None] | None) -> str:
        if self.memory_mb:
            return "allow more with -o pyomo.memory_mb=…, or ask another agent"
        return "" if found is not None else "run it again, or ask another agent with --solver"

    # ------------------------------------------------------------------ with an answer

    def _interpret(self, answer: Answer, point: Point | None) -> Solution:
        identity = self.identity(answer)
        if answer.ending == "unknown_solver":
            raise UnknownName(
                f"solver '{self.solver}' is not known to Pyomo or not installed",
                fix=f"available: {', '.join(answer.text.split())}",
            )
        words = f"{answer.solver or self.solver}: {answer.words}"
        basis = Solution(
            Status.ERROR,
            identity,
            message=words,
            statistics=dict(answer.statistics),
            assumptions=tuple(answer.assumptions),
        )
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
        if answer.ending == "infeasible" and any(answer.subset):
            rows, lower, upper = (tuple(sorted(part)) for part in answer.subset)
            subset = InfeasibleSubset(rows, lower, upper)
            return replace(basis, status=Status.INFEASIBLE, infeasible_subset=subset)
        if answer.ending == "locally_infeasible":
            if self.convex and not self.integer:
                return replace(basis, status=Status.INFEASIBLE)
            message = f"{words}: no feasible point was found, which does not prove that none exists"
            return replace(basis, message=message, guarantee=Guarantee.LOCAL)
        if answer.ending == "limit" and answer.words.startswith("Maximum_Iter"):
            return basis
        bound = self._unscaled(answer.bound) if answer.bound is not None else self.bound
        return replace(basis, status=statuses.get(answer.ending, Status.ERROR), bound=bound)

    def _with_point(self, basis: Solution, answer: Answer, point: Point) -> Solution:
        duals = None
        if not self.integer and len(point.column_duals):
            duals = Duals(point.row_duals, point.column_duals)
        objective, bound = self._unscaled(answer.objective), self._unscaled(answer.bound)
        proven = answer.ending == "optimal" or (answer.ending == "local" and self._exact())
        if answer.solver == "scip" and proven and objective is not None:
            proven = bound is not None and meets(bound, objective)
        certificate = None
        if proven and duals is not None:
            certificate = Certificate("dual", duals.rows)
        return replace(
            basis,
            status=Status.OPTIMAL if proven else Status.FEASIBLE,
            values=point.values,
            objective=objective,
            bound=bound,
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
        return self._strength(answer.bound if answer.bound is not None else self.bound)

    def _strength(self, bound: float | None) -> Guarantee:
        """What stands behind a point that is not proven optimal."""
        if finite(bound) is not None and (self.linear or self.solver == "scip"):
            return Guarantee.GLOBAL
        return Guarantee.HEURISTIC if self.linear else Guarantee.LOCAL


def meets(bound: float, objective: float, unit: float = 1.0) -> bool:
    """True if bound and objective agree within `OPTIMALITY_GAP`, relatively.

    Args:
        bound: A proven bound.
        objective: The objective at a point.
        unit: Below this size of the objective the difference counts absolutely.
    """
    return abs(bound - objective) <= OPTIMALITY_GAP * max(abs(objective), unit)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if np.isfinite(value) else None
