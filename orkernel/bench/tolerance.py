"""When two figures agree."""

from __future__ import annotations

import math
from dataclasses import dataclass

from orkernel.errors import UsageError

WHOLE = "whole"
SMALLEST = 1e-9
"""Absolute difference that is always allowed: what printing a number costs."""


@dataclass(frozen=True, slots=True)
class Tolerance:
    """`rel:R` (relative to the label), `abs:A`, or `whole` (equal as whole numbers)."""

    kind: str
    value: float = 0.0

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Read `rel:R`, `abs:A` or `whole`.

        Raises:
            UsageError: It is none of them.
        """
        if text == WHOLE:
            return cls(WHOLE)
        kind, _, number = text.partition(":")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if kind not in ("rel", "abs") or not 0 <= value < math.inf:
            raise UsageError(
                f"tolerance '{text}' is neither rel:R nor abs:A nor whole", fix="e.g. rel:1e-4"
            )
        return cls(kind, value)

    def accepts(self, found: float, label: float) -> bool:
        """True if the figures agree; `whole` rounds both, halves away from zero."""
        if self.kind == WHOLE:
            return _whole(found) == _whole(label)
        allowed = self.value * (abs(label) if self.kind == "rel" else 1.0)
        return abs(found - label) <= max(allowed, SMALLEST)

    def __str__(self) -> str:
        return WHOLE if self.kind == WHOLE else f"{self.kind}:{self.value:g}"


def _whole(value: float) -> float:
    return math.copysign(math.floor(abs(value) + 0.5 + SMALLEST), value) + 0.0
