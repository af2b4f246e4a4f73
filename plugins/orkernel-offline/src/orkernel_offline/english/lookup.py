"""Finds measures by the words, the unit or the kind of money that a phrase gives."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import lexicon as lex
from .entities import Naming
from .measures import Column, convertible, overlap
from .words import words

GENERIC = words(
    "unit total amount number day week month year available each item product type kind "
    "maximum minimum overall all time least most limit capacity supply budget requirement demand "
    "every per both"
) | frozenset({"unite"})
_PLAIN_VERBS = words("be have make use need require produce take get can spend")
# Money kinds that may answer for one another, best first.
_MONEY_ORDER: dict[str, tuple[str, ...]] = {
    "profit": ("profit", "earn", "tip", "payout"),
    "revenue": ("revenue", "earn", "payout", "tip"),
    "cost": ("cost", "earn"),
    "earn": ("earn", "profit", "revenue"),
    "tip": ("tip",),
    "payout": ("payout", "earn"),
}


class Lookup:
    """The measures of a statement, found by words.

    Attributes:
        assumptions: what had to be assumed, filled while looking.
    """

    def __init__(
        self,
        naming: Naming,
        columns: Sequence[Column],
        basis: frozenset[str],
        announcements: Sequence[tuple[frozenset[str], tuple[frozenset[str], ...]]] = (),
    ) -> None:
        self.announcements = announcements
        self.naming = naming
        self.columns = list(columns)
        self.basis = basis
        self.assumptions: list[tuple[str, tuple[str, ...]]] = []

    def money_column(self, kind: str) -> int | None:
        for wanted in _MONEY_ORDER.get(kind, (kind,)):
            hits = [i for i, column in enumerate(self.columns) if column.money == wanted]
            if len(hits) == 1:
                return hits[0]
            if len(hits) > 1:
                return None
        return None

    def column(
        self,
        nouns: frozenset[str],
        extra: Iterable[frozenset[str]] = (),
        unit: str | None = None,
        verb: str = "",
        unit_matters: bool = True,
    ) -> int | None:
        """The measure that the words name, None where none or several fit equally well."""
        context = frozenset().union(*extra, {verb} - _PLAIN_VERBS)
        scored: list[tuple[tuple[float, ...], int]] = []
        for index, column in enumerate(self.columns):
            if column.money:
                continue
            if unit_matters and convertible(unit, column.unit) is None:
                continue
            score = self._score(column, nouns, context, unit, verb)
            if score is not None:
                scored.append((score, index))
        scored.sort(reverse=True)
        if not scored and unit in lex.TIME_UNITS and not nouns - GENERIC:
            timed = [i for i, c in enumerate(self.columns) if convertible(unit, c.unit) is not None]
            return timed[0] if len(timed) == 1 else None
        if not scored or (len(scored) > 1 and scored[0][0] == scored[1][0]):
            return None
        return scored[0][1]

    def _score(
        self,
        column: Column,
        nouns: frozenset[str],
        context: frozenset[str],
        unit: str | None,
        verb: str,
    ) -> tuple[float, ...] | None:
        wanted = nouns - GENERIC
        own = column.nouns
        if own:
            direct = overlap(wanted, own)
            missing = len(wanted) - direct
            around = overlap(context - wanted, own)
            if wanted and direct == 0 and not (unit and around):
                return None
            if direct + around == 0 or (missing and direct < missing + (1 if around else 0)):
                return None
            covered = (direct + around) / len(own)
            if wanted and direct and around == 0 and covered < 0.34:
                return None
            exact = 1.0 if wanted == own else 0.0
            return (exact, float(-missing), float(around), covered, float(direct))
        if column.unit is None or unit is None:
            return None
        soft = overlap(wanted | context, column.soft)
        same_verb = 1.0 if verb in column.verbs or verb in column.soft else 0.0
        return (0.0, float(-len(wanted)), float(soft) + same_verb, 0.0, 0.0)

    def public_column(self, nouns: frozenset[str]) -> int | None:
        """The one measure that counts people served, where the words name such people."""
        if not nouns & lex.PUBLIC_WORDS:
            return None
        hits = [i for i, c in enumerate(self.columns) if c.nouns & lex.PUBLIC_WORDS]
        if len(hits) != 1:
            return None
        known = " ".join(sorted(self.columns[hits[0]].nouns))
        self.assumptions.append((f"{' '.join(sorted(nouns))} and {known} are the same", ()))
        return hits[0]

    def announced(self, subject: frozenset[str], unit: str) -> tuple[int, ...]:
        """Measures that "two machines, a saw and a lathe" names, if ``subject`` is "machine"."""
        for nouns, names in self.announcements:
            if not subject or not subject <= nouns:
                continue
            members: list[int] = []
            for name in names:
                scored = [
                    (overlap(name, c.nouns), -i)
                    for i, c in enumerate(self.columns)
                    if c.unit == unit and overlap(name, c.nouns)
                ]
                if scored:
                    members.append(-max(scored)[1])
            if len(set(members)) == len(names) >= 2:
                return tuple(members)
        return ()
