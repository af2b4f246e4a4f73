"""Reformulation: the linear integer form has the optimum that enumeration finds."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from orkernel.algebra.forms import LinearForm
from orkernel.algebra.graph_values import evaluate_graph
from orkernel.algebra.implied_bounds import implied_bounds
from orkernel.errors import Unsupported
from orkernel.formulation.schema import Formulation
from orkernel.model import Model

OPTIMAL, INFEASIBLE, SOLVER_FAILED = 0, 2, 4
"""Status of `milp`; HiGHS itself breaks off on some tiny models in some of its versions."""

VARIABLES = [
    {"name": "x", "domain": "integer", "lower": -2, "upper": 3},
    {"name": "y", "domain": "integer", "upper": 3},
    {"name": "n", "index": ["I"], "domain": "integer", "lower": -1, "upper": 1},
    {"name": "b", "domain": "binary"},
    {"name": "d", "domain": "binary"},
]


def bind(
    objective: str,
    constraints: Sequence[str],
    *,
    sense: str = "minimize",
    variables: Sequence[dict[str, object]] = VARIABLES,
) -> Model:
    return Model.bind(
        Formulation.model_validate(
            {
                "sets": [{"name": "I", "range": [1, 2]}],
                "parameters": [{"name": "c", "index": ["I"], "value": [2, -1.5]}],
                "variables": list(variables),
                "objectives": [{"name": "goal", "sense": sense, "expression": objective}],
                "constraints": [
                    {"name": f"rule {k}", "expression": "b == 1" if text == "b" else text}
                    for k, text in enumerate(constraints)
                ],
            }
        )
    )


def solve(form: LinearForm) -> tuple[int, float | None, np.ndarray | None]:
    """Status of `milp`, objective value and point; None where there is no point.

    Without presolve: that of the HiGHS in SciPy 1.17 lost the optimum of a generated model.
    """
    (objective,) = form.objectives
    outcome = milp(
        -objective.cost if objective.maximize else objective.cost,
        constraints=LinearConstraint(form.matrix, form.row_lower, form.row_upper),
        bounds=Bounds(form.columns.lower, form.columns.upper),
        integrality=form.columns.integer.astype(int),
        options={"mip_rel_gap": 0.0, "presolve": False},
    )
    if outcome.x is None:
        return outcome.status, None, None
    return outcome.status, float(objective.cost @ outcome.x + objective.offset), outcome.x


def optimum(form: LinearForm) -> float | None:
    """Objective value; None where infeasible."""
    status, value, _ = solve(form)
    assert status in (OPTIMAL, INFEASIBLE)
    return value


def holds_when_rounded(form: LinearForm, point: np.ndarray) -> bool:
    """Whether a point owes nothing to the solver's tolerance of whole numbers.

    A strict comparison is kept 1e-5 apart, which 1e-6 of a binary column times a bound can undo.
    """
    rounded = np.where(form.columns.integer, np.round(point), point)
    activity = form.matrix @ rounded
    return bool(
        (activity >= form.row_lower - 1e-6).all() and (activity <= form.row_upper + 1e-6).all()
    )


def every_point(model: Model) -> np.ndarray:
    columns = model.columns
    axes = [np.arange(a, b + 1) for a, b in zip(columns.lower, columns.upper, strict=True)]
    return np.array(list(itertools.product(*axes)))


def enumerated(model: Model) -> float | None:
    values = model.evaluate(every_point(model))
    holds = (values.violations <= 1e-6 * values.scales).all(axis=1)
    if not holds.any():
        return None
    found = values.objectives[holds, 0]
    maximize = model.formulation.objectives[0].sense == "maximize"
    return float(found.max() if maximize else found.min())


def assert_same_optimum(model: Model) -> None:
    form = model.linearized()
    status, value, point = solve(form)
    assume(status != SOLVER_FAILED)
    assert status in (OPTIMAL, INFEASIBLE)
    assume(value is None or holds_when_rounded(form, point))
    expected = enumerated(model)
    if expected is None:
        assert value is None
        return
    assert value == pytest.approx(expected, abs=1e-5)
    assert point is not None
    judged = model.evaluate(point[: len(model.columns)])
    assert (judged.violations <= 1e-5 * judged.scales).all()
    assert judged.objectives[0, 0] == pytest.approx(expected, abs=1e-5)


def assert_graph_agrees(model: Model) -> None:
    points = every_point(model)
    judged = model.evaluate(points)
    graph = model.graph()
    rows, objectives = evaluate_graph(graph, points)
    lower = np.array([row.lower for row in graph.rows])
    upper = np.array([row.upper for row in graph.rows])
    violations = np.maximum(0.0, np.maximum(lower - rows, rows - upper))
    violations = np.where(np.isfinite(rows), violations, np.inf)
    np.testing.assert_allclose(violations, judged.violations, atol=1e-9)
    np.testing.assert_allclose(objectives, judged.objectives, atol=1e-9)


def within_solver_tolerance(model: Model, point: np.ndarray) -> np.ndarray:
    """A point and others so near that the solver cannot tell them apart."""
    columns = model.columns
    own = point[: len(columns)]
    noise = np.random.default_rng(0).uniform(-5e-6, 5e-6, (300, own.size))
    near = np.where(columns.integer, np.rint(own), own + noise)
    return np.clip(np.vstack([own, near]), columns.lower, columns.upper)


def has_product_of_variables(model: Model) -> bool:
    """Whether the model is refused for the one generated expression without a linear form."""
    try:
        model.linearized()
    except Unsupported as refusal:
        return "product of two variables" in refusal.why
    return False


# ------------------------------------------------------------------------- generated models

COEFFICIENTS = st.sampled_from([-3, -2, -1, 1, 2, 0.5, -1.5])
CONSTANTS = st.sampled_from([-4, -2, -1, 0, 0.5, 1, 2, 2.5, 3, 5])
NAMES = st.sampled_from(["x", "y", "b", "d", "n[1]", "n[2]"])


@st.composite
def affine(draw: st.DrawFn) -> str:
    names = draw(st.lists(NAMES, min_size=1, max_size=3, unique=True))
    terms = " + ".join(f"{draw(COEFFICIENTS)}*{name}" for name in names)
    return f"({terms} + {draw(CONSTANTS)})"


POINTS = st.lists(st.integers(-4, 4), min_size=4, max_size=4)


def numbers(
    inner: st.SearchStrategy[str], conditions: st.SearchStrategy[str], i: str
) -> st.SearchStrategy[str]:
    """Numeric expressions one level deeper; `i` names the index of their comprehensions."""
    pair = st.tuples(inner, inner)
    binary = st.sampled_from(["b", "d", "(1 - b)", "b*d", "b**2"])
    return st.one_of(
        pair.map(lambda p: f"({p[0]} + {p[1]})"),
        pair.map(lambda p: f"({p[0]} - {p[1]})"),
        inner.map(lambda a: f"-{a}"),
        inner.map(lambda a: f"abs({a})"),
        pair.map(lambda p: f"max({p[0]}, {p[1]})"),
        pair.map(lambda p: f"min({p[0]}, {p[1]}, 1)"),
        st.tuples(COEFFICIENTS, inner).map(lambda p: f"{p[0]}*{p[1]}"),
        inner.map(lambda a: f"{a}/4"),
        st.tuples(binary, inner).map(lambda p: f"{p[0]}*{p[1]}"),
        POINTS.map(lambda ys: f"piecewise(x, [-2, 0, 1, 3], {ys})"),
        conditions.map(lambda a: f"sum([{a}, b])"),
        inner.map(lambda a: f"sum(c[{i}]*n[{i}] + {a} for {i} in I)"),
        inner.map(lambda a: f"max(n[{i}] + {i}*{a} for {i} in I if {i} != 2 or 1 > 0)"),
    )


def conditions(
    inner: st.SearchStrategy[str], numeric: st.SearchStrategy[str], i: str
) -> st.SearchStrategy[str]:
    """Conditions one level deeper; `i` names the index of their comprehensions."""
    pair = st.tuples(inner, inner)
    relation = st.sampled_from(["<=", ">=", "==", "!=", "<", ">"])
    return st.one_of(
        st.tuples(numeric, relation, numeric).map(lambda p: f"({p[0]} {p[1]} {p[2]})"),
        pair.map(lambda p: f"({p[0]} and {p[1]})"),
        pair.map(lambda p: f"({p[0]} or {p[1]})"),
        inner.map(lambda a: f"(not {a})"),
        pair.map(lambda p: f"implies({p[0]}, {p[1]})"),
        pair.map(lambda p: f"iff({p[0]}, {p[1]})"),
        numeric.map(lambda a: f"all(n[{i}] <= {a} for {i} in I)"),
        numeric.map(lambda a: f"any(n[{i}]*{i} >= {a} for {i} in I)"),
        st.sampled_from(["b", "(d == 0)", "(b >= 1)"]),
    )


LEAF_CONDITIONS = st.one_of(
    st.sampled_from(["b", "(not d)", "(x == y)", "(n[1] > n[2])"]),
    st.tuples(affine(), CONSTANTS).map(lambda p: f"({p[0]} >= {p[1]})"),
)
NUMBERS_1 = numbers(affine(), LEAF_CONDITIONS, "i")
CONDITIONS_1 = conditions(LEAF_CONDITIONS, affine(), "j")
NUMBERS_2 = numbers(NUMBERS_1 | affine(), CONDITIONS_1, "k")
CONDITIONS_2 = conditions(CONDITIONS_1 | LEAF_CONDITIONS, NUMBERS_1, "l")
CONDITIONS_3 = conditions(CONDITIONS_2, NUMBERS_2, "m")
SENSES = st.sampled_from(["minimize", "maximize"])


@settings(max_examples=120, deadline=None)
@given(NUMBERS_2, st.lists(CONDITIONS_2, max_size=2), SENSES)
def test_generated_models_keep_their_optimum(
    objective: str, constraints: list[str], sense: str
) -> None:
    model = bind(objective, constraints, sense=sense)
    assert_graph_agrees(model)
    if not has_product_of_variables(model):
        assert_same_optimum(model)


@settings(max_examples=60, deadline=None)
@given(affine(), CONDITIONS_3, SENSES)
def test_deeply_nested_logic_keeps_its_optimum(objective: str, rule: str, sense: str) -> None:
    model = bind(objective, [rule], sense=sense)
    assert_graph_agrees(model)
    if not has_product_of_variables(model):
        assert_same_optimum(model)


CONTINUOUS = [
    {"name": "x", "lower": -2, "upper": 3},
    {"name": "y", "upper": 3},
    {"name": "n", "index": ["I"], "lower": -1, "upper": 1},
    {"name": "b", "domain": "binary"},
    {"name": "d", "domain": "binary"},
]
HALVES = [np.arange(-2, 3.1, 0.5), np.arange(0, 3.1, 0.5)]
GRID = np.array(list(itertools.product(*HALVES, *[(-1, 0, 1)] * 2, *[(0, 1)] * 2)))


@settings(max_examples=60, deadline=None)
@given(NUMBERS_2, st.lists(CONDITIONS_2, max_size=2), SENSES)
def test_fractional_models_are_as_good_as_any_feasible_point_and_judged_feasible(
    objective: str, constraints: list[str], sense: str
) -> None:
    model = bind(objective, constraints, sense=sense, variables=CONTINUOUS)
    assume(not has_product_of_variables(model))
    form = model.linearized()
    status, value, point = solve(form)
    assume(status != SOLVER_FAILED)
    on_grid = model.evaluate(GRID)
    holds = (on_grid.violations <= 1e-6 * on_grid.scales).all(axis=1)
    if value is None:
        assert status == INFEASIBLE
        assert not holds.any()
        return
    assert point is not None
    judged = model.evaluate(within_solver_tolerance(model, point))
    feasible = (judged.violations <= 1e-5 * judged.scales).all(axis=1)
    assert (np.abs(judged.objectives[feasible, 0] - value) <= 1e-3).any()
    if holds.any():
        sign = -1.0 if sense == "maximize" else 1.0
        assert sign * value <= (sign * on_grid.objectives[holds, 0]).min() + 1e-3


RULES = {
    "abs": "abs(A)",
    "max": "max(A, B, C)",
    "min": "min(A, B, C)",
    "max of a comprehension": "max(n[i]*i + A for i in I)",
    "binary product": "b*A",
    "two binaries": "b*d*A",
    "binary power": "b**3 - A",
    "negated binary product": "(1 - d)*A",
    "truth as a number": "3*sum([A >= B, B > C]) + A",
    "piecewise, convex": "piecewise(x, [-2, 0, 3], [4, 0, 1]) + A",
    "piecewise, concave": "piecewise(x, [-2, 0, 3], [0, 4, 5]) + A",
    "piecewise, neither": "piecewise(y, [0, 1, 2, 3], [0, 3, 2, 6]) + A",
    "piecewise, straight": "piecewise(y, [0, 1, 3], [1, 2, 4]) + A",
}


@pytest.mark.parametrize("rule", RULES.values(), ids=RULES)
@settings(max_examples=12, deadline=None)
@given(st.lists(affine(), min_size=3, max_size=3), CONSTANTS, st.data())
def test_each_numeric_rule_keeps_the_optimum_in_every_place(
    rule: str, parts: list[str], limit: float, data: st.DataObject
) -> None:
    for slot, part in zip("ABC", parts, strict=True):
        rule = rule.replace(slot, part)
    sense = data.draw(SENSES)
    place = data.draw(st.sampled_from(["objective", "<=", ">=", "=="]))
    if place == "objective":
        model = bind(rule, [f"{parts[0]} <= {limit}"], sense=sense)
    else:
        model = bind(parts[1], [f"{rule} {place} {limit}"], sense=sense)
    assert_same_optimum(model)


LOGICAL_RULES = {
    "or": "A >= 1 or B <= 0",
    "three ways": "A >= 1 or B <= 0 or C == 0",
    "and": "A >= 1 and B <= 2",
    "not": "not (A >= 1 and B <= 0)",
    "implies by a binary": "implies(b == 1, A <= 0)",
    "implies by a condition": "implies(A >= 1, B <= 0)",
    "implies by a strict condition": "implies(A > 0, b == 1)",
    "iff by a binary": "iff(b, A >= 1)",
    "iff of conditions": "iff(A >= 1, B >= 1)",
    "not iff": "not iff(A >= 1, d)",
    "unequal": "A != B",
    "equal or": "A == 0 or B == 1",
    "all": "all(implies(n[i] >= 1, A >= i) for i in I)",
    "any": "any(n[i] + A == i for i in I)",
    "nested": "implies(b or A >= 1, d and not (B <= 0 or C > 1))",
    "count": "sum([A >= 1, B >= 1, C >= 1]) == 2",
    "abs inside": "implies(b, abs(A) <= 2)",
    "abs outside": "b or abs(A) >= 2",
    "clauses": "(b or d) and (not b or x >= 1)",
}


@pytest.mark.parametrize("rule", LOGICAL_RULES.values(), ids=LOGICAL_RULES)
@settings(max_examples=12, deadline=None)
@given(st.lists(affine(), min_size=4, max_size=4), SENSES)
def test_each_logical_rule_keeps_the_optimum(rule: str, parts: list[str], sense: str) -> None:
    for slot, part in zip("ABC", parts[:3], strict=True):
        rule = rule.replace(slot, part)
    assert_same_optimum(bind(parts[3], [rule], sense=sense))


# ------------------------------------------------------------------------- shape of the form

FREE = [
    {"name": "x", "lower": None},
    {"name": "y", "upper": 10},
    {"name": "b", "domain": "binary"},
]


@pytest.mark.parametrize(
    ("objective", "constraints", "sense"),
    [
        ("max(x, y)", ["x + y >= 2"], "minimize"),
        ("abs(x - 3)", ["x <= y"], "minimize"),
        ("min(x, y) - abs(y)", ["x <= 4"], "maximize"),
        ("x", ["abs(x - y) <= 3", "max(x, 2*y) - min(x, y) <= 8"], "minimize"),
        ("y", ["min(x, y) >= 2", "-abs(x) >= -4"], "maximize"),
        ("piecewise(y, [0, 4, 10], [0, 2, 20])", ["y >= 1"], "minimize"),
        ("piecewise(y, [0, 4, 10], [0, 8, 10])", ["x >= 1"], "maximize"),
        ("x", ["abs(x) <= 5 and max(x, y) <= 3"], "minimize"),
    ],
)
def test_convex_uses_need_no_binary_and_no_bounds(
    objective: str, constraints: list[str], sense: str
) -> None:
    form = bind(objective, constraints, sense=sense, variables=FREE).linearized()
    assert not form.columns.integer[3:].any()
    assert optimum(form) is not None


@pytest.mark.parametrize(
    ("objective", "constraints", "named", "side"),
    [
        ("max(x, y)", [], "x", "lower"),
        ("x", ["abs(x) >= 3"], "x", "lower"),
        ("y", ["implies(b == 1, x + y <= 5)"], "x", "upper"),
        ("y", ["implies(b == 1, x >= y)"], "x", "lower"),
        ("b*x", [], "x", "lower"),
        ("y", ["x >= 3 or y >= 2"], "x", "lower"),
        ("y", ["implies(b, max(x, y) <= 2)"], "x", "upper"),
    ],
)
def test_a_missing_bound_is_refused_by_name(
    objective: str, constraints: list[str], named: str, side: str
) -> None:
    model = bind(objective, constraints, sense="maximize", variables=FREE)
    with pytest.raises(Unsupported) as caught:
        model.linearized()
    assert f"variable '{named}' has no {side} bound" in caught.value.why
    assert "give it one" in caught.value.why
    expected = "constraint 'rule 0'" if constraints else "objective 'goal'"
    assert caught.value.element == expected


def test_a_bound_that_plain_rows_imply_is_enough() -> None:
    variables = [{"name": "x"}, {"name": "y"}, {"name": "b", "domain": "binary"}]
    rules = ["2*x + 3*y <= 12", "implies(b == 1, x + y <= 2)"]
    form = bind("x + y + 3*b", rules, sense="maximize", variables=variables).linearized()
    assert optimum(form) == pytest.approx(6.0)
    assert np.isinf(form.columns.upper[:2]).all()


def test_big_m_is_as_tight_as_the_interval_of_the_row() -> None:
    variables = [{"name": "x", "upper": 7}, {"name": "b", "domain": "binary"}]
    form = bind("x", ["implies(b == 1, x <= 3)"], variables=variables).linearized()
    assert form.matrix[[-1]].toarray().tolist() == [[1.0, 4.0]]
    assert form.row_upper[-1] == 7.0


@pytest.mark.parametrize(
    ("objective", "rules", "why"),
    [
        ("x*y", [], "product of two variables"),
        ("x**2", [], "power of variables"),
        ("exp(x)", [], "exp(…) of variables"),
        ("1/(y + 1)", [], "division by a variable"),
        ("floor(x/2)", [], "floor(…) of variables"),
        ("x", ["all_different(n)"], "all_different(…)"),
        ("element(c, y)", [], "element(…) of variables"),
        ("x", ["b or not all_different(n)"], "all_different(…)"),
        ("x", ["implies(b, piecewise(x, [0, 1], [0, 1]) <= 1)"], "keep x within its points"),
    ],
)
def test_what_has_no_linear_form_is_refused(objective: str, rules: list[str], why: str) -> None:
    with pytest.raises(Unsupported) as caught:
        bind(objective, rules).linearized()
    assert why in caught.value.why


def test_a_linear_model_is_its_own_linear_form() -> None:
    model = bind("x + y", ["x + y >= 1"])
    assert model.linearized() is model.linear()


def test_own_columns_and_rows_come_first_and_added_ones_are_labelled() -> None:
    variables = [{"name": "x", "index": ["I"], "upper": 5}, {"name": "b", "domain": "binary"}]
    formulation = {
        "sets": [{"name": "I", "members": ["p", "q"]}],
        "variables": variables,
        "objectives": [{"name": "far", "sense": "maximize", "expression": "abs(x['p'] - x['q'])"}],
        "constraints": [
            {"name": "sum", "expression": "sum(x) <= 7"},
            {"name": "low", "for_each": "i in I", "expression": "implies(b == 0, x[i] <= 1)"},
        ],
    }
    model = Model.bind(Formulation.model_validate(formulation))
    form = model.linearized()
    assert [form.rows.label(r) for r in range(len(form.rows))][:5] == [
        "sum",
        "low[p]",
        "low[q]",
        "low[p]",
        "low[q]",
    ]
    assert {form.rows.label(r) for r in range(5, len(form.rows))} == {"far"}
    assert [form.columns.label(k) for k in range(4)] == [
        "x[p]",
        "x[q]",
        "b",
        "added by objective 'far'[1]",
    ]
    assert form.columns.lower[:3].tolist() == model.columns.lower.tolist()
    assert form.matrix[[1, 2]].nnz == 0
    assert form.matrix.shape == (len(form.rows), len(form.columns))
    assert optimum(form) == pytest.approx(5.0)


def test_a_strict_comparison_of_fractions_inside_logic_is_stated() -> None:
    variables = [{"name": "x", "upper": 9}, {"name": "b", "domain": "binary"}]
    form = bind(
        "x - 20*b", ["iff(b, x >= 2.5)"], sense="maximize", variables=variables
    ).linearized()
    assert len(form.assumptions) == 1
    assert form.assumptions[0].startswith("constraint 'rule 0': a strict comparison")
    assert optimum(form) == pytest.approx(2.5, abs=1e-4)
    whole = [{"name": "x", "upper": 9, "domain": "integer"}, variables[1]]
    assert not bind("x", ["iff(b, x >= 2)"], variables=whole).linearized().assumptions


def test_an_impossible_condition_leaves_an_infeasible_form() -> None:
    assert optimum(bind("x", ["b and not b"]).linearized()) is None
    assert optimum(bind("max(x, y)", ["1 > 2"]).linearized()) is None


# ------------------------------------------------------------------------- implied bounds


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_implied_bounds_keep_every_feasible_whole_point(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, size = int(rng.integers(1, 5)), 3
    matrix = rng.integers(-3, 4, (rows, size)) * (rng.random((rows, size)) < 0.8)
    row_upper = rng.integers(-2, 8, rows).astype(float)
    row_lower = np.where(rng.random(rows) < 0.5, -np.inf, row_upper - rng.integers(0, 9, rows))
    lower = np.where(rng.random(size) < 0.7, -3.0, -np.inf)
    upper = np.where(rng.random(size) < 0.7, 4.0, np.inf)
    integer = rng.random(size) < 0.5
    low, high = implied_bounds(
        sparse.csr_array(matrix.astype(float)), row_lower, row_upper, lower, upper, integer
    )
    points = np.array(list(itertools.product(np.arange(-6, 7), repeat=size)), float)
    bodies = points @ matrix.T
    feasible = (
        ((bodies <= row_upper) & (bodies >= row_lower)).all(axis=1)
        & (points >= lower).all(axis=1)
        & (points <= upper).all(axis=1)
    )
    assert (points[feasible] >= low).all()
    assert (points[feasible] <= high).all()


def test_an_infeasible_model_is_reformulated_too() -> None:
    rules = ["-b + 3*d >= 5", "x + y >= 1", "b*(x + y) <= 2"]
    assert optimum(bind("x", rules).linearized()) is None


@pytest.mark.parametrize("levels", [10, 118])
def test_nested_equivalences_grow_in_proportion_to_their_depth(levels: int) -> None:
    rule = "b"
    for _ in range(levels):
        rule = f"iff({rule}, x >= 1)"
    model = bind("x", [rule])
    form = model.linearized()
    assert len(form.columns) - len(model.columns) <= 2 * levels
    assert len(form.rows) - len(model.rows) <= 8 * levels
    assert optimum(form) == pytest.approx(enumerated(model))


def test_implied_bounds_find_what_rows_say() -> None:
    matrix = sparse.csr_array(np.array([[2.0, 3.0], [1.0, -1.0]]))
    low, high = implied_bounds(
        matrix,
        np.array([-np.inf, 0.0]),
        np.array([12.0, np.inf]),
        np.zeros(2),
        np.full(2, np.inf),
        np.array([False, True]),
    )
    assert high[0] == pytest.approx(6.0, abs=1e-4)
    assert high[1] == pytest.approx(4.0)
    assert low.tolist() == [0.0, 0.0]
