"""What a way to isolate offers."""

from __future__ import annotations

import json
import os
import random
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from orkernel_llm.isolation.limits import ANSWER_BYTES, Limits
from orkernel_llm.isolation.places import GUEST, Places

START = (
    "import sys; sys.path.insert(0, sys.argv[1]); from guest import {module}; "
    "sys.path.pop(0); {module}.main()"
)
_UNASSIGNED = (1_900_000_000, 2_100_000_000)


@dataclass(frozen=True, slots=True)
class Ends:
    """Descriptors that the isolated process inherits; it inherits no others.

    Args:
        requests: Where it reads requests.
        results: Where it writes results.
        output: Where everything goes that it prints.
    """

    requests: int
    results: int
    output: int


@dataclass(frozen=True, slots=True)
class Room:
    """What the working folder holds: bytes of files, and files and folders."""

    used: int
    files: int


class Launched(Protocol):
    """One isolated process, with all that it starts."""

    process: subprocess.Popen[bytes]

    def room(self) -> Room:
        """What the working folder holds now; raises `OSError` if it cannot be seen."""

    def end(self) -> None:
        """Kill everything, wait until it is gone, and remove the working folder."""


class Backend(Protocol):
    """One way to isolate, found to work on this machine."""

    @property
    def name(self) -> str:
        """`bubblewrap` or `landlock`."""

    def launch(self, limits: Limits, ends: Ends) -> Launched:
        """Start an isolated interpreter; the thread that calls must outlive it."""


def command(places: Places, module: str, config: Mapping[str, Any]) -> list[str]:
    """The command line of a module of the guest."""
    start = START.format(module=module)
    return [places.python, "-s", "-S", "-P", "-c", start, str(GUEST.parent), json.dumps(config)]


def settings(limits: Limits, ends: Ends, places: Places, uid: int | None) -> dict[str, Any]:
    """What the worker has to know, as JSON."""
    return {
        "requests": ends.requests,
        "results": ends.results,
        "path": list(places.path),
        "uid": uid,
        "answer_bytes": ANSWER_BYTES,
        "limits": {
            "cpu_seconds": max(1, round(limits.cpu_seconds)),
            "memory_mb": limits.memory_mb,
            "disk_mb": limits.disk_mb,
            "processes": limits.processes,
            "all_processes": limits.processes,
            "open_files": limits.open_files,
        },
    }


def environment(places: Places, folder: str) -> dict[str, str]:
    """The whole environment of the isolated process; nothing of the host's is in it.

    The order of sets is always the same, so that equal programs print equal words: a recorded
    conversation can be replayed.
    """
    threads = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    return {
        "PATH": os.pathsep.join(places.search),
        "LANG": "C.UTF-8",
        "HOME": folder,
        "TMPDIR": folder,
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONHASHSEED": "0",
        "MALLOC_ARENA_MAX": "2",
        **dict.fromkeys(threads, "1"),
    }


def unused_user() -> int | None:
    """A user number that nothing on this machine has; None for who is not root.

    The range lies above those that distributions and container tools assign.
    """
    if os.geteuid() != 0:
        return None
    taken = set()
    for process in Path("/proc").iterdir():
        with suppress(OSError):  # it may have ended meanwhile
            taken.add(process.stat().st_uid)
    while (number := random.SystemRandom().randrange(*_UNASSIGNED)) in taken:
        continue
    return number
