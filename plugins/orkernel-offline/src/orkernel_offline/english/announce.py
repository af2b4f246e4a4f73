"""Announced lists: "two types of panes", "two machines, a saw and a lathe"."""

from __future__ import annotations

from collections.abc import Sequence

from . import lexicon as lex
from .clause_view import Observations
from .clauses import Clause
from .facts import Activity, Amount
from .phrases import Mark, Noun, Phrase, Quantity


def undescribed(amounts: Sequence[Amount], clauses: Sequence[Clause]) -> list[Amount]:
    """Amounts that are not counts of the things announced ("two types of panes")."""
    return [
        amount
        for amount in amounts
        if not announces(clauses[amount.clause].phrases, place_of(amount, clauses))
    ]


def place_of(amount: Amount, clauses: Sequence[Clause]) -> int:
    """Index of the amount's quantity among the phrases of its clause."""
    phrases = clauses[amount.clause].phrases
    return next(i for i, phrase in enumerate(phrases) if phrase.start == amount.quantity.start)


def base_words(seen: Observations, activities: Sequence[Activity]) -> frozenset[str]:
    """ "30% of the meals should be salads": meals are what is decided on."""
    known = frozenset().union(*(activity.full for activity in activities))
    words = frozenset().union(*(share.base for share in seen.shares))
    measured = frozenset().union(*(amount.nouns for amount in seen.amounts))
    return words - known - measured - lex.COUNT_NOUNS


def announcements(
    clauses: Sequence[Clause],
) -> list[tuple[frozenset[str], tuple[frozenset[str], ...]]]:
    """ "two machines, a saw and a lathe": the class and the names listed behind it."""
    found: list[tuple[frozenset[str], tuple[frozenset[str], ...]]] = []
    for clause in clauses:
        phrases = clause.phrases
        for index, phrase in enumerate(phrases):
            if not (isinstance(phrase, Quantity) and announces(phrases, index)):
                continue
            names = [p.lemmas for p in phrases[index + 1 :] if isinstance(p, Noun)]
            if len(names) >= phrase.value:
                found.append((frozenset(phrase.nouns), tuple(names[: int(phrase.value)])))
    return found


def announcing_spans(clauses: Sequence[Clause]) -> tuple[tuple[int, int], ...]:
    """Character ranges of the clauses that announce a list."""
    return tuple(
        (clause.start, clause.end)
        for clause in clauses
        if any(announces(clause.phrases, index) for index in range(len(clause.phrases)))
    )


def class_words(clauses: Sequence[Clause], count: int) -> frozenset[str]:
    """Nouns that name the activities as a class: "two types of panes", "either product"."""
    found: set[str] = set()
    for clause in clauses:
        phrases = clause.phrases
        for index, phrase in enumerate(phrases):
            if isinstance(phrase, Quantity) and (
                announces(phrases, index) or _counts(phrase, count)
            ):
                found |= set(phrase.nouns)
            if isinstance(phrase, Noun) and phrase.determiner in {"either"}:
                found |= set(phrase.head)
            if clause.link == "how" and isinstance(phrase, Noun) and phrase.determiner == "each":
                found |= set(phrase.head + phrase.of)
    return frozenset(found - lex.COUNT_NOUNS)


def announces(phrases: Sequence[Phrase], index: int) -> bool:
    quantity = phrases[index]
    if not isinstance(quantity, Quantity) or quantity.limit is not None:
        return False
    if quantity.role != "plain" or not 2 <= quantity.value <= 12:
        return False
    if set(quantity.nouns) & lex.TYPE_NOUNS:
        return True
    return lists_names(phrases, index)


def lists_names(phrases: Sequence[Phrase], index: int) -> bool:
    """As many names as the number says are listed behind it."""
    quantity = phrases[index]
    assert isinstance(quantity, Quantity)
    following = [phrase for phrase in phrases[index + 1 :] if not _is_preposition(phrase)]
    if not (following and isinstance(following[0], Mark)):
        return False
    listed = 0
    for phrase in following:
        if isinstance(phrase, Noun):
            listed += 1
        elif not (isinstance(phrase, Mark) and phrase.kind in {"comma", "conj", "colon", "pron"}):
            break
    if following[0].kind == "conj":
        return listed + 1 == quantity.value
    return following[0].kind in {"comma", "colon"} and listed >= quantity.value


def _counts(quantity: Quantity, count: int) -> bool:
    """ "two vaccines", spelled out, where there are two activities."""
    spelled = quantity.role == "plain" and not quantity.text[0].isdigit()
    bare = quantity.limit is None and quantity.unit is None
    return spelled and bare and quantity.value == count


def _is_preposition(phrase: Phrase) -> bool:
    return isinstance(phrase, Mark) and phrase.kind == "prep"
