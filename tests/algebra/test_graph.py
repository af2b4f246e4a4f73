"""The expression graph agrees with the evaluator, shares what is equal and folds constants."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.algebra.arguments import Arcs
from orkernel.algebra.forms import Column, Constant, Graph, Operation
from orkernel.algebra.graph_values import evaluate_graph
from orkernel.errors import ExpressionError, Unsupported
from orkernel.formulation.schema import Formulation
from orkernel.model import Model

SETS = [
    {"name": "I", "range": [1, 3]},
    {"name": "N", "members": ["a", "b", "c"]},
    {"name": "ROWS", "members": [[0, 1], [1, 2], [3, 3]]},
    {"name": "PAIR", "members": [["a", "b"], ["b", "c"], ["c", "a"], ["a", "c"]]},
]
PARAMETERS = [
    {"name": "c", "index": ["I"], "value": [1, 2.5, -3]},
    {"name": "w", "index": ["N"], "value": {"a": 1, "b": 0.5, "c": 2}},
    {"name": "m", "index": ["I", "N"], "value": [[1, 2, 3], [4, 5, 6], [7, 8, 9]]},
    {"name": "k", "value": 4},
    {"name": "demand", "distribution": {"uniform": {"low": 0, "high": 1}}},
]
VARIABLES = [
    {"name": "x", "index": ["I"], "lower": -2, "upper": 5},
    {"name": "n", "index": ["I"], "domain": "integer", "upper": 3},
    {"name": "b", "index": ["I"], "domain": "binary"},
    {"name": "z", "lower": None},
    {"name": "arc", "index": ["N", "N"], "domain": "binary"},
    {"name": "way", "index": ["PAIR"], "domain": "binary"},
]


def bind(constraints: Sequence[str | tuple[str, str]], *objectives: str, **parts: Any) -> Model:
    rules = [(c, None) if isinstance(c, str) else c for c in constraints]
    return Model.bind(
        Formulation.model_validate(
            {
                "sets": SETS,
                "parameters": PARAMETERS,
                "variables": VARIABLES,
                "objectives": [
                    {"name": f"goal {k}", "sense": "minimize", "expression": text}
                    for k, text in enumerate(objectives)
                ],
                "constraints": [
                    {"name": f"rule {k}", "expression": text, "for_each": for_each}
                    for k, (text, for_each) in enumerate(rules)
                ],
                **parts,
            }
        )
    )


def points(model: Model, seed: int, count: int = 40) -> np.ndarray:
    rng = np.random.default_rng(seed)
    lower = np.maximum(model.columns.lower, -3)
    upper = np.minimum(model.columns.upper, 6)
    drawn = rng.uniform(lower, upper, (count, len(model.columns)))
    whole = model.columns.integer | (rng.random(drawn.shape) < 0.3)
    return np.where(whole, np.rint(drawn), drawn)


def assert_agrees(model: Model, seed: int = 0) -> None:
    at = points(model, seed)
    judged = model.evaluate(at)
    graph = model.graph()
    rows, objectives = evaluate_graph(graph, at)
    lower = np.array([row.lower for row in graph.rows])
    upper = np.array([row.upper for row in graph.rows])
    violations = np.maximum(0.0, np.maximum(lower - rows, rows - upper))
    violations = np.where(np.isfinite(rows), violations, np.inf)
    np.testing.assert_allclose(violations, judged.violations, rtol=1e-9, atol=1e-9)
    objectives = np.where(np.isfinite(objectives), objectives, np.nan)
    np.testing.assert_allclose(objectives, judged.objectives, rtol=1e-9, atol=1e-9)


# ------------------------------------------------------------------------- agreement

NUMBERS = [
    "c[1]*x[1] - n[2]/4 + 3",
    "sum(c[i]*x[i] for i in I if i >= 2) - sum(x)",
    "prod(x[i] + i for i in I)",
    "x[1]*x[2]*b[3] - 2*(z + 1)*(z - 1)",
    "x[1]**2 - (-x[2])**3 + 2**n[1]",
    "exp(x[1]/5) + sin(x[2])*cos(z) - tan(0.1*z)",
    "sqrt(x[1] + 2) + log(n[1] + 1) + log10(n[2] + 2)",
    "asin(b[1]/2) + acos(b[2]) + atan(z) + sinh(b[1]) + cosh(b[2]) + tanh(z)",
    "1/(n[1] + 0.5) + x[1]/(x[2] + 10)/2 - 7*x[3]/7",
    "max(x[1], n[1], 2) - min(x[i]*i for i in I)",
    "abs(x[1] - z) + floor(x[2]) - ceil(z/2)",
    "x[1] // 2 + x[2] % 3 + (-7) // 2 + n[1] % 2",
    "piecewise(x[1], [-2, 0, 5], [1, 0, 4]) + piecewise(n[1], [0, 3], [2, 8])",
    "sum(x[i] >= 1 for i in I) + sum([b[1], n[2] == 2])",
    "sum(x[i] if i < 3 else 2*z for i in I) + (x[1] if k > 3 else x[2])",
    "element(c, n[1]) + element([x[1], z, 5], n[2])",
    "element(m, n[1], n[2])",
    "sum(ord(i)*x[i] - c[last(I)]*x[first(I)] for i in I) + card(N)*z",
    "sum(m[i,j]*x[i]*w[j] for i in I for j in N if (j, 'b') in PAIR or i != 2)",
    "sum(x[succ(i)] - x[i] for i in I if i != last(I))",
    "+x[1] - -z - (x[2] - (x[3] - 4))",
]
CONDITIONS = [
    "x[1] <= 2",
    "1 <= sum(x) < k*2",
    "n[1] != n[2]",
    "x[1] > 0 or not (x[2] <= 1 and b[1])",
    "implies(b[1] == 1, x[1] + x[2] <= 3)",
    "iff(b[1], x[1] >= c[2])",
    "all(x[i] >= c[i] for i in I)",
    "any(n[i] == i for i in I if i != 2)",
    "(b[1] or n[1]) and (0 <= x[1] <= x[2] != z)",
    "not implies(b[2], not iff(b[1], b[3]))",
    "all(b) or any(n)",
    "not all(b)",
    "not any(n)",
    "all_different(n[i] + i for i in I)",
    "all_different([n[1], n[2], 2])",
    "table([n[1], n[2]], ROWS)",
    "table([n[1]], [[0], [2]])",
    "inverse(n, [n[1], n[3], n[2]])",
    "no_overlap(interval(x[i], n[i], b[i]) for i in I)",
    "no_overlap([interval(x[1], 2), interval(z, 1)])",
    "cumulative([interval(n[i], 2, b[i]) for i in I], [i for i in I], 4)",
    "cumulative([interval(x[i], 1.5) for i in I], [n[i] for i in I], k)",
    "circuit(arc[i,j] for i in N for j in N if i != j)",
    "circuit(arc[i,j] for i in N for j in N)",
    "circuit(way[i,j] for (i,j) in PAIR)",
    "multi_circuit([arc[i,j] for i in N for j in N if i != j], 'a')",
    "b[1] or circuit(way[i,j] for (i,j) in PAIR)",
    "element(c, n[1]) <= 2",
    "implies(b[1], n[1] == 1) if k > 5 else n[2] >= 1",
]
REPEATED = [
    ("x[i] - x[i-1] <= c[i]*2 + 3", "i in I if i > 1"),
    ("implies(b[i], x[i] >= w[j])", "i in I, j in N"),
    ("m[i,j]*z + sum(m[t,j]*x[t] for t in I if t != i) >= -5", "i in I for j in N if i != 2"),
    ("circuit(arc[i,j] for i in N for j in N if i != s and j != s)", "s in N"),
    ("n[i] < c[i]", "i in I"),
    ("no_overlap([interval(x[i], 1), interval(x[1], n[i], b[i])])", "i in I if i > 1"),
    ("element([x[i], z], n[i]) >= 0", "i in I"),
    ("2 + 2 == k", "i in I"),
]


@pytest.mark.parametrize("text", NUMBERS)
def test_objectives_agree_with_the_evaluator(text: str) -> None:
    assert_agrees(bind([f"{text} <= 3", f"{text} == 1", f"0 >= 2 - {text}"], text))


@pytest.mark.parametrize("text", CONDITIONS)
def test_conditions_agree_with_the_evaluator(text: str) -> None:
    assert_agrees(bind([text], "z"), seed=1)


@pytest.mark.parametrize(("text", "for_each"), REPEATED)
def test_repeated_constraints_agree_with_the_evaluator(text: str, for_each: str) -> None:
    assert_agrees(bind([(text, for_each)]), seed=2)


@settings(max_examples=100, deadline=None)
@given(st.data(), st.integers(0, 2**32 - 1))
def test_combinations_agree_with_the_evaluator(data: st.DataObject, seed: int) -> None:
    number, condition = st.sampled_from(NUMBERS), st.sampled_from(CONDITIONS)
    first, second, third = (data.draw(number) for _ in range(3))
    inner, outer = data.draw(condition), data.draw(condition)
    relation = data.draw(st.sampled_from(["<=", ">=", "==", "<", ">", "!="]))
    model = bind(
        [
            f"({first})*({second}) {relation} {third}",
            f"implies({inner}, ({first}) {relation} ({second})) or not ({outer})",
            data.draw(st.sampled_from(REPEATED)),
        ],
        f"max({first}, {second}) - 2*({third})",
        f"b[1]*({second}) + abs({first})",
    )
    assert_agrees(model, seed)


# ------------------------------------------------------------------------- shape


def node_of(graph: Graph, number: int) -> Constant | Column | Operation:
    return graph.nodes[number]


def operations(graph: Graph, op: str) -> list[Operation]:
    return [n for n in graph.nodes if isinstance(n, Operation) and n.op == op]


def test_arguments_come_before_the_operations_that_use_them() -> None:
    graph = bind(CONDITIONS + REPEATED, *NUMBERS).graph()
    for number, node in enumerate(graph.nodes):
        if isinstance(node, Operation):
            assert all(k < number for k in node.arguments)


def test_equal_expressions_are_one_node() -> None:
    graph = bind(
        [("exp(x[1]*x[2]) <= c[i]", "i in I"), "exp(x[1]*x[2]) + z >= 1"], "exp(x[1]*x[2])"
    ).graph()
    assert len(operations(graph, "exp")) == 1
    assert len(operations(graph, "prod")) == 1
    assert len({row.node for row in graph.rows[:3]}) == 1


def test_no_node_is_unused_or_twice() -> None:
    graph = bind(CONDITIONS + REPEATED, *NUMBERS).graph()
    used = {k for n in graph.nodes if isinstance(n, Operation) for k in n.arguments}
    used |= {row.node for row in graph.rows} | {o.node for o in graph.objectives}
    assert used == set(range(len(graph.nodes)))
    assert len(set(graph.nodes)) == len(graph.nodes)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("2*3 + k/8 - sqrt(16)", 2.5),
        ("sum(c) + card(N)", 3.5),
        ("0*exp(x[1]) + 1", 1.0),
        ("x[1]**0 + 3", 4.0),
        ("prod(x[i] for i in I if i > 3)", 1.0),
        ("max(1, 2, k) + min(c)", 1.0),
        ("sum([3 > 2, k == 4, 1 > 2])", 2.0),
    ],
)
def test_constants_are_folded(text: str, value: float) -> None:
    graph = bind([], text).graph()
    assert graph.nodes == (Constant(value),)


def test_constants_move_to_the_bounds_of_the_row() -> None:
    graph = bind(["3 + x[1] + 2 <= k + x[2]", "-1 <= x[1] - 5", "x[1] == x[1] + 1 - 1"]).graph()
    assert (graph.rows[0].lower, graph.rows[0].upper) == (-np.inf, -1.0)
    assert (graph.rows[1].lower, graph.rows[1].upper) == (4.0, np.inf)
    assert (graph.rows[2].lower, graph.rows[2].upper) == (0.0, 0.0)


def test_a_row_of_data_keeps_its_verdict_in_the_bounds() -> None:
    graph = bind(["k <= 5", "k <= 3", "k != 4", "k == 4 or z > 1"]).graph()
    assert node_of(graph, graph.rows[0].node) == Constant(0.0)
    assert graph.rows[0].upper == 1.0
    assert graph.rows[1].upper == -1.0
    assert node_of(graph, graph.rows[2].node) == Constant(0.0)
    assert node_of(graph, graph.rows[3].node) == Constant(1.0)
    assert graph.rows[3].lower == graph.rows[3].upper == 1.0


def test_strict_rows_over_whole_numbers_are_moved_by_one() -> None:
    graph = bind(["n[1] < 2", "n[1] > n[2]", "n[1] < 2.5", "x[1] < 2"]).graph()
    assert graph.rows[0].upper == 1.0
    assert graph.rows[1].lower == 1.0
    assert graph.rows[2].upper == 2.0
    assert graph.rows[3].upper == 2.0


@pytest.mark.parametrize(
    ("body", "whole"),
    [
        ("x[1] // 2", True),
        ("n[1] // 0.5", True),
        ("n[1] % 3", True),
        ("n[1] % n[2]", True),
        ("n[1] % 0.5", False),
        ("x[1] % 2", False),
        ("floor(x[1])", True),
        ("n[1] / 2", False),
    ],
)
def test_what_is_whole_at_every_point_is_known_to_be(body: str, whole: bool) -> None:
    model = bind([f"{body} < 2"])
    assert (model.graph().rows[0].upper == 1.0) is whole
    assert bool(model.assumptions()) is not whole


def test_rows_follow_the_labels_and_the_kept_rows() -> None:
    model = bind([("x[i] + i*n[i] <= i", "i in I"), "0 <= z <= 5", "b[1] or b[2]"])
    graph = model.graph()
    assert [model.rows.label(r) for r in range(len(graph.rows))] == [
        "rule 0[1]",
        "rule 0[2]",
        "rule 0[3]",
        "rule 1",
        "rule 1#2",
        "rule 2",
    ]
    assert [row.upper for row in graph.rows[:3]] == [1.0, 2.0, 3.0]
    kept = model.derive(keep_rows=np.array([False, True, False, False, True, True]))
    assert [row.upper for row in kept.graph().rows] == [2.0, 5.0, 1.0]
    assert kept.graph().row_labels.label(0) == "rule 0[2]"
    assert_agrees(kept)


def test_rows_that_are_not_kept_are_not_expanded() -> None:
    model = bind(["x[1] + x[2] <= 3", "b[1] or b[2]"], "z")
    kept = model.derive(keep_rows=np.array([False, True]), objectives=()).graph()
    columns = {node.number for node in kept.nodes if isinstance(node, Column)}
    assert {model.columns.label(k) for k in columns} == {"b[1]", "b[2]"}
    assert len(kept.rows) == 1


def test_global_constraints_keep_their_data() -> None:
    graph = bind(
        [
            "circuit(way[i,j] for (i,j) in PAIR)",
            "multi_circuit([arc[i,j] for i in N for j in N if i != j], 'b')",
            "table([n[1], n[2]], ROWS)",
            "element(c, n[1]) + element([1, z], n[2]) <= 3",
            "inverse(n, [n[1], n[3], n[2]])",
            "piecewise(z, [0, 1], [2, 5]) <= 4",
        ]
    ).graph()
    circuit = operations(graph, "circuit")[0]
    ends = (("a", "b"), ("b", "c"), ("c", "a"), ("a", "c"))
    assert circuit.data == Arcs(ends, ("a", "b", "c"))
    assert len(circuit.arguments) == 4
    tours = operations(graph, "multi_circuit")[0].data
    assert tours.depot == "b"
    assert len(tours.ends) == 6
    assert operations(graph, "table")[0].data == ((0.0, 1.0), (1.0, 2.0), (3.0, 3.0))
    by_member, by_position = operations(graph, "element")
    assert by_member.data == ((1.0, 2.0, 3.0),)
    assert len(by_member.arguments) == 4
    assert by_position.data == ((1.0, 2.0),)
    assert operations(graph, "inverse")[0].data == (((1.0, 2.0, 3.0),), ((1.0, 2.0, 3.0),))
    assert operations(graph, "piecewise")[0].data == ((0.0, 1.0), (2.0, 5.0))


def test_random_parameters_are_named_leaves_inside_expectations() -> None:
    graph = bind(
        ["probability(demand <= x[1]) >= 0.9"], "expectation(max(demand - x[1], 0)) + z"
    ).graph()
    (leaf,) = operations(graph, "random")
    assert leaf.data == ("demand", 0)
    assert len(operations(graph, "expectation")) == 1
    assert len(operations(graph, "probability")) == 1
    with pytest.raises(Unsupported, match="without sampling"):
        evaluate_graph(graph, np.zeros(len(graph.columns)))


def test_an_extreme_over_nothing_is_refused_with_its_place() -> None:
    with pytest.raises(ExpressionError) as caught:
        bind([("max(x[t] for t in I if t > i) <= 3", "i in I")]).graph()
    assert caught.value.element == "constraint 'rule 0'"
    assert "over nothing" in caught.value.message
    assert "i=3" in caught.value.message


@pytest.mark.parametrize(
    "around", ["iff({}, b[2])", "(sum([{}]) >= 1)", "(not ({} and b[3]))", "all([{}, b[2]])"]
)
def test_deeply_nested_conditions_are_judged_and_expanded_without_delay(around: str) -> None:
    rule = "x[1] >= 1"
    for _ in range(35):
        rule = around.format(rule)
    begin = time.thread_time()
    assert_agrees(bind([f"{rule} or b[1]"]))
    assert time.thread_time() - begin < 5


def test_a_large_model_expands_in_seconds() -> None:
    size = 150
    formulation = {
        "sets": [{"name": "P", "range": [1, size]}],
        "variables": [{"name": "f", "index": ["P", "P"]}],
        "objectives": [
            {
                "name": "cost",
                "sense": "minimize",
                "expression": "sum((i + j)*f[i,j]**2 for i in P for j in P)",
            }
        ],
        "constraints": [
            {"name": "in", "for_each": "i in P", "expression": "sum(f[i,j] for j in P) >= 1"},
            {"name": "each", "for_each": "i in P, j in P", "expression": "exp(f[i,j]) <= 9"},
        ],
    }
    model = Model.bind(Formulation.model_validate(formulation))
    begin = time.thread_time()
    graph = model.graph()
    assert time.thread_time() - begin < 10
    assert len(graph.rows) == size + size**2
