"""Ctrl-C: the first one stops gracefully and keeps what was done, the second at once."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_graceful = threading.Event()


@contextmanager
def interruptible(cancel: threading.Event) -> Iterator[None]:
    """Turn SIGINT and SIGTERM into a set `cancel` while the block runs.

    Inside a `graceful()` block the first signal only sets `cancel`, so that a solver can
    hand over its incumbent; anywhere else, and for the second signal, it also raises
    KeyboardInterrupt. Outside the main thread nothing is changed.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, frame: FrameType | None) -> None:
        del number, frame
        again = cancel.is_set()
        cancel.set()
        if again or not _graceful.is_set():
            raise KeyboardInterrupt
        print("stopping; press Ctrl-C again to stop at once", file=sys.stderr)

    previous = {s: signal.signal(s, handle) for s in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)


@contextmanager
def graceful() -> Iterator[None]:
    """Marks work that polls `cancel` and returns what it has."""
    _graceful.set()
    try:
        yield
    finally:
        _graceful.clear()
