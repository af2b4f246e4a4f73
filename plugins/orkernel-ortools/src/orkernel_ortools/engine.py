"""Engine: one CP-SAT solve that can be interrupted and reports its incumbents."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from ortools.sat.python import cp_model

from orkernel.errors import Cancelled, PluginError
from orkernel.records import Event
from orkernel.solution import SolverIdentity

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel_ortools.building import Built, Goal

POLL = 0.02
"""Seconds between looks at the cancel flag while CP-SAT runs."""
NO_BOUND = 2.0**62
"""A bound of this size means none."""
ROUNDING = 1e-6
"""CP-SAT's bound is this near to the whole number that it is."""
GRACE = 1.0
"""Seconds that CP-SAT has to react to a stop, or past its time limit, before it is left."""


def identity() -> SolverIdentity:
    """Agent, solver and version."""
    return SolverIdentity(agent="ortools", name="CP-SAT", version=version("ortools"))


@dataclass(frozen=True, slots=True, eq=False)
class Ending:
    """How a run ended.

    Attributes:
        status: optimal | feasible | infeasible | unknown.
        value: Reads a variable of the best point; None without one.
        objective: CP-SAT's objective of that point; None without a point or an objective.
        bound: CP-SAT's lower bound on its own objective; None if there is none.
        proven: No point is better, not even within a gap.
        interrupted: The user interrupted.
        core: Literals that cannot hold together, by CP-SAT's index.
        statistics: Branches, conflicts, seconds.
    """

    status: str
    value: Callable[[Any], int] | None
    objective: float | None
    bound: float | None
    proven: bool
    interrupted: bool
    core: tuple[int, ...]
    statistics: dict[str, float]


class _Incumbents(cp_model.CpSolverSolutionCallback):
    """Puts every improving point into a queue, as an event."""

    def __init__(self, goal: Goal | None, events: SimpleQueue[Event]) -> None:
        super().__init__()
        self._goal, self._events = goal, events

    def on_solution_callback(self) -> None:
        """Called by CP-SAT in one of its threads."""
        if self._goal is None:
            return
        objective = self._goal.value(self.objective_value)
        bound = self._goal.value(self.best_objective_bound)
        data = {
            "objective": objective,
            "bound": bound,
            "gap": abs(bound - objective) / max(1e-10, abs(objective)),
            "seconds": self.wall_time,
        }
        self._events.put(Event("solver.incumbent", "solve", f"objective {objective:.9g}", data))


def run(
    built: Built,
    ctx: RunContext,
    *,
    workers: int = 1,
    silent: bool = False,
    effort: float | None = None,
) -> Ending:
    """Run CP-SAT once.

    CP-SAT works in its own thread while the caller's polls for cancellation and reports events.
    A CP-SAT that reacts neither to a stop nor to its time limit is left behind.

    Args:
        built: The program.
        ctx: Seed, deadline, gap, cancellation, options (`deterministic`, `log`).
        workers: Number of workers; one alone is repeatable, several race unless the option
            `deterministic` is set.
        silent: No events.
        effort: Deterministic seconds after which to stop; None means no such limit.

    Raises:
        Cancelled: Interrupted as a KeyboardInterrupt.
        PluginError: CP-SAT refuses the program.
    """
    solver = cp_model.CpSolver()
    events: SimpleQueue[Event] = SimpleQueue()
    _configure(solver, ctx, events, silent=silent)
    solver.parameters.num_workers = workers
    if effort is not None:
        solver.parameters.max_deterministic_time = effort
    callback = _Incumbents(None if silent else built.goal, events)
    finished, failure = threading.Event(), []

    def work() -> None:
        try:
            solver.solve(built.program.model, callback)
        except BaseException as error:
            failure.append(error)
        finally:
            finished.set()

    threading.Thread(target=work, name="cp-sat", daemon=True).start()
    interrupted = False
    try:
        while not finished.wait(POLL):
            _report(events, ctx)
            interrupted = ctx.cancelled
            late = ctx.deadline is not None and time.monotonic() > ctx.deadline + GRACE
            if interrupted or late:
                solver.stop_search()
                if not finished.wait(GRACE):
                    return Ending("unknown", None, None, None, False, interrupted, (), {})
    except KeyboardInterrupt:
        solver.stop_search()
        raise Cancelled from None
    _report(events, ctx)
    if failure:
        raise PluginError(f"CP-SAT failed: {failure[0]}") from failure[0]
    return _ending(solver, built, interrupted)


def _report(events: SimpleQueue[Event], ctx: RunContext) -> None:
    while True:
        try:
            ctx.emit(events.get_nowait())
        except Empty:
            return


def _configure(solver: Any, ctx: RunContext, events: SimpleQueue[Event], *, silent: bool) -> None:
    parameters = solver.parameters
    parameters.random_seed = ctx.seed % (2**31)
    parameters.interleave_search = bool(ctx.options.get("deterministic", False))
    parameters.relative_gap_limit = 0.0 if ctx.gap is None else max(0.0, ctx.gap)
    remaining = ctx.remaining()
    if remaining is not None:
        parameters.max_time_in_seconds = remaining
    parameters.catch_sigint_signal = False
    if ctx.options.get("log", False) and not silent:
        parameters.log_search_progress = True
        parameters.log_to_stdout = False

        def on_log(text: str) -> None:
            for line in text.splitlines():
                events.put(Event("log.line", "solve", line))

        solver.log_callback = on_log


_STATUSES = {
    cp_model.OPTIMAL: "optimal",
    cp_model.FEASIBLE: "feasible",
    cp_model.INFEASIBLE: "infeasible",
    cp_model.UNKNOWN: "unknown",
}


def _ending(solver: Any, built: Built, interrupted: bool) -> Ending:
    response = solver.response_proto
    status = _STATUSES.get(response.status)
    if status is None:
        raise PluginError(f"CP-SAT refuses the model: {built.program.model.validate()}")
    found = status in ("optimal", "feasible")
    return Ending(
        status,
        solver.value if found else None,
        float(solver.objective_value) if found and built.goal is not None else None,
        _bound(solver, built),
        status == "optimal" and solver.parameters.relative_gap_limit == 0.0,
        interrupted,
        tuple(response.sufficient_assumptions_for_infeasibility),
        {
            "branches": float(response.num_branches),
            "conflicts": float(response.num_conflicts),
            "solve_seconds": float(response.wall_time),
        },
    )


def _bound(solver: Any, built: Built) -> float | None:
    """CP-SAT's bound, a whole number but for its arithmetic; None if it is where it started."""
    if built.goal is None:
        return None
    bound = float(solver.best_objective_bound)
    if abs(bound) >= NO_BOUND:
        return None
    return float(math.ceil(bound - max(ROUNDING, 1e-15 * abs(bound))))
