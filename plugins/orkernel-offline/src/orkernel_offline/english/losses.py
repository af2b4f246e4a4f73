"""Sentences from which the reader would lose a demand, or turn one around: refused.

Most demands hold a number that must be accounted for. The ones here hold none, or hold one in a
form that looks like a plainer limit: "not both", "twice the chairs must be at least the tables".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from .clause_view import Observations
from .clauses import Clause
from .entities import Naming
from .facts import Facts, Span
from .goals import Goals
from .limits import LIMIT_VERBS
from .phrases import Mark, Noun, Phrase, Quantity
from .tokens import Sentence

Finding = tuple[str, Span]

_NUMBER = r"(?:\d[\d,.]*|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|fifty)"
_ALWAYS: tuple[tuple[str, str], ...] = (
    (r"\bnot both\b|\bonly one of (?:the two|these|them)\b|\bmutually exclusive\b",
     "a choice between things is not read"),
    (rf"\bwithin {_NUMBER} of\b", "a distance between two amounts is not read"),
)  # fmt: skip
_WITH_A_NUMBER: tuple[tuple[str, str], ...] = (
    (r"\b(?:impossible|unnecessary|no need|needn't|need not|(?:don't|doesn't|not) (?:need|have) to"
     r"|(?:not|isn't|aren't) (?:strictly )?(?:necessary|required|needed|mandatory|compulsory"
     r"|obligatory))\b",
     "cannot tell whether this is demanded; say what must be, or leave it out"),
    (r"\b(?:forbid(?:s|den)?|prohibit(?:s|ed)?|refuses?|bans?|banned|illegal"
     r"|avoid(?= \w+ing (?:more|less|fewer))|unlawful|nobody|no one)\b[^,.;]{0,40}"
     r"\b(?:more|less|fewer|over|under|above|below|exceed)",
     "say what must be at least or at most so many"),
    (r"\b(?:competitor|rival)s?\b", "what somebody else does is not read"),
    (r"\b(?:ignoring|disregarding|leaving aside|other than|apart from|excluding|excepting)\b",
     "an exception is not read"),
)  # fmt: skip
_OUTNUMBER = re.compile(r"\boutnumber", re.I)
_SAME = re.compile(r"\b(?:same|equal) (?:numbers?|quantit(?:y|ies))\b|\bequally many\b", re.I)
_FOR = frozenset({"on", "for", "by", "to", "into", "towards"})
_CONDITIONS = frozenset({"if", "unless", "whenever"})
_DUTY = frozenset({"must", "should", "shall", "can", "may", "cannot", "can't"})


def lost_words(text: str, sentences: Sequence[Sentence]) -> Finding | None:
    """The first sentence with words of a demand that no reading covers."""
    for sentence in sentences:
        said = text[sentence.start : sentence.end]
        numbered = any(token.kind == "number" for token in sentence.tokens)
        span = (sentence.start, sentence.end)
        for pattern, reason in (*_ALWAYS, *(_WITH_A_NUMBER if numbered else ())):
            if re.search(pattern, said, re.I):
                return reason, span
        if _OUTNUMBER.search(said) and not numbered:
            return 'say "there must be more … than …"', span
    return None


def lost_demand(
    text: str, clauses: Sequence[Clause], seen: Observations, goals: Goals
) -> Finding | None:
    """The first clause whose demand was not observed, or the other way round."""
    compared = {words.clause for words in seen.comparisons}
    asking = {clauses[index].sentence for index in (*goals.clauses, *goals.questions)}
    for number, clause in enumerate(clauses):
        conditional = clause.link in _CONDITIONS and clause.sentence not in asking
        if conditional and any(map(_limits, clause.phrases)):
            return "a limit inside a condition is not read", (clause.start, clause.end)
        for reason in _reasons(clause, number in compared, text[clause.start : clause.end]):
            return reason, (clause.start, clause.end)
    return None


def _reasons(clause: Clause, compared: bool, said: str) -> Iterator[str]:
    verb = clause.verb
    if verb is None:
        return
    duty = verb.modal in _DUTY or "have" in verb.chain[:1] or "need" in verb.chain[:1]
    if duty and not compared and _SAME.search(said):
        yield "equal amounts are not read in this form; say as many … as …"
    if verb.chain[:2] == ("be", "to") and any(_banned(phrase) for phrase in clause.before):
        yield "a ban is not read"
    if any(map(_banned, clause.before)) and any(map(_limits, clause.after)):
        yield "a limit on what is not so is not read"
    limited = [p for p in clause.before if isinstance(p, Quantity) and p.limit is not None]
    if verb.negative and limited:
        yield "a limit on what is not so is not read"
    multiplied = any(isinstance(p, Quantity) and p.role == "times" for p in clause.before)
    if multiplied and duty and any(map(_limits, clause.after)):
        yield "put the multiple behind the limit: the number of … must be at most twice …"
    if any(isinstance(p, Mark) and p.text in {"plus", "minus"} for p in clause.phrases) and any(
        map(_limits, clause.phrases)
    ):
        yield "a sum inside a limit is not read"
    for first, second in pairwise(clause.phrases):
        plain = isinstance(first, Quantity) and first.role == "plain"
        if plain and _turns(first, second, verb.lemma in LIMIT_VERBS):
            yield "so much more or less than another amount is not read in this form"
        if _is_part(first) and isinstance(second, Mark) and _grows(second):
            yield "so many percent more or less is not read; say 1.2 times as many"


def _banned(phrase: Phrase) -> bool:
    return isinstance(phrase, Noun) and phrase.determiner == "no"


def _limits(phrase: Phrase) -> bool:
    if isinstance(phrase, Quantity):
        return phrase.limit is not None
    return isinstance(phrase, Mark) and phrase.kind == "limit"


def _turns(first: Phrase, second: Phrase, exceeds: bool) -> bool:
    """ "at most 5 less than the other", "5 less than twice the other", "exceed 3 less than"."""
    if not isinstance(first, Quantity) or first.nouns or first.unit:
        return False
    if isinstance(second, Quantity):
        return second.role == "times" and second.limit is not None and second.limit.strict
    if not isinstance(second, Mark) or second.sense is None or not second.sense.strict:
        return False
    return exceeds or (first.limit is not None and first.limit.op == second.sense.op == "<=")


def _is_part(phrase: Phrase) -> bool:
    return isinstance(phrase, Quantity) and phrase.role in {"percent", "fraction"}


def _grows(mark: Mark) -> bool:
    return mark.kind == "more" or (mark.sense is not None and mark.sense.strict)


def lost_part(
    facts: Facts, clauses: Sequence[Clause], naming: Naming, seen: Observations
) -> Finding | None:
    """A limit on a measure that is said of some activities only, or of what goes with another."""
    capped = {limit.target for limit in facts.limits if limit.sense.op == "<="}
    for limit in facts.limits:
        implied = limit.sense.op == ">=" and limit.quantity.limit is None
        if implied and limit.target.kind == "measure" and limit.target in capped:
            reason = "may be used by something else; subtract it, or say at least"
            return f"{limit.quantity.text} {reason}", limit.span
    by_place = {words.quantity.number_start: words for words in seen.limits}
    for limit in facts.limits:
        words = by_place.get(limit.quantity.number_start)
        if words is None:
            continue
        if limit.target.kind == "measure":
            named = _named(clauses[words.clause], naming)
            if named and not set(facts.measures[limit.target.index].cells) <= named:
                return "a limit on what some of the things use is not read", limit.span
        holders = [m for m in words.subject if m.determiner in {"each", "every"}]
        hits = {h for m in holders for h in naming.exact(m.lemmas)}
        if limit.target.kind == "activity" and hits and not hits & set(limit.target.members):
            return "a limit per unit of another thing is not read in this form", limit.span
    return None


def _named(clause: Clause, naming: Naming) -> set[int]:
    """What the clause is said for: "on chairs", "by the old machine"."""
    found: set[int] = set()
    for before, phrase in pairwise(clause.phrases):
        if isinstance(before, Mark) and before.text in _FOR and isinstance(phrase, Noun):
            found |= set(naming.exact(phrase.lemmas))
    return found


__all__ = ["lost_demand", "lost_part", "lost_words"]
