"""Formulations: names, provenance, readings and what they assume."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from orkernel.formulation.check import check
from orkernel.formulation.load import parse_formulation
from orkernel.formulation.provenance import locate, provenance_diagnostics
from orkernel_offline.english import readings

First = Callable[[str], dict[str, Any]]

PIES = (
    "A kitchen bakes apple pies and plum pies. An apple pie takes 3 cups of flour and 20 minutes "
    "of oven time, and a plum pie takes 2 cups of flour and 30 minutes of oven time. There are 60 "
    "cups of flour and 10 hours of oven time available. At least 5 plum pies must be baked. The "
    "profit is $6 per apple pie and $7 per plum pie. How many pies of each kind should be baked to "
    "maximize profit?"
)


def _more_pies(rest: str) -> str:
    return PIES.replace("At least 5 plum pies must be baked.", rest)


def test_data_shared_by_the_products_is_indexed_by_their_set(first: First) -> None:
    formulation = first(PIES)
    assert formulation["sets"][0]["name"] == "PIE"
    assert formulation["sets"][0]["members"] == ["apple pie", "plum pie"]
    indexed = {p["name"]: p["value"] for p in formulation["parameters"] if "index" in p}
    assert indexed["flour"] == {"apple pie": 3, "plum pie": 2}
    assert indexed["profit"] == {"apple pie": 6, "plum pie": 7}


def test_hours_available_are_converted_to_the_minutes_used(
    first: First, optimum: Callable[[dict[str, Any]], float]
) -> None:
    rows = [c["expression"] for c in first(PIES)["constraints"]]
    assert any("<= 60*" in row for row in rows)
    assert optimum(first(PIES)) == pytest.approx(156.0)


def test_the_kernel_accepts_every_reading_with_all_its_quotes() -> None:
    for reading in readings(PIES):
        formulation = locate(parse_formulation(reading.formulation), PIES)
        assert check(formulation) == []
        assert provenance_diagnostics(formulation, PIES) == []


def test_every_quote_is_part_of_the_statement(first: First) -> None:
    formulation = first(PIES)
    groups = ("sets", "parameters", "variables", "objectives", "constraints")
    sources = [s["quote"] for g in groups for item in formulation[g] for s in item["sources"]]
    assert len(sources) > 10
    assert all(quote in PIES for quote in sources)


def test_a_limit_parameter_is_quoted_with_its_number(first: First) -> None:
    parameter = next(p for p in first(PIES)["parameters"] if p["name"] == "plum_pie_minimum")
    assert parameter["value"] == 5
    assert "5" in parameter["sources"][0]["quote"]


def test_countable_things_are_whole_first_and_divisible_second() -> None:
    domains = [r.formulation["variables"][0]["domain"] for r in readings(PIES)]
    assert domains == ["integer", "continuous"]


def test_an_amount_asked_for_in_liters_is_divisible_first() -> None:
    text = PIES.replace("How many pies of each kind should be baked", "How many liters of each")
    assert readings(text)[0].formulation["variables"][0]["domain"] == "continuous"


def test_stated_whole_numbers_leave_one_reading() -> None:
    text = PIES + " Only whole numbers of pies can be sold."
    found = readings(text)
    assert [r.formulation["variables"][0]["domain"] for r in found] == ["integer"]


def test_a_strict_limit_is_first_read_as_including_it() -> None:
    found = readings(_more_pies("More than 5 plum pies must be baked."))
    bounds = [
        next(c for c in r.formulation["constraints"] if c["name"] == "plum_pie_at_least")
        for r in found
    ]
    assert " >= " in bounds[0]["expression"]
    assert any(" > " in bound["expression"] for bound in bounds[1:])


def test_counts_compared_with_more_than_are_first_read_strictly() -> None:
    found = readings(_more_pies("There must be more plum pies than apple pies."))
    rows = [
        next(c for c in r.formulation["constraints"] if "versus" in c["name"])["expression"]
        for r in found
    ]
    assert " > " in rows[0]
    assert " >= " in rows[1]


def test_a_preference_binds_first_and_is_dropped_in_another_reading() -> None:
    found = readings(_more_pies("The cook prefers to bake more plum pies than apple pies."))
    binding = [any("versus" in c["name"] for c in r.formulation["constraints"]) for r in found]
    assert binding[0]
    assert not all(binding)


@pytest.mark.parametrize(
    ("words", "row"),
    [
        ("More than 5 plum pies must be baked.", "plum_pie_at_least"),
        ("There must be more plum pies than apple pies.", "plum_pie_versus_apple_pie"),
    ],
)
def test_the_assumption_of_a_strict_word_names_its_row(words: str, row: str) -> None:
    for reading in readings(_more_pies(words)):
        (strict,) = [a for a in reading.formulation["assumptions"] if "equality" in a["text"]]
        assert strict["affects"] == [row]


@pytest.mark.parametrize(
    ("measured", "name"),
    [("loaf of rye", "rye"), ("bottle of olive oil", "olive oil"), ("rye loaf", "rye loaf")],
)
def test_a_name_leaves_out_what_it_is_measured_in(first: First, measured: str, name: str) -> None:
    other = measured.replace("rye", "oat").replace("olive", "nut")
    formulation = first(
        f"A {measured} takes 3 hours and a {other} takes 5 hours. There are 40 hours. A {measured} "
        f"earns $4 and a {other} earns $6. How many of each should be made to maximize earnings?"
    )
    assert formulation["sets"][0]["members"][0] == name


@pytest.mark.parametrize("unit", ["hectare", "acre", "liter", "tonne", "kilogram"])
def test_what_is_counted_in_a_unit_is_divisible_first_and_carries_it(
    first: First, unit: str
) -> None:
    formulation = first(
        f"A farmer grows beans and corn. The profit per {unit} of beans is $300 and the profit per "
        f"{unit} of corn is $200. At least 10 {unit}s of corn must be grown. At most 30 {unit}s "
        f"can be grown in total. Maximize the profit."
    )
    (variable,) = formulation["variables"]
    assert (variable["domain"], variable["unit"]) == ("continuous", unit)
    assert formulation["objectives"][0]["name"] == "profit"


def test_every_reading_states_what_sets_it_apart() -> None:
    labels = [reading.label for reading in readings(_more_pies("More than 5 plum pies are made."))]
    assert len(set(labels)) == len(labels)


def test_so_many_of_one_thing_for_each_of_another_is_a_ratio(first: First) -> None:
    formulation = first(_more_pies("Exactly two plum pies must be baked for each apple pie."))
    row = next(c["expression"] for c in formulation["constraints"] if "versus" in c["name"])
    assert row == 'number["plum pie"] == plum_pie_to_apple_pie_ratio*number["apple pie"]'


def test_what_a_thing_is_counted_in_is_not_its_name(first: First) -> None:
    formulation = first(
        "A kiosk sells tea and cocoa. Tea earns $1 per cup and cocoa earns $2. A cup of tea takes "
        "2 minutes and a cup of cocoa takes 5 minutes. There are 300 minutes. At most 100 cups can "
        "be sold. How many cups of each should be sold to maximize earnings?"
    )
    row = next(c["expression"] for c in formulation["constraints"] if "at_most" in c["name"])
    assert "sum(" in row


def test_readings_are_distinct() -> None:
    found = readings(_more_pies("There must be more plum pies than apple pies."))
    texts = [str(reading.formulation) for reading in found]
    assert len(set(texts)) == len(texts)


def test_a_figure_asked_for_besides_the_objective_is_a_result(first: First) -> None:
    formulation = first(PIES + " What will be the total number of pies?")
    assert [result["expression"] for result in formulation["results"]] == [
        "sum(number[i] for i in PIE)"
    ]


def test_a_question_that_repeats_the_objective_adds_no_result(first: First) -> None:
    assert first(PIES + " What is the maximum profit?")["results"] == []


def test_the_trace_shows_every_stage() -> None:
    text = str(readings(PIES)[0].trace)
    for word in ("clause", "QUANTITY", "amount", "activity", "measure", "limit", "goal"):
        assert word in text


@pytest.mark.parametrize("word", ["card", "sum", "lambda", "element", "i"])
def test_a_resource_named_like_a_word_of_the_algebra_gets_another_name(
    first: First, word: str
) -> None:
    formulation = first(PIES.replace("flour", word))
    assert check(parse_formulation(formulation)) == []


def test_something_that_one_product_does_not_use_is_assumed_to_be_zero() -> None:
    text = PIES.replace(
        "a plum pie takes 2 cups of flour and 30 minutes",
        "a plum pie takes 2 cups of flour, 4 spoons of jam and 30 minutes",
    ).replace("There are 60", "There are 100 spoons of jam, 60")
    formulation = readings(text)[0].formulation
    assert any("0 for apple pie" in a["text"] for a in formulation["assumptions"])
