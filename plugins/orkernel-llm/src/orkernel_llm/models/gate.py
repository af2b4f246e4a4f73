"""How many calls one model gets at once, counted over all runs of this process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from orkernel.context import RunContext
from orkernel_llm.models import stopping
from orkernel_llm.models.stopping import STEP, OutOfTime


class Gate:
    """Lets a limited number of calls through at once; each caller brings its own limit."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._inside = 0

    @contextmanager
    def through(
        self, limit: int, ctx: RunContext, waiting: Callable[[float], None]
    ) -> Iterator[None]:
        """A place inside, for the length of a `with` block.

        Args:
            limit: How many may be inside at once.
            ctx: Whose cancellation and deadline end the wait.
            waiting: Told the seconds so far, every few seconds.

        Raises:
            Cancelled: The user interrupted the run.
            OutOfTime: The run's deadline passed.
        """
        start = told = time.monotonic()
        with self._changed:
            while self._inside >= limit:
                ctx.check_cancelled()
                if ctx.deadline is not None and time.monotonic() >= ctx.deadline:
                    raise OutOfTime
                if time.monotonic() - told >= stopping.WAITING_EVERY:
                    told = time.monotonic()
                    waiting(told - start)
                self._changed.wait(STEP)
            self._inside += 1
        try:
            yield
        finally:
            with self._changed:
                self._inside -= 1
                self._changed.notify()


_gates: dict[tuple[str, str], Gate] = {}
_lock = threading.Lock()


def gate_of(model: str, address: str) -> Gate:
    """The gate that all clients of a model at an address share."""
    with _lock:
        return _gates.setdefault((model, address), Gate())
