"""`orkernel bench`: answer a file of questions and count the right answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.errors import Cancelled, ExitCode, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from orkernel.bench.scoring import Outcome, Summary

EPILOG = """\b
Example:
  orkernel bench questions.jsonl --limit 50 --jobs 2 --out bench/

\b
Each line of DATA is an object with "question" and "answer". An item is right if the
verified objective agrees with the figure that the labels file names.
"""


@click.command(epilog=EPILOG)
@click.argument("data", type=click.Path(path_type=Path))
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N items.")
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, metavar="N")
@click.option("--tolerance", default="rel:1e-4", show_default=True, metavar="rel:R|abs:A")
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    metavar="OVERLAY.jsonl",
    help="Which figure counts, and faulty labels; DATA.labels.jsonl by default.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder for outcomes and summary.")
@click.option("-k", "k", type=click.IntRange(1, 100), default=3, show_default=True)
@click.option("--formulator", metavar="X")
@click.option("--scorer", metavar="X,Y")
@click.option("--selector", metavar="X")
@click.option("--classifier", metavar="X")
@click.option("--solver", metavar="auto|NAME", default="auto", show_default=True)
@click.option(
    "--time-limit",
    type=float,
    default=30.0,
    show_default=True,
    metavar="S",
    help="Seconds for solving one item.",
)
@click.option("--seed", type=int, default=0, show_default=True)
@click.option(
    "--second-opinion/--no-second-opinion",
    default=False,
    show_default=True,
    help="Ask a second exact solver where there is no certificate.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@plugin_options
@pass_invocation
def command(
    invocation: Invocation,
    /,
    data: Path,
    limit: int | None,
    jobs: int,
    tolerance: str,
    labels: Path | None,
    out: Path | None,
    scorer: str | None,
    as_json: bool,
    **arguments: Any,
) -> ExitCode:
    """Answer every question of DATA and report answered, right, wrong and refused."""
    from rich.progress import Progress

    from orkernel.bench.items import read_items
    from orkernel.bench.running import Settings, run_items
    from orkernel.bench.scoring import Tolerance
    from orkernel.cli.output import print_json, print_report, progress_console

    items = read_items(data, labels, limit)
    if not items:
        raise UsageError(f"{data} holds no items")
    if out is not None:
        _make(out)
    arguments["scorers"] = tuple(s.strip() for s in scorer.split(",")) if scorer else None
    settings = Settings(Tolerance.parse(tolerance), arguments)
    outcomes: list[Outcome] = []
    interrupted = False
    with Progress(console=progress_console(), transient=True) as progress:
        task = progress.add_task("answering", total=len(items))
        try:
            for outcome in run_items(items, settings, invocation.config(), jobs):
                outcomes.append(outcome)
                progress.advance(task)
                if invocation.verbosity and outcome.verdict != "right":
                    progress.console.print(
                        f"{outcome.id}: {outcome.verdict} {outcome.why} "
                        f"(found {outcome.found}, label {outcome.label})",
                        markup=False,
                    )
        except (Cancelled, KeyboardInterrupt):
            interrupted = True
    if out is not None:
        _write(out, outcomes)
    if as_json:
        print_json({**_summary(outcomes), "outcomes": [o.to_json() for o in outcomes]})
    else:
        print_report(_table(outcomes))
    return ExitCode.INTERRUPTED if interrupted else ExitCode.OK


def _summaries(outcomes: list[Outcome]) -> dict[str, Summary]:
    """By the labels as they are, and, where some are known to be wrong, without those."""
    from orkernel.bench.scoring import summarise

    found = {"raw labels": summarise(outcomes)}
    if any(o.fault for o in outcomes):
        found["without faulty labels"] = summarise([o for o in outcomes if not o.fault])
    return found


def _summary(outcomes: list[Outcome]) -> dict[str, Any]:
    from orkernel.bench.scoring import reasons

    return {
        "summaries": {name: s.to_json() for name, s in _summaries(outcomes).items()},
        "reasons": [{"why": why, "items": count} for why, count in reasons(outcomes)],
    }


def _make(out: Path) -> None:
    """Make the folder before the work, so that no work is lost for want of it."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"cannot write into {out}: {error.strerror or error}",
            fix="choose another folder with --out DIR",
        ) from error


def _write(out: Path, outcomes: list[Outcome]) -> None:
    from orkernel.runs import write_atomically

    lines = "".join(json.dumps(o.to_json()) + "\n" for o in outcomes)
    write_atomically(out / "outcomes.jsonl", lines)
    write_atomically(out / "summary.json", json.dumps(_summary(outcomes), indent=1) + "\n")


def _table(outcomes: list[Outcome]) -> RenderableType:
    from rich.console import Group
    from rich.markup import escape
    from rich.table import Table

    from orkernel.bench.scoring import reasons

    table = Table(
        "", "items", "answered", "right", "wrong", "unscored", "refused", "failed",
        "right of scored", "seconds", show_edge=False,
    )  # fmt: skip
    for name, s in _summaries(outcomes).items():
        accuracy = f"{s.accuracy:.1%}" if s.accuracy is not None else ""
        answered = f"{s.answered} ({s.answered / max(1, s.items):.0%})"
        numbers = (s.right, s.wrong, s.unscored, s.refused, s.failed)
        table.add_row(
            name, str(s.items), answered, *map(str, numbers), accuracy, f"{s.seconds:.1f}"
        )
    why = Table("why not answered", "items", show_edge=False)
    for reason, count in reasons(outcomes):
        why.add_row(escape(reason), str(count))
    return Group(table, "", why) if why.row_count else table
