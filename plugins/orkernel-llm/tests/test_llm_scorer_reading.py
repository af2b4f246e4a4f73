"""Judgements are read leniently where nothing is guessed, and refused with the place otherwise."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.records import DIMENSIONS
from orkernel_llm.failures import Malformed
from orkernel_llm.scoring.judgement import (
    LONGEST,
    MOST_FINDINGS,
    SCHEMA,
    Claim,
    Judgement,
    one_line,
    read_judgement,
    read_score,
)

GOOD: dict[str, Any] = {
    "findings": [],
    **{d: {"explanation": f"{d} fit", "score": 85} for d in DIMENSIONS},
}


def read(**changes: Any) -> Judgement:
    value = {**GOOD, **changes}
    return read_judgement(value, json.dumps(value), "a/model")


def claim(value: Any) -> Claim:
    (found,) = read(findings=[value]).findings
    return found


@pytest.mark.parametrize(
    ("given", "score"),
    [
        (85, 85.0),
        (85.5, 85.5),
        (0, 0.0),
        (100, 100.0),
        ("85", 85.0),
        (" 85 ", 85.0),
        ("85%", 85.0),
        ("85 %", 85.0),
        ("85 percent", 85.0),
        ("85/100", 85.0),
        ("85 / 100", 85.0),
        ("17 out of 20", 85.0),
        ("8/10", 80.0),
        ("85 points", 85.0),
        ("85.", 85.0),
        ("85.25", 85.25),
    ],
)
def test_numbers_are_read_as_they_are_meant(given: Any, score: float) -> None:
    assert read_score(given) == score
    assert read(variables={"score": given, "explanation": "x"}).variables.score == score


@pytest.mark.parametrize(
    "given",
    [
        *(-1, 101, 100.5, 1e300, 10**400, float("nan"), float("inf"), True, False, None),
        *("", "high", "eighty-five", "85-90", "-5", "101", "120%", "11/10", "8/0", "0/0", "NaN"),
        *("85 of the 100", "1e2", "٨٥٪", [85], {}, {"value": 85}),
    ],
)
def test_what_is_no_number_from_0_to_100_is_refused_with_its_place(given: Any) -> None:
    with pytest.raises(ValueError, match="0"):
        read_score(given)
    value = {**GOOD, "objective": {"score": given, "explanation": "x"}}
    with pytest.raises(Malformed) as caught:
        read_judgement(value, "the answer", "a/model")
    assert "objective" in caught.value.why
    assert caught.value.message.startswith("a/model: ")


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_a_missing_dimension_is_refused_and_named(dimension: str) -> None:
    value = {k: v for k, v in GOOD.items() if k != dimension}
    with pytest.raises(Malformed) as caught:
        read_judgement(value, "text")
    assert caught.value.why.startswith(dimension)


def test_without_a_list_of_findings_no_score_is_high() -> None:
    marks = {d: {"value": 95, "explanation": "sure"} for d in DIMENSIONS}
    found = read_judgement({**marks, "objective": 40}, "text")
    assert found.findings == ()
    assert [found.mark(d).score for d in DIMENSIONS] == [80, 80, 40, 80]
    assert "no findings were listed" in found.parameters.explanation
    assert read_judgement({**marks, "findings": []}, "text").parameters.score == 95


@pytest.mark.parametrize("findings", ["none", {}, 3])
def test_findings_that_are_no_list_are_refused(findings: Any) -> None:
    with pytest.raises(Malformed, match="findings"):
        read(findings=findings)


@pytest.mark.parametrize("value", [None, [], "85", 85, [GOOD]])
def test_an_answer_that_is_no_object_is_refused(value: Any) -> None:
    with pytest.raises(Malformed):
        read_judgement(value, "text")


def test_numbers_may_stand_bare_or_within_scores() -> None:
    bare = read_judgement({"findings": [], **dict.fromkeys(DIMENSIONS, 70)}, "")
    within = read_judgement({"findings": [], "scores": dict.fromkeys(DIMENSIONS, "70%")}, "")
    assert bare == within
    assert bare.mark("variables").score == 70.0


def test_names_of_dimensions_may_be_written_otherwise() -> None:
    names = ("Parameter", "VARIABLES", "objectives", " constraint ")
    found = read_judgement({"findings": [], **dict.fromkeys(names, 60)}, "")
    assert [found.mark(d).score for d in DIMENSIONS] == [60.0] * 4


def test_forty_further_fields_do_no_harm() -> None:
    assert read(**{f"field{i}": i for i in range(40)}) == read()


def test_a_finding_is_taken_over_with_all_it_says() -> None:
    said = {
        "dimension": "constraints",
        "problem": "missing",
        "element": "demand",
        "quote": "at most 15",
        "text": "the limit is missing",
        "serious": True,
    }
    assert claim(said).model_dump() == said


@pytest.mark.parametrize(
    ("serious", "read_as"),
    [
        *((word, False) for word in (False, "false", "no", "minor", "low", "", None, 0)),
        *((word, True) for word in (True, "true", "yes", "serious", "high", 1, "?", [])),
    ],
)
def test_what_is_not_plainly_minor_is_serious(serious: Any, read_as: bool) -> None:
    assert claim({"text": "x", "serious": serious}).serious is read_as


def test_a_finding_may_be_a_bare_text_or_lack_its_dimension() -> None:
    assert claim("a limit is missing").dimension is None
    assert claim({"dimension": "luck", "text": "x"}).dimension is None
    assert claim("a limit is missing").text == "a limit is missing"


def test_findings_without_end_are_cut() -> None:
    assert len(read(findings=["the same"] * 500).findings) == MOST_FINDINGS


def test_texts_are_cut_and_cleaned() -> None:
    text = claim("a\x1b[31mb\n\u202ec" + "z" * 10_000).text
    assert len(text) == LONGEST
    assert text.isprintable()


def test_the_schema_asks_for_findings_first_and_numbers_last() -> None:
    assert list(SCHEMA["properties"]) == ["findings", *DIMENSIONS]
    for dimension in DIMENSIONS:
        assert list(SCHEMA["properties"][dimension]["properties"])[-1] == "score"


def objects(schema: Any) -> Any:
    """All object schemas within a schema."""
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects(value)


def test_the_schema_is_strict_as_servers_want_it() -> None:
    for schema in objects(SCHEMA):
        assert schema["additionalProperties"] is False
        assert schema["required"] == list(schema["properties"])


def outcome(call: Callable[[], Any]) -> Any:
    """What a call returns, or the message of its refusal."""
    try:
        return call()
    except (ValueError, Malformed) as error:
        return str(error)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner),
    max_leaves=20,
)


@settings(deadline=None)
@given(json_values)
def test_any_score_is_in_range_or_refused(value: Any) -> None:
    found = outcome(lambda: read_score(value))
    assert isinstance(found, str) or 0.0 <= found <= 100.0
    assert found != ""


@settings(deadline=None)
@given(
    st.fixed_dictionaries(
        {},
        optional={"findings": json_values, **dict.fromkeys((*DIMENSIONS, "scores"), json_values)},
    )
    | json_values
)
def test_any_json_gives_numbers_in_range_or_a_told_failure(value: Any) -> None:
    found = outcome(lambda: read_judgement(value, "text", "a/model"))
    if isinstance(found, str):
        assert found.startswith("a/model: the answer cannot be read, ")
    else:
        assert all(0.0 <= found.mark(d).score <= 100.0 for d in DIMENSIONS)


@settings(deadline=None)
@given(st.text())
def test_one_line_is_one_printable_line(text: str) -> None:
    line = one_line(text)
    assert line.isprintable()
    assert len(line) <= LONGEST
