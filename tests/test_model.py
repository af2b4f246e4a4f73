"""Model: columns, rows, lowered forms, points, results, variants, degenerate cases."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from orkernel.errors import DataError, ExpressionError, Unsupported
from orkernel.formulation.schema import ConstraintDefinition, Formulation, ObjectiveDefinition
from orkernel.model import Model


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


def constraint(expression: str, for_each: str | None = None, name: str = "c") -> dict[str, Any]:
    return {"name": name, "expression": expression, "for_each": for_each}


def transport() -> Model:
    return bind(
        sets=[
            {"name": "PLANT", "members": ["Seattle", "San Diego"]},
            {"name": "MARKET", "members": ["New York", "Chicago", "Topeka"]},
        ],
        parameters=[
            {"name": "capacity", "index": ["PLANT"], "value": {"Seattle": 350, "San Diego": 600}},
            {"name": "demand", "index": ["MARKET"], "value": [325, 300, 275]},
            {
                "name": "freight",
                "index": ["PLANT", "MARKET"],
                "value": [[2.5, 1.7, 1.8], [2.5, 1.8, 1.4]],
            },
        ],
        variables=[{"name": "ship", "index": ["PLANT", "MARKET"]}],
        objectives=[
            {
                "name": "cost",
                "sense": "minimize",
                "expression": "sum(freight[p,m]*ship[p,m] for p in PLANT for m in MARKET) + 10",
            }
        ],
        constraints=[
            constraint("sum(ship[p,m] for m in MARKET) <= capacity[p]", "p in PLANT", "supply"),
            constraint("sum(ship[p,m] for p in PLANT) >= demand[m]", "m in MARKET", "demand met"),
        ],
        results=[
            {"name": "total", "expression": "sum(ship[p,m] for p in PLANT for m in MARKET)"},
            {
                "name": "left",
                "for_each": "p in PLANT",
                "expression": "capacity[p] - sum(ship[p,m] for m in MARKET)",
            },
            {"name": "log", "expression": "log(ship['Seattle','Topeka'])"},
        ],
    )


def test_the_linear_form_of_a_transport_problem_is_the_textbook_one() -> None:
    form = transport().linear()
    assert form.matrix.toarray().tolist() == [
        [1, 1, 1, 0, 0, 0],
        [0, 0, 0, 1, 1, 1],
        [1, 0, 0, 1, 0, 0],
        [0, 1, 0, 0, 1, 0],
        [0, 0, 1, 0, 0, 1],
    ]
    assert form.row_lower.tolist() == [-math.inf, -math.inf, 325, 300, 275]
    assert form.row_upper.tolist() == [350, 600, math.inf, math.inf, math.inf]
    (objective,) = form.objectives
    assert objective.cost.tolist() == [2.5, 1.7, 1.8, 2.5, 1.8, 1.4]
    assert (objective.offset, objective.maximize, objective.quadratic) == (10, False, None)


def test_forms_are_made_once_and_shared() -> None:
    model = transport()
    assert model.linear() is model.linear()
    assert model.quadratic().linear.matrix is model.linear().matrix
    assert model.structure is model.structure


def test_rows_and_columns_are_labelled_by_name_and_member() -> None:
    model = transport()
    assert [model.rows.label(k) for k in range(len(model.rows))] == [
        "supply[Seattle]",
        "supply[San Diego]",
        "demand met[New York]",
        "demand met[Chicago]",
        "demand met[Topeka]",
    ]
    assert model.columns.label(4) == "ship[San Diego,Chicago]"
    assert model.rows.index_of(1) == {"p": "San Diego"}


def test_the_parts_of_a_chain_are_rows_of_their_own_and_keep_the_sources() -> None:
    model = bind(
        sets=[{"name": "T", "range": [1, 2]}],
        variables=[{"name": "x", "index": ["T"]}],
        constraints=[
            {
                "name": "band",
                "for_each": "t in T",
                "expression": "1 <= x[t] <= 3 * t",
                "sources": [{"quote": "between one and three"}],
            }
        ],
    )
    labels = [model.rows.label(k) for k in range(4)]
    assert labels == ["band[1]", "band[2]", "band[1]#2", "band[2]#2"]
    assert model.rows.block_of(3).sources[0].quote == "between one and three"
    form = model.linear()
    assert form.row_lower.tolist() == [1, 1, -math.inf, -math.inf]
    assert form.row_upper.tolist() == [math.inf, math.inf, 3, 6]
    assert form.matrix.toarray().tolist() == [[1, 0], [0, 1], [1, 0], [0, 1]]


def test_values_and_results_are_nested_objects_keyed_by_member() -> None:
    model = transport()
    x = np.array([50.0, 300, 0, 275, 0, 275])
    assert model.values(x) == {
        "ship": {
            "Seattle": {"New York": 50.0, "Chicago": 300.0, "Topeka": 0.0},
            "San Diego": {"New York": 275.0, "Chicago": 0.0, "Topeka": 275.0},
        }
    }
    np.testing.assert_array_equal(model.point(model.values(x)), x)
    assert model.results(x) == {
        "total": 900.0,
        "left": {"Seattle": 0.0, "San Diego": 50.0},
        "log": None,
    }


def test_values_of_tuples_and_integers() -> None:
    model = bind(
        sets=[{"name": "ARC", "members": [["a", 1], ["b", 2]]}, {"name": "T", "range": [0, 1]}],
        variables=[
            {"name": "f", "index": ["ARC", "T"]},
            {"name": "n", "domain": "integer"},
            {"name": "y"},
        ],
        results=[
            {"name": "r", "for_each": "(i, j) in ARC", "expression": "f[i, j, 0]"},
            {"name": "s", "for_each": "a in ARC for t in T if t > 0", "expression": "f[a, t] >= 2"},
        ],
    )
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    values = model.values(x)
    assert values == {
        "f": {"a": {"1": {"0": 1.0, "1": 2.0}}, "b": {"2": {"0": 3.0, "1": 4.0}}},
        "n": 5,
        "y": 6.0,
    }
    assert isinstance(values["n"], int)
    assert isinstance(values["y"], float)
    assert model.values(np.array([0, 0, 0, 0, 0.5, 0]))["n"] == 0.5
    assert model.results(x) == {
        "r": {"a": {"1": 1.0}, "b": {"2": 3.0}},
        "s": {"a": {"1": {"1": 1.0}}, "b": {"2": {"1": 1.0}}},
    }


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"x": 1}, "variable 'y': no value is given"),
        ({"x": 1, "y": {"a": 1, "b": 2}, "z": 3}, "variable 'z' is not in the model"),
        ({"x": 1, "y": {"a": 1}}, r"variable 'y': no value for y\[b\]"),
        ({"x": 1, "y": {"a": 1, "b": 2, "c": 3}}, "'c' is not a member of 'I'"),
        ({"x": math.nan, "y": {"a": 1, "b": 2}}, "variable 'x': nan is not a finite number"),
        ({"x": "1", "y": {"a": 1, "b": 2}}, "variable 'x': a number is expected, '1' is given"),
        ({"x": {"a": 1}, "y": {"a": 1, "b": 2}}, "variable 'x': a number is expected, an object"),
    ],
)
def test_a_point_with_wrong_values_is_refused(values: dict[str, Any], message: str) -> None:
    model = bind(
        sets=[{"name": "I", "members": ["a", "b"]}],
        variables=[{"name": "x"}, {"name": "y", "index": ["I"]}],
    )
    with pytest.raises(DataError, match=message):
        model.point(values)


def test_bounds_domains_and_starting_values() -> None:
    columns = bind(
        sets=[{"name": "I", "members": ["a", "b"]}],
        parameters=[{"name": "u", "index": ["I"], "value": [3, 4]}, {"name": "k", "value": 2}],
        variables=[
            {"name": "default", "index": ["I"]},
            {"name": "free", "lower": None, "upper": None},
            {
                "name": "each",
                "index": ["I"],
                "lower": "-u[i]",
                "upper": "u[i] * k",
                "for_each": "i in I",
            },
            {"name": "same", "index": ["I"], "upper": "k + 1", "start": {"b": 1}},
            {"name": "some", "index": ["I"], "upper": "u[i]", "for_each": "i in I if i == 'b'"},
            {"name": "yes", "domain": "binary", "lower": None, "start": 1},
            {"name": "fixed", "domain": "binary", "lower": 1, "upper": 7},
            {"name": "count", "domain": "integer", "lower": 2.5, "upper": "0.29 * 100"},
        ],
    ).columns
    inf, nan = math.inf, math.nan
    np.testing.assert_array_equal(columns.lower, [0, 0, -inf, -3, -4, 0, 0, 0, 0, 0, 1, 3])
    np.testing.assert_array_equal(columns.upper, [inf, inf, inf, 6, 8, 3, 3, inf, 4, 1, 1, 29])
    np.testing.assert_array_equal(columns.start, [nan] * 6 + [1, nan, nan, 1, nan, nan])
    assert columns.integer.tolist() == [False] * 9 + [True] * 3


@pytest.mark.parametrize(
    ("variable", "message"),
    [
        (
            {"name": "x", "upper": "k[i]", "index": ["I"]},
            "variable 'x', upper bound: 'i' is not defined",
        ),
        ({"name": "x", "upper": "x + 1"}, "variable 'x', upper bound: 'x' is not defined"),
        ({"name": "x", "lower": "1 / 0"}, "variable 'x', lower bound: division by zero"),
        ({"name": "x", "lower": math.inf}, "variable 'x', lower bound: inf is not a finite number"),
        ({"name": "x", "index": ["J"]}, "variable 'x': its index 'J' is not a set"),
        (
            {"name": "x", "index": ["I"], "start": {"z": 1}},
            "variable 'x', start: 'z' is not a member",
        ),
        ({"name": "I"}, "variable 'I': a set and a variable have this name"),
        ({"name": "x", "index": ["BIG", "BIG"]}, "variable 'x': 100,020,001 entries; the limit is"),
    ],
)
def test_a_wrong_variable_names_the_variable_and_the_cause(
    variable: dict[str, Any], message: str
) -> None:
    with pytest.raises((DataError, ExpressionError), match=message):
        bind(
            sets=[{"name": "I", "members": ["a", "b"]}, {"name": "BIG", "range": [0, 10_000]}],
            parameters=[{"name": "k", "index": ["I"], "value": [1, 2]}],
            variables=[variable],
        )


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("shp <= 1", "'shp' is not defined at column 1 \\(did you mean 'ship'\\?\\)"),
        ("ship <= 1", "'ship' needs an index over I"),
        ("ship['a', 'b'] <= 1", "'ship' takes 1 index \\(I\\), 2 given at column 1"),
        ("ship['c'] <= 1", "'ship' has no entry for \"c\": it is not in 'I'"),
        ("y[1] <= 1", "'y' is a single variable and takes no index"),
        ("ship[y] <= 1", "'y' is a variable; an index must be data .*use element"),
        ("y + 1", "a constraint must be a comparison or a condition"),
        ("I <= 1", "'I' is a set, not a number"),
        ("d <= y", "'d' is random; it may stand only inside expectation"),
        ("y <= 1 / 0", "division by zero"),
        ("y * log(0 - k) <= 1", "log\\(…\\) is not a finite number"),
        ("(y if y > 1 else 2) <= 1", "'y' is a variable; the test of a conditional"),
        ("y in [1, 2]", "'y' is a variable; a test with 'in' must be data"),
        ("sum(ship[i] for i in I if y >= 1) <= 1", "'y' is a variable; a condition of a generator"),
        ("stock[t - 1] <= y", "'t' is not defined"),
        (
            "sum(stock[t - 1] for t in T) <= 1",
            "'stock' has no entry for 0.*where t=1.*'T' runs from 1 to 3",
        ),
        ("ship[k] <= 1", "'ship' has no entry for 2"),
        ("stock[k / 4] <= 1", "'stock' has no entry for 0.5"),
    ],
)
def test_a_wrong_constraint_is_refused_with_place_and_fix(expression: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=f"constraint 'c': {message}"):
        bind(
            sets=[{"name": "I", "members": ["a", "b"]}, {"name": "T", "range": [1, 3]}],
            parameters=[
                {"name": "k", "value": 2},
                {"name": "d", "distribution": {"poisson": {"mean": 3}}},
            ],
            variables=[
                {"name": "ship", "index": ["I"]},
                {"name": "stock", "index": ["T"]},
                {"name": "y"},
            ],
            constraints=[constraint(expression)],
        ).linear()


def test_index_arithmetic_conditions_and_ordered_sets() -> None:
    model = bind(
        sets=[{"name": "T", "range": [0, 2]}, {"name": "D", "members": ["mo", "tu", "we"]}],
        parameters=[{"name": "next", "index": ["T"], "value": [2, 0, 1]}],
        variables=[{"name": "s", "index": ["T"]}, {"name": "w", "index": ["D"]}],
        constraints=[
            constraint("s[t] == s[t-1]", "t in T if t > 0", "a"),
            constraint("(s[t-1] if t > 0 else 5) >= 0", "t in T", "b"),
            constraint("s[next[t]] <= s[0]", "t in T", "c"),
            constraint("w[d] <= w[pred(d)]", "d in D if d != first(D)", "d"),
            constraint("w[succ(d, D)] <= w[D[1]]", "d in D if ord(d) < card(D)", "e"),
            constraint('w["mo"] + w[last(D)] <= s[first(T)]', None, "f"),
        ],
    )
    form = model.linear()
    blocks = {
        b.constraint: form.matrix.toarray()[b.offset : b.offset + b.size] for b in model.rows.blocks
    }
    assert blocks["a"].tolist() == [[-1, 1, 0, 0, 0, 0], [0, -1, 1, 0, 0, 0]]
    assert blocks["b"].tolist() == [[0] * 6, [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0]]
    assert blocks["c"].tolist() == [[-1, 0, 1, 0, 0, 0], [0] * 6, [-1, 1, 0, 0, 0, 0]]
    assert blocks["d"].tolist() == [[0, 0, 0, -1, 1, 0], [0, 0, 0, 0, -1, 1]]
    assert blocks["e"].tolist() == [[0, 0, 0, -1, 1, 0], [0, 0, 0, -1, 0, 1]]
    assert blocks["f"].tolist() == [[-1, 0, 0, 1, 0, 1]]


def test_a_constraint_that_is_a_comparison_in_every_case_is_linear() -> None:
    model = bind(
        sets=[{"name": "T", "range": [1, 4]}],
        variables=[{"name": "s", "index": ["T"]}],
        constraints=[
            constraint(
                "s[t] == 7 if t == 1 else (s[t] == 9 if t == 2 else s[t] == s[t-1] + t)", "t in T"
            ),
            constraint("s[1] <= 3 if 2 > 1 else s[1] >= 4", None, "mixed"),
        ],
    )
    first = model.derive(constraints=model.formulation.constraints[:1])
    form = first.linear()
    assert form.matrix.toarray().tolist() == [
        [1, 0, 0, 0],
        [0, 1, 0, 0],
        [0, -1, 1, 0],
        [0, 0, -1, 1],
    ]
    assert form.row_lower.tolist() == form.row_upper.tolist() == [7, 9, 3, 4]
    assert first.structure.constraint_class == {"c": "linear"}
    values = model.evaluate(np.array([3.0, 9, 12, 16]))
    np.testing.assert_array_equal(values.violations[0], [4, 0, 0, 0, 0])
    assert model.rows.block_of(4).logical


def test_quadratic_objectives_and_rows_are_symmetric_halves() -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 2]}],
        parameters=[{"name": "q", "index": ["I", "I"], "value": [[2, 1], [3, 4]]}],
        variables=[{"name": "x", "index": ["I"]}, {"name": "y"}],
        objectives=[
            {
                "name": "o",
                "sense": "minimize",
                "expression": "sum(x[i]*x[j]*q[i,j] for i in I for j in I) + (y - 3)**2",
            }
        ],
        constraints=[
            constraint("y <= 1"),
            constraint("(x[1] + 2*y)*(x[2] - 1) <= 4", None, "bilinear"),
            constraint("x[1]*x[2] - x[2]*x[1] <= 4", None, "cancels"),
        ],
    )
    form = model.quadratic()
    (objective,) = form.linear.objectives
    assert objective.quadratic is not None
    assert objective.quadratic.toarray().tolist() == [[4, 4, 0], [4, 8, 0], [0, 0, 2]]
    assert objective.cost.tolist() == [0, 0, -6]
    assert objective.offset == 9
    assert list(form.row_quadratic) == [1]
    assert form.row_quadratic[1].toarray().tolist() == [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    assert form.linear.matrix.toarray().tolist() == [[0, 0, 1], [-1, 0, -2], [0, 0, 0]]
    with pytest.raises(KeyError):
        form.row_quadratic[0]
    with pytest.raises(Unsupported, match="constraint 'bilinear': it has a product of variables"):
        model.linear()


@pytest.mark.parametrize(
    ("expression", "element", "why"),
    [
        ("log(y) <= 1", "constraint 'c'", r"log\(…\) of variables, 'log\(y\)', is neither"),
        ("y*y*y <= 1", "constraint 'c'", "a product of more than two variables"),
        ("1 / y <= 1", "constraint 'c'", "division by a variable"),
        ("y ** 3 <= 1", "constraint 'c'", "a power other than 2"),
        ("2 ** y <= 1", "constraint 'c'", "a power with a variable exponent"),
        ("abs(y) <= 1", "constraint 'c'", r"abs\(…\) of variables"),
        ("y <= 1 or y >= 2", "constraint 'c'", "a logical condition is not linear"),
        ("y + (y >= 2) <= 1", "constraint 'c'", "a condition on variables"),
        ("expectation(d) + y <= 1", "constraint 'c'", r"expectation\(…\) of variables"),
    ],
)
def test_what_cannot_be_lowered_is_named(expression: str, element: str, why: str) -> None:
    model = bind(
        parameters=[{"name": "d", "distribution": {"poisson": {"mean": 3}}}],
        variables=[{"name": "y"}],
        constraints=[constraint(expression)],
    )
    with pytest.raises(Unsupported, match=why) as caught:
        model.quadratic()
    assert caught.value.element == element


@pytest.mark.parametrize(
    ("expression", "lower", "upper", "exact"),
    [
        ("n < 3", -math.inf, 2, True),
        ("n < 2.5", -math.inf, 2, True),
        ("n > 3", 4, math.inf, True),
        ("3 < n", 4, math.inf, True),
        ("2*n + m*m*0 < m + 3", -math.inf, 2, True),
        ("n < 3 * half", -math.inf, 1, True),
        ("half * n < 3", -math.inf, 3, False),
        ("n / 2 < 3", -math.inf, 3, False),
        ("n + y < 3", -math.inf, 3, False),
        ("y > 3", 3, math.inf, False),
    ],
)
def test_strict_comparisons_move_by_one_exactly_where_both_sides_are_whole(
    expression: str, lower: float, upper: float, exact: bool
) -> None:
    model = bind(
        parameters=[{"name": "half", "value": 0.5}],
        variables=[
            {"name": "n", "domain": "integer"},
            {"name": "m", "domain": "integer"},
            {"name": "y"},
        ],
        constraints=[constraint(expression)],
    )
    form = model.quadratic().linear
    assert (form.row_lower[0], form.row_upper[0]) == (lower, upper)
    assert (model.assumptions() == ()) is exact


def test_statements_without_variables_are_true_or_impossible_rows() -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 2]}],
        parameters=[{"name": "k", "index": ["I"], "value": [1, 2]}],
        variables=[{"name": "x"}],
        constraints=[
            constraint("k[i] <= 1", "i in I", "data"),
            constraint("0.1 + 0.2 <= 0.3", None, "rounding"),
            constraint("2 < 2", None, "strict"),
            constraint("all(k[i] > 0 for i in I)", None, "true"),
            constraint("k[1] > 1 or k[2] > 3", None, "false"),
        ],
    )
    form, values = model.linear(), model.evaluate(np.zeros(1))
    assert form.matrix.nnz == 0
    possible = (form.row_lower <= 0) & (form.row_upper >= 0)
    assert possible.tolist() == [True, False, True, False, True, False]
    assert (values.violations[0] <= 1e-9).tolist() == possible.tolist()


EMPTY: dict[str, dict[str, Any]] = {
    "nothing at all": {},
    "no variables": {
        "constraints": [constraint("1 <= 2")],
        "objectives": [{"name": "o", "sense": "minimize", "expression": "3"}],
    },
    "a variable over an empty set": {
        "sets": [{"name": "I", "members": []}],
        "variables": [{"name": "x", "index": ["I"]}],
        "objectives": [{"name": "o", "sense": "maximize", "expression": "sum(x[i] for i in I)"}],
        "constraints": [
            constraint("x[i] <= 1", "i in I"),
            constraint("sum(x[i] for i in I) <= 1", None, "d"),
        ],
    },
    "a variable that appears nowhere": {
        "variables": [{"name": "x"}, {"name": "y"}],
        "constraints": [constraint("x <= 1")],
    },
    "empty tuples": {
        "sets": [{"name": "A", "members": []}, {"name": "I", "members": ["a"]}],
        "variables": [{"name": "x", "index": ["A"]}, {"name": "y", "index": ["I"]}],
        "constraints": [constraint("sum(x[i,j] for (i,j) in A if i == k) + y[k] <= 1", "k in I")],
    },
}


@pytest.mark.parametrize("case", EMPTY)
def test_degenerate_models_bind_lower_and_evaluate(case: str) -> None:
    model = bind(**EMPTY[case])
    form = model.linear()
    n, m = len(model.columns), len(model.rows)
    assert form.matrix.shape == (m, n)
    values = model.evaluate(np.zeros((4, n)))
    assert values.objectives.shape == (4, len(model.formulation.objectives))
    assert values.bodies.shape == values.violations.shape == values.scales.shape == (4, m)
    assert (values.violations == 0).all()
    assert model.point(model.values(np.zeros(n))).shape == (n,)
    assert model.structure.sizes["columns"] == n


def test_duplicate_terms_are_summed_and_cancelled_ones_dropped() -> None:
    form = bind(
        variables=[{"name": "x"}, {"name": "y"}],
        constraints=[
            constraint("x + x + 2*y - y - y <= 1"),
            constraint("sum([x] ) + x >= x", None, "d"),
        ],
    ).linear()
    assert form.matrix.toarray().tolist() == [[2, 0], [1, 0]]
    assert form.matrix.nnz == 2


def test_members_are_literals_of_their_own_kind() -> None:
    model = bind(
        sets=[{"name": "S", "members": ["1", "two words", 7, 2**53]}],
        variables=[{"name": "x", "index": ["S"]}],
        constraints=[constraint(f'x["1"] + 2*x["two words"] + 3*x[7] + 4*x[{2**53}] <= 1')],
    )
    assert model.linear().matrix.toarray().tolist() == [[1, 2, 3, 4]]
    with pytest.raises(ExpressionError, match="numbers and texts differ"):
        model.derive(constraints=[ConstraintDefinition(name="c", expression="x[1] <= 1")]).linear()


def test_a_long_sum_is_lowered_and_evaluated() -> None:
    terms = 4000
    text = " + ".join(f"{k % 7}*x[{k}]" for k in range(terms))
    model = bind(
        sets=[{"name": "I", "range": [0, terms - 1]}],
        variables=[{"name": "x", "index": ["I"]}],
        objectives=[{"name": "o", "sense": "minimize", "expression": text}],
    )
    x = np.arange(terms) / 7
    expected = float((np.arange(terms) % 7) @ x)
    assert model.linear().objectives[0].cost @ x == pytest.approx(expected)
    assert model.evaluate(x).objectives[0, 0] == pytest.approx(expected)


# --------------------------------------------------------------------------- variants


def test_a_derived_model_shares_what_it_keeps() -> None:
    model = transport()
    other = ObjectiveDefinition(
        name="volume", sense="maximize", expression="sum(ship[p,m] for p in PLANT for m in MARKET)"
    )
    derived = model.derive(objectives=[other], upper=np.full(6, 99.0), start=np.ones(6))
    assert derived.linear().matrix is model.linear().matrix
    assert derived.linear().objectives[0].cost.tolist() == [1] * 6
    assert derived.columns.upper.tolist() == [99] * 6
    assert derived.columns.lower is model.columns.lower
    assert derived.linear().columns is derived.columns
    assert derived.formulation.objectives == (other,)
    assert derived.parameters["demand"] is model.parameters["demand"]
    assert model.columns.upper.tolist() == [math.inf] * 6


def test_a_derived_model_may_add_constraints_over_the_same_columns() -> None:
    model = transport()
    extra = ConstraintDefinition(
        name="level",
        expression="sum(freight[p,m]*ship[p,m] for p in PLANT for m in MARKET) <= 2000",
    )
    derived = model.derive(constraints=[*model.formulation.constraints, extra])
    assert len(derived.rows) == len(model.rows) + 1
    assert (derived.linear().matrix[:5] != model.linear().matrix).nnz == 0
    keep = np.array([False] * 5 + [True])
    only = derived.derive(keep_rows=keep)
    assert [only.rows.label(k) for k in range(len(only.rows))] == ["level"]
    assert only.linear().row_upper.tolist() == [2000]
    first = model.derive(constraints=[extra], keep_rows=np.array([True]))
    assert first.linear().row_upper.tolist() == [2000]


def test_a_derived_model_refuses_an_expression_that_does_not_fit() -> None:
    with pytest.raises(ExpressionError, match="objective 'o': 'shipp' is not defined"):
        transport().derive(
            objectives=[ObjectiveDefinition(name="o", sense="minimize", expression="shipp")]
        )


@pytest.mark.parametrize(
    "expression",
    [
        "1e308 * 10 * x <= 1",
        "(1e308 + 1e308) * x <= 1",
        "1e308 * x + 1e308 * x <= 1",
        "1e308 * x * x + 1e308 * x * x <= 1",
        "1e200 * (1e200 * x) <= 1",
        "1e200 * (1e200 * x + 1) <= 1",
        "sum(1e308 for i in I) * x <= 1",
        "exp(1000) * x <= 1",
        "I[1e300] * x <= 1",
        "10 ** 309 <= x",
    ],
)
@pytest.mark.filterwarnings("error")
def test_numbers_beyond_the_range_are_refused_without_a_warning(expression: str) -> None:
    with pytest.raises(ExpressionError):
        bind(
            sets=[{"name": "I", "range": [1, 3]}],
            variables=[{"name": "x"}],
            constraints=[constraint(expression)],
        ).quadratic()


@pytest.mark.parametrize("expression", ["1e308 * x + 1e308 * x", "1e308 * x**2 + 1e308 * x**2"])
def test_an_objective_beyond_the_range_is_refused(expression: str) -> None:
    model = bind(
        variables=[{"name": "x"}],
        objectives=[{"name": "o", "sense": "minimize", "expression": expression}],
    )
    with pytest.raises(ExpressionError, match="objective 'o': a coefficient is not a finite"):
        model.quadratic()


def test_points_of_the_wrong_length_are_refused() -> None:
    with pytest.raises(ValueError, match="points have 5 values, the model 6"):
        transport().evaluate(np.zeros(5))
