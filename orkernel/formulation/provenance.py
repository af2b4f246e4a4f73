"""Provenance: every element tied to the words of the statement it came from.

`locate` finds the quotes; `provenance_diagnostics` reports elements without a source, quotes
that do not stand in the statement or lack the number they justify, and numbers of the
statement that no element uses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import combinations

from orkernel.formulation.diagnostics import Diagnostic, Severity
from orkernel.formulation.elements import GROUPS, Definition, elements, stated_numbers
from orkernel.formulation.numbers import Kind, Mention, find_numbers
from orkernel.formulation.pairing import pairing_diagnostics
from orkernel.formulation.quotes import QuoteIndex, mentions_within
from orkernel.formulation.schema import (
    Formulation,
    ParameterDefinition,
    SetDefinition,
    SourceReference,
)

MAX_UNUSED = 50
"""How many unused numbers are reported one by one."""
MAX_LISTED = 5
"""How many unsupported numbers one diagnostic lists."""
MAX_COMBINED = 12
"""Most numbers of a quote whose products and quotients are tried."""
MAX_SENTENCE = 200
"""Longest sentence shown, in characters."""

_ALWAYS_FINE = frozenset({0.0, 1.0})
_TIME = re.compile(r"\b(?:hours?|hrs?|minutes?|mins?|seconds?|days?|weeks?|months?|years?|annual)")
_SCALE = re.compile(
    r"\b(?:thousands?|kilo\w*|kg|km|kw\w*|grams?|lit(?:er|re)s?|m[lg]|ton(?:ne)?s?)\b"
)
_PERCENTAGE = re.compile(r"%|\bper ?cent|\bpercentage|\bcents?\b")
_SENTENCE_END = re.compile(r"[.!?](?=\s|$)|\n\s*\n|\n(?=\s*(?:[-*+|#]|\d+[.)]\s))")
_LIMIT_BEFORE = re.compile(
    r"(?:at least|at most|up to|no more than|no less than|no fewer than|not more than|more than|"
    r"less than|fewer than|exceeds?|exceeding|minimum of|maximum of|exactly|only|limit of)\s*$",
    re.IGNORECASE,
)
_FORMULA = re.compile(r"[<>≤≥=]|\$\$|\\(?:le|ge|leq|geq|cdot|frac|sum|min|max)\b")
_NOUN_AFTER = re.compile(r"[ \u00a0-](?:[a-z]+[ -]){0,3}[a-z]*s\b", re.IGNORECASE)


def locate(formulation: Formulation, statement: str) -> Formulation:
    """Fill `start`, `end` and `match` of every source from the statement.

    Offsets that already point at the very words of the quote are kept; any others are sought
    anew, and cleared where the quote is not found. An empty statement changes nothing.
    """
    if not statement:
        return formulation
    index = QuoteIndex(statement)
    known: dict[str, SourceReference] = {}
    groups = {
        group: tuple(
            part.model_copy(update={"sources": tuple(_located(index, known, part.sources))})
            if part.sources
            else part
            for part in getattr(formulation, group)
        )
        for group in GROUPS
    }
    return formulation.model_copy(update=groups)


def _located(
    index: QuoteIndex, known: dict[str, SourceReference], sources: Iterable[SourceReference]
) -> Iterator[SourceReference]:
    for source in sources:
        start, end = source.start, source.end
        if start is not None and end is not None and index.statement[start:end] == source.quote:
            yield source.model_copy(update={"match": "exact"})
            continue
        if source.quote not in known:
            place = index.find(source.quote)
            known[source.quote] = source.model_copy(
                update={"start": None, "end": None, "match": None}
                if place is None
                else {"start": place.start, "end": place.end, "match": place.match}
            )
        yield known[source.quote]


def provenance_diagnostics(formulation: Formulation, statement: str) -> list[Diagnostic]:
    """What the sources do not account for, all of it warnings.

    Args:
        formulation: Located or not; quotes are located here where they are not.
        statement: The text that offsets count in; empty means there is nothing to report.
    """
    if not statement.strip():
        return []
    located = locate(formulation, statement)
    return [*_Audit(located, statement).findings(), *pairing_diagnostics(located)]


class _Audit:
    """One formulation against its statement."""

    def __init__(self, formulation: Formulation, statement: str) -> None:
        self.formulation = formulation
        self.statement = statement
        self.mentions = find_numbers(statement)
        self.in_statement = {key for m in self.mentions for key in _keys(m)}
        self.used: set[int] = set()
        self.spare: Counter[float] = Counter()
        self.assumed = {name for part in formulation.assumptions for name in part.affects}

    def findings(self) -> Iterator[Diagnostic]:
        for label, definition in elements(self.formulation):
            yield from self.element(label, definition)
        yield from self.unused()

    # ---------------------------------------------------------------- elements

    def element(self, label: str, definition: Definition) -> Iterator[Diagnostic]:
        located = []
        for source in definition.sources:
            if source.match is None or source.start is None or source.end is None:
                yield _warning(
                    "quote-not-found",
                    label,
                    f"its quote {_short(source.quote)} does not stand in the statement",
                    "quote the statement word for word",
                )
                continue
            located.append((source.start, source.end))
            if source.match == "fuzzy":
                passage = self.statement[source.start : source.end]
                yield _warning(
                    "quote-approximate",
                    label,
                    f"its quote {_short(source.quote)} stands in the statement only "
                    f"approximately, as {_short(passage)}",
                    "check that the passage says the same, and quote it word for word",
                    (source.start, source.end),
                )
        numbers = [abs(number) for number in stated_numbers(definition)]
        if definition.name in self.assumed or label in self.assumed:
            self.spare.update(_key(number) for number in numbers)
            return
        if not definition.sources and not _derived(definition):
            yield _warning(
                "no-source",
                label,
                "it has no quote from the statement",
                "quote the words it comes from, or list it in an assumption's `affects`",
            )
        yield from self.supported(label, definition, numbers, located)

    def supported(
        self,
        label: str,
        definition: Definition,
        numbers: list[float],
        located: list[tuple[int, int]],
    ) -> Iterator[Diagnostic]:
        """Marks the mentions that an element's quotes account for; reports what they lack."""
        near = {
            mention.start: mention
            for start, end in located
            for mention in mentions_within(self.mentions, start, end)
        }
        keys = Counter(_key(number) for number in numbers)
        covered = {key for mention in near.values() for key in _keys(mention)}
        for mention in near.values():
            matched = [key for key in _keys(mention) if key in keys]
            if matched:
                self.used.add(mention.start)
                keys[matched[0]] -= 1
        words = " ".join(self.statement[start:end] for start, end in located).casefold()
        lacking = []
        for number in dict.fromkeys(numbers):
            key = _key(number)
            if key in covered or number in _ALWAYS_FINE or isinstance(definition, SetDefinition):
                continue
            parts = _factors(key, list(near.values()))
            if parts:
                self.used.update(part.start for part in parts)
                keys[key] = 0
            elif (
                not _conversion(number, words, definition)
                if located
                else not definition.sources and key not in self.in_statement
            ):
                lacking.append(number)
        self.spare.update({key: count for key, count in keys.items() if count > 0})
        if lacking:
            yield self.lack(label, lacking, bool(located))

    def lack(self, label: str, numbers: list[float], located: bool) -> Diagnostic:
        shown = ", ".join(f"{number:.10g}" for number in numbers[:MAX_LISTED])
        more = len(numbers) - MAX_LISTED
        shown += f" and {more} more" if more > 0 else ""
        if not located:
            return _warning(
                "number-not-in-statement",
                label,
                f"the statement nowhere says {shown}",
                "correct the number, or state where it comes from as an assumption",
            )
        key = _key(numbers[0])
        elsewhere = next((m for m in self.mentions if key in _keys(m)), None)
        if elsewhere is None:
            advice = "correct the number; the statement nowhere says it"
        else:
            advice = f"quote the words that say it: {_short(self.sentence(elsewhere))}"
        return _warning("number-not-in-quote", label, f"its quotes do not say {shown}", advice)

    # ---------------------------------------------------------------- the statement

    def unused(self) -> Iterator[Diagnostic]:
        """Numbers of the statement that no element uses."""
        counts = self.structural_counts()
        formulas = self.used_in_formulas()
        left = []
        for mention in self.mentions:
            if mention.start in self.used or mention.kind is Kind.LABEL:
                continue
            if set(mention.values) & _ALWAYS_FINE:
                continue
            key = next((k for k in _keys(mention) if self.spare[k] > 0), None)
            if key is not None:
                self.spare[key] -= 1
            elif mention.value in counts and self.counts_things(mention):
                continue
            elif formulas.isdisjoint(_keys(mention)) or self.in_formula(mention):
                left.append(mention)
        for mention in left[:MAX_UNUSED]:
            words = self.statement[mention.start : mention.end]
            yield _warning(
                "unused-number",
                "statement",
                f"no element uses '{words}' in {_short(self.sentence(mention))}",
                "add what it limits or measures, or check that the answer does not depend on it",
                (mention.start, mention.end),
            )
        if len(left) > MAX_UNUSED:
            yield _warning(
                "unused-number",
                "statement",
                f"no element uses {len(left) - MAX_UNUSED} further numbers",
                "add what they limit or measure",
                (left[MAX_UNUSED].start, left[-1].end),
            )

    def used_in_formulas(self) -> set[float]:
        """Numbers that elements take from formulas; the words around may say them again."""
        return {
            key
            for mention in self.mentions
            if mention.start in self.used and self.in_formula(mention)
            for key in _keys(mention)
        }

    def in_formula(self, mention: Mention) -> bool:
        """Whether the line of a mention is written as algebra."""
        begin = self.statement.rfind("\n", max(0, mention.start - MAX_SENTENCE), mention.start) + 1
        begin = max(begin, mention.start - MAX_SENTENCE)
        end = self.statement.find("\n", mention.end, mention.end + MAX_SENTENCE)
        limit = end if end >= 0 else mention.end + MAX_SENTENCE
        return _FORMULA.search(self.statement, begin, limit) is not None

    def structural_counts(self) -> set[float]:
        """Sizes that a statement may mention without any element stating them."""
        counts = {float(len(self.formulation.variables))}
        for part in self.formulation.sets:
            if part.members is not None:
                counts.add(float(len(part.members)))
            elif part.range is not None:
                first, last = part.range
                if isinstance(first, int) and isinstance(last, int):
                    counts.add(float(last - first + 1))
        return counts

    def counts_things(self, mention: Mention) -> bool:
        """Whether a mention reads like "two products" rather than like a limit or amount."""
        before = self.statement[max(0, mention.start - 24) : mention.start]
        return (
            2 <= mention.value <= 50
            and mention.kind is Kind.NUMBER
            and not before.endswith(("$", "€", "£"))
            and _LIMIT_BEFORE.search(before) is None
            and _NOUN_AFTER.match(self.statement, mention.end, mention.end + 80) is not None
        )

    def sentence(self, mention: Mention) -> str:
        """The sentence around a mention, shortened around it."""
        begin = max(0, mention.start - MAX_SENTENCE)
        for stop in _SENTENCE_END.finditer(self.statement, begin, mention.start):
            begin = stop.end()
        limit = min(len(self.statement), mention.end + MAX_SENTENCE)
        stop_after = _SENTENCE_END.search(self.statement, mention.end, limit)
        end = stop_after.end() if stop_after else limit
        return " ".join(self.statement[begin:end].split())


def _derived(definition: Definition) -> bool:
    """Whether an element is computed from others, whose sources speak for it."""
    return isinstance(definition, SetDefinition | ParameterDefinition) and (
        definition.expression is not None
    )


def _factors(key: float, mentions: list[Mention]) -> tuple[Mention, ...]:
    """Two mentions whose product or quotient is the number: `8 hours a day, 5 days` for 40."""
    for one, two in combinations(mentions[:MAX_COMBINED], 2):
        products = [one.value * two.value]
        if one.value and two.value:
            products += [one.value / two.value, two.value / one.value]
        if key in map(_key, products):
            return one, two
    return ()


def _conversion(number: float, words: str, definition: Definition) -> bool:
    """Whether a constant converts a unit that the quotes speak of, e.g. 60 beside hours."""
    if isinstance(definition, ParameterDefinition):
        return False
    return (
        (number in {7, 12, 24, 30, 52, 60, 365, 3600} and _TIME.search(words) is not None)
        or (number in {0.01, 100} and _PERCENTAGE.search(words) is not None)
        or (number in {0.001, 1000} and _SCALE.search(words) is not None)
    )


def _keys(mention: Mention) -> list[float]:
    return [_key(value) for value in (*mention.values, *mention.derived)]


def _key(number: float) -> float:
    """A number rounded to nine significant digits, so that 0.1 + 0.2 is 0.3."""
    return float(f"{abs(number):.9g}")


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return f"'{flat}'" if len(flat) <= MAX_SENTENCE else f"'{flat[: MAX_SENTENCE - 1]}…'"


def _warning(
    code: str,
    element: str,
    message: str,
    suggestion: str,
    place: tuple[int, int] | None = None,
) -> Diagnostic:
    start, end = place or (None, None)
    return Diagnostic(
        code, Severity.WARNING, element, message, suggestion, start, end, field="statement"
    )
