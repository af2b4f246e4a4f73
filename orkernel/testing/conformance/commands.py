"""The conformance kit of commands."""

from __future__ import annotations

import os
import subprocess
import sys

import click
from click.testing import CliRunner, Result

from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require

HEAVY = ("numpy", "scipy", "pandas", "pydantic", "torch", "ortools", "pyomo", "matplotlib")
"""Packages that a command may import only when it is called."""


def _command(subject: Subject) -> click.Command:
    target = subject.target
    require(isinstance(target, click.Command), f"{subject.record.target} is no click command")
    command: click.Command = target
    return command


def _invoke(subject: Subject, *arguments: str) -> Result:
    name = f"orkernel {subject.record.name}"
    return CliRunner().invoke(_command(subject), list(arguments), prog_name=name)


@conformance_test(added_in="0.1")
def test_the_target_is_a_click_command(subject: Subject) -> None:
    """The target is made with @click.command or @click.group."""
    _command(subject)


@conformance_test(added_in="0.1")
def test_it_has_a_summary(subject: Subject) -> None:
    """Its record has one line of summary, which `orkernel --help` lists without importing it."""
    require(subject.record.summary.strip(), "its record has no summary")


@conformance_test(added_in="0.1")
def test_help_shows_what_it_does_with_an_example(subject: Subject) -> None:
    """`--help` ends with code 0, says what the command does, and shows an example."""
    result = _invoke(subject, "--help")
    require(result.exit_code == 0, f"--help ends with code {result.exit_code}")
    require((_command(subject).help or "").strip(), "it has no help text")
    lines = result.output.splitlines()
    examples = [k for k, line in enumerate(lines) if line.strip().lower().startswith("example")]
    require(examples, "--help shows no example: give @click.command an `epilog`")
    call = f"orkernel {subject.record.name}"
    shown = any(call in line for line in lines[examples[0] :])
    require(shown, f"the example of --help does not call `{call}`")


@conformance_test(added_in="0.1")
def test_an_unknown_option_is_a_usage_error(subject: Subject) -> None:
    """An option that it does not have ends with code 2 and is named, without a traceback."""
    for option in ("--no-such-option", "--no-such-option=1"):
        result = _invoke(subject, option)
        require(result.exit_code == 2, f"{option} ends with code {result.exit_code}")
        require("no-such-option" in result.output, f"{option} is not named in the message")
        require("Traceback" not in result.output, "it shows a traceback")


@conformance_test(added_in="0.1")
def test_options_are_described(subject: Subject) -> None:
    """Every option has a line of help."""
    command = _command(subject)
    commands = [command, *getattr(command, "commands", {}).values()]
    for one in commands:
        for parameter in one.params:
            described = (
                not isinstance(parameter, click.Option) or parameter.hidden or parameter.help
            )
            require(described, f"option {'/'.join(parameter.opts)} has no help text")


@conformance_test(added_in="0.1")
def test_its_module_is_light(subject: Subject) -> None:
    """Importing its module, as `--help` does, imports none of the big packages."""
    module = subject.record.target.partition(":")[0]
    code = (
        f"import sys, importlib; importlib.import_module({module!r}); "
        f"print(*[name for name in {HEAVY!r} if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    require(done.returncode == 0, f"it cannot be imported: {done.stderr.strip()[-300:]}")
    heavy = done.stdout.split()
    require(not heavy, f"importing it imports {', '.join(heavy)}; import them when it is called")


class CommandConformance(Conformance, kind="commands", modules=(__name__,)):
    """What a command must do."""
