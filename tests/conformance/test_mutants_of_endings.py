"""Wrong words about infeasible, unbounded, late and interrupted solves are each caught."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from typing import ClassVar

import numpy as np
import pytest

from orkernel.context import RunContext
from orkernel.errors import Cancelled
from orkernel.model import Model
from orkernel.records import Guarantee, Problem
from orkernel.solution import Solution, Status
from orkernel.testing.conformance.runner import Result
from orkernel.testing.reference_agent import ReferenceAgent
from orkernel.testing.reference_agent.found import IDENTITY

OVERRUN = 1.6
"""Seconds by which a mutant overruns; the tests' patience is shortened to 1.0."""


class Renames(ReferenceAgent):
    """Ends in other words than it should."""

    words: ClassVar[dict[Status, Status]] = {}

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        found = super().solve(problem, model, ctx)
        return replace(found, status=self.words.get(found.status, found.status))


class CallsInfeasibleUnbounded(Renames):
    """Calls an infeasible model unbounded."""

    words: ClassVar = {Status.INFEASIBLE: Status.UNBOUNDED}


class CallsInfeasibleLate(Renames):
    """Reports a time limit for an infeasible model."""

    words: ClassVar = {Status.INFEASIBLE: Status.TIME_LIMIT}


class CallsUnboundedInfeasible(Renames):
    """Calls an unbounded model infeasible."""

    words: ClassVar = {Status.UNBOUNDED: Status.INFEASIBLE}


class CallsUnboundedOptimal(Renames):
    """Calls some point of an unbounded model optimal."""

    words: ClassVar = {Status.UNBOUNDED: Status.OPTIMAL}


class CallsLateInfeasible(Renames):
    """Calls a model infeasible when time is up."""

    words: ClassVar = {Status.TIME_LIMIT: Status.INFEASIBLE, Status.FEASIBLE: Status.INFEASIBLE}


class CallsLateBroken(Renames):
    """Ends in an error when time is up."""

    words: ClassVar = {Status.TIME_LIMIT: Status.ERROR, Status.FEASIBLE: Status.ERROR}


class LeavesItOpen(Renames):
    """Says infeasible or unbounded of both, as presolve does."""

    words: ClassVar = {
        Status.INFEASIBLE: Status.INFEASIBLE_OR_UNBOUNDED,
        Status.UNBOUNDED: Status.INFEASIBLE_OR_UNBOUNDED,
    }

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        if not model.formulation.objectives:
            return ReferenceAgent.solve(self, problem, model, ctx)
        return super().solve(problem, model, ctx)


class FindsPointsOfTheInfeasible(ReferenceAgent):
    """Answers with the corner of the box when there is no point."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        found = super().solve(problem, model, ctx)
        if found.status is not Status.INFEASIBLE:
            return found
        return replace(found, status=Status.OPTIMAL, values=model.columns.lower)


class CallsIncumbentsOptimal(ReferenceAgent):
    """Calls whatever it holds at the time limit optimal."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        values = np.concatenate(
            [
                np.zeros(b.size) if b.name == "pick" else np.full(b.size, np.nan)
                for b in model.columns.blocks
            ]
        )
        for name, sign in (("over", 1.0), ("under", -1.0)):
            block = next(b for b in model.columns.blocks if b.name == name)
            slack = np.maximum(0.0, sign * model.parameters["goal"])
            values[block.offset : block.offset + block.size] = slack
        return Solution(Status.OPTIMAL, IDENTITY, values=values)


class IgnoresTheDeadline(ReferenceAgent):
    """Goes on after the deadline."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        return super().solve(problem, model, ctx.with_(deadline=time.monotonic() + OVERRUN))


class IgnoresCancellation(ReferenceAgent):
    """Goes on after the user has interrupted."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        longer = ctx.with_(cancel=threading.Event(), deadline=time.monotonic() + OVERRUN)
        return super().solve(problem, model, longer)


class BreaksWhenCancelled(ReferenceAgent):
    """Raises an error of its own when it is cancelled."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        try:
            return super().solve(problem, model, ctx)
        except Cancelled as error:
            raise RuntimeError("the search was disturbed") from error


class SwallowsCtrlC(ReferenceAgent):
    """Takes Ctrl-C for a time limit."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        try:
            return super().solve(problem, model, ctx)
        except KeyboardInterrupt:
            return Solution(Status.TIME_LIMIT, IDENTITY)


class SwallowsEverything(ReferenceAgent):
    """Turns every exception, Ctrl-C included, into an error status."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        try:
            return super().solve(problem, model, ctx)
        except BaseException as error:
            return Solution(Status.ERROR, IDENTITY, message=repr(error))


class ProvesByFailing(ReferenceAgent):
    """Claims that there is no point because a local search found none."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        found = super().solve(problem, model, ctx)
        if found.status is not Status.FEASIBLE:
            return found
        return replace(found, status=Status.UNBOUNDED, guarantee=Guarantee.GLOBAL)


CAUGHT = [
    (CallsInfeasibleUnbounded, "test_infeasible_is_told[open_direction]"),
    (CallsInfeasibleUnbounded, "test_infeasible_is_told[parity]"),
    (CallsInfeasibleLate, "test_infeasible_is_told[rows]"),
    (FindsPointsOfTheInfeasible, "test_infeasible_is_told[all_different]"),
    (FindsPointsOfTheInfeasible, "test_infeasible_is_told[bound_and_row]"),
    (CallsUnboundedInfeasible, "test_unbounded_is_told[no_rows]"),
    (CallsUnboundedInfeasible, "test_unbounded_is_told[whole]"),
    (CallsUnboundedOptimal, "test_unbounded_is_told[along_rows]"),
    (CallsIncumbentsOptimal, "test_time_limit_is_no_proof_of_optimality[mixed]"),
    (CallsIncumbentsOptimal, "test_time_limit_is_no_proof_of_optimality[nonlinear]"),
    (CallsLateInfeasible, "test_time_limit_is_no_proof_of_infeasibility[mixed]"),
    (CallsLateInfeasible, "test_time_limit_is_no_proof_of_infeasibility[nonconvex]"),
    (ProvesByFailing, "test_nonlinear_programs[disc]"),
    (CallsLateBroken, "test_keeps_the_deadline[whole]"),
    (IgnoresTheDeadline, "test_keeps_the_deadline[mixed]"),
    (IgnoresTheDeadline, "test_past_deadline_is_a_time_limit[linear]"),
    (IgnoresCancellation, "test_cancelled_during_a_solve[mixed]"),
    (IgnoresCancellation, "test_cancelled_before_the_start[nonlinear]"),
    (CallsIncumbentsOptimal, "test_cancelled_during_a_solve[whole]"),
    (BreaksWhenCancelled, "test_cancelled_before_the_start[whole]"),
    (SwallowsCtrlC, "test_ctrl_c_gets_through[mixed]"),
    (SwallowsEverything, "test_ctrl_c_gets_through[nonconvex]"),
]


@pytest.mark.parametrize(("mutant", "test"), CAUGHT, ids=[f"{m.__name__}-{t}" for m, t in CAUGHT])
def test_mutant_is_caught(caught: Callable[..., None], mutant: type, test: str) -> None:
    caught(mutant, test)


@pytest.mark.parametrize("test", ["test_infeasible_is_told", "test_unbounded_is_told"])
def test_agent_that_leaves_infeasible_or_unbounded_open_is_no_mutant(
    tried: Callable[..., list[Result]], test: str
) -> None:
    results = tried(LeavesItOpen, test, lambda record: record)
    assert [r.message for r in results if not r.good] == []
