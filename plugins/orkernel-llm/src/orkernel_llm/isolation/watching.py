"""The thread that watches over one isolated process, from its start to its end."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable

from orkernel_llm.isolation import hostile, processes
from orkernel_llm.isolation.backends.base import Backend, Ends, Launched
from orkernel_llm.isolation.guest.folders import FILES
from orkernel_llm.isolation.limits import ANSWER_BYTES, Limits

PERIOD = 0.025
"""Seconds between two looks at what the process uses."""

LEISURE = 4
"""The watching thread looks at most during this part of its time: one in `LEISURE`."""

START = 30
"""Seconds that an interpreter may take to start."""

NO_RESULT = "the process wrote what is no result"

_CHUNK = 65536
_LINE = ANSWER_BYTES + 8 * hostile.MESSAGE


class Watch:
    """Starts an isolated process, reads what it writes, and ends it at the first limit.

    The process is started by the watching thread itself: the kernel kills it when the thread
    that started it ends.

    Args:
        limits: The bounds.
        backend: The way to isolate.
        cancel: Ends the process when set.
    """

    def __init__(self, limits: Limits, backend: Backend, cancel: threading.Event | None) -> None:
        self._limits = limits
        self._cancel = cancel
        self._changed = threading.Condition()
        self._output = bytearray()
        self._lines = bytearray()
        self._awaited: int | None = 0
        self._result: hostile.Result | None = None
        self._deadline: float | None = time.monotonic() + START
        self._allowed = f"it did not start within {START} s"
        self._close = threading.Event()
        self._failure: BaseException | None = None
        self._started = False
        self.stopped = ""
        self._thread = threading.Thread(
            target=self._live, args=(backend,), name="isolation", daemon=True
        )
        self._thread.start()
        with self._changed:
            self._changed.wait_for(lambda: self._started or bool(self.stopped) or self._failed)
        if self._failure is not None:
            raise self._failure

    @property
    def _failed(self) -> bool:
        return self._failure is not None

    def ask(self, request: bytes, number: int, seconds: float) -> hostile.Result | None:
        """Send a request and wait for its result; None if the process was stopped.

        Args:
            request: One line.
            number: Its number; any other result, or a second one, stops the process.
            seconds: Wall-clock time for the result.
        """
        with self._changed:
            self._awaited = number
            self._deadline = time.monotonic() + seconds
            self._allowed = f"wall-clock limit of {seconds:g} s"
        if not self._send(request):
            self._wait(lambda: bool(self.stopped))
            return None
        self._wait(lambda: bool(self.stopped or self._result))
        with self._changed:
            self._deadline = None
            result, self._result = self._result, None
        return result

    def printed(self) -> bytes:
        """Take what was printed since the last call."""
        with self._changed:
            taken = bytes(self._output)
            self._output.clear()
        return taken

    def end(self, why: str) -> None:
        """Stop the process, if it lives, and wait until it is gone."""
        with self._changed:
            self._allowed = why
        self._close.set()
        self._thread.join()

    def _wait(self, done: Callable[[], bool]) -> None:
        """Wait in short turns: a signal that another thread got reaches the main one in between."""
        with self._changed:
            while not self._changed.wait_for(done, PERIOD):
                continue

    def _send(self, request: bytes) -> bool:
        left = memoryview(request)
        while left:
            try:
                select.select([], [self._requests], [], PERIOD)
                with self._changed:
                    if self.stopped:
                        return False
                    left = left[os.write(self._requests, left) :]
            except BlockingIOError:
                continue
            except OSError:
                return False
        return True

    # ------------------------------------------------------------------ the watching thread

    def _live(self, backend: Backend) -> None:
        inside, outside = _pipes()
        self._requests, results, output = outside
        try:
            try:
                launched = backend.launch(self._limits, Ends(*inside))
            finally:
                for descriptor in inside:
                    os.close(descriptor)
        except BaseException as error:
            for descriptor in outside:
                os.close(descriptor)
            with self._changed:
                self._failure = error
                self._changed.notify_all()
            return
        try:
            why = self._watch(launched, results, output)
        except Exception as error:
            why = f"the process could not be watched: {error}"
        try:
            launched.end()
        except OSError as error:
            why += f"; what it left could not be removed: {error}"
        self._drain(output)
        with self._changed:
            self.stopped = why
            for descriptor in outside:
                os.close(descriptor)
            self._changed.notify_all()

    def _watch(self, launched: Launched, results: int, output: int) -> str:
        poll = select.poll()
        poll.register(results, select.POLLIN)
        poll.register(output, select.POLLIN)
        look = 0.0
        marked = False
        seen = processes.Usage(0, 0)
        while True:
            ready = dict(poll.poll(PERIOD * 1000))
            if output in ready and not self._drain(output):
                return f"output limit of {self._limits.output_bytes} bytes"
            if results in ready:
                told = self._take(results, output)
                if told is not None:
                    return told or self._ending(launched, seen)
            if self._close.is_set():
                return self._allowed
            if self._cancel is not None and self._cancel.is_set():
                return "cancelled"
            now = time.monotonic()
            if self._deadline is not None and now > self._deadline:
                return self._allowed
            if now >= look or (self._started and not marked):
                pid = launched.process.pid
                seen = processes.usage(pid, self._limits.memory_mb << 20)
                exceeded = self._exceeded(launched, seen)
                if exceeded:
                    return exceeded
                taken = time.monotonic() - now
                look = now + max(PERIOD, LEISURE * taken)
            if self._started and not marked:
                marked = True
                processes.let_be_killed_first(launched.process.pid)

    def _exceeded(self, launched: Launched, seen: processes.Usage) -> str:
        limits = self._limits
        if seen.cpu_seconds > limits.cpu_seconds:
            return f"CPU limit of {limits.cpu_seconds:g} s"
        if seen.memory > limits.memory_mb << 20:
            return f"memory limit of {limits.memory_mb} MiB"
        if not self._started:
            return ""
        try:
            room = launched.room()
        except FileNotFoundError:
            return ""
        except OSError as error:
            return f"disk limit: the working folder cannot be measured ({error.strerror})"
        if room.used > limits.disk_mb << 20:
            return f"disk limit of {limits.disk_mb} MiB"
        if room.files > FILES:
            return f"disk limit of {FILES} files"
        return ""

    def _take(self, results: int, output: int) -> str | None:
        """Read results; why the process has to end, empty if it ended itself, None if neither."""
        data = _read(results)
        if data is None:
            return None
        if not data:
            return ""
        self._lines += data
        if len(self._lines) > _LINE:
            return f"answer limit of {ANSWER_BYTES} bytes"
        while b"\n" in self._lines:
            line, _, rest = self._lines.partition(b"\n")
            self._lines = rest
            try:
                result = hostile.read(bytes(line))
            except hostile.NoResult:
                return NO_RESULT
            if not self._drain(output):
                return f"output limit of {self._limits.output_bytes} bytes"
            if not self._publish(result):
                return NO_RESULT
        return None

    def _publish(self, result: hostile.Result) -> bool:
        """Hand a result over; False if nobody waits for it: such results would only pile up."""
        with self._changed:
            if result.number != self._awaited:
                return False
            self._awaited = None
            if self._started:
                self._result = result
            else:
                self._started, self._deadline = True, None
            self._changed.notify_all()
            return True

    def _drain(self, output: int) -> bool:
        """Take what was printed; False if it is more than allowed."""
        most = self._limits.output_bytes
        while data := _read(output):
            with self._changed:
                self._output += data
                if len(self._output) > most:
                    del self._output[most:]
                    return False
        return True

    def _ending(self, launched: Launched, seen: processes.Usage) -> str:
        try:
            code = launched.process.wait(0.3)
        except Exception:
            return "the process closed its pipe"
        number = -code if code < 0 else code - 128
        if number <= 0:
            return f"the process ended itself with exit code {code}"
        try:
            name = signal.Signals(number).name
        except ValueError:
            return f"the process ended itself with exit code {code}"
        spent = seen.cpu_seconds >= self._limits.cpu_seconds - 0.5
        if name == "SIGXCPU" or (name == "SIGKILL" and spent):
            return f"CPU limit of {self._limits.cpu_seconds:g} s"
        if name == "SIGXFSZ":
            return f"disk limit of {self._limits.disk_mb} MiB"
        return f"killed by {name}"


def _pipes() -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """The ends inside (requests, results, output) and those outside, which never block."""
    requests, ask = os.pipe()
    results, answer = os.pipe()
    output, write = os.pipe()
    for descriptor in (ask, results, output):
        os.set_blocking(descriptor, False)
    return (requests, answer, write), (ask, results, output)


def _read(descriptor: int) -> bytes | None:
    """What is there; empty at the end, None if nothing is there now."""
    try:
        return os.read(descriptor, _CHUNK)
    except BlockingIOError:
        return None
