"""Kinds of statement that a linear reading would get wrong: refused by their form.

A limit under a condition, a choice between limits, differences and averages, fixed costs and
geometry look like plain limits to the rest of the reader. They are found here first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from .clauses import Clause
from .facts import Span
from .goals import Goals
from .phrases import Mark, Noun, Per, Phrase, Quantity
from .tokens import Sentence
from .words import words

_SHAPES = words("dimension cylinder cylindrical radius diameter perimeter circumference hypotenuse")
_FIXED = words("setup set-up fixed one-time upfront startup start-up fixed-cost")
_MONEY = words("cost charge fee price expense rent rental")
_DERIVED = words("difference average mean median ratio gap variance percentage")
_REASONS = words("because since")
_CONDITIONS = words("if unless whenever")

Finding = tuple[str, Span]


def unsupported_words(sentences: Sequence[Sentence]) -> Finding | None:
    """The first word that asks for more than a linear model, with the reason."""
    for sentence in sentences:
        lemmas = [token.lemma for token in sentence.tokens]
        for position, token in enumerate(sentence.tokens):
            span = (token.start, token.end)
            if lemmas[position] in _SHAPES:
                return f'"{token.text}" suggests geometry, which is not linear', span
            if lemmas[position] in _FIXED and set(lemmas[position + 1 : position + 3]) & _MONEY:
                return "a fixed cost is paid once, not per unit; this is not read", span
            if lemmas[position] in {"squared", "cubed"}:
                return f'"{token.text}" is not linear', span
    return None


def unsupported_clauses(clauses: Sequence[Clause], goals: Goals) -> Finding | None:
    """The first clause whose limits depend on a choice, a condition or a derived figure."""
    for number, clause in enumerate(clauses):
        for reason in _reasons(clause):
            return reason, (clause.start, clause.end)
        if clause.link in _CONDITIONS and _conditions_a_limit(clauses, number, goals):
            return "a limit that holds only under a condition is not read", (
                clause.start,
                clause.end,
            )
    return None


def _reasons(clause: Clause) -> Iterator[str]:
    phrases = clause.phrases
    if clause.link in _REASONS:
        return
    quantities = [i for i, phrase in enumerate(phrases) if isinstance(phrase, Quantity)]
    limited = any(_is_limited(phrases[i]) for i in quantities)
    for first, second in pairwise(quantities):
        joint = [p for p in phrases[first:second] if isinstance(p, Mark)]
        if limited and any(mark.text == "or" for mark in joint):
            yield "a choice between limits is not read"
    for phrase in phrases:
        if not isinstance(phrase, Noun):
            continue
        modal = clause.verb.modal if clause.verb else ""
        if phrase.determiner == "no" and modal in {"can", "may", "must", "should", "could"}:
            yield f"a ban on {' '.join(phrase.words)} is not read"
        if quantities and set(phrase.head + phrase.prefix) & _DERIVED and not _is_goal(phrases):
            yield f"a {' '.join(phrase.head)} is not read"
    for per, after in pairwise(phrases):
        opens = isinstance(per, Mark) and per.text in {"every", "each"}
        opens = opens or (isinstance(per, Per) and not per.lemmas)
        if opens and isinstance(after, Quantity) and after.limit is None:
            yield "an amount per several units is not read"
    for index in quantities:
        following = phrases[index + 1] if index + 1 < len(phrases) else None
        quantity = phrases[index]
        plain = isinstance(quantity, Quantity) and quantity.role == "plain"
        if plain and isinstance(following, Mark) and _compares(phrases, index):
            yield "so much more or less than another amount is not read"
    if any(isinstance(p, Mark) and p.text == "already" for p in phrases) and quantities:
        yield "what is there already is not read"


def _compares(phrases: Sequence[Phrase], index: int) -> bool:
    """A comparison follows that is not "5 more A than B"."""
    quantity, following = phrases[index], phrases[index + 1]
    assert isinstance(quantity, Quantity)
    assert isinstance(following, Mark)
    bare = not quantity.unit and not quantity.nouns
    if following.kind == "limit":
        return not (bare and following.sense is not None and following.sense.strict)
    than = any(isinstance(p, Mark) and p.kind == "than" for p in phrases[index + 2 :])
    return following.kind == "more" and not (bare and than)


def _is_limited(phrase: Phrase) -> bool:
    return isinstance(phrase, Quantity) and phrase.limit is not None


def _is_goal(phrases: Sequence[Phrase]) -> bool:
    return any(isinstance(p, Noun) and {"maximum", "minimum"} & set(p.head) for p in phrases)


def _conditions_a_limit(clauses: Sequence[Clause], number: int, goals: Goals) -> bool:
    """Another clause of the sentence, no goal and no question, holds a limit."""
    sentence = clauses[number].sentence
    mates = [
        (index, clause)
        for index, clause in enumerate(clauses)
        if clause.sentence == sentence and index != number and index not in goals.clauses
    ]
    asks = any(
        index in goals.clauses
        for index, clause in enumerate(clauses)
        if clause.sentence == sentence
    )
    limits = any(
        isinstance(phrase, Quantity) or (isinstance(phrase, Mark) and phrase.kind == "limit")
        for _, clause in mates
        for phrase in clause.phrases
    )
    return limits and not asks


__all__ = ["unsupported_clauses", "unsupported_words"]
