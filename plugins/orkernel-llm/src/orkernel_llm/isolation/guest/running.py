"""Executing code in one namespace that lasts. Standard library only."""

from __future__ import annotations

import linecache
import sys
import traceback
from typing import Any

from . import answers, hints

SHOWN = 2000
"""Characters of an exception's message that are told."""


class Final(BaseException):
    """Ends the code where it calls `final_answer`."""


class Runner:
    """One namespace, and `final_answer` in it.

    Args:
        limits: What `hints.hint` names.
        most: Characters that an answer may take as JSON.
    """

    def __init__(self, limits: dict[str, int], most: int) -> None:
        self._limits = limits
        self._most = most
        self._count = 0
        self._answer: str | None = None
        self.names: dict[str, Any] = {"__name__": "__main__", "final_answer": self.final_answer}

    def final_answer(self, answer: Any = None) -> None:
        """Give the answer and end the code."""
        self._answer = answers.encoded(answer, self._most)
        raise Final

    def run(self, code: str) -> tuple[str | None, str]:
        """Execute the code.

        Returns:
            The answer as JSON text, None if there was none, and the exception in words.
        """
        self._count += 1
        self._answer = None
        name = f"<code {self._count}>"
        linecache.cache[name] = (len(code), None, code.splitlines(keepends=True), name)
        error = ""
        try:
            exec(compile(code, name, "exec"), self.names)  # noqa: S102
        except Final:
            pass
        except BaseException as raised:
            error = self._told(raised, name)
        return self._answer, error

    def _told(self, error: BaseException, name: str) -> str:
        message = str(error)[:SHOWN]
        line: int | None = None
        if isinstance(error, SyntaxError) and error.filename == name:
            line, message = error.lineno, error.msg
        else:
            for frame, number in traceback.walk_tb(error.__traceback__):
                if frame.f_code.co_filename.startswith("<code "):
                    line, name = number, frame.f_code.co_filename
        told = f"{type(error).__name__}: {message}" if message else type(error).__name__
        if line:
            text = linecache.getline(name, line).strip()[:200]
            told += f" (line {line}: {text})" if text else f" (line {line})"
        meant = hints.hint(error, self._limits)
        return f"{told} [{meant}]" if meant else told


def flushed() -> None:
    """Hand everything printed so far to the pipe, that of C libraries included."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError, AttributeError):
            continue
