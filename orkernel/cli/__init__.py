"""The `orkernel` command line: a group of lazily imported commands.

`orkernel.cli:main` is the entry point. A command is a click command called
`command` in a module of this package; it may return an `ExitCode`.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit the process with one of `ExitCode`.

    Args:
        arguments: Words after the program's name; `sys.argv[1:]` by default.
    """
    from orkernel.cli.streams import unfailing_streams

    codes: list[int] = []
    if arguments is None:
        atexit.register(_end_stray_threads, codes)
    with unfailing_streams():
        try:
            from orkernel.cli.group import cli
            from orkernel.interrupts import stoppable

            with stoppable():
                result = cli.main(
                    args=None if arguments is None else list(arguments),
                    prog_name="orkernel",
                    standalone_mode=False,
                )
                sys.stdout.flush()
            code = result if isinstance(result, int) else 0
        except BaseException as error:
            from orkernel.cli.failures import exit_code_for

            code = exit_code_for(error)
    codes.append(int(code))
    sys.exit(int(code))


def _end_stray_threads(codes: Sequence[int]) -> None:
    """End the process at once if a solver's thread still runs.

    One inside a C++ library when the interpreter is torn down would abort the process, and
    with it the exit code. Registered first, so that it runs after what else was registered.
    """
    stray = [t for t in threading.enumerate() if t.daemon and t is not threading.main_thread()]
    if stray and codes:
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError, OSError, ValueError):
                stream.flush()
        os._exit(codes[-1])
