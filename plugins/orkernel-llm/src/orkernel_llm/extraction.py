"""Finds the JSON value in what a language model wrote.

Forgiven: text around it, code fences, a reasoning part in `<think>`, a byte-order mark, commas
before a closing bracket, comments, typographic quotes around strings, `True`, `False` and `None`,
line breaks within strings. Of several values the last complete one counts that has the required
keys of the schema: models correct themselves downwards.

Refused, because guessing would change what was meant: a value that is cut, numbers that are not
finite, one key twice with different values, nesting beyond 200 levels, and texts beyond 4 million
characters.
"""

from __future__ import annotations

import json
import math
import re
import string
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from orkernel_llm.failures import Malformed, excerpt

LONGEST = 4_000_000
"""Characters of an answer that is still read."""
DEEPEST = 200
"""Levels of nesting."""
CONSIDERED = 200
"""Values of an answer that are looked at, counted from its end."""
CUT = "the JSON is cut in the middle"
NONE = "there is no JSON in it"

BLANKS = "\ufeff" + string.whitespace
THINKING = re.compile(r"\A\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL)
INSIDE = re.compile(r'"(?:[^"\\]|\\.)*+"|“[^”"]*+”|[{}\[\]]|["“]', re.DOTALL)
MENDABLE = re.compile(
    r'(?P<string>"(?:[^"\\]|\\.)*+")|“(?P<quoted>[^”"]*+)”|(?P<comment>//[^\n]*|/\*.*?\*/)'
    r"|(?P<word>\b(?:True|False|None)\b)",
    re.DOTALL,
)
STRING_OR_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+")|,(?=\s*[}\]])', re.DOTALL)
WORDS = {"True": "true", "False": "false", "None": "null"}
OPENING = {"object": "{", "array": "["}
BEGINNING = {
    "{": re.compile(r"\{\s*(?:[\"“}]|//|/\*|\Z)"),
    "[": re.compile(r"\[\s*(?:[\"“\]\[{\d-]|//|/\*|true|false|null|\Z)"),
}


class _NotReadable(ValueError):
    """JSON that is whole but not acceptable."""


def extract(text: str, schema: Mapping[str, Any]) -> Any:
    """The JSON value of an answer.

    Args:
        text: The answer.
        schema: Its JSON Schema; only the kind of value and the required keys are looked at.

    Raises:
        Malformed: There is none, it is cut, or it is wrong; `why` says which.
    """
    if len(text) > LONGEST:
        raise Malformed(text, f"it is longer than {LONGEST} characters")
    bare = THINKING.sub("", text.strip(BLANKS)).strip(BLANKS)
    opening = OPENING.get(str(schema.get("type", "object")), "{")
    try:
        return _whole(bare, opening)
    except _NotReadable as error:
        raise Malformed(text, str(error)) from error
    except ValueError:
        pass
    return _best(text, bare, opening, frozenset(schema.get("required", ())))


def _whole(text: str, opening: str) -> Any:
    if not text.startswith(opening):
        raise ValueError
    return _read(text)


def _best(text: str, bare: str, opening: str, required: frozenset[str]) -> Any:
    """The last fitting value among those in a text; without one, the last."""
    parts = deque(_parts(bare, opening), maxlen=CONSIDERED)
    if parts and parts[-1] is None:
        raise Malformed(text, _cut(bare))
    found: list[Any] = []
    why = ""
    for part in reversed(parts):
        try:
            value = _mended(part or "")
        except ValueError as error:
            why = why or str(error)
            continue
        if not isinstance(value, dict) or required <= value.keys():
            return value
        found.append(value)
    if found:
        return found[0]
    raise Malformed(text, why or NONE)


def _cut(text: str) -> str:
    unit = repeated(text)
    return CUT if unit is None else f"{CUT}, it repeats {excerpt(unit, 40)!r} without end"


def _parts(text: str, opening: str) -> Iterator[str | None]:
    """Every balanced piece that begins like JSON; None for one that is cut."""
    place = 0
    while (begin := BEGINNING[opening].search(text, place)) is not None:
        start, depth, end = begin.start(), 0, -1
        for token in INSIDE.finditer(text, start):
            what = token.group()
            if what in ('"', "“"):
                break
            if what in "{[":
                depth += 1
            elif what in "}]":
                depth -= 1
                if depth == 0:
                    end = token.end()
                    break
        if end < 0:
            yield None
            return
        yield text[start:end]
        place = end


def _mended(part: str) -> Any:
    """The value of a piece, mended where that cannot change what it means."""
    try:
        return _read(part)
    except _NotReadable:
        raise
    except ValueError:
        return _read(STRING_OR_COMMA.sub(lambda m: m.group(1) or "", MENDABLE.sub(_mend, part)))


def _mend(match: re.Match[str]) -> str:
    if match["string"] is not None:
        return match["string"]
    if match["quoted"] is not None:
        return json.dumps(match["quoted"], ensure_ascii=False)
    return WORDS[match["word"]] if match["word"] else " "


def _read(text: str) -> Any:
    """`json.loads`, without what JSON does not have."""
    if text.count("{") + text.count("[") > DEEPEST and _depth(text) > DEEPEST:
        raise _NotReadable(f"it is nested deeper than {DEEPEST} levels")
    try:
        return json.loads(
            text,
            strict=False,
            parse_constant=_constant,
            parse_float=_finite,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as error:
        raise ValueError(
            f"the JSON is wrong at line {error.lineno}, column {error.colno}: {error.msg}"
        ) from error
    except RecursionError as error:
        raise _NotReadable(f"it is nested deeper than {DEEPEST} levels") from error


def _depth(text: str) -> int:
    depth = deepest = 0
    for token in INSIDE.finditer(text):
        depth += (token.group() in "{[") - (token.group() in "}]")
        deepest = max(deepest, depth)
    return deepest


def _constant(word: str) -> None:
    raise _NotReadable(f"{word} is no number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise _NotReadable(f"the number {excerpt(digits, 30)} is too large")
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value: dict[str, Any] = {}
    for key, item in pairs:
        if key in value and value[key] != item:
            raise _NotReadable(f"the key {excerpt(key, 40)!r} is there twice with different values")
        value[key] = item
    return value


def repeated(text: str, least: int = 400, times: int = 6) -> str | None:
    """What the end of a text repeats over and over, or None.

    Args:
        text: Any text.
        least: Characters that the repetition has to cover.
        times: How often the unit has to be there.
    """
    tail = text[-max(least, 2400) :]
    for length in range(1, len(tail) // times + 1):
        covered = max(least, times * length)
        if len(tail) >= covered and tail[-covered + length :] == tail[-covered:-length]:
            return tail[-length:]
    return None
