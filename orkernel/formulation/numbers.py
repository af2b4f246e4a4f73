"""Numbers in English text: digits, words, percentages, fractions, multiples, magnitudes.

One pass over the tokens of the text, linear in its length. What looks like a number but
counts or measures nothing (list markers, dates, "Product 3", "A1", "2nd") is reported as a
label, so that a caller may tell it from a quantity.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from orkernel.formulation.number_words import (
    AFTER_YEAR,
    BEFORE_YEAR,
    CONVERSIONS,
    CURRENCY_CODES,
    GLUED_MAGNITUDES,
    LABELLED,
    MAGNITUDES,
    MULTIPLES,
    PARTS,
    SCALES,
    SMALL,
    TENS,
)

MAX_DIGITS = 300
"""Longest run of digits that is read as a number."""


class Kind(StrEnum):
    """What a mention stands for."""

    NUMBER = "number"
    PERCENT = "percent"
    FRACTION = "fraction"
    MULTIPLE = "multiple"
    LABEL = "label"


@dataclass(frozen=True, slots=True)
class Mention:
    """A number in a text.

    Attributes:
        start: Offset of its first character (its sign or currency sign left out).
        end: Offset past its last character, percent sign and magnitude word included.
        values: Its readings, all ≥ 0, the plain one first: `40 %` reads 0.4 or 40,
            `3.5 million` reads 3500000 or 3.5.
        derived: What a modeller may have made of it: the complement of a percentage, the
            amount in a neighbouring unit (`2 hours` as 120 or 7200).
        kind: What it stands for.
        word: True if it is written out, e.g. `three`.
    """

    start: int
    end: int
    values: tuple[float, ...]
    derived: tuple[float, ...] = ()
    kind: Kind = Kind.NUMBER
    word: bool = False

    @property
    def value(self) -> float:
        """The plain reading."""
        return self.values[0]


def find_numbers(text: str) -> list[Mention]:
    """All numbers in a text, from left to right, without overlaps."""
    return list(_mentions(text))


@lru_cache(maxsize=32)
def _mentions(text: str) -> tuple[Mention, ...]:
    """Kept for the latest texts, since a run reads its statement many times."""
    return tuple(_Reader(text).mentions())


_TOKEN = re.compile(
    r"""(?P<skip>https?://\S+
        |(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[\w.-]{1,63}
        |(?<!\w)(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}\.?[ ]
            \d{1,2}(?:st|nd|rd|th)?(?!\w)(?:,?[ ]\d{4}(?!\w))?
        |(?<!\w)\d{1,2}(?:st|nd|rd|th)?[ ]
            (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}(?!\w)(?:,?[ ]\d{4}(?!\w))?
        |(?<!\d)\d{4}-\d{1,2}-\d{1,2}(?!\d)
        |(?<!\d)\d{1,2}/\d{1,2}/\d{2,4}(?!\d)
        |(?<!\d)\d{1,2}:\d{2}(?::\d{2})?(?!\d)
        |(?<!\d)24/7(?!\d)
        |(?<!\w)v?\d{1,9}\.\d{1,9}\.\d[\d.]*
        |\\[A-Za-z]+(?=[^A-Za-z]|$)
        |_\{[^{}\n]{0,80}\}|_\d+)
      |(?P<number>(?:\d{1,3}(?:[,'’\u00a0\u202f\u2009]\d{3})+(?!\d)|\d+)(?:\.\d+)?(?:[eE][+-]?\d{1,3}(?!\d))?
        |(?<![\w.])\.\d+|[½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞])
      |(?P<word>[^\W\d_][^\W_]*(?:_\w+)?)
      |(?P<mark>[%‰^/\#(])""",
    re.VERBOSE,
)
_GLUED = re.compile(r"[A-Za-z]{1,30}")
_VULGAR = "½⅓⅔¼¾⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_PERCENT = re.compile(
    r"[ \u00a0\u202f]?(?:\\?%|‰)|[ \u00a0-](?:per ?cent|percentage|pct)\b", re.IGNORECASE
)
_DENOMINATOR = re.compile(r" ?[/⁄] ?(\d{1,9})(?![\d.,]*[\d/])")
_LATEX_DENOMINATOR = re.compile(r"\}\{(\d{1,9})\}")
_MIXED = re.compile(r"[ \u00a0-](\d{1,3})[/⁄](\d{1,3})(?![\d/])")
_POWER = re.compile(r"(?:\^|\*\*)\{?(-?\d{1,3})\}?")
_SCIENTIFIC = re.compile(r"\s?(?:[×x*·]|\\times|\\cdot)\s?10(?:\^|\*\*)\{?(-?\d{1,3})\}?")
_NEXT_WORD = re.compile(r"[\s-]?([^\W\d_]{1,30})(?!\w)")
_GAP = re.compile(r"[\s-]{1,3}")
_LINE_MARKER = re.compile(r"(?:[ \t]*[-*+>]?[ \t]*\(?|[ \t]*\#{1,6}[ \t]*)")
_CHAIN = re.compile(r"\s?(?:,|-|–|&|to|and|or|through|, ?and|, ?or)\s?")


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    kind: str
    text: str


class _Reader:
    """Walks the tokens of one text; every step looks at a few neighbours only."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = [
            _Token(m.start(), m.end(), str(m.lastgroup), m.group()) for m in _TOKEN.finditer(text)
        ]
        self.last_marker = 0
        self.label: tuple[int, float] | None = None

    def mentions(self) -> Iterator[Mention]:
        position = 0
        while position < len(self.tokens):
            token = self.tokens[position]
            found: Mention | None = None
            if token.kind == "number":
                found = self.digits(position)
            elif token.kind == "word":
                found = self.words(position)
            if found is None:
                position += 1
                continue
            yield found
            while position < len(self.tokens) and self.tokens[position].start < found.end:
                position += 1

    # ---------------------------------------------------------------- digits

    def digits(self, position: int) -> Mention | None:
        token = self.tokens[position]
        if len(token.text) > MAX_DIGITS:
            return None
        number = _numeral(token.text)
        start, end = token.start, token.end
        vulgar = token.text in _VULGAR
        if not vulgar and end < len(self.text) and self.text[end] in _VULGAR:
            return self.scaled(start, end + 1, number + unicodedata.numeric(self.text[end]))
        if vulgar:
            return self.scaled(start, end, number, kind=Kind.FRACTION)
        if scientific := _SCIENTIFIC.match(self.text, end):
            exact = float(f"{number!r}e{scientific[1]}") if "e" not in repr(number) else number
            return Mention(start, scientific.end(), (exact, number))
        if power := _POWER.match(self.text, end):
            return Mention(start, power.end(), _power(number, int(power[1])))
        whole = token.text.isdecimal()
        if whole and (mixed := _MIXED.match(self.text, end)) and int(mixed[1]) < int(mixed[2]):
            return self.scaled(start, mixed.end(), number + int(mixed[1]) / int(mixed[2]))
        if whole and (below := self.denominator(start, end)) and int(below[1]) > 0:
            bottom = int(below[1])
            return Mention(
                start, below.end(), (number / bottom,), (number, float(bottom)), Kind.FRACTION
            )
        glued = _GLUED.match(self.text, end)
        if glued and glued[0].casefold() in {"st", "nd", "rd", "th", "am", "pm"}:
            return Mention(start, glued.end(), (number,), kind=Kind.LABEL)
        if self.text.endswith(("^", "^{", "**"), max(0, start - 2), start):
            return Mention(start, end, (number,), kind=Kind.LABEL)
        if whole and self.is_label(position, number, glued is not None):
            return Mention(start, end, (number,), kind=Kind.LABEL)
        if glued and (scale := GLUED_MAGNITUDES.get(glued[0])):
            return Mention(start, glued.end(), (number,), (number * scale,))
        mention = self.scaled(start, end, number)
        if re.fullmatch(r"\d{1,3}\.\d{3}", token.text):
            thousands = number * 1000
            return Mention(start, mention.end, mention.values, (*mention.derived, thousands))
        return mention

    def denominator(self, start: int, end: int) -> re.Match[str] | None:
        if self.text.endswith("frac{", max(0, start - 5), start):
            return _LATEX_DENOMINATOR.match(self.text, end)
        return _DENOMINATOR.match(self.text, end)

    def is_label(self, position: int, number: float, glued: bool) -> bool:
        """List markers, years, and the number in `Product 3` or `days 1 to 5`."""
        token = self.tokens[position]
        before = self.tokens[position - 1] if position else None
        if self.is_marker(token, number):
            self.last_marker = int(number)
            return True
        following = _NEXT_WORD.match(self.text, token.end)
        measured = following is not None and following[1].casefold() in CONVERSIONS
        if glued or measured or _PERCENT.match(self.text, token.end):
            return False
        chained, self.label = self.label, None
        if chained and number > chained[1] and number < 100:
            between = self.text[chained[0] : token.start]
            if _CHAIN.fullmatch(between):
                self.label = (token.end, number)
                return True
        if before is None or before.kind not in {"word", "mark"}:
            return False
        gap = self.text[before.end : token.start]
        if before.text == "#" and not gap:
            return True
        if before.kind != "word" or gap not in {" ", ". ", "\u00a0", "-", "\n"}:
            return False
        word = before.text.casefold()
        if gap == "-":
            return before.text.isupper() and len(word) <= 3
        if 1900 <= number <= 2099 and word in BEFORE_YEAR:
            after = self.word(position + 1)
            near = after and self.tokens[position + 1].start - token.end <= 2
            return not near or after in AFTER_YEAR
        singular = word in LABELLED
        plural = word.endswith("s") and (word[:-1] in LABELLED or f"{word[:-3]}y" in LABELLED)
        if number < 1000 and (singular or (plural and number <= 2)):
            earlier = self.word(position - 2) if position >= 2 else ""
            if earlier in {"per", "each", "every", "a", "an", "one"}:
                return False
            self.label = (token.end, number)
            return True
        return False

    def is_marker(self, token: _Token, number: float) -> bool:
        """`2.` or `(2)` or `2)` in front of a list item, or the number of a heading."""
        line = self.text.rfind("\n", max(0, token.start - 20), token.start) + 1
        if line == 0 and token.start > 20:
            return False
        lead = self.text[line : token.start]
        if number > 99 or not _LINE_MARKER.fullmatch(lead):
            return False
        if "#" in lead:
            return True
        if not re.match(r"[.):](?:\s|$)", self.text[token.end : token.end + 2]):
            return False
        above = self.text[max(0, line - 200) : line].rstrip()[-1:]
        return number == self.last_marker + 1 or above in {"", ".", ":", ";", "!", "?"}

    # ---------------------------------------------------------------- words

    def words(self, position: int) -> Mention | None:
        token = self.tokens[position]
        word = token.text.casefold()
        if word in MULTIPLES:
            return Mention(
                token.start, token.end, (MULTIPLES[word],), kind=Kind.MULTIPLE, word=True
            )
        if word == "half":
            return self.half(position)
        if word in {"a", "an"}:
            following = self.joined(position)
            if following in MAGNITUDES and following not in {"mn", "mio", "bn"}:
                return self.cardinal(position, 1.0)
            if following in PARTS and following != "half":
                if self.joined(position + 1) == "of":
                    return self.part(position + 1, token.start, 1.0)
                return None
            return None
        if word in SMALL or word in TENS:
            return self.cardinal(position, 0.0)
        if any(character.isdigit() for character in word):
            return self.coded(token)
        return None

    def half(self, position: int) -> Mention:
        """`half`, `half a million`, `half a dozen`."""
        token = self.tokens[position]
        if self.joined(position) in {"a", "an"}:
            scale = MAGNITUDES.get(self.joined(position + 1))
            if scale:
                end = self.tokens[position + 2].end
                return Mention(token.start, end, (scale / 2,), (0.5,), word=True)
        return Mention(
            token.start, token.end, (0.5, 50.0), (2.0, 1.5), kind=Kind.FRACTION, word=True
        )

    def cardinal(self, position: int, started: float) -> Mention:
        """`one hundred and twenty`, `two and a half million`, `three quarters`."""
        start = self.tokens[position].start
        total, group = 0.0, started
        last = position
        cursor = position + 1 if started else position
        while True:
            word = self.tokens[cursor].text.casefold()
            if word in SMALL and (group % 100 == 0 or (group % 10 == 0 and SMALL[word] < 10)):
                group += SMALL[word]
            elif word in TENS and group % 100 == 0:
                group += TENS[word]
            elif word == "hundred" and 0 < group < 100:
                group *= 100
            elif word in SCALES and word != "hundred" and group > 0:
                total += group * SCALES[word]
                group = 0.0
            else:
                break
            last = cursor
            following = self.joined(cursor)
            skip = following == "and" and word in SCALES
            if skip:
                following = self.joined(cursor + 1)
            if following not in SMALL and following not in TENS and following not in SCALES:
                break
            cursor += 2 if skip else 1
        if last == position and started:
            dozen = self.tokens[position + 1]
            return Mention(start, dozen.end, (12.0,), word=True)
        return self.finished(last, start, total + group)

    def finished(self, last: int, start: int, number: float) -> Mention:
        """A cardinal with what may follow it: `and a half`, `thirds`, a magnitude, `percent`."""
        following = self.joined(last)
        if following in PARTS and (following.endswith("s") == (number != 1)):
            return self.part(last + 1, start, number)
        if following == "and" and self.joined(last + 1) in {"a", "an", "one"}:
            part = PARTS.get(self.joined(last + 2))
            if part:
                return self.scaled(start, self.tokens[last + 3].end, number + 1 / part, word=True)
        return self.scaled(start, self.tokens[last].end, number, word=True)

    def part(self, position: int, start: int, count: float) -> Mention:
        token = self.tokens[position]
        bottom = PARTS[token.text.casefold()]
        value = count / bottom
        return Mention(
            start, token.end, (value,), (1 - value, 1 + value), kind=Kind.FRACTION, word=True
        )

    def coded(self, token: _Token) -> Mention | None:
        """`USD100` is a number, `A1` and `H2O` are labels."""
        match = re.fullmatch(r"([^\W\d_]+)(\d{1,300})", token.text)
        if match is None:
            return None
        money = match[1].casefold() in CURRENCY_CODES
        start = token.start + len(match[1]) if money else token.start
        kind = Kind.NUMBER if money else Kind.LABEL
        return Mention(start, token.end, (float(match[2]),), kind=kind)

    # ---------------------------------------------------------------- neighbours

    def scaled(
        self, start: int, end: int, number: float, *, kind: Kind = Kind.NUMBER, word: bool = False
    ) -> Mention:
        """A number with the magnitude, percent sign or unit behind it."""
        if percent := _PERCENT.match(self.text, end):
            part = number / (1000 if percent[0].endswith("‰") else 100)
            return Mention(
                start, percent.end(), (part, number), (1 - part, 1 + part), Kind.PERCENT, word
            )
        following = _NEXT_WORD.match(self.text, end)
        name = following[1].casefold() if following else ""
        if following and name in MAGNITUDES:
            number_scaled = number * MAGNITUDES[name]
            return Mention(start, following.end(), (number_scaled, number), (), kind, word)
        derived = tuple(number * factor for factor in CONVERSIONS.get(name, ()))
        if name in {"a", "an"} or kind is Kind.FRACTION:
            derived += (1 - number,) if 0 < number < 1 else ()
        return Mention(start, end, (number,), derived, kind, word)

    def word(self, position: int) -> str:
        """The word at a position, casefolded; empty where there is none."""
        if 0 <= position < len(self.tokens) and self.tokens[position].kind == "word":
            return self.tokens[position].text.casefold()
        return ""

    def joined(self, position: int) -> str:
        """The word right behind the token at `position`, parted by blanks or a hyphen only."""
        word = self.word(position + 1)
        if not word:
            return ""
        between = self.text[self.tokens[position].end : self.tokens[position + 1].start]
        return word if _GAP.fullmatch(between) else ""


def _numeral(text: str) -> float:
    if text in _VULGAR:
        return unicodedata.numeric(text)
    return float(re.sub(r"[,'’\u00a0\u202f\u2009]", "", text))


def _power(base: float, exponent: int) -> tuple[float, ...]:
    """`10^6` reads 1000000 or 10."""
    try:
        return (float(base**exponent), base)
    except (OverflowError, ZeroDivisionError):
        return (base,)
