"""`orkernel run`: from a statement or a formulation to a checked answer."""

from __future__ import annotations

from pathlib import Path

import click

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.cli.model_options import model_options
from orkernel.errors import ExitCode, UsageError

EPILOG = """\b
Examples:
  orkernel run problem.md
  orkernel run problem.md --data tables/ --time-limit 60 --json
  orkernel run formulation.json --solver highs -o highs.threads=2
  orkernel run problem.md --model openai/gpt-4o-mini --ask
  echo "maximize 3x + 2y subject to x + y <= 4, x <= 2" | orkernel run -

\b
Exit codes: 0 checked answer, 2 bad input, 3 infeasible or unbounded, 4 refused,
5 a solver failed or found nothing in time, 130 interrupted.
"""


@click.command(epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option("--data", type=click.Path(path_type=Path), help="Folder with CSV tables.")
@click.option(
    "-k",
    "k",
    type=click.IntRange(1, 100),
    show_default="3",
    help="Largest number of candidate formulations.",
)
@click.option("--formulator", metavar="X", help="Who reads the statement.")
@click.option("--scorer", metavar="X,Y", help="Who scores the candidates.")
@click.option("--selector", metavar="X", help="Rule that picks one, e.g. max-min.")
@click.option("--classifier", metavar="X", help="Who ranks the solver agents.")
@click.option(
    "--solver", metavar="auto|NAME", default="auto", show_default=True, help="Solver agent."
)
@click.option("--time-limit", type=float, metavar="S", help="Seconds for solving.")
@click.option("--gap", type=float, metavar="R", help="Relative MIP gap at which to stop.")
@click.option(
    "--front-points",
    type=click.IntRange(min=2),
    metavar="N",
    help="Wanted points of a Pareto front (several objectives).",
)
@click.option("--seed", type=int, metavar="N", default=0, show_default=True)
@click.option(
    "--second-opinion/--no-second-opinion",
    default=True,
    show_default=True,
    help="Ask a second exact solver where there is no certificate.",
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("runs"),
    show_default=True,
    help="Folder for run folders.",
)
@click.option(
    "--resume",
    type=click.Path(path_type=Path),
    metavar="RUN",
    help="Go on with an interrupted run instead of FILE.",
)
@click.option(
    "--ask", "asks", is_flag=True, help="Put up to three questions about what is ambiguous."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@model_options
@plugin_options
@pass_invocation
def command(
    invocation: Invocation,
    file: Path | None,
    data: Path | None,
    k: int | None,
    formulator: str | None,
    scorer: str | None,
    selector: str | None,
    classifier: str | None,
    solver: str,
    time_limit: float | None,
    gap: float | None,
    front_points: int | None,
    seed: int,
    second_opinion: bool,
    out: Path,
    resume: Path | None,
    model: str | None,
    base_url: str | None,
    replay_model: Path | None,
    preset: str | None,
    asks: bool,
    as_json: bool,
) -> ExitCode:
    """Solve a problem and print a checked answer.

    FILE is a statement (.md, .txt, or - for standard input) or a formulation (.json).
    """
    from orkernel.cli.asking import ask_on_terminal
    from orkernel.cli.output import print_json, print_report, progress_console
    from orkernel.pipeline import run
    from orkernel.replaying import resume as go_on
    from orkernel.replaying import stored_request
    from orkernel.report.terminal import Progress, render
    from orkernel.runs import RunFolder

    if (file is None) == (resume is None):
        raise UsageError("give either FILE or --resume RUN", fix="see `orkernel run --help`")
    if resume is not None:
        stored = stored_request(RunFolder.open(resume)).options
        invocation.options[:0] = [f"{key}={value}" for key, value in stored.items()]
    if asks and str(file) == "-":
        raise UsageError(
            "--ask reads answers from standard input, which holds the statement",
            fix="give the statement as a file",
        )
    if preset is not None:
        from orkernel.presets import preset_named

        chosen = preset_named(preset).options
        invocation.options[:0] = [f"{key}={value}" for key, value in chosen.items()]
    registry = invocation.registry()
    with Progress(progress_console(), invocation.verbosity) as progress:
        if resume is not None:
            answer = go_on(
                resume, registry, observe=progress.observe, ask=progress.pausing(ask_on_terminal)
            )
        else:
            assert file is not None
            answer = run(
                file,
                data=data,
                k=k,
                formulator=formulator,
                scorers=tuple(s.strip() for s in scorer.split(",")) if scorer else None,
                selector=selector,
                classifier=classifier,
                solver=solver,
                time_limit=time_limit,
                gap=gap,
                front_points=front_points,
                seed=seed,
                second_opinion=second_opinion,
                out=out,
                options=dict(option.split("=", 1) for option in invocation.options),
                model=model,
                base_url=base_url,
                replay_model=replay_model,
                preset=preset,
                ask=progress.pausing(ask_on_terminal) if asks else None,
                registry=registry,
                observe=progress.observe,
            )
    if as_json:
        print_json(answer.to_json())
    else:
        print_report(render(answer, verbosity=invocation.verbosity))
    if answer.storage_failure:
        click.echo(f"error: {answer.storage_failure}", err=True)
        click.echo("fix: free some space, or choose another folder with --out DIR", err=True)
    return answer.exit_code
