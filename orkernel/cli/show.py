"""`orkernel show`: a run folder, for people or as JSON."""

from __future__ import annotations

from pathlib import Path

import click

from orkernel.errors import ExitCode

EPILOG = """\b
Example:
  orkernel show runs/20260101-120000-bakery
"""


@click.command(epilog=EPILOG)
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="Print the stored answer.")
def command(run: Path, as_json: bool) -> ExitCode:
    """Show what a run was asked, what it found, and how it ended."""
    from orkernel.cli.output import print_json, print_report
    from orkernel.report.stored import render_stored
    from orkernel.runs import RunFolder

    folder = RunFolder.open(run)
    state = folder.read_json("run.json")
    answer = folder.read_json("answer.json")
    if as_json:
        print_json({"run": state, "answer": answer})
    else:
        print_report(render_stored(folder))
    return ExitCode.OK
