"""The registry: every plugin's records, keyed by kind and name.

Nothing depends on the order in which plugins load. A name that two plugins claim
belongs to neither until the user disables one of them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orkernel.config import Config
from orkernel.errors import OrkernelError, PluginError, UnknownName
from orkernel.language_model import SECTION
from orkernel.plugins.catalogue import CATALOGUE
from orkernel.plugins.choice import check_names, decide
from orkernel.plugins.containment import stdout_to_stderr
from orkernel.plugins.installed import InstalledPlugin, installed_plugins
from orkernel.plugins.kinds import KINDS, Kind, kind_of
from orkernel.plugins.loading import LoadedPlugin, PluginLoader, import_object
from orkernel.plugins.problems import (
    WHOLE_PLUGIN,
    Cause,
    PluginProblem,
    describe,
    near,
    one_line,
    problem,
)
from orkernel.plugins.requirements import conflicts, importable
from orkernel.plugins.values import convert
from orkernel.records import Record


@dataclass(frozen=True)
class Entry:
    """A record and the plugin that registered it."""

    record: Record
    plugin: InstalledPlugin

    @cached_property
    def missing(self) -> tuple[str, ...]:
        """Modules in `requires` that cannot be found; nothing is imported to find out. Once."""
        return tuple(module for module in self.record.requires if not importable(module))


class Registry:
    """All records of all loaded plugins. Make one with `Registry.load`."""

    def __init__(
        self,
        config: Config,
        installed: tuple[InstalledPlugin, ...],
        plugins: tuple[LoadedPlugin, ...],
        problems: tuple[PluginProblem, ...],
    ) -> None:
        self.config = config
        self.installed = installed
        """Every installed plugin, loaded or not."""
        self.plugins = plugins
        """The plugins that were imported."""
        self._entries, taken = _index(plugins)
        self.problems = problems + taken
        """What was left out and why; `str(problem)` is one line."""
        self._resolved: dict[Record, Any] = {}
        self._resolving = threading.RLock()

    @classmethod
    def load(cls, config: Config | None = None, *, extra: Sequence[object] = ()) -> Registry:
        """Load the plugins that the configuration allows. A broken plugin is left out.

        Args:
            config: Configuration; read from files and environment by default.
            extra: Modules or objects with hooks, loaded as plugins of this process.

        Raises:
            UsageError: The configuration is broken, or an option value for this call is.
            UnknownName: A plugin, record or option named for this call does not exist.
            PluginError: A plugin asked for by name fails, or any plugin in strict mode.
        """
        config = Config.load() if config is None else config
        installed = installed_plugins()
        check_names(installed, config)
        chosen = [plugin for plugin in installed if decide(plugin, config).enabled]
        chosen.extend(
            InstalledPlugin(_name_of(thing), _name_of(thing), loaded=thing) for thing in extra
        )
        loader = PluginLoader()
        loaded: list[LoadedPlugin] = []
        names = [plugin.name for plugin in chosen]
        for plugin in chosen:
            if names.count(plugin.name) > 1:
                loader.problems.append(_name_taken(plugin, chosen))
            elif (result := loader.load(plugin)) is not None:
                loaded.append(result)
        registry = cls(config, installed, tuple(loaded), tuple(loader.problems))
        registry._refuse_failures_of_asked()
        registry._check_asked_options()
        return registry

    def records(self, kind: str) -> Mapping[str, Record]:
        """Usable records of a kind, by name, sorted.

        Args:
            kind: One of `orkernel.plugins.kinds.KINDS`.

        Raises:
            KeyError: There is no such kind.
        """
        return {
            name: entries[0].record
            for name, entries in sorted(self._entries[kind].items())
            if len(entries) == 1 and not entries[0].missing
        }

    def entries(self, kind: str) -> tuple[Entry, ...]:
        """All records of a kind, also those that cannot be used, with their plugins."""
        return tuple(e for _, entries in sorted(self._entries[kind].items()) for e in entries)

    def all_entries(self) -> Iterator[tuple[str, Entry]]:
        """Every kind with each of its entries."""
        for kind in KINDS:
            for entry in self.entries(kind):
                yield kind, entry

    def get(self, kind: str, name: str) -> Record:
        """The record of that name.

        Raises:
            UnknownName: Nothing has that name; says near matches or what to install.
            PluginError: Something has it but cannot be used.
        """
        entries = self._entries[kind].get(name, [])
        title = KINDS[kind].title
        if not entries:
            raise self._unknown(KINDS[kind], name)
        if len(entries) > 1:
            plugins = " and ".join(e.plugin.label for e in entries)
            raise PluginError(
                f"{title} '{name}' is provided by both {plugins}",
                fix=f"`orkernel plugins disable {entries[0].plugin.distribution}` or "
                f"`orkernel plugins disable {entries[1].plugin.distribution}`",
            )
        entry = entries[0]
        if missing := entry.missing:
            raise PluginError(
                f"{title} '{name}' ({entry.plugin.label}) cannot be used: "
                f"missing {', '.join(missing)}",
                fix=entry.record.install_hint or f"install {' and '.join(missing)}",
            )
        return entry.record

    def resolve(self, record: Record) -> Any:
        """The object behind a record; a class is instantiated. Made once, for all threads.

        Raises:
            PluginError: It cannot be imported or made, or lacks the method of its kind.
        """
        if record not in self._resolved:
            with self._resolving:
                if record not in self._resolved:
                    self._resolved[record] = self._make(record)
        return self._resolved[record]

    def options(self, record: Record) -> dict[str, Any]:
        """Declared defaults, then configuration files, environment and `-o`, converted.

        Raises:
            UnknownName: An option is set that the record does not declare.
            UsageError: A value has the wrong type or is none of the choices.
        """
        declared = {option.name: option for option in record.options}
        values: dict[str, Any] = {option.name: option.default for option in record.options}
        for key, (value, layer) in self.config.option_values(record.name).items():
            if key in declared:
                place = f"{layer.origin}: {record.name}.{key}"
                values[key] = convert(declared[key], value, place)
            elif not self._declares(record.name, key):
                raise self._unknown_option(record.name, key, layer.origin)
        return values

    def distribution(self, record: Record) -> str:
        """Distribution and version behind a record, e.g. `orkernel-highs 0.1.0`."""
        return self._plugin_of(record).label

    # ------------------------------------------------------------------ inside

    def _plugin_of(self, record: Record) -> InstalledPlugin:
        for entry in self._entries[kind_of(record).name].get(record.name, []):
            if entry.record is record or entry.record == record:
                return entry.plugin
        raise KeyError(f"no plugin registered {record.name!r}")

    def _make(self, record: Record) -> Any:
        kind = kind_of(record)
        plugin = self._plugin_of(record)
        place = f"{kind.title} '{record.name}' ({plugin.label}, {record.target})"
        try:
            with stdout_to_stderr:
                found = import_object(record.target)
                made = found() if isinstance(found, type) else found
        except (OrkernelError, KeyboardInterrupt):
            raise
        except BaseException as error:
            unmet = "; ".join(what for what, _ in conflicts(plugin.requirements))
            raise PluginError(
                one_line(f"{place} cannot be loaded: {describe(error)}"),
                fix=unmet or record.install_hint or f"`orkernel plugins disable {plugin.name}`",
            ) from error
        if kind.method and not callable(getattr(made, kind.method, None)):
            raise PluginError(
                f"{place} has no method '{kind.method}'",
                fix=f"see `orkernel.protocols`, or `orkernel plugins disable {plugin.name}`",
            )
        return made

    def _unknown(self, kind: Kind, name: str) -> UnknownName:
        return UnknownName(
            f"no {kind.title} is named '{name}'", fix=self._hint(name, self._entries[kind.name])
        )

    def _hint(self, name: str, known: Iterable[str]) -> str:
        """Why a name may be absent: its plugin failed, is disabled, or is not installed."""
        if failed := [p for p in self.problems if name in (p.plugin, p.distribution)]:
            return str(failed[0])
        if kinds := [KINDS[kind].title for kind, named in self._entries.items() if name in named]:
            return f"'{name}' is a {' and a '.join(kinds)}; {near(name, known)}"
        if distribution := CATALOGUE.get(name):
            meant = [plugin for plugin in self.installed if plugin.answers_to(distribution)]
            if not meant:
                return f"`pip install {distribution}`"
            decision = decide(meant[0], self.config)
            if not decision.enabled:
                return f"{decision.reason}: `orkernel plugins enable {meant[0].name}`"
        skipped = sorted({p.plugin for p in self.problems if p.skipped == WHOLE_PLUGIN})
        also = f" (these plugins were left out: {', '.join(skipped)})" if skipped else ""
        return near(name, known) + also

    def _all_records(self, name: str | None = None) -> list[Record]:
        return [
            entry.record
            for named in self._entries.values()
            for key, entries in named.items()
            if name is None or key == name
            for entry in entries
        ]

    def _declares(self, name: str, key: str) -> bool:
        return any(key == option.name for r in self._all_records(name) for option in r.options)

    def _unknown_option(self, name: str, key: str, origin: str) -> UnknownName:
        known = [option.name for r in self._all_records(name) for option in r.options]
        return UnknownName(
            f"{origin}: '{name}' has no option '{key}'",
            fix=near(key, known) if known else f"'{name}' has no options",
        )

    def _check_asked_options(self) -> None:
        for layer in self.config.layers:
            if not layer.asked:
                continue
            for name, values in layer.options.items():
                if name == SECTION:
                    continue
                records = self._all_records(name)
                if not records:
                    known = (record.name for record in self._all_records())
                    raise UnknownName(
                        f"{layer.origin}: nothing is named '{name}'", fix=self._hint(name, known)
                    )
                for key, value in values.items():
                    declared = [o for r in records for o in r.options if o.name == key]
                    if not declared:
                        raise self._unknown_option(name, key, layer.origin)
                    for option in declared:
                        convert(option, value, f"{layer.origin}: {name}.{key}")

    def _refuse_failures_of_asked(self) -> None:
        if self.config.strict and self.problems:
            lines = "; ".join(map(str, self.problems))
            raise PluginError(f"strict mode (ORKERNEL_STRICT): {lines}")
        failed = {p.plugin: p for p in self.problems if p.skipped == WHOLE_PLUGIN}
        for plugin in self.installed:
            if plugin.name in failed and decide(plugin, self.config).asked:
                raise PluginError(f"asked for by name: {failed[plugin.name]}")


def _index(
    plugins: Sequence[LoadedPlugin],
) -> tuple[dict[str, dict[str, list[Entry]]], tuple[PluginProblem, ...]]:
    """Records by kind and name, and a problem for every claim to a name claimed twice."""
    entries: dict[str, dict[str, list[Entry]]] = {kind: {} for kind in KINDS}
    for loaded in plugins:
        for records in loaded.hooks.values():
            for record in records:
                named = entries[kind_of(record).name]
                named.setdefault(record.name, []).append(Entry(record, loaded.plugin))
    problems = []
    for kind, named in entries.items():
        for name, claims in named.items():
            for claim in claims if len(claims) > 1 else ():
                others = ", ".join(c.plugin.label for c in claims if c is not claim)
                thing = f"its {KINDS[kind].title} '{name}'"
                problems.append(
                    problem(
                        claim.plugin,
                        Cause.RECORD_NAME_TAKEN,
                        f"{others} has one of that name too, and neither takes precedence",
                        skipped=thing,
                    )
                )
    return entries, tuple(problems)


def _name_taken(plugin: InstalledPlugin, chosen: Sequence[InstalledPlugin]) -> PluginProblem:
    others = [p.label for p in chosen if p.name == plugin.name and p is not plugin]
    return problem(
        plugin,
        Cause.PLUGIN_NAME_TAKEN,
        f"{', '.join(others)} has a plugin of that name too, and neither takes precedence",
    )


def _name_of(thing: object) -> str:
    return str(getattr(thing, "__name__", type(thing).__name__)).rpartition(".")[2]
