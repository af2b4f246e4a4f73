"""Choosing among things that can each be taken once: knapsacks and selections of projects."""

from __future__ import annotations

from collections.abc import Sequence

from . import lexicon as lex
from .clauses import Clause
from .entities import Naming
from .facts import Limit, Span, Target
from .goal_target import Unresolved
from .goals import Goals
from .limits import AT_LEAST, AT_MOST, Sense
from .phrases import Mark, Noun, Phrase, Quantity, Verb
from .words import words

_THINGS = words(
    "item thing object project investment piece good option proposal job order article book film "
    "candidate site location cargo parcel"
)
_SEVERAL = words("several multiple repeatedly unlimited")
_WHOLE_THINGS = words("project investment proposal option job site location candidate")
_TAKING = words("take pack choose select pick carry bring load fund include")
_MAKING = words(
    "make produce manufacture grow bake build plant sell ship use blend mix buy order purchase sew "
    "cook brew raise feed eat hire rent"
)
_JOINT = words("both together")
_DUTY = words("must cannot can't may should shall")


def selection_span(clauses: Sequence[Clause], goals: Goals, naming: Naming) -> Span | None:
    """Where the statement asks which things to take, each once or not at all; else None."""
    asked: Span | None = None
    for clause in clauses:
        if clause.link == "how" or any(_is_text(p, _SEVERAL) for p in clause.phrases):
            return None
        if clause.link == "which" and _names_things(clause, naming):
            asked = (clause.start, clause.end)
        if clause.link == "what" and _takes(clause):
            asked = (clause.start, clause.end)
    del goals
    return asked


def _names_things(clause: Clause, naming: Naming) -> bool:
    nouns = [phrase for phrase in clause.before if isinstance(phrase, Noun)]
    if not nouns:
        return False
    lemmas = nouns[0].lemmas | set(nouns[0].prefix)
    many = len(naming.exact(lemmas)) in {0, len(naming.activities)}
    named = bool(lemmas & _THINGS) or naming.is_total(lemmas) or bool(lemmas & lex.TYPE_NOUNS)
    made = any(isinstance(p, Verb) and p.lemma in _MAKING for p in clause.phrases)
    if made and not lemmas & _WHOLE_THINGS:
        return False
    return many and (named or _takes(clause))


def _takes(clause: Clause) -> bool:
    """ "… should be taken", "… should she pack"."""
    finite = [p for p in clause.phrases if isinstance(p, Verb) and p.kind == "finite"]
    return any(verb.lemma in _TAKING for verb in finite)


def _is_text(phrase: Phrase, texts: frozenset[str]) -> bool:
    if isinstance(phrase, Noun):
        return bool(set(phrase.head + phrase.prefix) & texts)
    return isinstance(phrase, Mark) and phrase.text in texts


def wordless_limits(clauses: Sequence[Clause], goals: Goals, naming: Naming) -> list[Limit]:
    """ "the tent must be taken", "the tent and the tarp cannot both be taken".

    Raises:
        Unresolved: any other demand on single things, or one under a condition.
    """
    found: list[Limit] = []
    for number, clause in enumerate(clauses):
        if number in goals.clauses or clause.link == "table" or _has_number(clause):
            continue
        members = _members(clause, naming)
        conditional = clause.link in {"if", "unless", "whenever"}
        demands = clause.verb is not None and (
            clause.verb.modal in _DUTY or "have" in clause.verb.chain[:1] or clause.verb.negative
        )
        if not members or not (demands or conditional):
            continue
        span = (clause.start, clause.end)
        if conditional or _under_condition(clauses, number) or _has(clause, {"or", "either"}):
            raise Unresolved(span, "a condition on what is taken is not read")
        found.append(_limit(clause, members, span))
    return found


def _limit(clause: Clause, members: tuple[int, ...], span: Span) -> Limit:
    verb = clause.verb
    assert verb is not None
    joint = next((p for p in clause.phrases if _is_text(p, _JOINT)), None)
    if verb.negative and joint is not None and len(members) > 1:
        return _one(Target("group", members=members), AT_MOST, len(members) - 1, span)
    if not verb.negative and verb.modal in {"must", "should", "shall"} and len(members) == 1:
        return _one(Target("activity", members=members), AT_LEAST, 1, span)
    raise Unresolved(span, "this condition on what is taken is not read")


def _one(target: Target, sense: Sense, value: int, span: Span) -> Limit:
    quantity = Quantity(*span, float(value), "plain", str(value))
    return Limit(target, sense, float(value), 1.0, quantity, span, "plain")


def _members(clause: Clause, naming: Naming) -> tuple[int, ...]:
    found: list[int] = []
    for phrase in clause.phrases:
        if isinstance(phrase, Noun):
            hits = naming.exact(phrase.lemmas)
            if len(hits) == 1 and hits[0] not in found:
                found.append(hits[0])
    return tuple(found)


def _under_condition(clauses: Sequence[Clause], number: int) -> bool:
    return any(
        clause.sentence == clauses[number].sentence and clause.link in {"if", "unless", "whenever"}
        for clause in clauses
    )


def _has(clause: Clause, texts: set[str]) -> bool:
    return any(isinstance(p, Mark) and p.text in texts for p in clause.phrases)


def _has_number(clause: Clause) -> bool:
    return any(isinstance(phrase, Quantity) for phrase in clause.phrases)


__all__ = ["selection_span", "wordless_limits"]
