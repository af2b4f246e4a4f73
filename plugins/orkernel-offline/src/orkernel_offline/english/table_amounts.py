"""Tables of data per item as observations: one amount or limit per cell.

Either the rows are the items and the columns what is measured, or the other way round; units
and kinds of money in the heads tell which. A row or column headed "available", "limit" or
"minimum" holds limits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written.grids import Cell, Grid

from . import lexicon as lex
from .clause_view import money_kind
from .clauses import Clause
from .facts import Amount, LimitWords, Mention, Span
from .limits import Sense
from .phrases import Noun, Quantity
from .tables import Head, head_of, row_span
from .words import words

_MEASURES = words(
    "weight mass volume time size space area value point score worth benefit duration calorie "
    "protein fat energy power"
)
_RESOURCES = words(
    "resource material nutrient machine process department constraint input ingredient measure "
    "stage operation"
)
_UNCLEAR = words("demand order need requirement")


@dataclass(slots=True)
class TableWords:
    """What tables say.

    Attributes:
        clauses: stand for their rows.
        classes: what the corner cell calls the items ("food").
        counts: what the corner cell calls the rows, and their number.
    """

    clauses: list[Clause] = field(default_factory=list)
    amounts: list[Amount] = field(default_factory=list)
    limits: list[LimitWords] = field(default_factory=list)
    classes: set[str] = field(default_factory=set)
    counts: set[tuple[str, int]] = field(default_factory=set)


def table_words(grids: Sequence[Grid], first_clause: int) -> TableWords:
    """Read the cells of all tables; ``first_clause`` is the index of the first row's clause.

    Raises:
        Unreadable: rows and items cannot be told apart, or a cell or head is not understood.
    """
    out = TableWords()
    items: set[tuple[str, ...]] = set()
    for grid in grids:
        _Table(grid, out, first_clause, items).read()
    return out


class _Table:
    def __init__(
        self, grid: Grid, out: TableWords, first_clause: int, items: set[tuple[str, ...]]
    ) -> None:
        self.grid = grid
        self.out = out
        self.first_clause = first_clause
        self.items = items
        self.heads = [head_of(cell) for cell in grid.header]
        self.labels = [head_of(row[0]) for row in grid.rows]
        for head in (*self.heads[1:], *self.labels):
            if head.broken:
                raise Unreadable("an amount per several units is not read", (head.span,))

    def read(self) -> None:
        columns = [h for h in self.heads[1:] if not h.bound]
        rows = [h for h in self.labels if not h.bound]
        by_rows = self._rows_are_items(columns, rows)
        own = rows if by_rows else columns
        if columns and rows:
            self.items |= {head.lemmas for head in own}
            self.out.counts |= {(word, len(rows)) for word in self.heads[0].lemmas}
            if by_rows and len(self.heads[0].lemmas) == 1:
                self.out.classes |= set(self.heads[0].lemmas)
        for row, label in zip(self.grid.rows, self.labels, strict=True):
            clause = self.first_clause + len(self.out.clauses)
            quantities: list[Quantity] = []
            for cell, head in zip(row[1:], self.heads[1:], strict=True):
                if cell.blank or (cell.value is None and self._is_text(head)):
                    continue
                item, measure = (label, head) if by_rows else (head, label)
                quantities.append(self._cell(cell, item, measure, row_span(row), clause))
            noun = Noun(*label.span, label.lemmas, words=tuple(label.text.split()))
            bare = tuple(replace(quantity, nouns=(), words=()) for quantity in quantities)
            self.out.clauses.append(Clause(*row_span(row), "table", (noun,), None, bare))

    def _is_text(self, head: Head) -> bool:
        """A column without any digit describes; it holds no data."""
        place = self.heads.index(head)
        return not any(ch.isdigit() for row in self.grid.rows for ch in row[place].text)

    def _rows_are_items(self, columns: Sequence[Head], rows: Sequence[Head]) -> bool:
        across, down = any(map(_measures, columns)), any(map(_measures, rows))
        if not columns or not rows or across != down:
            return across or not down
        corner = set(self.heads[0].lemmas)
        if across or not corner:
            raise Unreadable(
                "cannot tell whether the rows or the columns of this table are the items; give "
                'the units in brackets, as in "oak (m)"',
                (row_span(self.grid.header),),
            )
        return not corner & _RESOURCES

    def _cell(self, cell: Cell, item: Head, measure: Head, span: Span, clause: int) -> Quantity:
        value = cell.value
        if value is None:
            raise Unreadable("this cell of the table holds no number", ((cell.start, cell.end),))
        if item.bound and measure.bound:
            raise Unreadable("a limit on a limit is not read", ((cell.start, cell.end),))
        if item.bound or measure.bound:
            bound, named = (item, measure) if item.bound else (measure, item)
            return self._limit(cell, float(value), bound, named, span, clause)
        quantity, soft, money = _quantity(cell, float(value), measure)
        mention = Mention(frozenset(item.lemmas), tuple(item.text.split()), item.span, "subject")
        mentions = [mention]
        if measure.per:
            per = Mention(frozenset({measure.per}), (measure.per,), measure.span, "per")
            mentions.append(per)
        nouns = frozenset(quantity.nouns)
        self.out.amounts.append(
            Amount(
                quantity,
                nouns,
                soft,
                money,
                "",
                tuple(mentions),
                clause,
                span,
                head=row_span(self.grid.header),
            )
        )
        return quantity

    def _limit(
        self, cell: Cell, value: float, bound: Head, named: Head, span: Span, clause: int
    ) -> Quantity:
        own = named.lemmas in self.items
        if own and bound.bound == ">=" and set(bound.lemmas) & _UNCLEAR:
            raise Unreadable(f'say "minimum" or "maximum" instead of "{bound.text}"', (bound.span,))
        if own:
            quantity = replace(
                _quantity(cell, value, named)[0], unit=None, nouns=named.lemmas, role="plain"
            )
            soft, money = frozenset[str](), ""
        else:
            measure = (
                named
                if named.unit or named.money
                else replace(named, unit=bound.unit, money=named.money or bound.money)
            )
            quantity, soft, money = _quantity(cell, value, measure)
            if money not in {"", "cost"} and bound.bound == "<=":
                raise Unreadable(
                    "a limit on earnings is not read from a table; say it in a sentence",
                    ((cell.start, cell.end),),
                )
        mention = Mention(soft or frozenset(named.lemmas), (), named.span, "lead")
        self.out.limits.append(
            LimitWords(
                quantity, Sense(bound.bound), frozenset(quantity.nouns), money, "", (), (mention,),
                False, False, clause, span,
            )
        )  # fmt: skip
        return quantity


def _measures(head: Head) -> bool:
    """The head says what is measured, not what is decided on."""
    known = bool(set(head.lemmas) & _MEASURES or money_kind(head.lemmas))
    return head.unit is not None or head.money or known


def _quantity(cell: Cell, value: float, measure: Head) -> tuple[Quantity, frozenset[str], str]:
    """The quantity of a cell, words that only describe its measure, and its kind of money."""
    kind = money_kind(measure.lemmas)
    percent = measure.unit == "%" or cell.text.endswith("%")
    money = bool(kind) or measure.money or cell.text[:1] in {"$", "€", "£"}
    nouns = tuple(word for word in measure.lemmas if word != "of")
    soft: frozenset[str] = frozenset()
    unit = None if percent or money else measure.unit
    if unit and set(nouns) <= _MEASURES | {unit}:
        soft, nouns = frozenset(nouns), ()
    if not unit and nouns and nouns[0] in lex.UNITS and len(nouns) == 1:
        unit, nouns = nouns[0], ()
    if money and not kind:
        kind = "earn" if not percent and not nouns else ""
    if money and not kind:
        raise Unreadable("say whether this money is a cost, a price or a profit", (measure.span,))
    role = "percent" if percent else "money" if money else "plain"
    if percent and cell.text.endswith("%"):
        value *= 100
    quantity = Quantity(
        cell.start,
        cell.end,
        value,
        role,
        cell.text,
        unit,
        () if money and not percent else nouns,
        words=tuple(measure.text.split()),
        number_start=cell.start,
        number_end=cell.end,
    )
    return quantity, soft, kind


__all__ = ["TableWords", "table_words"]
