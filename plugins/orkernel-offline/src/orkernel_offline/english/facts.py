"""Facts: what a statement says, before and after its words are tied to things.

Observations are facts in words (lemmas, offsets); facts are the same tied to activities and
measures. An *activity* is a thing whose amount is to be decided; a *measure* is what each
unit of an activity uses, gives, costs or earns.
"""

from __future__ import annotations

from dataclasses import dataclass

from .lexicon import PERIODS
from .limits import Sense
from .phrases import Quantity

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mention:
    """A noun phrase that may name an activity.

    Attributes:
        role: where it stands.
        tail: number of ``words`` that stand behind "of".
    """

    lemmas: frozenset[str]
    words: tuple[str, ...]
    span: Span
    role: str
    determiner: str = ""
    tail: int = 0


@dataclass(frozen=True, slots=True)
class Amount:
    """A number without a limit phrase: so much of something, per something, in a clause.

    Attributes:
        nouns: lemmas of what is measured.
        soft: lemmas that only describe it ("to make", "for the store").
        money: kind of money (profit, cost, revenue, earn, …), or "".
        verb: the verb that ties the amount to its subject.
        mentions: phrases that may name the activity.
        sense: what the clause says about it if it is no per-unit amount: "<=" or "have"
            (available), ">=" or "need" (needed), or "" (neither).
        head: the head row of the table that it stands in, or None.
    """

    quantity: Quantity
    nouns: frozenset[str]
    soft: frozenset[str]
    money: str
    verb: str
    mentions: tuple[Mention, ...]
    clause: int
    span: Span
    sense: str = ""
    respectively: int | None = None
    head: Span | None = None

    @property
    def periods(self) -> frozenset[str]:
        """The periods that it is stated per: day, week, …"""
        found = {word for m in self.mentions if m.role == "per" for word in m.lemmas}
        return frozenset(found & PERIODS)

    @property
    def unit(self) -> str | None:
        return self.quantity.unit


@dataclass(frozen=True, slots=True)
class LimitWords:
    """A number with a limit phrase, and the phrases around it that may name its target.

    Attributes:
        joined: what is listed behind its "of": the rope in "one of the stove and the rope".
    """

    quantity: Quantity
    sense: Sense
    nouns: frozenset[str]
    money: str
    verb: str
    subject: tuple[Mention, ...]
    others: tuple[Mention, ...]
    each: bool
    total: bool
    clause: int
    span: Span
    periods: frozenset[str] = frozenset()
    joined: tuple[Mention, ...] = ()


@dataclass(frozen=True, slots=True)
class ComparisonWords:
    """Two things compared: ``first sense factor * second + offset``."""

    sense: Sense
    factor: float
    quantity: Quantity | None
    mentions: tuple[Mention, ...]
    clause: int
    span: Span
    preference: bool = False
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class ShareWords:
    """A share of a whole: "at least 60% of the trips should be by canoe".

    Attributes:
        content: lemmas of what follows the number at once ("40% copper").
    """

    sense: Sense
    quantity: Quantity
    base: frozenset[str]
    mentions: tuple[Mention, ...]
    clause: int
    span: Span
    content: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class GoalWords:
    """What to maximize or minimize; ``sense`` is "" for a figure that is only asked for.

    Attributes:
        actions: verbs and participles of the phrase ("received", "needed").
        total: the phrase says "total" or "number of".
    """

    sense: str
    nouns: frozenset[str]
    actions: frozenset[str]
    mentions: tuple[Mention, ...]
    clause: int
    span: Span
    total: bool = False


@dataclass(frozen=True, slots=True)
class Activity:
    """A thing to decide on.

    Attributes:
        name: how the statement calls it.
        core: lemmas that only this activity has.
        full: all lemmas of its name.
        span: where it is first named.
    """

    name: str
    core: frozenset[str]
    full: frozenset[str]
    span: Span


@dataclass(frozen=True, slots=True)
class Measure:
    """What activities use or give: its words, unit and kind of money.

    Attributes:
        cells: activity index to (amount, spans of the number and of its phrase).
        heads: head rows of the tables that the amounts stand in.
    """

    name: str
    nouns: frozenset[str]
    soft: frozenset[str]
    unit: str | None
    money: str
    verbs: frozenset[str]
    percent: bool
    cells: dict[int, tuple[float, Span, str]]
    heads: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """What a limit or goal is about: a measure, the total, or single activities."""

    kind: str
    index: int = -1
    members: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Limit:
    """``target sense value``."""

    target: Target
    sense: Sense
    value: float
    scale: float
    quantity: Quantity
    span: Span
    role: str


@dataclass(frozen=True, slots=True)
class Relation:
    """``first sense factor * second + offset``; a share is a relation to the total."""

    first: Target
    second: Target
    sense: Sense
    factor: float
    quantity: Quantity | None
    span: Span
    preference: bool = False
    offset: float = 0.0


@dataclass(frozen=True, slots=True)
class Goal:
    """Maximize or minimize the target; ``less`` is subtracted (revenue less cost)."""

    sense: str
    target: Target
    span: Span
    words: tuple[str, ...]
    less: Target | None = None


@dataclass(slots=True)
class Facts:
    """Everything read from a statement.

    Attributes:
        unit: what the amounts to decide on are counted in, where it is a unit.
        classes: what tables call the things to decide on ("food").
        selection: where it asks which things to take, each once or not at all.
    """

    activities: tuple[Activity, ...]
    measures: tuple[Measure, ...]
    limits: list[Limit]
    relations: list[Relation]
    goal: Goal
    results: list[Goal]
    basis: frozenset[str]
    divisible: bool
    stated_whole: bool | None
    assumptions: list[tuple[str, tuple[str, ...]]]
    announced: tuple[Span, ...] = ()
    selection: Span | None = None
    classes: tuple[str, ...] = ()
    unit: str | None = None
