"""Choosing a way to isolate that really holds on this machine."""

from __future__ import annotations

import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from orkernel.errors import UsageError
from orkernel_llm.isolation.backends.base import Backend
from orkernel_llm.isolation.limits import Limits
from orkernel_llm.isolation.refusing import NoIsolation
from orkernel_llm.isolation.sandbox import Sandbox

NAMES = ("bubblewrap", "landlock")

_PROBE = """
import os, socket
seen = []
try:
    open(secret).read()
    seen.append("a file of the host could be read")
except OSError:
    pass
try:
    open(target, "w").write("x")
    seen.append("a file of the host could be written")
except OSError:
    pass
try:
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    seen.append("a socket could be made")
except OSError:
    pass
if "ORKERNEL_PROBE" in os.environ or os.geteuid() == 0:
    seen.append("the host's user or environment is in view")
open("own", "w").write("x")
final_answer(seen)
"""
_LIMITS = Limits(wall_seconds=10, cpu_seconds=10, memory_mb=1024, disk_mb=4)

_chosen: dict[str, Backend] = {}
_lock = threading.Lock()


def choose_backend(name: str = "auto") -> Backend:
    """The way to isolate: bubblewrap where it works, else Landlock with seccomp.

    Each is tested with a real process before it is chosen: it must not read or write a planted
    file, make a socket, or see the host's user. The choice holds for this process.

    Args:
        name: `auto`, `bubblewrap` or `landlock`.

    Raises:
        NoIsolation: none works; nothing is ever run without.
        UsageError: the name is unknown.
    """
    if name not in ("auto", *NAMES):
        raise UsageError(f"isolation: '{name}' is not known", fix=f"use auto, {' or '.join(NAMES)}")
    with _lock:
        if name not in _chosen:
            _chosen[name] = _tested(NAMES if name == "auto" else (name,))
        return _chosen[name]


def _tested(names: tuple[str, ...]) -> Backend:
    if sys.platform != "linux":
        raise NoIsolation(f"isolation of processes works on Linux, not on {sys.platform}")
    tried: list[str] = []
    for backend in _backends(names, tried):
        try:
            fault = held(backend)
        except OSError as error:
            fault = f"it cannot be tested: {error}"
        if not fault:
            return backend
        tried.append(f"{backend.name}: {fault}")
    raise NoIsolation("no isolation works on this machine: " + "; ".join(tried))


def _backends(names: tuple[str, ...], tried: list[str]) -> Iterator[Backend]:
    if "bubblewrap" in names:
        from orkernel_llm.isolation.backends.bubblewrap import Bubblewrap, candidates

        programs = candidates()
        if not programs:
            tried.append("bubblewrap: no `bwrap` program is installed")
        yield from (Bubblewrap(program) for program in programs)
    if "landlock" in names:
        from orkernel_llm.isolation.backends.landlock import Landlock
        from orkernel_llm.isolation.guest import fences

        yield Landlock(fences.version())


def held(backend: Backend) -> str:
    """What is wrong with a backend, found with a real process; empty if it holds."""
    with tempfile.TemporaryDirectory(prefix="orkernel-probe-") as folder:
        Path(folder).chmod(0o777)
        secret, target = Path(folder, "secret"), Path(folder, "target")
        secret.write_text("secret")
        try:
            with Sandbox(_LIMITS, backend) as sandbox:
                sandbox.put({"secret": str(secret), "target": str(target)})
                executed = sandbox.run(_PROBE, 10)
        except NoIsolation as error:
            return error.message
        if not executed.finished:
            return executed.stopped or executed.error
        faults = [str(fault) for fault in executed.value] if executed.value else []
        if target.exists():
            faults.append("a file of the host was written")
        return ", ".join(faults)
