"""Solve and verify: from a bound model and ranked agents to a checked outcome.

Agents are tried in the order of the classification. One that fails, or whose answer
does not hold, is reported and the next is tried.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orkernel.agents import Agents, Panel, alternatives
from orkernel.compose import dominated_point, irreducible_subset
from orkernel.context import ignore
from orkernel.errors import Cancelled, OrkernelError, Unsupported, UsageError
from orkernel.plugins.problems import describe, one_line
from orkernel.records import (
    Event,
    Guarantee,
    RankedAgent,
)
from orkernel.solution import (
    Evidence,
    InfeasibleSubset,
    ParetoPoint,
    Solution,
    SolverIdentity,
    Status,
)
from orkernel.verify import Verification, verify

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model

SECOND_OPINION_SECONDS = 10.0
"""Longest time spent on a second agent to back a claim without certificate."""
DELETION_SECONDS = 10.0
"""Longest time spent on an irreducible infeasible subset where there is no time limit."""
AGREEMENT = 1e-6
"""Relative difference of two optima that still counts as agreement."""

STRENGTH = (Evidence.SOLVER_CLAIM, Evidence.SECOND_AGENT, Evidence.CERTIFICATE)


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """A solution with everything that the kernel found out about it."""

    solution: Solution
    verification: Verification
    evidence: Evidence | None = None
    subset: InfeasibleSubset | None = None
    notes: tuple[str, ...] = ()


# ----------------------------------------------------------------------------- solve


def solve_ranked(
    agents: Agents,
    model: Model,
    ranked: Sequence[RankedAgent],
    ctx: RunContext,
    *,
    trial: Solution | None = None,
    second_opinion: bool = True,
) -> Outcome:
    """Try the ranked agents until one gives an answer that holds.

    Args:
        agents: The installed agents.
        model: The bound model.
        ranked: Whom to ask, best first.
        ctx: Run context.
        trial: An earlier solution of the same model; taken over if it is conclusive and comes
            from the agent whose turn it is.
        second_opinion: Whether to ask a second exact agent to back a claim without certificate.

    Returns:
        The outcome; if no agent has one, `ill_posed` where all say that they cannot take the
        model, otherwise `error`.

    Raises:
        Cancelled: The user interrupted and there is no incumbent.
    """
    refused: Outcome | None = None
    failures: list[Exception] = []
    for agent in ranked:
        ctx.emit(Event("solver.started", "solve", f"{agent.name}: {agent.reason}"))
        if trial is not None and _conclusive(trial, agent.name, model):
            ctx.emit(Event("solver.trial_kept", "solve", "the trial solve was conclusive"))
            outcome: Outcome | Exception = _judge(model, trial, [])
        else:
            outcome = _attempt(agents, model, agent.name, ctx)
        if isinstance(outcome, Exception):
            failures.append(outcome)
            continue
        if outcome.verification.verified or outcome.solution.status is Status.TIME_LIMIT:
            return _strengthen(agents, model, agent.name, outcome, ctx, second_opinion)
        for problem in outcome.verification.problems:
            agents.notes.append(f"answer of {agent.name} refused: {problem}")
        refused = refused or outcome
        if (remaining := ctx.remaining()) is not None and remaining <= 0:
            break
    if refused is not None:
        return refused
    reasons = "; ".join(agents.notes) or "no agent was tried"
    if failures and all(isinstance(error, Unsupported) for error in failures):
        asked = {agent.name for agent in ranked}
        others = [spec for spec in agents.able(model) if spec.name not in asked]
        hint = f" ({alternatives(agents, model, others)})" if others else ""
        return _failed(Status.ILL_POSED, f"{reasons}{hint}")
    return _failed(Status.ERROR, reasons)


def _conclusive(trial: Solution, name: str, model: Model) -> bool:
    """True if solving again could tell nothing new."""
    return (
        trial.solver.agent == name
        and trial.status in (Status.OPTIMAL, Status.INFEASIBLE)
        and trial.guarantee is Guarantee.GLOBAL
        and (trial.values is not None or trial.status is Status.INFEASIBLE)
        and len(model.formulation.objectives) <= 1
    )


def _failed(status: Status, message: str) -> Outcome:
    nobody = SolverIdentity("", "", "")
    solution = Solution(status, nobody, message=message)
    return Outcome(solution, Verification(False, None, {}, None, None, (message,)))


def _attempt(agents: Agents, model: Model, name: str, ctx: RunContext) -> Outcome | Exception:
    """One agent's checked outcome, or after a note why it has none."""
    failure: Exception
    try:
        return _ask(agents, model, name, ctx)
    except (Cancelled, KeyboardInterrupt):
        raise
    except UsageError:
        raise
    except Unsupported as error:
        failure, note = error, f"cannot take {error}"
    except OrkernelError as error:
        failure, note = error, f"failed: {one_line(str(error))}"
    except Exception as error:
        failure, note = error, f"failed: {one_line(describe(error))}"
    agents.notes.append(f"{name} {note}")
    ctx.emit(Event("solver.failed", "solve", agents.notes[-1]))
    return failure


def _ask(agents: Agents, model: Model, name: str, ctx: RunContext) -> Outcome:
    """One agent's checked outcome, with infeasible and unbounded told apart."""
    solution, checks = agents.solve(name, model, ctx)
    if solution.status is Status.INFEASIBLE_OR_UNBOUNDED:
        solution, checks = _settle(agents, model, name, solution, ctx), []
    elif solution.status is Status.UNBOUNDED and solution.values is None:
        solution, checks = _with_point(agents, model, name, solution, ctx), []
    return _judge(model, solution, checks)


def _settle(
    agents: Agents, model: Model, name: str, solution: Solution, ctx: RunContext
) -> Solution:
    """Tell infeasible from unbounded by asking for any feasible point."""
    feasibility, _ = agents.solve(name, model.derive(objectives=()), ctx)
    if feasibility.status is Status.INFEASIBLE:
        return replace(feasibility, objective=None)
    if feasibility.values is None:
        return solution
    return replace(solution, status=Status.UNBOUNDED, values=feasibility.values, objective=None)


def _with_point(
    agents: Agents, model: Model, name: str, solution: Solution, ctx: RunContext
) -> Solution:
    """A feasible point for an unbounded model, without which it may be infeasible."""
    feasibility, _ = agents.solve(name, model.derive(objectives=()), ctx)
    if feasibility.status is Status.INFEASIBLE:
        return feasibility
    return replace(solution, values=feasibility.values)


def _judge(model: Model, solution: Solution, checks: Sequence[Verification]) -> Outcome:
    """Verify the answer; where it rests on several solves their weakest evidence counts."""
    if solution.status is Status.INFEASIBLE and solution.guarantee is not Guarantee.GLOBAL:
        message = "no feasible point was found, and a local solver cannot prove that there is none"
        return Outcome(
            replace(solution, status=Status.ERROR, message=message),
            Verification(False, None, {}, None, None, (message,)),
        )
    whole = verify(model, solution)
    if not checks:
        return Outcome(solution, whole, whole.evidence)
    problems = [p for part in checks for p in part.problems]
    if problems and whole.verified:
        whole = replace(whole, verified=False, problems=tuple(problems))
    evidence = _weakest([p.evidence for p in checks]) if whole.verified else None
    return Outcome(solution, whole, evidence)


def _weakest(found: Sequence[Evidence | None]) -> Evidence | None:
    if not found or any(e is None for e in found):
        return None
    return min((e for e in found if e is not None), key=STRENGTH.index)


# ----------------------------------------------------------------------------- strengthen


def _strengthen(
    agents: Agents,
    model: Model,
    name: str,
    outcome: Outcome,
    ctx: RunContext,
    second_opinion: bool,
) -> Outcome:
    """Back a bare claim by a second agent, and find the infeasible subset."""
    if second_opinion and outcome.evidence is Evidence.SOLVER_CLAIM:
        outcome = _second_opinion(agents, model, name, outcome, ctx)
    if outcome.solution.status is Status.INFEASIBLE and outcome.verification.verified:
        subset = _subset(agents, model, name, outcome, ctx)
        outcome = replace(outcome, subset=subset)
    return outcome


def _second_opinion(
    agents: Agents, model: Model, name: str, outcome: Outcome, ctx: RunContext
) -> Outcome:
    others = [a for a in agents.exact(model) if a.name != name]
    for spec in others:
        ctx.emit(Event("solver.second_opinion", "verify", f"asking {spec.name} as well"))
        limited = ctx.limited(SECOND_OPINION_SECONDS).with_(emit=ignore)
        try:
            if outcome.solution.status is Status.PARETO_FRONT:
                return _confirmed_front(agents, model, name, outcome, spec.name, limited)
            other = _ask(agents, model, spec.name, limited)
        except Cancelled:
            return outcome
        except Unsupported:
            continue
        except Exception as error:
            agents.notes.append(f"{spec.name} could not confirm: {error}")
            continue
        second = other.solution
        conclusive = second.status in (Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED)
        if not conclusive or second.guarantee is not Guarantee.GLOBAL:
            continue
        if not other.verification.verified:
            continue
        if _agree(outcome, other):
            return replace(outcome, evidence=Evidence.SECOND_AGENT)
        return _disagreement(name, outcome, spec.name, other)
    return outcome


def _confirmed_front(
    agents: Agents, model: Model, name: str, outcome: Outcome, other: str, ctx: RunContext
) -> Outcome:
    """The outcome after another agent has looked for a point that dominates one of the front.

    Raises:
        OrkernelError: It could not decide for every point.
    """

    def solve(stage_model: Model, stage_ctx: RunContext) -> Solution:
        return agents.solve(other, stage_model, stage_ctx)[0]

    found = dominated_point(model, outcome.solution, solve, ctx)
    if found is None:
        return replace(outcome, evidence=Evidence.SECOND_AGENT)
    names = [o.name for o in model.formulation.objectives]

    def said(point: ParetoPoint) -> str:
        return ", ".join(f"{k} = {v:.9g}" for k, v in zip(names, point.objectives, strict=True))

    return _refused(
        outcome,
        f"two exact agents disagree: {name} calls the point ({said(found.point)}) efficient, "
        f"{other} finds ({said(found.better)})",
    )


def _agree(first: Outcome, second: Outcome) -> bool:
    if first.solution.status is not second.solution.status:
        return False
    mine, yours = first.verification.objectives, second.verification.objectives
    return all(
        abs(value - yours[key]) <= AGREEMENT * max(1.0, abs(value)) for key, value in mine.items()
    )


def _disagreement(name: str, first: Outcome, other: str, second: Outcome) -> Outcome:
    def said(outcome: Outcome) -> str:
        values = ", ".join(f"{k} = {v:.9g}" for k, v in outcome.verification.objectives.items())
        return f"{outcome.solution.status}{f' ({values})' if values else ''}"

    message = f"two exact agents disagree: {name} says {said(first)}, {other} says {said(second)}"
    return _refused(first, message)


def _refused(outcome: Outcome, message: str) -> Outcome:
    checked = replace(outcome.verification, verified=False, evidence=None, problems=(message,))
    return replace(outcome, verification=checked, evidence=None, notes=(message,))


def _subset(
    agents: Agents, model: Model, name: str, outcome: Outcome, ctx: RunContext
) -> InfeasibleSubset | None:
    ctx.emit(Event("solver.iis", "verify", "finding which statements cannot hold together"))
    silent = ctx.with_(emit=ignore)
    if ctx.deadline is None:
        silent = silent.limited(DELETION_SECONDS)
    hint = outcome.solution.infeasible_subset
    try:
        found = irreducible_subset(model, Panel(agents, name), silent, hint=hint)
    except OrkernelError as error:
        agents.notes.append(f"no infeasible subset: {error}")
        found = None
    return found or hint
