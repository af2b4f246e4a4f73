"""Noticing what a block of code prints to stdout, or leaves behind."""

from __future__ import annotations

import io
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 2.0
"""Seconds in which a child process may end after the solve."""
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
