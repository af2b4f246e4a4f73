"""The command group: built-in commands by a static table, further ones from plugins.

`orkernel --help` imports no command. A built-in command runs without loading a
plugin; an unknown word is looked up among the plugins' commands.
"""

from __future__ import annotations

import os
from typing import Any

import click

from orkernel.cli.invocation import Invocation, plugin_options
from orkernel.commands import COMMANDS
from orkernel.errors import OrkernelError, PluginError, UnknownName
from orkernel.plugins.problems import near
from orkernel.version import __version__

HELP = {"-h", "--help"}
INSPECTING = {"plugins", "doctor"}
"""Commands that work with a broken configuration file, so that it can be found and mended."""

EPILOG = """\b
Example:
  orkernel run problem.md --solver auto
"""


class LazyGroup(click.Group):
    """A group that imports a command only when it is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the built-in commands, then those of plugins."""
        return [*COMMANDS, *_plugin_summaries(ctx)]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, or None."""
        if cmd_name in COMMANDS:
            from importlib import import_module

            command = import_module(COMMANDS[cmd_name][0]).command
            assert isinstance(command, click.Command)
            return command
        return _plugin_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; an unknown one gets near matches."""
        name = args[0]
        command = self.get_command(ctx, name)
        if command is None and not ctx.resilient_parsing:
            raise UnknownName(
                f"there is no command '{name}'", fix=near(name, self.list_commands(ctx))
            )
        invocation = ctx.ensure_object(Invocation)
        if command is not None and not ctx.resilient_parsing:
            lenient = name in INSPECTING or not HELP.isdisjoint(args)
            ctx.default_map = {name: invocation.defaults_of(name, command, lenient=lenient)}
        return name, command, args[1:]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands' names and summaries without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])
        if plugin_commands := _plugin_summaries(ctx):
            with formatter.section("Commands of plugins"):
                formatter.write_dl(list(plugin_commands.items()))


def _plugin_summaries(ctx: click.Context) -> dict[str, str]:
    """Names and summaries of plugins' commands; a broken configuration gives none."""
    invocation = ctx.ensure_object(Invocation)
    try:
        records = invocation.lenient_registry().records("commands")
    except OrkernelError as error:
        if "_ORKERNEL_COMPLETE" not in os.environ:
            from orkernel.cli.failures import print_error

            print_error(error)
        return {}
    return {name: record.summary for name, record in records.items()}


def _plugin_command(ctx: click.Context, name: str) -> click.Command | None:
    invocation = ctx.ensure_object(Invocation)
    lenient = ctx.resilient_parsing
    registry = invocation.lenient_registry() if lenient else invocation.registry()
    if all(entry.record.name != name for entry in registry.entries("commands")):
        return None
    record = registry.get("commands", name)
    command = registry.resolve(record)
    if not isinstance(command, click.Command):
        raise PluginError(
            f"command '{name}' ({registry.distribution(record)}) is no click command: "
            f"{record.target}",
            fix="its target must be made with @click.command",
        )
    return command


@click.group(
    cls=LazyGroup,
    epilog=EPILOG,
    context_settings={
        "help_option_names": sorted(HELP),
        "max_content_width": 100,
        "auto_envvar_prefix": "ORKERNEL",
    },
)
@plugin_options
@click.version_option(
    __version__, prog_name="orkernel", message="%(prog)s %(version)s", allow_from_autoenv=False
)
def cli(**_: Any) -> None:
    """Turn an operations-research problem in plain words into a checked answer."""
