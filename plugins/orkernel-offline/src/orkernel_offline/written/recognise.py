"""Tell statements that contain their algebra from word problems."""

from __future__ import annotations

import re

_GOAL = re.compile(
    r"\\(?:min|max)(?![A-Za-z])|\b(?:max|min)(?:imi[sz]e|imi[sz]ing|\.)?\b", re.I
)
_RELATION = re.compile(r"<=|>=|=<|≤|≥|\\leq?(?![a-z])|\\geq?(?![a-z])|[<>=]|\\leqslant|\\geqslant|∈|\\in\b")
_STRONG = re.compile(
    r"\\sum|∑|\\begin\{(?:align|equation|gather|aligned|cases)|\\forall|∀|\bs\.\s?t\.|\\le(?:q|qslant)?(?![a-z])"
    r"|\\ge(?:q|qslant)?(?![a-z])|\bsum_|\bsum\("
)
_TERM = r"(?:\d*\.?\d*\s*\*?\s*[A-Za-z](?:_?\{?\w{1,4}\}?)?|\d+(?:\.\d+)?)"
_FORMULA = re.compile(
    rf"{_TERM}\s*(?:[-+*/·]\s*{_TERM}\s*)+(?:<=|>=|=<|≤|≥|<|>|=)"
    rf"|(?<![\w.]){_TERM}(?:\s*,\s*{_TERM})*\s*(?:<=|>=|=<|≤|≥|<|>)\s*-?\d"
    rf"|(?:max|min)\w*\.?\s*:?\s*(?:\w{{1,12}}\s*[=:]\s*)?{_TERM}\s*[-+*/·]\s*{_TERM}",
    re.I,
)


def looks_written(statement: str) -> bool:
    """Whether `statement` contains algebra that this reader should handle.

    True when a formula stands in it: a relation between terms, a sum sign, or a goal that is an
    expression. A price or a percentage in prose is no formula.
    """
    text = statement[:200_000]
    if _STRONG.search(text) and (_RELATION.search(text) or _GOAL.search(text)):
        return True
    return bool(_FORMULA.search(text)) and bool(_GOAL.search(text) or _RELATION.search(text))
