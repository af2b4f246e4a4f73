"""Closed, full, broken or narrow standard streams change neither the answer nor the exit code."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Command

OVERFULL = {
    "variables": [{"name": "x", "upper": 1}],
    "objectives": [{"name": "o", "sense": "maximize", "expression": "x"}],
    "constraints": [{"name": "c", "expression": "x >= 2"}],
}
"""Infeasible, so that the exit code, 3, is not that of a shell or of click."""
COMMANDS = {"run m.json": 3, "run m.json --json": 3, "check m.json": 0, "--help": 0}
EXPORT = "export m.json --format lp --output {target}"


def in_shell(
    orkernel: Command, line: str, redirection: str = "", **extra: str
) -> subprocess.CompletedProcess[str]:
    """Run a command line with a redirection of the shell."""
    orkernel.write("m.json", OVERFULL)
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {sys.executable} -m orkernel {line} {redirection}"],
        cwd=orkernel.folder,
        env=orkernel.environment(**extra),
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="replace",
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("redirection", [">&-", "<&- >&- 2>&-", "2>/dev/full"])
@pytest.mark.parametrize(("line", "code"), COMMANDS.items())
def test_a_closed_stream_keeps_the_exit_code(
    orkernel: Command, line: str, code: int, redirection: str
) -> None:
    done = in_shell(orkernel, line, redirection)
    assert done.returncode == code, done.stderr
    assert "error:" not in done.stderr


@pytest.mark.parametrize(("line", "code"), COMMANDS.items())
def test_a_reader_that_has_gone_keeps_the_exit_code(
    orkernel: Command, line: str, code: int
) -> None:
    done = in_shell(orkernel, line, "| true")
    assert done.returncode == code, done.stderr
    assert "error:" not in done.stderr
    assert "Exception" not in done.stderr


def test_a_full_standard_output_is_named(orkernel: Command) -> None:
    done = in_shell(orkernel, "run m.json --json", ">/dev/full")
    assert done.returncode == 5
    assert "error: standard output: No space left on device\n" in done.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_character_that_the_encoding_lacks_costs_no_answer(
    orkernel: Command, encoding: str
) -> None:
    model: dict[str, Any] = {**OVERFULL, "constraints": []}
    model["results"] = [{"name": "Größe ≥ 日本", "expression": "x"}]
    orkernel.write("u.json", model)
    assert in_shell(orkernel, "run u.json", PYTHONIOENCODING=encoding).returncode == 0
    done = in_shell(orkernel, "run u.json --json", PYTHONIOENCODING=encoding)
    assert done.returncode == 0
    assert json.loads(done.stdout)["results"] == {"Größe ≥ 日本": 1.0}


def test_without_a_command_there_is_help_and_exit_code_2(orkernel: Command) -> None:
    done = orkernel()
    assert done.returncode == 2
    assert done.stderr.startswith("Usage: orkernel ")


def test_export_writes_through_links_and_into_pipes(orkernel: Command) -> None:
    orkernel.write("target.lp", "old")
    os.symlink("target.lp", orkernel.folder / "link.lp")
    assert in_shell(orkernel, EXPORT.format(target="link.lp")).returncode == 0
    assert (orkernel.folder / "link.lp").is_symlink()
    written = (orkernel.folder / "target.lp").read_text(encoding="utf-8")
    os.mkfifo(orkernel.folder / "pipe")
    done = in_shell(orkernel, f"{EXPORT.format(target='pipe')} & cat pipe; wait $!")
    assert done.stdout == written != "old"
    assert (orkernel.folder / "pipe").is_fifo()


@pytest.mark.parametrize(
    ("target", "why"),
    [(".", "Is a directory"), ("no/m.lp", "No such file or directory")],
)
def test_export_names_a_place_that_it_cannot_write(
    orkernel: Command, target: str, why: str
) -> None:
    done = in_shell(orkernel, EXPORT.format(target=target))
    assert done.returncode == 2
    assert done.stderr == f"error: cannot write {target}: {why}\nfix: name another file\n"


def test_export_says_which_agent_does_not_write_a_format(orkernel: Command) -> None:
    done = in_shell(orkernel, "export m.json --format nl --solver highs")
    assert done.returncode == 2
    assert done.stderr.startswith("error: solver 'highs' does not write nl\n")
