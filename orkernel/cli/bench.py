"""`orkernel bench`: answer a file of questions and count the right answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.cli.model_options import model_options
from orkernel.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from orkernel.bench.report import Report
    from orkernel.bench.session import Asked, Session

EPILOG = """\b
Examples:
  orkernel bench questions.jsonl --limit 50 --jobs 2 --out bench/
  orkernel bench --resume bench/
  orkernel bench questions.jsonl --ablate default --ablate "k=1 selector=first"
  orkernel bench questions.jsonl --model openai/NAME --jobs 16 --out bench/

\b
Each line of DATA is an object with "question", "answer" and perhaps "id". An item is
right if the verified answer agrees with the figure that the labels file names.
"""
AGAIN = frozenset(
    {
        "resume",
        "retry_failed",
        "jobs",
        "labels",
        "tolerance",
        "whole",
        "as_json",
        "as_markdown",
        "base_url",
    }
)
"""Flags that may differ when a bench is gone on with."""


@click.command(epilog=EPILOG)
@click.argument("data", type=click.Path(path_type=Path), required=False)
@click.option("--limit", type=click.IntRange(1), metavar="N", help="Only the first N items.")
@click.option(
    "--jobs",
    type=click.IntRange(1, 1024),
    default=1,
    show_default=True,
    metavar="N",
    help="Items at once: a process per core, and threads beyond.",
)
@click.option(
    "--tolerance",
    default="rel:1e-4",
    show_default=True,
    metavar="rel:R|abs:A|whole",
    help="How figures are compared where the labels do not say; `whole` rounds both.",
)
@click.option(
    "--whole",
    is_flag=True,
    help="Round the figure before comparing it with a label that is a whole number.",
)
@click.option(
    "--labels",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="OVERLAY.jsonl",
    help="Which figure counts, and faulty labels; DATA.labels.jsonl by default. May be repeated.",
)
@click.option("--out", type=click.Path(path_type=Path), help="New folder for all that is found.")
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Go on with the bench in DIR; no item is asked twice.",
)
@click.option("--retry-failed", is_flag=True, help="With --resume: ask failed items again.")
@click.option(
    "--keep-runs", is_flag=True, help="Keep the run folders of the items without a model too."
)
@click.option(
    "--ablate",
    "ablations",
    multiple=True,
    metavar='"KEY=VALUE ..."',
    help="A setting to run side by side, e.g. `k=1 selector=first`; `default` changes nothing.",
)
@click.option("-k", "k", type=click.IntRange(1, 100), show_default="3")
@click.option("--formulator", metavar="X")
@click.option("--scorer", "scorers", metavar="X,Y")
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
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a Markdown page.")
@model_options
@plugin_options
@pass_invocation
@click.pass_context
def command(
    ctx: click.Context,
    invocation: Invocation,
    /,
    resume: Path | None,
    out: Path | None,
    jobs: int,
    retry_failed: bool,
    as_json: bool,
    as_markdown: bool,
    **given: Any,
) -> ExitCode:
    """Answer every question of DATA and report answered, right, wrong and refused."""
    from orkernel.bench.session import Session

    if as_json and as_markdown:
        raise UsageError("--json and --markdown exclude each other", fix="give one of them")
    if (given["data"] is None) == (resume is None):
        raise UsageError("give either DATA or --resume DIR", fix="see `orkernel bench --help`")
    asked = _asked(invocation, **given)
    if resume is not None:
        asked = _asked_again(ctx, invocation, resume, asked)
    session = Session(asked, out=out, resume=resume, retry_failed=retry_failed)
    for line in session.problems:
        invocation.warn(line)
    for labels in session.labels:
        for remark in labels.remarks:
            invocation.warn(remark)
    interrupted = _run(session, jobs, invocation.verbosity)
    session.finish()
    _print(session, as_json, as_markdown)
    if session.failure:
        click.echo(f"error: the bench folder is incomplete: {session.failure}", err=True)
        click.echo("fix: free some space, then go on with --resume", err=True)
    if interrupted:
        return ExitCode.INTERRUPTED
    return ExitCode.BROKEN if session.failure else ExitCode.OK


def _asked(
    invocation: Invocation,
    *,
    data: Path | None,
    limit: int | None,
    tolerance: str,
    whole: bool,
    labels: tuple[Path, ...],
    keep_runs: bool,
    ablations: tuple[str, ...],
    **arguments: Any,
) -> Asked:
    from orkernel.bench.scoring import Rules
    from orkernel.bench.session import Asked
    from orkernel.bench.settings import names_in
    from orkernel.bench.tolerance import Tolerance

    if arguments["scorers"] is not None:
        arguments["scorers"] = names_in(arguments["scorers"])
    return Asked(
        data=data or Path(),
        limit=limit,
        arguments=arguments,
        options=tuple(invocation.options),
        ablations=ablations,
        labels=labels,
        rules=Rules(Tolerance.parse(tolerance), whole),
        plugins=invocation.plugins,
        no_plugins=invocation.no_plugins,
        keep_runs=keep_runs,
    )


def _asked_again(ctx: click.Context, invocation: Invocation, resume: Path, now: Asked) -> Asked:
    """What the bench was asked for before, with other labels and rules if they are given now."""
    from orkernel.bench.folder import BenchFolder
    from orkernel.bench.scoring import Rules
    from orkernel.bench.session import asked_before

    before = asked_before(BenchFolder.open(resume))
    chosen = {
        name
        for name in ctx.params
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE and name not in AGAIN
    }
    if chosen or invocation.options or invocation.plugins or invocation.no_plugins:
        flags = {p.name: p.opts[-1] for p in ctx.command.params}
        named = sorted(str(flags.get(name, name)) for name in chosen)
        named += ["-o"] * bool(invocation.options)
        named += ["--plugins"] * bool(invocation.plugins)
        named += ["--no-plugins"] * invocation.no_plugins
        raise UsageError(
            f"--resume takes the settings from {resume}; not to be given again: {', '.join(named)}",
            fix="leave them out, or begin a new bench with --out DIR",
        )

    def changed(name: str) -> bool:
        return ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE

    url = {"base_url": now.arguments["base_url"]} if changed("base_url") else {}
    return replace(
        before,
        arguments={**before.arguments, **url},
        labels=now.labels if changed("labels") else before.labels,
        rules=Rules(
            (now if changed("tolerance") else before).rules.tolerance,
            (now if changed("whole") else before).rules.whole,
        ),
    )


def _run(session: Session, jobs: int, verbosity: int) -> bool:
    """Ask what is still to be asked; True if the user has interrupted."""
    from rich.progress import Progress

    from orkernel.cli.output import progress_console
    from orkernel.interrupts import announced

    tasks = session.tasks()
    if session.taken_over:
        click.echo(
            f"{session.taken_over} outcomes are taken over, {len(tasks)} are still to come",
            err=True,
        )
    if not tasks:
        return False
    pool = session.pool(jobs)
    try:
        with (
            announced(pool.stop),
            Progress(console=progress_console(), transient=True) as progress,
        ):
            bar = progress.add_task("answering", total=len(tasks))
            for result in session.run(pool):
                progress.advance(bar)
                if verbosity and result.state != "answered":
                    progress.console.print(
                        f"{result.setting}, {result.id}: {result.state} {result.why}", markup=False
                    )
    except KeyboardInterrupt:
        return True
    return pool.stopped


def _print(session: Session, as_json: bool, as_markdown: bool) -> None:
    from orkernel.cli.output import print_json, print_report

    report = session.report()
    if as_json:
        print_json({**report.summary(), "outcomes": report.outcomes()})
    elif as_markdown:
        click.echo(session.markdown(), nl=False)
    else:
        print_report(_tables(report))


def _tables(report: Report) -> RenderableType:
    from rich.console import Group
    from rich.markup import escape
    from rich.table import Table

    shown: list[RenderableType] = []
    for number, table in enumerate(report.tables()):
        made = Table(
            *(escape(column) for column in table.columns),
            title=table.title if number else None,
            title_justify="left",
            show_edge=False,
        )
        for row in table.rows:
            made.add_row(*(escape(cell) for cell in row))
        shown += ["", made] if number else [made]
    return Group(*shown)
