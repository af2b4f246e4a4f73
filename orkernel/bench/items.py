"""The questions of a benchmark file."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from orkernel.errors import UsageError
from orkernel.runs import no_constant
from orkernel.sources import read_bytes

T = TypeVar("T")

MAX_BYTES = 500_000_000
"""Largest benchmark file."""
MOST_TOLD = 5
"""Most bad lines that one message describes."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question.

    Attributes:
        id: As in the file; the line number where there is none.
        question: The statement.
        answer: As in the file: a number, an object of figures by name, `infeasible`,
            `unbounded`, or None.
    """

    id: str
    question: str
    answer: Any = None


def read_items(path: Path, limit: int | None = None) -> list[Item]:
    """The items of a benchmark file: JSON lines with `question`, `answer` and perhaps `id`.

    Args:
        path: The file.
        limit: Only the first so many.

    Raises:
        UsageError: The file is missing, or lines are malformed or repeat an `id`; names the
            lines, also those after the limit.
    """
    lines: dict[str, int] = {}

    def item(number: int, value: Mapping[str, Any]) -> Item:
        question = value.get("question")
        if not isinstance(question, str):
            raise ValueError("'question' is missing or no text")
        name = str(value.get("id", number))
        if lines.setdefault(name, number) != number:
            raise ValueError(f"id '{name}' is that of line {lines[name]} too")
        return Item(name, question, value.get("answer"))

    items = read_lines(path, "benchmark", item)
    if not items:
        raise UsageError(f"{path} holds no items", fix="give a file with one JSON object a line")
    return items[:limit]


def read_lines(path: Path, what: str, make: Callable[[int, Mapping[str, Any]], T]) -> list[T]:
    """What `make` makes of each line of a JSON-lines file; empty lines are left out.

    Args:
        path: The file.
        what: What it is, for messages.
        make: Called with line number and object; a ValueError says what is wrong with it.

    Raises:
        UsageError: The file cannot be read, or some lines are malformed; names them.
    """
    made: list[T] = []
    wrong: list[str] = []
    for number, line in enumerate(read_bytes(path, MAX_BYTES, what).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            try:
                value = json.loads(line, parse_constant=no_constant)
            except (ValueError, RecursionError) as error:
                wrong.append(f"line {number} is no JSON: {error}")
                continue
            if not isinstance(value, dict):
                wrong.append(f"line {number} is no JSON object")
                continue
            made.append(make(number, value))
        except ValueError as error:
            wrong.append(f"line {number}: {error}")
    if wrong:
        more = f"; and {len(wrong) - MOST_TOLD} more lines" if len(wrong) > MOST_TOLD else ""
        raise UsageError(
            f"{path} {'; '.join(wrong[:MOST_TOLD])}{more}", fix="correct or remove these lines"
        )
    return made
