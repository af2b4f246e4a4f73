"""Standard streams that cannot bring a command down, whatever the caller made of them."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

PATIENCE = 10_000_000
"""Characters that a command may go on writing after its reader has gone."""


class Unfailing:
    """A text stream for which failures of some kinds end the output, not the command.

    A command that goes on writing without end is ended by BrokenPipeError after `PATIENCE`.

    Args:
        stream: Where the text goes.
        failures: The exceptions after which further text is dropped.
    """

    def __init__(self, stream: TextIO, *failures: type[Exception]) -> None:
        self._stream = stream
        self._failures = failures
        self._dropped: int | None = None

    def write(self, text: str) -> int:
        """Write, and say that all of it was written.

        Raises:
            BrokenPipeError: Nobody has read for a long time.
        """
        if self._dropped is not None:
            self._dropped += len(text)
            if self._dropped > PATIENCE:
                raise BrokenPipeError
            return len(text)
        try:
            self._stream.write(text)
        except self._failures:
            self._silence()
        return len(text)

    def flush(self) -> None:
        """Write what is buffered."""
        try:
            self._stream.flush()
        except self._failures:
            self._silence()

    def _silence(self) -> None:
        self._dropped = 0
        with suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def unfailing_streams() -> Iterator[None]:
    """Make the standard streams safe to use in the block.

    A closed stream reads as empty and drops what is written. A character that the encoding
    lacks is written as an escape. A reader of stdout that has gone, as `head` does, is no
    failure; nor is anything that befalls stderr, since nobody could be told.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout = cast(TextIO, Unfailing(sys.stdout, BrokenPipeError))
    sys.stderr = cast(TextIO, Unfailing(sys.stderr, OSError, ValueError))
    try:
        yield
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
