"""Identifiers and labels made from what a statement calls things."""

from __future__ import annotations

import re
import unicodedata

_LABEL_NOISE = frozenset(
    [
        "the",
        "a",
        "an",
        "of",
        "to",
        "in",
        "is",
        "are",
        "be",
        "and",
        "or",
        "with",
        "that",
        "this",
        "these",
        "following",
        "constraint",
        "constraints",
        "subject",
        "we",
        "have",
        "must",
        "should",
        "so",
        "where",
        "let",
        "then",
        "by",
        "for",
        "each",
        "all",
        "every",
        "total",
        "st",
    ]
)


def ascii_name(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name)
    kept = "".join(c if c.isascii() else f"u{ord(c):x}" for c in plain
                   if not unicodedata.combining(c))  # fmt: skip
    kept = re.sub(r"\W", "_", kept)
    return kept if kept[:1].isalpha() or kept[:1] == "_" else f"_{kept}"


def slug(label: str) -> str:
    words = list(re.findall(r"[A-Za-z0-9]+", label))
    kept = [w.lower() for w in words if w.lower() not in _LABEL_NOISE]
    if not kept or len(kept) > 6:
        return ""
    return "_".join(kept)[:60]


def unique(base: str, used: set[str]) -> str:
    name, number = base, 1
    while name in used:
        number += 1
        name = f"{base}_{number}"
    used.add(name)
    return name
