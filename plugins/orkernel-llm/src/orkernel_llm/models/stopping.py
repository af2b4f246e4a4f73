"""Runs a call that blocks so that the run's cancellation and deadline still count.

The call works in a daemon thread while the caller waits in small steps. When the caller gives
up, the call is told by its `Stop` and left alone: what it still brings is thrown away.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from orkernel.context import RunContext

T = TypeVar("T")

STEP = 0.1
"""Seconds between two looks at cancellation."""
WAITING_EVERY = 5.0
"""Seconds between two signs of life."""


class Abandoned(Exception):
    """Raised inside a call whose caller has given up."""


class OutOfTime(Exception):
    """The call did not end in time."""


class Stop:
    """Tells a call, from outside, to give up.

    Attributes:
        deadline: `time.monotonic()` value after which nobody waits for the call.
    """

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self._asked = threading.Event()

    def ask(self) -> None:
        """Tell the call to give up."""
        self._asked.set()

    @property
    def asked(self) -> bool:
        """True once nobody waits for the call any more."""
        return self._asked.is_set() or time.monotonic() >= self.deadline

    def check(self) -> None:
        """Raise `Abandoned` once nobody waits for the call any more."""
        if self.asked:
            raise Abandoned


class _Outcome(Generic[T]):
    """What a call brought: a value or an error."""

    def __init__(self) -> None:
        self.done = threading.Event()
        self.value: T | None = None
        self.error: BaseException | None = None

    def run(self, call: Callable[[Stop], T], stop: Stop) -> None:
        try:
            self.value = call(stop)
        except BaseException as error:
            self.error = error
        finally:
            self.done.set()


def run_stoppable(
    call: Callable[[Stop], T],
    ctx: RunContext,
    seconds: float,
    waiting: Callable[[float], None],
) -> T:
    """The value of `call(stop)`, or its error.

    Args:
        call: What may block; it may look at `stop` to end early.
        ctx: Whose cancellation ends the wait.
        seconds: How long to wait at most.
        waiting: Told the seconds so far, every few seconds.

    Raises:
        Cancelled: The user interrupted the run.
        OutOfTime: The call did not end within `seconds`.
    """
    start = time.monotonic()
    stop = Stop(start + seconds)
    outcome: _Outcome[T] = _Outcome()
    thread = threading.Thread(
        target=outcome.run, args=(call, stop), name="orkernel-llm-call", daemon=True
    )
    thread.start()
    told = start
    try:
        while not outcome.done.wait(max(0.0, min(STEP, stop.deadline - time.monotonic()))):
            ctx.check_cancelled()
            now = time.monotonic()
            if now >= stop.deadline:
                raise OutOfTime
            if now - told >= WAITING_EVERY:
                told = now
                waiting(now - start)
    finally:
        stop.ask()
    if isinstance(outcome.error, Abandoned):
        raise OutOfTime from outcome.error
    if outcome.error is not None:
        raise outcome.error
    value: T = outcome.value  # type: ignore[assignment]
    return value


def sleep(seconds: float, ctx: RunContext) -> None:
    """Wait; a cancelled run ends the wait at once.

    Raises:
        Cancelled: The user interrupted the run.
    """
    ctx.cancel.wait(seconds)
    ctx.check_cancelled()
