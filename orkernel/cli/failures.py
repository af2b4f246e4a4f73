"""What a user sees when a command ends in an exception, and with which exit code."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from orkernel.errors import ExitCode, ExpressionError, OrkernelError

if TYPE_CHECKING:
    import click

UNREADABLE = {
    errno.ENOENT,
    errno.EACCES,
    errno.EPERM,
    errno.EISDIR,
    errno.ENOTDIR,
    errno.EROFS,
    errno.ENAMETOOLONG,
    errno.ELOOP,
}
"""File errors that come from what the user named, not from a failing machine."""
FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}
"""Errors of a stream that takes no more."""


def exit_code_for(error: BaseException) -> int:
    """Report an exception on stderr and return the exit code.

    A traceback is shown only with `ORKERNEL_DEBUG=1`; otherwise that of an unexpected
    exception goes to a log file whose path is shown.
    """
    import click

    if isinstance(error, SystemExit):
        if error.code is None or isinstance(error.code, int):
            return error.code or 0
        _say(str(error.code))
        return ExitCode.FAILED
    if isinstance(error, KeyboardInterrupt | click.Abort):
        _say("interrupted")
        return ExitCode.INTERRUPTED
    if isinstance(error, BrokenPipeError):
        return ExitCode.OK
    if os.environ.get("ORKERNEL_DEBUG", "") not in ("", "0"):
        import traceback

        traceback.print_exception(error)
    if isinstance(error, OrkernelError):
        print_error(error)
        return error.exit_code
    if isinstance(error, click.ClickException):
        _print_click_error(error)
        return error.exit_code
    if isinstance(error, OSError) and error.errno in FULL and error.filename is None:
        _say(f"error: standard output: {error.strerror}")
        _say("fix: write it to another place; `orkernel show` prints a finished run again")
        return ExitCode.BROKEN
    if isinstance(error, OSError) and error.filename is not None:
        _say(f"error: {error.filename}: {error.strerror}")
        return ExitCode.USAGE if error.errno in UNREADABLE else ExitCode.BROKEN
    return _print_internal_error(error)


def print_error(error: OrkernelError) -> None:
    """Write `error: …` and, if there is one, `fix: …` to stderr."""
    message = error.message
    if isinstance(error, ExpressionError):
        place = f"{error.element}: " if error.element else ""
        column = f" at column {error.span[0] + 1}" if error.text else ""
        message = f"{place}{message}{column}"
    _say(f"error: {message}")
    if error.fix:
        _say(f"fix: {error.fix}")


def _print_click_error(error: click.ClickException) -> None:
    import click

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _say(error.format_message())
        return
    _say(f"error: {error.format_message()}")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        _say(f"fix: see `{error.ctx.command_path} --help`")


def _print_internal_error(error: BaseException) -> int:
    import traceback

    from orkernel.plugins.problems import describe, one_line
    from orkernel.version import __version__

    _say(f"internal error: {one_line(describe(error))}")
    report = "".join(traceback.format_exception(error))
    try:
        path = _write_log(f"orkernel {__version__}\n{sys.argv}\n{report}")
    except OSError:
        _say("fix: please report this with what ORKERNEL_DEBUG=1 prints")
    else:
        _say(f"fix: please report this with the file {path}")
    return ExitCode.BROKEN


def _write_log(text: str) -> Path:
    from datetime import datetime

    from platformdirs import user_log_path

    folder = user_log_path("orkernel", appauthor=False)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"error-{datetime.now():%Y%m%d-%H%M%S}-{os.getpid()}.log"
    path.write_text(text, encoding="utf-8", errors="backslashreplace")
    return path


def _say(line: str) -> None:
    print(line, file=sys.stderr)
