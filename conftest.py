"""For all tests: Ctrl-C works, and no example of a property is judged by how long it takes.

A process started in the background by a shell inherits an ignored SIGINT, and so would every
command that the tests start and interrupt.
"""

from __future__ import annotations

import signal
import threading

from hypothesis import settings

settings.register_profile("orkernel", deadline=None)


def pytest_configure() -> None:
    """Put the usual handler in place of an inherited "ignore", and load the profile."""
    settings.load_profile("orkernel")
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.default_int_handler)
