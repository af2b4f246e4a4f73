"""Answers in the published form of a formulation are read by the published schema."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.candidates import examine
from orkernel.formulation.load import dump_formulation
from orkernel.formulation.schema import Formulation
from orkernel.records import Problem
from orkernel_llm.formulating.conversion import Unreadable
from orkernel_llm.formulating.published import PARTS, is_published, read_published

PUBLISHED: dict[str, Any] = {
    "schema_version": 1,
    "title": "Heights",
    "statement": "something else",
    "sets": [
        {"name": "T", "range": [1, 3]},
        {"name": "LATE", "expression": "[t for t in T if t > 1]"},
    ],
    "parameters": [
        {"name": "wind", "index": ["T"], "value": {"1": 4, "2": "1,200"}, "default": 7},
        {"name": "twice", "index": ["T"], "expression": "2*wind[t]", "for_each": "t in T"},
        {"name": "gust", "distribution": {"normal": {"mean": 5, "std": 1}}},
    ],
    "variables": [
        {
            "name": "height",
            "index": ["T"],
            "lower": None,
            "upper": "twice[t]",
            "for_each": "t in T",
            "sources": [{"quote": "flown at any height", "start": 7, "end": 9, "match": "exact"}],
            "certainty": 0.9,
        }
    ],
    "objectives": [
        {"name": "sum", "sense": "maximize", "expression": "sum(height[t] for t in T)", "weight": 1}
    ],
    "constraints": [
        {"name": "late", "for_each": "for t in LATE", "expression": "height[t] ≤ wind[t]"}
    ],
    "assumptions": [{"text": "no rain", "affects": ["height"]}],
}


def test_every_field_of_the_schema_keeps_its_meaning() -> None:
    found = read_published(PUBLISHED)
    (height,) = found.variables
    assert (height.lower, height.upper, height.for_each) == (None, "twice[t]", "t in T")
    assert [s.range or s.expression for s in found.sets] == [(1, 3), "[t for t in T if t > 1]"]
    assert found.parameters[0].value == {"1": 4, "2": 1200}
    assert found.parameters[0].default == 7
    assert found.parameters[2].distribution == {"normal": {"mean": 5, "std": 1}}
    assert found.constraints[0].for_each == "t in LATE"
    assert found.constraints[0].expression == "height[t] <= wind[t]"
    assert found.objectives[0].weight == 1
    assert found.assumptions[0].affects == ("height",)


def test_where_a_quote_stands_is_found_by_the_kernel_not_taken_from_the_model() -> None:
    statement = "Kites are flown at any height."
    located, _ = examine(read_published(PUBLISHED), Problem(statement))
    (source,) = located.variables[0].sources
    assert statement[source.start : source.end] == "flown at any height"
    assert located.statement == statement


@pytest.mark.parametrize(
    "value",
    [
        {"schema_version": 1},
        {"variables": [{"name": "x", "sources": []}]},
        {"sets": [{"name": "S", "expression": "[1]"}]},
        {"parameters": [{"name": "p", "distribution": {"poisson": {"mean": 2}}}]},
        {"objectives": {"name": "o", "weight": 2}},
    ],
)
def test_the_published_form_is_known_by_what_only_it_has(value: dict[str, Any]) -> None:
    assert is_published(value)


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        {},
        {"variables": [{"name": "x", "lower": None, "quotes": ["x"]}], "refusal": ""},
        {"parameters": [{"name": "p", "distribution": "poisson(2)", "value": None}]},
        {"variables": "x", "sets": [3]},
    ],
)
def test_anything_else_is_not_taken_for_it(value: Any) -> None:
    assert not is_published(value)


def test_a_misfit_is_told_with_its_element() -> None:
    with pytest.raises(Unreadable, match="x y"):
        read_published({"schema_version": 1, "variables": [{"name": "x y"}]})


def test_what_the_kernel_writes_is_read_back() -> None:
    found = read_published(PUBLISHED)
    assert read_published(json.loads(dump_formulation(found))) == found


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(["name", "sources", "quote", "value", "table", "expression", "lower"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.sampled_from([*PARTS, "title", "schema_version"]), VALUES))
def test_any_json_gives_a_formulation_or_a_told_fault(value: dict[str, Any]) -> None:
    is_published(value)
    try:
        found = read_published(value)
    except Unreadable:
        return
    assert isinstance(found, Formulation)
