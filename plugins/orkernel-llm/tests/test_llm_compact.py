"""The compact form: tolerant where nothing can be misunderstood, refused by name elsewhere."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.formulation.schema import Formulation
from orkernel_llm.formulating.compact import SCHEMA, Compact, number_of
from orkernel_llm.formulating.conversion import (
    Unreadable,
    read_compact,
    to_compact,
    to_formulation,
    unwrapped,
)
from orkernel_llm.formulating.notation import algebra, generators

MODEL: dict[str, Any] = {
    "title": "Kites",
    "sets": [{"name": "KITE", "members": ["red", "blue"], "quotes": ["red and blue kites"]}],
    "parameters": [
        {"name": "silk", "index": ["KITE"], "value": [2, 3], "unit": "m", "quotes": ["2 m, 3 m"]},
        {"name": "stock", "value": 60, "quotes": ["60 m of silk"]},
    ],
    "variables": [{"name": "sewn", "index": ["KITE"], "domain": "integer", "quotes": ["kites"]}],
    "objectives": [
        {"name": "joy", "sense": "maximize", "expression": "sum(sewn[k] for k in KITE)"}
    ],
    "constraints": [
        {"name": "silk", "expression": "sum(silk[k]*sewn[k] for k in KITE) <= stock", "quotes": []}
    ],
}


def converted(**changes: Any) -> Formulation:
    return to_formulation(read_compact({**MODEL, **changes}))


def variable(**fields: Any) -> Any:
    return converted(variables=[{"name": "sewn", "index": ["KITE"], **fields}]).variables[0]


def parameter(**fields: Any) -> Any:
    return converted(parameters=[{"name": "stock", **fields}]).parameters[0]


# ---------------------------------------------------------------------------- reading


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1,200", 1200),
        ("$1,200.50", 1200.5),
        ("-3", -3),
        ("−3", -3),
        ("2e3", 2000.0),
        (".5", 0.5),
        ("€7", 7),
    ],
)
def test_numbers_written_as_text_are_read(text: str, number: float) -> None:
    assert number_of(text) == number
    assert parameter(value=text).value == number


@pytest.mark.parametrize("text", ["15%", "twelve", "1.200,5", "12,34", "3 or 4", "", "1e999", "-"])
def test_texts_that_are_no_plain_number_are_not_guessed(text: str) -> None:
    assert number_of(text) == text
    with pytest.raises(Unreadable, match="parameter"):
        parameter(value=text)


def test_quotes_may_be_one_text_a_list_or_objects() -> None:
    for quotes in ("60 m", ["60 m"], [{"quote": "60 m"}]):
        found = parameter(value=60, quotes=quotes)
        assert [s.quote for s in found.sources] == ["60 m"]


def test_unknown_fields_are_left_out() -> None:
    extra = {f"field{i}": i for i in range(40)}
    found = converted(**extra, variables=[{"name": "sewn", "index": ["KITE"], **extra}])
    assert found.variables[0].name == "sewn"


def test_a_formulation_wrapped_in_one_field_is_unwrapped() -> None:
    assert read_compact(unwrapped({"formulation": MODEL})).title == "Kites"


def test_bounds_mean_what_the_prompt_says() -> None:
    assert (variable().lower, variable().upper) == (0, None)
    assert (variable(lower=None, upper=None).lower, variable(lower="null").lower) == (0, 0)
    assert variable(lower="-inf").lower is None
    assert variable(upper="inf").upper is None
    assert variable(lower=-5, upper="2*stock").lower == -5
    assert variable(upper="2*stock").upper == "2*stock"
    assert variable(upper="1,000").upper == 1000


def test_members_that_are_all_whole_numbers_are_numbers() -> None:
    sets = [{"name": "KITE", "members": ["1", "2", "3"]}]
    assert converted(sets=sets).sets[0].members == (1, 2, 3)
    sets = [{"name": "KITE", "members": ["1", "two"]}]
    assert converted(sets=sets).sets[0].members == ("1", "two")
    sets = [{"name": "KITE", "members": [], "range": [1, 6]}]
    assert converted(sets=sets).sets[0].range == (1, 6)


def test_common_words_for_sense_and_domain_are_understood() -> None:
    objectives = [{"name": "joy", "sense": "Max", "expression": "stock"}]
    assert converted(objectives=objectives).objectives[0].sense == "maximize"
    assert variable(domain="Int").domain == "integer"
    assert variable(domain=None).domain == "continuous"


@pytest.mark.parametrize(
    ("text", "distribution"),
    [
        ("normal(50, 8)", {"normal": {"mean": 50, "std": 8}}),
        ("Normal(mean=50, std=8)", {"normal": {"mean": 50, "std": 8}}),
        ("uniform(low = 1, high = 2.5)", {"uniform": {"low": 1, "high": 2.5}}),
        ("poisson(4)", {"poisson": {"mean": 4}}),
    ],
)
def test_distributions_are_read(text: str, distribution: dict[str, Any]) -> None:
    assert parameter(distribution=text).distribution == distribution


@pytest.mark.parametrize("text", ["normal", "normal(50)", "cauchy(0, 1)", "normal(a, b)", "50"])
def test_other_distributions_are_refused_with_those_that_are_known(text: str) -> None:
    with pytest.raises(Unreadable, match=r"parameter 'stock'.*poisson"):
        parameter(distribution=text)


def test_data_tables_keep_columns_and_value() -> None:
    table = {"file": "s.csv", "index": ["kite"], "value": "silk"}
    found = parameter(index=["KITE"], table=table).table
    assert (found.file, found.index, found.value) == ("s.csv", ("kite",), "silk")
    sets = [{"name": "KITE", "table": table}]
    assert converted(sets=sets).sets[0].table.value is None  # type: ignore[union-attr]


# ---------------------------------------------------------------------------- faults by name


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"variables": []}, "variables"),
        ({"variables": "x"}, "variables"),
        ({"variables": [{"domain": "integer"}]}, "variables.0.name"),
        ({"variables": [{"name": "x", "domain": "complex"}]}, "variables.0.domain"),
        ({"variables": [{"name": "two words"}]}, "two words"),
        ({"objectives": [{"name": "o", "sense": "up", "expression": "x"}]}, "objectives.0.sense"),
        ({"constraints": [{"name": "c"}]}, "constraints.0.expression"),
        ({"parameters": [{"name": "p"}]}, "parameter 'p': it has no value"),
        ({"parameters": [{"name": "p", "value": ["a"]}]}, "parameters.0.value"),
    ],
)
def test_a_fault_is_told_with_its_place(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(Unreadable, match=words):
        converted(**changes)


@pytest.mark.parametrize("value", [None, 3, "text", [], [MODEL]])
def test_an_answer_that_is_no_object_is_a_told_fault(value: Any) -> None:
    with pytest.raises(Unreadable):
        read_compact(value)


def test_many_faults_are_told_up_to_a_bound() -> None:
    broken = [{"name": f"c{i}"} for i in range(50)]
    with pytest.raises(Unreadable, match=r"and 42 more"):
        converted(constraints=broken)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.floats(allow_nan=False)
    | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [*SCHEMA["properties"], "name", "index", "value", "expression", "quotes"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(list(SCHEMA["properties"])), JSON))
def test_any_json_gives_a_formulation_or_a_told_fault(value: Any) -> None:
    try:
        found = read_compact(value)
        formulation = to_formulation(found) if not found.refusal else None
    except Unreadable:
        return
    assert formulation is None or formulation.variables


def test_priorities_keep_their_order_wherever_they_begin() -> None:
    goals = [
        {"name": name, "sense": "maximize", "expression": "sewn['red']", "priority": priority}
        for name, priority in (("joy", 0), ("thrift", 1))
    ]
    assert [o.priority for o in converted(objectives=goals).objectives] == [0, 1]


def test_the_schema_for_servers_has_the_fields_that_are_read() -> None:
    read = Compact.model_json_schema()
    assert SCHEMA["properties"].keys() == read["properties"].keys()
    for group, field in read["properties"].items():
        if field.get("type") != "array":
            continue
        definition = read["$defs"][field["items"]["$ref"].rpartition("/")[2]]
        offered = SCHEMA["properties"][group]["items"]["properties"]
        assert offered.keys() == definition["properties"].keys(), group


# ---------------------------------------------------------------------------- notation


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("x ≤ 3", "x <= 3"),
        ("x = 3", "x == 3"),
        ("x =< 3", "x <= 3"),
        ("x == 3", "x == 3"),
        ("2×x − y^2 ≥ 0;", "2*x - y**2 >= 0"),
        ('x["a=b"] = 1', 'x["a=b"] == 1'),
        ("x[“red”] ≠ 0", 'x["red"] != 0'),
        ('x["O’Brien–Sée", "2×4"] = 1', 'x["O’Brien–Sée", "2×4"] == 1'),
    ],
)
def test_signs_are_put_into_the_algebra(written: str, meant: str) -> None:
    assert algebra(written, is_relation=True) == meant


def test_one_equals_sign_outside_a_constraint_stays() -> None:
    assert algebra("f(x=1)") == "f(x=1)"


@pytest.mark.parametrize("text", ["for k in KITE", "for all k in KITE", "∀ k ∈ KITE", "k in KITE"])
def test_generators_lose_their_leading_for(text: str) -> None:
    assert " ".join(generators(text).split()) == "k in KITE"


# ---------------------------------------------------------------------------- and back


NAMES = st.sampled_from(["a", "b_1", "Cost"])
QUOTES = st.lists(st.sampled_from(["some words", "3 m", "“so”"]), max_size=2, unique=True)


@st.composite
def formulations(draw: st.DrawFn) -> Formulation:
    sets = [{"name": "I", "members": draw(st.sampled_from([["r", "s"], [1, 2], [["r", "s"]]]))}]
    number = st.integers(-9, 9) | st.floats(-9, 9)
    parameters = [
        {"name": f"p{i}", "value": draw(number), "sources": [{"quote": q} for q in draw(QUOTES)]}
        for i in range(draw(st.integers(0, 3)))
    ]
    variables = [
        {
            "name": name,
            "domain": draw(st.sampled_from(["continuous", "integer"])),
            "lower": draw(st.none() | st.integers(0, 3) | st.just("2*p")),
            "upper": draw(st.none() | number),
        }
        for name in draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    ]
    return Formulation.model_validate(
        {
            "title": draw(st.sampled_from(["", "Title"])),
            "sets": sets,
            "parameters": parameters,
            "variables": variables,
            "objectives": [{"name": "o", "sense": "minimize", "expression": "a + 1"}],
            "constraints": [
                {
                    "name": "c",
                    "expression": "a <= 3",
                    "for_each": draw(st.none() | st.just("i in I")),
                }
            ],
            "results": [{"name": "r", "expression": "a", "unit": draw(st.none() | st.just("m"))}],
            "assumptions": [{"text": "so", "affects": ["a"]}],
        }
    )


@given(formulations())
def test_a_formulation_survives_the_compact_form(formulation: Formulation) -> None:
    assert to_formulation(read_compact(to_compact(formulation))) == formulation
