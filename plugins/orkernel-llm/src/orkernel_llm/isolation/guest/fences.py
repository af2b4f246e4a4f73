"""Landlock and seccomp, called directly: what a process then may not do, it can never do again.

Numbers and structures are those of the kernel's `landlock.h`, `seccomp.h` and `prctl.h`.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from .identity import checked

_CREATE, _ADD, _RESTRICT = 444, 445, 446
_ASK_VERSION, _BENEATH = 1, 1
_NO_NEW_PRIVILEGES, _SET_SECCOMP, _FILTER = 38, 22, 2

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_OWN_FOLDER = (1 << 16) - 1 & ~(1 << 6 | 1 << 9 | 1 << 10 | 1 << 11 | 1 << 15)
"""All rights but to make devices, sockets and pipes, and to control devices."""
_OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | 1 << 14
SIGNALS_SINCE = 6
"""The first version that keeps signals and abstract sockets inside."""


def version() -> int:
    """The version of Landlock that this kernel offers; 0 if none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, int(libc.syscall(_CREATE, None, ctypes.c_size_t(0), _ASK_VERSION)))


def landlock(readable: Iterable[str], devices: Iterable[str], folder: str, abi: int) -> None:
    """Fence this process in: read and execute some files, write in one folder, no network.

    Args:
        readable: Files and folders to read and execute.
        devices: Files to read and write.
        folder: Where everything is allowed that ordinary files allow.
        abi: The kernel's version of Landlock, at least 3.

    Raises:
        OSError: the kernel refuses, or a path cannot be opened.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    handled = (1 << (16 if abi >= 5 else 15)) - 1
    fields = [handled]
    if abi >= 4:
        fields.append(0b11)
    if abi >= SIGNALS_SINCE:
        fields.append(0b11)
    attributes = struct.pack(f"={len(fields)}Q", *fields)
    rules = checked(libc.syscall(_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0))
    for path in readable:
        _allow(libc, rules, path, EXECUTE | READ_FILE | READ_DIR)
    for path in devices:
        _allow(libc, rules, path, READ_FILE | WRITE_FILE)
    _allow(libc, rules, folder, _OWN_FOLDER & handled)
    checked(libc.syscall(_RESTRICT, rules, 0))
    os.close(rules)


def _allow(libc: ctypes.CDLL, rules: int, path: str, rights: int) -> None:
    opened = os.open(path, os.O_PATH | os.O_CLOEXEC)
    if not os.path.isdir(path):
        rights &= _OF_FILES
    rule = struct.pack("=Qi", rights, opened)
    try:
        checked(libc.syscall(_ADD, rules, _BENEATH, rule, 0))
    finally:
        os.close(opened)


def seccomp(program: bytes) -> None:
    """Filter the system calls of this process and all it starts.

    Args:
        program: An array of `struct sock_filter`.

    Raises:
        OSError: the kernel refuses the filter.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    steps = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(steps))
    checked(libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    checked(libc.prctl(_SET_SECCOMP, _FILTER, head, 0, 0))
