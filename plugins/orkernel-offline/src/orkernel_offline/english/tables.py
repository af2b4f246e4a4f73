"""Markdown tables of a statement: found, cut out of the running text, and their heads read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from orkernel_offline.written.grids import Cell, Grid, markdown_grid

from . import lexicon as lex
from .facts import Span
from .morphology import lemma
from .words import words

_DELIMITER = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_WORD = re.compile(r"[^\W\d_][\w'’-]*|\d+")
_PER = re.compile(r"\s*(?:\bper\b|/)\s*(\d[\d.,]*\s*)?([^\W\d_][\w-]*)?.*$")
_POWERS = {
    "m2": "sqm", "m²": "sqm", "square meters": "sqm", "square metres": "sqm", "sqm": "sqm",
    "m3": "cbm", "m³": "cbm", "cubic meters": "cbm", "cubic metres": "cbm",
    "ft2": "sqft", "ft²": "sqft", "square feet": "sqft", "ft3": "cbft", "ft³": "cbft",
}  # fmt: skip
SUPPLY_WORDS = words("supply stock capacity available availability inventory output")
DEMAND_WORDS = words("demand need requirement required order needed")
UPPER_WORDS = SUPPLY_WORDS | words("limit maximum max budget")
LOWER_WORDS = DEMAND_WORDS | words("minimum min")


@dataclass(frozen=True, slots=True)
class Head:
    """A head or row label: its words and, split off, its unit.

    Attributes:
        text: as written, without the unit.
        lemmas: lemmas of the words, in order.
        unit: the unit that it names in brackets or behind "in" or a comma, or None.
        money: the unit is a currency.
        per: what it is counted by ("cost per kg"), or "".
        broken: it is counted by several ("g per 100 g").
    """

    text: str
    lemmas: tuple[str, ...]
    unit: str | None
    money: bool
    span: Span
    per: str = ""
    broken: bool = False

    @property
    def bound(self) -> str:
        """ "<=" for "available" or "limit", ">=" for "needed" or "minimum", else ""."""
        if len(self.lemmas) > 2:
            return ""
        if UPPER_WORDS & set(self.lemmas):
            return "<="
        return ">=" if LOWER_WORDS & set(self.lemmas) else ""


def cut_tables(statement: str) -> tuple[str, list[Grid]]:
    """The statement with every table blanked (offsets kept), and the tables.

    Raises:
        Unreadable: a row has more or fewer cells than its head.
    """
    lines = _lines(statement)
    grids: list[Grid] = []
    text = statement
    at = 1
    while at < len(lines):
        head, row = (statement[a:b] for a, b in lines[at - 1 : at + 1])
        if not ("|" in head and "|" in row and _DELIMITER.fullmatch(row)):
            at += 1
            continue
        last = at
        while last + 1 < len(lines) and "|" in statement[slice(*lines[last + 1])]:
            last += 1
        start, end = lines[at - 1][0], lines[last][1]
        grids.append(markdown_grid(statement, start, end))
        text = text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]
        at = last + 2
    return text, grids


def _lines(statement: str) -> list[Span]:
    stops = [-1, *(match.start() for match in re.finditer("\n", statement)), len(statement)]
    return [(a + 1, b) for a, b in pairwise(stops)]


def head_of(cell: Cell) -> Head:
    """The words and the unit of a head such as "oak (m)", "profit, $" or "labour in hours"."""
    text = cell.plain
    match = re.search(r"\(([^()]*)\)\s*$|,\s*([^,]*)$|\s+in\s+(\S+)$", text)
    inside = next((part for part in match.groups() if part is not None), "") if match else ""
    unit, money = _unit(inside)
    if match and (unit is not None or money or not inside.strip()):
        text = text[: match.start()].strip()
    counted = _PER.search(inside) or _PER.search(text)
    text = _PER.sub("", text).strip()
    names = [m.group() for m in _WORD.finditer(text)]
    return Head(
        " ".join(text.split()),
        tuple(lemma(name) for name in names),
        unit,
        money or any(sign in cell.text for sign in "$€£"),
        (cell.start, cell.end),
        lemma(counted.group(2)) if counted and counted.group(2) else "",
        bool(counted and counted.group(1)),
    )


def _unit(text: str) -> tuple[str | None, bool]:
    """The unit in "kg", "hours per chair" or "$/t", and whether it is money."""
    first = re.split(r"\s+per\s+|\s*/\s*", text.strip())[0].strip()
    if first in {"$", "€", "£"}:
        return None, True
    name = _POWERS.get(first.lower(), lemma(first))
    if name in lex.MONEY_UNITS:
        return None, True
    if first == "%":
        return "%", False
    return (name, False) if name in lex.UNITS else (None, False)


def row_span(row: tuple[Cell, ...]) -> Span:
    """From the first to the last cell of a row."""
    return row[0].start, row[-1].end
