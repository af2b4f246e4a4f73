"""Verbs, participles and nouns told apart by their form and their neighbours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import lexicon as lex
from .limits import NUMBER_PREFIXES, Sense
from .morphology import lemma, plural, verb_form
from .tokens import Token


@dataclass(frozen=True, slots=True)
class Tagged:
    """One tagged unit: a token, or several for a limit phrase."""

    tag: str
    text: str
    start: int
    end: int
    lemma: str
    token: Token
    sense: Sense | None = None
    verb: str = ""
    form: str = ""

    @property
    def low(self) -> str:
        return self.text.lower()


_MORE_WORDS = {"more": 1, "fewer": -1, "less": -1, "larger": 1, "greater": 1, "smaller": -1}
SIMPLE: dict[str, str] = {
    **dict.fromkeys(lex.SUBORDINATORS, "sub"),
    **dict.fromkeys(lex.ADVERBS, "adv"),
    **dict.fromkeys(lex.PREPOSITIONS, "prep"),
    **dict.fromkeys(lex.CONJUNCTIONS, "conj"),
    **dict.fromkeys(lex.DETERMINERS, "det"),
    **dict.fromkeys(lex.DISTRIBUTIVES, "each"),
    **dict.fromkeys(lex.PRONOUNS, "pron"),
    **dict.fromkeys(lex.MODALS, "modal"),
    **dict.fromkeys(lex.BE_FORMS, "be"),
    **dict.fromkeys(lex.HAVE_FORMS, "have"),
    **dict.fromkeys(lex.NEGATIONS, "neg"),
    **dict.fromkeys(_MORE_WORDS, "more"),
    "as": "as",
    "than": "than",
    "per": "per",
    "/": "per",
    ",": "comma",
    "many": "much",
    "much": "much",
    "how": "wh",
    "what": "wh",
    "why": "wh",
    "available": "avail",
    ":": "colon",
    "(": "open",
    ")": "close",
}


class WordClasses:
    """Decides the class of an open-class word; ``result`` holds the tags so far."""

    def __init__(self, tokens: Sequence[Token], labels: frozenset[str]) -> None:
        self.tokens = tokens
        self.labels = labels
        self.result: list[Tagged] = []

    def _token(self, index: int) -> Token | None:
        return self.tokens[index] if 0 <= index < len(self.tokens) else None

    def _low(self, index: int) -> str:
        token = self._token(index)
        return token.low if token else ""

    def _is_number(self, index: int) -> bool:
        token = self._token(index)
        return token is not None and token.kind == "number"

    def _previous(self, back: int = 1) -> str:
        return self.result[-back].tag if len(self.result) >= back else ""

    def _noun_follows(self, index: int) -> bool:
        token = self._token(index)
        if token is None or token.kind == "punct":
            return False
        if token.kind == "number":
            return True
        if token.text == "A" or (
            token.low == "can" and self._low(index - 1) in {"a", "each", "per"}
        ):
            return True
        if token.low in {"daily", "weekly", "monthly", "yearly", "same", "last", "next"}:
            return True
        return token.low not in SIMPLE and token.low not in {"to", "that", "which", "who"}

    def _bare_verb(self, index: int) -> bool:
        word = self._low(index)
        form = verb_form(word)
        return form is not None and form[1] == "base" and word not in lex.MOSTLY_NOUNS

    def _verb_or_noun(self, index: int, base: str, form: str) -> str:
        previous = self._previous()
        if previous == "adv" and len(self.result) > 1:
            previous = self._previous(2)
        if previous in {"to", "modal"} or (previous == "neg" and self._previous(2) != "be"):
            return "verb"
        if form in {"ed", "past"}:
            return self._participle(index, previous, form)
        if form == "ing":
            return self._ing(index, previous)
        return self._present(index, previous, base, form)

    def _complement_follows(self, index: int) -> bool:
        """A number, limit or determiner follows: what comes before can be its verb."""
        token = self._token(index)
        if token is None:
            return False
        if token.kind == "number" or token.low in NUMBER_PREFIXES or token.low in {"a", "A"}:
            return True
        if (token.low, self._low(index + 1)) in {("at", "least"), ("at", "most"), ("up", "to")}:
            return True
        if token.low in {"no", "not", "exactly", "between", "about", "only", "off", "from"}:
            return True
        return SIMPLE.get(token.low) in {"det", "each"}

    def _participle(self, index: int, previous: str, form: str) -> str:
        if previous in {"be", "have"} or (self.result and self.result[-1].verb == "get"):
            return "verb"
        if previous in {"rel", "pron"} and form in {"ed", "past"}:
            return "verb"
        following = verb_form(self._low(index + 1))
        if self._previous() == "noun" and following is not None and following[1] == "s":
            return "part"
        if self._previous() == "noun" and (
            self._low(index + 1) in {"to", "by", "for", "in", "at", "that", "as", "from", "on"}
            or not self._noun_follows(index + 1)
        ):
            return "part"
        if previous in {"noun"} and self._complement_follows(index + 1):
            return "verb" if form == "past" else "part"
        if previous in {"", "comma", "sub"} and not self._noun_follows(index + 1):
            return "part"
        if previous == "verb" and not self._noun_follows(index + 1):
            return "part"
        return "noun" if self._noun_follows(index + 1) else "part"

    def _ing(self, index: int, previous: str) -> str:
        low = self.tokens[index].low
        if previous == "be":
            return "verb"
        if previous in {"noun", "comma", "part", "close"} and self._complement_follows(index + 1):
            return "verb"
        if low in lex.MOSTLY_NOUNS or (previous == "prep" and self._low(index - 1) == "of"):
            return "noun"
        if previous in {"", "comma", "prep", "sub", "conj"}:
            follow = self._token(index + 1)
            if self._complement_follows(index + 1) or (previous == "prep" and follow is not None):
                after = self._noun_follows(index + 1)
                return "ger" if after or self._complement_follows(index + 1) else "noun"
        return "noun"

    def _present(self, index: int, previous: str, verb_base: str, form: str) -> str:
        low = self.tokens[index].low
        complement = self._complement_follows(index + 1)
        if self._low(index + 1) == "to" and verb_base in lex.CONTROL_VERBS:
            return "verb" if previous in {"noun", "pron", "rel", "conj"} else "noun"
        if form == "s":
            if previous in {"noun", "close", "rel", "part"} or self._previous() == "adv":
                if complement or self._previous() in {"adv", "part"}:
                    return "verb"
                if self._low(index + 1) == "for" and self._complement_follows(index + 2):
                    return "verb"
                if self._low(index + 1) in {"of", "per", "is", "are", "for", "to", "and", "/"}:
                    return "verb" if previous == "rel" else "noun"
                return self._unless_noun(low)
            particle = self._low(index + 1) in {"in", "up", "off", "out", "on", "for", "to", "at"}
            if particle and previous in {"conj", "comma"} and self._complement_follows(index + 2):
                return "verb"
            if previous in {"pron", "conj", "comma", "rel"}:
                if previous in {"conj", "comma"} and not complement and low in lex.MOSTLY_NOUNS:
                    return "noun"
                is_bare = previous in {"conj", "comma"} and not (
                    complement or self._noun_follows(index + 1)
                )
                return "noun" if is_bare else "verb"
            return "noun"
        if previous in {"pron", "rel"}:
            return "verb"
        if previous == "noun":
            before = self.result[-1]
            if self._low(index + 1) in {"him", "her", "them", "it", "us"}:
                return "verb"
            subject = plural(before.text) or before.text.isdigit() or len(before.text) == 1
            if complement and (subject or self._conjoined_subject()):
                return "verb"
            if subject and low not in lex.MOSTLY_NOUNS and self._noun_follows(index + 1):
                return "verb"
            return "noun"
        if previous in {"", "conj", "comma", "sub"}:
            if complement:
                return "verb"
            goal = low in {"maximize", "minimize", "maximise", "minimise", "find", "determine"}
            return "verb" if goal or low in {"formulate", "reduce", "help"} else "noun"
        return "noun"

    def _unless_noun(self, low: str) -> str:
        if low in lex.MOSTLY_NOUNS or lemma(low) in lex.MONEY_KINDS:
            return "noun"
        return "verb"

    def _conjoined_subject(self) -> bool:
        """ "Fertilizer C and Y cost": a coordinated subject takes a plural verb."""
        tags = [tagged.tag for tagged in self.result[-4:]]
        return "conj" in tags and "num" not in tags
