"""Tables are read exactly, and every faulty file is named with its place."""

from __future__ import annotations

import csv
import io
import os
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orkernel.errors import DataError, ExitCode
from orkernel.formulation import tables
from orkernel.formulation.schema import Table
from orkernel.formulation.tables import TableSource

COSTS = Table(file="costs.csv", index=("plant", "market"), value="usd")
SCALAR = Table(file="costs.csv", value="usd")


def write(folder: Path, text: str | bytes, name: str = "costs.csv") -> TableSource:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return TableSource(folder)


def failure(folder: Path | None, text: str | bytes | None, table: Table = COSTS) -> DataError:
    source = TableSource(folder) if text is None or folder is None else write(folder, text)
    with pytest.raises(DataError) as caught:
        source.values(table, "parameter 'cost'")
    assert caught.value.exit_code is ExitCode.REFUSED
    return caught.value


@pytest.mark.parametrize(
    "text",
    [
        "plant,market,usd\nA,1,2.5\nB,2,-3e2\n",
        "plant;market;usd\r\nA;1;2.5\r\nB;2;-3e2\r\n",
        "plant\tmarket\tusd\nA\t1\t2.5\nB\t2\t-3e2",
        "plant|market|usd\nA|1|2.5\nB|2|-3e2",
        "\ufeffplant,market,usd\nA,1,2.5\nB,2,-3e2\n",
        'usd,"market",note,plant\n2.5, 1 ,"a, b",A\n\n,,,\n-3e2,2,"say ""x""","B"\n',
    ],
)
def test_a_table_is_read_whatever_its_delimiter_and_order(tmp_path: Path, text: str) -> None:
    source = write(tmp_path, text)
    assert source.values(COSTS, "parameter 'cost'") == {("A", 1): 2.5, ("B", 2): -300.0}
    assert source.members(COSTS, "set 'ARC'") == [("A", 1), ("B", 2)]


def test_members_are_distinct_and_in_file_order(tmp_path: Path) -> None:
    source = write(tmp_path, "plant,market,usd\nB,x,1\nA,x,2\nB,y,3\n")
    assert source.members(Table(file="costs.csv", index=("plant",)), "set 'P'") == [("B",), ("A",)]


def test_only_a_column_of_canonical_integers_gives_integers(tmp_path: Path) -> None:
    source = write(tmp_path, "a,b,c,d,e\n1,01,1,-2,1.0\n10,2,x,0,2\n")
    table = Table(file="costs.csv", index=("a", "b", "c", "d", "e"))
    assert source.members(table, "set 'S'") == [
        (1, "01", "1", -2, "1.0"),
        (10, "2", "x", 0, "2"),
    ]


def test_an_empty_value_is_no_entry_and_a_scalar_has_the_empty_key(tmp_path: Path) -> None:
    source = write(tmp_path, "plant,market,usd\nA,x,\nB,y,4\n")
    assert source.values(COSTS, "parameter 'cost'") == {("B", "y"): 4.0}
    assert source.values(SCALAR, "parameter 'cost'") == {(): 4.0}


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        ("", "is empty or starts with a blank line", "put the column names into the first line"),
        (
            "plant,market,price\nA,x,1\n",
            "has no column 'usd'; it has plant, market, price",
            "correct the column name in the formulation or in the file",
        ),
        (
            "plant,market,USD\nA,x,1\n",
            "has no column 'usd'; it has plant, market, USD",
            "did you mean 'USD'?",
        ),
        (
            "plant,market,usd,usd\nA,x,1,2\n",
            "has 2 columns named 'usd'",
            "give each column its own name",
        ),
        (
            "plant,market,usd\nA,x,1\nB,y\n",
            ", line 3 has 2 cells but the header has 3",
            "quote cells that contain the delimiter, and fill every column",
        ),
        (
            "plant,market,usd\nA,x,1\n,y,2\n",
            ", line 3: column 'plant' is empty",
            "fill in the member, or delete the row",
        ),
        (
            "plant,market,usd\nA,x,1\n\nB,y,2\nA,x,3\n",
            " gives A, x twice, in lines 2 and 5",
            "keep one of the two rows",
        ),
        (
            "plant,market,usd\nA,x,one\n",
            ", line 2: column 'usd' holds 'one', which is not a number",
            "write a plain number such as 1200 or 0.5",
        ),
        (
            "plant;market;usd\nA;x;3,5\n",
            ", line 2: column 'usd' holds '3,5', which is not a number",
            "write 3.5 with a decimal point",
        ),
        (
            'plant,market,usd\nA,x,"1,200.5"\n',
            ", line 2: column 'usd' holds '1,200.5', which is not a number",
            "write 1200.5 without thousands separators if that is meant",
        ),
        (
            "plant,market,usd\nA,x,5 %\n",
            ", line 2: column 'usd' holds '5 %', which is not a number",
            "write 0.05 instead of 5 %",
        ),
        (
            "plant,market,usd\nA,x,NaN\n",
            ", line 2: column 'usd' holds 'NaN', which is not a number",
            "write a finite number, or leave the cell empty and give the parameter a default",
        ),
        (
            "plant,market,usd\nA,x,1e999\n",
            ", line 2: column 'usd' holds 1e999, which is too large",
            "write a number below 1e308",
        ),
        (
            "plant,market,usd\nA,x,1_000\n",
            ", line 2: column 'usd' holds '1_000', which is not a number",
            "write a plain number such as 1200 or 0.5",
        ),
        (
            'plant,market,usd\nA,"x,1\n',
            ", near line 2: unexpected end of data",
            "check the quotes of that line; double a quote inside a quoted cell",
        ),
        (
            b"plant,market,usd\nA,x,1\nCaf\xe9,y,2\n",
            ", line 3 is not UTF-8 text",
            "save the file as CSV in UTF-8",
        ),
        (
            "plant,market,usd\n".encode("utf-16"),
            ", line 1 is not UTF-8 text",
            "save the file as CSV in UTF-8",
        ),
    ],
)
def test_a_fault_is_named_with_its_line_and_fix(
    tmp_path: Path, text: str | bytes, message: str, fix: str
) -> None:
    error = failure(tmp_path, text)
    head = "parameter 'cost': table 'costs.csv'"
    space = "" if message[0] == "," else " "
    assert (error.message, error.fix) == (head + space + message.lstrip(" "), fix)


def test_a_scalar_table_with_two_rows_is_refused(tmp_path: Path) -> None:
    error = failure(tmp_path, "usd\n1\n2\n", SCALAR)
    assert error.message == (
        "parameter 'cost': table 'costs.csv' gives a scalar twice, in lines 2 and 3"
    )
    assert error.fix == "keep one row, or name the index columns as table.index"


def test_a_missing_folder_file_or_column_name_says_what_to_give(tmp_path: Path) -> None:
    error = failure(None, None)
    assert (
        error.message == "parameter 'cost' needs the table 'costs.csv' but there is no data folder"
    )
    assert error.fix == "pass --data DIR with the folder that holds it"
    (tmp_path / "cost.csv").write_text("x\n")
    error = failure(tmp_path, None)
    assert error.message == (
        f"parameter 'cost': table 'costs.csv' is not in the data folder '{tmp_path}'"
    )
    assert error.fix == "did you mean 'cost.csv'?"
    error = failure(tmp_path, "plant\nA\n", Table(file="costs.csv", index=("plant",)))
    assert error.message == "parameter 'cost': the table 'costs.csv' names no value column"
    with pytest.raises(DataError, match=r"set 'S': the table 'costs\.csv' names no index"):
        TableSource(tmp_path).members(SCALAR, "set 'S'")


@pytest.mark.parametrize("file", ["../secret.csv", "a/../../secret.csv", "ABSOLUTE", "link.csv"])
def test_a_file_outside_the_data_folder_is_refused(tmp_path: Path, file: str) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    secret = tmp_path / "secret.csv"
    secret.write_text("usd\n1\n")
    (folder / "link.csv").symlink_to(secret)
    name = str(secret) if file == "ABSOLUTE" else file
    error = failure(folder, None, Table(file=name, value="usd"))
    assert error.message == f"parameter 'cost': table '{name}' lies outside the data folder"


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.csv").mkdir()
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "loop.csv").symlink_to(tmp_path / "loop.csv")
    for name in ("folder.csv", "pipe.csv", "loop.csv", "x\0y.csv", "n" * 5000):
        error = failure(tmp_path, None, Table(file=name, value="usd"))
        assert error.message.startswith(f"parameter 'cost': table '{name}'")


def test_links_inside_the_folder_and_subfolders_are_read(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "real.csv").write_text("usd\n7\n")
    (tmp_path / "link.csv").symlink_to(tmp_path / "sub" / "real.csv")
    for name in ("sub/real.csv", "link.csv"):
        source = TableSource(tmp_path)
        assert source.values(Table(file=name, value="usd"), "parameter 'c'") == {(): 7.0}


def test_a_huge_file_is_refused_without_reading_it(tmp_path: Path) -> None:
    with (tmp_path / "costs.csv").open("wb") as stream:
        stream.truncate(tables.MAX_FILE_BYTES + 1)
    error = failure(tmp_path, None)
    assert error.message == (
        "parameter 'cost': table 'costs.csv' has 268,435,457 bytes; the limit is 268,435,456"
    )


FUZZED = settings(
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
CELLS = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zs", "Zl", "Zp", "Cf"]), min_size=1, max_size=8
)


@FUZZED
@given(
    rows=st.dictionaries(
        st.tuples(CELLS, CELLS), st.floats(allow_nan=False, allow_infinity=False), min_size=1
    ),
    delimiter=st.sampled_from(",;\t|"),
)
def test_what_is_written_as_csv_is_read_back(
    tmp_path: Path, rows: dict[tuple[str, str], float], delimiter: str
) -> None:
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter)
    writer.writerow(["plant", "market", "usd"])
    writer.writerows((*key, repr(value)) for key, value in rows.items())
    read = write(tmp_path, stream.getvalue()).values(COSTS, "parameter 'cost'")
    assert {tuple(map(str, key)): value for key, value in read.items()} == rows


@FUZZED
@given(st.binary(max_size=60) | st.text('plantmrkeusd,;"\n\r\t 12.-e', max_size=60))
def test_any_file_gives_values_or_a_data_error(tmp_path: Path, content: bytes | str) -> None:
    source = write(tmp_path, content)
    try:
        source.values(SCALAR, "parameter 'cost'")
        source.members(Table(file="costs.csv", index=("plant",)), "set 'S'")
    except DataError as error:
        message = error.message
    else:
        message = "table"
    assert "table" in message


def test_a_hundred_thousand_rows_are_read_in_seconds(tmp_path: Path) -> None:
    lines = (f"{i},{i % 7},{i * 0.5}" for i in range(100_000))
    source = write(tmp_path, "plant,market,usd\n" + "\n".join(lines))
    started = time.process_time()
    assert len(source.values(COSTS, "parameter 'cost'")) == 100_000
    assert time.process_time() - started < 4
