"""Sets of words, written as plain text."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    """Return the words of ``text``, which are separated by white space."""
    return frozenset(text.split())
