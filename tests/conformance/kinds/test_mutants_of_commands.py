"""Faulty commands, each caught by the test that is meant for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest


def copied(command: click.Command, **changes: Any) -> click.Command:
    """A command like another, with other settings."""
    settings = {
        "callback": command.callback,
        "params": list(command.params),
        "help": command.help,
        "epilog": command.epilog,
        "context_settings": dict(command.context_settings),
        **changes,
    }
    return click.Command(command.name, **settings)


def shows_no_example(command: click.Command) -> click.Command:
    return copied(command, epilog=None)


def shows_the_example_of_another(command: click.Command) -> click.Command:
    return copied(command, epilog="\b\nExample:\n  orkernel something else")


def says_nothing(command: click.Command) -> click.Command:
    return copied(command, help=None)


def swallows_options(command: click.Command) -> click.Command:
    rest = click.Argument(["rest"], nargs=-1, expose_value=False)
    settings = {"ignore_unknown_options": True}
    return copied(command, params=[*command.params, rest], context_settings=settings)


def has_a_secret(command: click.Command) -> click.Command:
    return copied(command, params=[*command.params, click.Option(["--secret"])])


@pytest.mark.parametrize(
    ("test", "mutate"),
    [
        ("test_help_shows_what_it_does_with_an_example", shows_no_example),
        ("test_help_shows_what_it_does_with_an_example", shows_the_example_of_another),
        ("test_help_shows_what_it_does_with_an_example", says_nothing),
        ("test_an_unknown_option_is_a_usage_error", swallows_options),
        ("test_options_are_described", has_a_secret),
        ("test_the_target_is_a_click_command", lambda command: object()),
    ],
)
def test_the_kit_catches(caught: Callable[..., None], test: str, mutate: Any) -> None:
    caught("command", test, mutate)


def test_the_kit_catches_a_missing_summary(caught: Callable[..., None]) -> None:
    caught("command", "test_it_has_a_summary", change=lambda r: replace(r, summary=" "))


def test_the_kit_catches_heavy_imports(
    caught: Callable[..., None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "heavy_command.py").write_text(
        "import click\nimport numpy\n\n\n@click.command()\ndef command():\n    numpy.zeros(1)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    target = "heavy_command:command"
    caught("command", "test_its_module_is_light", change=lambda r: replace(r, target=target))
