"""Refuse statements whose prose says more than their algebra: limits and goals in words only."""

from __future__ import annotations

import re

from orkernel_offline.reading import Unreadable
from orkernel_offline.written.clauses import Document
from orkernel_offline.written.data import Data
from orkernel_offline.written.tokens import Token
from orkernel_offline.written.values import number

_LIMIT = re.compile(
    r"\bat (?:least|most)\b|\b(?:no|not) (?:more|less|fewer|greater|larger|smaller) than\b"
    r"|\bexceed(?:s|ing)?\b|\bup to\b|\b(?:fewer|less|more|greater|larger|smaller) than\b"
    r"|\bminimum of\b|\bmaximum of\b|\bbetween\b|\blimited to\b|\btwice\b|\bdouble\b|\bhalf\b"
    r"|\bmust be\b|\bcannot\b|\bequals?\b|\bonly\b",
    re.I,
)
_STRETCH = tuple[int, int]


def refuse_unread(source: str, tokens: list[Token], document: Document, data: Data) -> None:
    """Raise when a limit or the goal is stated in words that no formula repeats.

    Raises:
        Unreadable: With the sentence as its span.
    """
    _refuse_lost_goal(tokens, document)
    used = _used_numbers(document, tokens, data)
    symbols = {t.value for t in tokens if t.kind == "name"}
    for sentence in _sentences(tokens):
        for stretch in _outside(sentence, document):
            _refuse_limit(source, stretch, used, symbols)


def _refuse_lost_goal(tokens: list[Token], document: Document) -> None:
    if any(c.role == "objective" for c in document.clauses):
        return
    for token in tokens:
        if token.is_kw("min", "max"):
            raise Unreadable(
                "the goal is not given as a formula; write it after this word",
                ((token.start, token.end),),
            )


def _used_numbers(document: Document, tokens: list[Token], data: Data) -> set[float]:
    spans = [(c.start, c.end) for c in document.clauses]
    spans += [s for d in data.by_key.values() for s in d.spans]
    found = {float(v) for d in data.by_key.values() for v in d.entries.values()}
    for token in tokens:
        if token.kind == "num" and any(a <= token.start < b for a, b in spans):
            found.add(float(number(token.value)))
    return found


def _sentences(tokens: list[Token]) -> list[list[Token]]:
    found: list[list[Token]] = [[]]
    for token in tokens:
        ends = token.kind in ("heading", "table") or (
            token.kind == "break" and token.value != "soft"
        )
        if ends:
            found.append([])
        elif token.kind != "break":
            found[-1].append(token)
    return [s for s in found if s]


def _outside(sentence: list[Token], document: Document) -> list[list[Token]]:
    """The parts of a sentence that no clause covers."""
    stretches: list[list[Token]] = [[]]
    first, last = sentence[0].start, sentence[-1].end
    spans = [(c.start, c.end) for c in document.clauses if c.start < last and first < c.end]
    for token in sentence:
        if any(a <= token.start < b for a, b in spans):
            if stretches[-1]:
                stretches.append([])
        else:
            stretches[-1].append(token)
    return [s for s in stretches if s]


def _refuse_limit(source: str, stretch: list[Token], used: set[float], symbols: set[str]) -> None:
    start, end = stretch[0].start, stretch[-1].end
    if not _LIMIT.search(source[start:end]):
        return
    numbers = [t for t in stretch if t.kind == "num"]
    if not numbers:
        return
    named = any(t.kind == "name" and t.value in symbols for t in stretch)
    strange = [t for t in numbers if float(number(t.value)) not in used]
    if named or strange:
        raise Unreadable(
            "this sentence states a limit in words; write it as a relation, such as x >= 3",
            ((start, end),),
        )
