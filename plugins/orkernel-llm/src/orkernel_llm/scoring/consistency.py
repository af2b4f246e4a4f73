"""Makes numbers agree with findings, and findings with what the kernel knows.

- A finding that something of the statement is missing is dropped where the formulation has an
  element that quotes those very words and states the numbers in them; a finding that an element
  lacks its quote is dropped where the quote stands in the statement. The explanation says so.
- An open finding caps its dimension: `MINOR` at most, `SERIOUS` at most if it may change the
  answer, and `FURTHER` less for each further finding there. A model that lists a missing limit
  and still gives 95 has not thought its number through.
- A finding that quotes what the statement does not say counts as minor, whatever the model says:
  models invent quotes, but a doubt is kept.

Nothing ever raises a number.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orkernel.formulation.elements import Definition, elements, stated_numbers
from orkernel.formulation.numbers import Kind, Mention, find_numbers
from orkernel.formulation.quotes import QuoteIndex
from orkernel.formulation.schema import (
    ConstraintDefinition,
    ObjectiveDefinition,
    ParameterDefinition,
    VariableDefinition,
)
from orkernel.records import DIMENSIONS, Finding, Score

if TYPE_CHECKING:
    from orkernel.formulation.schema import Formulation
    from orkernel_llm.scoring.judgement import Claim, Judgement

MINOR = 80.0
"""Highest score of a dimension with an open finding."""
SERIOUS = 60.0
"""Highest score of a dimension with a finding that may change the answer."""
FURTHER = 5.0
"""What each further open finding of a dimension takes off its cap."""
LEAST_CAP = 20.0
"""However many findings there are, they do not cap below this."""
COVERED = 0.8
"""Share of a finding's quote that an element has to quote for it not to be missing."""

KINDS: dict[str, tuple[type[Definition], ...]] = {
    "parameters": (ParameterDefinition, ConstraintDefinition, VariableDefinition),
    "variables": (VariableDefinition,),
    "objective": (ObjectiveDefinition,),
    "constraints": (ConstraintDefinition, VariableDefinition),
}
"""Elements that can hold what a finding of a dimension calls missing."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Scores and findings that agree with each other.

    Attributes:
        scores: One per dimension.
        findings: Open faults, serious ones first.
    """

    scores: dict[str, Score]
    findings: tuple[Finding, ...]


def consistent(judgement: Judgement, formulation: Formulation, statement: str) -> Judged:
    """Scores and findings of a judgement, made consistent."""
    facts = _Facts(formulation, statement)
    open_: list[tuple[Claim, bool]] = []
    refuted: list[tuple[Claim, str]] = []
    for claim in dict.fromkeys(judgement.findings):
        why = facts.refutation(claim)
        if why:
            refuted.append((claim, why))
        else:
            open_.append((claim, claim.serious and facts.stands(claim.quote)))
    scores = {
        dimension: _score(
            judgement.mark(dimension).score,
            judgement.mark(dimension).explanation or "no reason given",
            [serious for claim, serious in open_ if claim.dimension in (dimension, None)],
            [why for claim, why in refuted if claim.dimension in (dimension, None)],
        )
        for dimension in DIMENSIONS
    }
    weakest = min(DIMENSIONS, key=lambda dimension: scores[dimension].value)
    ordered = sorted(open_, key=lambda item: not item[1])
    findings = tuple(
        Finding(claim.dimension or weakest, _told(claim, serious)) for claim, serious in ordered
    )
    return Judged(scores, findings)


def _score(value: float, explanation: str, findings: Sequence[bool], notes: Iterable[str]) -> Score:
    """A model's number under the cap of the findings in its dimension."""
    parts = [explanation, *dict.fromkeys(notes)]
    if findings:
        cap = SERIOUS if any(findings) else MINOR
        cap = max(LEAST_CAP, cap - FURTHER * (len(findings) - 1))
        if value > cap:
            count = f"{len(findings)} open finding{'s' if len(findings) > 1 else ''}"
            kind = ", one of them serious" if len(findings) > 1 else ", a serious one"
            parts.append(f"{value:g} lowered to {cap:g}: {count}{kind if any(findings) else ''}")
            value = cap
    return Score(value, "; ".join(parts))


def _told(claim: Claim, serious: bool) -> str:
    """A finding in one line: element, what is the matter, and the words of the statement."""
    head = f"{claim.element}: " if claim.element and claim.element not in claim.text else ""
    text = claim.text or {"missing": "missing", "quote": "its quote does not support it"}.get(
        claim.problem, "wrong"
    )
    quote = f" (the statement: “{claim.quote}”)" if claim.quote and claim.quote not in text else ""
    return f"{'serious: ' if serious else ''}{head}{text}{quote}"


class _Facts:
    """What the kernel knows about a formulation and its statement."""

    def __init__(self, formulation: Formulation, statement: str) -> None:
        self._index = QuoteIndex(statement)
        self._mentions = [m for m in find_numbers(statement) if m.kind is not Kind.LABEL]
        self._elements = [definition for _, definition in elements(formulation)]

    def stands(self, quote: str) -> bool:
        """Whether words stand in the statement; no words do."""
        return not quote or self._index.find(quote) is not None

    def refutation(self, claim: Claim) -> str:
        """Why a claim does not hold; empty where nothing is known against it."""
        if claim.problem == "quote":
            return self._quoted(claim)
        if claim.problem == "missing":
            return self._present(claim)
        return ""

    def _quoted(self, claim: Claim) -> str:
        """An element said to lack its quote, though all of its quotes stand in the statement."""
        named = [e for e in self._elements if e.name == claim.element]
        if not named or not all(
            e.sources and all(s.start is not None for s in e.sources) for e in named
        ):
            return ""
        return f"finding dropped: the quote of '{claim.element}' stands in the statement"

    def _present(self, claim: Claim) -> str:
        """Words or numbers said to be missing, though an element quotes and states them."""
        kinds = KINDS.get(claim.dimension or "")
        if kinds is None:
            return ""
        place = self._index.find(claim.quote) if claim.quote else None
        if place is not None:
            within = [m for m in self._mentions if place.start <= m.start and m.end <= place.end]
            quoted = any(
                isinstance(e, kinds)
                and _covers(e, place.start, place.end) >= COVERED
                and (claim.dimension != "constraints" or _limits(e, within))
                for e in self._elements
            )
            if all(self._states(m, kinds) for m in within) and (
                quoted or (within and claim.dimension == "parameters")
            ):
                return f"finding dropped: “{claim.quote}” is in the formulation"
        elif not claim.quote and claim.dimension == "parameters":
            numbers = {m.value for m in find_numbers(claim.text) if m.kind is not Kind.LABEL}
            places = [m for m in self._mentions if set(m.values) & numbers]
            values = {value for m in places for value in m.values}
            if places and numbers <= values and all(self._states(m, kinds) for m in places):
                shown = ", ".join(f"{number:.10g}" for number in sorted(numbers))
                return f"finding dropped: the formulation uses {shown}"
        return ""

    def _states(self, mention: Mention, kinds: tuple[type[Definition], ...]) -> bool:
        """Whether an element quotes a number where it stands and states it.

        A constraint may take it from a parameter, so that parameters count in any case.
        """
        wanted = {*mention.values, *mention.derived}
        return any(
            isinstance(e, (*kinds, ParameterDefinition))
            and _covers(e, mention.start, mention.end) == 1.0
            and any(abs(n) in wanted for n in stated_numbers(e))
            for e in self._elements
        )


def _limits(element: Definition, within: Sequence[Mention]) -> bool:
    """Whether an element is a constraint, or a variable with one of the numbers as its bound."""
    if isinstance(element, ConstraintDefinition):
        return True
    numbers = {value for mention in within for value in mention.values}
    return any(abs(n) in numbers for n in stated_numbers(element))


def _covers(element: Definition, start: int, end: int) -> float:
    """Largest share of a passage that one quote of an element holds."""
    overlaps = [
        min(end, s.end) - max(start, s.start)
        for s in element.sources
        if s.start is not None and s.end is not None
    ]
    return max([0, *overlaps]) / max(1, end - start)
