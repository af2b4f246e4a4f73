"""Reading what an isolated process wrote: every byte may have been chosen to hurt."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

DEPTH = 100
"""Levels that a line may nest."""

MESSAGE = 20_000
"""Characters of a message that are kept."""


class NoResult(Exception):
    """A line that no worker writes."""


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the worker.

    Args:
        number: The request that it answers.
        finished: Whether there is an answer.
        value: The answer: JSON values only, numbers finite.
        error: The exception, in words.
    """

    number: int
    finished: bool = False
    value: Any = None
    error: str = ""


def read(line: bytes) -> Result:
    """Read one line.

    Raises:
        NoResult: it is not a result, whatever else it may be.
    """
    try:
        found = json.loads(line.decode(), parse_constant=_refused)
        return _result(found)
    except (ValueError, RecursionError, OverflowError) as error:
        raise NoResult(str(error)) from None


def text(data: bytes) -> str:
    """What was printed, as text that can be written anywhere."""
    return data.decode(errors="replace")


def _refused(name: str) -> float:
    raise ValueError(f"{name} is no JSON")


def _result(found: Any) -> Result:
    if not isinstance(found, dict):
        raise NoResult("no object")
    number, finished = found.get("id"), found.get("finished", False)
    error = found.get("error", "")
    if type(number) is not int or type(finished) is not bool or type(error) is not str:
        raise NoResult("fields of the wrong type")
    value = found.get("value")
    _check(value, 0)
    return Result(number, finished, value if finished else None, _writable(error[:MESSAGE]))


def _check(value: Any, depth: int) -> None:
    if depth > DEPTH:
        raise NoResult("nested too deep")
    if isinstance(value, float) and not math.isfinite(value):
        raise NoResult("a number that is not finite")
    if isinstance(value, str) and _writable(value) != value:
        raise NoResult("text that cannot be written")
    if isinstance(value, list):
        for item in value:
            _check(item, depth + 1)
    if isinstance(value, dict):
        for key, item in value.items():
            _check(key, depth + 1)
            _check(item, depth + 1)


def _writable(string: str) -> str:
    return string.encode(errors="replace").decode()
