"""Transport and assignment between two groups of named sites: facts from their sentences.

Every number must be the price (or time, …) of one pair, the supply or need of one site, or a
limit on one pair; every pair and site must get what the kind of problem needs. Anything else
is refused with its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from orkernel_offline.reading import Unreadable

from . import lexicon as lex
from .clause_view import money_kind
from .facts import Span
from .limits import AT_LEAST, AT_MOST, EXACTLY, Sense
from .morphology import verb_form
from .pairing import pair_up, single_up
from .site_items import Item, ItemReader
from .sites import Group, groups_of
from .tokens import Sentence
from .words import words

_SHIPPING = words("ship send transport deliver move haul supply distribute carry truck shipment")
_DUTY = words("must cannot can't should only never not no unless if may either or already")
_NOTED = words("demand need requirement supply capacity stock order")
_DONE = words("meet satisfy fulfil fulfill exceed cover serve")
_ODD_ROLES = {"percent", "fraction", "times"}


@dataclass(frozen=True, slots=True)
class SiteLimit:
    """What one site can give, or must get: ``sum sense value``."""

    group: int
    index: int
    sense: Sense
    value: float
    span: Span


@dataclass(frozen=True, slots=True)
class PairLimit:
    """So much between two sites: ``flow sense value``."""

    pair: tuple[int, int]
    sense: Sense
    value: float
    span: Span


@dataclass(slots=True)
class Network:
    """A transport or assignment problem.

    Attributes:
        groups: where from (or who) and where to (or what).
        cells: pair of member indices to (amount, span).
        kind: what the cells are: cost, profit, time, distance, or a noun.
        assignment: every amount is 0 or 1.
        assumed: texts of what had to be assumed, each with the rows that it adds.
    """

    groups: tuple[Group, Group]
    cells: dict[tuple[int, int], tuple[float, Span]] = field(default_factory=dict)
    heads: list[Span] = field(default_factory=list)
    kind: str = ""
    unit: str | None = None
    good: str = ""
    limits: list[SiteLimit] = field(default_factory=list)
    pair_limits: list[PairLimit] = field(default_factory=list)
    notes: list[Span] = field(default_factory=list)
    assignment: bool = False
    one_each: bool = False
    sense: str = ""
    goal: Span = (0, 0)

    @property
    def has_strict(self) -> bool:
        """Some limit says "less than" or "more than"."""
        senses = [limit.sense for limit in self.limits]
        senses += [limit.sense for limit in self.pair_limits]
        return any(sense.strict for sense in senses)


def refuse(reason: str, *spans: Span) -> Unreadable:
    return Unreadable(reason, spans)


def candidate_groups(sentences: Sequence[Sentence]) -> tuple[Group, Group] | None:
    """The two groups between which something moves, where from first; None for other problems."""
    lemmas = {(verb_form(t.low) or (t.lemma,))[0] for s in sentences for t in s.tokens}
    assigning = bool(lemmas & {"assign", "assignment"})
    if not assigning and not lemmas & _SHIPPING:
        return None
    groups = groups_of(sentences)
    if len(groups) < 2:
        return None
    reader = ItemReader(groups)
    rows = [reader.items(sentence) for sentence in sentences]
    joint: dict[tuple[int, int], int] = {}
    for row in rows:
        seen = sorted({item.group for item in row if item.kind in {"site", "all"}})
        for first in seen:
            for second in seen:
                if first < second:
                    joint[first, second] = joint.get((first, second), 0) + 1
    if not joint:
        return None
    first, second = max(joint, key=lambda pair: joint[pair])
    votes = {first: 0, second: 0}
    for row in rows:
        for item in row:
            if item.kind in {"site", "all"} and item.group in votes:
                votes[item.group] += (item.before == "from") - (item.before == "to")
    if assigning:
        return groups[first], groups[second]
    if votes[first] == votes[second]:
        return None
    if votes[first] < votes[second]:
        first, second = second, first
    return groups[first], groups[second]


class NetworkReader:
    """Reads the sentences of a transport or assignment problem."""

    def __init__(self, groups: tuple[Group, Group], assignment: bool) -> None:
        self.network = Network(groups, assignment=assignment)
        self.reader = ItemReader(groups)
        self.signature: tuple[str, str] | None = None
        self.periods: dict[str, Span] = {}
        self.named: set[str] = set()

    def sentence(self, sentence: Sentence, asks: bool) -> None:
        """Take the facts of one sentence; ``asks`` where it holds a goal or a question.

        Raises:
            Unreadable: a number or a duty in it is not accounted for.
        """
        items = self.reader.items(sentence)
        head, carried = "", None
        for segment in _segments(items):
            numbers = [item for item in segment if item.kind == "number"]
            own = next((i.word for i in segment if i.kind == "head" and i.word != "cost"), "")
            if any(i.role == "money" for i in numbers):
                own = "cost"
            head = own or head
            if self.network.assignment and self._duty(segment, sentence):
                continue
            loose = [n for n in numbers if n.role != "digit" or n.sense]
            if not loose:
                self._wordless(segment, asks, sentence)
                continue
            for number in loose:
                if number.role in _ODD_ROLES:
                    raise refuse("a share or multiple between sites is not read", number.span)
            span = (segment[0].span[0], segment[-1].span[1])
            sites = [item for item in segment if item.kind in {"site", "all"}]
            both = {item.group for item in sites} == {0, 1}
            paired = both or head == "cost" or any(n.role == "money" for n in loose)
            if paired:
                if not both and carried is not None and sites:
                    segment = [carried, *segment]
                self._pairs(segment, loose, span)
            else:
                self._site_limits(segment, loose, head, span)
            mains = [i for i in segment if i.kind == "site"]
            if mains:
                carried = mains[0]

    # -- pairs --------------------------------------------------------------------------

    def _pairs(self, segment: list[Item], numbers: list[Item], span: Span) -> None:
        priced = [n for n in numbers if n.sense is None]
        if len(priced) not in {0, len(numbers)}:
            raise refuse("cannot tell prices from limits here", span)
        found = pair_up(segment, [len(group.names) for group in self.network.groups])
        if found is None:
            raise refuse("cannot tell between which two sites each of these numbers holds", span)
        if priced:
            self._measure(segment, priced)
        for pair, number in found:
            if number.sense is None:
                self._cell(pair, number, span)
            elif number.role == "money" or self.network.assignment:
                raise refuse("a limit on a price between two sites is not read", span)
            else:
                limit = PairLimit(pair, number.sense, number.value, span)
                self.network.pair_limits.append(limit)
                self._named(number)

    def _cell(self, pair: tuple[int, int], number: Item, span: Span) -> None:
        known = self.network.cells.get(pair)
        if known is not None and known[0] != number.value:
            raise refuse("two different numbers for the same pair of sites", number.span, known[1])
        self.network.cells[pair] = (number.value, span)

    def _measure(self, segment: Sequence[Item], numbers: Sequence[Item]) -> None:
        signatures = {
            ("money", "") if number.role == "money" else ("plain", number.word)
            for number in numbers
        }
        signatures |= {self.signature} if self.signature is not None else set()
        if len(signatures) > 1:
            signatures -= {("plain", "")}
        if len(signatures) > 1:
            raise refuse("two kinds of numbers for one pair of sites", numbers[0].span)
        (self.signature,) = signatures
        said = money_kind(frozenset(_base(i.word) for i in segment if i.kind == "word"))
        costs = any(i.kind == "head" and i.word == "cost" for i in segment)
        kind = said or ("cost" if costs or self.signature == ("money", "") else "")
        self.set_kind(kind or self.signature[1], numbers[0].span)

    def set_kind(self, kind: str, span: Span) -> None:
        """Note what the numbers of the pairs are; they must all be the same."""
        if kind in lex.TIME_UNITS:
            self.network.unit, kind = kind, "time"
        elif kind in lex.LENGTH_UNITS:
            self.network.unit, kind = kind, "distance"
        if kind and self.network.kind and kind != self.network.kind:
            raise refuse("two kinds of numbers for one pair of sites", span)
        self.network.kind = kind or self.network.kind

    # -- sites --------------------------------------------------------------------------

    def _site_limits(self, segment: list[Item], numbers: list[Item], head: str, span: Span) -> None:
        groups = {item.group for item in segment if item.kind in {"site", "all"}}
        if not groups:
            raise refuse(
                "this number is tied to no site that is listed; list it or reword",
                numbers[0].span,
            )
        group = groups.pop()
        found = single_up(segment, len(self.network.groups[group].names))
        if found is None:
            raise refuse("cannot tell to which site each of these numbers belongs", span)
        for index, number in found:
            self._site_limit(group, index, number, head, span)
            self._named(number)

    def _site_limit(self, group: int, index: int, number: Item, head: str, span: Span) -> None:
        usual = {"supply": AT_MOST, "demand": AT_LEAST}.get(head)
        odd = head != ("supply", "demand")[group]
        sense = number.sense or (None if odd else usual)
        if sense is None:
            raise refuse(
                'cannot tell whether this is a supply or a need; say "at least" or "at most"', span
            )
        for other in self.network.limits:
            if (other.group, other.index, other.sense.op) == (group, index, sense.op):
                if other.value != number.value:
                    raise refuse("two different numbers for one site", other.span, span)
                return
        self.network.limits.append(SiteLimit(group, index, sense, number.value, span))

    def _named(self, number: Item) -> None:
        if number.word:
            self.named.add(number.word)
        if len(self.named) > 1:
            raise refuse(
                f"different goods or units: {' and '.join(sorted(self.named))}", number.span
            )
        self.network.good = next(iter(self.named), "")
        if number.period:
            self.periods[number.period] = number.span
        if len(self.periods) > 1:
            raise refuse("amounts of different periods need a conversion", *self.periods.values())

    # -- sentences without amounts ------------------------------------------------------

    def _duty(self, segment: list[Item], sentence: Sentence) -> bool:
        """ "each worker does exactly one job", "every job must be done"."""
        every = [i for i in segment if i.kind == "all" and i.each]
        ones = [i for i in segment if i.kind == "number" and i.value == 1]
        if len(every) != 1 or (len(ones) != 1 and any(i.kind == "number" for i in segment)):
            return False
        if not ones and not any(i.word in {"must", "have", "need"} for i in segment):
            return False
        sense = (ones[0].sense or EXACTLY) if ones else AT_LEAST
        span = (segment[0].span[0], segment[-1].span[1])
        if any(i.word in {"not", "cannot", "no", "or"} for i in segment if i.kind == "word"):
            raise refuse("what is ruled out between sites is not read", span)
        group = every[0].group
        for index in range(len(self.network.groups[group].names)):
            self.network.limits.append(SiteLimit(group, index, sense, 1.0, span))
        return True

    def _wordless(self, segment: list[Item], asks: bool, sentence: Sentence) -> None:
        said = {_base(item.word) for item in segment} | {
            item.word for item in segment if item.kind in {"head", "word"}
        }
        known = [item.span for item in segment if item.kind in {"site", "all"}]
        raw = {
            token.low
            for token in sentence.tokens
            if _within(token.start, segment) and not any(a <= token.start < b for a, b in known)
        }
        limits = [item for item in segment if item.kind == "limit"]
        if asks and not limits:
            return
        if not (limits or raw & _DUTY):
            return
        lemmas = {token.lemma for token in sentence.tokens if _within(token.start, segment)}
        noted = lemmas & _NOTED and (said | lemmas) & (_DONE | _NOTED)
        plain = not (raw & {"if", "unless", "either", "or", "already"})
        names = any(item.kind == "site" for item in segment)
        listing = {item.span for item in segment} & {g.span for g in self.network.groups}
        if listing and not limits and raw & _DUTY <= {"must", "may", "should"}:
            return
        span = (segment[0].span[0], segment[-1].span[1])
        if noted and plain and not names:
            self.network.notes.append(span)
            return
        raise refuse("this condition on the sites is not read", span)


def _within(start: int, segment: Sequence[Item]) -> bool:
    return segment[0].span[0] <= start <= segment[-1].span[1]


def _base(word: str) -> str:
    form = verb_form(word)
    return form[0] if form else word


def _segments(items: list[Item]) -> list[list[Item]]:
    """Cut a sentence where a new statement with its own head word and site begins."""
    cuts = [0]
    for place, item in enumerate(items):
        if item.kind != "break" or not any(i.kind == "number" for i in items[cuts[-1] : place]):
            continue
        ahead = items[place + 1 :]
        until = next((n for n, i in enumerate(ahead) if i.kind == "number"), len(ahead))
        kinds = [i.kind for i in ahead[:until]]
        restarts = bool(ahead) and ahead[0].kind == "word" and ahead[0].word in {"each", "every"}
        if restarts or ("head" in kinds and ("site" in kinds or "all" in kinds)):
            cuts.append(place)
    parts = [_trimmed(items[a:b]) for a, b in zip(cuts, [*cuts[1:], len(items)], strict=True)]
    return [part for part in parts if part]


def _trimmed(items: list[Item]) -> list[Item]:
    """Without the joints at both ends."""
    kept = [place for place, item in enumerate(items) if item.kind != "break"]
    return items[kept[0] : kept[-1] + 1] if kept else []


__all__ = ["Network", "NetworkReader", "PairLimit", "SiteLimit", "candidate_groups", "refuse"]
