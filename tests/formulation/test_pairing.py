"""Values go with the members beside which their quote names them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.formulation.pairing import pairing_diagnostics
from orkernel.formulation.schema import Formulation

QUOTE = "A red kite takes 2 m of silk, a blue kite 3 m"


def found(value: Any, quote: str = QUOTE, members: tuple[str, ...] = ("red", "blue")) -> list[str]:
    formulation = Formulation.model_validate(
        {
            "sets": [{"name": "KITE", "members": list(members)}],
            "parameters": [
                {
                    "name": "silk",
                    "index": ["KITE"],
                    "value": value,
                    "sources": [{"quote": quote}],
                }
            ],
            "variables": [{"name": "x"}],
        }
    )
    diagnostics = list(pairing_diagnostics(formulation))
    assert {d.code for d in diagnostics} <= {"values-in-another-order"}
    return [d.message for d in diagnostics]


@pytest.mark.parametrize(
    ("value", "members"),
    [
        ([3, 2], ("red", "blue")),
        ([2, 3], ("blue", "red")),
        ({"red": 3, "blue": 2}, ("red", "blue")),
    ],
)
def test_values_that_are_swapped_are_told(value: Any, members: tuple[str, ...]) -> None:
    (line,) = found(value, members=members)
    assert line.startswith("it gives ")
    assert "beside which its quote says" in line


@pytest.mark.parametrize(
    ("value", "quote"),
    [
        ([2, 3], QUOTE),
        ([2, 3], "red and blue kites take 2 m and 3 m"),
        ([2, 3], "3 m for a blue kite, 2 m for a red kite"),
        ([3, 2], "A red kite takes 2 m, a red kite with a tail 5, a blue kite 3 m"),
        ([2, 2], "A red kite takes 2 m, a blue kite 2 m"),
        ([3, 2], "A red kite takes 2 m of silk"),
        ([3, 2], "A red kite takes 2 m of silk and 2 days, a blue kite 3 m"),
        ([3, 2], "Take 2 m or 3 m of silk"),
    ],
)
def test_right_values_and_quotes_that_tell_nothing_are_left_alone(value: Any, quote: str) -> None:
    assert found(value, quote) == []


@given(
    st.lists(st.integers(1, 500), min_size=2, max_size=5, unique=True),
    st.randoms(use_true_random=False),
)
def test_a_permutation_is_told_and_the_identity_is_not(values: list[int], source: Any) -> None:
    names = ["ash", "birch", "cedar", "doum", "elder"][: len(values)]
    quote = ", ".join(f"{n} costs {v} coins" for n, v in zip(names, values, strict=True))
    shuffled = source.sample(values, len(values))
    assert bool(found(shuffled, quote, tuple(names))) == (shuffled != values)
