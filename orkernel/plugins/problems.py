"""What went wrong with a plugin, told in one line that says what to do about it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from orkernel.version import __version__

if TYPE_CHECKING:
    from orkernel.plugins.installed import InstalledPlugin


class Cause(StrEnum):
    """Why a plugin, a hook or a record is left out."""

    KERNEL_RANGE = "kernel-range"
    DEPENDENCY_CONFLICT = "dependency-conflict"
    MISSING_MODULE = "missing-module"
    IMPORT_FAILED = "import-failed"
    PLUGIN_NAME_TAKEN = "plugin-name-taken"
    RECORD_NAME_TAKEN = "record-name-taken"
    UNKNOWN_HOOK = "unknown-hook"
    BAD_HOOK = "bad-hook"
    HOOK_FAILED = "hook-failed"
    BAD_RECORD = "bad-record"
    API_LEVEL = "api-level"


WHOLE_PLUGIN = "the plugin"


@dataclass(frozen=True, slots=True)
class PluginProblem:
    """One thing that was left out.

    Attributes:
        plugin: Name of the entry point.
        distribution: Distribution that brings it.
        version: Its version.
        kernel_range: Kernel versions it asks for; empty if it says nothing.
        cause: The kind of problem.
        detail: What happened, in words.
        skipped: What is left out: the whole plugin, a hook, or a record.
        fix: What to do besides disabling the plugin; may be empty.
    """

    plugin: str
    distribution: str
    version: str
    kernel_range: str
    cause: Cause
    detail: str
    skipped: str = WHOLE_PLUGIN
    fix: str = ""

    @property
    def disable(self) -> str:
        """The command that silences the report."""
        name = self.distribution if self.cause is Cause.PLUGIN_NAME_TAKEN else self.plugin
        return f"orkernel plugins disable {name}"

    def __str__(self) -> str:
        wants = f"orkernel {self.kernel_range}" if self.kernel_range else "any orkernel"
        fix = f"{self.fix}, or " if self.fix else ""
        return (
            f"plugin '{self.plugin}' ({self.distribution} {self.version}; wants {wants}, "
            f"this is {__version__}): left out {self.skipped}: {self.detail} "
            f"[{self.cause}]; fix: {fix}`{self.disable}`"
        )

    def to_json(self) -> dict[str, str]:
        """All fields, as plain JSON values."""
        return {
            "plugin": self.plugin,
            "distribution": self.distribution,
            "version": self.version,
            "kernel_range": self.kernel_range,
            "kernel_version": __version__,
            "cause": str(self.cause),
            "detail": self.detail,
            "skipped": self.skipped,
            "fix": self.fix,
            "disable": self.disable,
        }


def problem(
    plugin: InstalledPlugin,
    cause: Cause,
    detail: str,
    *,
    skipped: str = WHOLE_PLUGIN,
    fix: str = "",
) -> PluginProblem:
    """A problem of an installed plugin, on one line whatever `detail` holds."""
    return PluginProblem(
        plugin=one_line(plugin.name),
        distribution=one_line(plugin.distribution),
        version=one_line(plugin.version),
        kernel_range=one_line(plugin.kernel_range),
        cause=cause,
        detail=one_line(detail),
        skipped=skipped,
        fix=one_line(fix),
    )


def one_line(text: str, limit: int = 400) -> str:
    """Text without line breaks or control characters, shortened to `limit` characters."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def describe(error: BaseException) -> str:
    """Type and message of an exception, e.g. `ValueError: bad`."""
    try:
        text = str(error)
    except Exception:
        text = "(its message cannot be printed)"
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def near(name: str, known: Iterable[str]) -> str:
    """`did you mean 'highs'?`, or a list of what there is, or that there is nothing."""
    from difflib import get_close_matches

    names = sorted(set(known))
    folded = {n.casefold(): n for n in names}
    close = get_close_matches(name.casefold(), folded, n=3, cutoff=0.6)
    if close:
        return f"did you mean {' or '.join(repr(folded[c]) for c in close)}?"
    if not names:
        return "there is none"
    shown = ", ".join(names[:12])
    return f"there is: {shown}" + (", …" if len(names) > 12 else "")
