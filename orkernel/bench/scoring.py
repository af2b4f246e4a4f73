"""What counts as right, and the sums over a benchmark."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orkernel.errors import UsageError


@dataclass(frozen=True, slots=True)
class Tolerance:
    """`rel:1e-4` (relative to the label) or `abs:0.01`."""

    kind: str
    value: float

    @classmethod
    def parse(cls, text: str) -> Tolerance:
        """Read `rel:R` or `abs:A`.

        Raises:
            UsageError: It is neither.
        """
        kind, _, number = text.partition(":")
        try:
            value = float(number)
        except ValueError:
            value = math.nan
        if kind not in ("rel", "abs") or not 0 <= value < math.inf:
            raise UsageError(f"tolerance '{text}' is neither rel:R nor abs:A", fix="e.g. rel:1e-4")
        return cls(kind, value)

    def accepts(self, found: float, label: float) -> bool:
        """True if the figures agree."""
        allowed = self.value * (abs(label) if self.kind == "rel" else 1.0)
        return abs(found - label) <= max(allowed, 1e-9)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one item.

    Attributes:
        id: The item.
        verdict: right | wrong | unscored (answered, but no figure to compare) | refused |
            failed.
        found: The figure found, or None.
        label: The figure in the file, or None.
        status: Status of the answer.
        why: Reason of a refusal or failure.
        fault: Why the label is known to be wrong.
        seconds: Wall-clock seconds.
        min_confidence: Of the selected candidate.
    """

    id: str
    verdict: str
    found: float | None
    label: float | None
    status: str
    why: str
    fault: str
    seconds: float
    min_confidence: float | None = None

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over some outcomes."""

    items: int
    right: int
    wrong: int
    unscored: int
    refused: int
    failed: int
    seconds: float

    @property
    def answered(self) -> int:
        """Items with a checked answer."""
        return self.right + self.wrong + self.unscored

    @property
    def accuracy(self) -> float | None:
        """right / (right + wrong); None if nothing was scored."""
        scored = self.right + self.wrong
        return self.right / scored if scored else None

    def to_json(self) -> dict[str, Any]:
        """All counts."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return {**fields, "answered": self.answered, "accuracy": self.accuracy}


def summarise(outcomes: Sequence[Outcome]) -> Summary:
    """Count verdicts."""
    count = Counter(o.verdict for o in outcomes)
    return Summary(
        items=len(outcomes),
        right=count["right"],
        wrong=count["wrong"],
        unscored=count["unscored"],
        refused=count["refused"],
        failed=count["failed"],
        seconds=sum(o.seconds for o in outcomes),
    )


def reasons(outcomes: Sequence[Outcome], most: int = 10) -> list[tuple[str, int]]:
    """The commonest kinds of refusal; quoted parts are left out to group them."""
    import re

    def kind(why: str) -> str:
        return re.sub(r"[“\"'‘].*?[”\"'’]", "…", why)[:100]

    count = Counter(kind(o.why) for o in outcomes if o.verdict in ("refused", "failed"))
    return count.most_common(most)
