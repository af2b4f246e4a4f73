"""The filter of system calls, assembled as classic BPF (see the kernel's seccomp(2)).

Everything is allowed that is not named here, except system calls newer than the table: those are
answered as unknown, so that libraries fall back to the older ones. A refused call gives an
ordinary error (`EPERM`) inside.
"""

from __future__ import annotations

import errno
import struct

from orkernel_llm.isolation.syscalls import LAST, Architecture

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_ALLOW, _ERROR, _KILL = 0x7FFF0000, 0x00050000, 0x80000000
_NEW_NAMESPACES = 0x7E020000
_TEMPORARY = 0x400000
_UNIX = 1
_DATAGRAMS = 2
_TERMINAL_INPUT = (0x5412, 0x541C)
_SIGNAL_OWNER = (8, 10, 15)
_PIPE_SIZE = 1031
_QUERY = 0xFFFFFFFF


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


DENIED = _names(
    """
    acct add_key adjtimex bind bpf chroot clock_adjtime clock_settime connect delete_module
    fanotify_init fanotify_mark finit_module fsconfig fsmount fsopen fspick init_module
    inotify_add_watch inotify_init inotify_init1 io_destroy io_getevents io_setup io_submit
    io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load
    keyctl listen lookup_dcookie mbind memfd_create memfd_secret migrate_pages mknod mknodat
    modify_ldt mount mount_setattr move_mount move_pages mq_open mq_unlink msgctl msgget msgrcv
    msgsnd name_to_handle_at nfsservctl open_by_handle_at open_tree perf_event_open pidfd_getfd
    pidfd_open pidfd_send_signal pivot_root process_madvise process_mrelease process_vm_readv
    process_vm_writev ptrace quotactl quotactl_fd reboot request_key rt_sigqueueinfo
    rt_tgsigqueueinfo semctl semget semop semtimedop set_mempolicy setdomainname sethostname setns
    settimeofday shmat shmctl shmget socket swapoff swapon syslog umount2 unshare uselib
    userfaultfd vhangup _sysctl
    """
)
"""Refused always: other processes and what they share (segments and queues that exist need not be
opened), the network, mounts and namespaces, keys, the kernel itself, memory and files that no limit
counts."""

DENIED_ON_SHARED_FILES = _names(
    """
    chmod chown fchmod fchmodat fchmodat2 fchown fchownat fremovexattr fsetxattr futimesat lchown
    lremovexattr lsetxattr removexattr setxattr utime utimensat utimes
    """
)
"""Refused where the host's files are in view: Landlock does not fence in their metadata."""

DENIED_SIGNALS = ("kill", "tgkill", "tkill")
"""Refused where neither a namespace nor Landlock keeps signals inside."""

_SELF_ONLY = {
    "prlimit64": 0,
    "sched_setaffinity": 0,
    "sched_setattr": 0,
    "sched_setparam": 0,
    "sched_setscheduler": 0,
    "setpriority": 1,
    "ioprio_set": 1,
}


def _step(code: int, value: int, then: int = 0, otherwise: int = 0) -> bytes:
    return struct.pack("=HBBI", code, then, otherwise, value)


def _fail(number: int = errno.EPERM) -> bytes:
    return _step(_RETURN, _ERROR | number)


_PASS = _step(_RETURN, _ALLOW)


def _argument(index: int) -> bytes:
    return _step(_LOAD, _ARGUMENTS + 8 * index)


def _when(number: int, *block: bytes) -> bytes:
    """Run the block, which ends the filter, for one system call."""
    return _step(_EQUAL, number, 0, len(block)) + b"".join(block)


def _unless_argument_is(index: int, value: int) -> tuple[bytes, ...]:
    return _argument(index), _step(_EQUAL, value, 0, 1), _PASS, _fail()


def _if_argument_is(index: int, values: tuple[int, ...]) -> tuple[bytes, ...]:
    tests = tuple(_step(_EQUAL, value, len(values) - n, 0) for n, value in enumerate(values))
    return _argument(index), *tests, _PASS, _fail()


def _if_argument_has(index: int, bits: int, number: int = errno.EPERM) -> tuple[bytes, ...]:
    return _argument(index), _step(_ANY_BIT, bits, 0, 1), _fail(number), _PASS


def _unix_stream() -> tuple[bytes, ...]:
    """A pair of datagram sockets could send to any socket of the host, named by its path."""
    return (
        *(_argument(0), _step(_EQUAL, _UNIX, 1, 0), _fail()),
        *_if_argument_has(1, _DATAGRAMS),
    )


def program(architecture: Architecture, *, shared_files: bool, deny_signals: bool = False) -> bytes:
    """The filter as an array of `struct sock_filter`.

    Args:
        architecture: The processor's numbers.
        shared_files: The process sees the host's files (no mounts of its own).
        deny_signals: Refuse all signals, also those to the process itself.
    """
    numbers = architecture.numbers
    denied = DENIED + (DENIED_ON_SHARED_FILES if shared_files else ())
    denied += DENIED_SIGNALS if deny_signals else ()
    blocks = [_when(numbers[name], _fail()) for name in denied if name in numbers]
    blocks += [_when(numbers[name], _fail(errno.ENOSYS)) for name in ("clone3", "openat2")]
    blocks.append(_when(numbers["clone"], *_if_argument_has(0, _NEW_NAMESPACES)))
    blocks.append(_when(numbers["socketpair"], *_unix_stream()))
    blocks.append(_when(numbers["personality"], *_unless_argument_is(0, _QUERY)))
    blocks.append(_when(numbers["ioctl"], *_if_argument_is(1, _TERMINAL_INPUT)))
    blocks.append(_when(numbers["fcntl"], *_if_argument_is(1, (*_SIGNAL_OWNER, _PIPE_SIZE))))
    blocks += [
        _when(numbers[name], *_unless_argument_is(index, 0)) for name, index in _SELF_ONLY.items()
    ]
    if shared_files:
        for name, index in (("open", 1), ("openat", 2)):
            if name in numbers:
                flags = _if_argument_has(index, _TEMPORARY, errno.EOPNOTSUPP)
                blocks.append(_when(numbers[name], *flags))
    return b"".join(
        (
            _step(_LOAD, _ARCHITECTURE),
            _step(_EQUAL, architecture.audit, 1, 0),
            _step(_RETURN, _KILL),
            _step(_LOAD, _NUMBER),
            _step(_AT_LEAST, LAST + 1, 0, 1),
            _fail(errno.ENOSYS),
            *blocks,
            _PASS,
        )
    )
