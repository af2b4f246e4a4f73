"""From a statement to facts, refusing where a number or phrase cannot be accounted for."""

from __future__ import annotations

from collections.abc import Sequence

from orkernel_offline.reading import Unreadable

from . import lexicon as lex
from .announce import (
    announcements,
    announcing_spans,
    base_words,
    class_words,
    undescribed,
)
from .clauses import Clause, clauses_of
from .entities import Naming, discover
from .fact_reader import FactReader
from .facts import (
    Amount,
    Facts,
    Limit,
    Mention,
    Span,
)
from .goal_target import Unresolved
from .goals import Goals, find_goals
from .guards import unsupported_clauses, unsupported_words
from .losses import lost_demand, lost_part, lost_words
from .measures import Conflict, build
from .observe import observe
from .phrases import Mark, Noun, Per, Phrase, Quantity
from .resolve import Resolver
from .selection import selection_span, wordless_limits
from .table_amounts import TableWords, table_words
from .tables import cut_tables
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
    text, grids = cut_tables(statement)
    clauses, asides = _clauses(text, trace)
    if not clauses:
        raise Unreadable("the statement has no sentence", ((0, len(statement)),))
    finding = (
        unsupported_words(trace.sentences)
        or unsupported_clauses(clauses, find_goals(clauses))
        or lost_words(text, trace.sentences)
    )
    if finding is not None:
        raise Unreadable(finding[0], (finding[1],))
    _check_numbers(trace.sentences, clauses, asides)
    tables = table_words(grids, len(clauses))
    try:
        return _facts(text, clauses, asides, tables, trace), trace
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


def _facts(
    text: str, clauses: list[Clause], asides: list[list[Phrase]], tables: TableWords, trace: Trace
) -> Facts:
    _check_asides(asides)
    goals = find_goals(clauses)
    observations = observe(clauses)
    observations.amounts += tables.amounts
    observations.limits += tables.limits
    clauses = trace.clauses = [*clauses, *tables.clauses]
    trace.goals, trace.observations = goals, observations
    activities = discover(undescribed(observations.amounts, clauses))
    if len(activities) < 2:
        raise Unreadable(
            "cannot tell which things are to be decided on: no two of them have amounts of the "
            "same measure",
            _number_spans(observations.amounts) or _everything(clauses),
        )
    class_nouns = class_words(clauses, len(activities)) | base_words(observations, activities)
    class_nouns |= tables.classes
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
    selection = None if divisible else selection_span(clauses, goals, naming)
    reader = FactReader(
        resolver, goals, clauses, selecting=selection is not None, counts=tables.counts
    )
    facts = reader.read(observations, loose)
    lost = lost_demand(text, clauses, observations, goals) or lost_part(
        facts, clauses, naming, observations
    )
    if lost is not None:
        raise Unresolved(lost[1], lost[0])
    facts.divisible = divisible or any(map(_in_divisible_unit, facts.limits))
    facts.basis = basis
    facts.classes = tuple(sorted(tables.classes))
    facts.unit = _unit(basis, goals) if facts.divisible else None
    facts.announced = announcing_spans(clauses)
    counted = any(limit.target.kind == "activity" and limit.value > 1 for limit in facts.limits)
    if selection is not None and counted:
        raise Unresolved(selection, 'say "how many of each" where several of one can be taken')
    facts.selection = None if facts.divisible else selection
    if facts.selection is not None:
        facts.limits += wordless_limits(clauses, goals, naming)
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
                else:
                    basis |= mention.lemmas & lex.DIVISIBLE_UNITS - set(lex.TIME_UNITS)
            elif mention.role in {"subject", "make"}:
                basis |= mention.lemmas & lex.DIVISIBLE_UNITS
        if amount.quantity.role == "percent" and amount.money:
            basis.add("dollar")
    asked = goals.question_nouns & lex.DIVISIBLE_UNITS
    heads = basis & lex.DIVISIBLE_UNITS - set(lex.TIME_UNITS)
    uncounted = not goals.question_nouns and not hourly and per_unit
    timed = uncounted and all(_per_time(amount.mentions) for amount, _ in per_unit)
    return frozenset(basis | asked), bool(asked or heads or timed)


def _unit(basis: frozenset[str], goals: Goals) -> str | None:
    """The unit that is asked for, else the only one that amounts are given per."""
    asked = goals.question_nouns & lex.DIVISIBLE_UNITS
    known = asked or basis & lex.DIVISIBLE_UNITS
    return next(iter(known)) if len(known) == 1 else None


def _in_divisible_unit(limit: Limit) -> bool:
    """ "at least 10 hectares of corn", "500 kg of blend": what is decided on can be split."""
    unit = limit.quantity.unit
    return limit.target.kind != "measure" and unit in lex.DIVISIBLE_UNITS - set(lex.TIME_UNITS)


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


__all__ = ["Per", "Unreadable", "read_facts"]
