"""Ties observations to activities and measures, and checks that everything is accounted for."""

from __future__ import annotations

from collections.abc import Container, Sequence

from orkernel_offline.reading import Unreadable

from . import lexicon as lex
from .announce import announces, lists_names, place_of
from .clause_view import Observations
from .clauses import Clause
from .facts import (
    Amount,
    ComparisonWords,
    Facts,
    Goal,
    GoalWords,
    Limit,
    LimitWords,
    Relation,
    Target,
)
from .goal_target import Unresolved
from .goals import Goals
from .limits import Sense
from .measures import Column, freeze
from .resolve import INTENSIVE, Resolver


def _check_limits(limits: Sequence[Limit]) -> None:
    """Two limits of one kind on one thing, or a lower one above the upper: a misreading."""
    seen: dict[tuple[Target, str], Limit] = {}
    for limit in limits:
        key = (limit.target, limit.sense.op)
        other = seen.get(key)
        if other is not None and other.value * other.scale != limit.value * limit.scale:
            raise Unreadable(
                f"{other.quantity.text} and {limit.quantity.text} seem to limit the same thing",
                (other.span, limit.span),
            )
        seen[key] = limit
    for (target, op), low in seen.items():
        high = seen.get((target, "<="))
        if op == ">=" and high is not None and low.value * low.scale > high.value * high.scale:
            raise Unreadable(
                f"at least {low.quantity.text} and at most {high.quantity.text} contradict each "
                "other",
                (low.span, high.span),
            )


class FactReader:
    """Ties everything that is observed.

    Attributes:
        selecting: the things are taken once or not at all.
        counts: how many things of a class the tables list ("material", 2).
    """

    def __init__(
        self,
        resolver: Resolver,
        goals: Goals,
        clauses: Sequence[Clause],
        *,
        selecting: bool,
        counts: Container[tuple[str, int]] = (),
    ) -> None:
        self.counts = counts
        self.selecting = selecting
        self.resolver = resolver
        self.goals = goals
        self.clauses = clauses
        self.limits: list[Limit] = []
        self.relations: list[Relation] = []

    def read(self, seen: Observations, loose: Sequence[Amount]) -> Facts:
        for reason, span in seen.unread:
            raise Unresolved(span, reason)
        for words in seen.limits:
            self._take(self.resolver.limit(words))
        for share in seen.shares:
            self.relations.append(self.resolver.share(share))
        for comparison in seen.comparisons:
            self._compare(comparison)
        for amount in loose:
            self._loose(amount)
        _check_limits(self.limits)
        goal = self._goal()
        results = self._results(goal)
        names = _names(self.resolver)
        self._check_columns(goal)
        return Facts(
            self.resolver.naming.activities,
            tuple(
                freeze(column, name)
                for column, name in zip(self.resolver.columns, names, strict=True)
            ),
            self.limits,
            self.relations,
            goal,
            results,
            frozenset(),
            False,
            None,
            list(self.resolver.assumptions),
        )

    def _take(self, found: Sequence[Limit | Relation]) -> None:
        for item in found:
            if isinstance(item, Limit):
                self.limits.append(item)
            else:
                self.relations.append(item)

    def _compare(self, words: ComparisonWords) -> None:
        relation = self.resolver.comparison(words)
        if relation is not None:
            self.relations.append(relation)

    def _loose(self, amount: Amount) -> None:
        periods = (lex.PERIODS - {"day"}) & {amount.quantity.unit, *amount.quantity.nouns}
        if periods and self.resolver.column(frozenset(amount.quantity.nouns)) is None:
            raise Unresolved(
                (amount.quantity.number_start, amount.quantity.number_end),
                f"cannot tell what {amount.quantity.text} is about",
            )
        if self._describes(amount):
            return
        named = self.resolver.naming.of_amount(amount)
        by_nouns = self.resolver.naming.exact(frozenset(amount.quantity.nouns))
        if len(named) == 1 and not by_nouns and amount.quantity.role == "plain" and amount.nouns:
            raise Unresolved(
                amount.span, f"{amount.quantity.text} may be an amount per unit or a limit"
            )
        op = {"have": "<=", "need": ">="}.get(amount.sense, amount.sense)
        if not op and self.selecting and self._carries(amount):
            op = "<="
        if not op:
            raise Unresolved(
                (amount.quantity.number_start, amount.quantity.number_end),
                f"cannot tell what {amount.quantity.text} is about",
            )
        found = self.resolver.limit(_as_limit(amount, Sense(op)))
        if any(isinstance(item, Relation) for item in found):
            raise Unresolved(amount.span, 'say "exactly", "at least" or "at most" so many per unit')
        self._take(found)

    def _carries(self, amount: Amount) -> bool:
        """ "a hiker can carry 20 kg": all that fits, where things are chosen to be taken."""
        verb = self.clauses[amount.clause].verb
        return verb is not None and verb.modal == "can" and verb.lemma in lex.CARRYING_VERBS

    def _describes(self, amount: Amount) -> bool:
        """ "two types of panes": a count of the activities or of the measures."""
        quantity = amount.quantity
        if quantity.role not in {"plain", "digit"} or quantity.unit is not None:
            return False
        if any((noun, int(quantity.value)) in self.counts for noun in quantity.nouns):
            return True
        clause = self.clauses[amount.clause]
        at = place_of(amount, self.clauses)
        naming = self.resolver.naming
        counts = {len(naming.activities), len(self.resolver.columns)}
        announced = announces(clause.phrases, at)
        nouns = frozenset(quantity.nouns)
        as_class = naming.is_total(nouns - lex.TYPE_NOUNS - {"different", "two"}) or (
            len(naming.exact(nouns)) == len(naming.activities)
        )
        if quantity.value == len(naming.activities) and not quantity.text[0].isdigit():
            inside = any(nouns <= activity.full for activity in naming.activities)
            known = self.resolver.column(nouns) is not None
            return announced or as_class or inside or not known
        return announced and (quantity.value in counts or lists_names(clause.phrases, at))

    def _goal(self) -> Goal:
        asking = [goal for goal in self.goals.weak if goal.clause in self.goals.questions]
        found = self.goals.goals or asking or self.goals.weak
        if not found:
            raise Unreadable(
                "the statement does not say what to maximize or minimize",
                ((self.clauses[0].start, self.clauses[-1].end),),
            )
        resolved: list[Goal] = []
        problem: Unresolved | None = None
        for words in found:
            try:
                resolved.append(self._one_goal(words))
            except Unresolved as error:
                problem = error
        if problem is not None:
            by_elimination = self._idle_goal(found[0])
            if by_elimination is None:
                raise problem
            resolved = [by_elimination]
        first = resolved[0]
        for other in resolved[1:]:
            if (other.sense, other.target, other.less) != (first.sense, first.target, first.less):
                raise Unresolved(other.span, "a second goal differs from the first")
        return first

    def _one_goal(self, words: GoalWords) -> Goal:
        target, less = self.resolver.goal(words)
        names = tuple(word for mention in words.mentions for word in mention.words)
        return Goal(words.sense, target, words.span, names, less)

    def _idle_goal(self, words: GoalWords) -> Goal | None:
        """The only measure that nothing else uses must be the goal's."""
        idle = self._idle()
        names = tuple(word for mention in words.mentions for word in mention.words)
        priced = [index for index in idle if self.resolver.columns[index].money]
        if (
            len(idle) == 1
            and not priced
            and len(self.resolver.columns[idle[0]].cells) == len(self.resolver.naming.activities)
        ):
            self.resolver.assumptions.append(
                (f'"{" ".join(names)}" is the only measure that no limit uses', ("objective",))
            )
            return Goal(words.sense, Target("measure", idle[0]), words.span, names)
        if not idle and words.total:
            self.resolver.assumptions.append(
                (f'"{" ".join(names)}" counts each of the chosen things as one', ("objective",))
            )
            return Goal(words.sense, Target("total"), words.span, names)
        return None

    def _idle(self) -> list[int]:
        used = {limit.target.index for limit in self.limits if limit.target.kind == "measure"}
        for relation in self.relations:
            used |= {t.index for t in (relation.first, relation.second) if t.kind == "measure"}
        return [index for index in range(len(self.resolver.columns)) if index not in used]

    def _results(self, goal: Goal) -> list[Goal]:
        """Figures asked for besides the objective; unknown ones are left out."""
        results: list[Goal] = []
        for words in self.goals.asked:
            try:
                target, less = self.resolver.goal(words)
            except Unresolved:
                continue
            if target != goal.target or less != goal.less:
                names = tuple(word for mention in words.mentions for word in mention.words)
                results.append(Goal("", target, words.span, names, less))
        return results

    def _check_columns(self, goal: Goal) -> None:
        """Every measure must be used, and a goal's measure must be known for every activity."""
        used = set(range(len(self.resolver.columns))) - set(self._idle())
        used |= {t.index for t in (goal.target, goal.less) if t is not None and t.kind == "measure"}
        count = len(self.resolver.naming.activities)
        for index, column in enumerate(self.resolver.columns):
            self._check_own(column)
            spans = tuple(span for _, span, _ in column.cells.values())
            if index not in used:
                raise Unreadable(f"nothing uses the amounts of {_column_words(column)}", spans)
            if len(column.cells) < count and self._must_be_complete(index, goal):
                raise Unreadable(
                    f"the amount of {_column_words(column)} is stated for some products only", spans
                )

    def _check_own(self, column: Column) -> None:
        """ "a large box takes the space of 3 small boxes": one product in terms of another."""
        naming = self.resolver.naming
        hits = naming.exact(column.nouns) if column.nouns else ()
        if len(hits) == 1 and column.nouns == naming.activities[hits[0]].full:
            spans = tuple(span for _, span, _ in column.cells.values())
            raise Unreadable("one product is given in terms of another", spans)

    def _must_be_complete(self, index: int, goal: Goal) -> bool:
        column = self.resolver.columns[index]
        if goal.target.index == index or (goal.less is not None and goal.less.index == index):
            return True
        if column.percent or column.nouns & INTENSIVE:
            return True
        return bool(column.money) or not column.nouns or column.unit in lex.TIME_UNITS


def _column_words(column: Column) -> str:
    return column.money or " ".join(sorted(column.nouns)) or column.unit or "an amount"


def _dimension(unit: str | None) -> str:
    """ "weight" for kg, "volume" for liters, else the unit itself."""
    dimension = next((name for name, table in lex.DIMENSIONS.items() if unit in table), "")
    return {"mass": "weight"}.get(dimension, dimension) or unit or ""


def _names(resolver: Resolver) -> list[str]:
    names: list[str] = []
    for column in resolver.columns:
        words = [word for word in column.words if word.lower() not in lex.UNITS]
        base = "_".join(words).lower() if column.nouns else ""
        if column.money:
            base = {"earn": "earning"}.get(column.money, column.money)
        elif column.unit in lex.TIME_UNITS:
            base = base or "_".join(sorted(column.nouns)[:2])
            base = base if "time" in base.split("_") else f"time_{base}".strip("_")
        name = base or "_".join(sorted(column.nouns)) or _dimension(column.unit) or "amount"
        names.append(name)
    return names


def _as_limit(amount: Amount, sense: Sense) -> LimitWords:
    """Read an amount that is nobody's per-unit amount as a limit."""
    gapped = tuple(m for m in amount.mentions if m.role == "holder")
    subject = gapped or tuple(m for m in amount.mentions if m.role in {"subject", "make"})
    others = tuple(m for m in amount.mentions if m.role not in {"subject", "make", "holder"})
    return LimitWords(
        amount.quantity,
        sense,
        amount.nouns,
        amount.money,
        amount.verb,
        subject,
        others,
        amount.quantity.each,
        False,
        amount.clause,
        amount.span,
        amount.periods,
    )
