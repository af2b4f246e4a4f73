"""Powers, quotients and roundings of integers against enumeration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orkernel.errors import Unsupported

INNER = st.sampled_from(["x", "y", "(x + y)", "(2 * x - 1)", "(x / 2)", "(0.5 * y + 0.25)"])
FUNCTIONS = st.one_of(
    INNER.map("floor({})".format),
    INNER.map("ceil({})".format),
    INNER.map("({})**3".format),
    st.sampled_from(["x // 3", "y % 3", "(x * y) // 2", "x // (y + 4)", "x % (y - 5)"]),
    st.sampled_from(["x / (y + 4)", "7 / (x - 6)", "2**x", "(x * y * x) / 4"]),
    st.sampled_from(["floor((x + 1) / (y + 4))", "ceil(x / (y - 5))"]),
)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    lows=st.tuples(st.integers(-2, 1), st.integers(-2, 1)),
    left=FUNCTIONS,
    comparison=st.sampled_from(["<=", ">=", "==", "!="]),
    right=st.one_of(INNER, FUNCTIONS, st.sampled_from(["1", "0.5", "-2"])),
    goal=FUNCTIONS,
    sense=st.sampled_from(["minimize", "maximize"]),
    negated=st.booleans(),
)
def test_integer_functions_agree_with_enumeration(
    model_of: Callable[..., Any],
    agrees: Callable[..., None],
    lows: tuple[int, int],
    left: str,
    comparison: str,
    right: str,
    goal: str,
    sense: str,
    negated: bool,
) -> None:
    variables = [
        {"name": name, "lower": low, "upper": low + 3} for name, low in zip("xy", lows, strict=True)
    ]
    rule = f"{left} {comparison} {right}"
    rules = [f"not ({rule})"] if negated else [rule]
    agrees(model_of(variables, rules, f"0 + {goal}", sense))


@pytest.mark.parametrize("function", ["exp(x)", "sqrt(x)", "sin(x)", "x**0.5", "1.5**(x / 2)"])
def test_a_function_without_exact_values_is_refused_by_the_constraint_that_uses_it(
    model_of: Callable[..., Any], solve: Callable[..., Any], function: str
) -> None:
    model = model_of([{"name": "x", "lower": 1, "upper": 4}], ["x >= 1", f"{function} <= 2"])
    with pytest.raises(Unsupported, match="c1"):
        solve(model)
