"""Worker processes: started, listened to, used again, and stopped with all they started."""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

from orkernel.errors import Cancelled
from orkernel_pyomo.job import MARK, finite

if TYPE_CHECKING:
    from orkernel.context import RunContext

POLL = 0.02
"""Seconds between looks at the clock and the cancel flag."""
GRACE = 1.5
"""Seconds past the deadline after which a solver that ignores its limit is stopped."""
REUSED_AFTER = 5.0
"""A worker whose job took longer is not used again: its memory may have grown."""
JOBS = 500
"""Jobs after which a worker is not used again."""


class Stopped(Exception):
    """The worker was stopped because its time was over."""


@dataclass(frozen=True, slots=True)
class Listener:
    """What to do with what a worker says.

    Attributes:
        line: Called with every line that the worker or its solver prints.
        incumbent: Called with objective and bound of a new incumbent; None where unknown.
    """

    line: Callable[[str], None] = lambda line: None
    incumbent: Callable[[float | None, float | None], None] = lambda objective, bound: None


def run_worker(folder: Path, ctx: RunContext, listener: Listener, memory_mb: int = 0) -> int:
    """Run the job in a folder to its end, in this thread's presence.

    Args:
        folder: Holds the request; the answer appears there.
        ctx: Deadline and cancellation.
        listener: Its functions are called in this thread.
        memory_mb: Address space of the worker in MiB; 0 for no limit.

    Returns:
        0, or the exit status of a worker that ended within the job; negative for a signal.

    Raises:
        Cancelled: The user interrupted; the worker and its children are gone.
        Stopped: The deadline passed by more than `GRACE`; likewise.
    """
    while True:
        worker, used = _take(memory_mb)
        begun, code = worker.run(folder, ctx, listener)
        if begun or not used:
            return code


class Worker:
    """One worker process, which does one job at a time."""

    def __init__(self, memory_mb: int) -> None:
        self.memory_mb = memory_mb
        self.jobs = 0
        self.process = subprocess.Popen(
            [sys.executable, "-m", "orkernel_pyomo.worker", str(memory_mb)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            encoding="utf-8",
            errors="replace",
            start_new_session=True,
            env={"OPENBLAS_NUM_THREADS": "1", **os.environ},
        )
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._begun = self._done = False

    def run(self, folder: Path, ctx: RunContext, listener: Listener) -> tuple[bool, int]:
        """Do a job: whether it was begun, and the exit status if the worker ended, else 0.

        Raises:
            Cancelled: As for `run_worker`.
            Stopped: As for `run_worker`.
        """
        self._begun = self._done = False
        self.jobs += 1
        started = time.monotonic()
        try:
            self._send(folder)
            while self.process.poll() is None:
                self._listen(listener, POLL)
                if self._finished():
                    break
                if ctx.cancelled:
                    raise Cancelled
                if ctx.deadline is not None and time.monotonic() > ctx.deadline + GRACE:
                    raise Stopped
            if not self._finished():
                self._reader.join(timeout=1.0)
                self._listen(listener, 0.0)
            brief = time.monotonic() - started < REUSED_AFTER and self.jobs < JOBS
            if self._done and brief and self.process.poll() is None:
                _give_back(self)
                return True, 0
        finally:
            if self not in _idle:
                self.kill()
        return self._begun, 0 if self._done else self.process.returncode

    def _finished(self) -> bool:
        return self._done

    def _send(self, folder: Path) -> None:
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.write(f"{folder}\n")
            self.process.stdin.flush()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip())
        self.process.wait()

    def _listen(self, listener: Listener, seconds: float) -> None:
        """Pass on what has been said; wait up to some seconds for the first line."""
        while True:
            try:
                line = self._lines.get(timeout=seconds) if seconds else self._lines.get_nowait()
            except Empty:
                return
            seconds = 0.0
            text, mark, said = line.partition(MARK)
            if text or not mark:
                listener.line(text)
            if mark:
                self._note(said, listener)

    def _note(self, said: str, listener: Listener) -> None:
        word, _, rest = said.partition(" ")
        if word == "incumbent":
            objective, bound = json.loads(rest)
            listener.incumbent(finite(objective), finite(bound))
        self._begun = self._begun or word == "begun"
        self._done = self._done or word == "done"

    def kill(self) -> None:
        """End the worker's whole session: the solver that it started may outlive it."""
        if hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)
        elif self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        assert self.process.stdin is not None
        with suppress(BrokenPipeError):
            self.process.stdin.close()


# ------------------------------------------------------------------- workers without a job

_idle: list[Worker] = []
_owner = os.getpid()
_lock = threading.Lock()


def _take(memory_mb: int) -> tuple[Worker, bool]:
    """A worker, and whether it has done jobs before."""
    global _owner
    with _lock:
        if _owner != os.getpid():
            _idle.clear()
            _owner = os.getpid()
        for worker in list(_idle):
            if worker.process.poll() is not None:
                _idle.remove(worker)
            elif worker.memory_mb == memory_mb:
                _idle.remove(worker)
                return worker, True
    return Worker(memory_mb), False


def _give_back(worker: Worker) -> None:
    with _lock:
        _idle.append(worker)


@atexit.register
def dismiss_workers() -> None:
    """End the workers that wait for another job; they also end by themselves after a while."""
    with _lock:
        mine = list(_idle) if _owner == os.getpid() else []
        _idle.clear()
    for worker in mine:
        worker.kill()
