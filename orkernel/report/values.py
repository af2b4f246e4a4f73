"""Nested values as flat, labelled figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any


def flatten(values: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """`ship[Seattle,Boston]` and its value, for nested values."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            for inner, number in _leaves(value):
                yield f"{key}[{','.join(inner)}]", number
        else:
            yield key, value


def _leaves(value: Mapping[str, Any]) -> Iterator[tuple[tuple[str, ...], float]]:
    for key, inner in value.items():
        if isinstance(inner, Mapping):
            for path, number in _leaves(inner):
                yield (key, *path), number
        else:
            yield (key,), inner
