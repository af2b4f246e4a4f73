"""`orkernel export`: a formulation in a format that other programs read."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.errors import PluginError, RefusedError, Unsupported, UsageError
from orkernel.plugins.containment import contained

if TYPE_CHECKING:
    from orkernel.model import Model
    from orkernel.registry import Registry

EPILOG = """\b
Examples:
  orkernel export formulation.json --format lp
  orkernel export formulation.json --format mps --output model.mps
"""


@click.command(epilog=EPILOG)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--format", "form", type=click.Choice(["lp", "mps", "nl", "json"]), required=True)
@click.option("--data", type=click.Path(path_type=Path), help="Folder with CSV tables.")
@click.option("--output", type=click.Path(path_type=Path), help="File to write; else stdout.")
@click.option("--solver", metavar="NAME", help="The agent that writes it.")
@plugin_options
@pass_invocation
def command(
    invocation: Invocation,
    file: Path,
    form: str,
    data: Path | None,
    output: Path | None,
    solver: str | None,
) -> None:
    """Write a formulation, bound to its data, as LP, MPS, NL or JSON."""
    from orkernel.candidates import examine, refusal
    from orkernel.formulation.load import dump_formulation
    from orkernel.model import Model
    from orkernel.sources import read_source

    problem, formulation = read_source(file, data)
    if formulation is None:
        raise UsageError(f"{file} is no formulation", fix="give a .json file")
    formulation, found = examine(formulation, problem)
    if reason := refusal(found):
        raise RefusedError(reason, fix=f"see `orkernel check {file}`")
    if form == "json":
        text = dump_formulation(formulation) + "\n"
    else:
        text = _written(invocation.registry(), Model.bind(formulation, problem.data), form, solver)
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
    else:
        _write(output, text)


def _write(output: Path, text: str) -> None:
    """Replace a file in one step; write straight into a pipe or device."""
    from orkernel.runs import write_atomically

    try:
        if output.exists() and not output.is_file():
            output.write_text(text, encoding="utf-8")
        else:
            write_atomically(output.resolve(), text)
    except OSError as error:
        raise UsageError(
            f"cannot write {output}: {error.strerror or error}", fix="name another file"
        ) from error


def _written(registry: Registry, model: Model, form: str, solver: str | None) -> str:
    """The model as text by the first agent that can write it."""
    from orkernel.records import SolverAgentSpec

    agents = [
        spec
        for spec in registry.records("solver_agents").values()
        if isinstance(spec, SolverAgentSpec) and form in spec.exports
    ]
    if solver is not None:
        asked = registry.get("solver_agents", solver)
        agents = [spec for spec in agents if spec.name == asked.name]
    reasons = []
    for spec in agents:
        try:
            with contained(f"solver '{spec.name}' failed to write {form}: "):
                text = registry.resolve(spec).export(model, form)
        except Unsupported as error:
            reasons.append(f"{spec.name} cannot take {error}")
        else:
            if not isinstance(text, str):
                raise PluginError(f"solver '{spec.name}' wrote {type(text).__name__}, not text")
            return text
    if reasons:
        raise RefusedError(f"this model cannot be written as {form}: {'; '.join(reasons)}")
    who = f"solver '{solver}' does not write" if solver else "no loaded solver agent writes"
    raise UsageError(f"{who} {form}", fix="`orkernel plugins show` says what each agent exports")
