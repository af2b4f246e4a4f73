"""Infeasible, unbounded, out of time, interrupted: each is told as what it is."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

from orkernel.agents import Agents
from orkernel.errors import Cancelled, OrkernelError
from orkernel.records import Guarantee, RankedAgent
from orkernel.solution import Solution, Status
from orkernel.solving import solve_ranked
from orkernel.testing.conformance.base import Subject, conformance_test, require
from orkernel.testing.conformance.solver_agents.asking import (
    QUESTION,
    SECONDS,
    ask,
    promised,
    require_optimum,
    require_verified,
)
from orkernel.testing.conformance.solver_agents.interrupting import ctrl_c_after
from orkernel.testing.conformance.solver_agents.problems.ends import INFEASIBLE, UNBOUNDED
from orkernel.testing.conformance.solver_agents.problems.hard import HARD, HARD_FRONTS
from orkernel.testing.conformance.solver_agents.problems.known import KnownProblem
from orkernel.testing.conformance.solver_agents.record import PER_CAPABILITY

TOO_SHORT = 0.1
"""Seconds given for a problem that nobody solves in that time."""
GRACE = 4.0
"""Seconds by which a deadline, a cancellation or Ctrl-C may be overrun, start-up included."""
MOMENT = 0.4
"""Seconds after which a running solve is interrupted."""
SMALL = {str(capability): known for capability, known in PER_CAPABILITY.items()}


@conformance_test(added_in="0.1", cases=INFEASIBLE)
def test_infeasible_is_told(subject: Subject, case: KnownProblem) -> None:
    """An infeasible model is called infeasible by exact agents; no agent finds a point of it."""
    model = case.model()
    exact = promised(subject, case) is Guarantee.GLOBAL
    try:
        solution = ask(subject, model, **({} if exact else {"deadline": time.monotonic() + 3}))
    except OrkernelError as error:
        require(not exact, f"it promises to prove infeasibility, but raised: {error}")
        return
    require(
        solution.status not in (Status.OPTIMAL, Status.FEASIBLE, Status.UNBOUNDED),
        f"it ended '{solution.status}' on an infeasible model",
    )
    if exact:
        settled = _settled(subject, case) if _undecided(solution) else solution.status
        require(settled is Status.INFEASIBLE, f"it ended '{settled}' on an infeasible model")


@conformance_test(added_in="0.1", cases=UNBOUNDED)
def test_unbounded_is_told(subject: Subject, case: KnownProblem) -> None:
    """An unbounded model is called unbounded; where unclear, the kernel's question settles it."""
    model = case.model()
    exact = promised(subject, case) is Guarantee.GLOBAL
    try:
        solution = ask(subject, model, **({} if exact else {"deadline": time.monotonic() + 3}))
    except OrkernelError as error:
        require(not exact, f"it promises to tell an unbounded model, but raised: {error}")
        return
    require(
        solution.status not in (Status.OPTIMAL, Status.INFEASIBLE),
        f"it ended '{solution.status}' on an unbounded model",
    )
    if exact:
        settled = _settled(subject, case) if _undecided(solution) else solution.status
        require(settled is Status.UNBOUNDED, f"it ended '{settled}' on an unbounded model")


def _undecided(solution: Solution) -> bool:
    return solution.status is Status.INFEASIBLE_OR_UNBOUNDED


def _settled(subject: Subject, case: KnownProblem) -> Status:
    """What the kernel makes of an answer that leaves infeasible or unbounded open."""
    ctx = subject.context().limited(SECONDS)
    ranked = [RankedAgent(subject.record.name, "under test")]
    agents = Agents(subject.registry, QUESTION, ctx)
    outcome = solve_ranked(agents, case.model(), ranked, ctx, second_opinion=False)
    return outcome.solution.status


# ------------------------------------------------------------------------ time limits


@dataclass(frozen=True, slots=True)
class _Timed:
    """An answer, and how long it took."""

    solution: Solution
    seconds: float


@cache
def _rushed(subject: Subject, case: KnownProblem) -> _Timed:
    """The answer within `TOO_SHORT`, asked for once."""
    model = case.model()
    started = time.monotonic()
    solution = ask(subject, model, deadline=started + TOO_SHORT)
    return _Timed(solution, time.monotonic() - started)


@conformance_test(added_in="0.1", cases={**HARD, **HARD_FRONTS})
def test_keeps_the_deadline(subject: Subject, case: KnownProblem) -> None:
    """A tenth of a second for a hard problem: it stops, without error, soon after."""
    timed = _rushed(subject, case)
    require(
        timed.seconds <= TOO_SHORT + GRACE,
        f"it took {timed.seconds:.1f} s; the time limit was {TOO_SHORT} s",
    )
    require(
        timed.solution.status is not Status.ERROR, f"the limit ended in: {timed.solution.message}"
    )


@conformance_test(added_in="0.1", cases=HARD)
def test_time_limit_is_no_proof_of_optimality(subject: Subject, case: KnownProblem) -> None:
    """What the time limit left unproven is not called optimal; an incumbent is feasible."""
    solution = _rushed(subject, case).solution
    if solution.values is not None:
        found = require_verified(case.model(), solution)
        require_optimum(case, found, exact=solution.status is Status.OPTIMAL)


@conformance_test(added_in="0.1", cases={**HARD, **HARD_FRONTS})
def test_time_limit_is_no_proof_of_infeasibility(subject: Subject, case: KnownProblem) -> None:
    """Without an incumbent the time limit is reported, never infeasibility."""
    status = _rushed(subject, case).solution.status
    wrong = (Status.INFEASIBLE, Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED)
    require(status not in wrong, f"it ended '{status}' at the time limit")


@conformance_test(added_in="0.1", cases=SMALL)
def test_past_deadline_is_a_time_limit(subject: Subject, case: KnownProblem) -> None:
    """With no time left it says so at once, or hands over a point that holds."""
    started = time.monotonic()
    model = case.model()
    solution = ask(subject, model, deadline=started - 1.0)
    seconds = time.monotonic() - started
    require(seconds <= GRACE, f"it took {seconds:.1f} s, with no time left")
    known = (Status.TIME_LIMIT, Status.FEASIBLE, Status.PARETO_FRONT)
    require(solution.status in known, f"it ended '{solution.status}' with no time left")
    if solution.status is not Status.TIME_LIMIT:
        require_verified(model, solution)


# ---------------------------------------------------------------------- interruptions


@conformance_test(added_in="0.1", cases=HARD)
def test_cancelled_before_the_start(subject: Subject, case: KnownProblem) -> None:
    """Cancelled before it starts, it raises Cancelled or hands over a point that holds."""
    cancel = threading.Event()
    cancel.set()
    _require_stopped(subject, case, cancel)


@conformance_test(added_in="0.1", cases=HARD)
def test_cancelled_during_a_solve(subject: Subject, case: KnownProblem) -> None:
    """Cancelled in the middle, it stops: with its incumbent, or Cancelled without one."""
    cancel = threading.Event()
    timer = threading.Timer(MOMENT, cancel.set)
    timer.start()
    try:
        _require_stopped(subject, case, cancel)
    finally:
        timer.cancel()
        timer.join()


def _require_stopped(subject: Subject, case: KnownProblem, cancel: threading.Event) -> None:
    model = case.model()
    started = time.monotonic()
    try:
        solution = ask(subject, model, cancel=cancel)
    except Cancelled:
        solution = None
    seconds = time.monotonic() - started
    require(seconds <= MOMENT + GRACE, f"it went on for {seconds:.1f} s after it was cancelled")
    if solution is not None:
        found = require_verified(model, solution)
        require_optimum(case, found, exact=solution.status is Status.OPTIMAL)


@conformance_test(added_in="0.1", cases=HARD)
def test_ctrl_c_gets_through(subject: Subject, case: KnownProblem) -> None:
    """Ctrl-C without the kernel's handler ends the solve by KeyboardInterrupt, unswallowed."""
    model = case.model()
    require(subject.target is not None, "there is no agent")
    started = time.monotonic()
    with _interrupted() as pressed:
        solution = ask(subject, model, deadline=started + 8.0)
        require(
            not pressed.is_set(),
            f"Ctrl-C was swallowed: it ended '{solution.status}' "
            f"{time.monotonic() - started - MOMENT:.1f} s later",
        )
    seconds = time.monotonic() - started
    require(seconds <= MOMENT + GRACE, f"it went on for {seconds:.1f} s after Ctrl-C")


@contextmanager
def _interrupted() -> Iterator[threading.Event]:
    """A block that Ctrl-C ends after a moment; either way out is fine with Python."""
    try:
        with ctrl_c_after(MOMENT) as pressed:
            yield pressed
    except (KeyboardInterrupt, Cancelled):
        return
