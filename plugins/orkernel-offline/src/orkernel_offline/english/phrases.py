"""Phrases: noun phrases, quantities, verb groups and "per" phrases, each with its offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from . import lexicon as lex
from .limits import Sense
from .noun_runs import is_prefix, square, unit_of, without_prefix
from .tagging import Tagged


@dataclass(frozen=True, slots=True)
class Noun:
    """A noun phrase.

    Attributes:
        head: lemmas before any "of"; count words ("number of") and type words are left out.
        of: lemmas after "of".
        determiner: the distributive or other determiner in front, or "".
        counted: the phrase starts with "number of", "amount of" or the like.
        total: it says "total".
        words: the surface words, without determiner, in order.
        prefix: lemmas of the count and type words that were left out.
        tail: number of ``words`` that stand behind "of".
    """

    start: int
    end: int
    head: tuple[str, ...]
    of: tuple[str, ...] = ()
    determiner: str = ""
    counted: bool = False
    total: bool = False
    words: tuple[str, ...] = ()
    prefix: tuple[str, ...] = ()
    tail: int = 0

    @property
    def lemmas(self) -> frozenset[str]:
        return frozenset(self.head + self.of)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it counts and, in front of it, the limit phrase.

    Attributes:
        role: see :class:`~.tokens.Token`.
        unit: unit lemma, or None.
        nouns: lemmas of what is counted.
        limit: sense of the limit phrase in front, or None.
        words: surface words of what is counted.
        based: an "of" phrase follows the number or its unit.
        each: the "of" phrase starts with "each".
        number_start, number_end: offsets of the number alone.
        opens_range: it is the lower end of "between 10 and 30".
    """

    start: int
    end: int
    value: float
    role: str
    text: str
    unit: str | None = None
    nouns: tuple[str, ...] = ()
    limit: Sense | None = None
    words: tuple[str, ...] = ()
    based: bool = False
    each: bool = False
    number_start: int = 0
    number_end: int = 0
    opens_range: bool = False


@dataclass(frozen=True, slots=True)
class Verb:
    """A verb group: ``must be able to fit``; ``kind`` is finite, inf, ger, rel or part."""

    start: int
    end: int
    lemma: str
    chain: tuple[str, ...]
    kind: str = "finite"
    negative: bool = False
    passive: bool = False
    modal: str = ""


@dataclass(frozen=True, slots=True)
class Per:
    """ "per hour", "for each trip", "a day": what an amount is counted by."""

    start: int
    end: int
    lemmas: tuple[str, ...]
    words: tuple[str, ...] = ()
    tail: int = 0

    @property
    def is_horizon(self) -> bool:
        return bool(self.lemmas) and all(word in lex.TIME_HORIZON for word in self.lemmas)


@dataclass(frozen=True, slots=True)
class Mark:
    """Any other phrase, by the tag of its word."""

    start: int
    end: int
    kind: str
    text: str
    sense: Sense | None = None


Phrase = Noun | Quantity | Verb | Per | Mark


class _Chunker:
    def __init__(self, tags: Sequence[Tagged]) -> None:
        self.tags = tags
        self.index = 0
        self.result: list[Phrase] = []
        self.relative = False

    def run(self) -> tuple[Phrase, ...]:
        while self.index < len(self.tags):
            phrase = self._next()
            self._complete_range(phrase)
            self.result.append(phrase)
            if isinstance(phrase, Mark):
                if phrase.kind == "rel":
                    self.relative = True
                elif phrase.kind in {"comma", "conj", "sub", "colon"}:
                    self.relative = False
        return tuple(self.result)

    def _complete_range(self, phrase: Phrase) -> None:
        """ "between 10 and 30 chairs": 10 counts chairs too."""
        last = self.result[-1] if self.result else None
        if isinstance(phrase, Quantity) and isinstance(last, Quantity) and last.opens_range:
            self.result[-1] = replace(
                last,
                role=phrase.role if last.role == "plain" else last.role,
                unit=phrase.unit,
                nouns=phrase.nouns,
                words=phrase.words,
                based=phrase.based,
                each=phrase.each,
            )

    def _tag(self, offset: int = 0) -> str:
        place = self.index + offset
        return self.tags[place].tag if 0 <= place < len(self.tags) else ""

    def _at(self, offset: int = 0) -> Tagged:
        return self.tags[self.index + offset]

    def _next(self) -> Phrase:
        tag = self._tag()
        if tag == "num" or (tag == "limit" and self._tag(1) == "num"):
            return self._quantity()
        if tag in {"det", "each"} and self._tag(1) in {"adv", "num", "limit"}:
            if self._tag(1) == "num" and tag == "det":
                self.index += 1
                return self._quantity()
            return self._mark()
        if tag in {"det", "each"} and self._tag(1) in {"noun", "det", "each"}:
            horizon = self._horizon()
            return horizon or self._noun()
        if tag == "noun":
            return self._noun()
        if tag == "per" and self._tag(1) in {"noun", "det", "each", "num"}:
            return self._per(1)
        if (
            (
                tag == "prep"
                and self._at().low in {"for", "in", "from", "on"}
                and self._tag(1) == "each"
            )
            and self._tag(2) in {"noun", "det"}
            and self._at(1).low in {"each", "every"}
        ):
            return self._per(1)
        if tag in {"verb", "modal", "be", "have", "neg", "to", "ger"}:
            return self._verb()
        return self._mark()

    def _mark(self) -> Mark:
        tagged = self._at()
        self.index += 1
        return Mark(tagged.start, tagged.end, tagged.tag, tagged.low, tagged.sense)

    def _horizon(self) -> Per | None:
        """ "a day", "each month" behind an amount or at the end of a clause."""
        if self._at().low not in {"a", "an", "each", "every"} or self._tag(1) != "noun":
            return None
        last = self.result[-1] if self.result else None
        if not isinstance(last, Quantity | Noun) and not (
            isinstance(last, Mark) and last.kind in {"avail", "part", "prep"}
        ):
            return None
        word = self._at(1).lemma
        if word not in lex.TIME_HORIZON or self._tag(2) == "noun":
            return None
        start, end = self._at().start, self._at(1).end
        words = (self._at(1).text,)
        self.index += 2
        return Per(start, end, (word,), words)

    def _per(self, skip: int) -> Per:
        start = self._at().start
        self.index += skip
        while self._tag() in {"det", "each", "num"} and self._tag(1) in {"noun", "num"}:
            if self._tag() == "num" and self._at().token.value != 1.0:
                break
            self.index += 1
        if self._tag() != "noun":
            return Per(start, self._at(-1).end, ())
        noun = self._noun()
        return Per(start, noun.end, noun.head + noun.of, noun.words, noun.tail)

    def _noun_run(self) -> list[Tagged]:
        run: list[Tagged] = []
        while self._tag() == "noun":
            run.append(self._at())
            self.index += 1
        return run

    def _of_follows(self) -> int:
        """Number of tags between here and the noun of an "of" phrase, 0 where none follows."""
        if self._tag() != "prep" or self._at().low != "of":
            return 0
        skip = 1
        while self._tag(skip) in {"det", "each"} and skip < 4:
            skip += 1
        return skip if self._tag(skip) == "noun" else 0

    def _noun(self) -> Noun:
        start = self._at().start
        determiner = ""
        while self._tag() in {"det", "each"}:
            determiner = self._at().low
            self.index += 1
        runs = [self._noun_run()]
        while skip := self._of_follows():
            if self._at(1).tag == "each" and not determiner:
                determiner = self._at(1).low
            self.index += skip
            runs.append(self._noun_run())
        end = self._at(-1).end
        prefix: list[str] = []
        counted, total = False, any(word.lemma == "total" for run in runs for word in run)
        while len(runs) > 1 and is_prefix(runs[0]):
            counted = counted or runs[0][-1].lemma in lex.COUNT_NOUNS
            prefix += [word.lemma for word in runs.pop(0)]
        words = tuple(word.text for run in runs for word in run)
        head = square(tuple(word.lemma for word in runs[0]))
        of = square(tuple(word.lemma for run in runs[1:] for word in run))
        tail = sum(len(run) for run in runs[1:])
        return Noun(start, end, head, of, determiner, counted, total, words, tuple(prefix), tail)

    def _quantity(self) -> Quantity:
        start = self._at().start
        sense = None
        opens_range = self._at().low == "between"
        if self._tag() == "limit":
            sense = self._at().sense
            self.index += 1
        number = self._at()
        self.index += 1
        based = each = False
        run = self._noun_run() if number.token.role not in {"percent", "fraction", "times"} else []
        unit, nouns = unit_of(run)
        words = [word.text for word in run]
        if skip := self._of_follows():
            each = self._tag(1) == "each" and self._at(1).low != "either"
            self.index += skip
            of = self._noun_run()
            while further := self._of_follows():
                self.index += further
                of += self._noun_run()
            of = without_prefix(of)
            based = True
            nouns += [word.lemma for word in of]
            words = [word.text for word in of]
        end = self._at(-1).end
        return Quantity(
            start,
            end,
            number.token.value or 0.0,
            number.token.role,
            number.text,
            unit,
            tuple(nouns),
            sense,
            tuple(words),
            based,
            each,
            number.start,
            number.end,
            opens_range,
        )

    def _verb(self) -> Verb:
        start = self._at().start
        chain: list[str] = []
        kind, negative, passive, modal = "finite", False, False, ""
        if self._tag() == "to":
            kind = "inf"
            self.index += 1
        elif self._tag() == "ger":
            kind = "ger"
        elif self.relative:
            kind = "rel"
            self.relative = False
        began = self.index
        while self.index < len(self.tags):
            tagged = self._at()
            if tagged.tag == "modal":
                if chain:
                    break
                modal = tagged.low
                negative = negative or tagged.low in {"cannot", "can't"}
            elif tagged.tag == "neg":
                negative = True
            elif tagged.tag == "adv":
                if self._tag(1) not in {"verb", "be", "have", "neg", "modal", "to"}:
                    break
            elif tagged.tag == "be":
                if chain and chain[-1] not in {"have", "to", "need"} and chain[-1] != "be":
                    break
                chain.append("be")
            elif tagged.tag == "have":
                if chain and chain[-1] not in {"to"}:
                    break
                chain.append("have")
            elif tagged.tag in {"verb", "ger"}:
                if chain and chain[-1] not in {"be", "have", "to", "do", "get"}:
                    break
                if tagged.form == "ing" and not chain and kind == "finite" and not modal:
                    kind = "part"
                passive = bool(chain) and chain[-1] == "be" and tagged.form in {"ed", "base"}
                chain.append(tagged.verb)
                negative = negative or tagged.low in {"doesn't", "don't"}
            elif tagged.tag == "to":
                if not chain or chain[-1] not in lex.CONTROL_VERBS | {"have", "be"}:
                    break
                chain.append("to")
            elif tagged.low == "able" and chain and chain[-1] == "be":
                chain.append("able")
                self.index += 1
                if self._tag() == "to":
                    chain.append("to")
                    self.index += 1
                continue
            else:
                break
            self.index += 1
        if self.index == began:
            self.index += 1
        end = self._at(-1).end
        while chain and chain[-1] == "to":
            chain.pop()
        main = [word for word in chain if word not in {"be", "have", "to", "do"}]
        last = main[-1] if main else (chain[-1] if chain else modal)
        return Verb(start, end, last, tuple(chain), kind, negative, passive, modal)


def chunk(tags: Sequence[Tagged]) -> tuple[Phrase, ...]:
    """Group the tagged words of a sentence into phrases."""
    return _Chunker(tags).run()
