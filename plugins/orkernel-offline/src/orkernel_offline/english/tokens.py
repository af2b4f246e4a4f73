"""Tokens of a statement with their offsets, and its sentences.

Numbers are recognised here in every spelling that people use: ``1,200``, ``$3.50``, ``5 %``,
``twenty-five``, ``2 million``, ``a third``, ``half``, ``twice``, ``3 times``, ``a dozen``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from .morphology import lemma
from .words import words

MAX_CHARACTERS = 20_000
MAX_SENTENCE_TOKENS = 250
MAX_NUMBERS = 250

_PIECE = re.compile(
    r"(?P<number>(?:\d{1,3}(?:,\d{3})+(?!\d)|\d+)(?:\.\d+)?|\.\d+)"
    r"|(?P<word>[^\W\d_]\w*(?:[-'’][^\W_]\w*)*)"
    r"|(?P<punct>[^\w\s]|_)"
)
_ONE_WORDS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
_ONES = {word: value for value, word in enumerate(_ONE_WORDS.split())}
_TEN_WORDS = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: 10 * value for value, word in enumerate(_TEN_WORDS.split(), start=2)}
_SCALES = {"hundred": 100, "thousand": 1000, "million": 10**6, "billion": 10**9, "dozen": 12}
_PARTS = {
    "half": 2,
    "third": 3,
    "quarter": 4,
    "fourth": 4,
    "fifth": 5,
    "sixth": 6,
    "seventh": 7,
    "eighth": 8,
    "ninth": 9,
    "tenth": 10,
}
_MULTIPLES = {"twice": 2.0, "thrice": 3.0, "double": 2.0, "triple": 3.0, "quadruple": 4.0}
_TIMES_OF = frozenset({"the", "as", "that", "of"})
_CURRENCY = {"$": "dollar", "€": "euro", "£": "pound", "¥": "yen"}
_CURRENCY_WORDS = words("dollar euro usd")
_ABBREVIATIONS = words("sq ft st mr mrs ms dr no vs etc oz lb lbs hr hrs min e.g i.e")


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or mark; ``start`` and ``end`` are offsets in the statement.

    Attributes:
        kind: ``word``, ``number`` or ``punct``.
        value: the number, as written (5 for ``5 %``).
        role: for a number: ``plain``, ``money``, ``percent``, ``fraction`` (a third, half),
            ``times`` (twice, 3 times) or ``digit`` (the words "one" and "a" before a noun).
    """

    text: str
    start: int
    end: int
    kind: str
    value: float | None = None
    role: str = "plain"

    @property
    def low(self) -> str:
        return self.text.lower()

    @property
    def lemma(self) -> str:
        return lemma(self.text)


@dataclass(frozen=True, slots=True)
class Sentence:
    tokens: tuple[Token, ...]
    start: int
    end: int


def tokenize(text: str) -> list[Token]:
    """Return the tokens of ``text``, spelled-out numbers merged into number tokens."""
    pieces = [
        Token(
            match.group(),
            match.start(),
            match.end(),
            str(match.lastgroup),
            _digits(match.group()) if match.lastgroup == "number" else None,
        )
        for match in _PIECE.finditer(text)
    ]
    return _merge(_split_hyphenated_numbers(pieces), text)


def sentences(tokens: list[Token], text: str) -> list[Sentence]:
    """Split at full stops, question marks, exclamation marks, semicolons and blank lines."""
    result: list[Sentence] = []
    current: list[Token] = []
    for index, token in enumerate(tokens):
        following = tokens[index + 1] if index + 1 < len(tokens) else None
        if current and "\n\n" in text[current[-1].end : token.start]:
            _flush(current, result)
        if token.kind == "punct" and token.text in ".?!;" and _ends_sentence(tokens, index):
            _flush(current, result)
            continue
        if token.text != "." or token.kind != "punct":
            current.append(token)
        if following is None:
            _flush(current, result)
    return result


def _flush(current: list[Token], result: list[Sentence]) -> None:
    if current:
        result.append(Sentence(tuple(current), current[0].start, current[-1].end))
        current.clear()


def _ends_sentence(tokens: list[Token], index: int) -> bool:
    if tokens[index].text != "." or index == 0 or index + 1 == len(tokens):
        return True
    before, after = tokens[index - 1], tokens[index + 1]
    if after.start == tokens[index].end and after.kind != "punct":
        return False
    if before.low in _ABBREVIATIONS and before.end == tokens[index].start:
        return after.text[:1].isupper()
    return True


def _digits(text: str) -> float:
    return float(text.replace(",", ""))


def _split_hyphenated_numbers(tokens: list[Token]) -> list[Token]:
    """Split "twenty-five" and "two-thirds"; words such as "two-seater" stay whole."""
    result: list[Token] = []
    for token in tokens:
        parts = token.low.split("-")
        if (
            token.kind == "word"
            and len(parts) > 1
            and all(_is_number_word(p) or p.removesuffix("s") in _PARTS for p in parts)
        ):
            position = token.start
            for part in parts:
                text = token.text[position - token.start : position - token.start + len(part)]
                result.append(Token(text, position, position + len(part), "word"))
                position += len(part) + 1
        else:
            result.append(token)
    return result


def _is_number_word(word: str) -> bool:
    return word in _ONES or word in _TENS or word in _SCALES


def _merge(tokens: list[Token], text: str) -> list[Token]:
    result: list[Token] = []
    index = 0
    while index < len(tokens):
        token, used = _number_at(tokens, index, text)
        result.append(token)
        index += used
    return result


def _low(tokens: list[Token], index: int) -> str:
    return tokens[index].low if 0 <= index < len(tokens) else ""


def _span(tokens: list[Token], first: int, count: int, text: str, value: float, role: str) -> Token:
    start, end = tokens[first].start, tokens[first + count - 1].end
    return Token(text[start:end], start, end, "number", value, role)


def _number_at(tokens: list[Token], index: int, text: str) -> tuple[Token, int]:
    """Read the longest number that starts at ``index``; (token, tokens used)."""
    token = tokens[index]
    word = token.low
    if word in _MULTIPLES and (word in {"twice", "thrice"} or _low(tokens, index + 1) in _TIMES_OF):
        return replace(token, kind="number", value=_MULTIPLES[word], role="times"), 1
    if token.text in _CURRENCY:
        value, used = _magnitude(tokens, index + 1)
        if used:
            return _span(tokens, index, used + 1, text, value, "money"), used + 1
        return token, 1
    if word in {"a", "an", "one"} and _low(tokens, index + 1) in _PARTS:
        follow = _low(tokens, index + 2)
        part = _low(tokens, index + 1)
        if part in {"half", "quarter"} or follow in {"of", "as", "the"}:
            return _span(tokens, index, 2, text, 1.0 / _PARTS[part], "fraction"), 2
    if word == "half":
        if _low(tokens, index + 1) in {"a", "the"} and _low(tokens, index + 2) == "dozen":
            return _span(tokens, index, 3, text, 6.0, "plain"), 3
        if _low(tokens, index + 1) in {"of", "as", "the", "that"}:
            return replace(token, kind="number", value=0.5, role="fraction"), 1
    if word == "a" and _low(tokens, index + 1) in {"dozen", "hundred", "thousand", "million"}:
        return _span(tokens, index, 2, text, float(_SCALES[_low(tokens, index + 1)]), "plain"), 2
    value, used = _magnitude(tokens, index)
    if not used:
        return token, 1
    return _with_suffix(tokens, index, used, value, text)


def _with_suffix(
    tokens: list[Token], index: int, used: int, value: float, text: str
) -> tuple[Token, int]:
    follow = _low(tokens, index + used)
    if follow == "and" and _low(tokens, index + used + 1) == "a":
        piece = _low(tokens, index + used + 2)
        if piece in {"half", "quarter"}:
            return _with_suffix(tokens, index, used + 3, value + 1.0 / _PARTS[piece], text)
    if follow in {"%", "percent"}:
        return _span(tokens, index, used + 1, text, value, "percent"), used + 1
    if follow == "per" and _low(tokens, index + used + 1) == "cent":
        return _span(tokens, index, used + 2, text, value, "percent"), used + 2
    if follow in {"times", "x"} and used + index < len(tokens):
        return _span(tokens, index, used + 1, text, value, "times"), used + 1
    if lemma(follow) in _CURRENCY_WORDS:
        return _span(tokens, index, used + 1, text, value, "money"), used + 1
    if follow == "/" and _is_denominator(tokens, index + used + 1) and value < 100:
        bottom = tokens[index + used + 1].value or 1.0
        return _span(tokens, index, used + 2, text, value / bottom, "fraction"), used + 2
    singular = follow.removesuffix("s")
    if used == 1 and singular in _PARTS and value < 10 and (follow != singular or value == 1):
        part = value / _PARTS[singular]
        return _span(tokens, index, 2, text, part, "fraction"), 2
    role = "digit" if tokens[index].low == "one" and used == 1 else "plain"
    return _span(tokens, index, used, text, value, role), used


def _is_denominator(tokens: list[Token], index: int) -> bool:
    if not 0 < index < len(tokens) or tokens[index].kind != "number":
        return False
    value = tokens[index].value
    adjacent = tokens[index - 1].start == tokens[index - 2].end
    return adjacent and tokens[index].start == tokens[index - 1].end and value not in (None, 0.0)


def _magnitude(tokens: list[Token], index: int) -> tuple[float, int]:
    """Value and length of digits or number words at ``index``; length 0 where there are none."""
    if index >= len(tokens):
        return 0.0, 0
    token = tokens[index]
    if token.kind == "number" and token.value is not None:
        scale = _low(tokens, index + 1)
        if scale in {"hundred", "thousand", "million", "millions", "billion", "dozen"}:
            return token.value * _SCALES[scale.removesuffix("s")], 2
        return token.value, 1
    if not _is_number_word(token.low) or token.low in _SCALES:
        return 0.0, 0
    total, group, position = 0.0, 0.0, index
    while position < len(tokens):
        word = _low(tokens, position)
        if word in _ONES:
            group += _ONES[word]
        elif word in _TENS:
            group += _TENS[word]
        elif word in {"hundred", "dozen"}:
            group = max(group, 1.0) * _SCALES[word]
        elif word in _SCALES:
            total += max(group, 1.0) * _SCALES[word]
            group = 0.0
        elif not (word == "and" and position > index and _joins(tokens, position)):
            break
        position += 1
    return total + group, position - index


def _joins(tokens: list[Token], position: int) -> bool:
    """ "two hundred and fifty": the "and" inside a spelled number."""
    return _low(tokens, position - 1) in _SCALES and (
        _low(tokens, position + 1) in _ONES or _low(tokens, position + 1) in _TENS
    )
