"""Which answers are read, and which are refused and why."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel_llm.extraction import CUT, DEEPEST, LONGEST, NONE, extract, repeated
from orkernel_llm.failures import Malformed


def message(text: str) -> str:
    """Why a text is refused; empty if it is read."""
    try:
        assert isinstance(extract(text, SCHEMA), dict)
    except Malformed as error:
        return str(error)
    return ""


SCHEMA: dict[str, Any] = {"type": "object", "required": ["a"]}


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1}',
        '  \n{"a": 1}\n',
        '\ufeff{"a": 1}',
        'Here it is:\n{"a": 1}\nI hope that helps!',
        '```json\n{"a": 1}\n```',
        '```\n{"a": 1}\n```\nDone.',
        '{"a": 1,}',
        '{"a": 1, }',
        "{“a”: 1}",
        '{"a": 1 // the answer\n}',
        '{/* first */ "a": 1}',
        '<think>Maybe {"a": 2}? No.</think>{"a": 1}',
        'The set {x in S} has one element: {"a": 1}',
        'A first try: {"a": 2}. Corrected: {"a": 1}',
        '{"a": 1} {"other": 2}',
        '{"a": 1}, as "quoted" by {nobody}',
        '{"a": 1, "a": 1}',
        'It\'s {"a": 1}',
    ],
)
def test_value_is_found_whatever_is_around_it(text: str) -> None:
    assert extract(text, SCHEMA) == {"a": 1}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": True, "b": False, "c": None}', {"a": True, "b": False, "c": None}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('x {"a": "has } and { and \\" inside"}', {"a": 'has } and { and " inside'}),
        ('x {"a": ["}", "]"]} y', {"a": ["}", "]"]}),
        ('{"a": "None, // no comment, True,}",}', {"a": "None, // no comment, True,}"}),
        ('{"a": "say “hello”"}', {"a": "say “hello”"}),
        ("{“a”: “it is \u00e9 \\\\ 漢字”}", {"a": "it is é \\\\ 漢字"}),
        ('{"a": {"b": {"a": 2}}} thanks', {"a": {"b": {"a": 2}}}),
        ('{"a": 12345678901234567890}', {"a": 12345678901234567890}),
    ],
)
def test_strings_are_never_mended(text: str, value: Any) -> None:
    assert extract(text, SCHEMA) == value


def test_last_value_counts_where_none_has_the_required_keys() -> None:
    assert extract('{"b": 1} {"c": 2}', SCHEMA) == {"c": 2}


def test_list_is_found_where_the_schema_wants_one() -> None:
    assert extract('Answer: [1, 2, {"a": 3}] ok', {"type": "array"}) == [1, 2, {"a": 3}]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1, "b": [1, 2',
        '{"a": "no end',
        "{",
        '{"a": "x\\',
        'Here: ```json\n{"a": {"b": 1}',
        '{"a": 1} or rather {"a": 2, "b"',
        "{“a",
    ],
)
def test_cut_value_is_told_from_a_wrong_one(text: str) -> None:
    with pytest.raises(Malformed) as error:
        extract(text, SCHEMA)
    assert error.value.why.startswith(CUT)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", NONE),
        ("I cannot say.", NONE),
        ("The set {x in S}", NONE),
        ("42", NONE),
        ('"text"', NONE),
        ('{"a": one}', "wrong at line 1, column 7"),
        ('{"a" 1}', "wrong at line 1, column 6"),
        ('{"a": 1 "b": 2}', "wrong at line 1"),
        ('{"a": 1,000}', "wrong at line 1"),
        ('{"a": NaN}', "NaN is no number"),
        ('{"a": -Infinity}', "Infinity is no number"),
        ('so {"a": NaN}', "NaN is no number"),
        ('{"a": 1e999}', "too large"),
        ('{"a": 1, "a": 2}', "twice with different values"),
        ('{"x": ' * (DEEPEST + 1) + "1" + "}" * (DEEPEST + 1), "nested deeper"),
        ('{"x": ' * 50_000 + "1" + "}" * 50_000, "nested deeper"),
        ('so {"x": ' + "[" * 50_000 + "]" * 50_000 + "}", "nested deeper"),
        ("x" * (LONGEST + 1), "longer than"),
    ],
)
def test_wrong_answer_is_refused_with_its_reason(text: str, why: str) -> None:
    with pytest.raises(Malformed) as error:
        extract(text, SCHEMA)
    assert why in error.value.why
    assert len(str(error.value)) < 600


@pytest.mark.parametrize(
    "text",
    [
        "{" * 200_000,
        '{"' * 200_000,
        '{"a": "' * 100_000,
        "{" + '"a": [' * 100_000,
        '{"a": 1} ' * 100_000,
        '{"a": ' + '"\\' * 100_000,
        "“" * 200_000,
        '{"a": "' + "la " * 100_000,
        "/*" * 100_000 + "{",
        '{"a": 1' + ", " * 100_000,
        '{"a": ' + "9" * 400_000 + "}",
        "<think>" * 100_000,
        "[" * 200_000,
    ],
    ids=lambda text: text[:9],
)
def test_hostile_answer_is_judged_quickly(text: str) -> None:
    start = time.perf_counter()
    assert len(message(text)) < 600
    assert time.perf_counter() - start < 5


def test_big_answer_is_read() -> None:
    value = {"a": [{"name": f"n{i}", "value": i / 3} for i in range(20_000)]}
    assert extract("Sure:\n" + json.dumps(value) + "\nDone", SCHEMA) == value


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("once " + "la " * 400, "la "),
        ('{"a": ' + " " * 900, " "),
        ("x" + "abcdefghij" * 100 + "abc", "defghijabc"),
        ("".join(f"{n} " for n in range(900)), None),
        ("short short", None),
        ("", None),
    ],
)
def test_endless_repetition_is_recognised(text: str, unit: str | None) -> None:
    assert repeated(text) == unit


def test_repetition_is_named_where_an_answer_is_cut() -> None:
    with pytest.raises(Malformed, match="repeats 'la' without end"):
        extract('{"a": "' + "la " * 400, SCHEMA)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), JSON, max_size=4).map(lambda d: d | {"a": 1})
PROSE = st.text(alphabet=st.characters(exclude_characters='{}"“”<'), max_size=40)


@given(value=OBJECTS, before=PROSE, after=PROSE, ascii=st.booleans(), indent=st.none() | st.just(2))
def test_any_object_is_found_between_any_prose(
    value: dict[str, Any], before: str, after: str, ascii: bool, indent: int | None
) -> None:
    text = before + json.dumps(value, ensure_ascii=ascii, indent=indent) + after
    assert extract(text, SCHEMA) == json.loads(json.dumps(value))


@given(value=OBJECTS, data=st.data())
def test_any_cut_of_an_object_is_refused(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    end = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(Malformed) as error:
        extract(text[:end], SCHEMA)
    assert error.value.why.startswith(CUT)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    assert message("{" + text + "}") is not None
