"""One isolated Python interpreter that keeps its variables between runs."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from orkernel.errors import PluginError
from orkernel_llm.isolation import hostile
from orkernel_llm.isolation.backends.base import Backend
from orkernel_llm.isolation.limits import Executed, Limits
from orkernel_llm.isolation.refusing import NoIsolation
from orkernel_llm.isolation.watching import Watch

CLOSED = "closed"


class Sandbox:
    """An isolated interpreter: runs code, takes variables, gives back answers, all as JSON.

    The code may do what it likes; the process ends at the first limit it exceeds and is then
    dead: `alive` says so, and a new sandbox is to be made.

    Args:
        limits: What it may use.
        backend: From `choose_backend`.
        cancel: Ends the process when set; looked at every 25 ms.

    Raises:
        NoIsolation: the process cannot be started.
    """

    def __init__(
        self, limits: Limits, backend: Backend, cancel: threading.Event | None = None
    ) -> None:
        self._limits = limits
        self._number = 0
        self._lock = threading.Lock()
        try:
            self._watch = Watch(limits, backend, cancel)
        except OSError as error:
            raise NoIsolation(f"{backend.name} cannot start a process: {error}") from error
        if not self.alive and self.stopped != "cancelled":
            said = hostile.text(self._watch.printed()).strip().splitlines()
            why = said[-1] if said else self.stopped
            raise NoIsolation(f"{backend.name} did not start an interpreter: {why}")

    @property
    def alive(self) -> bool:
        """Whether the process can run code."""
        return not self._watch.stopped

    @property
    def stopped(self) -> str:
        """What ended the process, in words; empty while it lives."""
        return self._watch.stopped

    def run(self, code: str, seconds: float) -> Executed:
        """Execute code in the variables that earlier runs left.

        Args:
            code: Python source. `final_answer(x)` in it gives the answer and ends it.
            seconds: Wall-clock limit of this run; the smaller of this and `limits.wall_seconds`
                counts.

        Returns:
            What came of it; a process that is dead already tells again what stopped it.
        """
        with self._lock:
            self._watch.printed()
            result = self._ask("run", code, min(seconds, self._limits.wall_seconds))
            output = hostile.text(self._watch.printed())
            if result is None:
                return Executed(output, None, False, "", self.stopped)
            return Executed(output, result.value, result.finished, result.error, "")

    def put(self, variables: Mapping[str, Any]) -> None:
        """Set variables of the code.

        Args:
            variables: JSON values by name.

        Raises:
            ValueError: a number is not finite, or a value contains itself.
            TypeError: a value is not JSON.
            PluginError: the process is dead.
        """
        with self._lock:
            if self._ask("put", dict(variables), self._limits.wall_seconds) is None:
                raise PluginError(f"the isolated process is gone: {self.stopped}")

    def close(self) -> None:
        """End the process and all it started; wait until they are gone."""
        self._watch.end(CLOSED)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _ask(self, operation: str, content: Any, seconds: float) -> hostile.Result | None:
        line = json.dumps({"id": self._number + 1, operation: content}, allow_nan=False)
        if not self.alive:
            return None
        self._number += 1
        return self._watch.ask(line.encode() + b"\n", self._number, seconds)
