"""Generators: joins and filters give what nested loops give, in order and in bounded space."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel.algebra import generators
from orkernel.algebra.members import BoundSet, Lookup, Universe
from orkernel.algebra.parse import parse_for_each
from orkernel.algebra.space import Space, groups, ragged
from orkernel.errors import ExpressionError
from orkernel.formulation.schema import Formulation
from orkernel.model import Model

QUICK = settings(max_examples=80, deadline=None)


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


def rows_of(model: Model, for_each: str) -> list[tuple[Any, ...]]:
    """The combinations of a `for_each`, as members."""
    space = generators.extend(model.program.data, Space(), parse_for_each(for_each))
    columns = []
    for name in space.names():
        label = space.get(name)
        assert label is not None
        columns.append(label.objects(space.size).tolist())
    return list(zip(*columns, strict=True))


@st.composite
def worlds(draw: Any) -> tuple[Model, list[int], list[tuple[int, int]], list[int]]:
    """A model with a set of integers, a set of pairs and a parameter over the integers."""
    size = draw(st.sampled_from([0, 1, 3, 4, 5]))
    numbers = draw(st.permutations(range(-2, size - 2)))
    pair = st.tuples(st.integers(-2, 3), st.integers(-2, 3))
    pairs = draw(st.lists(pair, unique=True, min_size=draw(st.sampled_from([0, 8])), max_size=20))
    group = draw(st.lists(st.integers(-2, 2), min_size=size, max_size=size))
    model = bind(
        sets=[{"name": "N", "members": list(numbers)}, {"name": "ARC", "members": pairs}],
        parameters=[{"name": "g", "index": ["N"], "value": group}],
    )
    return model, list(numbers), pairs, group


@QUICK
@given(worlds())
def test_every_kind_of_join_equals_nested_loops(world: Any) -> None:
    model, numbers, pairs, values = world
    g = dict(zip(numbers, values, strict=True))
    expected: dict[str, list[tuple[int, ...]]] = {
        "i in N, j in N": [(i, j) for i in numbers for j in numbers],
        "i in N for j in N if i == j": [(i, j) for i in numbers for j in numbers if i == j],
        "i in N for j in N if j == i + 1": [(i, j) for i in numbers for j in numbers if j == i + 1],
        "i in N for j in N if g[j] == i": [(i, j) for i in numbers for j in numbers if g[j] == i],
        "i in N for j in N if g[i] == g[j] if i != j": [
            (i, j) for i in numbers for j in numbers if g[i] == g[j] and i != j
        ],
        "i in N for j in N if g[i] == g[j] and i * 2 == j": [
            (i, j) for i in numbers for j in numbers if g[i] == g[j] and i * 2 == j
        ],
        "i in N for j in N if i > 0 and j == i - 1": [
            (i, j) for i in numbers for j in numbers if i > 0 and j == i - 1
        ],
        "i in N for j in N if j > 0 and j == i + 1": [
            (i, j) for i in numbers for j in numbers if j > 0 and j == i + 1
        ],
        "i in N for j in N if i >= 0 and j >= 0 and (i, j) in ARC": [
            (i, j) for i in numbers for j in numbers if i >= 0 and j >= 0 and (i, j) in pairs
        ],
        "i in N for j in N if (i, j) in ARC and g[j] == g[i]": [
            (i, j) for i in numbers for j in numbers if (i, j) in pairs and g[j] == g[i]
        ],
        "i in N for j in N if g[j] == g[i] and (j, i) in ARC": [
            (i, j) for i in numbers for j in numbers if (j, i) in pairs and g[j] == g[i]
        ],
        "i in N for j in N if (i, j) in ARC": [
            (i, j) for i in numbers for j in numbers if (i, j) in pairs
        ],
        "i in N for j in N if (j, i + 1) in ARC and j > 0": [
            (i, j) for i in numbers for j in numbers if (j, i + 1) in pairs and j > 0
        ],
        "i in N for j in N if (j, j) in ARC": [
            (i, j) for i in numbers for j in numbers if (j, j) in pairs
        ],
        "(i, j) in ARC for k in N if k == j": [
            (i, j, k) for i, j in pairs for k in numbers if k == j
        ],
        "(i, j) in ARC for (k, l) in ARC if (i, l) in ARC": [
            (i, j, k, m) for i, j in pairs for k, m in pairs if (i, m) in pairs
        ],
        "(i, j) in ARC for (k, l) in ARC if k == j": [
            (i, j, k, m) for i, j in pairs for k, m in pairs if k == j
        ],
        "(i, j) in ARC for (k, l) in ARC if k == j if l == i": [
            (i, j, k, m) for i, j in pairs for k, m in pairs if k == j and m == i
        ],
        "(i, j) in ARC for (k, l) in ARC if (l, k) in ARC if k < i": [
            (i, j, k, m) for i, j in pairs for k, m in pairs if (m, k) in pairs and k < i
        ],
        "i in N for j in N if i > 0 and j < i": [
            (i, j) for i in numbers for j in numbers if i > 0 and j < i
        ],
        "i in [3, 1, 0] for j in N if j == i": [
            (i, j) for i in (3, 1, 0) for j in numbers if j == i
        ],
    }
    for text, combinations in expected.items():
        assert rows_of(model, text) == combinations, text


@QUICK
@given(worlds(), st.integers(1, 7))
def test_testing_in_blocks_changes_nothing(world: Any, block: int) -> None:
    model, *_ = world
    text = "i in N for j in N if i < j or i + j == 0"
    whole = rows_of(model, text)
    before = generators.BLOCK
    generators.BLOCK = block
    try:
        assert rows_of(model, text) == whole
    finally:
        generators.BLOCK = before


@QUICK
@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.integers(-3, 3), st.sampled_from("ab")), unique=True
    ),
    st.lists(st.tuples(st.sampled_from("abcd"), st.integers(-4, 4), st.sampled_from("abd"))),
)
def test_lookup_of_tuples_equals_a_dictionary(members: list[Any], wanted: list[Any]) -> None:
    universe = Universe()
    bound = BoundSet.from_members("S", members, 3, universe)
    columns = list(zip(*wanted, strict=True)) if wanted else [(), (), ()]
    found = bound.find([universe.codes(c) for c in columns])
    positions = {m: k for k, m in enumerate(members)}
    assert found.tolist() == [positions.get(w, -1) for w in wanted]


def test_lookup_survives_more_combinations_of_atoms_than_integers_have() -> None:
    count = 3000
    rng = np.random.default_rng(0)
    components = [rng.permutation(count).astype(np.int64) for _ in range(8)]
    lookup = Lookup.over(components)
    np.testing.assert_array_equal(lookup.find(components), np.arange(count))
    shifted = [*components[:-1], np.roll(components[-1], 1)]
    np.testing.assert_array_equal(lookup.find(shifted), -1)


def test_groups_and_ragged_expansions_on_hand_made_cases() -> None:
    starts, present = groups(np.array([1, 1, 4]), 6)
    assert starts.tolist() == [0, 2]
    assert present.tolist() == [1, 4]
    owner, offset = ragged(np.array([2, 0, 1]))
    assert owner.tolist() == [0, 0, 2]
    assert offset.tolist() == [0, 1, 0]
    assert [a.size for a in groups(np.zeros(0, np.int64), 3)] == [0, 0]


def sparse_rows(rows: int, nonzeros: int) -> Model:
    rng = np.random.default_rng(1)
    pairs = sorted({(int(r), int(c)) for r, c in rng.integers(1, rows + 1, (nonzeros, 2))})
    return bind(
        sets=[
            {"name": "R", "range": [1, rows]},
            {"name": "NZ", "members": pairs},
        ],
        parameters=[{"name": "a", "index": ["NZ"], "value": [1.5] * len(pairs)}],
        variables=[{"name": "x", "index": ["R"]}],
        constraints=[
            {
                "name": "by tuples",
                "for_each": "r in R",
                "expression": "sum(a[q, c] * x[c] for (q, c) in NZ if q == r) <= 1",
            },
            {
                "name": "by membership",
                "for_each": "r in R",
                "expression": "sum(a[r, c] * x[c] for c in R if (r, c) in NZ) <= 1",
            },
        ],
    )


def test_a_sparse_matrix_over_tuples_is_joined_and_not_crossed() -> None:
    model = sparse_rows(3000, 30_000)
    tracemalloc.start()
    form = model.linear()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    count = len(model.sets["NZ"])
    assert form.matrix.nnz == 2 * count
    assert (form.matrix[:3000] != form.matrix[3000:]).nnz == 0
    assert peak < 60e6, "3,000 × 30,000 combinations were built"


def test_too_many_combinations_are_refused_before_they_are_built() -> None:
    model = bind(
        sets=[{"name": "I", "range": [1, 10_000]}],
        variables=[{"name": "x", "index": ["I"]}],
        constraints=[{"name": "c", "expression": "sum(x[i] for i in I for j in I) <= 1"}],
    )
    with pytest.raises(ExpressionError, match=r"constraint 'c': this runs over about 100,000,000"):
        model.linear()


@pytest.mark.parametrize(
    ("for_each", "message"),
    [
        ("i in NOWHERE", "'NOWHERE' is not defined"),
        ("i in k", "'k' is a parameter, not a set"),
        ("(i, j) in I", r"members of 'I' have 1 part\(s\), 2 names given"),
        ("(i, j, k2) in ARC", r"members of 'ARC' have 2 part\(s\), 3 names given"),
        ("x in I", "the index 'x' has the name of a variable"),
        ("i in I for i in I", "the index 'i' is already in use"),
        ("(i, i) in ARC", "two indices of one tuple have the same name"),
        ("i in I if x >= 1", "'x' is a variable; a condition of a generator must be data"),
        ("i in I if w[i - 1] > 0", "'w' has no entry for 0: it is not in 'I', where i=1"),
    ],
)
def test_a_wrong_for_each_names_the_place_and_the_fix(for_each: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=message) as caught:
        bind(
            sets=[{"name": "I", "range": [1, 3]}, {"name": "ARC", "members": [["a", "b"]]}],
            parameters=[
                {"name": "k", "value": 1},
                {"name": "w", "index": ["I"], "value": [1, 2, 3]},
            ],
            variables=[{"name": "x"}],
            constraints=[{"name": "c", "for_each": for_each, "expression": "x <= 1"}],
        )
    assert caught.value.element == "constraint 'c'"
    start, end = caught.value.span
    assert 0 <= start < end <= len(for_each)


def test_a_condition_guards_those_after_it() -> None:
    model = bind(
        sets=[{"name": "T", "range": [1, 4]}],
        parameters=[{"name": "w", "index": ["T"], "value": [1, 0, 1, 1]}],
    )
    assert rows_of(model, "t in T if t > 1 and w[t - 1] > 0") == [(2,), (4,)]
    assert rows_of(model, "t in T if t > 1 if w[t - 1] > 0") == [(2,), (4,)]
    assert rows_of(model, "t in T if t == 1 or w[t - 1] == 0") == [(1,), (3,)]
    assert rows_of(model, "t in T for s in T if s < t and w[s + 1] == 0") == [
        (2, 1),
        (3, 1),
        (4, 1),
    ]
    assert rows_of(model, "t in T if t < 3 for s in T if s == t and w[s + 1] == 0") == [(1, 1)]
