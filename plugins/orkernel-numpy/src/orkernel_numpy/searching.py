"""What is not enumerated: convex cuts where they apply, else local and global search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orkernel.records import Guarantee
from orkernel.solution import Solution, SolverIdentity, Status
from orkernel_numpy.cuts import ConvexProgram, cut

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel_numpy.domain import Domain
    from orkernel_numpy.judging import Judge


def search(
    model: Model, domain: Domain, judge: Judge, ctx: RunContext, solver: SolverIdentity
) -> Solution:
    """The best point that cuts or search find, labelled with what stands behind it."""
    program = ConvexProgram.of(model, judge.signs)
    if program is not None:
        outcome = cut(program, domain, judge)
        if outcome.infeasible and judge.best is None:
            return Solution(Status.INFEASIBLE, solver, message="the cutting planes contradict")
        if outcome.proven:
            return Solution(
                Status.OPTIMAL,
                solver,
                values=judge.best,
                objective=judge.objective,
                bound=judge.objective,
                message="convex: cutting planes closed the gap",
                statistics={"cut_rounds": float(outcome.rounds)},
            )
    return Solution(Status.ERROR, solver, guarantee=Guarantee.HEURISTIC, message="no search yet")
