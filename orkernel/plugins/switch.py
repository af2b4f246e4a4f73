"""Disable and enable plugins in the user's configuration file.

The file is edited, not rewritten: comments, order and unknown keys stay (tomlkit), and a
reader sees either the old or the new file. No plugin is imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError, TOMLKitError

from orkernel.plugins.choice import unknown_plugin
from orkernel.plugins.installed import InstalledPlugin
from orkernel.runs import write_atomically


@dataclass(frozen=True, slots=True)
class Switched:
    """What `disable` or `enable` did.

    Attributes:
        path: The configuration file.
        changed: Names that were switched; the others were so already.
        moved: Where a broken file was moved to, or None.
    """

    path: Path
    changed: tuple[str, ...]
    moved: Path | None


def disable(path: Path, names: Iterable[str], installed: Sequence[InstalledPlugin]) -> Switched:
    """Add names of plugins or distributions to `plugins.disable`.

    Raises:
        UnknownName: No installed plugin has the name.
        OSError: The file cannot be written.
    """
    document, table, moved = _open(path)
    listed = table["disable"] if "disable" in table else tomlkit.array()
    changed = []
    for name in names:
        if not any(plugin.answers_to(name) for plugin in installed):
            raise unknown_plugin(name, installed)
        if name not in listed:
            listed.append(name)
            changed.append(name)
    table["disable"] = listed
    return _save(path, document, changed, moved)


def enable(path: Path, names: Iterable[str], installed: Sequence[InstalledPlugin]) -> Switched:
    """Remove names from `plugins.disable`, and add them to `plugins.allow` if there is one.

    Raises:
        UnknownName: The name is neither listed nor that of an installed plugin.
        OSError: The file cannot be written.
    """
    document, table, moved = _open(path)
    changed = []
    for name in names:
        meant = [plugin for plugin in installed if plugin.answers_to(name)]
        if not meant and name not in table.get("disable", ()):
            raise unknown_plugin(name, installed)
        switched = False
        for listed in list(table.get("disable", ())):
            if listed == name or any(plugin.answers_to(listed) for plugin in meant):
                table["disable"].remove(listed)
                switched = True
        allowed = table.get("allow")
        if allowed is not None and not any(p.answers_to(a) for a in allowed for p in meant):
            allowed.append(name)
            switched = True
        if switched:
            changed.append(name)
    return _save(path, document, changed, moved)


def _open(path: Path) -> tuple[tomlkit.TOMLDocument, Any, Path | None]:
    """The document, its `plugins` table, and where a file without a usable one was moved."""
    moved = None
    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8"))
        if not _usable(document.get("plugins", {})):
            raise ParseError(1, 1)
    except FileNotFoundError:
        document = tomlkit.document()
    except (TOMLKitError, ValueError, RecursionError):
        moved = _unused(path)
        document = tomlkit.document()
    if "plugins" not in document:
        document["plugins"] = tomlkit.table()
    return document, document["plugins"], moved


def _usable(table: Any) -> bool:
    return isinstance(table, dict) and all(
        isinstance(table.get(key, []), list) and all(isinstance(n, str) for n in table.get(key, []))
        for key in ("allow", "disable")
    )


def _unused(path: Path) -> Path:
    candidates = (path.with_name(f"{path.name}.broken{n or ''}") for n in range(1000))
    return next(candidate for candidate in candidates if not candidate.exists())


def _save(
    path: Path, document: tomlkit.TOMLDocument, changed: list[str], moved: Path | None
) -> Switched:
    if changed or moved is not None:
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o644
        if moved is not None:
            target.rename(moved)
        write_atomically(target, tomlkit.dumps(document))
        target.chmod(mode)
    return Switched(path, tuple(changed), moved)
