"""Sentences about named sites as rows of items: sites, whole classes, numbers and head words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from . import lexicon as lex
from .facts import Span
from .limits import BEFORE_NUMBERS_ONLY, LONGEST, NUMBER_PREFIXES, PHRASES, Sense
from .morphology import plural, verb_form
from .sites import MAX_NAME_WORDS, Group, key
from .tokens import Sentence, Token
from .words import words

SUPPLY = words(
    "have has hold stock store supply supplies produce make capacity available availability "
    "inventory output own offer surplus provide"
)
DEMAND = words("need require demand want order requirement receive take must_receive")
COST = words("cost price charge freight pay fee rate")
_SUPPLY_VERBS = words("ship send deliver dispatch")
_BREAKS = words("and while whereas but") | {",", ";", ":"}
_ALL = words("each every all both any either")
_PERIOD_ADVERBS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in a sentence about sites.

    Attributes:
        kind: ``site``, ``all`` (a class as a whole), ``number``, ``head`` (supply, demand or
            cost), ``break`` or ``word``.
        group: index of the group of a site or class.
        index: index of the site within its group.
        word: the lemma; of a number, what it counts; of a head, which of the three it is.
        each: "each warehouse", or the number is followed by "each".
        before: the preposition in front of a site or class.
    """

    kind: str
    span: Span
    word: str = ""
    group: int = -1
    index: int = -1
    value: float = 0.0
    role: str = ""
    sense: Sense | None = None
    each: bool = False
    before: str = ""
    period: str = ""


class ItemReader:
    """Turns sentences into items, given the groups of sites."""

    def __init__(self, groups: Sequence[Group]) -> None:
        self.groups = groups
        self.nouns = {group.noun: number for number, group in enumerate(groups)}

    def items(self, sentence: Sentence) -> list[Item]:
        """The items of one sentence, in order."""
        tokens = sentence.tokens
        found: list[Item] = []
        index = 0
        while index < len(tokens):
            item, used = self._at(tokens, index)
            found.append(item)
            index += used
        return _with_prepositions(found)

    def _at(self, tokens: Sequence[Token], index: int) -> tuple[Item, int]:
        token = tokens[index]
        for number, group in enumerate(self.groups):
            if group.span[0] == token.start:
                used = sum(t.end <= group.span[1] for t in tokens[index:])
                return Item("all", group.span, group.noun, number), used
        site = self._site(tokens, index)
        if site is not None:
            return site
        span = (token.start, token.end)
        if token.kind == "number":
            return self._number(tokens, index), 1
        limit = _limit_at(tokens, index)
        if limit:
            end = tokens[index + limit - 1].end
            text = " ".join(t.low for t in tokens[index : index + limit])
            return Item("limit", (token.start, end), text, sense=PHRASES[tuple(text.split())]), (
                limit
            )
        if token.lemma in self.nouns and token.kind == "word":
            earlier = {t.low for t in tokens[max(index - 3, 0) : index]}
            each = bool(earlier & _ALL)
            return Item("all", span, token.lemma, self.nouns[token.lemma], each=each), 1
        return self._word(tokens, index, span)

    def _word(self, tokens: Sequence[Token], index: int, span: Span) -> tuple[Item, int]:
        token = tokens[index]
        if token.low in _BREAKS:
            return Item("break", span, token.low), 1
        form = verb_form(token.low)
        base = form[0] if form else token.lemma
        previous = tokens[index - 1].low if index else ""
        if previous == "to" and base not in COST:
            return Item("word", span, base), 1
        for kind, vocabulary in (("supply", SUPPLY), ("demand", DEMAND), ("cost", COST)):
            if base in vocabulary or token.lemma in vocabulary:
                return Item("head", span, kind), 1
        modal = {t.low for t in tokens[max(index - 2, 0) : index]} & lex.MODALS
        if base in _SUPPLY_VERBS and modal:
            return Item("head", span, "supply"), 1
        return Item("word", span, token.low if token.kind == "punct" else base), 1

    def _site(self, tokens: Sequence[Token], index: int) -> tuple[Item, int] | None:
        for size in range(min(MAX_NAME_WORDS + 1, len(tokens) - index), 0, -1):
            lemmas = tuple(key(t) for t in tokens[index : index + size])
            for number, group in enumerate(self.groups):
                member = group.find(lemmas)
                if member is None or lemmas[0] == "the" or _is_article(tokens, index, size):
                    continue
                if size == 1 and tokens[index].kind == "number":
                    continue
                span = (tokens[index].start, tokens[index + size - 1].end)
                follow = tokens[index + size] if index + size < len(tokens) else None
                named = follow is not None and follow.lemma == group.noun
                used = size + (named and follow is not None and not plural(follow.text))
                return Item("site", span, " ".join(lemmas), number, member), used
        return None

    def _number(self, tokens: Sequence[Token], index: int) -> Item:
        token = tokens[index]
        sense: Sense | None = None
        start = token.start
        for size in range(min(LONGEST, index), 0, -1):
            words_ = tuple(t.low for t in tokens[index - size : index])
            if words_ in PHRASES:
                sense, start = PHRASES[words_], tokens[index - size].start
                break
        if sense is None and index and tokens[index - 1].low in NUMBER_PREFIXES:
            sense = NUMBER_PREFIXES[tokens[index - 1].low]
        noun = ""
        follow = tokens[index + 1] if index + 1 < len(tokens) else None
        if follow is not None and _counts(follow) and follow.lemma not in self.nouns:
            noun = follow.lemma
        tail = tokens[index + 1 : index + 4]
        each = any(t.low == "each" for t in tail[:2])
        period = next((t.lemma for t in tail if t.lemma in lex.PERIODS), "")
        adverb = next((t.low for t in tail if t.low in _PERIOD_ADVERBS), "")
        return Item(
            "number",
            (token.start, token.end),
            noun,
            value=token.value or 0.0,
            role=token.role,
            sense=sense,
            each=each,
            period=period or _PERIOD_ADVERBS.get(adverb, ""),
            before=str(start),
        )


def _limit_at(tokens: Sequence[Token], index: int) -> int:
    for size in range(min(LONGEST, len(tokens) - index), 0, -1):
        phrase = tuple(t.low for t in tokens[index : index + size])
        follows = tokens[index + size] if index + size < len(tokens) else None
        numbered = follows is not None and follows.kind == "number"
        if phrase in PHRASES and (numbered or phrase not in BEFORE_NUMBERS_ONLY):
            return size
    return 0


def _counts(token: Token) -> bool:
    """The word behind a number can be what it counts."""
    if token.kind != "word" or token.low in lex.PREPOSITIONS | lex.CONJUNCTIONS | lex.ADVERBS:
        return False
    if token.low in lex.MODALS | lex.BE_FORMS | lex.HAVE_FORMS | lex.RELATIVES | lex.SUBORDINATORS:
        return False
    if token.low in {"per", "to", "each", "every", "available", "more", "or"}:
        return False
    form = verb_form(token.low)
    return form is None or form[1] in {"s", "base"} or token.low in lex.MOSTLY_NOUNS


def _is_article(tokens: Sequence[Token], index: int, size: int) -> bool:
    """ "A company ships …": the first word of a sentence is no site called A."""
    if size != 1 or index or tokens[0].text != "A":
        return False
    if len(tokens) > 1 and tokens[1].low in {",", "and"}:
        return False
    form = verb_form(tokens[1].low) if len(tokens) > 1 else None
    return form is None or form[1] == "base"


def _with_prepositions(items: list[Item]) -> list[Item]:
    """Note the preposition in front of sites and classes; join a class noun to its site."""
    result: list[Item] = []
    preposition = ""
    for place, item in enumerate(items):
        if item.kind == "word" and item.word in lex.PREPOSITIONS | {"to"}:
            preposition = item.word
        elif item.kind in {"number", "head"}:
            preposition = ""
        elif item.kind in {"site", "all"}:
            follows = items[place + 1] if place + 1 < len(items) else None
            if (
                item.kind == "all"
                and follows is not None
                and follows.kind == "site"
                and follows.group == item.group
            ):
                continue
            item = replace(item, before=preposition)
        result.append(item)
    return result
