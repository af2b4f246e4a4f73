"""The questions of a benchmark file, with the figure that counts as their answer."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orkernel.errors import UsageError
from orkernel.runs import no_constant
from orkernel.sources import read_bytes

MAX_BYTES = 500_000_000
"""Largest benchmark file."""


@dataclass(frozen=True, slots=True)
class Item:
    """One question.

    Attributes:
        id: As in the file; the line number where there is none.
        question: The statement.
        label: The figure that the answer must match; None if no figure is named.
        key: The name of that figure in the file's answer.
        fault: Why the label is known to be wrong; empty if it is not.
    """

    id: str
    question: str
    label: float | None
    key: str | None = None
    fault: str = ""


def read_items(path: Path, labels: Path | None, limit: int | None) -> list[Item]:
    """The items of a benchmark file.

    Args:
        path: JSON lines with `question` and `answer` (a number, or an object of numbers).
        labels: JSON lines with `id`, `objective_key` and optionally `fault`. By default
            the file beside `path` with `.labels.jsonl` for `.jsonl`, if it exists.
        limit: Only the first so many.

    Raises:
        UsageError: A file is missing or a line is malformed; names the line.
    """
    if labels is None:
        beside = path.with_name(path.name.removesuffix(".jsonl") + ".labels.jsonl")
        labels = beside if beside.is_file() else None
    overlay = {
        str(value.get("id")): value for _, value in (_lines(labels) if labels is not None else ())
    }
    items: list[Item] = []
    for number, value in _lines(path):
        if limit is not None and len(items) >= limit:
            break
        question = value.get("question")
        if not isinstance(question, str):
            raise UsageError(f"{path} line {number}: 'question' is missing or no text")
        name = str(value.get("id", number))
        extra = overlay.get(name, {})
        label, key = _label(value.get("answer"), extra.get("objective_key"))
        items.append(Item(name, question, label, key, str(extra.get("fault") or "")))
    return items


def _lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    content = read_bytes(path, MAX_BYTES, "benchmark")
    for number, line in enumerate(content.splitlines(), start=1):
        if not line.strip():
            continue
        try:
            value = json.loads(line, parse_constant=no_constant)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path} line {number} is no JSON: {error}") from error
        if not isinstance(value, dict):
            raise UsageError(f"{path} line {number} is no JSON object")
        yield number, value


def _label(answer: Any, key: str | None) -> tuple[float | None, str | None]:
    if isinstance(answer, Mapping):
        return (_number(answer.get(key)) if key is not None else None), key
    number = _number(answer)
    return number, (key if number is None else None)


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
