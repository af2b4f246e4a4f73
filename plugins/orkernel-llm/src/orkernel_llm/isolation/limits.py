"""What an isolated process may use, and what came of code that ran in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ANSWER_BYTES = 8 << 20
"""Size that an answer may have as JSON."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one isolated process and everything it starts.

    Args:
        wall_seconds: Time that one run may take.
        cpu_seconds: Processor time of the sandbox from start to end.
        memory_mb: MiB of address space of each process, and of memory of all together.
        disk_mb: MiB of files in the working folder.
        processes: Processes and threads at one time.
        open_files: Open files of each process.
        output_bytes: What may be printed in one run.
    """

    wall_seconds: float = 60
    cpu_seconds: float = 60
    memory_mb: int = 2048
    disk_mb: int = 64
    processes: int = 32
    open_files: int = 128
    output_bytes: int = 200_000


@dataclass(frozen=True, slots=True)
class Executed:
    """What came of one run.

    Args:
        output: What the code printed.
        value: What `final_answer` was called with, as JSON; None if it was not.
        finished: Whether `final_answer` was called.
        error: The exception that ended the code, with its line; empty if none.
        stopped: The limit or fence that ended the process, in words; empty if it lives.
    """

    output: str
    value: Any
    finished: bool
    error: str
    stopped: str
