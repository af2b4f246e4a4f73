"""Which installed plugins to load, according to the configuration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orkernel.config import Config, Layer
from orkernel.errors import UnknownName
from orkernel.plugins.installed import InstalledPlugin
from orkernel.plugins.problems import near


@dataclass(frozen=True, slots=True)
class Decision:
    """Whether to load a plugin.

    Attributes:
        enabled: True to load it.
        reason: Who said no, or who asked for it by name; empty if nobody said anything.
        asked: True if the user asked for it by name for this call: failing is fatal then.
    """

    enabled: bool
    reason: str = ""
    asked: bool = False


def decide(plugin: InstalledPlugin, config: Config) -> Decision:
    """Go through the layers, weakest first; the last one that speaks of the plugin decides.

    Naming a plugin in an allow list enables it even if a weaker layer disables it.
    """
    decision = Decision(True)
    for layer in config.layers:
        if _names(layer.deny, plugin):
            decision = Decision(False, f"disabled by {layer.origin}")
        elif layer.allow is not None:
            if _names(layer.allow, plugin):
                decision = Decision(True, f"named by {layer.origin}", asked=layer.asked)
            else:
                decision = Decision(False, f"not among those allowed by {layer.origin}")
    return decision


def check_names(plugins: Sequence[InstalledPlugin], config: Config) -> None:
    """Refuse names that were given for this call and that no installed plugin has.

    Raises:
        UnknownName: With near matches.
    """
    for layer in config.layers:
        if not layer.asked:
            continue
        for name in sorted((layer.allow or frozenset()) | layer.deny):
            if not any(plugin.answers_to(name) for plugin in plugins):
                raise unknown_plugin(name, plugins, layer)


def unknown_plugin(
    name: str, plugins: Sequence[InstalledPlugin], layer: Layer | None = None
) -> UnknownName:
    """The error for a plugin name that no installed plugin has."""
    origin = f"{layer.origin}: " if layer is not None else ""
    return UnknownName(
        f"{origin}no plugin named '{name}' is installed",
        fix=near(name, (plugin.name for plugin in plugins)),
    )


def _names(names: frozenset[str] | None, plugin: InstalledPlugin) -> bool:
    return bool(names) and any(plugin.answers_to(name) for name in names or ())
