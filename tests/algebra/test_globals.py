"""The truth of each global constraint against its definition, spelled out by brute force."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.errors import ExpressionError
from orkernel.formulation.schema import Formulation
from orkernel.model import Model

QUICK = settings(max_examples=60, deadline=None)


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


def holds(model: Model, x: Any) -> list[bool]:
    values = model.evaluate(np.atleast_2d(np.asarray(x, float)))
    assert set(np.unique(values.bodies)) <= {0.0, 1.0}
    np.testing.assert_array_equal(values.violations, 1 - values.bodies)
    return [bool(b) for b in values.bodies[:, 0]]


def nodes(count: int) -> dict[str, Any]:
    return {"name": "N", "members": [f"n{k}" for k in range(count)]}


@QUICK
@given(st.lists(st.integers(0, 4), min_size=1, max_size=5))
def test_all_different_is_pairwise_difference(values: list[int]) -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, len(values)]}],
        variables=[{"name": "x", "index": ["I"], "domain": "integer"}],
        constraints=[{"name": "c", "expression": "all_different(x[i] for i in I)"}],
    )
    expected = all(a != b for a, b in itertools.combinations(values, 2))
    assert holds(model, values) == [expected]


def test_all_different_judges_each_row_and_point_by_itself() -> None:
    model = bind(
        sets=[{"name": "R", "range": [1, 2]}, {"name": "C", "range": [1, 2]}],
        variables=[{"name": "x", "index": ["R", "C"]}],
        constraints=[
            {"name": "c", "for_each": "r in R", "expression": "all_different(x[r, c] for c in C)"}
        ],
    )
    bodies = model.evaluate(np.array([[1, 1, 1, 2], [1, 2, 2, 2], [1, 2, 2, 1.0]])).bodies
    np.testing.assert_array_equal(bodies, [[0, 1], [1, 0], [1, 1]])


def is_single_tour(arcs: set[tuple[int, int]], count: int) -> bool:
    """Some cyclic order of the nodes without a loop uses exactly these arcs."""
    skipped = {a for a, b in arcs if a == b}
    rest = [k for k in range(count) if k not in skipped]
    if not rest:
        return len(arcs) == len(skipped)
    if len(rest) == 1:
        return False
    for order in itertools.permutations(rest[1:]):
        tour = [rest[0], *order]
        used = {(a, b) for a, b in zip(tour, [*tour[1:], tour[0]], strict=True)}
        if arcs == used | {(k, k) for k in skipped}:
            return True
    return False


@pytest.mark.parametrize("loops", [False, True])
def test_circuit_accepts_exactly_the_tours(loops: bool) -> None:
    count = 3
    condition = "" if loops else " if i != j"
    model = bind(
        sets=[nodes(count)],
        variables=[{"name": "arc", "index": ["N", "N"], "domain": "binary"}],
        constraints=[
            {"name": "c", "expression": f"circuit(arc[i,j] for i in N for j in N{condition})"}
        ],
    )
    points = np.array(list(itertools.product([0, 1], repeat=count * count)), float)
    for point, found in zip(points, holds(model, points), strict=True):
        arcs = {
            (i, j)
            for i in range(count)
            for j in range(count)
            if point[i * count + j] and (loops or i != j)
        }
        assert found == is_single_tour(arcs, count), arcs


def test_circuit_on_a_set_of_arcs_asks_for_every_end() -> None:
    model = bind(
        sets=[{"name": "ARC", "members": [["a", "b"], ["b", "a"], ["b", "c"], ["c", "a"]]}],
        variables=[{"name": "arc", "index": ["ARC"], "domain": "binary"}],
        constraints=[{"name": "c", "expression": "circuit(arc[i,j] for (i,j) in ARC)"}],
    )
    assert holds(model, [[1, 0, 1, 1], [1, 1, 0, 0], [0, 0, 0, 0]]) == [True, False, False]


def test_a_node_that_no_arc_reaches_makes_a_circuit_impossible() -> None:
    model = bind(
        sets=[nodes(3)],
        variables=[{"name": "arc", "index": ["N", "N"], "domain": "binary"}],
        constraints=[
            {
                "name": "c",
                "expression": 'circuit(arc[i,j] for i in N for j in N if i != "n2" and j != "n2")',
            }
        ],
    )
    two_tour = np.zeros(9)
    two_tour[[1, 3]] = 1
    assert holds(model, two_tour) == [False]


def routes_cover(arcs: set[tuple[int, int]], count: int) -> bool:
    """Arcs are those of some set of routes from node 0, every other node once."""
    if any(a == b for a, b in arcs):
        return False
    others = range(1, count)
    for order in itertools.permutations(others):
        for cuts in itertools.product([False, True], repeat=max(0, len(order) - 1)):
            used = {(0, order[0]), (order[-1], 0)}
            for k, cut in enumerate(cuts):
                a, b = order[k], order[k + 1]
                used |= {(a, 0), (0, b)} if cut else {(a, b)}
            if used == arcs:
                return True
    return False


def test_multi_circuit_accepts_exactly_the_sets_of_routes() -> None:
    count = 3
    model = bind(
        sets=[nodes(count)],
        variables=[{"name": "arc", "index": ["N", "N"], "domain": "binary"}],
        constraints=[
            {
                "name": "c",
                "expression": 'multi_circuit([arc[i,j] for i in N for j in N if i != j], "n0")',
            }
        ],
    )
    pairs = [(i, j) for i in range(count) for j in range(count)]
    for bits in itertools.product([0, 1], repeat=6):
        point = np.zeros(9)
        chosen = [p for p in pairs if p[0] != p[1]]
        arcs = {p for p, bit in zip(chosen, bits, strict=True) if bit}
        for i, j in arcs:
            point[i * count + j] = 1
        assert holds(model, point) == [routes_cover(arcs, count)], arcs


@QUICK
@given(st.data())
def test_no_overlap_is_pairwise_separation_of_present_intervals(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 4))
    model = bind(
        sets=[{"name": "I", "range": [1, count]}],
        variables=[
            {"name": "s", "index": ["I"], "domain": "integer"},
            {"name": "d", "index": ["I"], "domain": "integer"},
            {"name": "p", "index": ["I"], "domain": "binary"},
        ],
        constraints=[
            {"name": "c", "expression": "no_overlap(interval(s[i], d[i], p[i]) for i in I)"}
        ],
    )
    entry = st.lists(st.integers(0, 4), min_size=count, max_size=count)
    start, size = data.draw(entry), data.draw(entry)
    there = data.draw(st.lists(st.integers(0, 1), min_size=count, max_size=count))
    kept = [k for k in range(count) if there[k]]
    expected = all(
        start[a] + size[a] <= start[b] or start[b] + size[b] <= start[a]
        for a, b in itertools.combinations(kept, 2)
    )
    assert holds(model, [*start, *size, *there]) == [expected]


@QUICK
@given(st.data())
def test_cumulative_holds_when_every_instant_is_within_capacity(data: st.DataObject) -> None:
    count = data.draw(st.integers(0, 4))
    entry = st.lists(st.integers(0, 3), min_size=count, max_size=count)
    crew = data.draw(entry)
    model = bind(
        sets=[{"name": "I", "range": [1, count]}],
        parameters=[{"name": "crew", "index": ["I"], "value": crew}],
        variables=[
            {"name": "s", "index": ["I"], "domain": "integer"},
            {"name": "d", "index": ["I"], "domain": "integer"},
            {"name": "crews", "domain": "integer"},
        ],
        constraints=[
            {
                "name": "c",
                "expression": "cumulative([interval(s[i], d[i]) for i in I], "
                "[crew[i] for i in I], crews)",
            }
        ],
    )
    start, size, capacity = data.draw(entry), data.draw(entry), data.draw(st.integers(0, 5))
    expected = all(
        sum(crew[k] for k in range(count) if start[k] <= t < start[k] + size[k]) <= capacity
        for t in range(8)
    )
    assert holds(model, [*start, *size, capacity]) == [expected]


def test_an_interval_of_negative_size_is_refused() -> None:
    model = bind(
        variables=[{"name": "s"}, {"name": "d", "lower": None}],
        constraints=[{"name": "c", "expression": "no_overlap([interval(s, d)])"}],
    )
    assert holds(model, [[0, 1], [0, -1]]) == [True, False]


@pytest.mark.parametrize(
    ("members", "positions"),
    [({"members": ["p", "q", "r"]}, [1, 2, 3]), ({"range": [4, 6]}, [4, 5, 6])],
)
def test_element_takes_members_of_integer_sets_and_positions_of_others(
    members: dict[str, Any], positions: list[int]
) -> None:
    model = bind(
        sets=[{"name": "I", **members}],
        parameters=[{"name": "cost", "index": ["I"], "value": [10, 20, 30]}],
        variables=[{"name": "k", "domain": "integer"}],
        objectives=[{"name": "o", "sense": "minimize", "expression": "element(cost, k)"}],
    )
    found = model.evaluate(np.array([[p] for p in positions], float)).objectives[:, 0]
    np.testing.assert_array_equal(found, [10, 20, 30])
    outside = model.evaluate(np.array([[positions[0] - 1.0], [positions[0] + 0.5]])).objectives
    assert np.isnan(outside).all()


def test_element_looks_into_lists_variables_and_tables() -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 2]}, {"name": "J", "range": [1, 2]}],
        parameters=[{"name": "d", "index": ["I", "J"], "value": [[1, 2], [3, 4]]}],
        variables=[
            {"name": "x", "index": ["I"]},
            {"name": "k", "index": ["I"], "domain": "integer"},
        ],
        constraints=[
            {"name": "a", "expression": "element([5, x[1], 7], k[1]) <= 100"},
            {"name": "b", "expression": "element(x, k[1]) <= 100"},
            {"name": "c", "for_each": "i in I", "expression": "element(d, i, k[i]) <= 100"},
            {"name": "e", "expression": "element([d[1, j] for j in J], k[2]) <= 100"},
        ],
    )
    bodies = model.evaluate(np.array([[8.0, 9.0, 2.0, 1.0]])).bodies[0] + 100
    np.testing.assert_allclose(bodies, [8, 9, 2, 3, 1])


def test_table_accepts_exactly_its_rows() -> None:
    rows = [[1, 2], [2, 1], [3, 3]]
    model = bind(
        sets=[{"name": "ROWS", "members": rows}],
        variables=[{"name": "x", "domain": "integer"}, {"name": "y", "domain": "integer"}],
        constraints=[{"name": "c", "expression": "table([x, y], ROWS)"}],
    )
    points = list(itertools.product(range(1, 4), repeat=2))
    assert holds(model, points) == [list(p) in rows for p in points]


def test_inverse_accepts_exactly_inverse_permutations() -> None:
    model = bind(
        sets=[{"name": "N", "range": [1, 3]}],
        variables=[
            {"name": "after", "index": ["N"], "domain": "integer"},
            {"name": "before", "index": ["N"], "domain": "integer"},
        ],
        constraints=[{"name": "c", "expression": "inverse(after, before)"}],
    )
    points = list(itertools.product(range(1, 4), repeat=6))
    expected = [
        all((p[i] == j + 1) == (p[3 + j] == i + 1) for i in range(3) for j in range(3))
        for p in points
    ]
    assert sum(expected) == 6
    assert holds(model, points) == expected


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("circuit([x, y])", "comprehension over their two ends"),
        ("circuit(a[i] for i in I)", "an arc has two ends, here are 1"),
        ("table([x, y], I)", "the rows have 1 entries, 2 values are given"),
        ("no_overlap([x, y])", "an interval is expected"),
        ("cumulative([interval(x, 1)], [1, 2], 3)", "as many demands as intervals"),
        ("element(a, x, y) <= 3", "element needs 1 positions here, 2 given"),
    ],
)
def test_a_malformed_global_constraint_names_what_is_wrong(expression: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        bind(
            sets=[{"name": "I", "range": [1, 2]}],
            variables=[{"name": "x"}, {"name": "y"}, {"name": "a", "index": ["I"]}],
            constraints=[{"name": "c", "expression": expression}],
        ).evaluate(np.zeros(4))
