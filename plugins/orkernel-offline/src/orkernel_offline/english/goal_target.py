"""Ties the words of a goal to a measure, the total or one activity."""

from __future__ import annotations

from . import lexicon as lex
from .clause_view import money_kind
from .facts import GoalWords, Span, Target
from .goals import clean
from .lookup import GENERIC, Lookup
from .measures import overlap

TOTAL = Target("total")


class Unresolved(Exception):
    """Words that name nothing, or more than one thing."""

    def __init__(self, span: Span, reason: str) -> None:
        super().__init__(reason)
        self.span = span
        self.reason = reason


class GoalResolver(Lookup):
    """Finds the target of a goal."""

    def goal(self, words: GoalWords) -> tuple[Target, Target | None]:
        """Target of a goal, and what is to be subtracted from it (revenue less cost).

        Raises:
            Unresolved: the words name nothing known.
        """
        nouns = clean(words.nouns)
        kind = money_kind(words.nouns)
        if not kind and words.nouns & {"cheapest", "cheaper", "spend"}:
            kind = "cost"
        if not kind and "profitable" in words.nouns:
            kind = "profit"
        if kind:
            found = self._money_goal(kind)
            if found is not None:
                return found
            raise Unresolved(words.span, f"no {kind} per unit is stated")
        index = self._goal_column(words, nouns)
        if index is not None:
            return Target("measure", index), None
        single = self.naming.exact(nouns)
        if len(single) == 1:
            if words.total and self.naming.partly(nouns, single[0]):
                return TOTAL, None
            return Target("activity", members=single), None
        if single and len(single) == len(self.naming.activities):
            return TOTAL, None
        if self.naming.is_total(nouns - GENERIC) or nouns & self.basis:
            return TOTAL, None
        raise Unresolved(words.span, "cannot tell what the goal is")

    def _money_goal(self, kind: str) -> tuple[Target, Target | None] | None:
        index = self.money_column(kind)
        if index is not None:
            return Target("measure", index), None
        if kind == "profit":
            income, cost = self.money_column("revenue"), self.money_column("cost")
            if income is not None and cost is not None and income != cost:
                return Target("measure", income), Target("measure", cost)
            if income is not None:
                self.assumptions.append(("profit is the revenue; no cost is stated", ()))
                return Target("measure", income), None
        return None

    def _covers_better(self, wanted: frozenset[str], index: int, counted: bool) -> bool:
        """The words fit the measure wholly and an activity only in part ("protein intake")."""
        column = self.columns[index]
        if overlap(wanted, column.nouns) == len(wanted):
            return True
        hits = self.naming.exact(wanted)
        partial = all(not self.naming.activities[hit].full <= wanted for hit in hits)
        return not counted and column.nouns <= wanted and partial

    def _goal_column(self, words: GoalWords, nouns: frozenset[str]) -> int | None:
        wanted = nouns - GENERIC
        index = self.column(nouns, [words.actions], unit_matters=False) if wanted else None
        if index is not None and not self.naming.exact(wanted):
            return index
        if index is not None and self._covers_better(wanted, index, words.total):
            return index
        served = self.public_column(wanted)
        if served is not None and not self.naming.exact(wanted):
            return served
        times = [i for i, c in enumerate(self.columns) if c.unit in lex.TIME_UNITS]
        if "time" in words.nouns and len(times) == 1:
            return times[0]
        by_unit = [i for i, c in enumerate(self.columns) if c.unit is not None and c.unit in nouns]
        if len(by_unit) == 1 and not self.naming.exact(nouns):
            return by_unit[0]
        return None
