"""The worker process: `python -m orkernel_pyomo.worker MEMORY_MB`.

Reads names of folders from its standard input, one per line; in each it finds a request
and a model, solves or writes it, and leaves the answer there. Whatever it prints, and
whatever its solver prints, is the log; lines after `MARK` are meant for the one who asked.
It ends when nobody asks for a while, or when the process that asked is gone.
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

PATIENCE = 0.5
"""Seconds without a job after which the worker ends."""


def main(memory_mb: int) -> None:
    """Do the jobs that standard input names."""
    jobs = _private_input()
    _die_with_parent()
    _limit_memory(memory_mb)
    for folder in _folders(jobs):
        if not _job(folder):
            return


def _job(folder: Path) -> bool:
    """Do one job; False if the process had better not do another."""
    from orkernel_pyomo.job import Answer, read_request, say, write_answer

    say("begun")
    tempfile.tempdir = str(folder)
    healthy = True
    try:
        from orkernel_pyomo.tasks import perform

        answer, point = perform(read_request(folder), folder)
    except MemoryError:
        healthy = False
        answer, point = Answer("out_of_memory", "out of memory"), None
    except Exception as error:
        traceback.print_exc()
        healthy = False
        answer, point = Answer("failed", f"{type(error).__name__}: {error}"), None
    write_answer(answer, point, folder)
    _flush()
    say("done")
    return healthy


def _private_input() -> int:
    """The job pipe, under a number that no solver inherits as its standard input."""
    jobs = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    return jobs


def _folders(jobs: int) -> Iterator[Path]:
    pending = b""
    while True:
        if os.name == "posix" and not select.select([jobs], [], [], PATIENCE)[0]:
            return
        read = os.read(jobs, 65536)
        if not read:
            return
        *names, pending = (pending + read).split(b"\n")
        for name in names:
            yield Path(os.fsdecode(name))


def _limit_memory(memory_mb: int) -> None:
    if memory_mb <= 0 or os.name != "posix":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    size = memory_mb * 2**20
    if hard != resource.RLIM_INFINITY:
        size = min(size, hard)
    resource.setrlimit(resource.RLIMIT_AS, (size, hard))


def _flush() -> None:
    """Write out what C libraries have printed, so that nothing follows the end of the job."""
    sys.stdout.flush()
    if os.name == "posix":
        ctypes.CDLL(None).fflush(None)


def _die_with_parent() -> None:
    """End the whole session when the process that asked is gone."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        if hasattr(os, "killpg"):
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


if __name__ == "__main__":
    main(int(sys.argv[1]))
