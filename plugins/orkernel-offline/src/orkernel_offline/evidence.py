"""The scorer `evidence`: how much of the statement a formulation accounts for.

No opinion enters: every score is a share of countable things, or a cap that follows from
what the trial solve showed.

- parameters: share of the statement's numbers that lie in a located quote and are not
  reported as unsupported;
- variables: share of variables with a located quote;
- objective: share of the statement's goal phrases that the objectives' quotes cover;
- constraints: share of its limit phrases that the quotes of constraints and variables cover.

A trial that ends infeasible, unbounded or in an error, or whose best plan is to do nothing,
caps objective and constraints, and
an alternative reading costs a little in the dimension that it touches, so that the usual
reading wins when nothing else tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from orkernel.formulation.numbers import Kind, find_numbers
from orkernel.records import DIMENSIONS, Evaluation, Score
from orkernel.solution import Status
from orkernel_offline.formulator import ALTERNATIVE

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.formulation.schema import Element, Formulation
    from orkernel.records import Candidate, Problem

Span = tuple[int, int]

LIMIT = re.compile(
    r"\b(?:at (?:most|least)|no (?:more|less|fewer|greater) than|not (?:more|less|exceed)\w*|"
    r"cannot (?:exceed|be)|(?:must|should|may|can) not exceed|exceeds?|up to|"
    r"(?:less|fewer|more|greater) than|(?:a )?(?:minimum|maximum) (?:of|is)|limited to|"
    r"available|capacity of|budget of|only|between|exactly|as (?:many|much))\b"
    r"|<=|>=|≤|≥|\\leq?\b|\\geq?\b",
    re.IGNORECASE,
)
GOAL = re.compile(
    r"\b(?:maxim\w+|minim(?:i[sz]\w+|al)|as (?:much|little|cheaply|large|small) as possible|"
    r"(?:largest|smallest|highest|lowest|greatest|most|least|cheapest|best) "
    r"(?:possible )?(?:\w+ ){0,2}(?:profit|cost|revenue|income|yield|output|number|total|amount))\b"
    r"|\\max\b|\\min\b",
    re.IGNORECASE,
)
CAP = {
    Status.INFEASIBLE: 60.0,
    Status.UNBOUNDED: 30.0,
    Status.INFEASIBLE_OR_UNBOUNDED: 30.0,
    Status.ERROR: 20.0,
    Status.ILL_POSED: 20.0,
}
"""Highest score of objective and constraints after such a trial."""
DOUBTFUL = frozenset({"number-not-in-quote", "number-not-in-statement", "values-in-another-order"})
"""Diagnostics that speak against a value."""
NOTHING = 40.0
"""Highest score of objective and constraints if every decision of the best plan is zero."""
ALTERNATIVE_COST = 10.0
"""What each assumption of an alternative reading costs; more than what a scorer that gives 95 to
everything leaves between two readings."""


class EvidenceScorer:
    """Scores by counting; the same candidate always gets the same scores."""

    def score(
        self,
        problem: Problem,
        candidate: Candidate,
        peers: Sequence[Candidate],
        ctx: RunContext,
    ) -> Evaluation:
        """Score one candidate; peers are not looked at."""
        del peers, ctx
        formulation = candidate.formulation
        if formulation is None:
            return Evaluation("evidence", {d: Score(0.0, "no formulation") for d in DIMENSIONS})
        statement = problem.statement or formulation.statement
        scores = {
            "parameters": _numbers(statement, formulation, candidate),
            "variables": _sourced(formulation),
            "objective": _goals(statement, formulation),
            "constraints": _limits(statement, formulation),
        }
        for dimension in ("objective", "constraints"):
            scores[dimension] = _capped(scores[dimension], candidate)
        for dimension in DIMENSIONS:
            scores[dimension] = _discounted(scores[dimension], dimension, formulation)
        return Evaluation("evidence", scores)


def _spans(elements: Iterable[Element]) -> list[Span]:
    return [
        (s.start, s.end)
        for e in elements
        for s in e.sources
        if s.start is not None and s.end is not None
    ]


def _covered(start: int, end: int, spans: Sequence[Span]) -> bool:
    return any(a <= start and end <= b for a, b in spans)


def _touched(start: int, end: int, spans: Sequence[Span]) -> bool:
    return any(a < end and start < b for a, b in spans)


def _share(found: int, total: int, what: str) -> Score:
    if total == 0:
        return Score(100.0, f"the statement has no {what}")
    return Score(100.0 * found / total, f"{found} of {total} {what} accounted for")


def _numbers(statement: str, formulation: Formulation, candidate: Candidate) -> Score:
    mentions = [m for m in find_numbers(statement) if m.kind is not Kind.LABEL]
    spans = _spans(
        (
            *formulation.parameters,
            *formulation.sets,
            *formulation.variables,
            *formulation.constraints,
            *formulation.objectives,
            *formulation.results,
        )
    )
    used = sum(_covered(m.start, m.end, spans) for m in mentions)
    doubtful = sum(d.code in DOUBTFUL for d in candidate.diagnostics)
    score = _share(max(0, used - doubtful), len(mentions), "numbers")
    if doubtful:
        return Score(score.value, f"{score.explanation}, {doubtful} not in their quote")
    return score


def _sourced(formulation: Formulation) -> Score:
    located = [v for v in formulation.variables if any(s.start is not None for s in v.sources)]
    return _share(len(located), len(formulation.variables), "variables with a quote")


def _goals(statement: str, formulation: Formulation) -> Score:
    if not formulation.objectives:
        missing = GOAL.search(statement)
        return (
            Score(0.0, f"no objective, but the statement says “{missing.group()}”")
            if missing
            else Score(100.0, "no objective is asked for")
        )
    spans = _spans((*formulation.objectives, *formulation.results))
    phrases = list(GOAL.finditer(statement))
    if not phrases and not spans:
        return Score(50.0, "no goal phrase is quoted")
    return _share(sum(_touched(*m.span(), spans) for m in phrases), len(phrases), "goal phrases")


def _limits(statement: str, formulation: Formulation) -> Score:
    spans = _spans((*formulation.constraints, *formulation.variables, *formulation.parameters))
    phrases = list(LIMIT.finditer(statement))
    return _share(sum(_touched(*m.span(), spans) for m in phrases), len(phrases), "limit phrases")


def _capped(score: Score, candidate: Candidate) -> Score:
    trial = candidate.trial
    if trial is None:
        return score
    cap = CAP.get(trial.status, 100.0)
    why = f"the trial solve ended {trial.status}"
    if trial.values is not None and trial.values.size and not trial.values.any():
        cap, why = min(cap, NOTHING), "the best plan is to do nothing"
    return score if score.value <= cap else Score(cap, f"{score.explanation}; {why}")


def _discounted(score: Score, dimension: str, formulation: Formulation) -> Score:
    names = {
        "parameters": {p.name for p in formulation.parameters},
        "variables": {v.name for v in formulation.variables},
        "objective": {o.name for o in formulation.objectives},
        "constraints": {c.name for c in formulation.constraints},
    }
    known = set().union(*names.values())
    touching = [
        a
        for a in formulation.assumptions
        if a.text.startswith(ALTERNATIVE)
        and (
            names[dimension].intersection(a.affects)
            or (dimension == "constraints" and not known.intersection(a.affects))
        )
    ]
    if not touching:
        return score
    value = max(0.0, score.value - ALTERNATIVE_COST * len(touching))
    return Score(value, f"{score.explanation}; {touching[0].text}")
