"""`orkernel doctor`: is everything in order?"""

from __future__ import annotations

import json
from pathlib import Path

import click

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.cli.tables import print_table
from orkernel.errors import ExitCode


@click.command(epilog="\b\nExample:\n  orkernel doctor --json")
@click.option(
    "--runs",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("runs"),
    show_default=True,
    help="Folder that runs are written to.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plugin_options
@pass_invocation
def command(invocation: Invocation, runs: Path, as_json: bool) -> ExitCode:
    """Check versions, configuration, folders, and the health of every plugin.

    Exits with 0 if no check failed, otherwise with 5.
    """
    from orkernel.health import State, examine_all

    registry = invocation.lenient_registry()
    findings = list(examine_all(registry, runs))
    if as_json:
        click.echo(json.dumps([finding.to_json() for finding in findings], indent=1))
    else:
        print_table(
            ("state", "ms", "check", "detail"),
            ((str(f.state), f"{f.seconds * 1000:.1f}", f.check, f.detail) for f in findings),
        )
    failed = any(finding.state is State.FAILED for finding in findings)
    return ExitCode.BROKEN if failed else ExitCode.OK
