"""Names, quotes and numbers as a formulation writes them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from orkernel.algebra.functions import RESERVED

from .facts import Span

_RESERVED = {name.lower() for name in RESERVED} | {"i", "j", "k"}


class Names:
    """Gives every element a valid name of its own."""

    def __init__(self) -> None:
        self._used: set[str] = set()

    def give(self, wanted: str, fallback: str) -> str:
        """A name like ``wanted``, else ``fallback``, with a number where it is taken."""
        name = re.sub(r"\W+", "_", wanted.strip().lower()).strip("_") or fallback
        if not name[0].isalpha() or name in _RESERVED:
            name = f"{fallback}_{name}"
        candidate, number = name, 2
        while candidate.lower() in self._used:
            candidate, number = f"{name}_{number}", number + 1
        self._used.add(candidate.lower())
        return candidate


def quotes(statement: str, spans: Sequence[Span]) -> list[dict[str, str]]:
    """The distinct passages at ``spans`` as sources, in their order."""
    found: list[str] = []
    for start, end in spans:
        quote = statement[start:end]
        if quote and quote not in found:
            found.append(quote)
    return [{"quote": quote} for quote in found]


def tidy(value: float) -> float | int:
    """A whole number as an int, any other without the noise of its last digits."""
    return int(value) if value == int(value) and abs(value) < 1e15 else round(value, 15)


def literal(text: str) -> str:
    """A member's name as a string of the algebra."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
