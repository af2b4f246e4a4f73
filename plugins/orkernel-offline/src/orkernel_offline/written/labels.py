"""Row and column labels of tables as members of index sets."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from orkernel_offline.written.sets import Atom


@dataclass(frozen=True, slots=True)
class Axis:
    """Members that the labels of a table stand for; `by_order` when only their order says so."""

    atoms: tuple[Atom, ...]
    by_order: bool


def atom(label: str) -> Atom:
    return int(label) if re.fullmatch(r"\d{1,15}", label) else label


def spellings(labels: list[Atom]) -> Iterable[list[Atom]]:
    yield labels
    shorter = without_prefix(labels)
    if shorter:
        yield shorter
    words = [str(x).split() for x in labels]
    if all(len(w) > 1 for w in words) and len({w[0] for w in words}) == 1:
        yield [atom(" ".join(w[1:])) for w in words]


def without_prefix(labels: list[Atom]) -> list[Atom] | None:
    """1, 2, 3 from `Plant 1`, `Plant 2`, `Plant 3`."""
    matches = [re.fullmatch(r"(.*?)[\s_#-]*(\d{1,9})", str(x)) for x in labels]
    if any(m is None for m in matches):
        return None
    prefixes = {m.group(1).casefold() for m in matches if m}
    return [int(m.group(2)) for m in matches if m] if len(prefixes) == 1 else None
