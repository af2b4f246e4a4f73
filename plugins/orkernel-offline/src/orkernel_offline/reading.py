"""What a reader of statements hands back: a reading, or the reason why there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Reading:
    """One way to understand a statement.

    Attributes:
        formulation: A plain dict in the schema of `orkernel.Formulation`.
        label: What sets this reading apart from its siblings, in a few words.
        trace: The reader's stages as typed values, printed with `-v`.
    """

    formulation: dict[str, Any]
    label: str
    trace: object


class Unreadable(Exception):
    """A statement, or a part of it, that the reader cannot understand and will not guess.

    Attributes:
        reason: What is not understood and how to write it instead.
        spans: `(start, end)` character offsets into the statement, most relevant first.
    """

    def __init__(self, reason: str, spans: tuple[tuple[int, int], ...] = ()) -> None:
        super().__init__(reason)
        self.reason = reason
        self.spans = spans
