"""The JSON files of a run folder: any value comes back, and the outer levels are lines."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.runs import to_lines

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@given(VALUES, st.integers(0, 4))
def test_every_value_comes_back(value: object, levels: int) -> None:
    assert json.loads(to_lines(value, levels)) == value


def test_the_outer_levels_are_lines() -> None:
    assert to_lines({"a": [{"b": [1, 2]}, 3], "c": {}, 1: "x\ny"}).splitlines() == [
        "{",
        ' "a": [',
        '  {"b": [1, 2]},',
        "  3",
        " ],",
        ' "c": {},',
        ' "1": "x\\ny"',
        "}",
    ]


@pytest.mark.parametrize("value", [math.nan, math.inf, {"a": [[[math.nan]]]}])
def test_what_json_lacks_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_lines(value)
