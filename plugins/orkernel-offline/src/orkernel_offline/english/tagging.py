"""Part-of-speech tags by word class and immediate neighbours.

The tag set is small and serves the chunker: noun (also adjectives), verb, part (participle
behind its noun), ger (gerund), to, modal, be, have, neg, num, limit, prep, per, conj, comma,
sub, rel, wh, det, each, pron, adv, as, than, much, more, avail, mark.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import lexicon as lex
from .limits import AT_LEAST, AT_MOST, BEFORE_NUMBERS_ONLY, LONGEST, NUMBER_PREFIXES, PHRASES, Sense
from .morphology import plural, verb_form
from .tokens import Token
from .word_classes import SIMPLE, Tagged, WordClasses
from .words import words

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
        if {1.0, 2.0} <= values and noun not in SIMPLE and noun not in NUMBER_PREFIXES
    )


def _ends_name(token: Token | None) -> bool:
    """The word behind a number cannot be what the number counts."""
    if token is None or token.kind == "punct" or token.low in SIMPLE:
        return True
    form = verb_form(token.low)
    return form is not None and form[1] == "s" and token.low not in lex.MOSTLY_NOUNS


def _is_plain_integer(token: Token) -> bool:
    return token.kind == "number" and token.role == "plain" and token.text.isdigit()


class _Tagger(WordClasses):
    def run(self) -> tuple[Tagged, ...]:
        index = 0
        while index < len(self.tokens):
            used = self._limit(index)
            if not used:
                self.result.append(self._single(index))
                used = 1
            index += used
        return tuple(self.result)

    def _range(self, index: int) -> bool:
        """ "between 10 and 30": "between" is a lower limit, its "and" an upper one."""
        start = index if self._low(index) == "between" else index - 2
        return (
            self._low(start) == "between"
            and self._is_number(start + 1)
            and self._low(start + 2) == "and"
            and self._is_number(start + 3)
        )

    def _limit(self, index: int) -> int:
        if self._low(index) in {"between", "and"} and self._range(index):
            lower = self._low(index) == "between"
            self._emit_limit(index, 1, AT_LEAST if lower else AT_MOST)
            return 1
        for size in range(min(LONGEST, len(self.tokens) - index), 0, -1):
            words = tuple(token.low for token in self.tokens[index : index + size])
            sense = PHRASES.get(words)
            if sense is None:
                continue
            if words in BEFORE_NUMBERS_ONLY and not self._is_number(index + size):
                continue
            if words in {("below",), ("above",)} and not self._noun_follows(index + 1):
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
        simple = SIMPLE.get(word)
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

    def _infinitive_follows(self, index: int) -> bool:
        word = self._low(index)
        if word in {"be", "have"}:
            return True
        if SIMPLE.get(word) == "adv":
            return self._infinitive_follows(index + 1)
        form = verb_form(word)
        if form is None or form[1] != "base":
            return False
        if word in lex.MOSTLY_NOUNS:
            follow = self._token(index + 1)
            return follow is not None and (
                follow.kind == "number"
                or SIMPLE.get(follow.low) in {"det", "each", "prep", "more"}
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


def tag(tokens: Sequence[Token], labels: frozenset[str]) -> tuple[Tagged, ...]:
    """Tag the tokens of one sentence; ``labels`` comes from :func:`label_nouns`."""
    return _Tagger(tokens, labels).run()


__all__ = ["Tagged", "label_nouns", "tag"]
