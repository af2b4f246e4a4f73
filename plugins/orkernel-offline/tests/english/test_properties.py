"""Properties: never a crash or a hang, verbatim quotes, numbers that arrive unchanged."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.formulation.load import parse_formulation
from orkernel_offline.english import Unreadable, readings

_SALAD = """a an the each every both of in on at by for with per to and or but while if how many
    much must can should is are has have at least most no more than less twice half third times as
    profit cost budget maximize minimize number total available crate barrel small large hours
    requires takes holds sells needs exceed 3 40 7.5 $12 20% two , . ? ( ) ; : respectively that
    which be made not cannot share all 1 2 A B"""
WORDS = tuple(_SALAD.split())
DEADLINE_SECONDS = 5.0


def _read(text: str) -> list[dict[str, Any]]:
    began = time.monotonic()
    found: list[dict[str, Any]] = []
    refusal: Unreadable | None = None
    try:
        found = [reading.formulation for reading in readings(text)]
    except Unreadable as error:
        refusal = error
    assert time.monotonic() - began < DEADLINE_SECONDS
    if refusal is not None:
        assert refusal.reason
        assert all(0 <= start <= end <= len(text) for start, end in refusal.spans)
    return found


def _quotes(formulation: dict[str, Any]) -> list[str]:
    groups = ("sets", "parameters", "variables", "objectives", "constraints", "results")
    return [s["quote"] for g in groups for item in formulation[g] for s in item["sources"]]


@given(st.text(max_size=400))
def test_any_text_is_read_or_refused(text: str) -> None:
    for formulation in _read(text):
        parse_formulation(formulation)


@settings(max_examples=300)
@given(st.lists(st.sampled_from(WORDS), max_size=80))
def test_any_salad_of_problem_words_is_read_or_refused(words: list[str]) -> None:
    text = " ".join(words)
    for formulation in _read(text):
        parse_formulation(formulation)
        assert all(quote in text for quote in _quotes(formulation))


_SITES = """Oslo Bergen Rome A B from to two three depots stores , and : ( ) . each every ship
    costs $4 $7 12 30 crates tons has needs at least most exactly one must cannot all assign
    assigned workers jobs Ann Ben does minimize the total cost supply demand respectively per"""
_PIPES = """| | | --- 3 40 $7 2% item oak (m) profit ($) available limit minimum \n \n stool shelf -
    Oslo Rome supply need from x"""


@settings(max_examples=120)
@given(st.lists(st.sampled_from(_SITES.split()), max_size=60))
def test_any_salad_of_sites_is_read_or_refused(words: list[str]) -> None:
    text = (
        "A firm ships crates from two depots, Oslo and Bergen, to two stores, A and B. "
        + " ".join(words)
        + ". Minimize the total cost."
    )
    for formulation in _read(text):
        parse_formulation(formulation)
        assert all(quote in text for quote in _quotes(formulation))


@settings(max_examples=120)
@given(st.lists(st.sampled_from(_PIPES.split(" ")), max_size=60), st.booleans())
def test_any_table_is_read_or_refused(cells: list[str], sites: bool) -> None:
    opening = "A firm ships crates. " if sites else "A shop makes stools and shelves. "
    text = (
        f"{opening}\n\n| item | oak (m) | profit ($) |\n|---|---|---|\n| stool | 3 | 9 |\n"
        + " ".join(cells)
        + "\n\nThere are 40 m of oak. Maximize the profit."
    )
    for formulation in _read(text):
        parse_formulation(formulation)
        assert all(quote in text for quote in _quotes(formulation))


@given(
    st.lists(st.lists(st.integers(1, 99), min_size=3, max_size=3), min_size=2, max_size=2),
    st.lists(st.integers(50, 99), min_size=2, max_size=2),
    st.lists(st.integers(1, 30), min_size=3, max_size=3),
)
def test_the_numbers_of_a_transport_problem_arrive_unchanged(
    cost: list[list[int]], supply: list[int], demand: list[int]
) -> None:
    stores = ("Ark", "Bay", "Cove")
    text = (
        f"A firm ships crates from two depots, Oslo and Bergen, to three stores, Ark, Bay and "
        f"Cove. Oslo has {supply[0]} crates and Bergen has {supply[1]} crates. Ark needs "
        f"{demand[0]} crates, Bay {demand[1]} and Cove {demand[2]}. "
    )
    for depot, row in zip(("Oslo", "Bergen"), cost, strict=True):
        prices = [f"${price} to {store}" for price, store in zip(row, stores, strict=True)]
        text += f"Shipping a crate from {depot} costs {prices[0]}, {prices[1]} and {prices[2]}. "
    text += "Minimize the total cost."
    values = {p["name"]: p["value"] for p in _read(text)[0]["parameters"]}
    assert [list(row.values()) for row in values["cost"].values()] == cost
    assert list(values["available"].values()) == supply
    assert list(values["needed"].values()) == demand


@pytest.mark.parametrize(
    "text",
    [
        "| a " * 4_000,
        "|-|-|\n" * 2_000,
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 1_500,
        "two depots, A and B, " * 900,
        "from A and B to C and D " * 700,
        "a " * 9_000,
        "(" * 9_000,
        "of " * 6_000,
        "and , " * 3_000,
        "3 crates, " * 1_500,
        "at least " * 2_000,
        "a crate holds 3 jars and " * 700,
        "x-" * 9_000,
        "1," * 9_000,
        "one hundred and " * 1_100,
        "to be able to " * 1_300,
        ". " * 9_000,
    ],
    ids=lambda text: text[:12],
)
def test_pathological_repetition_does_not_hang(text: str) -> None:
    _read(text)


numbers = st.integers(2, 900)


@settings(max_examples=60)
@given(
    st.tuples(numbers, numbers, numbers, numbers),
    st.tuples(numbers, numbers),
    st.tuples(numbers, numbers),
    numbers,
)
def test_the_numbers_of_a_template_arrive_unchanged(
    uses: tuple[int, int, int, int],
    stocks: tuple[int, int],
    profits: tuple[int, int],
    minimum: int,
) -> None:
    text = (
        f"A weaver makes rugs and scarves. Each rug needs {uses[0]} skeins of wool and {uses[1]} "
        f"hours of weaving. Each scarf needs {uses[2]} skeins of wool and {uses[3]} hours of "
        f"weaving. There are {stocks[0]:,} skeins of wool and {stocks[1]} hours of weaving. "
        f"At least {minimum} scarves must be made. The profit per rug is ${profits[0]} and the "
        f"profit per scarf is ${profits[1]}. How many of each should she make to maximize profit?"
    )
    parameters = {p["name"]: p["value"] for p in _read(text)[0]["parameters"]}
    indexed = [v for v in parameters.values() if isinstance(v, dict)]
    assert [list(values.values()) for values in indexed] == [
        [uses[0], uses[2]],
        [uses[1], uses[3]],
        list(profits),
    ]
    scalars = [v for v in parameters.values() if not isinstance(v, dict)]
    assert sorted(scalars) == sorted([*stocks, minimum])


@settings(max_examples=60)
@given(st.sampled_from(["crates", "drums", "sacks", "vats"]), st.integers(2, 9), numbers)
def test_the_factor_and_direction_of_a_ratio_arrive_unchanged(
    other: str, factor: int, stock: int
) -> None:
    text = (
        f"A dock ships barrels and {other}. A barrel weighs 30 kg and each of the {other} weighs "
        f"20 kg. The dock can ship at most {stock} kg. At least {factor} times as many {other} as "
        f"barrels must be shipped. Maximize the number of barrels."
    )
    found = _read(text)
    rows = [c["expression"] for f in found for c in f["constraints"] if "versus" in c["name"]]
    for row in rows:
        assert row.startswith((f'number["{other}"]', f'amount["{other}"]'))
        assert " >= " in row


@given(st.integers(1, 99))
def test_a_share_is_a_share_of_all(percent: int) -> None:
    text = (
        "A stall sells red mugs and blue mugs. A red mug takes 3 scoops of clay and a blue mug "
        "takes 4 scoops of clay. There are 120 scoops of clay. "
        f"At most {percent}% of the mugs can be blue. "
        "A red mug earns $5 and a blue mug earns $7. How many of each maximize earnings?"
    )
    formulation = _read(text)[0]
    row = next(c["expression"] for c in formulation["constraints"] if "versus" in c["name"])
    assert row.endswith("*sum(number[i] for i in MUG)")
    share = next(p for p in formulation["parameters"] if p["name"] == "blue_mug_share")
    assert share["value"] == pytest.approx(percent / 100)
