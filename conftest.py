"""For all tests: Ctrl-C works, also where the tests themselves run in the background.

A process started in the background by a shell inherits an ignored SIGINT, and so would every
command that the tests start and interrupt.
"""

from __future__ import annotations

import signal
import threading


def pytest_configure() -> None:
    """Put the usual handler in place of an inherited "ignore"."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
