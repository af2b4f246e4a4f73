"""Work in a thread of its own, so that whoever waits can stop waiting."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

POLL = 0.02
"""Seconds between looks at whether to stop."""


def run_apart(work: Callable[[], Any], stop: Callable[[], bool]) -> Any:
    """The result of `work`, or None once `stop` says so; the thread is then left behind.

    Raises:
        Exception: What `work` raised.
    """
    outcome: list[Any] = []

    def run() -> None:
        try:
            outcome.append((work(), None))
        except Exception as error:
            outcome.append((None, error))

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    while thread.is_alive():
        thread.join(POLL)
        if thread.is_alive() and stop():
            return None
    result, error = outcome[0]
    if error is not None:
        raise error
    return result
