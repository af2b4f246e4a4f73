"""Runs of nouns: the unit and what is counted, powers of lengths, words that only introduce."""

from __future__ import annotations

import itertools

from . import lexicon as lex
from .tagging import Tagged


def is_prefix(run: list[Tagged]) -> bool:
    last = run[-1].lemma if run else ""
    return last in lex.COUNT_NOUNS or last in lex.TYPE_NOUNS


def without_prefix(run: list[Tagged]) -> list[Tagged]:
    return [word for word in run if word.lemma not in lex.COUNT_NOUNS]


_CUBIC = {"meter": "cbm", "m": "cbm", "foot": "cbft", "ft": "cbft", "yard": "cbyd"}
_SQUARE = {"foot": "sqft", "ft": "sqft", "meter": "sqm", "m": "sqm", "yard": "sqyd", "yd": "sqyd"}


def square(lemmas: tuple[str, ...]) -> tuple[str, ...]:
    """ "square foot" is one unit."""
    for index, (first, second) in enumerate(itertools.pairwise(lemmas)):
        if first == "cubic" and second in _CUBIC:
            return (*lemmas[:index], _CUBIC[second], *lemmas[index + 2 :])
        if first in {"sq", "square"} and second in _SQUARE:
            return (*lemmas[:index], _SQUARE[second], *lemmas[index + 2 :])
    return lemmas


def unit_of(run: list[Tagged]) -> tuple[str | None, list[str]]:
    """Split the nouns behind a number into a unit and what is counted."""
    lemmas = [word.lemma for word in run]
    if len(lemmas) > 1 and lemmas[0] in {"sq", "square"} and lemmas[1] in _SQUARE:
        return _SQUARE[lemmas[1]], lemmas[2:]
    if len(lemmas) > 1 and lemmas[0] == "cubic" and lemmas[1] in _CUBIC:
        return _CUBIC[lemmas[1]], lemmas[2:]
    if lemmas and lemmas[0] in lex.UNITS:
        return lemmas[0], lemmas[1:]
    if lemmas and lemmas[-1] in lex.UNITS:
        return lemmas[-1], [word for word in lemmas[:-1] if word != "working"]
    return None, lemmas
