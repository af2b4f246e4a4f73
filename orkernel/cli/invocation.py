"""What one call of the command line shares: configuration, registry, verbosity.

A command that uses plugins is written like this:

```python
@click.command()
@plugin_options
@pass_invocation
def command(invocation: Invocation) -> None:
    registry = invocation.registry()
```
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import click

from orkernel.config import Config
from orkernel.errors import OrkernelError, UnknownName

if TYPE_CHECKING:
    from orkernel.registry import Registry

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


@dataclass
class Invocation:
    """Flags that every command understands, and what is made from them, once.

    Attributes:
        plugins: Value of `--plugins`.
        no_plugins: Value of `--no-plugins`.
        options: Values of `-o`.
        verbosity: Number of `-v`.
    """

    plugins: str = ""
    no_plugins: bool = False
    options: list[str] = field(default_factory=list)
    verbosity: int = 0
    _told: set[str] = field(default_factory=set, repr=False)
    _config: Config | None = field(default=None, repr=False)
    _registry: Registry | None = field(default=None, repr=False)

    def config(self) -> Config:
        """The configuration.

        Raises:
            UsageError: A file or a flag is malformed.
        """
        if self._config is None:
            self._config = self._read(tolerant=False)
        return self._config

    def lenient_config(self) -> Config:
        """The configuration without files that are broken; those are reported on stderr."""
        config = self._read(tolerant=True)
        for error in config.problems:
            self.warn(str(error))
        return config

    def registry(self) -> Registry:
        """The registry, loaded once; what was left out is reported on stderr.

        Raises:
            UsageError: The configuration is broken.
            PluginError: A plugin asked for by name fails, or any plugin in strict mode.
        """
        if self._registry is None:
            self._registry = self._load(self.config())
        return self._registry

    def lenient_registry(self) -> Registry:
        """The registry for help and inspection: broken files, strict mode and -o are ignored."""
        if self._registry is None:
            config = self.lenient_config()
            layers = tuple(layer for layer in config.layers if not layer.options or not layer.asked)
            self._registry = self._load(Config(layers))
        return self._registry

    def defaults_of(
        self, name: str, command: click.Command, *, lenient: bool = False
    ) -> dict[str, Any]:
        """Defaults of a command's flags from the configuration files.

        Raises:
            UsageError: A file is broken, unless `lenient`; then it is reported and left out.
            UnknownName: A file sets a flag that the command does not have.
        """
        config = self.lenient_config() if lenient else self._read(tolerant=False)
        flags = {flag: p.name for p in command.params for flag in _flags(p) if p.name}
        defaults: dict[str, Any] = {}
        for key, value in config.defaults(name).items():
            flag = key.replace("_", "-")
            if flag not in flags:
                from orkernel.plugins.problems import near

                origin = next(
                    c.origin for c in reversed(config.layers) if key in c.defaults_of(name)
                )
                raise UnknownName(
                    f"{origin}: [defaults.{name}] sets '{key}', which is no flag of "
                    f"`orkernel {name}`",
                    fix=near(flag, flags),
                )
            defaults[flags[flag]] = value
        return defaults

    def warn(self, line: str) -> None:
        """One line on stderr, once, and never while a shell asks for completions."""
        if line not in self._told and "_ORKERNEL_COMPLETE" not in os.environ:
            self._told.add(line)
            click.echo(f"warning: {line}", err=True)

    def _read(self, *, tolerant: bool) -> Config:
        return Config.load(
            plugins=self.plugins,
            no_plugins=self.no_plugins,
            options=self.options,
            tolerant=tolerant,
        )

    def _load(self, config: Config) -> Registry:
        from orkernel.registry import Registry

        registry = Registry.load(config)
        for problem in registry.problems:
            self.warn(str(problem))
        if self.verbosity:
            for loaded in registry.plugins:
                click.echo(
                    f"plugin '{loaded.plugin.name}' ({loaded.plugin.label}) loaded in "
                    f"{loaded.seconds * 1000:.1f} ms",
                    err=True,
                )
        return registry


def _flags(parameter: click.Parameter) -> set[str]:
    """Names of a flag as a configuration file may write them; none for an argument."""
    if not isinstance(parameter, click.Option) or not parameter.expose_value:
        return set()
    return {option.lstrip("-") for option in parameter.opts}


pass_invocation = click.make_pass_decorator(Invocation, ensure=True)
"""Hands the `Invocation` to a command as its first argument."""


def plugin_options(command: Decorated) -> Decorated:
    """Add --plugins, --no-plugins, -o and -v, which end up in the `Invocation`."""

    def store(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
        if not value or ctx.resilient_parsing:
            return
        invocation = ctx.ensure_object(Invocation)
        if parameter.name == "options":
            invocation.options.extend(value)
        elif parameter.name == "verbosity":
            invocation.verbosity += value
        else:
            setattr(invocation, str(parameter.name), value)

    shared: dict[str, Any] = {
        "expose_value": False,
        "callback": store,
        "is_eager": True,
        "allow_from_autoenv": False,
    }
    for decorate in (
        click.option("-v", "--verbose", "verbosity", count=True, help="Say more.", **shared),
        click.option(
            "-o",
            "options",
            multiple=True,
            metavar="NAME.key=value",
            help="Set an option of a plugin's object; may be repeated.",
            **shared,
        ),
        click.option("--no-plugins", "no_plugins", is_flag=True, help="Load none.", **shared),
        click.option(
            "--plugins",
            metavar="a,b|-a",
            help="Load only these plugins, or all but those written with a minus.",
            **shared,
        ),
    ):
        command = decorate(command)
    return command


__all__ = ["Invocation", "OrkernelError", "pass_invocation", "plugin_options"]
