"""Labels: which figure of an item's answer counts, how exactly, and which labels are wrong."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orkernel.bench.items import Item, read_lines
from orkernel.bench.tolerance import Tolerance
from orkernel.errors import UsageError

NO_SOLUTION = ("infeasible", "unbounded")
"""Answers that a file may give in place of a figure."""


@dataclass(frozen=True, slots=True)
class Label:
    """What an item's answer must be.

    Attributes:
        value: The figure, or `infeasible` or `unbounded`; None if none is named.
        key: Name of the figure.
        fault: Why the label is known to be wrong; empty if it is not.
        tolerance: Its own scoring rule; None for that of the bench.
    """

    value: float | str | None
    key: str | None = None
    fault: str = ""
    tolerance: Tolerance | None = None


@dataclass(frozen=True, slots=True)
class LabelSet:
    """The labels of one overlay file.

    Attributes:
        name: For tables.
        labels: By item.
        remarks: What is odd about them, one line each.
    """

    name: str
    labels: Mapping[str, Label]
    remarks: tuple[str, ...] = ()

    @property
    def faulty(self) -> frozenset[str]:
        """Items whose labels are known to be wrong."""
        return frozenset(id for id, label in self.labels.items() if label.fault)


def read_label_sets(data: Path, paths: Sequence[Path], items: Sequence[Item]) -> list[LabelSet]:
    """One set per overlay file.

    Args:
        data: The benchmark file.
        paths: Overlays: JSON lines with `id` and any of `objective_key`, `fault`,
            `tolerance` and `answer` (in place of that of the data). By default the file beside
            `data` with `.labels.jsonl` for `.jsonl`, if it exists.
        items: The items.

    Raises:
        UsageError: A file is missing or has malformed lines; names them.
    """
    beside = data.with_name(data.name.removesuffix(".jsonl") + ".labels.jsonl")
    if not paths:
        overlay = _read(beside) if beside.is_file() else {}
        return [_label_set("raw labels", overlay, items)]
    names = [path.name for path in paths]
    return [
        _label_set(
            "raw labels"
            if len(paths) == 1
            else (path.name if names.count(path.name) == 1 else str(path)),
            _read(path),
            items,
        )
        for path in paths
    ]


def _read(path: Path) -> dict[str, Mapping[str, Any]]:
    lines: dict[str, int] = {}

    def entry(number: int, value: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
        if "id" not in value:
            raise ValueError("'id' is missing")
        name = str(value["id"])
        if lines.setdefault(name, number) != number:
            raise ValueError(f"id '{name}' is that of line {lines[name]} too")
        for field in ("objective_key", "fault", "tolerance"):
            if value.get(field) is not None and not isinstance(value[field], str):
                raise ValueError(f"'{field}' is no text")
        if value.get("tolerance") is not None:
            try:
                Tolerance.parse(value["tolerance"])
            except UsageError as error:
                raise ValueError(error.message) from error
        return name, value

    return dict(read_lines(path, "labels", entry))


def _label_set(
    name: str, overlay: Mapping[str, Mapping[str, Any]], items: Sequence[Item]
) -> LabelSet:
    labels = {item.id: _label(item, overlay.get(item.id, {})) for item in items}
    remarks = [
        f"item {item.id}: its answer has no figure '{key}'"
        for item in items
        if (key := labels[item.id].key) is not None and labels[item.id].value is None
    ]
    missing = sum(label.value is None for label in labels.values())
    if missing:
        remarks.append(f"{missing} of {len(items)} items have no figure to compare with")
    return LabelSet(name, labels, tuple(f"{name}: {remark}" for remark in remarks))


def _label(item: Item, extra: Mapping[str, Any]) -> Label:
    answer = extra["answer"] if extra.get("answer") is not None else item.answer
    key = extra.get("objective_key")
    if isinstance(answer, Mapping):
        answer = answer.get(key) if key is not None else None
    tolerance = extra.get("tolerance")
    return Label(
        _value(answer),
        key,
        str(extra.get("fault") or ""),
        Tolerance.parse(tolerance) if tolerance is not None else None,
    )


def _value(answer: Any) -> float | str | None:
    if isinstance(answer, str):
        word = answer.strip().casefold()
        return word if word in NO_SOLUTION else None
    if not isinstance(answer, int | float) or isinstance(answer, bool):
        return None
    try:
        number = float(answer)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
