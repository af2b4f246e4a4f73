"""Heads of data tables: what a model needs to refer to a CSV file without seeing its data."""

from __future__ import annotations

import csv
import re
from itertools import islice
from pathlib import Path

MOST_TABLES = 12
"""Tables that are described."""
ROWS = 3
"""Rows of data that are shown."""
LONGEST_ROW = 300
"""Characters of one row that are shown."""
COUNTED = 10_000_000
"""Bytes of a table up to which its rows are counted."""


def tables_text(statement: str, folder: Path | None) -> str:
    """The heads of the tables that the statement names; a line that says so where it names none.

    Only a table whose file name, with or without its ending, stands in the statement is opened:
    nothing else in the folder is any of the model's business.
    """
    heads = [_head(path) for path in named_tables(statement, folder)[:MOST_TABLES]]
    return "\n\n".join(heads) or "none"


def named_tables(statement: str, folder: Path | None) -> list[Path]:
    """The CSV files of a folder that a statement names, sorted; links that leave it are none."""
    if folder is None:
        return []
    try:
        found = sorted(p for p in folder.iterdir() if _is_table(p, folder.resolve()))
    except OSError:
        return []
    return [path for path in found if _is_named(path, statement)]


def _is_table(path: Path, folder: Path) -> bool:
    return (
        path.suffix.lower() == ".csv" and path.is_file() and path.resolve().is_relative_to(folder)
    )


def _is_named(path: Path, statement: str) -> bool:
    words = (re.escape(path.name), re.escape(path.stem), re.escape(path.stem.replace("_", " ")))
    return bool(re.search(rf"(?<!\w)(?:{'|'.join(words)})(?!\w)", statement, re.IGNORECASE))


def _head(path: Path) -> str:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = [line.rstrip("\r\n")[:LONGEST_ROW] for line in islice(file, ROWS + 1)]
        rows = _rows(path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        return f"{path.name}: cannot be read ({error})"
    if not lines:
        return f"{path.name}: empty"
    return f"{path.name} ({rows}), first lines:\n" + "\n".join(lines)


def _rows(path: Path) -> str:
    if path.stat().st_size > COUNTED:
        return "many rows"
    with path.open("rb") as file:
        count = sum(1 for line in file if line.strip()) - 1
    return f"{max(0, count)} rows of data"
