"""Cells of Markdown and LaTeX tables, with their places in the statement."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass

from orkernel_offline.reading import Unreadable
from orkernel_offline.written.values import Number, number

_RULES = re.compile(
    r"\\(?:hline|toprule|midrule|bottomrule|centering)|\\(?:cline|cmidrule)(?:\([^)]*\))?\{[^}]*\}"
)
_SPANNING = re.compile(r"\\multi(?:column|row)\{(\d+)\}(?:\{[^{}]*\}|\[[^\]]*\])\{(.*)\}\s*$", re.S)
_NUMBER = re.compile(
    r"(?:[$€£]|\\\$)?\s*([-−+]?)\s*(?:[$€£]|\\\$)?\s*"
    r"(\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)\s*(\\?%|[€£])?$"
)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell's text, without surrounding blanks, and where it stands."""

    text: str
    start: int
    end: int

    @property
    def plain(self) -> str:
        """The text without math delimiters, emphasis and text macros."""
        text = self.text.strip()
        text = re.sub(r"^\$(.*)\$$", r"\1", text).strip()
        text = re.sub(r"^\*{1,2}(.*?)\*{1,2}$|^`(.*)`$", lambda m: m.group(1) or m.group(2), text)
        text = re.sub(r"^\\(?:text|textbf|textit|mathrm|mathit)\{([^{}]*)\}$", r"\1", text)
        return " ".join(text.replace("\\&", "&").replace("\\_", "_").split())

    @property
    def value(self) -> Number | None:
        """The number in the cell, or None; `30%` is 0.3 and `$1,200` is 1200."""
        match = _NUMBER.match(self.plain)
        if match is None:
            return None
        sign, digits, suffix = match.groups()
        value = number(re.sub(r"\{,\}|\\,|,", "", digits))
        if suffix and "%" in suffix:
            value = value / 100
        return -value if sign in ("-", "−") else value

    @property
    def blank(self) -> bool:
        """Whether nothing stands in the cell."""
        return self.plain in ("", "-", "—", "–", "--")


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its header row, its other rows, and its place."""

    header: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]
    start: int
    end: int


def markdown_grid(source: str, start: int, end: int) -> Grid:
    """The cells of a Markdown table.

    Raises:
        Unreadable: A row has more or fewer cells than the header.
    """
    rows: list[tuple[Cell, ...]] = []
    position = start
    for line in source[start:end].split("\n"):
        if not re.fullmatch(r"[\s|:-]*", line) or "-" not in line:
            rows.append(_markdown_row(source, position, position + len(line)))
        position += len(line) + 1
    return _checked(rows, start, end)


def _markdown_row(source: str, start: int, end: int) -> tuple[Cell, ...]:
    cuts = [p for p in range(start, end) if source[p] == "|" and source[p - 1 : p] != "\\"]
    edges = [start - 1, *cuts, end]
    cells = [_cell(source, a + 1, b) for a, b in itertools.pairwise(edges)]
    if cells and source[start:end].lstrip().startswith("|"):
        cells = cells[1:]
    if cells and source[start:end].rstrip().endswith("|"):
        cells = cells[:-1]
    return tuple(cells)


def latex_grid(source: str, start: int, end: int) -> Grid:
    """The cells of a `tabular` environment.

    Raises:
        Unreadable: A row has more or fewer cells than the header.
    """
    opening = re.compile(r"\\begin\{tabular[xy]?\*?\}\s*(?:\[[^\]]*\]\s*)?").match(source, start)
    position = opening.end() if opening else start
    while position < end and source[position] == "{":
        depth = 0
        while position < end:
            depth += (source[position] == "{") - (source[position] == "}")
            position += 1
            if depth == 0:
                break
    stop = source.rfind("\\end", position, end)
    body_end = stop if stop >= 0 else end
    rows: list[tuple[Cell, ...]] = []
    for row_start, row_end in _split(
        source, position, body_end, r"\\\\(?:\[[^\]]*\])?|\\tabularnewline"
    ):
        cells: list[Cell] = []
        for cell_start, cell_end in _split(source, row_start, row_end, r"(?<!\\)&"):
            cells.extend(_latex_cells(source, cell_start, cell_end))
        if any(c.text for c in cells):
            rows.append(tuple(cells))
    return _checked(rows, start, end)


def _split(source: str, start: int, end: int, pattern: str) -> list[tuple[int, int]]:
    pieces: list[tuple[int, int]] = []
    position = start
    for match in re.compile(pattern).finditer(source, start, end):
        pieces.append((position, match.start()))
        position = match.end()
    pieces.append((position, end))
    return pieces


def _latex_cells(source: str, start: int, end: int) -> list[Cell]:
    text = source[start:end]
    rule = _RULES.match(text.lstrip())
    while rule:
        skipped = len(text) - len(text.lstrip()) + rule.end()
        start, text = start + skipped, text[skipped:]
        rule = _RULES.match(text.lstrip())
    spanning = _SPANNING.match(text.strip())
    if spanning:
        extra = [Cell("", end, end)] * (min(int(spanning.group(1)), 100) - 1)
        return [Cell(spanning.group(2).strip(), start, end), *extra]
    return [_cell(source, start, end)]


def _cell(source: str, start: int, end: int) -> Cell:
    text = source[start:end]
    left = len(text) - len(text.lstrip())
    stripped = text.strip()
    return Cell(stripped, start + left, start + left + len(stripped))


def _checked(rows: list[tuple[Cell, ...]], start: int, end: int) -> Grid:
    if len(rows) < 2:
        raise Unreadable("this table has no data rows", ((start, end),))
    for row in rows[1:]:
        if len(row) != len(rows[0]):
            place = (row[0].start, row[-1].end) if row else (start, end)
            raise Unreadable(
                f"this row has {len(row)} cells but the header has {len(rows[0])}", (place,)
            )
    return Grid(rows[0], tuple(rows[1:]), start, end)
