"""`orkernel conformance`: does a plugin do what its kind of record must do?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from orkernel.cli.invocation import Invocation, pass_invocation, plugin_options
from orkernel.cli.output import print_json
from orkernel.cli.tables import print_table
from orkernel.errors import ExitCode, UnknownName, UsageError
from orkernel.plugins.kinds import KINDS
from orkernel.plugins.problems import near

if TYPE_CHECKING:
    from orkernel.registry import Registry
    from orkernel.testing.conformance.base import Conformance
    from orkernel.testing.conformance.runner import Result

WORDS = {
    "formulator": "formulators",
    "scorer": "confidence_scorers",
    "selector": "selection_rules",
    "classifier": "classifiers",
    "solver": "solver_agents",
    "verifier": "proof_verifiers",
    "credit-rule": "credit_rules",
    "command": "commands",
    "observer": "observers",
}
"""What a user calls a kind of record."""


@click.command(epilog="\b\nExample:\n  orkernel conformance highs --only test_linear_programs")
@click.argument("name")
@click.option("--kind", type=click.Choice(list(WORDS)), help="Which of several of that name.")
@click.option("--only", default="", metavar="TEST", help="Run one test, or one test[case].")
@click.option(
    "--model", metavar="ID", help="Language model, for a record that asks one; as for `run`."
)
@click.option("--base-url", metavar="URL", help="Address of its server.")
@click.option("--list", "listing", is_flag=True, help="List the tests; run none.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@plugin_options
@pass_invocation
def command(
    invocation: Invocation,
    name: str,
    kind: str | None,
    only: str,
    model: str | None,
    base_url: str | None,
    listing: bool,
    as_json: bool,
) -> ExitCode:
    """Run the conformance tests on the record NAME, and say what fails and why.

    Exits with 0 if every test passes, with 4 if one fails. A record that asks a language model
    needs --model; one that answers by rules (MODULE:CLASS) makes the tests repeatable.
    """
    from orkernel.language_model import LanguageModel, model_options
    from orkernel.testing.conformance.kits import kit_for
    from orkernel.testing.conformance.runner import run
    from orkernel.testing.conformance.subject import Subject

    registry = invocation.registry()
    found = WORDS[kind] if kind else _kind_of(registry, name)
    asked = (
        LanguageModel(model, base_url, options=model_options(invocation.config()))
        if model
        else None
    )
    subject = Subject(found, registry.get(found, name), registry, asked)
    if listing:
        _list(kit_for(found), only, as_json)
        return ExitCode.OK
    results = run(subject, only=only, progress=_told)
    failed = [result for result in results if not result.good]
    if as_json:
        print_json(
            {
                "name": name,
                "kind": found,
                "distribution": registry.distribution(subject.record),
                "passed": len(results) - len(failed),
                "failed": len(failed),
                "tests": [result.to_json() for result in results],
            }
        )
    else:
        _print(results)
        refusals = sum(result.refusal for result in results)
        click.echo(
            f"{name}: {len(results) - len(failed)} passed ({refusals} of them refusals of what "
            f"it does not declare), {len(failed)} failed, "
            f"{sum(result.seconds for result in results):.1f} s"
        )
    return ExitCode.REFUSED if failed else ExitCode.OK


def _kind_of(registry: Registry, name: str) -> str:
    """The only kind that has a record of that name.

    Raises:
        UnknownName: None has.
        UsageError: Several have.
    """
    named = [(kind, entry.record.name) for kind, entry in registry.all_entries()]
    kinds = sorted({kind for kind, record in named if record == name})
    if not kinds:
        raise UnknownName(
            f"nothing is named '{name}'", fix=near(name, {record for _, record in named})
        )
    if len(kinds) > 1:
        words = [word for word, kind in WORDS.items() if kind in kinds]
        raise UsageError(
            f"'{name}' is a {' and a '.join(KINDS[kind].title for kind in kinds)}",
            fix=f"add --kind {' or --kind '.join(words)}",
        )
    return kinds[0]


def _list(kit: type[Conformance], only: str, as_json: bool) -> None:
    from orkernel.testing.conformance.runner import chosen_items

    items = list(chosen_items(kit.conformance_tests, only))
    if as_json:
        print_json(
            [
                {
                    "test": item.id,
                    "added_in": item.test.added_in,
                    "needs": sorted(map(str, item.needs)),
                    "proves": item.test.summary,
                }
                for item in items
            ]
        )
    else:
        columns = ("test", "added in", "proves")
        print_table(columns, ((i.id, i.test.added_in, i.test.summary) for i in items))


def _told(result: Result) -> None:
    """One character of progress on a terminal, like a test runner."""
    if sys.stderr.isatty():
        click.echo("." if result.good else "F", nl=False, err=True)


def _print(results: list[Result]) -> None:
    if sys.stderr.isatty():
        click.echo(err=True)
    rows = (
        (
            "refuses" if result.refusal and result.good else str(result.verdict),
            f"{result.seconds:.2f}",
            result.test,
            result.message,
        )
        for result in results
    )
    print_table(("result", "s", "test", "why"), rows)
