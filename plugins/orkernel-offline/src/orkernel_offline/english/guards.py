"""Kinds of problem that a linear reading would get wrong: refused by their vocabulary."""

from __future__ import annotations

from collections.abc import Sequence

from .facts import Span
from .tokens import Sentence
from .words import words

_SHAPES = words("dimension cylinder cylindrical radius diameter perimeter circumference hypotenuse")
_FIXED = words("setup set-up fixed one-time upfront startup start-up fixed-cost")
_MONEY = words("cost charge fee price expense rent rental")


def unsupported(sentences: Sequence[Sentence]) -> tuple[str, Span] | None:
    """The first passage that asks for more than a linear model, with the reason."""
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


__all__ = ["unsupported"]
