"""The repairs that one run may pay for."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orkernel.context import RunContext

REPAIRS = 2
"""Calls of one run that mend an answer, whether it could not be read or did not pass the checks.

With three candidates, each written and judged once, that makes eight calls at most."""
KEY = "orkernel_llm.repairs"


class RepairBudget:
    """How many repairs are left."""

    def __init__(self) -> None:
        self._left = REPAIRS
        self._lock = threading.Lock()

    def take(self) -> bool:
        """Take one; False if none is left."""
        with self._lock:
            if self._left == 0:
                return False
            self._left -= 1
            return True


def budget_of(ctx: RunContext) -> RepairBudget:
    """The budget of a run."""
    return ctx.resources.get(KEY, RepairBudget)
