"""Isolation by Landlock and seccomp, for machines where user namespaces are blocked."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
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
from orkernel_llm.isolation.guest import fences, folders
from orkernel_llm.isolation.limits import Limits
from orkernel_llm.isolation.places import GUEST, needed, open_to_all

OLDEST = 3
"""The first version of Landlock that keeps files from being cut short (Linux 6.2)."""

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


@dataclass(frozen=True, slots=True)
class Landlock:
    """Isolation by Landlock.

    Args:
        abi: The version of Landlock to use, at least `OLDEST`. From 6 on Landlock keeps signals
            inside; before, the filter of system calls refuses them all.
    """

    abi: int

    @property
    def name(self) -> str:
        """`landlock`."""
        return "landlock"

    def launch(self, limits: Limits, ends: Ends) -> LandlockProcess:
        """Start an isolated interpreter.

        Raises:
            OSError: it cannot be started, or no filter is known for this processor.
        """
        architecture = syscalls.present()
        if architecture is None:
            raise OSError("no filter of system calls is known for this processor")
        if self.abi < OLDEST:
            raise OSError(f"Landlock version {self.abi} is too old, {OLDEST} is needed (Linux 6.2)")
        places = needed()
        uid = unused_user()
        folder = tempfile.mkdtemp(prefix="orkernel-isolated-")
        life, keep = os.pipe()
        try:
            if uid is not None:
                os.chown(folder, uid, uid)
            filtered = seccomp.program(
                architecture, shared_files=True, deny_signals=self.abi < fences.SIGNALS_SINCE
            )
            config = settings(limits, ends, places, uid) | {
                "life": life,
                "folder": folder,
                "search": uid is not None and not open_to_all(places.readable),
                "readable": [*places.readable, str(GUEST)],
                "devices": [device for device in _DEVICES if os.path.exists(device)],
                "abi": self.abi,
                "filter": filtered.hex(),
            }
            if uid is None:
                config["limits"]["all_processes"] += processes.threads_of(os.getuid())
            process = subprocess.Popen(
                command(places, "warden", config),
                stdin=subprocess.DEVNULL,
                stdout=ends.output,
                stderr=ends.output,
                pass_fds=(ends.requests, ends.results, life),
                env=environment(places, folder),
                cwd="/",
                start_new_session=True,
            )
        except BaseException:
            os.close(keep)
            os.rmdir(folder)
            raise
        finally:
            os.close(life)
        return LandlockProcess(process, Path(folder), keep)


class LandlockProcess:
    """A process among those of the host, fenced in.

    Args:
        process: The warden, outside of the fence.
        folder: The working folder.
        life: Descriptor whose closing has the warden kill everything.
    """

    def __init__(self, process: subprocess.Popen[bytes], folder: Path, life: int) -> None:
        self.process = process
        self._folder = folder
        self._life = life
        self._device = folder.stat().st_dev

    def room(self) -> Room:
        """What the working folder holds, and files that are deleted but still open."""
        used, files = folders.measured(self._folder)
        return Room(used + sum(self._deleted()), files)

    def _deleted(self) -> Iterator[int]:
        seen: set[int] = set()
        for pid in processes.descendants(self.process.pid):
            try:
                opened = list(Path(f"/proc/{pid}/fd").iterdir())
            except OSError:
                continue
            for path in opened:
                try:
                    held = path.stat()
                except OSError:
                    continue
                hidden = held.st_nlink == 0 and held.st_dev == self._device
                if hidden and held.st_ino not in seen:
                    seen.add(held.st_ino)
                    yield held.st_blocks * 512

    def end(self) -> None:
        """Have the warden kill everything and remove the folder."""
        os.close(self._life)
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        if self._folder.exists():
            folders.remove(self._folder)
