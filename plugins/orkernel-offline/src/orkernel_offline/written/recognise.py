"""Tell statements that contain their algebra from word problems."""

from __future__ import annotations

import re
from itertools import islice

_GAP = r"[ \t\n]{0,3}"
_GOAL_WORD = r"(?:\\(?:min|max)(?![A-Za-z])|\b(?:max|min)(?:imi[sz](?:e|es|ing))?\b\.?)"
_RELATION = r"(?:<=|>=|=<|≤|≥|<|>|=|\\leq?(?![a-z])|\\geq?(?![a-z])|\\[lg]eqslant)"
_NAME = r"[A-Za-z](?![a-z]{2})(?:_?\{?\w{1,4}\}?|\[[\w, ]{1,12}\]|[₀-₉ᵢⱼ])?"
_NUMBER = r"\d{1,9}(?:\.\d{1,9})?"
_POWER = r"(?:[²³]|(?:\^|\*\*)\{?\d\}?)?"
_TERM = (
    rf"(?:(?:{_NUMBER})?{_GAP}[*·]?{_GAP}"
    rf"(?:{_NAME}{_POWER}|[a-z_]{{2,20}}(?={_GAP}[-+*/<>=≤≥]))|{_NUMBER})"
)
_SUM = rf"{_TERM}(?:{_GAP}[-+*/·]{_GAP}{_TERM})"
_MARKUP = re.compile(
    r"\\sum|∑|\\begin\{(?:align|equation|gather|aligned|cases|array)|\\forall|∀|\bsum_|\bsum\("
    r"|\\\[|\$\$|\\\(|\\leq?(?![a-z])|\\geq?(?![a-z])"
)
_GOAL = re.compile(_GOAL_WORD, re.I)
_GOAL_FORMULA = re.compile(
    rf"{_GOAL_WORD}[\s:$]{{0,6}}(?:\w{{1,12}}(?: \w{{1,12}}){{0,3}}{_GAP}[=:])?[\s$]{{0,4}}{_SUM}",
    re.I,
)
_GOAL_CALL = re.compile(
    rf"{_GOAL_WORD}[\s:$]{{0,6}}(?:\w{{1,12}}{_GAP}[=:]{_GAP})?"
    rf"(?:\\?(?:max|min|sqrt|exp|log|ln|abs)[({{]|\({_TERM}{_GAP}[-+*/]"
    r"|[a-z]{2,3}(?= (?:s\.|subject|such|with)))",
    re.I,
)
_ANY_RELATION = re.compile(_RELATION)
_FORMULA = re.compile(
    rf"(?<![\w.]){_SUM}{_GAP}{_RELATION}"
    rf"|(?<![\w.]){_NAME}(?:{_GAP},{_GAP}{_NAME}){{0,9}}{_GAP}{_RELATION}{_GAP}-?\d",
    re.I,
)
_LOOKED_AT = 200_000


def looks_written(statement: str) -> bool:
    """Whether `statement` contains algebra that this reader should handle.

    True when it holds a goal that is a formula, markup of a formula with a relation, or two
    relations between terms. A price, a percentage or one range in prose is no model.
    """
    text = statement[:_LOOKED_AT]
    if not _ANY_RELATION.search(text) and not _MARKUP.search(text):
        return False
    if _MARKUP.search(text) and (_ANY_RELATION.search(text) or _GOAL.search(text)):
        return True
    if _GOAL_FORMULA.search(text) or (_GOAL_CALL.search(text) and _FORMULA.search(text)):
        return True
    return len(list(islice(_FORMULA.finditer(text), 2))) == 2
