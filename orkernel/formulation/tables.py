"""Data tables: sets and parameters read from CSV files of one data folder.

Reads UTF-8 text (a byte order mark is allowed) with a header row. The delimiter is the one
of `, ; tab |` under which the header holds the wanted columns. Cells are stripped of
surrounding blanks, blank rows are skipped.
"""

from __future__ import annotations

import csv
import difflib
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from orkernel.errors import DataError
from orkernel.formulation.schema import Table

MAX_FILE_BYTES = 256 * 1024 * 1024
"""Largest table, in bytes."""
DELIMITERS = ",;\t|"

Key = tuple[str | int, ...]

_INTEGER = re.compile(r"-?[1-9][0-9]{0,17}|0")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]+,[0-9]+")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?")


class TableSource:
    """Reads the tables of a formulation.

    Args:
        folder: The data folder (`--data`); None when there is none, so that asking for a
            table is an error that says how to give one.
    """

    def __init__(self, folder: Path | None) -> None:
        self.folder = folder

    def members(self, table: Table, where: str) -> list[Key]:
        """Distinct rows of the index columns, in file order.

        A column that holds nothing but integers gives ints, any other gives strings.

        Args:
            table: File and index columns.
            where: The element, e.g. `set 'SKU'`; starts every message.

        Raises:
            DataError: The file, a column or a cell is missing or unreadable.
        """
        if not table.index:
            raise DataError(
                f"{where}: the table '{table.file}' names no index column",
                fix="give the columns that hold the members as table.index",
            )
        rows = dict.fromkeys(cells for _, cells in self._rows(table, table.index, where))
        return _typed(list(rows))

    def values(self, table: Table, where: str) -> dict[Key, float]:
        """Value of each row, keyed by the index columns, in file order.

        Keys are typed as in `members`. A row whose value cell is empty is no entry. With no
        index column the table is a scalar: its single row has the key `()`.

        Args:
            table: File, index columns and value column.
            where: The element, e.g. `parameter 'cost'`; starts every message.

        Raises:
            DataError: The file, a column or a cell is missing or unreadable, a value is not a
                finite number, or a key stands in two rows.
        """
        if table.value is None:
            raise DataError(
                f"{where}: the table '{table.file}' names no value column",
                fix="give the column that holds the numbers as table.value",
            )
        entries: dict[tuple[str, ...], float] = {}
        for line, cells in self._rows(table, (*table.index, table.value), where):
            text = cells[-1]
            if not text:
                continue
            key = cells[:-1]
            if key in entries:
                raise self._repeated(table, key, line, where)
            entries[key] = _number(text, where, table, line)
        return dict(zip(_typed(list(entries)), entries.values(), strict=True))

    def _repeated(self, table: Table, key: tuple[str, ...], line: int, where: str) -> DataError:
        """The error for a key that stands in two rows."""
        rows = self._rows(table, (*table.index, str(table.value)), where)
        first = next(number for number, cells in rows if cells[:-1] == key and cells[-1])
        return DataError(
            f"{where}: table '{table.file}' gives {', '.join(key) or 'a scalar'} twice, "
            f"in lines {first} and {line}",
            fix="keep one of the two rows"
            if key
            else "keep one row, or name the index columns as table.index",
        )

    def _rows(
        self, table: Table, columns: Sequence[str], where: str
    ) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Line number and the cells of `columns`, row by row; index cells are never empty."""
        place = f"{where}: table '{table.file}'"
        path = self._locate(table.file, where)
        with _open_text(path, place) as stream:
            try:
                header_line = stream.readline()
                if not header_line.strip():
                    raise DataError(
                        f"{place} is empty or starts with a blank line",
                        fix="put the column names into the first line",
                    )
                delimiter, header = _header(header_line, columns)
                positions = [_position(header, column, place) for column in columns]
                reader = csv.reader(stream, delimiter=delimiter, strict=True, skipinitialspace=True)
                for row in reader:
                    line = reader.line_num + 1
                    if not any(cell.strip() for cell in row):
                        continue
                    if len(row) != len(header):
                        raise DataError(
                            f"{place}, line {line} has {len(row)} cells but the header has "
                            f"{len(header)}",
                            fix="quote cells that contain the delimiter, and fill every column",
                        )
                    cells = tuple([row[position].strip() for position in positions])
                    if "" in cells[: len(table.index)]:
                        column = table.index[cells.index("")]
                        raise DataError(
                            f"{place}, line {line}: column '{column}' is empty",
                            fix="fill in the member, or delete the row",
                        )
                    yield line, cells
            except UnicodeDecodeError as error:
                raise DataError(
                    f"{place}, line {_undecodable_line(path)} is not UTF-8 text",
                    fix="save the file as CSV in UTF-8",
                ) from error
            except csv.Error as error:
                raise DataError(
                    f"{place}, near line {reader.line_num + 1}: {error}",
                    fix="check the quotes of that line; double a quote inside a quoted cell",
                ) from error

    def _locate(self, file: str, where: str) -> Path:
        """The path of a table, which must be a regular file inside the data folder."""
        place = f"{where}: table '{file}'"
        if self.folder is None:
            raise DataError(
                f"{where} needs the table '{file}' but there is no data folder",
                fix="pass --data DIR with the folder that holds it",
            )
        try:
            folder = self.folder.resolve()
            path = (folder / file).resolve()
            inside = path.is_relative_to(folder)
            regular = path.is_file()
            size = path.stat().st_size if regular and inside else 0
        except (OSError, ValueError, RuntimeError) as error:
            raise DataError(
                f"{place} cannot be read: {error}", fix="give a file name in the data folder"
            ) from error
        if not inside:
            raise DataError(
                f"{place} lies outside the data folder",
                fix="put a copy into the data folder; '..', absolute paths and links that lead "
                "out of it are refused",
            )
        if not regular:
            raise DataError(
                f"{place} is not in the data folder '{self.folder}'",
                fix=_near(file, _files(folder)) or "check the file name and --data",
            )
        if size > MAX_FILE_BYTES:
            raise DataError(
                f"{place} has {size:,} bytes; the limit is {MAX_FILE_BYTES:,}",
                fix="keep only the rows and columns that the formulation uses",
            )
        return path


@contextmanager
def _open_text(path: Path, place: str) -> Iterator[TextIO]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as stream:
            yield stream
    except OSError as error:
        raise DataError(
            f"{place} cannot be read: {error.strerror}", fix="check its permissions"
        ) from error


def _undecodable_line(path: Path) -> int:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, start=1):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError:
                return number
    return 1


def _header(line: str, wanted: Sequence[str]) -> tuple[str, list[str]]:
    """Delimiter and column names: the delimiter that finds most wanted columns, then most cells."""
    best: tuple[int, int, str, list[str]] = (-1, 0, ",", [])
    for delimiter in DELIMITERS:
        try:
            cells = next(csv.reader([line], delimiter=delimiter, skipinitialspace=True))
        except csv.Error:
            continue
        names = [cell.strip() for cell in cells]
        found = sum(column in names for column in wanted)
        if (found, len(names)) > best[:2]:
            best = (found, len(names), delimiter, names)
    return best[2], best[3]


def _position(header: list[str], column: str, place: str) -> int:
    count = header.count(column)
    if count == 1:
        return header.index(column)
    if count > 1:
        raise DataError(
            f"{place} has {count} columns named '{column}'", fix="give each column its own name"
        )
    shown = ", ".join(header[:20]) + (", …" if len(header) > 20 else "")
    raise DataError(
        f"{place} has no column '{column}'; it has {shown}",
        fix=_near(column, header) or "correct the column name in the formulation or in the file",
    )


def _near(word: str, choices: Sequence[str]) -> str:
    """`did you mean 'x'?`, or nothing when no choice is close."""
    lowered = {choice.casefold(): choice for choice in reversed(choices)}
    close = difflib.get_close_matches(word.casefold(), lowered, n=1)
    return f"did you mean '{lowered[close[0]]}'?" if close else ""


def _files(folder: Path) -> list[str]:
    try:
        return sorted(path.name for path in folder.iterdir())[:10_000]
    except OSError:
        return []


def _typed(rows: list[tuple[str, ...]]) -> list[Key]:
    """Rows with each all-integer column turned into ints."""
    if not rows or not rows[0]:
        return [tuple(row) for row in rows]
    columns: list[Sequence[str | int]] = []
    for column in zip(*rows, strict=True):
        integers = all(_INTEGER.fullmatch(cell) for cell in column)
        columns.append([int(cell) for cell in column] if integers else column)
    return list(zip(*columns, strict=True))


def _number(text: str, where: str, table: Table, line: int) -> float:
    """A finite number written with a decimal point."""
    plain = _NUMBER.fullmatch(text)
    number = float(text) if plain else math.nan
    if math.isfinite(number):
        return number
    place = f"{where}: table '{table.file}', line {line}: column '{table.value}' holds"
    if plain:
        raise DataError(f"{place} {text}, which is too large", fix="write a number below 1e308")
    fix = "write a plain number such as 1200 or 0.5"
    if _GROUPED.fullmatch(text):
        fix = f"write {text.replace(',', '')} without thousands separators if that is meant"
    elif _DECIMAL_COMMA.fullmatch(text):
        fix = f"write {text.replace(',', '.')} with a decimal point"
    elif text.endswith("%") and _NUMBER.fullmatch(text[:-1].strip()):
        fix = f"write {float(text[:-1]) / 100:g} instead of {text}"
    elif text.lstrip("+-").casefold() in {"nan", "inf", "infinity", "na", "n/a", "null", "none"}:
        fix = "write a finite number, or leave the cell empty and give the parameter a default"
    shown = text if len(text) <= 60 else f"{text[:57]}…"
    raise DataError(f"{place} '{shown}', which is not a number", fix=fix)
