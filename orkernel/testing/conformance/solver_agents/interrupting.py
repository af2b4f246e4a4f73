"""Ctrl-C for a block of code, without touching anything outside it."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from orkernel.errors import UsageError


@contextmanager
def ctrl_c_after(seconds: float) -> Iterator[threading.Event]:
    """Press Ctrl-C once, that many seconds after the start of the block, if it still runs.

    Yields:
        An event that is set once it was pressed.

    Raises:
        UsageError: This is not the main thread, which alone gets signals.
        KeyboardInterrupt: As Ctrl-C does.
    """
    if threading.current_thread() is not threading.main_thread():
        raise UsageError("Ctrl-C reaches the main thread only", fix="run the kit there")
    pressed = threading.Event()
    over = threading.Lock()

    def press() -> None:
        with over:
            if not timer.finished.is_set():
                pressed.set()
                signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(seconds, press)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer.start()
    try:
        yield pressed
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)
