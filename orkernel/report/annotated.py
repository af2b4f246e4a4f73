"""The statement with each used phrase tied to the elements that it justifies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orkernel.formulation.schema import Formulation, SourceReference

ROLES = ("objective", "constraint", "variable", "parameter", "set", "result")
"""In order of precedence where quotes overlap fully."""


def role_styles() -> dict[str, str]:
    """Terminal style per role."""
    return {
        "objective": "bold green",
        "constraint": "cyan",
        "variable": "magenta",
        "parameter": "yellow",
        "set": "blue",
        "result": "green",
    }


@dataclass(frozen=True, slots=True)
class Mark:
    """A phrase of the statement.

    Attributes:
        start: Offset of its first character.
        end: Offset past its last.
        role: The most important role it plays.
        elements: Names of the elements that quote it.
        quote: The phrase.
    """

    start: int
    end: int
    role: str
    elements: tuple[str, ...]
    quote: str


def _sources(formulation: Formulation) -> Iterator[tuple[str, str, SourceReference]]:
    groups = {
        "objective": formulation.objectives,
        "constraint": formulation.constraints,
        "variable": formulation.variables,
        "parameter": formulation.parameters,
        "set": formulation.sets,
        "result": formulation.results,
    }
    for role in ROLES:
        for element in groups[role]:
            for source in element.sources:
                yield role, element.name, source


def marks(formulation: Formulation) -> list[Mark]:
    """All located quotes, one mark per distinct phrase, in the order of the statement."""
    found: dict[tuple[int, int], Mark] = {}
    for role, name, source in _sources(formulation):
        if source.start is None or source.end is None:
            continue
        key = (source.start, source.end)
        known = found.get(key)
        if known is None:
            quote = formulation.statement[source.start : source.end] or source.quote
            found[key] = Mark(source.start, source.end, role, (name,), quote)
        elif name not in known.elements:
            found[key] = Mark(
                known.start, known.end, known.role, (*known.elements, name), known.quote
            )
    return sorted(found.values(), key=lambda m: (m.start, -m.end))


def pieces(statement: str, found: list[Mark]) -> Iterator[tuple[str, tuple[Mark, ...]]]:
    """The statement cut at all mark ends: each piece with the marks that cover it."""
    cuts = sorted({0, len(statement), *(m.start for m in found), *(m.end for m in found)})
    for start, end in pairwise(cuts):
        covering = tuple(m for m in found if m.start <= start and end <= m.end)
        yield statement[start:end], covering
