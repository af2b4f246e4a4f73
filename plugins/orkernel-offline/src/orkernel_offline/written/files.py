"""Tie CSV files that the statement names to sets and parameters.

A sentence that names a file, a set or parameters, and the columns in order says where the data
stand: "the demand $d_{jt}$ is in demand.csv (columns store, week, units)". A parameter with n
indices takes n index columns and one value column; a set takes its index columns.
"""

from __future__ import annotations

import re

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.data import Data, Datum
from orkernel_offline.written.facts import Facts
from orkernel_offline.written.tables import Named, symbols_in
from orkernel_offline.written.tokens import Token

_COLUMNS = re.compile(r"\bcolumns?\b\s*:?\s*(.*)", re.I | re.S)
_COLUMN = re.compile(r"[\"'`“”]?([\w%/.-]+(?:[ _][\w%/.-]+)*)[\"'`“”]?")


def place_files(source: str, tokens: list[Token], facts: Facts, data: Data) -> None:
    """Read every sentence that names a CSV file.

    Raises:
        Unreadable: It is not said what the file holds, or in which columns.
    """
    for at, token in enumerate(tokens):
        if token.kind == "file":
            _place(source, tokens, at, facts, data)


def _place(source: str, tokens: list[Token], at: int, facts: Facts, data: Data) -> None:
    file = tokens[at]
    first, last = _sentence(tokens, at)
    sentence = tokens[first:last]
    before = tokens[first:at]
    span = (sentence[0].start, _closing(source, sentence[-1].end))
    columns = _columns(source[file.end : span[1]])
    if not columns:
        raise Unreadable(
            f"it is not said which columns of {file.value} to read; "
            "write (columns a, b, value) after its name",
            (span,),
        )
    sets = [t.value for t in before if t.value in facts.table.sets]
    named = list(symbols_in(before, source, facts))
    if named:
        _parameters(named, columns, file, span, facts, data)
    elif len(sets) == 1:
        found = facts.table.sets[sets[0]]
        found.file, found.members, found.width = (file.value, columns), None, len(columns)
        found.spans.append(span)
    else:
        raise Unreadable(
            f"it is not said which set or parameter {file.value} holds", ((file.start, file.end),)
        )


def _parameters(
    named: list[Named],
    columns: tuple[str, ...],
    file: Token,
    span: tuple[int, int],
    facts: Facts,
    data: Data,
) -> None:
    arity = named[0].arity
    same = all(p.arity == arity for p in named)
    if not same or len(columns) != arity + len(named):
        raise Unreadable(
            f"{' and '.join(p.name for p in named)} need {arity} index columns and "
            f"{len(named)} value columns of {file.value}",
            (span,),
        )
    index = columns[:arity]
    for parameter, value in zip(named, columns[arity:], strict=True):
        facts.names.lettered[parameter.name] = arity
        data.add(Datum((parameter.name, arity), letters=parameter.letters, spans=[span],
                       file=(file.value, index, value)))  # fmt: skip
        for letter, column in zip(parameter.letters, index, strict=True):
            _set_from_column(letter, column, file, span, facts)


def _set_from_column(
    letter: str | None, column: str, file: Token, span: tuple[int, int], facts: Facts
) -> None:
    """A set that the statement names but does not list takes its members from the column."""
    for domain in facts.letter_domains.get(letter or "", ()):
        if isinstance(domain, n.Sym) and domain.name in facts.table.sets:
            found = facts.table.sets[domain.name]
            if found.members is None and found.file is None:
                found.file = (file.value, (column,))
                found.spans.append(span)


def _sentence(tokens: list[Token], at: int) -> tuple[int, int]:
    first = at
    while first and not _ends(tokens[first - 1]):
        first -= 1
    last = at
    while last < len(tokens) and not _ends(tokens[last]):
        last += 1
    return first, last


def _ends(token: Token) -> bool:
    return token.kind in ("heading", "table") or (token.kind == "break" and token.value != "soft")


def _closing(source: str, end: int) -> int:
    while end < len(source) and source[end] in ")`\"'":
        end += 1
    return end


def _columns(text: str) -> tuple[str, ...]:
    match = _COLUMNS.search(text)
    if match is None:
        return ()
    listed = re.split(r"[).;\n]", match.group(1))[0]
    names: list[str] = []
    for piece in re.split(r",|\band\b", listed):
        column = _COLUMN.fullmatch(piece.strip())
        if column:
            names.append(column.group(1))
    return tuple(names)
