"""A call into a plugin: whatever it does, the command goes on and stdout stays the kernel's."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout

from orkernel.errors import OrkernelError, PluginError
from orkernel.plugins.problems import describe, one_line


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
        with redirect_stdout(sys.stderr):
            yield
    except (OrkernelError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise PluginError(prefix + one_line(describe(error))) from error
