"""Words that carry meaning next to a formula: goals, quantifiers, domains."""

from __future__ import annotations

import re

KEYWORDS: tuple[tuple[str, str], ...] = (
    ("st", r"subject\s+to(?:\s+the\s+(?:following\s+)?constraints)?|such\s+that|s\.\s?t\.|s\.t\b"
           r"|st\.|st(?=\s*:)|under\s+the\s+constraints?|s/t"),
    ("forall", r"for\s+(?:all|each|every|any)(?:\s+of)?"),
    ("max", r"maximi[sz](?:e|es|ing)"),
    ("min", r"minimi[sz](?:e|es|ing)"),
    ("nonneg", r"(?:are\s+|is\s+)?non-?\s?negative"),
    ("free", r"(?:unrestricted|free)(?:\s+in\s+sign)?|urs"),
    ("integer", r"(?:non-?\s?negative\s+)?(?:integers?|integral|integer[- ]valued"
                r"|whole\s+numbers?)|(?:(?<=\n)|(?<=\n )|(?<=\n  ))generals?(?=[ \t]*$)"),
    ("binary", r"binary|binaries|boolean|0\s?[-–/]\s?1(?=\s+(?:variables?|valued))|zero-one"),
    ("continuous", r"continuous|real[- ]valued"),
)  # fmt: skip
KEYWORD = re.compile(
    "|".join(rf"(?P<{name}>(?<!\w)(?:{pattern})(?![\w]))" for name, pattern in KEYWORDS), re.I
)
