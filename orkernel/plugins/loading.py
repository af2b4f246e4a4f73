"""Import plugins and collect their records, one by one, so that none can harm another.

All or nothing per hook: if a hook raises half-way, or gives one thing that is no
valid record, none of its records are taken; the plugin's other hooks are.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from inspect import getattr_static, isfunction
from itertools import islice
from pathlib import Path
from time import perf_counter

import pluggy

from orkernel import hookspecs
from orkernel.commands import COMMANDS
from orkernel.plugins.installed import InstalledPlugin
from orkernel.plugins.kinds import HOOKS, KINDS, Kind
from orkernel.plugins.problems import WHOLE_PLUGIN, Cause, PluginProblem, describe, near, problem
from orkernel.plugins.requirements import accepts_kernel, conflicts
from orkernel.plugins.validate import fault_of
from orkernel.records import API_LEVEL, Record
from orkernel.version import __version__

_OWN_FILES = (__file__, importlib.__file__)

MAX_RECORDS = 1000
"""Most records that one hook may give; an endless generator stops here."""


@dataclass(frozen=True, slots=True)
class LoadedPlugin:
    """A plugin that was imported.

    Attributes:
        plugin: Where it comes from.
        seconds: Import and hooks together.
        hooks: Per implemented hook the records taken from it.
    """

    plugin: InstalledPlugin
    seconds: float
    hooks: Mapping[str, tuple[Record, ...]]


class _Manager(pluggy.PluginManager):
    """A manager that never runs a plugin's properties while it looks for hooks."""

    def parse_hookimpl_opts(self, plugin: object, name: str) -> pluggy.HookimplOpts | None:
        if isinstance(getattr_static(plugin, name, None), property):
            return None
        return super().parse_hookimpl_opts(plugin, name)


class PluginLoader:
    """Loads plugins into one pluggy manager and notes what it leaves out."""

    def __init__(self) -> None:
        self._manager = _Manager("orkernel")
        self._manager.add_hookspecs(hookspecs)
        self.problems: list[PluginProblem] = []

    def load(self, plugin: InstalledPlugin) -> LoadedPlugin | None:
        """Import and register one plugin; None if all of it is left out.

        Only KeyboardInterrupt passes; whatever else a plugin raises becomes a problem.
        """
        if plugin.loaded is None and not accepts_kernel(plugin):
            self._note(
                plugin,
                Cause.KERNEL_RANGE,
                f"it is made for orkernel {plugin.kernel_range}, not for {__version__}",
                WHOLE_PLUGIN,
                f"`pip install --upgrade {plugin.distribution}`",
            )
            return None
        before = set(sys.modules)
        begin = perf_counter()
        with redirect_stdout(sys.stderr):
            module = self._import(plugin)
            hooks = None if module is None else self._register(plugin, module)
        seconds = perf_counter() - begin
        if hooks is None:
            _forget_modules(plugin, before)
            return None
        return LoadedPlugin(plugin, seconds, hooks)

    def _note(
        self, plugin: InstalledPlugin, cause: Cause, detail: str, skipped: str, fix: str = ""
    ) -> None:
        self.problems.append(problem(plugin, cause, detail, skipped=skipped, fix=fix))

    def _import(self, plugin: InstalledPlugin) -> object | None:
        if plugin.loaded is not None:
            return plugin.loaded
        try:
            return import_object(plugin.value)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            cause, detail, fix = explain_import_failure(plugin, error)
            self._note(plugin, cause, detail, WHOLE_PLUGIN, fix)
            return None

    def _register(
        self, plugin: InstalledPlugin, module: object
    ) -> dict[str, tuple[Record, ...]] | None:
        try:
            self._manager.register(module, plugin.name)
            self._report_unknown_hooks(plugin, module)
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            if self._manager.get_plugin(plugin.name) is module:
                self._manager.unregister(name=plugin.name)
            self._note(plugin, Cause.BAD_HOOK, describe(error), WHOLE_PLUGIN, "correct the hook")
            return None
        hooks: dict[str, tuple[Record, ...]] = {}
        for caller in self._manager.get_hookcallers(module) or ():
            kind = HOOKS.get(caller.name)
            if kind is None:
                continue
            for implementation in caller.get_hookimpls():
                if implementation.plugin is not module:
                    continue
                if implementation.hookwrapper or implementation.wrapper:
                    self._note(
                        plugin,
                        Cause.BAD_HOOK,
                        f"{caller.name} is a hook wrapper, and no plugin may change another's",
                        f"its {caller.name}",
                        "return records instead",
                    )
                    continue
                hooks[caller.name] = self._collect(plugin, kind, implementation.function)
        return hooks

    def _report_unknown_hooks(self, plugin: InstalledPlugin, module: object) -> None:
        home = getattr(module, "__name__", type(module).__module__)
        for name in dir(module):
            options = self._manager.parse_hookimpl_opts(module, name)
            hook = (options.get("specname") if options is not None else None) or name
            if options is not None and hook not in HOOKS:
                detail, fix = f"there is no hook '{hook}'", near(hook, HOOKS)
            elif options is None and name.startswith("orkernel_"):
                function = getattr_static(module, name)
                if not isfunction(function) or function.__module__ != home:
                    continue
                if name in HOOKS:
                    detail, fix = f"function '{name}' lacks @hookimpl", "add @orkernel.hookimpl"
                else:
                    detail, fix = f"there is no hook '{name}'", near(name, HOOKS)
            else:
                continue
            self._note(plugin, Cause.UNKNOWN_HOOK, detail, f"its {name}", fix)

    def _collect(
        self, plugin: InstalledPlugin, kind: Kind, hook: Callable[..., object]
    ) -> tuple[Record, ...]:
        skipped = f"every record of its {kind.hook}"
        try:
            given = hook()
            if isinstance(given, Record):
                raise TypeError(f"returned one {type(given).__name__}; return a list of them")
            if given is not None and not isinstance(given, Iterable):
                raise TypeError(f"returned {given!r}; return a list of {kind.record.__name__}")
            records = list(islice(given or (), MAX_RECORDS + 1))
            if len(records) > MAX_RECORDS:
                raise ValueError(f"gave more than {MAX_RECORDS} records")
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            detail = f"{kind.hook} raised {describe(error)}{_place(error)}"
            self._note(plugin, Cause.HOOK_FAILED, detail, skipped)
            return ()
        usable = []
        for record in records:
            api = getattr(record, "api", API_LEVEL)
            if isinstance(record, Record) and api != API_LEVEL:
                self._note(
                    plugin,
                    Cause.API_LEVEL,
                    f"written for level {api!r} of the plugin contract, not {API_LEVEL}",
                    f"its {kind.title} '{record.name}'",
                    f"`pip install --upgrade {plugin.distribution} orkernel`",
                )
                continue
            if fault := fault_of(record, kind):
                self._note(plugin, Cause.BAD_RECORD, f"{kind.hook}: {fault}", skipped)
                return ()
            if kind is KINDS["commands"] and record.name in COMMANDS:
                self._note(
                    plugin,
                    Cause.RECORD_NAME_TAKEN,
                    f"'{record.name}' is a command of the kernel",
                    f"its {kind.title} '{record.name}'",
                    "give it another name",
                )
                continue
            usable.append(record)
        names = [record.name for record in usable]
        if twice := sorted({name for name in names if names.count(name) > 1}):
            detail = f"{kind.hook} gave '{twice[0]}' more than once"
            self._note(plugin, Cause.BAD_RECORD, detail, skipped)
            return ()
        return tuple(usable)


def import_object(value: str) -> object:
    """The object that an import string `package.module[:attribute]` names.

    Raises:
        ImportError: The module or the attribute does not exist.
    """
    module_name, _, path = value.replace(" ", "").partition(":")
    found: object = import_module(module_name)
    for attribute in filter(None, path.split(".")):
        try:
            found = getattr(found, attribute)
        except AttributeError:
            raise ImportError(f"module '{module_name}' has no attribute '{path}'") from None
    return found


def explain_import_failure(plugin: InstalledPlugin, error: BaseException) -> tuple[Cause, str, str]:
    """Cause, detail and fix: unmet requirements, a missing module, or anything else."""
    if isinstance(error, ImportError | AttributeError | TypeError) and (
        unmet := conflicts(plugin.requirements)
    ):
        detail = "; ".join(what for what, _ in unmet)
        wanted = " ".join(f"'{requirement}'" for _, requirement in unmet if requirement)
        return (
            Cause.DEPENDENCY_CONFLICT,
            f"{detail} ({describe(error)})",
            f"`pip install {wanted}`" if wanted else "",
        )
    if isinstance(error, ModuleNotFoundError) and error.name:
        own = plugin.value.partition(":")[0].partition(".")[0]
        if error.name.partition(".")[0] == own:
            fix = f"`pip install --force-reinstall {plugin.distribution}`"
        else:
            fix = f"install what provides the module '{error.name}'"
        return Cause.MISSING_MODULE, f"module '{error.name}' is missing{_place(error)}", fix
    if isinstance(error, SystemExit):
        return Cause.IMPORT_FAILED, f"it called sys.exit({error.code!r}){_place(error)}", ""
    return Cause.IMPORT_FAILED, f"{describe(error)}{_place(error)}", ""


def _place(error: BaseException) -> str:
    """` at module.py:3`, the innermost line of the traceback."""
    from traceback import extract_tb

    frames = [
        frame
        for frame in extract_tb(error.__traceback__)
        if not frame.filename.startswith("<frozen") and frame.filename not in _OWN_FILES
    ]
    return f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


def _forget_modules(plugin: InstalledPlugin, before: set[str]) -> None:
    """Remove half-imported modules of a plugin that is left out."""
    top = plugin.value.partition(":")[0].partition(".")[0].strip()
    for name in set(sys.modules) - before:
        if name == top or name.startswith(f"{top}."):
            del sys.modules[name]
