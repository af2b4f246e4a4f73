"""Making the package of a new plugin: templates filled in, written all or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from string import Template

from orkernel.errors import UsageError
from orkernel.scaffold.kinds import PluginKind
from orkernel.scaffold.naming import PluginName

SUFFIX = ".template"
"""Ends the name of every template file, so that no tool takes it for what it will become."""


class _Filled(Template):
    """A template whose placeholders read `%%{field}`."""

    delimiter = "%%"


def package_files(kind: PluginKind, name: PluginName) -> dict[str, str]:
    """The files of the package of a new plugin.

    Args:
        kind: Kind of plugin.
        name: Its name.

    Returns:
        Text by path relative to the package's folder, sorted by path.
    """
    templates = resources.files("orkernel.scaffold") / "templates"
    fields = _fields(kind, name)
    about = (templates / kind.folder / "about.md").read_text(encoding="utf-8")
    fields["about"] = _Filled(about).substitute(fields).strip()
    found = {}
    for folder in ("common", kind.folder):
        for path, text in _texts(templates / folder):
            target = path.removesuffix(SUFFIX).replace("MODULE", name.module)
            found[target] = _Filled(text).substitute(fields)
    return dict(sorted(found.items()))


def _texts(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, str]]:
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            yield from _texts(entry, f"{prefix}{entry.name}/")
        elif entry.name.endswith(SUFFIX):
            yield prefix + entry.name, entry.read_text(encoding="utf-8")


def _fields(kind: PluginKind, name: PluginName) -> dict[str, str]:
    requires = "".join(f'    "{requirement}",\n' for requirement in kind.requires)
    return {
        "name": name.name,
        "distribution": name.distribution,
        "module": name.module,
        "test_class": name.test_class,
        "constant": name.name.replace("-", "_").upper(),
        "kind": kind.word,
        "kit": kind.kit,
        "requires": requires,
        "summary": kind.summary,
    }


def write_package(kind: PluginKind, name: PluginName, parent: Path) -> tuple[Path, list[str]]:
    """Write the package below `parent`: complete, or not at all.

    Args:
        kind: Kind of plugin.
        name: Its name.
        parent: An existing folder.

    Returns:
        The package's folder, and its files relative to it.

    Raises:
        UsageError: `parent` is no folder or not writable, or the package's folder exists.
    """
    if not parent.is_dir():
        raise UsageError(f"--out {parent} is not a folder", fix=f"`mkdir -p {parent}` first")
    target = parent / name.distribution
    if os.path.lexists(target):
        raise UsageError(
            f"{target} exists already; nothing was written",
            fix="choose another name, or another folder with --out DIR",
        )
    files = package_files(kind, name)
    try:
        workplace = Path(tempfile.mkdtemp(prefix=f".{name.distribution}-", dir=parent))
        try:
            _write(workplace / "new", files)
            os.rename(workplace / "new", target)
        finally:
            shutil.rmtree(workplace, ignore_errors=True)
    except OSError as error:
        raise UsageError(
            f"cannot write {target}: {error.strerror or error}; nothing was kept",
            fix="choose another folder with --out DIR",
        ) from error
    return target, list(files)


def _write(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="\n")
