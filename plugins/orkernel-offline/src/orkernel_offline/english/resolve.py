"""Ties the words of limits, comparisons, shares and goals to activities and measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from . import lexicon as lex
from .clause_view import money_kind
from .entities import Naming
from .facts import (
    ComparisonWords,
    Limit,
    LimitWords,
    Mention,
    Relation,
    ShareWords,
    Target,
)
from .goal_target import TOTAL, GoalResolver, Unresolved
from .lookup import GENERIC
from .measures import Column, convertible, overlap
from .words import words

BLENDS = words("blend mix mixture")
# Measures of a mixture that are an average of its parts, not their sum.
INTENSIVE = words("octane rating density viscosity purity concentration moisture grade")
_COUNTABLE = words("item product unit piece thing")


class Resolver(GoalResolver):
    """Finds the target of words.

    Attributes:
        assumptions: what had to be assumed, filled while resolving.
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
        self.share_base: Target | None = None

    # -- targets ------------------------------------------------------------------------

    def one_activity(self, mentions: Iterable[Mention]) -> Target | None:
        """The single activity that the mentions name, None where none or several."""
        hits: set[int] = set()
        for mention in mentions:
            hits |= set(self.naming.exact(mention.lemmas))
        return Target("activity", members=tuple(hits)) if len(hits) == 1 else None

    def _check_period(self, words: LimitWords, target: Target) -> None:
        if target.kind != "measure":
            return
        stated = self.columns[target.index].periods
        if stated and words.periods and not stated & words.periods:
            raise Unresolved(
                words.span,
                f"amounts per {', '.join(sorted(stated))} and a limit per "
                f"{', '.join(sorted(words.periods))} need a conversion",
            )

    def per_activity(self, words: LimitWords, target: Target) -> Relation | None:
        """ "for each table, at least 4 chairs": so many of one thing per unit of another.

        Raises:
            Unresolved: "per" names the limited thing itself, or the limit is no activity's.
        """
        named = [
            self.naming.exact(mention.lemmas)
            for mention in (*words.others, *words.subject)
            if mention.role == "per"
        ]
        hits = [hit for hit in named if len(hit) == 1]
        if not hits:
            return None
        second = Target("activity", members=hits[0])
        if target.kind != "activity" or target == second:
            raise Unresolved(words.span, "cannot tell what the limit is counted by")
        factor = words.quantity.value
        return Relation(target, second, words.sense, factor, words.quantity, words.span)

    def limit(self, words: LimitWords) -> list[Limit | Relation]:
        """Tie one limit to its target, or to several where it is said of each.

        Raises:
            Unresolved: the words name nothing known, or several things.
        """
        quantity = words.quantity
        target, scale = self._limit_target(words)
        if target.kind == "measure" and self.columns[target.index].nouns & INTENSIVE:
            factor = quantity.value
            return [Relation(target, TOTAL, words.sense, factor, quantity, words.span)]
        self._check_period(words, target)
        if relation := self.per_activity(words, target):
            return [relation]
        members = range(len(self.naming.activities))
        if target.kind == "total" and self._per_activity(words):
            targets = [Target("activity", members=(index,)) for index in members]
        else:
            targets = self._family(words, target)
        return [
            Limit(one, words.sense, quantity.value, scale, quantity, words.span, quantity.role)
            for one in targets
        ]

    def _per_activity(self, words: LimitWords) -> bool:
        """ "at least 5 of each", "each product must be made at least 5 times"."""
        distributed = any(
            mention.determiner in {"each", "every"}
            and (self.naming.is_total(mention.lemmas) or len(self.naming.exact(mention.lemmas)) > 1)
            for mention in words.subject
        )
        return words.each or distributed

    def _family(self, words: LimitWords, target: Target) -> list[Target]:
        """ "each machine runs at most 40 hours" limits every machine's measure."""
        if target.kind != "family":
            return [target]
        return [Target("measure", index) for index in target.members]

    def _limit_target(self, words: LimitWords) -> tuple[Target, float]:
        quantity = words.quantity
        around = (*words.others, *words.subject)
        if quantity.role == "money" or quantity.unit in lex.MONEY_UNITS:
            return self._money_target(words), 1.0
        if quantity.role != "plain" and quantity.role != "digit":
            raise Unresolved(words.span, f"cannot tell what {quantity.text} is a share of")
        nouns = words.nouns
        if nouns or quantity.unit:
            found = self._counted_target(words, nouns, around)
            if found is not None:
                return found
        else:
            found_plain = self._uncounted_target(words, around)
            if found_plain is not None:
                return found_plain, 1.0
        raise Unresolved(words.span, f"cannot tell what the limit {quantity.text} applies to")

    def _counted_target(
        self, words: LimitWords, nouns: frozenset[str], around: Sequence[Mention]
    ) -> tuple[Target, float] | None:
        quantity = words.quantity
        hits = self._listed(words, self.naming.exact(nouns))
        whole = nouns | ({quantity.unit} if quantity.unit else set())
        index = self.column(nouns, [m.lemmas for m in around], quantity.unit, words.verb)
        if index is None and not hits and quantity.unit is None:
            index = self.public_column(nouns)
        exact = index is not None and self.columns[index].nouns == nouns and bool(nouns)
        if hits and not exact:
            if len(hits) == len(self.naming.activities):
                return TOTAL, 1.0
            if words.total and len(hits) == 1 and self.naming.partly(whole, hits[0]):
                return TOTAL, 1.0
            if len(hits) == 1 and self._other_unit(quantity.unit):
                if index is None:
                    raise Unresolved(words.span, f"{quantity.text} {quantity.unit} of what")
                return Target("measure", index), self._factor(quantity.unit, index)
            if len(hits) == 1:
                if index is not None and overlap(nouns, self.columns[index].nouns) > 1:
                    raise Unresolved(words.span, "the limit fits a product and a resource")
                return Target("activity", members=hits), 1.0
            return Target("group", members=hits), 1.0
        if index is not None:
            column = self.columns[index]
            family = self._machines(words, column)
            if family is not None and not exact:
                return family, convertible(quantity.unit, column.unit) or 1.0
            factor = convertible(quantity.unit, column.unit)
            return Target("measure", index), factor or 1.0
        several = self._machines(words, None)
        if several is not None:
            return several, 1.0
        if self._names_class(words, whole - GENERIC) or self._in_basis(words, nouns):
            return self._predicate(words, around) or TOTAL, 1.0
        named = self._predicate(words, around)
        if named is not None and not nouns:
            return named, 1.0
        return None

    def _listed(self, words: LimitWords, hits: tuple[int, ...]) -> tuple[int, ...]:
        """ "at most one of the stove and the rope": both."""
        if len(hits) != 1 or not words.joined:
            return hits
        others = [self.naming.exact(mention.lemmas) for mention in words.joined]
        if any(len(other) != 1 for other in others):
            raise Unresolved(words.span, "cannot tell what is limited together")
        return tuple(dict.fromkeys((*hits, *(other[0] for other in others))))

    def _names_class(self, words: LimitWords, nouns: frozenset[str]) -> bool:
        """Class words, possibly with others that nothing else uses ("pills of medication")."""
        if self.naming.is_total(nouns) or (nouns - {words.quantity.unit} and self._blend(nouns)):
            return True
        rest = nouns - self.naming.class_words
        known = any(overlap(rest, column.nouns) for column in self.columns)
        if nouns & self.naming.class_words and not known:
            return True
        return words.total and bool(nouns) and not known and words.quantity.unit is None

    def _blend(self, nouns: frozenset[str]) -> bool:
        """ "500 kg of blend": all that is mixed together."""
        return bool(nouns & BLENDS) and nouns <= BLENDS | self.naming.class_words | lex.UNITS

    def _other_unit(self, unit: str | None) -> bool:
        """The unit is one that activities are not counted in."""
        return unit in lex.DIVISIBLE_UNITS and unit not in self.basis

    def _factor(self, unit: str | None, index: int) -> float:
        return convertible(unit, self.columns[index].unit) or 1.0

    def _in_basis(self, words: LimitWords, nouns: frozenset[str]) -> bool:
        unit = words.quantity.unit
        if unit is not None and unit in self.basis:
            return not nouns or not any(overlap(nouns, c.nouns) for c in self.columns)
        return bool(nouns) and nouns <= self.basis | self.naming.class_words | _COUNTABLE

    def _predicate(self, words: LimitWords, around: Sequence[Mention]) -> Target | None:
        """ "at least 10 trucks must be small": the activity is named elsewhere."""
        return self.one_activity(around)

    def _machines(self, words: LimitWords, column: Column | None) -> Target | None:
        """Several measures with one unit whose words share the subject's noun."""
        unit = words.quantity.unit
        spread = words.each or any(
            mention.determiner in {"each", "both", "every", "all"} for mention in words.subject
        )
        if unit is None or words.nouns - GENERIC or not spread:
            return None
        subject = frozenset().union(*(m.lemmas for m in words.subject)) - GENERIC
        named = self.announced(subject, unit)
        if named:
            return Target("family", members=named)
        members = tuple(
            index
            for index, other in enumerate(self.columns)
            if other.unit == unit and other.nouns and overlap(subject, other.nouns)
        )
        exact = [i for i in members if self.columns[i].nouns <= subject]
        if exact or len(members) < 2:
            return None
        return Target("family", members=members)

    def _uncounted_target(self, words: LimitWords, around: Sequence[Mention]) -> Target | None:
        """ "the number of vans must be at least 5", "of whom at least 5 must be seniors"."""
        led = [m.lemmas for m in words.others if m.role == "lead"]
        average = [i for i, c in enumerate(self.columns) if c.nouns & INTENSIVE and c.nouns in led]
        if len(average) == 1:
            return Target("measure", average[0])
        named = self.one_activity(words.subject) or self.one_activity(words.others)
        if named is not None:
            return named
        subject = frozenset().union(*(m.lemmas for m in words.subject))
        hits = self.naming.exact(subject)
        if len(hits) > 1 and len(hits) == len(self.naming.activities):
            return TOTAL
        if subject and self.naming.is_total(subject - GENERIC):
            return TOTAL
        if subject:
            index = self.column(subject, unit_matters=False)
            if index is not None and self.columns[index].unit in {None, "unit"}:
                return Target("measure", index)
        if words.each and not subject:
            return TOTAL
        return None

    def _money_target(self, words: LimitWords) -> Target:
        kind = words.money or "cost"
        around = (*words.others, *words.subject)
        single = self.one_activity(words.others)
        invested = all(column.percent for column in self.columns if column.money) and any(
            column.percent for column in self.columns
        )
        if invested or "dollar" in self.basis:
            return single or TOTAL
        index = self.money_column("cost" if kind in {"cost", "earn"} else kind)
        if single is not None and not {m.lemmas for m in around} & {frozenset({"budget"})}:
            raise Unresolved(words.span, "a sum of money for one product only")
        if index is None:
            raise Unresolved(words.span, f"no {kind} per unit is stated for {words.quantity.text}")
        return Target("measure", index)

    # -- relations ----------------------------------------------------------------------

    def comparison(self, words: ComparisonWords) -> Relation | None:
        """Tie a comparison to two activities or measures; None where it says nothing.

        Raises:
            Unresolved: exactly one side is known, or a number stands with unknown sides.
        """
        order: list[Target] = []
        for mention in words.mentions:
            target = self._side(mention)
            if target is not None and (not order or order[-1] != target):
                order.append(target)
        if len(order) == 1 and words.quantity is not None and not words.offset:
            last = words.mentions[-1]
            if self.naming.is_total(last.lemmas) or "total" in last.lemmas:
                order.append(TOTAL)
        if len(order) == 2 and order[0] != order[1]:
            return Relation(
                order[0],
                order[1],
                words.sense,
                words.factor,
                words.quantity,
                words.span,
                words.preference,
                words.offset,
            )
        if words.quantity is None and (len(order) < 2) and words.preference:
            return None
        raise Unresolved(words.span, "cannot tell which two amounts are compared")

    def _side(self, mention: Mention) -> Target | None:
        hits = self.naming.exact(mention.lemmas)
        if len(hits) == 1:
            return Target("activity", members=hits)
        if hits:
            return None
        for index, column in enumerate(self.columns):
            if column.nouns and column.nouns == mention.lemmas:
                return Target("measure", index)
        return None

    def share(self, words: ShareWords) -> Relation:
        """Tie a share to its part and its whole.

        Raises:
            Unresolved: part or whole cannot be told.
        """
        base = words.base - GENERIC
        if quality := self.quality(words, base):
            return quality
        whole_hits = self.naming.exact(base)
        part = self.one_activity(words.mentions)
        if len(whole_hits) == 1 and len(self.naming.activities) > 1:
            second = Target("activity", members=whole_hits)
            first = self.one_activity(
                mention
                for mention in words.mentions
                if self.naming.exact(mention.lemmas) != whole_hits
            )
            if first is None:
                raise Unresolved(words.span, "cannot tell which part of the whole is meant")
        elif part is not None:
            whole, first = self._whole(words, base), part
            second = whole
        else:
            order = [t for t in map(self._side, words.mentions) if t is not None]
            if len(order) == 2 and order[0] != order[1] and not base:
                first, second = order
            else:
                raise Unresolved(words.span, "cannot tell which part of the whole is meant")
        factor = words.quantity.value / (100.0 if words.quantity.role == "percent" else 1.0)
        return Relation(first, second, words.sense, factor, words.quantity, words.span)

    def quality(self, words: ShareWords, base: frozenset[str]) -> Relation | None:
        """ "the blend must contain at least 40% copper": a share of all that is mixed."""
        named = [words.content] if words.content else [m.lemmas for m in words.mentions]
        hits = [
            index
            for index, column in enumerate(self.columns)
            if column.percent
            and not column.money
            and any(overlap(column.nouns, lemmas) == len(column.nouns) for lemmas in named)
        ]
        if len(hits) > 1:
            raise Unresolved(words.span, "cannot tell which content is meant")
        if not hits or (base and not base <= BLENDS | self.naming.class_words):
            return None
        factor = words.quantity.value / (100.0 if words.quantity.role == "percent" else 1.0)
        if self.columns[hits[0]].hundredths:
            factor = words.quantity.value * (1.0 if words.quantity.role == "percent" else 100.0)
        target = Target("measure", hits[0])
        return Relation(target, TOTAL, words.sense, factor, words.quantity, words.span)

    def _whole(self, words: ShareWords, base: frozenset[str]) -> Target:
        if not base:
            return TOTAL
        units = {column.unit for column in self.columns if column.unit} - self.basis
        if base & units:
            raise Unresolved(words.span, "a share of a resource")
        index = self.column(base, unit_matters=False)
        if index is not None and self.columns[index].nouns == base:
            raise Unresolved(words.span, "a share of a resource")
        if money_kind(base):
            raise Unresolved(words.span, "a share of a sum of money")
        return TOTAL
