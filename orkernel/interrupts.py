"""Ctrl-C: the first one stops gracefully and keeps what was done, the second at once."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

_graceful = threading.Event()
SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
"""Ctrl-C, `kill`, and a terminal that is closed."""


@contextmanager
def interruptible(cancel: threading.Event) -> Iterator[None]:
    """Turn `SIGNALS` into a set `cancel` while the block runs.

    Inside a `graceful()` block the first signal only sets `cancel`, so that a solver can
    hand over its incumbent; anywhere else, and for the second signal, it also raises
    KeyboardInterrupt. Outside the main thread nothing is changed, and a signal that the
    caller has told this process to ignore, as `nohup` does, stays ignored.
    """

    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        again = cancel.is_set()
        cancel.set()
        if again or not _graceful.is_set():
            raise KeyboardInterrupt
        print("stopping; press Ctrl-C again to stop at once", file=sys.stderr)

    with _handling(handle):
        yield


@contextmanager
def stoppable() -> Iterator[None]:
    """Let every one of `SIGNALS` raise KeyboardInterrupt, so that children are stopped too."""

    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        raise KeyboardInterrupt

    with _handling(handle):
        yield


@contextmanager
def announced(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` at the first of `SIGNALS`; each further one raises KeyboardInterrupt."""
    told = threading.Event()

    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        if told.is_set():
            raise KeyboardInterrupt
        told.set()
        stop()
        print("stopping; press Ctrl-C again to stop at once", file=sys.stderr)

    with _handling(handle):
        yield


@contextmanager
def _handling(handle: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heeded = [s for s in SIGNALS if signal.getsignal(s) is not signal.SIG_IGN]
    previous = {s: signal.signal(s, handle) for s in heeded}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def graceful() -> Iterator[None]:
    """Marks work of the main thread that polls `cancel` and returns what it has.

    Signals interrupt the main thread only, so what other threads are at does not matter.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    _graceful.set()
    try:
        yield
    finally:
        _graceful.clear()
