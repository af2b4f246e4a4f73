"""From a statement to facts, refusing where a number or phrase cannot be accounted for."""

from __future__ import annotations

from collections.abc import Sequence

from orkernel_offline.reading import Unreadable

from . import lexicon as lex
from .announce import (
    announcements,
    announces,
    announcing_spans,
    base_words,
    class_words,
    place_of,
    undescribed,
)
from .clause_view import Observations
from .clauses import Clause, clauses_of
from .entities import Naming, discover
from .facts import (
    Amount,
    ComparisonWords,
    Facts,
    Goal,
    GoalWords,
    Limit,
    Mention,
    Relation,
    Span,
    Target,
)
from .goals import Goals, find_goals
from .guards import unsupported
from .limits import Sense
from .measures import Column, Conflict, build, freeze
from .observe import observe
from .phrases import Mark, Noun, Per, Phrase, Quantity
from .resolve import Resolver, Unresolved, as_limit
from .tagging import label_nouns
from .tokens import (
    MAX_CHARACTERS,
    MAX_NUMBERS,
    MAX_SENTENCE_TOKENS,
    Sentence,
    sentences,
    tokenize,
)
from .trace import Trace

_WHOLE_WORDS = frozenset({"integer", "integral", "indivisible", "integer-valued"})
_SPLIT_WORDS = frozenset({"fractional", "fraction", "divisible", "continuous", "partial"})


def read_facts(statement: str) -> tuple[Facts, Trace]:
    """Read all facts of ``statement``.

    Raises:
        Unreadable: something with a number, a limit or a goal could not be tied to the rest.
    """
    if len(statement) > MAX_CHARACTERS:
        raise Unreadable(
            f"the statement has {len(statement)} characters; the English reader takes at most "
            f"{MAX_CHARACTERS}",
            ((0, len(statement)),),
        )
    trace = Trace()
    clauses, asides = _clauses(statement, trace)
    if not clauses:
        raise Unreadable("the statement has no sentence", ((0, len(statement)),))
    if problem_kind := unsupported(trace.sentences):
        raise Unreadable(problem_kind[0], (problem_kind[1],))
    _check_numbers(trace.sentences, clauses, asides)
    try:
        return _facts(clauses, asides, trace), trace
    except Unresolved as problem:
        raise Unreadable(problem.reason, (problem.span,)) from None
    except Conflict as problem:
        raise Unreadable(str(problem), (problem.span,)) from None


def _clauses(statement: str, trace: Trace) -> tuple[list[Clause], list[list[Phrase]]]:
    tokens = tokenize(statement)
    count = sum(token.kind == "number" for token in tokens)
    if count > MAX_NUMBERS:
        raise Unreadable(
            f"the statement has {count} numbers; the English reader takes at most {MAX_NUMBERS}: "
            "put large data into tables",
            ((0, len(statement)),),
        )
    labels = label_nouns(tokens)
    asides: list[list[Phrase]] = []
    for number, sentence in enumerate(sentences(tokens, statement)):
        trace.sentences.append(sentence)
        if len(sentence.tokens) > MAX_SENTENCE_TOKENS:
            raise Unreadable(
                f"a sentence has more than {MAX_SENTENCE_TOKENS} words and marks",
                ((sentence.start, sentence.end),),
            )
        found, extra = clauses_of(sentence, number, labels)
        trace.clauses += found
        asides += extra
    return trace.clauses, asides


def _facts(clauses: list[Clause], asides: list[list[Phrase]], trace: Trace) -> Facts:
    _check_asides(asides)
    goals = find_goals(clauses)
    observations = observe(clauses)
    trace.goals, trace.observations = goals, observations
    activities = discover(undescribed(observations.amounts, clauses))
    if len(activities) < 2:
        raise Unreadable(
            "cannot tell which things are to be decided on: no two of them have amounts of the "
            "same measure",
            _number_spans(observations.amounts) or _everything(clauses),
        )
    class_nouns = class_words(clauses, len(activities)) | base_words(observations, activities)
    naming = Naming(activities, class_nouns)
    counts = undescribed(observations.amounts, clauses)
    assigned = [
        (amount, naming.of_amount(amount) if amount in counts else ())
        for amount in observations.amounts
    ]
    per_unit = [(a, members) for a, members in assigned if _is_per_unit(a, members)]
    loose = [a for a, members in assigned if not _is_per_unit(a, members)]
    columns = build(per_unit, len(activities))
    hourly = any(_per_time(limit.others) for limit in observations.limits)
    basis, divisible = _basis(per_unit, goals, hourly)
    resolver = Resolver(naming, columns, basis, announcements(clauses))
    reader = _FactReader(resolver, goals, clauses)
    facts = reader.read(observations, loose)
    facts.divisible = divisible
    facts.basis = basis
    facts.announced = announcing_spans(clauses)
    facts.stated_whole = _stated_whole(clauses, asides)
    trace.facts = facts
    return facts


def _everything(clauses: Sequence[Clause]) -> tuple[Span, ...]:
    return ((clauses[0].start, clauses[-1].end),)


def _number_spans(amounts: Sequence[Amount]) -> tuple[Span, ...]:
    return tuple((a.quantity.number_start, a.quantity.number_end) for a in amounts)


def _check_numbers(
    read: Sequence[Sentence], clauses: Sequence[Clause], asides: Sequence[Sequence[Phrase]]
) -> None:
    """Every number must be part of a phrase; one that is in none would be lost."""
    covered: set[int] = set()
    for phrases in (*(clause.phrases for clause in clauses), *asides):
        for phrase in phrases:
            if isinstance(phrase, Quantity):
                covered.add(phrase.number_start)
            elif isinstance(phrase, Noun | Per):
                covered |= set(range(phrase.start, phrase.end))
    for sentence in read:
        for token in sentence.tokens:
            lost = token.kind == "number" and token.role != "digit" and token.start not in covered
            if lost:
                raise Unreadable(
                    f"cannot tell what {token.text} counts or measures", ((token.start, token.end),)
                )


def _check_asides(asides: Sequence[Sequence[Phrase]]) -> None:
    """Parentheses may state non-negativity; any other number in them is not read."""
    for aside in asides:
        for phrase in aside:
            if isinstance(phrase, Quantity) and not (phrase.value == 0 and phrase.limit):
                raise Unreadable(
                    f"a number in parentheses is not understood: {phrase.text}",
                    ((phrase.start, phrase.end),),
                )


def _is_per_unit(amount: Amount, members: tuple[int, ...]) -> bool:
    if not members or amount.sense in {"<=", ">="}:
        return False
    return not (len(members) > 1 and amount.sense and amount.respectively is None)


def _basis(
    per_unit: Sequence[tuple[Amount, tuple[int, ...]]], goals: Goals, hourly: bool
) -> tuple[frozenset[str], bool]:
    """What the activities are counted in, and whether that can be split."""
    basis: set[str] = set()
    for amount, _ in per_unit:
        for mention in amount.mentions:
            if mention.role == "per" and not mention.lemmas <= lex.TIME_HORIZON:
                if len(mention.lemmas) == 1:
                    basis |= mention.lemmas
            elif mention.role in {"subject", "make"}:
                basis |= mention.lemmas & lex.DIVISIBLE_UNITS
        if amount.quantity.role == "percent" and amount.money:
            basis.add("dollar")
    asked = goals.question_nouns & lex.DIVISIBLE_UNITS
    heads = basis & lex.DIVISIBLE_UNITS - set(lex.TIME_UNITS)
    uncounted = not goals.question_nouns and not hourly and per_unit
    timed = uncounted and all(_per_time(amount.mentions) for amount, _ in per_unit)
    return frozenset(basis | asked), bool(asked or heads or timed)


def _per_time(mentions: Sequence[Mention]) -> bool:
    """Something is given per hour or per minute."""
    return any(
        mention.role == "per" and mention.lemmas & set(lex.TIME_UNITS) - lex.TIME_HORIZON
        for mention in mentions
    )


def _stated_whole(clauses: Sequence[Clause], asides: Sequence[Sequence[Phrase]]) -> bool | None:
    said: set[str] = set()
    for phrases in (*(clause.phrases for clause in clauses), *asides):
        for phrase in phrases:
            if isinstance(phrase, Noun):
                said |= phrase.lemmas
                whole = phrase.lemmas | set(phrase.prefix)
                if "whole" in whole and whole & {"number", "unit", "amount", "quantity"}:
                    return True
            elif isinstance(phrase, Mark):
                said.add(phrase.text)
    if said & _WHOLE_WORDS:
        return True
    if said & _SPLIT_WORDS:
        return False
    return None


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


class _FactReader:
    def __init__(self, resolver: Resolver, goals: Goals, clauses: Sequence[Clause]) -> None:
        self.resolver = resolver
        self.goals = goals
        self.clauses = clauses
        self.limits: list[Limit] = []
        self.relations: list[Relation] = []

    def read(self, seen: Observations, loose: Sequence[Amount]) -> Facts:
        for reason, span in seen.unread:
            raise Unresolved(span, reason)
        for words in seen.limits:
            self.limits += self.resolver.limit(words)
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

    def _compare(self, words: ComparisonWords) -> None:
        relation = self.resolver.comparison(words)
        if relation is not None:
            self.relations.append(relation)

    def _loose(self, amount: Amount) -> None:
        if self._describes(amount):
            return
        named = self.resolver.naming.of_amount(amount)
        by_nouns = self.resolver.naming.exact(frozenset(amount.quantity.nouns))
        if len(named) == 1 and not by_nouns and amount.quantity.role == "plain" and amount.nouns:
            raise Unresolved(
                amount.span, f"{amount.quantity.text} may be an amount per unit or a limit"
            )
        op = {"have": "<=", "need": ">="}.get(amount.sense, amount.sense)
        if not op:
            raise Unresolved(
                (amount.quantity.number_start, amount.quantity.number_end),
                f"cannot tell what {amount.quantity.text} is about",
            )
        self.limits += self.resolver.limit(as_limit(amount, Sense(op)))

    def _describes(self, amount: Amount) -> bool:
        """ "two types of panes": a count of the activities or of the measures."""
        quantity = amount.quantity
        if quantity.role not in {"plain", "digit"} or quantity.unit is not None:
            return False
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
        return announced and quantity.value in counts

    def _goal(self) -> Goal:
        asking = [goal for goal in self.goals.weak if goal.clause in self.goals.questions]
        found = self.goals.goals or asking or self.goals.weak
        if not found:
            raise Unreadable(
                "the statement does not say what to maximize or minimize", _everything(self.clauses)
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
            spans = tuple(span for _, span, _ in column.cells.values())
            if index not in used:
                raise Unreadable(f"nothing uses the amounts of {_column_words(column)}", spans)
            if len(column.cells) < count and self._must_be_complete(index, goal):
                raise Unreadable(
                    f"the amount of {_column_words(column)} is stated for some products only", spans
                )

    def _must_be_complete(self, index: int, goal: Goal) -> bool:
        column = self.resolver.columns[index]
        if goal.target.index == index or (goal.less is not None and goal.less.index == index):
            return True
        if column.money or not column.nouns or column.unit in lex.TIME_UNITS:
            return True
        return self._requires(index)

    def _requires(self, index: int) -> bool:
        """A needed amount that only some activities give is plausible only for some of them."""
        return False


def _column_words(column: Column) -> str:
    return column.money or " ".join(sorted(column.nouns)) or column.unit or "an amount"


def _names(resolver: Resolver) -> list[str]:
    names: list[str] = []
    for column in resolver.columns:
        words = [word for word in column.words if word.lower() not in lex.UNITS]
        base = "_".join(words).lower() if words and column.nouns else ""
        if column.money:
            base = {"earn": "earning"}.get(column.money, column.money)
        elif column.unit in lex.TIME_UNITS:
            base = base or "_".join(sorted(column.nouns)[:2])
            base = f"time_{base}" if base else "time"
        name = base or "_".join(sorted(column.nouns)) or column.unit or "amount"
        names.append(name)
    return names


__all__ = ["Per", "Unreadable", "read_facts"]
