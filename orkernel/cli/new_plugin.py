"""`orkernel new-plugin`: a package that installs and passes its conformance kit as it is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.scaffold.kinds import PLUGIN_KINDS, PluginKind

EPILOG = """\b
Example:
  orkernel new-plugin solver my-solver
  cd orkernel-my-solver && pip install -e '.[test]' && pytest

\b
Exit codes: 0 written, 2 bad name, kind or folder (nothing is written).
"""


@click.command(epilog=EPILOG)
@click.argument("kind", type=click.Choice(list(PLUGIN_KINDS)))
@click.argument("name")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default="this folder",
    help="Folder to make the package's folder in.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@plugin_options
@pass_invocation
def command(invocation: Invocation, kind: str, name: str, out: Path, as_json: bool) -> None:
    """Make the package `orkernel-NAME`: a working plugin with its tests.

    NAME is what users will write, e.g. in `--solver NAME`.
    """
    from orkernel.cli.output import print_json
    from orkernel.scaffold.naming import plugin_name
    from orkernel.scaffold.package import write_package

    chosen = PLUGIN_KINDS[kind]
    checked = plugin_name(name, _taken(invocation, chosen))
    folder, files = write_package(chosen, checked, out)
    if as_json:
        print_json(
            {
                "kind": kind,
                "name": checked.name,
                "distribution": checked.distribution,
                "module": checked.module,
                "folder": str(folder),
                "files": files,
            }
        )
        return
    click.echo(f"{folder}: {chosen.summary}")
    for file in files:
        click.echo(f"  {file}")
    click.echo("\nNext:")
    click.echo(f"  cd {folder}\n  pip install -e '.[test]'\n  pytest")
    click.echo(f"  orkernel conformance {checked.name}")


def _taken(invocation: Invocation, kind: PluginKind) -> Iterator[tuple[str, str]]:
    """Names in use: commands, installed plugins and their records, and orkernel's own plugins."""
    from orkernel.commands import COMMANDS
    from orkernel.plugins.catalogue import CATALOGUE

    if kind.records == "commands":
        yield from ((name, f"the kernel's command `{name}`") for name in COMMANDS)
    registry = invocation.lenient_registry()
    for plugin in registry.installed:
        yield plugin.name, plugin.label
        yield plugin.distribution, plugin.label
    for entry in registry.entries(kind.records):
        yield entry.record.name, entry.plugin.label
    yield from CATALOGUE.items()
    yield from ((distribution, distribution) for distribution in CATALOGUE.values())
