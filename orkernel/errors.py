"""Every error that orkernel raises on purpose.

An error carries what a user needs: a message that names the element and the
place, and a `fix`. The command line prints both and exits with `exit_code`;
it never shows a traceback for one of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum

Span = tuple[int, int]


class ExitCode(IntEnum):
    """Exit codes of the `orkernel` command; scripts may rely on them."""

    OK = 0
    FAILED = 1
    USAGE = 2
    INFEASIBLE_OR_UNBOUNDED = 3
    REFUSED = 4
    BROKEN = 5
    INTERRUPTED = 130


class OrkernelError(Exception):
    """Base of all deliberate errors.

    Args:
        message: What is wrong, naming the element and the place in the input.
        fix: What the user can do about it; empty when there is nothing to add.
    """

    exit_code: ExitCode = ExitCode.BROKEN

    def __init__(self, message: str, *, fix: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.fix = fix

    def __str__(self) -> str:
        return f"{self.message} ({self.fix})" if self.fix else self.message


class UsageError(OrkernelError):
    """Bad command line, unreadable input, broken JSON or schema."""

    exit_code = ExitCode.USAGE


class UnknownName(UsageError):
    """A plugin, agent, rule or option was asked for by a name that nothing has."""


class RefusedError(OrkernelError):
    """The input was read but an answer would not be trustworthy."""

    exit_code = ExitCode.REFUSED


class Refused(RefusedError):
    """Raised by a formulator that cannot read the statement.

    Args:
        reason: Which part could not be read and why.
        spans: Character offsets `(start, end)` into the statement.
    """

    def __init__(self, reason: str, spans: Sequence[Span] = (), *, fix: str = "") -> None:
        super().__init__(reason, fix=fix)
        self.reason = reason
        self.spans = tuple(spans)


class NoMoreReadings(OrkernelError):
    """Raised by a formulator that has no further, different candidate."""

    exit_code = ExitCode.REFUSED

    def __init__(self, message: str = "no further reading of the statement") -> None:
        super().__init__(message)


class NoMoreRepairs(OrkernelError):
    """Raised by a formulator that does not try to repair a candidate again."""

    exit_code = ExitCode.REFUSED

    def __init__(self, message: str = "no further repair is tried") -> None:
        super().__init__(message)


class ExpressionError(RefusedError):
    """An expression cannot be parsed or does not fit its formulation.

    Args:
        message: What is wrong.
        text: The expression.
        span: Character offsets `(start, end)` of the offending part in `text`.
        element: The element the expression belongs to, e.g. `constraint 'supply'`.
    """

    def __init__(
        self,
        message: str,
        *,
        text: str = "",
        span: Span = (0, 0),
        element: str = "",
        fix: str = "",
    ) -> None:
        super().__init__(message, fix=fix)
        self.text = text
        self.span = span
        self.element = element

    def __str__(self) -> str:
        place = f"{self.element}: " if self.element else ""
        column = f" at column {self.span[0] + 1}" if self.text else ""
        tail = f" ({self.fix})" if self.fix else ""
        return f"{place}{self.message}{column}{tail}"


class DataError(RefusedError):
    """The data of a formulation is missing, of the wrong shape or not a finite number."""


class Unsupported(OrkernelError):
    """Raised by a solver agent that cannot take an element of the model.

    Args:
        element: The element, e.g. `constraint 'tour'`.
        why: What the agent lacks.
    """

    def __init__(self, element: str, why: str) -> None:
        super().__init__(f"{element}: {why}")
        self.element = element
        self.why = why


class PluginError(OrkernelError):
    """A plugin failed: at load, in a hook, or while doing its work."""


class Unavailable(PluginError):
    """A service that the run needs does not answer; asking again now would not help."""


class Cancelled(OrkernelError):
    """The user interrupted the run."""

    exit_code = ExitCode.INTERRUPTED

    def __init__(self, message: str = "interrupted") -> None:
        super().__init__(message)
