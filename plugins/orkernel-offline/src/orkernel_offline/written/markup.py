"""Cut a statement into text, math, code and tables, with character offsets kept.

The only structure needed is where algebra, prose and tables begin and end, so this is a scan for
delimiters and not a Markdown or LaTeX document parser: those lose the offsets that quotes need.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from orkernel_offline.reading import Unreadable

BlockKind = Literal["text", "inline", "display", "code", "markdown_table", "latex_table"]


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of the statement; `start` and `end` delimit its content, without delimiters."""

    kind: BlockKind
    start: int
    end: int


_FENCE = re.compile(r"^(`{3,}|~{3,})[^\n]*\n(.*?)(?:^\1[ \t]*$|\Z)", re.M | re.S)
_DELIMITER_ROW = re.compile(r"^[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_TABULAR = re.compile(r"\\begin\{(tabularx?\*?|tabulary)\}")
_MATH_ENVIRONMENT = re.compile(
    r"\\begin\{((?:equation|align|alignat|gather|eqnarray|flalign|multline|displaymath|math"
    r"|aligned|gathered|split|array|cases|dcases|mini|maxi)\*?)\}"
)
_OPENERS = re.compile(r"\\\[|\\\(|\$\$|\$|\\begin\{")
_INLINE_DOLLAR = re.compile(r"\$(?![\s$])((?:\\.|[^$\\\n]|\n(?!\s*\n))*?)(?<![\s\\])\$(?!\d)")


def blocks(statement: str) -> list[Block]:
    """Cut `statement` into consecutive blocks.

    Args:
        statement: Plain text, Markdown or LaTeX.

    Returns:
        Blocks in order; delimiters fall between them.

    Raises:
        Unreadable: A math delimiter, environment or brace is never closed.
    """
    found: list[Block] = []
    position = 0
    for match in _FENCE.finditer(statement):
        _without_fences(statement, position, match.start(), found)
        found.append(Block("code", match.start(2), match.end(2)))
        position = match.end()
    _without_fences(statement, position, len(statement), found)
    return [b for b in found if b.start < b.end]


def _without_fences(statement: str, start: int, end: int, found: list[Block]) -> None:
    position = start
    for table_start, table_end in _markdown_tables(statement, start, end):
        _without_tables(statement, position, table_start, found)
        found.append(Block("markdown_table", table_start, table_end))
        position = table_end
    _without_tables(statement, position, end, found)


def _markdown_tables(statement: str, start: int, end: int) -> list[tuple[int, int]]:
    lines: list[tuple[int, int]] = []
    position = start
    while position < end:
        stop = statement.find("\n", position, end)
        stop = end if stop < 0 else stop
        lines.append((position, stop))
        position = stop + 1
    tables = []
    at = 1
    while at < len(lines):
        row = statement[slice(*lines[at])]
        head = statement[slice(*lines[at - 1])]
        if "|" in row and "|" in head and _DELIMITER_ROW.match(row):
            last = at
            while last + 1 < len(lines) and "|" in statement[slice(*lines[last + 1])]:
                last += 1
            tables.append((lines[at - 1][0], lines[last][1]))
            at = last + 2
        else:
            at += 1
    return tables


def _without_tables(statement: str, start: int, end: int, found: list[Block]) -> None:
    """Cut a stretch with no code and no Markdown table at its math delimiters."""
    position = text_from = start
    while True:
        opener = _OPENERS.search(statement, position, end)
        if opener is None:
            break
        kind, inner, outer_end = _math_at(statement, opener, end)
        if kind is None:
            position = outer_end
            continue
        found.append(Block("text", text_from, opener.start()))
        found.append(Block(kind, *inner))
        position = text_from = outer_end
    found.append(Block("text", text_from, end))


def _math_at(
    statement: str, opener: re.Match[str], end: int
) -> tuple[BlockKind | None, tuple[int, int], int]:
    at, text = opener.start(), opener.group()
    nothing = (at, at)
    if text == "$":
        if at > 0 and statement[at - 1] == "\\":
            return None, nothing, at + 1
        inline = _INLINE_DOLLAR.match(statement, at, end)
        if inline is None or _is_money(inline.group(1)):
            return None, nothing, at + 1
        return "inline", inline.span(1), inline.end()
    if text in ("\\[", "$$", "\\("):
        closer = {"\\[": "\\]", "$$": "$$", "\\(": "\\)"}[text]
        stop = statement.find(closer, opener.end(), end)
        if stop < 0:
            raise Unreadable(f"{text} is never closed by {closer}", ((at, opener.end()),))
        kind: BlockKind = "inline" if text == "\\(" else "display"
        return kind, (opener.end(), stop), stop + len(closer)
    tabular = _TABULAR.match(statement, at, end)
    if tabular:
        closer = f"\\end{{{tabular.group(1)}}}"
        stop = statement.find(closer, at, end)
        if stop < 0:
            raise Unreadable(f"\\begin{{{tabular.group(1)}}} has no {closer}", (tabular.span(),))
        return "latex_table", (at, stop + len(closer)), stop + len(closer)
    environment = _MATH_ENVIRONMENT.match(statement, at, end)
    if environment:
        stop = _environment_end(statement, environment, end)
        return "display", (at, stop), stop
    return None, nothing, opener.end()


def _environment_end(statement: str, begin: re.Match[str], end: int) -> int:
    name = re.escape(begin.group(1))
    depth = 0
    for match in re.finditer(rf"\\(begin|end)\{{{name}\}}", statement[begin.start() : end]):
        depth += 1 if match.group(1) == "begin" else -1
        if depth == 0:
            return begin.start() + match.end()
    raise Unreadable(
        f"\\begin{{{begin.group(1)}}} has no \\end{{{begin.group(1)}}}", (begin.span(),)
    )


def _is_money(content: str) -> bool:
    """Whether the text between two dollar signs is prose between two prices."""
    words = re.findall(r"(?<![\\{A-Za-z])[A-Za-z]{3,}(?![A-Za-z}])", content)
    return bool(re.match(r"\d", content)) and len(words) >= 2 and "\\" not in content
