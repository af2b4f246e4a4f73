"""A call into a plugin: whatever it does, the command goes on and stdout stays the kernel's."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from orkernel.errors import OrkernelError, PluginError
from orkernel.plugins.problems import describe, one_line


class _Redirection:
    """Sends stdout to stderr while at least one thread asks for it.

    `contextlib.redirect_stdout` puts back what it found, which between threads that overlap
    may be another one's redirection: stdout would stay redirected for good.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._users = 0
        self._stdout: TextIO | None = None

    def __enter__(self) -> None:
        with self._lock:
            if not self._users:
                self._stdout, sys.stdout = sys.stdout, sys.stderr
            self._users += 1

    def __exit__(self, *raised: object) -> None:
        with self._lock:
            self._users -= 1
            if not self._users:
                assert self._stdout is not None
                sys.stdout, self._stdout = self._stdout, None


stdout_to_stderr = _Redirection()
"""A context in which what is printed goes to stderr; for any number of threads at once."""


@contextmanager
def contained(prefix: str = "") -> Iterator[None]:
    """Run a plugin's code in the block; what it prints goes to stderr.

    Args:
        prefix: Start of the message, e.g. `selection rule 'x' failed: `.

    Raises:
        PluginError: The code raised anything but an `OrkernelError` or KeyboardInterrupt,
            SystemExit included: no plugin chooses the exit code.
    """
    try:
        with stdout_to_stderr:
            yield
    except (OrkernelError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PluginError(prefix + one_line(describe(error))) from error
