"""One worker process of a bench: threads that answer items, told by the parent which."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orkernel.bench.items import Item
from orkernel.bench.results import Result
from orkernel.bench.settings import Setting

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from orkernel.config import Config
    from orkernel.registry import Registry


@dataclass(frozen=True, slots=True)
class Task:
    """One item in one setting.

    Attributes:
        number: Of this task; unique.
        item: The item.
        setting: Index of the setting.
        folder: Where its run folder goes; None keeps none.
    """

    number: int
    item: Item
    setting: int
    folder: Path | None = None


@dataclass(frozen=True, slots=True)
class Ready:
    """The worker has loaded its plugins."""


@dataclass(frozen=True, slots=True)
class Unfit:
    """The worker cannot load its plugins.

    Attributes:
        error: Why.
    """

    error: Exception


@dataclass(frozen=True, slots=True)
class Done:
    """A task has ended: with a result, with a usage error, or, if both are None, cancelled."""

    number: int
    result: Result | None = None
    error: Exception | None = None


STOP = "stop"
FINISH = "finish"


def work(
    connection: Connection[Any, Any],
    settings: Sequence[tuple[Setting, Config]],
    threads: int,
) -> None:
    """Answer the tasks that come through the connection until it says `FINISH`.

    After `STOP` running items are cancelled and waiting ones left. The process is a group of
    its own, so that Ctrl-C reaches only the parent, and ends with its children if the parent
    dies.
    """
    if hasattr(os, "setpgid"):
        with contextlib.suppress(OSError):
            os.setpgid(0, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        registries = [_registry(config, threads) for _, config in settings]
    except Exception as error:
        connection.send(Unfit(error))
        return
    _Worker(connection, [setting for setting, _ in settings], registries, threads).run()


def _registry(config: Config, threads: int) -> Registry:
    from orkernel.registry import Registry

    return Registry.load(as_many_calls(config, threads))


def as_many_calls(config: Config, threads: int) -> Config:
    """The configuration with one call of the language model for every thread.

    What the user says of `model.concurrency`, wherever it stands, is stronger; threads fewer
    than the default change nothing.
    """
    from orkernel.config import Config, Layer
    from orkernel.language_model import SECTION, LanguageModel

    if threads <= LanguageModel("").options["concurrency"]:
        return config
    weakest = Layer("--jobs", options={SECTION: {"concurrency": threads}})
    return Config((weakest, *config.layers), config.strict, config.problems)


class _Worker:
    def __init__(
        self,
        connection: Connection[Any, Any],
        settings: Sequence[Setting],
        registries: Sequence[Registry],
        threads: int,
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._registries = registries
        self._threads = threads
        self._sending = threading.Lock()
        self._tasks: queue.SimpleQueue[Task | None] = queue.SimpleQueue()
        self._cancel = threading.Event()

    def run(self) -> None:
        self._send(Ready())
        threading.Thread(target=self._listen, name="listen", daemon=True).start()
        for number in range(self._threads - 1):
            threading.Thread(target=self._serve, name=f"item-{number}", daemon=True).start()
        self._serve()

    def _listen(self) -> None:
        while True:
            try:
                told = self._connection.recv()
            except (EOFError, OSError):
                end_group(os.getpid())
                os._exit(1)
            if told == STOP:
                self._cancel.set()
            elif told == FINISH:
                for _ in range(self._threads):
                    self._tasks.put(None)
            else:
                self._tasks.put(told)

    def _serve(self) -> None:
        while (task := self._tasks.get()) is not None:
            self._send(self._answer(task))

    def _answer(self, task: Task) -> Done:
        from orkernel.bench.running import failed, run_item
        from orkernel.errors import Cancelled, UsageError

        setting = self._settings[task.setting]
        if self._cancel.is_set():
            return Done(task.number)
        try:
            result = run_item(
                task.item,
                setting,
                self._registries[task.setting],
                folder=task.folder,
                cancel=self._cancel,
            )
        except (Cancelled, KeyboardInterrupt):
            return Done(task.number)
        except UsageError as error:
            told = UsageError(error.message, fix=error.fix)
            return Done(task.number, failed(task.item.id, setting.name, str(error)), told)
        except BaseException as error:
            why = f"{type(error).__name__}: {error}"
            return Done(task.number, failed(task.item.id, setting.name, why))
        return Done(task.number, result)

    def _send(self, message: Ready | Unfit | Done) -> None:
        with self._sending, contextlib.suppress(OSError):
            self._connection.send(message)


def end_group(leader: int) -> None:
    """Kill a process and all that belong to its group."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg") and os.getpgid(leader) == leader:
            os.killpg(leader, signal.SIGKILL)
        else:
            os.kill(leader, getattr(signal, "SIGKILL", signal.SIGTERM))
