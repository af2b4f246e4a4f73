"""`orkernel runs`: the runs of a folder."""

from __future__ import annotations

from pathlib import Path

import click

from orkernel.errors import ExitCode

EPILOG = """\b
Example:
  orkernel runs --out runs
"""


@click.command(epilog=EPILOG)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Folder of run folders.",
)
@click.option("--json", "as_json", is_flag=True, help="Print a list of objects.")
def command(out: Path, as_json: bool) -> ExitCode:
    """List the runs of a folder, oldest first."""
    from rich.markup import escape
    from rich.table import Table

    from orkernel.cli.output import print_json, print_report
    from orkernel.report.words import figure
    from orkernel.runs import list_runs

    found = list_runs(out)
    if as_json:
        print_json(found)
        return ExitCode.OK
    if not found:
        click.echo(f"no runs in {out}", err=True)
        return ExitCode.OK
    table = Table("run", "problem", "state", "status", "checked", "objective", show_edge=False)
    for run in found:
        objectives = run["objectives"] or {}
        values = ", ".join(f"{k} = {figure(v)}" for k, v in objectives.items())
        checked = {True: "yes", False: "no", None: ""}[run["verified"]]
        cells = (run["run"], run["name"], run["state"], run["status"] or "", checked, values)
        table.add_row(*map(escape, cells))
    print_report(table)
    return ExitCode.OK
