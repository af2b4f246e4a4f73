"""Tie tables to the parameters and sets that they hold.

Rules, in this order:

1. *Long form.* The first two or more headers are index letters (`i`, `j`) and a later header is a
   symbol with as many indices: each row is one entry.
2. *Columns.* A header that contains a symbol with one index (`Cost $c_i$`, `cost`) makes its column
   that parameter; the first column names the members.
3. *Rows.* A first cell that contains a symbol with one index makes its row that parameter; the
   headers name the members.
4. *Matrix.* The numbers that rules 2 and 3 leave are one parameter with two indices, named in the
   corner cell, or in the sentence before the table (else after it); rows are the first index.
5. *List.* With one row or one column of numbers left, the name in the corner, in the header or in
   that sentence has one index.

A table of numbers that no rule ties is refused with its place. Columns of words are descriptions.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.data import Data, Datum, Members
from orkernel_offline.written.facts import Facts, label_of, letters_in
from orkernel_offline.written.grammar import Grammar
from orkernel_offline.written.grids import Cell, Grid, latex_grid, markdown_grid
from orkernel_offline.written.labels import Axis, atom, spellings
from orkernel_offline.written.lexer import Lexer
from orkernel_offline.written.markup import Block, blocks
from orkernel_offline.written.sets import Member
from orkernel_offline.written.stream import separate
from orkernel_offline.written.tokens import RELATIONS, Token
from orkernel_offline.written.values import Number


@dataclass(frozen=True, slots=True)
class Named:
    """A parameter that a cell or sentence names, with the letters that it is written with."""

    name: str
    letters: tuple[str | None, ...]

    @property
    def arity(self) -> int:
        """How many indices it takes."""
        return len(self.letters)


def place_tables(
    source: str, parts: list[Block], tokens: list[Token], facts: Facts, data: Data
) -> None:
    """Read every table of the statement into `data`.

    Raises:
        Unreadable: A table of numbers cannot be tied to a parameter, or its labels to a set.
    """
    at = {int(t.value): k for k, t in enumerate(tokens) if t.kind == "table"}
    tables = [b for b in parts if b.kind in ("markdown_table", "latex_table")]
    for number, block in enumerate(tables):
        make = markdown_grid if block.kind == "markdown_table" else latex_grid
        grid = make(source, block.start, block.end)
        if any(c.value is not None for row in grid.rows for c in row[1:]):
            _Tie(source, tokens, at[number], facts, data, grid).run()


def symbols_in(tokens: list[Token], source: str, facts: Facts) -> list[Named]:
    """Parameters that a stretch of text names, in order."""
    found: dict[Named, None] = {}
    reader = Grammar(tokens, source)
    while reader.at < len(tokens):
        token = reader.peek()
        if token.kind != "name":
            if token.kind == "prose" and token.value in facts.names.lettered:
                found[_bare(token.value, facts)] = None
            reader.take()
            continue
        try:
            symbol = reader.symbol()
        except Unreadable:
            reader.at += 1
            continue
        named = _named(symbol, token, facts)
        if named is not None:
            found[named] = None
    return list(found)


def _bare(name: str, facts: Facts) -> Named:
    arity = facts.names.lettered[name]
    return Named(name, facts.letters_of.get(name, (None,) * arity))


def _named(symbol: n.Sym, token: Token, facts: Facts) -> Named | None:
    letters = facts.names.letters
    used = letters_in(symbol, letters)
    if used and None not in used:
        return Named(label_of(symbol, letters), used)
    if used or symbol.name not in facts.names.lettered:
        return None
    if not symbol.subs and len(symbol.name) == 1 and not token.math:
        return None
    name = label_of(symbol, letters)
    arity = facts.names.lettered[symbol.name]
    return Named(name, facts.letters_of.get(name, (None,) * arity))


class _Tie:
    """Ties one table."""

    def __init__(
        self, source: str, tokens: list[Token], at: int, facts: Facts, data: Data, grid: Grid
    ) -> None:
        self.source = source
        self.tokens = tokens
        self.at = at
        self.facts = facts
        self.data = data
        self.grid = grid
        self.span = (grid.start, grid.end)

    def run(self) -> None:
        """Apply the rules."""
        headers = [self._cell_symbols(c) for c in self.grid.header]
        if self._long_form(headers):
            return
        columns = {k: s[0] for k, s in enumerate(headers) if k and len(s) == 1 and s[0].arity == 1}
        firsts = [self._cell_symbols(row[0]) for row in self.grid.rows]
        rows = {k: s[0] for k, s in enumerate(firsts) if len(s) == 1 and s[0].arity == 1}
        for k, several in enumerate(headers):
            if k and len(several) > 1:
                cell = self.grid.header[k]
                raise Unreadable("this header names several parameters", ((cell.start, cell.end),))
        others = [k for k in range(1, len(self.grid.header)) if k not in columns]
        plain_columns = [k for k in others if self._numeric(k)]
        plain_rows = [k for k in range(len(self.grid.rows)) if k not in rows]
        for k, named in columns.items():
            self._column(k, named, plain_rows)
        for k, named in rows.items():
            self._row(k, named, plain_columns, columns)
        if plain_columns and plain_rows:
            self._rest(plain_columns, plain_rows, headers[0])

    def _numeric(self, column: int) -> bool:
        return any(row[column].value is not None for row in self.grid.rows)

    # -- rules ----------------------------------------------------------------------------

    def _long_form(self, headers: list[list[Named]]) -> bool:
        letters: list[str] = []
        for cell in self.grid.header:
            letter = self._index_letter(cell)
            if letter is None:
                break
            letters.append(letter)
        width = len(letters)
        targets = {k: s[0] for k, s in enumerate(headers)
                   if k >= width and len(s) == 1 and s[0].arity == width}  # fmt: skip
        if width < 2 or not targets:
            return False
        for k, named in targets.items():
            entries: dict[Members, Number] = {}
            for row in self.grid.rows:
                members = tuple(atom(c.plain) for c in row[:width])
                self._enter(entries, members, row[k])
            self._add(named, entries)
        return True

    def _index_letter(self, cell: Cell) -> str | None:
        words: list[str] = re.findall(r"[A-Za-z]\w*", cell.plain)
        letters = [w for w in words if w in self.facts.names.letters]
        if len(words) == 1 and letters:
            return letters[0]
        inside: list[str] = re.findall(r"\$([A-Za-z])\$", cell.text)
        return inside[0] if len(inside) == 1 and inside[0] in self.facts.names.letters else None

    def _column(self, column: int, named: Named, rows: list[int]) -> None:
        labels = [self.grid.rows[r][0] for r in rows]
        members = self._axis(labels, named.letters[0])
        entries: dict[Members, Number] = {}
        for member, r in zip(members.atoms, rows, strict=True):
            self._enter(entries, (member,), self.grid.rows[r][column])
        self._add(named, entries, by_order=members.by_order)

    def _row(self, row: int, named: Named, columns: list[int], others: dict[int, Named]) -> None:
        if not columns:
            columns = [k for k in range(1, len(self.grid.header)) if k not in others]
        cells = self.grid.rows[row]
        for k in others:
            if not cells[k].blank and cells[k].value is not None:
                raise Unreadable(
                    "this cell belongs to a row and to a column parameter",
                    ((cells[k].start, cells[k].end),),
                )
        members = self._axis([self.grid.header[k] for k in columns], named.letters[0])
        entries: dict[Members, Number] = {}
        for member, k in zip(members.atoms, columns, strict=True):
            self._enter(entries, (member,), cells[k])
        self._add(named, entries, by_order=members.by_order)

    def _rest(self, columns: list[int], rows: list[int], corner: list[Named]) -> None:
        one_line = len(columns) == 1 or len(rows) == 1
        named = self._tied(corner, columns, rows, one_line)
        if named.arity == 1 and len(columns) == 1:
            self._column(columns[0], named, rows)
        elif named.arity == 1:
            self._row(rows[0], named, columns, {})
        else:
            self._matrix(named, columns, rows)

    def _matrix(self, named: Named, columns: list[int], rows: list[int]) -> None:
        row_cells = [self.grid.rows[r][0] for r in rows]
        column_cells = [self.grid.header[k] for k in columns]
        first, second = named.letters
        swapped = self._fits_swapped(row_cells, column_cells, first, second)
        if swapped:
            first, second = second, first
        down, across = self._axis(row_cells, first), self._axis(column_cells, second)
        entries: dict[Members, Number] = {}
        for row_member, r in zip(down.atoms, rows, strict=True):
            for column_member, k in zip(across.atoms, columns, strict=True):
                key = (column_member, row_member) if swapped else (row_member, column_member)
                cell = self.grid.rows[r][k]
                if not cell.blank:
                    self._enter(entries, key, cell)
        self._add(named, entries, by_order=down.by_order or across.by_order)

    def _fits_swapped(
        self, rows: list[Cell], columns: list[Cell], first: str | None, second: str | None
    ) -> bool:
        """Whether rows carry the second index's members and columns the first's."""
        known_first, known_second = self._known(first), self._known(second)
        if known_first is None or known_second is None or known_first == known_second:
            return False
        row_set = {atom(c.plain) for c in rows}
        column_set = {atom(c.plain) for c in columns}
        return (
            row_set == set(known_second) and column_set == set(known_first)
            and row_set != set(known_first)
        )  # fmt: skip

    def _tied(
        self, corner: list[Named], columns: list[int], rows: list[int], one_line: bool
    ) -> Named:
        arities = (2, 1) if one_line else (2,)
        places: list[list[Named]] = [corner]
        if len(columns) == 1:
            places.append(self._cell_symbols(self.grid.header[columns[0]]))
        if len(rows) == 1:
            places.append(self._cell_symbols(self.grid.rows[rows[0]][0]))
        places += self._sentences()
        for place in places:
            open_names = [
                s
                for s in place
                if s.arity in arities
                and not self._has_data(s)
                and s.name not in self.facts.declared
            ]
            exact = [s for s in open_names if s.arity == (1 if one_line else 2)]
            chosen = exact or open_names
            if len(chosen) > 1:
                raise Unreadable(
                    "this table may hold "
                    + " or ".join(s.name for s in chosen)
                    + "; name its parameter in the corner cell",
                    (self.span,),
                )
            if chosen:
                return chosen[0]
        raise Unreadable(
            "it is not said which parameter this table holds; name it in the corner cell, "
            "in a header, or in the sentence before the table",
            (self.span,),
        )

    def _has_data(self, named: Named) -> bool:
        return (named.name, named.arity) in self.data.by_key

    def _sentences(self) -> list[list[Named]]:
        """Symbols of the sentence before, the one before that, and the one after."""
        before = _sentences(self.tokens[: self.at][::-1], 2)
        after = [s for s in _sentences(self.tokens[self.at + 1 :], 1) if not _is_formula(s)]
        found = [symbols_in(s[::-1], self.source, self.facts) for s in before]
        return found + [symbols_in(s, self.source, self.facts) for s in after]

    # -- cells ----------------------------------------------------------------------------

    def _cell_symbols(self, cell: Cell) -> list[Named]:
        text = self.source[cell.start : cell.end]
        try:
            tokens = separate(Lexer(text).run(blocks(text)))
        except Unreadable:
            return []
        return symbols_in(tokens, text, self.facts)

    def _enter(self, entries: dict[Members, Number], key: Members, cell: Cell) -> None:
        value = cell.value
        if value is None:
            raise Unreadable(
                "a number is expected in this cell", ((cell.start, max(cell.end, cell.start + 1)),)
            )
        if key in entries:
            raise Unreadable("this label stands twice in the table", (self.span,))
        entries[key] = value

    def _add(self, named: Named, entries: dict[Members, Number], *, by_order: bool = False) -> None:
        key = (named.name, named.arity)
        self.facts.names.lettered[named.name] = named.arity
        letters = named.letters
        self.data.add(Datum(key, entries, letters=letters, spans=[self.span], by_order=by_order))

    # -- labels ---------------------------------------------------------------------------

    def _known(self, letter: str | None) -> tuple[Member, ...] | None:
        """Members of the set that a letter runs over, where the statement gives them."""
        for domain in self.facts.letter_domains.get(letter or "", ()):
            while isinstance(domain, n.SetMinus):
                domain = domain.left
            inside = {p.name for p in n.walk(domain) if isinstance(p, n.Sym)}
            if isinstance(domain, n.Sym):
                found = self.facts.table.sets.get(domain.name)
                if found is not None and found.members is not None:
                    return found.members
            elif not inside & self.facts.names.letters and letter:
                return self.facts.table.anonymous(domain, letter).members
        return None

    def _axis(self, cells: list[Cell], letter: str | None) -> Axis:
        labels = [atom(c.plain) for c in cells]
        if len(set(labels)) != len(labels):
            raise Unreadable("this table names a member twice", (self.span,))
        known = self._known(letter)
        if known is None:
            return Axis(tuple(labels), False)
        for candidate in spellings(labels):
            if set(candidate) <= set(known):
                return Axis(tuple(candidate), False)
        spelled = {str(m).casefold(): m for m in known if not isinstance(m, tuple)}
        folded = [spelled.get(str(x).casefold()) for x in labels]
        if None not in folded:
            return Axis(tuple(m for m in folded if m is not None), False)
        counted = known == tuple(range(1, len(known) + 1))
        if counted and len(labels) == len(known) and all(isinstance(x, str) for x in labels):
            return Axis(tuple(range(1, len(known) + 1)), True)
        strange = next(x for x in labels if x not in set(known))
        cell = cells[labels.index(strange)]
        raise Unreadable(
            f"the label {strange} of this table is no member of the set that {letter} runs over",
            ((cell.start, cell.end), self.span),
        )


def _is_formula(tokens: list[Token]) -> bool:
    """Whether a sentence belongs to the model and is no caption."""
    return any(
        t.kind in ("kw", "func") or (t.kind == "op" and t.value in RELATIONS) for t in tokens
    )


def _sentences(tokens: list[Token], count: int) -> list[list[Token]]:
    """The next `count` non-empty stretches of tokens between hard breaks."""
    found: list[list[Token]] = []
    current: list[Token] = []
    for token in tokens[:600]:
        if token.kind == "break" and token.value != "soft":
            if current:
                found.append(current)
                current = []
            if len(found) == count:
                return found
        elif token.kind == "table":
            break
        elif token.kind not in ("heading", "break"):
            current.append(token)
    if current:
        found.append(current)
    return found[:count]
