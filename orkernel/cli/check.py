"""`orkernel check`: the diagnostics of a formulation."""

from __future__ import annotations

from pathlib import Path

import click

from orkernel.cli.invocation import plugin_options
from orkernel.errors import ExitCode

EPILOG = """\b
Example:
  orkernel check formulation.json --data tables/

\b
Exit codes: 0 no errors, 2 unreadable, 4 at least one error.
"""


@click.command(epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--data", type=click.Path(path_type=Path), help="Folder with CSV tables.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@plugin_options
def command(file: Path, data: Path | None, as_json: bool) -> ExitCode:
    """Check a formulation: names, indices, data, units, quotes. Nothing is solved."""
    from rich.table import Table

    from orkernel.candidates import examine
    from orkernel.cli.output import print_json, print_report
    from orkernel.errors import UsageError
    from orkernel.formulation.check import Severity
    from orkernel.sources import read_source

    problem, formulation = read_source(file, data)
    if formulation is None:
        raise UsageError(f"{file} is no formulation", fix="give a .json file")
    _, found = examine(formulation, problem)
    errors = sum(d.severity is Severity.ERROR for d in found)
    if as_json:
        print_json({"errors": errors, "diagnostics": [d.to_json() for d in found]})
    elif found:
        table = Table("", "element", "finding", "code", show_edge=False)
        for d in sorted(found, key=lambda d: d.severity):
            place = f" (column {d.start + 1} of {d.field})" if d.start is not None else ""
            fix = f"\n→ {d.suggestion}" if d.suggestion else ""
            table.add_row(*map(_plain, (d.severity, d.element, d.message + place + fix, d.code)))
        print_report(table)
    if not as_json:
        warnings = len(found) - errors
        click.echo(f"{errors} error(s), {warnings} warning(s)", err=True)
    return ExitCode.REFUSED if errors else ExitCode.OK


def _plain(text: str) -> str:
    from rich.markup import escape

    return escape(str(text))
