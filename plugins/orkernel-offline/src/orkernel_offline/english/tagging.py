"""Part-of-speech tags by word class and immediate neighbours.

The tag set is small and serves the chunker: noun (also adjectives), verb, part (participle
behind its noun), ger (gerund), to, modal, be, have, neg, num, limit, prep, per, conj, comma,
sub, rel, wh, det, each, pron, adv, as, than, much, more, avail, mark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from . import lexicon as lex
from .limits import BEFORE_NUMBERS_ONLY, LONGEST, NUMBER_PREFIXES, PHRASES, Sense
from .morphology import lemma, plural, verb_form
from .tokens import Token
from .words import words


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
_SIMPLE: dict[str, str] = {
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
_PARENTHETIC = words("however therefore thus hence though conversely instead")


def label_nouns(tokens: Sequence[Token]) -> frozenset[str]:
    """Nouns that the statement numbers ("machine 1", "machine 2"), as lemmas."""
    seen: dict[str, set[float]] = {}
    ends = [*tokens[2:], None]
    for before, number, after in zip(tokens, tokens[1:], ends, strict=False):
        if before.kind != "word" or not _is_plain_integer(number):
            continue
        form = verb_form(before.low)
        if form is None or (form[1] == "base" and _ends_name(after)):
            seen.setdefault(before.lemma, set()).add(number.value or 0.0)
    return frozenset(
        noun
        for noun, values in seen.items()
        if {1.0, 2.0} <= values and noun not in _SIMPLE and noun not in NUMBER_PREFIXES
    )


def _ends_name(token: Token | None) -> bool:
    """The word behind a number cannot be what the number counts."""
    if token is None or token.kind == "punct" or token.low in _SIMPLE:
        return True
    form = verb_form(token.low)
    return form is not None and form[1] == "s" and token.low not in lex.MOSTLY_NOUNS


def _is_plain_integer(token: Token) -> bool:
    return token.kind == "number" and token.role == "plain" and token.text.isdigit()


class _Tagger:
    def __init__(self, tokens: Sequence[Token], labels: frozenset[str]) -> None:
        self.tokens = tokens
        self.labels = labels
        self.result: list[Tagged] = []

    def run(self) -> tuple[Tagged, ...]:
        index = 0
        while index < len(self.tokens):
            used = self._limit(index)
            if not used:
                self.result.append(self._single(index))
                used = 1
            index += used
        return tuple(self.result)

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

    def _limit(self, index: int) -> int:
        for size in range(min(LONGEST, len(self.tokens) - index), 0, -1):
            words = tuple(token.low for token in self.tokens[index : index + size])
            sense = PHRASES.get(words)
            if sense is None:
                continue
            if words in BEFORE_NUMBERS_ONLY and not self._is_number(index + size):
                continue
            if words == ("up", "to") and self._particle_verb():
                continue
            self._emit_limit(index, size, sense)
            return size
        sense = NUMBER_PREFIXES.get(self._low(index))
        if sense is not None and self._is_number(index + 1):
            self._emit_limit(index, 1, sense)
            return 1
        return 0

    def _particle_verb(self) -> bool:
        """ "hooked up to two machines": "up" belongs to the verb."""
        return bool(self.result) and self.result[-1].verb in lex.UP_VERBS

    def _emit_limit(self, index: int, size: int, sense: Sense) -> None:
        first, last = self.tokens[index], self.tokens[index + size - 1]
        text = " ".join(token.low for token in self.tokens[index : index + size])
        self.result.append(Tagged("limit", text, first.start, last.end, text, first, sense))

    def _make(self, index: int, tag: str, verb: str = "", form: str = "") -> Tagged:
        token = self.tokens[index]
        return Tagged(tag, token.text, token.start, token.end, token.lemma, token, None, verb, form)

    def _single(self, index: int) -> Tagged:
        token = self.tokens[index]
        if token.kind == "number":
            return self._number(index)
        word = token.low
        if word == "to":
            return self._make(index, "to" if self._infinitive_follows(index + 1) else "prep")
        if word == "that":
            return self._make(index, self._that(index))
        if word == "whom":
            return self._make(index, "pron")
        if word in {"which", "who", "where"}:
            return self._make(index, "rel" if self.result else "wh")
        if token.text == "A" and (self.result or self._low(index + 1) in {"and", "or"}):
            return self._make(index, "noun")
        if word in {"over", "under"} or (word == "above" and not self.result):
            return self._make(index, "prep")
        if word == "each" and not self._noun_follows(index + 1):
            return self._make(index, "adv" if self._previous() == "num" else "pron")
        if word in {"daily", "weekly", "monthly", "yearly"} and self._noun_follows(index + 1):
            return self._make(index, "noun")
        alone = word in {"both", "all"} or (word == "each" and self._previous() in {"noun", "pron"})
        if alone and self._bare_verb(index + 1):
            return self._make(index, "pron")
        if word in {"both", "all", "another", "other", "such", "same", "any", "some"} or (
            word in lex.DETERMINERS and not self._noun_follows(index + 1)
        ):
            return self._make(index, "det" if self._noun_follows(index + 1) else "pron")
        if word == "one":
            return self._make(index, "det" if self._noun_follows(index + 1) else "pron")
        if word in {"order", "addition"} and self._low(index - 1) == "in":
            return self._make(index, "adv")
        if word == "can" and self._previous() in {"det", "each", "num", "per"}:
            return self._make(index, "noun")
        if word == "get" and (verb_form(self._low(index + 1)) or ("", ""))[1] == "ed":
            return self._make(index, "verb", "get", "base")
        simple = _SIMPLE.get(word)
        if word in _PARENTHETIC and self._previous() not in {"", "comma", "conj"}:
            simple = "adv"
        if simple == "per" and word == "/" and self._previous() not in {"noun", "num"}:
            return self._make(index, "mark")
        if simple is not None:
            return self._make(index, simple)
        if token.kind == "punct":
            return self._make(index, "mark")
        return self._open_class(index)

    def _number(self, index: int) -> Tagged:
        token = self.tokens[index]
        if token.role == "digit" and self._previous() != "limit":
            follows = self._noun_follows(index + 1)
            return self._make(index, "det" if follows else "pron")
        before = self.result[-1] if self.result else None
        if _is_plain_integer(token) and before is not None:
            if before.tag == "noun" and before.lemma in self.labels:
                return self._make(index, "noun")
            listed = before.tag in {"conj", "comma"} and len(self.result) > 2
            listed = listed and not self._noun_follows(index + 1)
            if listed and self.result[-2].text.isdigit() and self.result[-2].tag == "noun":
                return self._make(index, "noun")
        return self._make(index, "num")

    def _that(self, index: int) -> str:
        previous = self._previous()
        if previous in {"noun", "pron", "avail"} and self._low(index + 1) not in {"the", "a"}:
            return "rel"
        if previous == "prep":
            return "pron"
        return "sub"

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
        return token.low not in _SIMPLE and token.low not in {"to", "that", "which", "who"}

    def _bare_verb(self, index: int) -> bool:
        word = self._low(index)
        form = verb_form(word)
        return form is not None and form[1] == "base" and word not in lex.MOSTLY_NOUNS

    def _infinitive_follows(self, index: int) -> bool:
        word = self._low(index)
        if word in {"be", "have"}:
            return True
        if _SIMPLE.get(word) == "adv":
            return self._infinitive_follows(index + 1)
        form = verb_form(word)
        if form is None or form[1] != "base":
            return False
        if word in lex.MOSTLY_NOUNS:
            follow = self._token(index + 1)
            return follow is not None and (
                follow.kind == "number"
                or _SIMPLE.get(follow.low) in {"det", "each", "prep", "more"}
                or plural(follow.text)
            )
        return True

    def _open_class(self, index: int) -> Tagged:
        token = self.tokens[index]
        found = verb_form(token.low)
        named = token.lemma in self.labels and self._is_number(index + 1)
        if named or (token.lemma in self.labels and found is None):
            return self._make(index, "noun")
        if token.low in lex.GOAL_VERBS:
            return self._make(index, "verb", token.low, "base")
        if found is None:
            if self._previous() == "modal" or (
                self._previous() in {"adv", "neg"} and self._previous(2) == "modal"
            ):
                return self._make(index, "verb", token.low, "base")
            if self._unknown_verb(index):
                return self._make(index, "verb", token.lemma, "s")
            return self._make(index, "noun")
        base, form = found
        tag = self._verb_or_noun(index, base, form)
        return self._make(index, tag, base if tag in {"verb", "part", "ger"} else "", form)

    def _unknown_verb(self, index: int) -> bool:
        """ "each gadget zorps 5 litres", "… and zorps 5 litres": an unlisted verb."""
        token = self.tokens[index]
        if token.low.endswith("ss") or not plural(token.text) or not self._is_number(index + 1):
            return False
        if self._previous() == "conj":
            return any(tagged.tag == "verb" for tagged in self.result)
        before = self.result[-1] if self.result else None
        if before is None or before.tag != "noun" or plural(before.text):
            return False
        return all(tagged.tag != "verb" for tagged in self.result[-6:])

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
        return _SIMPLE.get(token.low) in {"det", "each"}

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


def tag(tokens: Sequence[Token], labels: frozenset[str]) -> tuple[Tagged, ...]:
    """Tag the tokens of one sentence; ``labels`` comes from :func:`label_nouns`."""
    return _Tagger(tokens, labels).run()
