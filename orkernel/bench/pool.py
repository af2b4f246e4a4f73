"""Running tasks in worker processes that may die, and ending them at once when told to."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from orkernel.bench.results import Result
from orkernel.bench.running import failed
from orkernel.bench.settings import Setting
from orkernel.bench.worker import FINISH, STOP, Done, Ready, Task, Unfit, end_group, work
from orkernel.errors import PluginError

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess

    from orkernel.config import Config

GRACE = 5.0
"""Seconds that cancelled items have to end by themselves."""
PATIENCE = 2.0
"""Seconds that a worker has to end once there is nothing more to do."""
DEATHS = 2
"""Workers that an item may kill before it is given up."""
ALIKE = 3
"""First items that must all end with the same usage error for it to end the bench."""


@dataclass
class _Worker:
    process: BaseProcess
    connection: Connection[Any, Any]
    ready: bool = False
    busy: dict[int, Task] = field(default_factory=dict)
    alone: bool = False


class Pool:
    """At most one process a core; more jobs than cores are threads of these processes.

    Args:
        settings: With the configuration of each one's registry.
        jobs: Items at once.
        cores: Largest number of processes; those of the machine by default.
    """

    def __init__(
        self,
        settings: Sequence[tuple[Setting, Config]],
        jobs: int,
        *,
        cores: int | None = None,
    ) -> None:
        self._settings = list(settings)
        processes = min(jobs, cores or available_cores())
        self._threads = [
            jobs // processes + (number < jobs % processes) for number in range(processes)
        ]
        self._workers: list[_Worker | None] = [None] * processes
        self._waiting: deque[Task] = deque()
        self._suspects: deque[Task] = deque()
        self._deaths: dict[int, int] = {}
        self._stillborn = 0
        self._stopped: float | None = None
        self._wake_reader, self._wake_writer = get_context("spawn").Pipe(duplex=False)
        self._held: list[tuple[Task, Done]] = []
        self._decided = False

    def stop(self) -> None:
        """Start no further item and cancel the running ones; may be called by a signal handler."""
        if self._stopped is None:
            self._stopped = time.monotonic()
            self._wake_writer.send(STOP)

    @property
    def stopped(self) -> bool:
        """True once `stop` was called."""
        return self._stopped is not None

    def run(self, tasks: Sequence[Task], *, proven: bool = False) -> Iterator[tuple[Task, Result]]:
        """Results as they become known; fewer than tasks only after `stop`.

        Args:
            tasks: What is to be done.
            proven: The settings have answered items before; a usage error is an item's own.

        A worker that dies is replaced. The items that it had at hand are asked again, each
        alone in its worker; one that then kills its worker too has failed.

        Raises:
            UsageError: The arguments are wrong for every item, e.g. an unknown plugin.
            PluginError: The workers cannot be started.
        """
        self._waiting.extend(tasks)
        self._decided = proven
        needed = min(ALIKE, len(tasks))
        try:
            while self._waiting or self._suspects or self._at_work():
                if self.stopped and not self._wind_down():
                    break
                for task, done in self._events():
                    yield from self._decide(task, done, needed)
            self._send_all(FINISH)
            yield from self._flush()
        finally:
            self._end()

    # ------------------------------------------------------------------ scheduling

    def _at_work(self) -> bool:
        return any(worker and worker.busy for worker in self._workers)

    def _fill(self) -> None:
        for place, worker in enumerate(self._workers):
            if worker is None:
                if len(self._waiting) + len(self._suspects) > 0:
                    self._workers[place] = self._start(self._threads[place])
                continue
            if not worker.ready or worker.alone:
                continue
            while self._waiting and len(worker.busy) < self._threads[place]:
                self._give(worker, self._waiting.popleft())
            if self._suspects and not worker.busy:
                worker.alone = True
                self._give(worker, self._suspects.popleft())

    def _give(self, worker: _Worker, task: Task) -> None:
        worker.busy[task.number] = task
        with suppress(OSError):
            worker.connection.send(task)

    def _events(self) -> list[tuple[Task, Done]]:
        """Wait for what happens next, and return the tasks that have ended."""
        if not self.stopped:
            self._fill()
        by_connection: dict[object, tuple[int, _Worker]] = {
            w.connection: (p, w) for p, w in enumerate(self._workers) if w
        }
        ended: list[tuple[Task, Done]] = []
        timeout = 0.1 if self.stopped else None
        connections = [w.connection for _, w in by_connection.values()]
        for source in wait([*connections, self._wake_reader], timeout):
            if source is self._wake_reader:
                self._wake_reader.recv()
                self._send_all(STOP)
                continue
            place, worker = by_connection[source]
            try:
                message = worker.connection.recv()
            except (EOFError, OSError):
                ended.extend(self._dead(place, worker))
                continue
            if isinstance(message, Ready):
                worker.ready = True
                self._stillborn = 0
            elif isinstance(message, Unfit):
                raise message.error
            elif isinstance(message, Done):
                task = worker.busy.pop(message.number)
                worker.alone = False
                ended.append((task, message))
        return ended

    def _dead(self, place: int, worker: _Worker) -> list[tuple[Task, Done]]:
        worker.process.join(PATIENCE)
        how = _how_ended(worker.process.exitcode)
        end_group(worker.process.pid or 0)
        worker.connection.close()
        self._workers[place] = None
        if not worker.ready:
            self._stillborn += 1
            if self._stillborn >= DEATHS:
                raise PluginError(
                    f"a worker process {how} while it loaded the plugins",
                    fix="`orkernel doctor` shows which plugin fails",
                )
        given_up: list[tuple[Task, Done]] = []
        for task in worker.busy.values():
            self._deaths[task.number] = self._deaths.get(task.number, 0) + 1
            if self._deaths[task.number] < DEATHS:
                self._suspects.append(task)
                continue
            why = f"its worker process {how}, twice"
            setting = self._settings[task.setting][0].name
            given_up.append((task, Done(task.number, failed(task.item.id, setting, why))))
        return given_up

    # ------------------------------------------------------------------ results

    def _decide(self, task: Task, done: Done, needed: int) -> Iterator[tuple[Task, Result]]:
        """Hold usage errors back until it is known whether they are the item's own."""
        if self._decided or done.error is None:
            self._decided = True
            yield from self._flush()
            if done.result is not None:
                yield task, done.result
            return
        self._held.append((task, done))
        errors = {str(held.error) for _, held in self._held}
        if len(errors) > 1:
            self._decided = True
            yield from self._flush()
        elif len(self._held) >= needed:
            raise done.error

    def _flush(self) -> Iterator[tuple[Task, Result]]:
        held, self._held = self._held, []
        for task, done in held:
            if done.result is not None:
                yield task, done.result

    # ------------------------------------------------------------------ processes

    def _start(self, threads: int) -> _Worker:
        context = get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=work, args=(theirs, self._settings, threads))
        with _interrupt_held_back():
            process.start()
        theirs.close()
        return _Worker(process, ours)

    def _send_all(self, message: str) -> None:
        for worker in self._workers:
            if worker is not None:
                with suppress(OSError):
                    worker.connection.send(message)

    def _wind_down(self) -> bool:
        """False once the cancelled items have ended or had their time."""
        self._waiting.clear()
        self._suspects.clear()
        assert self._stopped is not None
        return self._at_work() and time.monotonic() < self._stopped + GRACE

    def _end(self) -> None:
        workers = [worker for worker in self._workers if worker is not None]
        until = time.monotonic() + PATIENCE
        for worker in workers:
            if not worker.busy and worker.ready and not self.stopped:
                worker.process.join(max(0.0, until - time.monotonic()))
            end_group(worker.process.pid or 0)
            worker.process.join()
            worker.connection.close()
        self._workers = [None] * len(self._workers)


def available_cores() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _how_ended(code: int | None) -> str:
    if code is None:
        return "stopped answering"
    if code >= 0:
        return f"ended with code {code}"
    try:
        return f"was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"was killed by signal {-code}"


@contextmanager
def _interrupt_held_back() -> Iterator[None]:
    """Keep Ctrl-C from a child that is being started, until it is a group of its own."""
    if not hasattr(signal, "pthread_sigmask") or (
        threading.current_thread() is not threading.main_thread()
    ):
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
