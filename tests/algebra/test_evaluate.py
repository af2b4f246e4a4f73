"""The evaluator: functions, conditions with tolerance, undefined values, populations."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.algebra import evaluate as evaluation
from orkernel.algebra.evaluate import evaluate_expression
from orkernel.algebra.graph_values import evaluate_graph
from orkernel.algebra.parse import parse
from orkernel.errors import ExpressionError
from orkernel.formulation.schema import Formulation
from orkernel.model import Model


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


def scalars(*constraints: str, names: str = "x y z") -> Model:
    return bind(
        variables=[{"name": n, "lower": None} for n in names.split()],
        constraints=[{"name": f"c{k}", "expression": e} for k, e in enumerate(constraints)],
    )


@pytest.mark.parametrize(
    ("expression", "python"),
    [
        ("abs(x) + exp(y) + log(z)", lambda x, y, z: abs(x) + math.exp(y) + math.log(z)),
        ("log10(z) * sqrt(z)", lambda x, y, z: math.log10(z) * math.sqrt(z)),
        ("sin(x) + cos(y) - tan(z)", lambda x, y, z: math.sin(x) + math.cos(y) - math.tan(z)),
        (
            "asin(x/9) + acos(y/9) + atan(z)",
            lambda x, y, z: math.asin(x / 9) + math.acos(y / 9) + math.atan(z),
        ),
        ("sinh(x) + cosh(y) + tanh(z)", lambda x, y, z: math.sinh(x) + math.cosh(y) + math.tanh(z)),
        ("floor(x) + ceil(y)", lambda x, y, z: math.floor(x) + math.ceil(y)),
        ("min(x, y, z) * max(x, y)", lambda x, y, z: min(x, y, z) * max(x, y)),
        ("prod([x, y, z]) - sum([x, y])", lambda x, y, z: x * y * z - (x + y)),
        ("x**3 - z**0.5 + z**-1", lambda x, y, z: x**3 - z**0.5 + 1 / z),
        ("z**y", lambda x, y, z: z**y),
        ("x / (1 + z) / 2", lambda x, y, z: x / (1 + z) / 2),
        ("x // 2 + y % 3", lambda x, y, z: x // 2 + y % 3),
        ("-x - -y + +z", lambda x, y, z: -x + y + z),
        ("(x >= 0) + 2*(y > 0)", lambda x, y, z: (x >= 0) + 2 * (y > 0)),
        ("piecewise(z, [0, 1, 4], [0, 3, 6])", lambda x, y, z: 3 * z if z <= 1 else 2 + z),
    ],
)
def test_functions_equal_those_of_python(expression: str, python: Any) -> None:
    model = scalars()
    points = np.random.default_rng(3).uniform(-3, 3, (20, 3))
    points[:, 2] = np.abs(points[:, 2]) + 0.1
    expected = [python(*p) for p in points.tolist()]
    found = evaluate_expression(model, parse(expression), points)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


@pytest.mark.parametrize(
    ("expression", "point"),
    [
        ("log(x) <= 5", [-1, 0, 0]),
        ("log(x) >= -5", [0, 0, 0]),
        ("sqrt(x) <= 5", [-1, 0, 0]),
        ("asin(x) <= 5", [2, 0, 0]),
        ("1 / x <= 5", [0, 0, 0]),
        ("x / y >= 0", [0, 0, 0]),
        ("x ** 0.5 <= 3", [-4, 0, 0]),
        ("exp(x) >= 0", [1e6, 0, 0]),
        ("not log(x) <= 3", [-1, 0, 0]),
        ("not (log(x) <= 3 or y >= 1)", [-1, 0, 0]),
        ("implies(y == 0, log(x) <= 3)", [-1, 0, 0]),
        ("iff(log(x) <= 3, y == 1)", [-1, 0, 0]),
        ("(log(x) <= 3) + 0 <= 1", [-1, 0, 0]),
        ("piecewise(x, [0, 1], [0, 1]) <= 3", [2, 0, 0]),
    ],
)
@pytest.mark.filterwarnings("error")
def test_an_undefined_value_is_a_violation_and_no_warning(
    expression: str, point: list[float]
) -> None:
    values = scalars(expression).evaluate(np.array(point, float))
    assert values.violations[0, 0] > 0


def test_an_undefined_value_behind_a_false_guard_does_no_harm() -> None:
    model = scalars(
        "implies(x > 0, log(x) <= 3)", "x <= 0 or log(x) <= 3", "not (x > 0 and log(x) >= 3)"
    )
    np.testing.assert_array_equal(model.evaluate(np.array([-1.0, 0, 0])).violations, 0)


@pytest.mark.parametrize(
    "value", ["y / x", "y // x", "y % x", "x ** -1", "log(x)", "log10(x)", "log(-y)", "sqrt(-y)"]
)
def test_a_comparison_with_something_undefined_is_neither_true_nor_false(value: str) -> None:
    model = scalars(f"{value} > 1 or {value} <= 1", f"not ({value} > 1)", f"not ({value} <= 1)")
    for y in (1.0, 2.0):
        found = model.evaluate(np.array([0.0, y, 0.0])).violations
        assert np.all(found > 0)
        rows = evaluate_graph(model.graph(), np.array([0.0, y, 0.0]))[0]
        assert not np.any(rows == 1.0)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("floor(0.29 * {})", 29.0),
        ("ceil(0.07 * {})", 7.0),
        ("floor({} / 0.1)", 1000.0),
        ("{} // 0.1", 1000.0),
        ("{} % 0.1", 0.0),
        ("{} % -0.3 ", -0.2),
        ("{} // 7", 14.0),
        ("-{} % 7", 5.0),
        ("({} * 10**13 + 1) // 2", 5e14),
        ("({} * 10**13 + 1) % 2", 1.0),
        ("floor({} + 1e-6)", 100.0),
        ("ceil({} + 1e-6)", 101.0),
    ],
)
def test_noise_of_decimals_rounds_nothing_away(text: str, value: float) -> None:
    model = bind(
        variables=[{"name": "x"}],
        parameters=[
            {"name": "h", "value": 100},
            {"name": "data", "expression": text.format("h")},
        ],
        objectives=[{"name": "o", "sense": "minimize", "expression": text.format("x")}],
    )
    point = np.array([100.0])
    assert model.evaluate(point).objectives[0, 0] == pytest.approx(value, abs=1e-9)
    assert evaluate_graph(model.graph(), point)[1][0, 0] == pytest.approx(value, abs=1e-9)
    assert float(model.parameters["data"]) == pytest.approx(value, abs=1e-9)


def test_an_undefined_objective_is_not_a_number() -> None:
    model = bind(
        variables=[{"name": "x", "lower": None}],
        objectives=[{"name": "o", "sense": "minimize", "expression": "log(x)"}],
    )
    found = model.evaluate(np.array([[-1.0], [0.0], [1.0]])).objectives[:, 0]
    np.testing.assert_array_equal(found, [np.nan, np.nan, 0.0])


@pytest.mark.parametrize(
    ("condition", "inside", "outside"),
    [
        ("x <= 1 or y >= 9", 1 + 9e-7, 1 + 2e-6),
        ("not x < 1", 1 - 9e-7, 1 - 2e-6),
        ("not x > 1", 1 + 9e-7, 1 + 2e-6),
        ("implies(z == 0, x == 1)", 1 - 9e-7, 1 - 2e-6),
        ("x <= 1000 or y >= 9", 1000 + 9e-4, 1000 + 2e-3),
        ("x != 1", 1 + 2e-6, 1 + 9e-7),
        ("x > 1 or y >= 9", 1 + 2e-6, 1 + 9e-7),
        ("all_different([x, 1])", 1 + 2e-6, 1 + 9e-7),
    ],
)
def test_comparisons_inside_conditions_hold_within_the_tolerance(
    condition: str, inside: float, outside: float
) -> None:
    model = scalars(condition)
    bodies = model.evaluate(np.array([[inside, 0, 0], [outside, 0, 0]])).bodies
    np.testing.assert_array_equal(bodies[:, 0], [1, 0])


TRUTH = {
    "a and b": lambda a, b: a and b,
    "a or b": lambda a, b: a or b,
    "not a": lambda a, b: not a,
    "implies(a, b)": lambda a, b: not a or b,
    "iff(a, b)": lambda a, b: a == b,
    "not iff(a, b)": lambda a, b: a != b,
    "not implies(a, b)": lambda a, b: a and not b,
    "all([a, b])": lambda a, b: a and b,
    "not all([a, b])": lambda a, b: not (a and b),
    "any([a, b])": lambda a, b: a or b,
    "not any([a, b])": lambda a, b: not (a or b),
    "a == 1 and not b == 1 or a == b": lambda a, b: (a and not b) or a == b,
    "(a >= 1) == (b >= 1)": lambda a, b: a == b,
}


@pytest.mark.parametrize("condition", TRUTH)
def test_logic_equals_its_truth_table(condition: str) -> None:
    model = bind(
        variables=[{"name": n, "domain": "binary"} for n in "ab"],
        constraints=[{"name": "c", "expression": condition}],
    )
    points = [(0, 0), (0, 1), (1, 0), (1, 1)]
    ok = model.evaluate(np.array(points, float)).violations[:, 0] == 0
    assert ok.tolist() == [bool(TRUTH[condition](bool(a), bool(b))) for a, b in points]


def test_all_and_any_over_nothing_are_true_and_false() -> None:
    model = bind(
        sets=[{"name": "I", "members": []}],
        variables=[{"name": "x", "index": ["I"]}, {"name": "y"}],
        constraints=[
            {"name": "every", "expression": "all(x[i] >= 1 for i in I)"},
            {"name": "some", "expression": "any(x[i] >= 1 for i in I)"},
            {"name": "product", "expression": "prod(x[i] for i in I) + 0*y == 1"},
        ],
    )
    np.testing.assert_array_equal(model.evaluate(np.zeros(1)).violations[0], [0, 1, 0])


def test_the_smallest_of_nothing_is_an_error_that_names_the_row() -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 2]}],
        variables=[{"name": "x", "index": ["I"]}],
        constraints=[
            {"name": "c", "for_each": "i in I", "expression": "min(x[j] for j in I if j > i) >= 0"}
        ],
    )
    with pytest.raises(ExpressionError, match=r"constraint 'c': min\(…\) over nothing, where i=2"):
        model.evaluate(np.zeros(2))


def test_scales_follow_the_side_without_variables() -> None:
    model = scalars("x <= 500", "-500 <= x", "x <= y + 500", "0.5 >= x", "2 <= 3")
    np.testing.assert_array_equal(model.evaluate(np.zeros(3)).scales[0], [500, 500, 1, 1, 3])


def test_violation_is_the_distance_from_the_allowed_interval() -> None:
    model = bind(
        variables=[{"name": "x"}, {"name": "n", "domain": "integer"}],
        constraints=[
            {"name": "a", "expression": "1 <= x <= 3"},
            {"name": "b", "expression": "x == 2"},
            {"name": "c", "expression": "2*n < 7"},
            {"name": "d", "expression": "n > 3"},
            {"name": "e", "expression": "x < 3"},
        ],
    )
    values = model.evaluate(np.array([[5.0, 3.0], [0.0, 4.0], [3.0, 3.5]]))
    np.testing.assert_allclose(
        values.violations,
        [[0, 2, 3, 0, 1, 2], [1, 0, 2, 2, 0, 0], [0, 0, 1, 1, 0.5, 0]],
    )


@settings(max_examples=25, deadline=None)
@given(points=st.integers(1, 40), block=st.integers(1, 60))
def test_a_population_split_into_blocks_gives_the_same_values(points: int, block: int) -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 5]}],
        variables=[{"name": "x", "index": ["I"], "lower": None}],
        objectives=[
            {
                "name": "o",
                "sense": "minimize",
                "expression": "sum(x[i]**2 * x[j] for i in I for j in I)",
            }
        ],
        constraints=[
            {
                "name": "c",
                "for_each": "i in I",
                "expression": "max(x[j] for j in I if j >= i) <= 1",
            },
            {"name": "d", "expression": "any(x[i] >= 0.5 for i in I)"},
        ],
    )
    X = np.random.default_rng(points).normal(size=(points, 5))
    whole = model.evaluate(X)
    before = evaluation.BLOCK
    evaluation.BLOCK = block
    try:
        split = model.evaluate(X)
    finally:
        evaluation.BLOCK = before
    np.testing.assert_array_equal(whole.bodies, split.bodies)
    np.testing.assert_array_equal(whole.objectives, split.objectives)


def test_a_conditional_on_data_evaluates_each_branch_only_where_it_applies() -> None:
    model = bind(
        sets=[{"name": "T", "range": [1, 3]}],
        parameters=[{"name": "k", "index": ["T"], "value": [0, 2, 4]}],
        variables=[{"name": "s", "index": ["T"]}],
        constraints=[
            {
                "name": "c",
                "for_each": "t in T",
                "expression": "(s[t - 1] / k[t] if t > 1 and k[t - 1] >= 0 else log(s[t])) <= 9",
            }
        ],
    )
    bodies = model.evaluate(np.array([1.0, 6.0, 0.0])).bodies[0] + 9
    np.testing.assert_allclose(bodies, [0, 0.5, 1.5])


def test_the_points_of_piecewise_may_differ_from_row_to_row() -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 2]}],
        parameters=[
            {"name": "cap", "index": ["I"], "value": [4, 10]},
            {"name": "rate", "index": ["I"], "value": [2, 3]},
        ],
        variables=[{"name": "x", "index": ["I"]}],
        constraints=[
            {
                "name": "c",
                "for_each": "i in I",
                "expression": "piecewise(x[i], [0, 1, cap[i]], [0, rate[i], 7]) >= 0",
            },
            {
                "name": "d",
                "for_each": "i in I",
                "expression": "piecewise(i, [0, cap[i]], [0, 8]) >= 0",
            },
            {
                "name": "none",
                "for_each": "i in I if i > 9",
                "expression": "piecewise(x[i], cap, rate) >= 0",
            },
        ],
    )
    bodies = model.evaluate(np.array([[0.5, 5.5], [4.0, 11.0], [1, 1]])).bodies
    np.testing.assert_allclose(bodies, [[1, 5, 2, 1.6], [7, np.nan, 2, 1.6], [2, 3, 2, 1.6]])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("piecewise(x, [0], [1])", "at least two; here 1 and 1"),
        ("piecewise(x, [0, 1], [1, 2, 3])", "here 2 and 3"),
        ("piecewise(x, [0, 0], [1, 2])", "increasing x values"),
        ("sum(piecewise(x, [0, 2 - i], [1, 2]) for i in I)", "increasing x values, where i=2"),
        ("sum(piecewise(x, [j for j in I if j <= i], [1, 2]) for i in I)", "different length"),
    ],
)
def test_malformed_points_of_piecewise_are_named(call: str, message: str) -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 2]}],
        variables=[{"name": "x"}],
        constraints=[{"name": "c", "expression": f"{call} <= 1"}],
    )
    with pytest.raises(ExpressionError, match=message):
        model.evaluate(np.zeros(1))


def test_expectations_match_their_closed_forms() -> None:
    model = bind(
        parameters=[
            {"name": "d", "distribution": {"normal": {"mean": 50, "std": 8}}},
            {"name": "e", "distribution": {"uniform": {"low": 0, "high": 10}}},
        ],
        variables=[{"name": "q"}],
        objectives=[
            {"name": "sales", "sense": "maximize", "expression": "expectation(min(q, d))"},
            {"name": "mean", "sense": "maximize", "expression": "2*expectation(d) + q"},
            {"name": "square", "sense": "maximize", "expression": "expectation(e*e)"},
            {"name": "chance", "sense": "maximize", "expression": "probability(e <= q / 20)"},
            {"name": "joint", "sense": "maximize", "expression": "expectation(d*e)"},
        ],
    )
    found = model.evaluate(np.array([[50.0], [60.0]])).objectives
    loss = 8 / math.sqrt(2 * math.pi)
    expected = [50 - loss, 150, 100 / 3, 0.25, 250]
    np.testing.assert_allclose(found[0, :4], expected[:4], rtol=1e-4)
    np.testing.assert_allclose(found[0, 4], expected[4], rtol=5e-3)
    np.testing.assert_allclose(found[1, [1, 3]], [160, 0.3], rtol=2e-3)
    np.testing.assert_array_equal(found, model.evaluate(np.array([[50.0], [60.0]])).objectives)


def test_a_chance_constraint_is_judged_row_by_row() -> None:
    model = bind(
        sets=[{"name": "I", "members": ["a", "b"]}],
        parameters=[
            {
                "name": "d",
                "index": ["I"],
                "distribution": {"uniform": {"low": 0, "high": {"a": 1, "b": 2}}},
            }
        ],
        variables=[{"name": "q"}],
        constraints=[
            {"name": "c", "for_each": "i in I", "expression": "probability(d[i] <= q) >= 0.9"}
        ],
    )
    violations = model.evaluate(np.array([[0.95], [1.9]])).violations
    assert (violations > 1e-3).tolist() == [[False, True], [False, False]]


def test_conditions_see_integer_columns_as_whole_numbers() -> None:
    model = bind(
        variables=[{"name": "n", "domain": "integer"}, {"name": "m", "domain": "integer"}],
        constraints=[
            {"name": "a", "expression": "all_different([n, m])"},
            {"name": "b", "expression": "n != m"},
            {"name": "c", "expression": "not n >= 2"},
            {"name": "d", "expression": "implies(n == 2, m == 2)"},
            {"name": "e", "expression": "n <= 2"},
        ],
    )
    values = model.evaluate(np.array([2.000009, 1.999995]))
    np.testing.assert_array_equal(values.bodies[0, :4], [0, 0, 0, 1])
    assert values.bodies[0, 4] == pytest.approx(9e-6)
