"""Every kind of unreadable input has its own message and exit code 2."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import orkernel
from orkernel.errors import ExitCode, UsageError
from orkernel.sources import MAX_BYTES, read_source, read_statement


def refusal(path: Path) -> UsageError:
    with pytest.raises(UsageError) as error:
        read_statement(path)
    assert error.value.exit_code is ExitCode.USAGE
    return error.value


def test_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "bakery.md").write_text("x")
    error = refusal(tmp_path / "bakry.md")
    assert error.message == f"{tmp_path / 'bakry.md'} does not exist"
    assert error.fix == "did you mean bakery.md?"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b" \n\t ", "is empty"),
        (b"\xef\xbb\xbf", "is empty"),
        (b"MZ\x00\x01", "is a binary file"),
        (b"one\ntwo \xe4\n", "is not UTF-8: byte 0xe4 in line 2"),
    ],
)
def test_unreadable_content_is_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "p.md"
    path.write_bytes(content)
    assert refusal(path).message == f"{path} {message}"


def test_a_50_mb_file_is_refused_by_its_size_alone(tmp_path: Path) -> None:
    path = tmp_path / "big.md"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    assert (
        refusal(path).message == f"{path} has 50,000,000 bytes; a statement may have {MAX_BYTES:,}"
    )


def test_a_folder_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path).message == f"{tmp_path} is a folder"


def test_line_ends_are_unified(tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    path.write_bytes(b"a\r\nb\rc\n")
    assert read_statement(path) == "a\nb\nc\n"


def test_a_text_with_line_breaks_is_a_statement_and_not_a_path() -> None:
    problem, formulation = read_source("maximize x\nsubject to x <= 3", None)
    assert problem.statement == "maximize x\nsubject to x <= 3"
    assert formulation is None


def test_a_data_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--data .*nowhere is not a folder"):
        read_source("maximize x\n", tmp_path / "nowhere")


def test_the_folder_of_the_file_is_the_default_data_folder(tmp_path: Path) -> None:
    path = tmp_path / "p.md"
    path.write_text("maximize x")
    assert read_source(path, None)[0].data == tmp_path


@pytest.mark.parametrize("source", [None, 5, b"maximize x", {"variables": []}])
def test_what_is_no_statement_is_a_usage_error(source: Any) -> None:
    with pytest.raises(UsageError, match=f"^{type(source).__name__} is no statement"):
        orkernel.run(source)


def test_half_a_character_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match=r"half character '\\ud800' at 11"):
        orkernel.run("maximize x \ud800\n")


@pytest.mark.parametrize(
    "arguments",
    [
        {"k": "3"},
        {"k": 1.5},
        {"k": 0},
        {"seed": "x"},
        {"time_limit": "5"},
        {"time_limit": float("inf")},
        {"gap": float("nan")},
    ],
)
def test_a_bad_argument_of_run_is_a_usage_error(arguments: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="must be"):
        orkernel.run("maximize x\nx <= 3\n", **arguments)


def test_folders_may_be_given_as_text(tmp_path: Path) -> None:
    statement = "maximize 3x + 2y subject to x + y <= 4, x <= 2, x, y >= 0"
    answer = orkernel.run(statement, data=str(tmp_path), out=str(tmp_path / "runs"))
    assert answer.run_dir is not None
    assert (answer.run_dir / "answer.json").is_file()
