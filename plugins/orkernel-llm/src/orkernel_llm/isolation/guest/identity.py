"""Giving up what a process may do: its user, its capabilities, its resources."""

from __future__ import annotations

import ctypes
import os
import resource

PR_SET_PDEATHSIG, PR_SET_DUMPABLE, PR_SET_KEEPCAPS = 1, 4, 8
PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE = 47, 2
CAP_DAC_READ_SEARCH = 2
CAPABILITY_VERSION = 0x20080522
SIGKILL = 9
MIB = 1 << 20


def give_up(uid: int | None, search: bool = False) -> None:
    """Become an ordinary user without groups; nothing leads back.

    Args:
        uid: Number of the user and group; None to stay who one is.
        search: Keep the right to read what permissions of folders hide. Only for a process whose
            reading is fenced in by Landlock, where Python itself lies in such a folder.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    if uid is not None:
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        if search:
            checked(libc.prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0))
        os.setresuid(uid, uid, uid)
    if search or uid is None:
        _keep(libc, (1 << CAP_DAC_READ_SEARCH) if search else 0)
    checked(libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0))


def _keep(libc: ctypes.CDLL, capabilities: int) -> None:
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION, 0)
    sets = (ctypes.c_uint32 * 6)(capabilities, capabilities, 0, 0, 0, 0)
    checked(libc.capset(header, sets))


def die_with_parent(parent: int) -> None:
    """Have this process killed when its parent ends; at once if it has ended already."""
    checked(ctypes.CDLL(None, use_errno=True).prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
    if os.getppid() != parent:
        os._exit(1)


def limit(limits: dict[str, int]) -> None:
    """Set the limits of the kernel, hard ones, which nothing inside can raise."""
    cpu = limits["cpu_seconds"]
    for what, most in (
        (resource.RLIMIT_AS, limits["memory_mb"] * MIB),
        (resource.RLIMIT_FSIZE, limits["disk_mb"] * MIB),
        (resource.RLIMIT_NPROC, limits["all_processes"]),
        (resource.RLIMIT_NOFILE, limits["open_files"]),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 0),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        present = resource.getrlimit(what)[1]
        most = most if present == resource.RLIM_INFINITY else min(most, present)
        resource.setrlimit(what, (most, most))
    resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 1))


def checked(result: int) -> int:
    """The result of a call to libc.

    Raises:
        OSError: the call failed.
    """
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
