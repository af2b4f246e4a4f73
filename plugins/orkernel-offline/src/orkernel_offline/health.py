"""Health check for `orkernel doctor`."""

from __future__ import annotations

from orkernel_offline.formulator import read

STATEMENT = "maximize 3x + 2y subject to x + y <= 4, x <= 2, x, y >= 0"


def check() -> str:
    """Read a small statement."""
    return f"read a statement in {len(read(STATEMENT))} reading(s)"
