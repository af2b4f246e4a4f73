"""Formulations are read and written exactly, and every bad file gets an exact message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orkernel.errors import ExitCode, UsageError
from orkernel.formulation import load
from orkernel.formulation.load import (
    dump_formulation,
    json_schema,
    load_formulation,
    parse_formulation,
)
from orkernel.formulation.schema import (
    Formulation,
    ParameterDefinition,
    VariableDefinition,
)

ROOT = Path(__file__).parents[2]
OBJECT_HINT = 'a formulation is a JSON object {"schema_version": 1, …}'
FINITE_HINT = "write a finite number; leave a bound out, or write null, where there is none"


def failure(source: Path | str) -> UsageError:
    with pytest.raises(UsageError) as caught:
        load_formulation(source)
    assert caught.value.exit_code is ExitCode.USAGE
    return caught.value


@pytest.mark.parametrize(
    ("text", "message", "fix"),
    [
        ("", "formulation is empty", OBJECT_HINT),
        (" \n\t", "formulation is empty", OBJECT_HINT),
        ("[1]", "formulation holds a list, not a formulation", OBJECT_HINT),
        ('"text"', "formulation holds a text, not a formulation", OBJECT_HINT),
        ("null", "formulation holds null, not a formulation", OBJECT_HINT),
        ("3", "formulation holds a single value, not a formulation", OBJECT_HINT),
        (
            '{"sets": [],\n "title": ',
            "formulation, line 2, column 11: broken JSON: expecting value",
            "the text ends too early; close every bracket and quote",
        ),
        (
            '{"sets": [1,]}',
            "formulation, line 1, column 13: broken JSON: expecting value",
            "remove the comma before the closing bracket",
        ),
        (
            "{'sets': []}",
            "formulation, line 1, column 2: broken JSON: expecting property name enclosed in "
            "double quotes",
            "JSON takes double quotes",
        ),
        (
            "{// x\n}",
            "formulation, line 1, column 2: broken JSON: expecting property name enclosed in "
            "double quotes",
            "JSON has no comments",
        ),
        (
            "{} {}",
            "formulation, line 1, column 4: broken JSON: extra data",
            "the file must hold one object and nothing after it",
        ),
        (
            '{"title": "a\nb"}',
            "formulation, line 1, column 13: broken JSON: invalid control character at",
            "write a line break inside a text as \\n",
        ),
        (
            '{"title": "a"\n "sets": []}',
            "formulation, line 2, column 2: broken JSON: expecting ',' delimiter",
            "check the commas, colons and quotes just before",
        ),
        (
            '{"title": "a",\n "title": "b"}',
            'formulation, line 2, column 2: the key "title" stands twice in one object',
            "keep one of them",
        ),
        (
            '{"parameters": [{"name": "a", "value": {"x": 1, "y": {}, "x": 2}}]}',
            'formulation, line 1, column 58: the key "x" stands twice in one object',
            "keep one of them",
        ),
        (
            '{"parameters":\n [{"name": "c", "value": NaN}]}',
            "formulation, line 2, column 26: NaN is not a finite number that fits a float",
            FINITE_HINT,
        ),
        (
            '{"parameters": [{"name": "c", "value": -Infinity}]}',
            "formulation, line 1, column 40: -Infinity is not a finite number that fits a float",
            FINITE_HINT,
        ),
        (
            '{"parameters": [{"name": "c", "value": 1e999}]}',
            "formulation, line 1, column 40: 1e999 is not a finite number that fits a float",
            FINITE_HINT,
        ),
        (
            '{"parameters": [{"name": "c", "value": ' + "7" * 5000 + "}]}",
            "formulation, line 1, column 40: 77777777777777777777… (5000 digits) is not a finite "
            "number that fits a float",
            FINITE_HINT,
        ),
        (
            "[" * 100_000,
            "formulation nests lists or objects too deeply",
            "a formulation needs one level per index position",
        ),
        (
            '{"parameters": [{"name": "c", "value": {"\\ud800": 1}}]}',
            "formulation holds the half character \\ud800",
            "write the whole character, or both halves of its \\u escape",
        ),
        (
            '{"schema_version": 2}',
            "formulation has schema_version 2; this orkernel reads 1",
            "write 1, or use the orkernel that wrote the file",
        ),
        (
            '{"schema_version": true}',
            "formulation has schema_version true; this orkernel reads 1",
            "write 1, or use the orkernel that wrote the file",
        ),
    ],
)
def test_broken_json_is_named_with_its_place(text: str, message: str, fix: str) -> None:
    error = failure(text)
    assert (error.message, error.fix) == (message, fix)


@pytest.mark.parametrize(
    ("part", "message", "fix"),
    [
        (
            {"variabels": []},
            "formulation: the key 'variabels' is not known",
            "did you mean 'variables'?",
        ),
        (
            {"parameters": [{"name": "total cost", "value": 1}]},
            "formulation: parameter 'total cost': 'name' is \"total cost\", which is not a name",
            "use letters, digits and underscores, e.g. 'total_cost'",
        ),
        (
            {"parameters": [{"name": "cost", "valeu": 1, "default": 0}]},
            "formulation: parameter 'cost': the key 'valeu' is not known",
            "did you mean 'value'?",
        ),
        (
            {"sets": [{"name": "S", "members": ["a"], "zzz": 1}]},
            "formulation: set 'S': the key 'zzz' is not known",
            "known keys: name, description, sources, members, range, expression, table",
        ),
        (
            {"sets": [{"name": "S", "table": {"file": "a.csv", "indx": ["k"]}}]},
            "formulation: set 'S': the key 'table.indx' is not known",
            "did you mean 'index'?",
        ),
        (
            {"parameters": [{"value": 3}]},
            "formulation: parameter number 1: 'name' is missing",
            "add 'name'",
        ),
        (
            {"parameters": [{"name": "c", "value": "12"}]},
            "formulation: parameter 'c': 'value' is \"12\"; it must be a number or a list or an "
            "object",
            "",
        ),
        (
            {"parameters": [{"name": "c", "value": True}]},
            "formulation: parameter 'c': 'value' is true; it must be a number or a list or an "
            "object",
            "",
        ),
        (
            {"parameters": [{"name": "c", "value": 1, "table": {"file": "a.csv"}}]},
            "formulation: parameter 'c': it needs exactly one of value, table, expression, "
            "distribution; it has value and table",
            "give one of them",
        ),
        (
            {"parameters": [{"name": "c", "distribution": {"normla": {"mean": 1}}}]},
            "formulation: parameter 'c': 'distribution.normla' is not known",
            "did you mean 'normal'?",
        ),
        (
            {"sets": [{"name": "S"}]},
            "formulation: set 'S': it needs exactly one of members, range, expression, table; it "
            "has none",
            "give one of them",
        ),
        (
            {"sets": [{"name": "S", "range": [1]}]},
            "formulation: set 'S': 'range' has too few entries",
            "give the first and the last integer",
        ),
        (
            {"sets": [{"name": "S", "members": ["a", 1.5]}]},
            "formulation: set 'S': 'members[1]' is 1.5; it must be a number or a text or a list",
            "",
        ),
        (
            {"variables": [{"name": "x", "domain": "int"}]},
            "formulation: variable 'x': 'domain' is \"int\", which is not one of 'continuous', "
            "'integer' or 'binary'",
            "did you mean 'integer'?",
        ),
        (
            {"variables": [{"name": "x", "lower": [1]}]},
            "formulation: variable 'x': 'lower' is [1]; it must be a number or a text",
            "",
        ),
        (
            {"objectives": [{"name": "o", "sense": "max", "expression": "1"}]},
            "formulation: objective 'o': 'sense' is \"max\", which is not one of 'minimize' or "
            "'maximize'",
            "did you mean 'maximize'?",
        ),
        (
            {"constraints": [{"name": "c", "expression": ""}]},
            "formulation: constraint 'c': 'expression' is empty",
            "give a text, or leave the key out where it may be",
        ),
        (
            {"constraints": [{"name": "c", "expression": "x" * 100_001}]},
            "formulation: constraint 'c': 'expression' has 100,001 characters; the limit is "
            "100,000",
            "shorten it",
        ),
        (
            {"variables": [3]},
            "formulation: variable number 1: it is 3; it must be an object",
            "",
        ),
        (
            {"variables": None},
            "formulation: 'variables' is null; it must be a list",
            "",
        ),
        (
            {"results": [{"name": "r", "expression": "1", "sources": [{"quote": ""}]}]},
            "formulation: result 'r': 'sources[0].quote' is empty",
            "give a text, or leave the key out where it may be",
        ),
    ],
)
def test_a_misfit_names_element_place_and_fix(part: Any, message: str, fix: str) -> None:
    error = failure(json.dumps({"schema_version": 1, **part}))
    assert (error.message, error.fix) == (message, fix)


def test_all_misfits_are_listed_up_to_a_limit() -> None:
    parameters = [{"name": f"p{k}", "value": "x"} for k in range(12)]
    error = failure(json.dumps({"parameters": parameters}))
    lines = error.message.splitlines()
    assert lines[0] == "formulation does not fit the formulation schema in 12 places:"
    assert lines[1] == (
        "  parameter 'p0': 'value' is \"x\"; it must be a number or a list or an object"
    )
    assert lines[-1] == "  and 2 more"
    assert len(lines) == 12


def test_a_missing_file_is_named_with_a_near_match(tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text("{}")
    error = failure(tmp_path / "modle.json")
    assert error.message == f"{tmp_path / 'modle.json'} does not exist"
    assert error.fix == f"did you mean '{tmp_path / 'model.json'}'?"
    assert failure(tmp_path / "none" / "x").fix == "check the path"


def test_a_folder_is_refused(tmp_path: Path) -> None:
    error = failure(tmp_path)
    assert error.message == f"{tmp_path} is a folder"


def test_a_binary_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(b'{"a"\x00\x01')
    assert failure(path).message == f"{path} is a binary file (byte 4 is NUL)"


def test_a_file_that_is_not_utf8_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes('{\n"title": "café"}'.encode("latin-1"))
    error = failure(path)
    assert error.message == f"{path} is not UTF-8 text (byte 15, line 2)"
    assert error.fix == "save the file in UTF-8"
    path.write_bytes("{}".encode("utf-16"))
    assert failure(path).message == f"{path} is not UTF-8 text (byte 0, line 1)"


def test_a_file_of_50_megabytes_is_refused_without_reading_it(tmp_path: Path) -> None:
    path = tmp_path / "big.json"
    with path.open("wb") as stream:
        stream.truncate(50 * 1024 * 1024)
    error = failure(path)
    assert error.message == (
        f"{path} has 52,428,800 bytes; the limit for a formulation is {load.MAX_FILE_BYTES:,}"
    )
    assert error.fix == "move large data into CSV files and name them as `table`"


def test_a_message_about_a_file_starts_with_its_name(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_text('{"sets": 1}')
    assert failure(path).message == "m.json: 'sets' is 1; it must be a list"


def test_a_byte_order_mark_is_accepted(tmp_path: Path) -> None:
    path = tmp_path / "m.json"
    path.write_bytes(b'\xef\xbb\xbf{"title": "t"}')
    assert load_formulation(path).title == "t"


def test_a_bound_written_null_survives_writing_and_reading() -> None:
    free = Formulation(variables=(VariableDefinition(name="x", lower=None),))
    zero = Formulation(variables=(VariableDefinition(name="x"),))
    assert '"lower": null' in dump_formulation(free)
    assert load_formulation(dump_formulation(free)) == free
    assert "lower" not in dump_formulation(zero)
    assert load_formulation(dump_formulation(zero)) == zero


def test_nan_is_refused_in_writing() -> None:
    bad = Formulation(parameters=(ParameterDefinition(name="c", value=float("nan")),))
    with pytest.raises(UsageError, match="holds NaN or an infinite number"):
        dump_formulation(bad)


def test_the_published_schema_is_up_to_date() -> None:
    text = json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"
    published = ROOT / "docs" / "formulation.schema.json"
    assert published.read_text(encoding="utf-8") == text, (
        "write json.dumps(json_schema(), indent=2, ensure_ascii=False) and a line break to "
        f"{published}"
    )


def test_the_schema_describes_its_fields() -> None:
    table = json_schema()["$defs"]["Table"]
    assert table["description"] == "Data in a CSV file."
    assert table["properties"]["file"]["description"] == "File name relative to the data folder."


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["name", "members", "value", "sets", "range", "lower", "expression", "x", "table"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=15,
)


FUZZED = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


@FUZZED
@given(
    data=st.fixed_dictionaries(
        {},
        optional={
            key: st.lists(JSON_VALUES, max_size=3) | JSON_VALUES
            for key in ("sets", "parameters", "variables", "objectives", "constraints", "title")
        },
    )
)
def test_any_json_gives_a_formulation_or_a_usage_error(data: dict[str, Any]) -> None:
    try:
        formulation = parse_formulation(data)
    except UsageError:
        return
    assert load_formulation(dump_formulation(formulation)) == formulation


@FUZZED
@given(text=st.text(max_size=60) | st.text(alphabet='{}[]",:01.eENaInfity\\u \n', max_size=60))
def test_any_text_gives_a_formulation_or_a_usage_error(text: str) -> None:
    try:
        load_formulation(text)
    except UsageError as error:
        message = error.message
    else:
        message = "formulation"
    assert message.startswith("formulation")
