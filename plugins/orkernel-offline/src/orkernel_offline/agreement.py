"""The scorer `solving`: what solving shows, without any opinion.

Three questions, each of which can only lower the scores from 100:

- Do the candidates agree? Formulations written apart from each other that end with the same
  status and objective support each other; one that ends elsewhere is doubted.
- Do two agents agree? If two exact agents solve one formulation differently, one of them is
  wrong about it, and no figure can be trusted.
- Is the answer sane? See `orkernel_offline.sanity`.

Candidates are made one after another, and a later one repairs what was found wrong with an
earlier one. A candidate with open faults is therefore no witness against one without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import OrkernelError
from orkernel.model import Model
from orkernel.records import DIMENSIONS, Evaluation, Finding, Guarantee, Score
from orkernel.solution import Status
from orkernel_offline.sanity import Cap, oddities

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.formulation.schema import Formulation
    from orkernel.records import Candidate, Problem
    from orkernel.solution import Solution

NAME = "solving"
TOLERANCE = 1e-6
"""Largest relative difference of equal objectives, besides the gaps that the agents leave."""

ALONE = 90.0
"""No other candidate can be compared with."""
MAJORITY = 95.0
"""More than half of the candidates end like this one, but not all."""
DIVIDED = 75.0
"""The candidates disagree, and no outcome has more than half of them."""
DISSENT = 60.0
"""More than half of the candidates end in one other way."""
AGENTS_DISAGREE = 20.0
"""Two exact agents solve the formulation differently."""

PROVEN = frozenset(
    {Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED, Status.INFEASIBLE_OR_UNBOUNDED}
)
"""Ends that can be compared: a plan that is only feasible may be anywhere."""
OPEN = frozenset(
    {
        "unused-number",
        "number-not-in-statement",
        "number-not-in-quote",
        "quote-not-found",
        "unbounded-objective",
    }
)
"""Diagnostics that leave a fault open."""


class SolvingScorer:
    """Scores by outcomes of trial solves; the same candidates always get the same scores."""

    def score(
        self,
        problem: Problem,
        candidate: Candidate,
        peers: Sequence[Candidate],
        ctx: RunContext,
    ) -> Evaluation:
        """Score one candidate by its trial, its second trial and the trials of its peers."""
        del ctx
        if candidate.formulation is None:
            return Evaluation(NAME, {d: Score(0.0, "no formulation") for d in DIMENSIONS})
        own = (*oddities(problem, candidate), *_of_agents(problem, candidate))
        caps = (*own, *_of_candidates(problem, candidate, peers))
        scores = {dimension: _lowest(dimension, caps) for dimension in DIMENSIONS}
        faults = sorted((cap for cap in own if cap.fault), key=lambda cap: cap.value)
        findings = tuple(Finding(cap.dimensions[-1], cap.reason) for cap in faults)
        return Evaluation(NAME, scores, findings)


def _lowest(dimension: str, caps: Sequence[Cap]) -> Score:
    """The lowest cap of a dimension, with the reasons of all, the lowest first."""
    touching = sorted((c for c in caps if dimension in c.dimensions), key=lambda c: c.value)
    if not touching:
        return Score(100.0, "nothing speaks against it")
    return Score(touching[0].value, "; ".join(dict.fromkeys(c.reason for c in touching)))


# ------------------------------------------------------------------ outcomes


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a trial ended, in a form that two formulations can be compared by.

    Attributes:
        status: Its status.
        figures: Value and sense of every objective, in order.
        gap: Absolute difference from the optimum that the agent leaves open.
    """

    status: Status
    figures: tuple[tuple[float, str], ...]
    gap: float = 0.0

    @property
    def text(self) -> str:
        """In words, e.g. `optimal at 700`."""
        values = " and ".join(f"{value:.10g}" for value, _ in self.figures)
        return f"{self.status} at {values}" if values else str(self.status)


def outcome(problem: Problem, formulation: Formulation, trial: Solution | None) -> Outcome | None:
    """The outcome of a trial; None where it proves nothing that could be compared."""
    if trial is None or trial.status not in PROVEN:
        return None
    if trial.status is not Status.OPTIMAL:
        return Outcome(trial.status, ())
    if trial.guarantee is not Guarantee.GLOBAL or trial.values is None:
        return None
    goals = formulation.objectives
    if len(goals) == 1 and trial.objective is not None:
        values = [trial.objective]
        gap = abs(trial.bound - trial.objective) if trial.bound is not None else 0.0
    else:
        try:
            found = Model.bind(formulation, problem.data).evaluate(trial.values)
        except (OrkernelError, ValueError):
            return None
        values, gap = [float(v) for v in found.objectives[0]], 0.0
    if not np.all(np.isfinite(values)):
        return None
    senses = [goal.sense for goal in goals]
    return Outcome(trial.status, tuple(zip(values, senses, strict=True)), gap)


def agree(one: Outcome, other: Outcome) -> bool:
    """Whether two outcomes say the same.

    A maximum of −c is a minimum of c; `infeasible_or_unbounded` agrees with either.
    """
    if one.status is not other.status:
        either = Status.INFEASIBLE_OR_UNBOUNDED
        return either in (one.status, other.status) and Status.OPTIMAL not in (
            one.status,
            other.status,
        )
    return len(one.figures) == len(other.figures) and all(
        _equal(value, other_value if sense == other_sense else -other_value, one.gap + other.gap)
        for (value, sense), (other_value, other_sense) in zip(
            one.figures, other.figures, strict=True
        )
    )


def _equal(value: float, other: float, gap: float) -> bool:
    return abs(value - other) <= TOLERANCE * max(1.0, abs(value), abs(other)) + gap


# ------------------------------------------------------------------ two agents


def _of_agents(problem: Problem, candidate: Candidate) -> Iterator[Cap]:
    """Whether a second exact agent confirms the trial."""
    formulation, trial, second = candidate.formulation, candidate.trial, candidate.second
    if formulation is None or trial is None or second is None:
        return
    ends = [(outcome(problem, formulation, s), s.solver.agent) for s in (trial, second)]
    (first_end, first), (second_end, other) = ends
    if first_end is None or second_end is None:
        return
    if agree(first_end, second_end):
        yield Cap(100.0, DIMENSIONS, f"{first} and {other} agree")
        return
    reason = f"{first} says {first_end.text}, {other} says {second_end.text}"
    yield Cap(AGENTS_DISAGREE, DIMENSIONS, reason, fault=True)


# ------------------------------------------------------------------ several candidates


def _of_candidates(
    problem: Problem, candidate: Candidate, peers: Sequence[Candidate]
) -> Iterator[Cap]:
    """How many other candidates end like this one."""
    assert candidate.formulation is not None
    mine = outcome(problem, candidate.formulation, candidate.trial)
    if mine is None:
        if candidate.trial is not None and candidate.trial.status is Status.FEASIBLE:
            yield Cap(ALONE, DIMENSIONS, "its plan is not proven best, so it cannot be compared")
        return
    others = [
        end
        for peer in peers
        if peer.index != candidate.index and not peer.refused and peer.formulation is not None
        for end in [outcome(problem, peer.formulation, peer.trial)]
        if end is not None and _is_witness(problem, peer, candidate, agree(mine, end))
    ]
    yield _counted(mine, others)


def _counted(mine: Outcome, others: Sequence[Outcome]) -> Cap:
    total = len(others) + 1
    like = 1 + sum(agree(mine, other) for other in others)
    if total == 1:
        return Cap(ALONE, DIMENSIONS, f"{mine.text}, with no other candidate to compare with")
    if like == total:
        return Cap(100.0, DIMENSIONS, f"all {total} candidates end {mine.text}")
    if 2 * like > total:
        return Cap(MAJORITY, DIMENSIONS, f"{like} of {total} candidates end {mine.text}")
    for other in others:
        group = sum(agree(other, another) for another in others)
        if not agree(mine, other) and 2 * group > total:
            reason = f"{mine.text}, but {group} of {total} candidates end {other.text}"
            return Cap(DISSENT, DIMENSIONS, reason)
    ends = ", ".join(dict.fromkeys(end.text for end in (mine, *others)))
    return Cap(DIVIDED, DIMENSIONS, f"the candidates disagree: {ends}")


def _is_witness(problem: Problem, peer: Candidate, candidate: Candidate, agrees: bool) -> bool:
    """Whether a peer's outcome counts: always in favour, against only if it is no worse."""
    return agrees or not has_faults(problem, peer) or has_faults(problem, candidate)


def has_faults(problem: Problem, candidate: Candidate) -> bool:
    """Whether something is still to be repaired: findings, diagnostics, an odd answer."""
    found = any(e.findings for e in candidate.evaluations if e.scorer != NAME)
    open_ = any(d.code in OPEN for d in candidate.diagnostics)
    return found or open_ or any(cap.fault for cap in oddities(problem, candidate))


__all__ = [
    "AGENTS_DISAGREE",
    "ALONE",
    "DISSENT",
    "DIVIDED",
    "MAJORITY",
    "Outcome",
    "SolvingScorer",
    "agree",
    "has_faults",
    "outcome",
]
