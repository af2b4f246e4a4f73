"""What a failed call means in an isolated process. Standard library only."""

from __future__ import annotations

import errno
import traceback
from types import TracebackType

NETWORK = "network is not available in the isolated process"
FILES = "only files in the working folder can be written, and only Python's own can be read"
FORBIDDEN = "the isolated process may not do this"
NETWORK_MODULES = ("/socket.py", "/ssl.py", "/urllib/request.py", "/http/client.py")


def hint(error: BaseException, limits: dict[str, int]) -> str:
    """Which fence or limit an exception comes from, in words; empty if none is known.

    Args:
        error: The exception.
        limits: `memory_mb`, `disk_mb`, `processes`, `open_files`.
    """
    if isinstance(error, MemoryError):
        return f"memory limit of {limits['memory_mb']} MiB"
    if isinstance(error, RuntimeError) and "start new thread" in str(error):
        return f"too many processes: the limit is {limits['processes']}"
    if not isinstance(error, OSError):
        return ""
    if _of_network(error.__traceback__) or type(error).__name__ == "gaierror":
        return NETWORK
    number = error.errno
    if number == errno.EAGAIN:
        return f"too many processes: the limit is {limits['processes']}"
    if number in (errno.ENOSPC, errno.EFBIG, errno.EDQUOT):
        return f"disk limit of {limits['disk_mb']} MiB"
    if number == errno.EMFILE:
        return f"too many open files: the limit is {limits['open_files']}"
    if number == errno.ENOMEM:
        return f"memory limit of {limits['memory_mb']} MiB"
    if error.filename is not None and number in (
        errno.EACCES,
        errno.EROFS,
        errno.ENOENT,
        errno.EPERM,
        errno.EXDEV,
    ):
        return FILES
    return FORBIDDEN if number in (errno.EPERM, errno.EACCES) else ""


def _of_network(trace: TracebackType | None) -> bool:
    frames = traceback.extract_tb(trace)
    return bool(frames) and (
        frames[-1].filename.endswith(NETWORK_MODULES) or "socket.socket" in (frames[-1].line or "")
    )
