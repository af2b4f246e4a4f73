"""The worker process: started, listened to, and stopped with everything it started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from orkernel.errors import Cancelled

if TYPE_CHECKING:
    from orkernel.context import RunContext

POLL = 0.02
"""Seconds between looks at the clock and the cancel flag."""
GRACE = 1.5
"""Seconds past the deadline after which a solver that ignores its limit is stopped."""


class Stopped(Exception):
    """The worker was stopped because its time was over."""


def run_worker(folder: Path, ctx: RunContext, on_line: Callable[[str], None]) -> int:
    """Run the job in a folder to its end.

    Args:
        folder: Holds the request; the answer appears there.
        ctx: Deadline and cancellation.
        on_line: Called in this thread with every line that the worker or its solver prints.

    Returns:
        The exit status of the worker; negative for a signal.

    Raises:
        Cancelled: The user interrupted; the worker and its children are gone.
        Stopped: The deadline passed by more than `GRACE`; likewise.
    """
    worker = subprocess.Popen(
        [sys.executable, "-m", "orkernel_pyomo.worker", str(folder)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
    )
    lines: SimpleQueue[str] = SimpleQueue()
    reader = threading.Thread(target=_read, args=(worker, lines), daemon=True)
    reader.start()
    try:
        while worker.poll() is None:
            _pass_on(lines, on_line)
            if ctx.cancelled:
                raise Cancelled
            if ctx.deadline is not None and time.monotonic() > ctx.deadline + GRACE:
                raise Stopped
            _wait(worker)
    except KeyboardInterrupt:
        raise Cancelled from None
    finally:
        _kill_group(worker)
    reader.join(timeout=1.0)
    _pass_on(lines, on_line)
    return worker.returncode


def _read(worker: subprocess.Popen[str], lines: SimpleQueue[str]) -> None:
    assert worker.stdout is not None
    for line in worker.stdout:
        lines.put(line.rstrip())


def _pass_on(lines: SimpleQueue[str], on_line: Callable[[str], None]) -> None:
    while True:
        try:
            on_line(lines.get_nowait())
        except Empty:
            return


def _wait(worker: subprocess.Popen[str]) -> None:
    try:
        worker.wait(timeout=POLL)
    except subprocess.TimeoutExpired:
        return


def _kill_group(worker: subprocess.Popen[str]) -> None:
    """End the worker's whole session: the solver that it started may outlive it."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(worker.pid, signal.SIGKILL)
    elif worker.poll() is None:
        worker.kill()
    worker.wait()
