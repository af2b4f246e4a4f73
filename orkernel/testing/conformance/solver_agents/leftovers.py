"""Noticing what a block of code prints to stdout, or leaves behind."""

from __future__ import annotations

import gc
import io
import logging
import multiprocessing
import os
import random
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

PATIENCE = 2.0
"""Seconds in which a child process or thread may end after the solve."""
HELPERS = ("multiprocessing.resource_tracker", "multiprocessing.forkserver")
"""Processes that Python itself starts once and keeps."""


@dataclass
class Written:
    """What went to stdout."""

    text: str = ""


@dataclass
class Left:
    """Names of what was left behind."""

    names: list[str] = field(default_factory=list)


@contextmanager
def captured_stdout() -> Iterator[Written]:
    """Catch stdout of this process: Python's and that of the file descriptor."""
    found = Written()
    sys.stdout.flush()
    keep = os.dup(1)
    buffer = io.StringIO()
    try:
        with tempfile.TemporaryFile() as caught:
            os.dup2(caught.fileno(), 1)
            try:
                with redirect_stdout(buffer):
                    yield found
            finally:
                os.dup2(keep, 1)
            caught.seek(0)
            found.text = buffer.getvalue() + caught.read().decode("utf-8", "replace")
    finally:
        os.close(keep)


@contextmanager
def empty_folders() -> Iterator[Left]:
    """Give a block an empty working folder and an empty folder for temporary files."""
    left = Left()
    before, environ, chosen = Path.cwd(), os.environ.get("TMPDIR"), tempfile.tempdir
    with tempfile.TemporaryDirectory() as scratch:
        work, temporary = Path(scratch, "work"), Path(scratch, "tmp")
        work.mkdir()
        temporary.mkdir()
        os.chdir(work)
        os.environ["TMPDIR"] = tempfile.tempdir = str(temporary)
        try:
            yield left
        finally:
            moved = Path.cwd() != work.resolve()
            os.chdir(before)
            tempfile.tempdir = chosen
            if environ is None:
                del os.environ["TMPDIR"]
            else:
                os.environ["TMPDIR"] = environ
            left.names = sorted(p.name for folder in (work, temporary) for p in folder.iterdir())
            if moved:
                left.names.append("another working folder")


@contextmanager
def new_children() -> Iterator[Left]:
    """Notice child processes that a block starts and that live on after it."""
    left = Left()
    before = set(_children())
    yield left
    until = time.monotonic() + PATIENCE
    while (new := _new(before)) and time.monotonic() < until:
        time.sleep(0.05)
    left.names = new


def _new(before: set[int]) -> list[str]:
    found = {pid: name for pid, name in _children().items() if pid not in before}
    return [name for name in found.values() if not any(helper in name for helper in HELPERS)]


def _children() -> dict[int, str]:
    """Living children of this process and their command lines."""
    if not Path("/proc/self/task").is_dir():
        return {p.pid or 0: p.name for p in multiprocessing.active_children()}
    found = {}
    for listing in Path("/proc/self/task").glob("*/children"):
        try:
            for pid in listing.read_text().split():
                command = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ")
                state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z":
                    found[int(pid)] = command.decode("utf-8", "replace").strip() or pid
        except (FileNotFoundError, ProcessLookupError):
            continue
    return found


@contextmanager
def more_threads() -> Iterator[Left]:
    """Notice if more threads run after a block than before."""
    left = Left()
    before = set(threading.enumerate())
    yield left
    until = time.monotonic() + PATIENCE
    while (new := set(threading.enumerate()) - before) and time.monotonic() < until:
        time.sleep(0.05)
    left.names = sorted(thread.name for thread in new)


def _unlike_any(number: int, frame: object) -> None:
    """A handler for Ctrl-C that no agent would install."""
    raise KeyboardInterrupt


@contextmanager
def settings_of_the_process() -> Iterator[Left]:
    """Notice what a block changes of the settings that all code of a process shares.

    Each is first set to something unusual, so that one that is set again to what it was shows.
    """
    left = Left()
    main = threading.current_thread() is threading.main_thread()
    kept = {name: read() for name, read in _READ.items()}
    handler = signal.getsignal(signal.SIGINT)
    with warnings.catch_warnings():
        warnings.filterwarnings("default", "a message that nobody writes")
        np.seterr(divide="print", over="print", under="print", invalid="print")
        np.random.seed(20_260_101)
        random.seed(20_260_101)
        sys.setrecursionlimit(int(kept["the recursion limit"]) + 17)
        _set_logging((logging.ERROR + 3, 7))
        gc.enable()
        if main:
            signal.signal(signal.SIGINT, _unlike_any)
        before = {name: read() for name, read in _READ.items()}
        before["the handler of Ctrl-C"] = signal.getsignal(signal.SIGINT)
        try:
            yield left
        finally:
            after = {name: read() for name, read in _READ.items()}
            after["the handler of Ctrl-C"] = signal.getsignal(signal.SIGINT)
            left.names = [name for name, value in before.items() if value != after[name]]
            for name, write in _WRITE.items():
                write(kept[name])
            if main:
                signal.signal(signal.SIGINT, handler)


_READ: dict[str, Callable[[], Any]] = {
    "NumPy's error handling": np.geterr,
    "NumPy's global random numbers": lambda: repr(np.random.get_state()),
    "the global random numbers": random.getstate,
    "the recursion limit": sys.getrecursionlimit,
    "the warning filters": lambda: list(warnings.filters),
    "the environment variables": lambda: dict(os.environ),
    "garbage collection": gc.isenabled,
    "logging": lambda: (logging.root.level, logging.root.manager.disable),
}


def _set_logging(kept: tuple[int, int]) -> None:
    logging.root.setLevel(kept[0])
    logging.disable(kept[1])


def _set_environment(kept: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(kept)


_WRITE: dict[str, Callable[[Any], Any]] = {
    "NumPy's error handling": lambda kept: np.seterr(**kept),
    "the global random numbers": random.setstate,
    "the recursion limit": sys.setrecursionlimit,
    "the environment variables": _set_environment,
    "garbage collection": lambda kept: gc.enable() if kept else gc.disable(),
    "logging": _set_logging,
}
