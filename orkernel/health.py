"""Health checks: versions, configuration, folders, optional modules, every plugin.

Each check runs by itself, timed, in this process; what it raises is its finding.
"""

from __future__ import annotations

import platform
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from dataclasses import dataclass
from enum import StrEnum
from importlib import metadata
from pathlib import Path
from time import perf_counter

from orkernel.config import folder_file, read_file, user_file
from orkernel.errors import Cancelled, OrkernelError
from orkernel.plugins.choice import decide
from orkernel.plugins.loading import LoadedPlugin, import_object
from orkernel.plugins.problems import describe, one_line
from orkernel.plugins.requirements import conflicts, importable
from orkernel.registry import Entry, Registry
from orkernel.version import __version__

SLOW_IMPORT = 0.05
"""Seconds above which a plugin's import is called slow: it delays every command."""

OPTIONAL = {
    "pint": ("physical units are compared", "pip install 'orkernel[units]'"),
}
"""Optional modules of the kernel: what each is for, and how to get it."""


class State(StrEnum):
    """Outcome of one check; only `failed` makes the doctor unhappy."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found.

    Attributes:
        check: What was checked.
        detail: One line.
        seconds: How long the check took.
    """

    check: str
    state: State
    detail: str
    seconds: float = 0.0

    def to_json(self) -> dict[str, str | float]:
        """All fields, as plain JSON values."""
        return {
            "check": self.check,
            "state": str(self.state),
            "detail": self.detail,
            "seconds": round(self.seconds, 6),
        }


Check = Callable[[], tuple[State, str]]


def examine(name: str, check: Check) -> Finding:
    """Run one check; whatever it raises, except an interruption, is a failure."""
    begin = perf_counter()
    try:
        with redirect_stdout(sys.stderr):
            state, detail = check()
    except (Cancelled, KeyboardInterrupt):
        raise
    except OrkernelError as error:
        state, detail = State.FAILED, str(error)
    except BaseException as error:
        state, detail = State.FAILED, describe(error)
    return Finding(name, state, one_line(detail), perf_counter() - begin)


def examine_all(registry: Registry, runs: Path) -> Iterator[Finding]:
    """Every check, in turn.

    Args:
        registry: The loaded plugins.
        runs: Folder that runs are written to.
    """
    yield examine("versions", _versions)
    yield examine("requirements", _requirements)
    for path in (user_file(), folder_file()):
        yield examine(f"configuration {path}", lambda path=path: _configuration(path))  # type: ignore[misc]
    yield examine(f"run folder {runs}", lambda: _writable(runs))
    for module, (purpose, hint) in OPTIONAL.items():
        yield examine(f"optional module {module}", _optional(module, purpose, hint))
    for loaded in registry.plugins:
        yield _plugin(loaded)
    for problem in registry.problems:
        yield Finding(f"plugin {problem.plugin}", State.FAILED, str(problem))
    for plugin in registry.installed:
        decision = decide(plugin, registry.config)
        if not decision.enabled:
            yield Finding(f"plugin {plugin.name}", State.SKIPPED, decision.reason)
    for kind, entry in registry.all_entries():
        name = f"{kind.replace('_', ' ')} {entry.record.name}"
        if entry.record.check or entry.missing:
            yield examine(name, lambda entry=entry: _record(entry))  # type: ignore[misc]


def _versions() -> tuple[State, str]:
    return State.OK, (
        f"orkernel {__version__}, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}"
    )


def _requirements() -> tuple[State, str]:
    try:
        kernel = metadata.distribution("orkernel")
    except metadata.PackageNotFoundError:
        return State.WARNING, "orkernel runs from a folder; it is not installed"
    if kernel.version != __version__:
        return State.WARNING, f"the metadata says {kernel.version}; reinstall orkernel"
    if unmet := conflicts(kernel.requires or ()):
        return State.FAILED, "; ".join(what for what, _ in unmet)
    return State.OK, "what the kernel requires is installed"


def _configuration(path: Path) -> tuple[State, str]:
    return State.OK, "not there" if read_file(path) is None else "valid"


def _writable(folder: Path) -> tuple[State, str]:
    parent = folder.absolute()
    while not parent.exists():
        parent = parent.parent
    with tempfile.TemporaryFile(dir=parent) as file:
        file.write(b"orkernel")
        file.flush()
    return State.OK, "writable"


def _optional(module: str, purpose: str, hint: str) -> Check:
    def check() -> tuple[State, str]:
        if importable(module):
            return State.OK, f"{purpose}"
        return State.WARNING, f"not installed, so not: {purpose}; {hint}"

    return check


def _plugin(loaded: LoadedPlugin) -> Finding:
    plugin = loaded.plugin
    state, detail = State.OK, plugin.label
    if unmet := conflicts(plugin.requirements):
        state, detail = State.FAILED, f"{detail}: {'; '.join(what for what, _ in unmet)}"
    elif loaded.seconds > SLOW_IMPORT:
        state = State.WARNING
        detail = f"{detail}: slow to import; its module should import nothing heavy"
    return Finding(f"plugin {plugin.name}", state, detail, loaded.seconds)


def _record(entry: Entry) -> tuple[State, str]:
    if missing := entry.missing:
        hint = f"; {entry.record.install_hint}" if entry.record.install_hint else ""
        return State.SKIPPED, f"missing {', '.join(missing)}{hint}"
    check = import_object(entry.record.check)
    if not callable(check):
        return State.FAILED, f"{entry.record.check} cannot be called"
    return State.OK, str(check())
