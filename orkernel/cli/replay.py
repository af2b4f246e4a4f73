"""`orkernel replay`: a finished run again, without any model."""

from __future__ import annotations

from pathlib import Path

import click

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.errors import ExitCode

EPILOG = """\b
Example:
  orkernel replay runs/20260101-120000-bakery

\b
Exit codes: those of `orkernel run`; 1 if the answer differs from the stored one.
"""


@click.command(epilog=EPILOG)
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@plugin_options
@pass_invocation
def command(invocation: Invocation, run: Path, as_json: bool) -> ExitCode:
    """Check a run's stored solution again and solve its formulation again."""
    from orkernel.cli.output import print_json, print_report, progress_console
    from orkernel.replaying import replay
    from orkernel.report.terminal import Progress, render

    with Progress(progress_console(), invocation.verbosity) as progress:
        repeated = replay(run, invocation.registry(), observe=progress.observe)
    if as_json:
        print_json({"answer": repeated.answer.to_json(), "differences": list(repeated.differences)})
    else:
        print_report(render(repeated.answer, verbosity=invocation.verbosity))
    for line in repeated.differences:
        click.echo(f"differs: {line}", err=True)
    if repeated.differences:
        return ExitCode.FAILED
    click.echo("the same answer as stored", err=True)
    return repeated.answer.exit_code
