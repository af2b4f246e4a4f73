"""Looking at a process and all that it started, through Linux's `/proc`."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_KIB = 1024
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


@dataclass(frozen=True, slots=True)
class Usage:
    """What a tree of processes uses: seconds of processor time, bytes of memory."""

    cpu_seconds: float
    memory: int


def children(pid: int) -> list[int]:
    """The living children of a process; empty if it is gone."""
    found: list[int] = []
    try:
        for task in Path(f"/proc/{pid}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    except OSError:
        pass
    return found


def descendants(pid: int) -> Iterator[int]:
    """All processes below one, parents first."""
    waiting = children(pid)
    seen = set(waiting)
    while waiting:
        present = waiting.pop()
        yield present
        more = [child for child in children(present) if child not in seen]
        seen.update(more)
        waiting += more


def usage(pid: int, memory_bound: int) -> Usage:
    """What all processes below one use.

    Memory that processes share is counted once, but only looked at that closely where the
    simple sum exceeds the bound.

    Args:
        pid: The process above them.
        memory_bound: Bytes.
    """
    tree = list(descendants(pid))
    seconds = 0.0
    resident: dict[int, int] = {}
    for process in tree:
        try:
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        seconds += sum(int(field) for field in fields[11:15]) / _TICKS
        resident[process] = int(fields[21]) * _PAGE
    memory = sum(resident.values())
    if memory > memory_bound:
        memory = sum(_proportional(process, most) for process, most in resident.items())
    return Usage(seconds, memory)


def _proportional(pid: int, most: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except ProcessLookupError:
        return 0
    except OSError:
        return most
    for line in text.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * _KIB
    return 0


def let_be_killed_first(pid: int) -> None:
    """Have the kernel choose these processes when the machine runs out of memory."""
    for process in descendants(pid):
        try:
            Path(f"/proc/{process}/oom_score_adj").write_text("1000")
        except OSError:
            continue


def wait_for(handle: int, seconds: float = 5.0) -> bool:
    """Wait until the process of a descriptor is gone; False if it is still there."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def threads_of(user: int) -> int:
    """How many threads a user of this machine has now."""
    count = 0
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and entry.stat().st_uid == user:
                count += len(list((entry / "task").iterdir()))
        except OSError:
            continue
    return count
