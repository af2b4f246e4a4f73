"""The parent of an isolated process: adopts what it leaves behind, and kills all of it.

The process inside cannot leave this tree: whatever loses its parent becomes a child of the
warden. The warden ends when the host closes a pipe, dies, or the process inside ends.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import signal
import sys
from pathlib import Path
from typing import Any

from . import fences, folders, identity, worker

_SUBREAPER = 36
_PERIOD = 0.05


def main() -> None:
    """Start the isolated process, wait, kill and remove everything, and tell how it ended."""
    config = json.loads(sys.argv[2])
    libc = ctypes.CDLL(None, use_errno=True)
    identity.checked(libc.prctl(_SUBREAPER, 1, 0, 0, 0))
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD, signal.SIGTERM})
    warden = os.getpid()
    inside = os.fork()
    if inside == 0:
        _become(config, warden)
    for descriptor in (config["requests"], config["results"], 1, 2):
        os.close(descriptor)
    status = _wait(inside, config["life"])
    _kill_all()
    folders.remove(Path(config["folder"]))
    code = os.waitstatus_to_exitcode(status) if status is not None else -signal.SIGKILL
    os._exit(code if code >= 0 else 128 - code)


def _become(config: dict[str, Any], warden: int) -> None:
    """Turn this process into the isolated one."""
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGCHLD, signal.SIGTERM})
        os.close(config["life"])
        os.setsid()
        os.chdir(config["folder"])
        os.umask(0o077)
        identity.give_up(config["uid"], config["search"])
        identity.die_with_parent(warden)
        fences.landlock(config["readable"], config["devices"], config["folder"], config["abi"])
        fences.seccomp(bytes.fromhex(config["filter"]))
        identity.limit(config["limits"])
        worker.serve(config)
    except BaseException as error:
        print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
        os._exit(1)
    os._exit(0)


def _wait(inside: int, life: int) -> int | None:
    """The status of the process inside; None if the host wants an end first."""
    poll = select.poll()
    poll.register(life, select.POLLIN | select.POLLHUP)
    while True:
        while True:
            try:
                ended, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return None
            if ended == inside:
                return status
            if ended == 0:
                break
        if poll.poll(0):
            return None
        caught = signal.sigtimedwait({signal.SIGCHLD, signal.SIGTERM}, _PERIOD)
        if caught is not None and caught.si_signo == signal.SIGTERM:
            return None


def _kill_all() -> None:
    """Kill everything below until nothing is left; nothing below can do so to this process."""
    while True:
        for pid in _below(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return
        signal.sigtimedwait({signal.SIGCHLD}, 0.002)


def _below(pid: int) -> list[int]:
    found: list[int] = []
    waiting = [pid]
    while waiting:
        present = waiting.pop()
        try:
            tasks = os.listdir(f"/proc/{present}/task")
            for task in tasks:
                with open(f"/proc/{present}/task/{task}/children") as children:
                    more = [int(child) for child in children.read().split()]
                found += more
                waiting += more
        except OSError:
            continue
    return found
