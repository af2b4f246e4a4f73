"""Where a quote stands in a statement: exactly, up to formatting, or approximately.

An index of the statement is built once; each quote then costs a search of the text and, for
an approximate match, a bounded number of small comparisons around its rarest words.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from typing import Literal

from orkernel.formulation.numbers import Kind, Mention, find_numbers

FUZZY_RATIO = 0.8
"""Least similarity (`difflib` ratio) of an approximate match."""
MAX_WINDOWS = 8
"""How many places are compared closely for one quote."""
MAX_OCCURRENCES = 200
"""How many occurrences of a word, or of a whole quote, are looked at."""
MAX_FUZZY = 1_500
"""Longest quote, in characters, that is sought approximately."""
MAX_LETTERS = 300
"""Longest quote that is compared letter by letter; longer ones are compared by words."""

Match = Literal["exact", "normalized", "fuzzy"]

_CHANGES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′`´", "'"),
        **dict.fromkeys("“”„‟″«»", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
_IGNORED = frozenset("*_\u00ad\u200b\u200c\u200d\ufeff\\")
_SEPARATED = re.compile(r"(?<=\d)[,'’\u00a0\u202f\u2009](?=\d{3}(?!\d))")
_ELLIPSIS = re.compile(r"\s*(?:\[?(?:\.{3,}|…)\]?)\s*")
_WORD = re.compile(r"[^\W_]+(?:[.,]\d+)*")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a quote stands: offsets into the statement, and how it was found."""

    start: int
    end: int
    match: Match


class QuoteIndex:
    """A statement made ready for looking up quotes.

    Args:
        statement: The text; offsets count its characters.
    """

    def __init__(self, statement: str) -> None:
        self.statement = statement

    @cached_property
    def _plain(self) -> tuple[str, list[int]]:
        return _normalized(self.statement)

    @cached_property
    def _words(self) -> tuple[list[str], list[int], dict[str, list[int]]]:
        """Words of the normalised statement, their offsets in it, and positions by word."""
        words: list[str] = []
        starts: list[int] = []
        positions: dict[str, list[int]] = defaultdict(list)
        for match in _WORD.finditer(self._plain[0]):
            word = match.group()
            positions[word].append(len(words))
            words.append(word)
            starts.append(match.start())
        return words, starts, dict(positions)

    def find(self, quote: str) -> Place | None:
        """The best place of a quote: exact, else normalised, else approximate."""
        exact = _occurrence(self.statement, quote.strip())
        if exact is not None:
            return Place(*exact, "exact")
        plain, offsets = self._plain
        parts = [part for piece in _ELLIPSIS.split(quote) if (part := _normalized(piece)[0])]
        if not parts:
            return None
        spans: list[tuple[int, int]] = []
        for part in parts:
            span = _occurrence(plain, part, spans[-1][1] if spans else 0)
            if span is None:
                break
            spans.append(span)
        else:
            return Place(offsets[spans[0][0]], offsets[spans[-1][1] - 1] + 1, "normalized")
        return self._approximate(" ".join(parts))

    def _approximate(self, quote: str) -> Place | None:
        """The most similar passage around the quote's rarest words, with the same numbers."""
        if len(quote) > MAX_FUZZY:
            return None
        plain, offsets = self._plain
        words, starts, positions = self._words
        wanted = [match.group() for match in _WORD.finditer(quote)]
        rare = sorted(
            (len(positions[word]), k, word) for k, word in enumerate(wanted) if word in positions
        )
        votes: Counter[int] = Counter()
        for _, k, word in rare[:MAX_WINDOWS]:
            for position in positions[word][:MAX_OCCURRENCES]:
                votes[(position - k) // 2] += 1
        best: Place | None = None
        best_ratio = FUZZY_RATIO
        slack = max(2, len(wanted) // 4)
        numbers = _quantities(quote)
        for half, _ in votes.most_common(MAX_WINDOWS):
            first = max(0, 2 * half - slack)
            last = min(len(words), 2 * half + len(wanted) + slack + 1)
            begin, stop = _aligned(wanted, words[first:last])
            if stop <= begin:
                continue
            start = starts[first + begin]
            end = starts[first + stop - 1] + len(words[first + stop - 1])
            ratio = _similarity(quote, plain[start:end])
            better = ratio > best_ratio or (best is None and ratio == best_ratio)
            if better and not numbers - _quantities(plain[start:end]):
                best = Place(offsets[start], offsets[end - 1] + 1, "fuzzy")
                best_ratio = ratio
        return best


def _normalized(text: str) -> tuple[str, list[int]]:
    """The text without differences of format, and per character its offset in `text`.

    Case, runs of blanks, kinds of quotes and dashes, Markdown emphasis and thousands
    separators do not matter.
    """
    dropped = {match.start() for match in _SEPARATED.finditer(text)}
    characters: list[str] = []
    offsets: list[int] = []
    for offset, character in enumerate(text):
        if character in _IGNORED or offset in dropped:
            continue
        if character.isspace():
            if characters and characters[-1] != " ":
                characters.append(" ")
                offsets.append(offset)
            continue
        for folded in character.translate(_CHANGES).casefold():
            characters.append(folded)
            offsets.append(offset)
    if characters and characters[-1] == " ":
        characters.pop()
        offsets.pop()
    return "".join(characters), offsets


def _occurrence(text: str, quote: str, since: int = 0) -> tuple[int, int] | None:
    """First occurrence that cuts no word; else the first that cuts no number."""
    if not quote:
        return None
    fallback: tuple[int, int] | None = None
    start = text.find(quote, since)
    for _ in range(MAX_OCCURRENCES):
        if start < 0:
            break
        end = start + len(quote)
        if not _cuts_word(text, start) and not _cuts_word(text, end):
            return start, end
        if fallback is None and not _cuts_number(text, start) and not _cuts_number(text, end):
            fallback = start, end
        start = text.find(quote, start + 1)
    return fallback


def _cuts_word(text: str, offset: int) -> bool:
    return (
        0 < offset < len(text) and text[offset - 1].isalnum() and text[offset].isalnum()
    ) or _cuts_number(text, offset)


def _cuts_number(text: str, offset: int) -> bool:
    """Whether `350` would be torn from `1350`, `350.5` or `1,350`."""
    around = text[max(0, offset - 2) : offset + 2]
    if len(around) < 2 or not 0 < offset < len(text):
        return False
    left, right = text[offset - 1], text[offset]
    if left.isdigit() and right.isdigit():
        return True
    if left.isdigit() and right in ".,":
        return text[offset + 1 : offset + 2].isdigit()
    return left in ".," and right.isdigit() and text[max(0, offset - 2) : offset - 1].isdigit()


def _aligned(wanted: list[str], window: list[str]) -> tuple[int, int]:
    """Part of the window between its first and last word that the quote also has, in order."""
    blocks = SequenceMatcher(None, wanted, window, autojunk=False).get_matching_blocks()[:-1]
    if not blocks:
        return 0, 0
    begin = max(0, blocks[0].b - blocks[0].a)
    behind = len(wanted) - (blocks[-1].a + blocks[-1].size)
    return begin, min(len(window), blocks[-1].b + blocks[-1].size + behind)


def _similarity(quote: str, passage: str) -> float:
    """`difflib` ratio in 0–1, by letters for a short quote and by words for a long one."""
    if len(quote) <= MAX_LETTERS:
        return SequenceMatcher(None, quote, passage, autojunk=False).ratio()
    words = (_WORD.findall(quote), _WORD.findall(passage))
    return SequenceMatcher(None, *words, autojunk=False).ratio()


def _quantities(text: str) -> Counter[float]:
    return Counter(m.value for m in find_numbers(text) if m.kind is not Kind.LABEL)


def mentions_within(mentions: list[Mention], start: int, end: int) -> list[Mention]:
    """The mentions inside `start … end`, from a list in order of position."""
    first = bisect_right(mentions, start - 1, key=lambda m: m.start)
    last = bisect_right(mentions, end, key=lambda m: m.end)
    return mentions[first:last]
