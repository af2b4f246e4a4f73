"""Installed plugins, read from package metadata; nothing of them is imported."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from email.message import Message
from email.parser import HeaderParser
from functools import cached_property
from importlib import metadata

GROUP = "orkernel"
"""The entry-point group of plugins."""


@dataclass(frozen=True)
class InstalledPlugin:
    """An entry point of the group `orkernel`.

    Attributes:
        name: Name of the entry point: what a user writes in `--plugins`.
        value: What it points to, `package` or `package.module:attribute`.
        source: The distribution that brings it; None for an object given in this process.
        loaded: The plugin itself if it was given in this process.
    """

    name: str
    value: str
    source: metadata.Distribution | None = None
    loaded: object = field(default=None, compare=False)

    @cached_property
    def _headers(self) -> Message:
        """Header block of the metadata, without the long description."""
        text = ""
        if self.source is not None:
            text = self.source.read_text("METADATA") or self.source.read_text("PKG-INFO") or ""
        return HeaderParser().parsestr(text.partition("\n\n")[0])

    @property
    def distribution(self) -> str:
        """Name of the distribution, e.g. `orkernel-highs`."""
        return str(self._headers.get("Name") or "(in this process)")

    @property
    def version(self) -> str:
        """Version of the distribution; empty if it has none."""
        return str(self._headers.get("Version") or "")

    @property
    def summary(self) -> str:
        """One line from the metadata."""
        return str(self._headers.get("Summary") or "")

    @property
    def label(self) -> str:
        """Distribution and version, e.g. `orkernel-highs 0.1.0`."""
        return f"{self.distribution} {self.version}".strip()

    @property
    def requirements(self) -> tuple[str, ...]:
        """Requirements as written in the metadata."""
        return tuple(str(line) for line in self._headers.get_all("Requires-Dist") or ())

    @property
    def kernel_range(self) -> str:
        """Range of kernel versions it asks for, e.g. `>=0.1,<0.2`; empty if it names none."""
        for line in self.requirements:
            requirement = line.partition(";")[0].strip()
            rest = requirement[len(GROUP) :].strip()
            if requirement.lower().startswith(GROUP) and rest[:1] in (
                "",
                "(",
                "<",
                ">",
                "=",
                "!",
                "~",
            ):
                return rest.strip("() ")
        return ""

    def answers_to(self, name: str) -> bool:
        """True if a user's `name` means this plugin, by entry point or by distribution."""
        return self.name == name or normalized(self.distribution) == normalized(name)


def normalized(name: str) -> str:
    """A distribution's name in the form in which names are compared."""
    return name.lower().replace("_", "-").replace(".", "-")


def installed_plugins(path: Iterable[str] | None = None) -> tuple[InstalledPlugin, ...]:
    """Every installed plugin, sorted by name, then distribution.

    Args:
        path: Folders to search; `sys.path` by default.
    """
    found: dict[str, tuple[InstalledPlugin, ...]] = {}
    for source in metadata.distributions(path=list(sys.path if path is None else path)):
        text = source.read_text("entry_points.txt")
        if text is None or f"[{GROUP}]" not in text:
            continue
        plugins = tuple(
            InstalledPlugin(point.name, point.value, source)
            for point in source.entry_points
            if point.group == GROUP
        )
        if plugins:
            found.setdefault(normalized(plugins[0].distribution), plugins)
    flat = [plugin for plugins in found.values() for plugin in plugins]
    return tuple(sorted(flat, key=lambda plugin: (plugin.name, plugin.distribution)))
