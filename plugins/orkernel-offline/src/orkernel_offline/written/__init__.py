"""Reader of statements that contain their algebra, in LaTeX, Unicode or plain text."""

from __future__ import annotations

from orkernel_offline.reading import Reading


def looks_written(statement: str) -> bool:
    """Whether `statement` contains algebra that this reader should handle."""
    from orkernel_offline.written.recognise import looks_written as recognise

    return recognise(statement)


def readings(statement: str) -> list[Reading]:
    """Every way to understand `statement`, best first.

    Args:
        statement: Plain text or Markdown, with algebra in LaTeX or plain characters.

    Raises:
        orkernel_offline.reading.Unreadable: It, or a part of it, is not understood.
    """
    from orkernel_offline.written.read import read

    return read(statement)


__all__ = ["looks_written", "readings"]
