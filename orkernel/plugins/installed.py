"""Installed plugins, read from package metadata; nothing of them is imported.

The folders on `sys.path` are read directly. Finding the plugins among 350
distributions takes a few milliseconds that way; `importlib.metadata`, which parses
whole files and pulls in the e-mail package, takes 60.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

GROUP = "orkernel"
"""The entry-point group of plugins."""

_REQUIRES_KERNEL = re.compile(
    rf"{GROUP}\s*(?:\[[^]]*\]\s*)?(?:\(([^)]*)\)|([<>=!~][^;]*))?\s*(?:;|$)", re.IGNORECASE
)


@dataclass(frozen=True)
class InstalledPlugin:
    """An entry point of the group `orkernel`.

    Attributes:
        name: Name of the entry point: what a user writes in `--plugins`.
        value: What it points to, `package` or `package.module:attribute`.
        folder: Metadata folder of the distribution that brings it; None for an object
            given in this process.
        loaded: The plugin itself if it was given in this process.
    """

    name: str
    value: str
    folder: str | None = None
    loaded: object = field(default=None, compare=False)

    @cached_property
    def _headers(self) -> tuple[tuple[str, str], ...]:
        return tuple(_headers(Path(self.folder))) if self.folder is not None else ()

    def _header(self, name: str) -> str:
        return next((value for key, value in self._headers if key == name), "")

    @property
    def distribution(self) -> str:
        """Name of the distribution, e.g. `orkernel-highs`."""
        if self.folder is None:
            return "(in this process)"
        return self._header("name") or _stem(self.folder)

    @property
    def version(self) -> str:
        """Version of the distribution; empty if it has none."""
        return self._header("version")

    @property
    def summary(self) -> str:
        """One line from the metadata."""
        return self._header("summary")

    @property
    def label(self) -> str:
        """Distribution and version, e.g. `orkernel-highs 0.1.0`."""
        return f"{self.distribution} {self.version}".strip()

    @property
    def requirements(self) -> tuple[str, ...]:
        """Requirements as written in the metadata."""
        return tuple(value for key, value in self._headers if key == "requires-dist")

    @property
    def kernel_range(self) -> str:
        """Range of kernel versions it asks for, e.g. `>=0.1,<0.2`; empty if it names none."""
        found = filter(None, map(_REQUIRES_KERNEL.match, self.requirements))
        ranges = (match[1] or match[2] or "" for match in found)
        return ",".join(text.strip() for text in ranges if text.strip())

    def answers_to(self, name: str) -> bool:
        """True if a user's `name` means this plugin, by entry point or by distribution."""
        return self.name == name or normalized(self.distribution) == normalized(name)


def normalized(name: str) -> str:
    """A distribution's name in the form in which names are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def installed_plugins(path: Iterable[str] | None = None) -> tuple[InstalledPlugin, ...]:
    """Every installed plugin, sorted by name, then distribution.

    Of a distribution that is installed twice, the one that comes first on the path counts,
    as it does for imports.

    Args:
        path: Folders to search; `sys.path` by default.
    """
    seen: set[str] = set()
    found: list[InstalledPlugin] = []
    for folder in sys.path if path is None else path:
        for info in _metadata_folders(folder):
            name = normalized(_stem(info))
            if name not in seen:
                seen.add(name)
                found.extend(_entry_points(info))
    return tuple(sorted(found, key=lambda plugin: (plugin.name, plugin.distribution)))


def _metadata_folders(folder: str) -> list[str]:
    try:
        names = os.listdir(folder or ".")
    except OSError:
        return []
    return [
        os.path.join(folder, name)
        for name in sorted(names)
        if name.endswith((".dist-info", ".egg-info"))
    ]


def _stem(info: str) -> str:
    """`orkernel_highs` of `…/orkernel_highs-0.1.0.dist-info`."""
    return os.path.basename(info).rpartition(".")[0].partition("-")[0]


def _entry_points(info: str) -> Iterator[InstalledPlugin]:
    """The plugins in an `entry_points.txt`; a file that cannot be read has none."""
    try:
        with open(os.path.join(info, "entry_points.txt"), encoding="utf-8", errors="replace") as f:
            text = f.read()
    except OSError:
        return
    if f"[{GROUP}]" not in text:
        return
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == GROUP and line and line[0] not in "#;":
            name, equals, value = line.partition("=")
            if equals:
                yield InstalledPlugin(name.strip(), value.partition("[")[0].strip(), info)


def _headers(info: Path) -> Iterator[tuple[str, str]]:
    """Header lines of `METADATA` (or `PKG-INFO`), names in lower case, folded lines joined."""
    for file in ("METADATA", "PKG-INFO"):
        try:
            text = (info / file).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        head = re.sub(r"\n[ \t]+", " ", text.partition("\n\n")[0])
        for line in head.splitlines():
            key, colon, value = line.partition(":")
            if colon:
                yield key.strip().lower(), value.strip()
        return
