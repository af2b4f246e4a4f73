"""Expressions as language models write them, put into the algebra where only one thing is meant."""

from __future__ import annotations

import re
from collections.abc import Callable

_SIGNS = {
    "≤": "<=",
    "≥": ">=",
    "⩽": "<=",
    "⩾": ">=",
    "≠": "!=",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "∗": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
    "^": "**",
    "∈": " in ",
    "∀": " ",
    "\u00a0": " ",
}
_QUOTATION_MARKS = str.maketrans("“”‘’", "\"\"''")
_LONELY_EQUALS = re.compile(r"(?<![<>=!])=(?!=)")
_REVERSED = re.compile(r"=([<>])(?!=)")
_TEXT = re.compile(r"\"[^\"]*\"|'[^']*'")


def algebra(expression: str, *, is_relation: bool = False) -> str:
    """The expression in the kernel's notation.

    Args:
        expression: Python-like, with signs such as `≤`, `^` or `×`.
        is_relation: A single `=` means equality, as in a constraint.
    """
    text = expression.strip().removesuffix(";").strip()
    text = _outside_texts(text, lambda part: part.translate(_QUOTATION_MARKS))
    text = _outside_texts(text, _plain_signs)
    if not is_relation:
        return text
    return _outside_texts(text, _equality)


def generators(for_each: str) -> str:
    """The `for_each` in the kernel's notation: without a leading `for` or `for all`."""
    text = algebra(for_each)
    return re.sub(r"^\s*(?:for\s+(?:all|each|every)|for)\s+", "", text).strip()


def _plain_signs(text: str) -> str:
    for sign, plain in _SIGNS.items():
        text = text.replace(sign, plain)
    return text


def _equality(text: str) -> str:
    text = _REVERSED.sub(r"\1=", text)
    return _LONELY_EQUALS.sub("==", text)


def _outside_texts(text: str, change: Callable[[str], str]) -> str:
    pieces, end = [], 0
    for found in _TEXT.finditer(text):
        pieces += [change(text[end : found.start()]), found.group()]
        end = found.end()
    return "".join([*pieces, change(text[end:])])
