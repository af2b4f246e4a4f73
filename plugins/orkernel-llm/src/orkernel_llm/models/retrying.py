"""When a failed call is repeated, and after how long."""

from __future__ import annotations

import random
from dataclasses import dataclass

from orkernel_llm.models.faults import PASSING, Fault, Trouble

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
TRIES_AFTER_TIMEOUT = 2
"""A call that ran into its time limit is repeated once only: each try takes that long."""


@dataclass(frozen=True, slots=True)
class Retrying:
    """How often and how patiently.

    Attributes:
        tries: Tries in all.
        patience: Longest pause that a server may ask for, in seconds.
    """

    tries: int
    patience: float

    def pause(
        self, fault: Fault, tried: int, remaining: float | None, chance: random.Random
    ) -> float | None:
        """Seconds to wait before the next try; None if there is none.

        Args:
            fault: What went wrong.
            tried: Tries so far.
            remaining: Seconds that the run has left; None without a limit.
            chance: Source of the jitter, so that many callers do not come back at once.
        """
        allowed = self.tries
        if fault.trouble is Trouble.TIMEOUT:
            allowed = min(allowed, TRIES_AFTER_TIMEOUT)
        if fault.trouble not in PASSING or tried >= allowed or fault.pause > self.patience:
            return None
        own = min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (tried - 1)) * (0.5 + 0.5 * chance.random())
        pause = max(own, fault.pause)
        return None if remaining is not None and pause >= remaining else pause
