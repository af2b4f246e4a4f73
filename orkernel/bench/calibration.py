"""How well a confidence from 0 to 100 tells right answers from wrong ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np

EDGES = (0, 20, 40, 60, 80, 100)


@dataclass(frozen=True, slots=True)
class Bin:
    """Answers whose confidences lie in one range.

    Attributes:
        name: The range; its upper end is outside, but for exact 100, a bin of its own.
        items: Answers.
        right: Right ones.
        confidence: Mean confidence, 0 to 100; None without answers.
    """

    name: str
    items: int
    right: int
    confidence: float | None

    @property
    def accuracy(self) -> float | None:
        """Share of right answers; None without answers."""
        return self.right / self.items if self.items else None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Confidences against verdicts.

    Attributes:
        items: Answers that were scored and have a confidence.
        bins: By range.
        brier: Brier score of confidence / 100; 0 is perfect, 0.25 is a constant one half.
        auroc: Probability that a right answer has the higher confidence; 0.5 is chance. None
            unless there are right and wrong answers.
    """

    items: int
    bins: tuple[Bin, ...]
    brier: float | None
    auroc: float | None

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        bins = [{**asdict(b), "accuracy": b.accuracy} for b in self.bins]
        return {"items": self.items, "bins": bins, "brier": self.brier, "auroc": self.auroc}


def calibrate(confidences: Sequence[float], right: Sequence[bool]) -> Calibration:
    """Calibration of confidences (0 to 100) of answers that were right or not."""
    return Calibration(
        len(confidences), bins(confidences, right), brier(confidences, right),
        auroc(confidences, right),
    )  # fmt: skip


def bins(confidences: Sequence[float], right: Sequence[bool]) -> tuple[Bin, ...]:
    """Answers by range of confidence: five ranges of 20, and exact 100."""
    score, hit = np.asarray(confidences, float), np.asarray(right, bool)
    ranges = [(f"{low}–{high}", (score >= low) & (score < high)) for low, high in pairwise(EDGES)]
    return tuple(
        Bin(
            name,
            int(inside.sum()),
            int(hit[inside].sum()),
            float(score[inside].mean()) if inside.any() else None,
        )
        for name, inside in (*ranges, ("100", score >= EDGES[-1]))
    )


def brier(confidences: Sequence[float], right: Sequence[bool]) -> float | None:
    """Brier score: mean of (confidence/100 − right)²; None without answers.

    Source: Brier, Monthly Weather Review 78 (1950) 1–3, in the form for two outcomes.
    """
    if not len(confidences):
        return None
    error = np.asarray(confidences, float) / 100 - np.asarray(right, float)
    return float(np.mean(error**2))


def auroc(confidences: Sequence[float], right: Sequence[bool]) -> float | None:
    """Area under the ROC curve; ties count one half; None unless both kinds are there.

    The Mann–Whitney statistic over the number of pairs: Hanley and McNeil, Radiology 143
    (1982) 29–36.
    """
    hit = np.asarray(right, bool)
    good, bad = int(hit.sum()), int((~hit).sum())
    if not good or not bad:
        return None
    _, place, ties = np.unique(
        np.asarray(confidences, float), return_inverse=True, return_counts=True
    )
    ranks = (np.cumsum(ties) - (ties - 1) / 2)[place]
    return float((ranks[hit].sum() - good * (good + 1) / 2) / (good * bad))
