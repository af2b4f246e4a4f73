"""Reading what the user gave: a statement, or a formulation, from a file or as text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from orkernel.errors import UsageError
from orkernel.formulation.schema import MAX_TEXT
from orkernel.records import Problem

if TYPE_CHECKING:
    from orkernel.formulation.schema import Formulation

MAX_BYTES = 4 * MAX_TEXT
"""Longest statement file, in bytes."""


def read_statement(path: Path) -> str:
    """Text of a statement file; `-` is standard input.

    Raises:
        UsageError: The file is missing, unreadable, too large, binary, not UTF-8 or empty.
    """
    if str(path) == "-":
        return decode(sys.stdin.buffer.read(MAX_BYTES + 1), "standard input")
    return decode(read_bytes(path, MAX_BYTES, "statement"), str(path))


def read_bytes(path: Path, limit: int, what: str) -> bytes:
    """Content of a regular file of at most `limit` bytes.

    Raises:
        UsageError: It is missing, a folder, unreadable or too large.
    """
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder", fix=f"name the {what} file in it")
        size = path.stat().st_size
        if size > limit:
            raise UsageError(
                f"{path} has {size:,} bytes; a {what} may have {limit:,}",
                fix="keep large data in CSV tables and name their folder with --data",
            )
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist", fix=_nearby(path)) from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror or error}") from error
    if len(content) > limit:
        raise UsageError(f"{path} has more than {limit:,} bytes, too many for a {what}")
    return content


def _nearby(path: Path) -> str:
    from difflib import get_close_matches

    try:
        names = [p.name for p in path.parent.iterdir()]
    except OSError:
        return ""
    near = get_close_matches(path.name, names, n=3)
    return f"did you mean {' or '.join(near)}?" if near else ""


def decode(content: bytes, name: str) -> str:
    """UTF-8 text with line ends as `\\n`.

    Raises:
        UsageError: It is too long, binary, not UTF-8 or empty.
    """
    if len(content) > MAX_BYTES:
        raise UsageError(
            f"{name} has more than {MAX_BYTES:,} bytes, too many for a statement",
            fix="keep large data in CSV tables and name their folder with --data",
        )
    if b"\x00" in content:
        raise UsageError(f"{name} is a binary file", fix="give a text file in UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageError(
            f"{name} is not UTF-8: byte 0x{content[error.start]:02x} in line {line}",
            fix="save it as UTF-8, e.g. `iconv -f latin1 -t utf-8`",
        ) from error
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise UsageError(f"{name} is empty", fix="write the problem in it")
    if len(text) > MAX_TEXT:
        raise UsageError(f"{name} has {len(text):,} characters; a statement may have {MAX_TEXT:,}")
    return text


def read_source(
    source: str | Path | Problem | Formulation, data: Path | None
) -> tuple[Problem, Formulation | None]:
    """The problem, and the formulation if that is what was given.

    Args:
        source: A `Problem`, a `Formulation`, a path, or a statement. A string is a path if
            it has one line and a file of that name, or the suffix of one, exists.
        data: Folder with data tables; by default the folder of the file.

    Raises:
        UsageError: The input cannot be read.
    """
    from orkernel.formulation.load import load_formulation
    from orkernel.formulation.schema import Formulation

    if data is not None and not data.is_dir():
        raise UsageError(f"--data {data} is not a folder")
    if isinstance(source, Problem):
        return source, None
    if isinstance(source, Formulation):
        return Problem(source.statement, source.title or "formulation", data), source
    if not isinstance(source, str | Path):
        raise UsageError(
            f"{type(source).__name__} is no statement",
            fix="give text, a path, a Problem or a Formulation",
        )
    if isinstance(source, str) and not _names_a_file(source):
        return Problem(decode(_encoded(source), "the statement"), "problem", data), None
    path = Path(source)
    folder = data if data is not None else path.parent
    if path.suffix.lower() == ".json":
        formulation = load_formulation(path)
        return Problem(formulation.statement, path.stem, folder), formulation
    name = "problem" if str(path) == "-" else path.stem
    return Problem(read_statement(path), name, folder), None


def _encoded(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"the statement holds the half character {text[error.start]!r} at {error.start}",
            fix="write the whole character",
        ) from error


def _names_a_file(text: str) -> bool:
    if "\n" in text or len(text) > 4096:
        return False
    if text == "-" or text.lower().endswith((".md", ".txt", ".json")):
        return True
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False
