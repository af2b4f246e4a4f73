"""The rules. All look only at candidates that are not refused.

`ties` says which of equal candidates a rule picks.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean
from typing import TYPE_CHECKING, ClassVar

from orkernel.errors import RefusedError
from orkernel.records import Candidate, Selection

if TYPE_CHECKING:
    from orkernel.context import RunContext


def usable(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that may be picked.

    Raises:
        RefusedError: There is none.
    """
    found = [c for c in candidates if not c.refused and c.formulation is not None]
    if not found:
        raise RefusedError("no candidate passed the checks")
    return found


def mean_confidence(candidate: Candidate) -> float:
    """Mean over the dimensions, 0–100; 0 without evaluations."""
    return fmean(candidate.confidence.values()) if candidate.confidence else 0.0


def _weakest(candidate: Candidate) -> str:
    confidence = candidate.confidence
    return min(confidence, key=lambda d: confidence[d]) if confidence else "nothing was scored"


class MaxMin:
    """argmax_i min_j c_ij (COOPA, arXiv 2606.27611)."""

    ties: ClassVar[str] = "later"

    def select(self, candidates: Sequence[Candidate], ctx: RunContext) -> Selection:
        """Pick by (minimum, mean, later)."""
        del ctx
        found = usable(candidates)
        best = max(found, key=lambda c: (c.min_confidence, mean_confidence(c), c.index))
        reason = (
            f"its weakest dimension ({_weakest(best)}, {best.min_confidence:.1f}) is the strongest "
            f"of {len(found)}"
        )
        rivals = [c for c in found if c.min_confidence == best.min_confidence and c is not best]
        if any(mean_confidence(c) == mean_confidence(best) for c in rivals):
            reason += "; tied with an earlier one, the later is taken"
        elif rivals:
            reason += f"; tied with {len(rivals)}, its mean is higher"
        return Selection(best.index, reason)


class Mean:
    """argmax_i mean_j c_ij."""

    ties: ClassVar[str] = "later"

    def select(self, candidates: Sequence[Candidate], ctx: RunContext) -> Selection:
        """Pick by (mean, minimum, later)."""
        del ctx
        found = usable(candidates)
        best = max(found, key=lambda c: (mean_confidence(c), c.min_confidence, c.index))
        return Selection(
            best.index, f"highest mean confidence ({mean_confidence(best):.1f}) of {len(found)}"
        )


class First:
    """The first usable candidate; to it all are equal."""

    ties: ClassVar[str] = "earlier"

    def select(self, candidates: Sequence[Candidate], ctx: RunContext) -> Selection:
        """Pick the lowest index."""
        del ctx
        best = min(usable(candidates), key=lambda c: c.index)
        return Selection(best.index, "first candidate that passes the checks")
