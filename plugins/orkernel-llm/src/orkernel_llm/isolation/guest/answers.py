"""Turning an answer of the code into plain JSON values. Standard library only.

Runs inside the isolated process. numpy is not imported: its arrays and numbers are
recognised by the methods that they have.
"""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Mapping
from typing import Any

DEPTH = 64
"""Levels that an answer may nest."""


def plain(value: Any, place: str = "the answer", depth: int = 0) -> Any:
    """The value as JSON: numbers, text, booleans, None, lists, and dicts with text keys.

    Args:
        value: What `final_answer` was called with; numpy numbers and arrays are taken.
        place: How a message names the value.
        depth: How deep the value lies in the answer.

    Raises:
        ValueError: a number is not finite, a value nests too deep or contains itself.
        TypeError: a value or a key is of a type that JSON lacks.
    """
    if depth > DEPTH:
        raise ValueError(f"final_answer: {place} nests deeper than {DEPTH} levels")
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        number = float(value)
        if not math.isfinite(number):
            raise ValueError(f"final_answer: {place} is {number}, not a finite number")
        return number
    if isinstance(value, Mapping):
        return {
            _key(key, place): plain(item, f"{place}[{key!r}]", depth + 1)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{place}[{n}]", depth + 1) for n, item in enumerate(value)]
    if hasattr(value, "tolist"):
        return plain(value.tolist(), place, depth + 1)
    raise TypeError(
        f"final_answer: {place} is of type {type(value).__name__}; "
        "use numbers, text, lists and dicts"
    )


def _key(key: Any, place: str) -> str:
    if isinstance(key, str):
        return key
    if type(key) is not bool and isinstance(key, numbers.Integral):
        return str(int(key))
    raise TypeError(
        f"final_answer: {place} has the key {key!r}; keys are text or whole numbers "
        "(one level of dict for each index)"
    )


def encoded(value: Any, most: int) -> str:
    """The value as JSON text.

    Raises:
        ValueError: the text is longer than `most` characters, or `plain` refuses the value.
        TypeError: `plain` refuses the value.
    """
    text = json.dumps(plain(value), allow_nan=False)
    if len(text) > most:
        raise ValueError(f"final_answer: the answer takes {len(text)} bytes, at most {most}")
    return text
