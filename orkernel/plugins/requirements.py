"""What a plugin requires against what is installed."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec

from orkernel.plugins.installed import InstalledPlugin, normalized
from orkernel.version import __version__


def accepts_kernel(plugin: InstalledPlugin) -> bool:
    """True if the plugin's range of kernel versions holds this kernel, or it has none."""
    return _holds_kernel(plugin.kernel_range)


@cache
def _holds_kernel(wanted: str) -> bool:
    if not wanted:
        return True
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return SpecifierSet(wanted).contains(__version__, prereleases=True)
    except InvalidSpecifier:
        return False


def conflicts(requirements: Iterable[str]) -> list[tuple[str, str]]:
    """Requirements that are not met: `(what is wrong, requirement)`.

    Extras count only if they are asked for; a requirement that cannot be parsed is a
    conflict too.
    """
    from importlib.metadata import PackageNotFoundError

    from packaging.requirements import InvalidRequirement, Requirement

    found = []
    for line in requirements:
        try:
            requirement = Requirement(line)
        except InvalidRequirement:
            found.append((f"its requirement {line!r} cannot be parsed", ""))
            continue
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        wanted = f"{requirement.name}{requirement.specifier}"
        try:
            installed = _version(requirement.name)
        except PackageNotFoundError:
            found.append((f"needs {wanted}, which is not installed", wanted))
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            found.append((f"needs {wanted}, but {installed} is installed", wanted))
    return found


def _version(distribution: str) -> str:
    """Installed version; this kernel's own even if it runs from a folder."""
    from importlib.metadata import version

    return __version__ if normalized(distribution) == "orkernel" else version(distribution)


def importable(module: str) -> bool:
    """True if a module can be found; neither it nor its parents are imported."""
    top, *rest = module.split(".")
    try:
        spec: ModuleSpec | None = find_spec(top)
        name = top
        for part in rest:
            if spec is None or spec.submodule_search_locations is None:
                return False
            name = f"{name}.{part}"
            spec = PathFinder.find_spec(name, spec.submodule_search_locations)
    except (ImportError, ValueError):
        return False
    return spec is not None
