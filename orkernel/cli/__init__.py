"""The `orkernel` command line: a group of lazily imported commands.

`orkernel.cli:main` is the entry point. A command is a click command called
`command` in a module of this package; it may return an `ExitCode`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and exit the process with one of `ExitCode`.

    Args:
        arguments: Words after the program's name; `sys.argv[1:]` by default.
    """
    from orkernel.cli.streams import unfailing_streams

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
    sys.exit(int(code))
