"""Which files an isolated interpreter needs: Python itself and its installed packages."""

from __future__ import annotations

import os
import site
import stat
import sys
import sysconfig
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_SYSTEM = ("/usr/bin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/nix/store")
_ROOT = ("/bin", "/lib", "/lib32", "/lib64")
_FILES = ("/etc/ld.so.cache", "/etc/localtime")
_PARTS = ("bin", "lib", "lib64", "pyvenv.cfg")
GUEST = Path(__file__).parent / "guest"


@dataclass(frozen=True, slots=True)
class Places:
    """What may be read inside.

    Args:
        python: The interpreter, symbolic links resolved.
        readable: Files and folders, each existing, none inside another.
        links: Symbolic links in the root folder by name, with what they point to.
        path: Folders that packages are imported from.
        search: Folders.
    """

    python: str
    readable: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    path: tuple[str, ...]
    search: tuple[str, ...]


@cache
def needed() -> Places:
    """The places of the interpreter that runs this."""
    python = os.path.realpath(sys.executable)
    prefixes = {sys.prefix, sys.base_prefix, sys.exec_prefix, str(Path(python).parent.parent)}
    wanted = [str(Path(prefix) / part) for prefix in prefixes for part in _PARTS]
    packages = _packages()
    paths = sysconfig.get_paths()
    wanted += [*packages, paths["stdlib"], paths["platstdlib"], str(GUEST), python]
    wanted += [*_SYSTEM, *_FILES]
    wanted += [folder for folder in _ROOT if not os.path.islink(folder)]
    links = tuple((folder, os.readlink(folder)) for folder in _ROOT if os.path.islink(folder))
    search = os.pathsep.join(str(Path(prefix) / "bin") for prefix in sorted(prefixes))
    return Places(
        python,
        _outermost(wanted),
        links,
        packages,
        tuple(dict.fromkeys([*search.split(os.pathsep), "/usr/bin", "/bin"])),
    )


def _packages() -> tuple[str, ...]:
    """The folders of installed packages that this interpreter imports from, in its order."""
    installed = {os.path.realpath(folder) for folder in site.getsitepackages()}
    installed.add(os.path.realpath(site.getusersitepackages()))
    kept: dict[str, None] = {}
    for folder in sys.path:
        real = os.path.realpath(folder)
        named = os.path.basename(real) in ("site-packages", "dist-packages")
        if folder and os.path.isdir(real) and (named or real in installed):
            kept[folder] = None
    return tuple(kept)


def _outermost(wanted: list[str]) -> tuple[str, ...]:
    """The existing ones among the paths, without those that lie inside another."""
    kept: list[str] = []
    for path in sorted({os.path.abspath(path) for path in wanted if os.path.exists(path)}):
        if not any(path == outer or path.startswith(outer + os.sep) for outer in kept):
            kept.append(path)
    return tuple(kept)


def open_to_all(paths: tuple[str, ...]) -> bool:
    """Whether any user of the machine can reach every one of the paths."""
    return all(
        os.stat(folder).st_mode & stat.S_IXOTH
        for path in paths
        for folder in Path(os.path.realpath(path)).parents
    ) and all(os.stat(path).st_mode & stat.S_IROTH for path in paths)
