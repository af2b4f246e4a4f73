"""Measures: columns of per-unit amounts, one number per activity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from . import lexicon as lex
from .entities import Naming
from .facts import Amount, Measure, Span
from .morphology import one_slip, related


@dataclass(slots=True)
class Column:
    """A measure while it is put together.

    Attributes:
        hundredths: its shares are kept as written below a head with "%": 30, not 0.3.
    """

    nouns: frozenset[str]
    soft: frozenset[str]
    unit: str | None
    money: str
    percent: bool
    verbs: set[str] = field(default_factory=set)
    words: tuple[str, ...] = ()
    cells: dict[int, tuple[float, Span, str]] = field(default_factory=dict)
    periods: set[str] = field(default_factory=set)
    heads: list[Span] = field(default_factory=list)
    hundredths: bool = False


class Conflict(Exception):
    """Two different numbers for one activity and measure."""

    def __init__(self, span: Span, what: str) -> None:
        super().__init__(what)
        self.span = span


def same_unit(first: str | None, second: str | None) -> bool:
    return first == second or {first, second} <= {None, "unit", "unite"}


def convertible(first: str | None, second: str | None) -> float | None:
    """Factor that turns an amount in ``first`` into ``second``; None where there is none."""
    if same_unit(first, second):
        return 1.0
    for table in lex.DIMENSIONS.values():
        if first in table and second in table:
            return table[first] / table[second]
    return None


def overlap(first: frozenset[str], second: frozenset[str]) -> int:
    """Number of words of ``first`` that ``second`` has too, up to derivation."""
    return sum(any(related(word, other) for other in second) for word in first)


def _fits(column: Column, amount: Amount) -> int:
    """3 same measure, 2 almost surely, 1 by elision, 0 different."""
    if bool(column.money) != bool(amount.money) or column.percent != _is_percent(amount):
        return 0
    if column.hundredths != _in_hundredths(amount):
        return 0
    if amount.money:
        return 3 if column.money == amount.money else 0
    if not (amount.nouns or amount.unit):
        return 1 if amount.verb in column.verbs else 0
    if not same_unit(column.unit, amount.unit):
        return 0
    if column.nouns == amount.nouns:
        if column.nouns or column.soft == amount.soft:
            return 3
        generic = len(column.soft & amount.soft) == 0 and not (column.soft and amount.soft)
        return 2 if generic and amount.verb in column.verbs else 0
    if not (column.nouns and amount.nouns):
        return 1 if column.unit == amount.unit and column.verbs == {amount.verb} else 0
    shared = overlap(amount.nouns, column.nouns)
    if shared == len(amount.nouns) == len(column.nouns):
        return 2
    if shared and (shared == len(amount.nouns) or shared == len(column.nouns)):
        return 2 if amount.verb in column.verbs else 0
    return 0


def _is_percent(amount: Amount) -> bool:
    return amount.quantity.role == "percent"


def _in_hundredths(amount: Amount) -> bool:
    """A share below a head with "%": the cell itself has no sign."""
    tabled = amount.head is not None and _is_percent(amount) and not amount.money
    return tabled and "%" not in amount.quantity.text


def build(amounts: Sequence[tuple[Amount, tuple[int, ...]]], count: int) -> list[Column]:
    """Group amounts, each with the activities it is per unit of, into columns.

    Raises:
        Conflict: one activity has two numbers for one measure.
    """
    columns: list[Column] = []
    postponed: list[tuple[Amount, tuple[int, ...]]] = []
    for amount, members in amounts:
        if not (amount.nouns or amount.unit or amount.money):
            postponed.append((amount, members))
            continue
        _place(columns, amount, members, at_least=2)
    for amount, members in postponed:
        _place(columns, amount, members, at_least=1)
    return _join_partial(columns, count)


def _place(columns: list[Column], amount: Amount, members: tuple[int, ...], at_least: int) -> None:
    shared = _is_percent(amount) and not _in_hundredths(amount)
    value = amount.quantity.value / (100.0 if shared else 1.0)
    span = (amount.quantity.number_start, amount.quantity.number_end)
    cell = (value, amount.span, amount.quantity.text)
    scored = sorted(
        ((_fits(column, amount), -index) for index, column in enumerate(columns)), reverse=True
    )
    for score, index in scored:
        if score < at_least:
            break
        column = columns[-index]
        taken = {column.cells[member][0] for member in members if member in column.cells}
        if taken and taken != {value}:
            if score == 3 and amount.verb in column.verbs:
                raise Conflict(
                    span, f"{amount.quantity.text} and another number for the same thing"
                )
            continue
        for member in members:
            column.cells[member] = cell
        column.verbs.add(amount.verb)
        column.soft |= amount.soft
        column.periods |= amount.periods
        column.heads += [amount.head] if amount.head else []
        return
    column = Column(
        amount.nouns,
        amount.soft,
        amount.unit,
        amount.money,
        _is_percent(amount),
        {amount.verb},
        amount.quantity.words + tuple(sorted(amount.nouns - set(amount.quantity.nouns))),
    )
    column.periods |= amount.periods
    column.heads += [amount.head] if amount.head else []
    column.hundredths = _in_hundredths(amount)
    for member in members:
        column.cells[member] = cell
    columns.append(column)


def _join_partial(columns: list[Column], count: int) -> list[Column]:
    """Join columns that complete each other and name related things or use one verb."""
    result: list[Column] = []
    for column in columns:
        home = next(
            (
                other
                for other in result
                if not set(other.cells) & set(column.cells)
                and len(other.cells) + len(column.cells) <= count
                and other.verbs & column.verbs
                and (_same_money(other, column) or _same_thing(columns, other, column))
            ),
            None,
        )
        if home is None:
            result.append(column)
            continue
        home.cells.update(column.cells)
        home.verbs |= column.verbs
        home.periods |= column.periods
        home.heads += column.heads
        home.money = column.money if home.money == "earn" else home.money
        home.nouns = home.nouns & column.nouns or home.nouns
    return result


def _same_money(first: Column, second: Column) -> bool:
    """ "will earn $120 in profits, … will earn $40"."""
    kinds = {first.money, second.money}
    return "earn" in kinds and "" not in kinds and first.percent == second.percent


def _same_thing(columns: Sequence[Column], first: Column, second: Column) -> bool:
    if first.money or second.money or not same_unit(first.unit, second.unit):
        return False
    near = overlap(first.nouns, second.nouns) == min(len(first.nouns), len(second.nouns)) > 0
    typo = len(first.nouns) == len(second.nouns) == 1 and one_slip(
        next(iter(first.nouns)), next(iter(second.nouns))
    )
    return bool(near or typo) and not _rival(columns, first, second)


def _rival(columns: Sequence[Column], first: Column, second: Column) -> bool:
    """Another column is as near to either: joining would be a guess."""
    near = [
        other
        for other in columns
        if other is not first
        and other is not second
        and same_unit(other.unit, first.unit)
        and (overlap(first.nouns, other.nouns) or overlap(second.nouns, other.nouns))
    ]
    return bool(near)


def freeze(column: Column, name: str) -> Measure:
    return Measure(
        name,
        column.nouns,
        column.soft,
        column.unit,
        column.money,
        frozenset(column.verbs),
        column.percent,
        dict(column.cells),
        tuple(dict.fromkeys(column.heads)),
    )


__all__ = ["Column", "Conflict", "Naming", "build", "convertible", "freeze", "overlap"]
