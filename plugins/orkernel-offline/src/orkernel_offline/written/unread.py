"""Refuse statements whose prose says more than their algebra: limits and goals in words only."""

from __future__ import annotations

import re

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.clauses import Document
from orkernel_offline.written.data import Data
from orkernel_offline.written.tokens import Token
from orkernel_offline.written.values import number

_LIMIT = re.compile(
    r"\bat (?:least|most)\b|\b(?:no|not) (?:more|less|fewer|greater|larger|smaller) than\b"
    r"|\bexceed(?:s|ing)?\b|\bup to\b|\b(?:fewer|less|more|greater|larger|smaller) than\b"
    r"|\bminimum of\b|\bmaximum of\b|\bbetween\b|\blimited to\b|\btwice\b|\bdouble\b|\bhalf\b"
    r"|\bmust be\b|\bcannot\b|\bequals?\b|\bonly\b|\bno(?:t| smaller| larger) than\b"
    r"|\b(?:minimum|maximum|largest|smallest|highest|lowest)\b[\w\s$]{0,40}\bis\b",
    re.I,
)
_BETWEEN_SYMBOLS = re.compile(
    r"(?<![\w_{\[])\$?([A-Za-z]\d?)\$? (?:is|are|be|must|may|should|has|have|can|cannot|will)\b"
    r"(?: \w+){0,4}? (?:at (?:least|most)|(?:more|less|fewer|greater|larger|smaller|higher|lower)"
    r" than|exceed|equal(?: to)?|twice|double|half)"
    r"(?: (?:twice|double|half|of|as|to|the|value)){0,3}"
    r" \$?([A-Za-z]\d?)\$?(?![\w_({\[])(?!\$?:)",
)
_PROPERTY = re.compile(
    r"\b(?:is|are|be) (?:both |all |also |to be )?"
    r"(?:odd|even(?! if)|equal(?! to)|distinct|different|prime|multiples?|divisible|discrete)\b"
    r"|\b[b-z]\d? discrete\b|\b(?:takes?|only) discrete\b|\bdiscrete (?:variables?|values)\b",
    re.I,
)
_ALL_OF_THEM = re.compile(r"\b(?:both|all|they|variables?|each|these)\b", re.I)
_WHOLE = re.compile(
    r"\bwhole (?:units?|items?|pieces|products?|amounts?)\b"
    r"|\bfraction(?:s|al)?\b.{0,40}\b(?:not?|never|cannot|impossible)\b"
    r"|\b(?:no|not|without) (?:\w+ ){0,2}fraction(?:s|al)?\b|\bindivisible\b"
    r"|\binteger (?:linear )?(?:program(?:ming|me)?|optimi[sz]ation)\b|\bILP\b"
    r"|(?:[,;] |\bare )discrete\b",
    re.I,
)
_NOT_WHOLE = re.compile(r"\b(?:relax\w*|not an?|continuous|mixed)\b", re.I)
_CHANGE = re.compile(
    r"\b(?:drop|remove|delete|replace|change|relax|omit|swap|ignore|disregard|forget)\b.{0,40}"
    r"\b(?:constraints?|inequalit(?:y|ies)|right[- ]hand side|rhs|objective|coefficients?|bounds?"
    r"|conditions?|equations?)\b",
    re.I | re.S,
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
    whole = _declares_whole(document)
    for sentence in _sentences(tokens):
        for stretch in _outside(sentence, document):
            _refuse_limit(source, stretch, used, symbols)
            _refuse_property(source, stretch, symbols, whole)


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


def _declares_whole(document: Document) -> bool:
    """Whether any symbol is said to be integer or binary, or to lie in a set of whole numbers."""
    if any(word in ("integer", "binary") for word, _, _ in document.everywhere):
        return True
    for clause in document.clauses:
        if {"integer", "binary"} & set(clause.words):
            return True
        for part in n.walk(clause.body):
            if isinstance(part, n.NumberSet) and part.letter != "R":
                return True
        body = clause.body
        if isinstance(body, n.Compare) and any(
            isinstance(x, n.SetLit | n.RangeSet) for x in body.operands if body.ops == ("in",)
        ):
            return True
    return False


def _refuse_property(source: str, stretch: list[Token], symbols: set[str], whole: bool) -> None:
    """Refuse what no relation can repeat: whole amounts, equal or odd numbers, a changed model."""
    start, end = stretch[0].start, stretch[-1].end
    text = source[start:end]
    if not whole and _WHOLE.search(text) and not _NOT_WHOLE.search(text):
        raise Unreadable(
            "whole numbers are spoken of, but no symbol is declared integer; "
            "write for example x, y integer",
            ((start, end),),
        )
    if _CHANGE.search(text):
        raise Unreadable(
            "this sentence changes the model; write the model as it shall be solved",
            ((start, end),),
        )
    named = any(t.kind == "name" and t.value in symbols for t in stretch)
    compared = _BETWEEN_SYMBOLS.search(text)
    said = _PROPERTY.search(text) and (named or _ALL_OF_THEM.search(text))
    if said or (compared and set(compared.groups()) <= symbols):
        raise Unreadable(
            "this sentence states a limit in words; write it as a relation, such as x >= 3",
            ((start, end),),
        )
