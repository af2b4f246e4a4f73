"""Linear rows from arrays are those that are compiled one by one, and only the rest is expanded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import orkernel_ortools.building as building
from orkernel.algebra.arrays import LoweredRows, to_quadratic_rows
from orkernel.algebra.forms import Graph, RowBlock, Rows
from orkernel.errors import Unsupported
from orkernel.model import Model
from orkernel.solution import Status
from orkernel_ortools.building import build
from orkernel_ortools.compiler import Compiler
from orkernel_ortools.exact import Linear, rational
from orkernel_ortools.linear_rows import add_linear_rows
from orkernel_ortools.program import Program

COEFFICIENTS = st.one_of(
    st.integers(-9, 9).map(float),
    st.sampled_from([0.5, -0.1, 1 / 3, 2.0**40, -(2.0**52), 2.0**53]),
)
LIMITS = st.one_of(
    st.integers(-30, 30).map(float),
    st.sampled_from([2.5, -0.3, 3 + 1e-12, 1e-10, 2.0**54, -(2.0**60)]),
)
COLUMNS = st.tuples(st.integers(-3, 2), st.integers(0, 5)).map(lambda p: (p[0], p[0] + p[1]))


def lowered(matrix: list[list[float]], lower: list[float], upper: list[float]) -> LoweredRows:
    csr = sparse.csr_array(np.array(matrix, np.float64))
    csr.eliminate_zeros()
    return LoweredRows(csr, np.array(lower), np.array(upper), to_quadratic_rows([], csr.shape[1]))


def labels(size: int) -> Rows:
    return Rows((RowBlock("rule", 0, 0, size, (), (), (), False),), size)


@settings(max_examples=300, deadline=None)
@given(
    columns=st.lists(COLUMNS, min_size=2, max_size=3),
    rows=st.lists(
        st.tuples(
            st.lists(COEFFICIENTS, min_size=3, max_size=3),
            LIMITS | st.just(-np.inf),
            LIMITS | st.just(np.inf),
        ),
        min_size=1,
        max_size=4,
    ),
    guarded=st.booleans(),
)
def test_rows_from_arrays_are_the_rows_made_one_by_one(
    columns: list[tuple[int, int]],
    rows: list[tuple[list[float], float, float]],
    guarded: bool,
) -> None:
    def program() -> tuple[Program, range, range]:
        made = Program()
        found = made.integers([a for a, _ in columns], [b for _, b in columns])
        guards = made.integers([0] * len(rows), [1] * len(rows)) if guarded else range(0)
        return made, found, guards

    def from_arrays() -> str:
        made, found, guards = program()
        arrays = lowered(
            [row[: len(columns)] for row, _, _ in rows],
            [low for _, low, _ in rows],
            [high for _, _, high in rows],
        )
        add_linear_rows(made, found, arrays, labels(len(rows)), np.arange(len(rows)), list(guards))
        return str(made.model)

    def one_by_one() -> str:
        made, found, guards = program()
        for i, (row, low, high) in enumerate(rows):
            terms = {v: rational(c) for v, c in zip(found, row, strict=False) if c}
            made.between(Linear(terms), low, high, (guards[i],) if guarded else ())
        return str(made.model)

    def outcome(make: Callable[[], str]) -> str:
        try:
            return make()
        except Unsupported as error:
            return error.why

    assert outcome(from_arrays) == outcome(one_by_one)


def test_a_row_beyond_64_bits_is_named() -> None:
    program = Program()
    columns = program.integers([0, 0], [2**50, 2**50])
    rows = lowered([[1.0, 1.0], [2.0**40, 1.0]], [0.0, 1.0], [9.0, 5.0])
    with pytest.raises(Unsupported, match="rule"):
        add_linear_rows(program, columns, rows, labels(2), np.arange(2))


def test_only_rows_that_are_not_linear_are_expanded(
    model_of: Callable[..., Model], monkeypatch: pytest.MonkeyPatch
) -> None:
    graphs: list[Graph] = []

    def watched(graph: Graph, program: Program, columns: range) -> Compiler:
        graphs.append(graph)
        return Compiler(graph, program, columns)

    monkeypatch.setattr(building, "Compiler", watched)
    variables = [{"name": n, "lower": 0, "upper": 4} for n in ("x", "y", "z")]
    model = model_of(variables, ["x + y <= 5", "all_different([x, y, z])", "y >= 1"], "2*x - z")
    build(model, model.columns.lower, model.columns.upper)
    build(model, model.columns.lower, model.columns.upper, guarded=True, objective=False)
    assert [graph.row_labels.label(0) for graph in graphs] == ["c1", "c1"]
    assert [(len(graph.rows), len(graph.objectives)) for graph in graphs] == [(1, 0), (1, 0)]
    linear = model_of(variables, ["x + y <= 5"], "z")
    build(linear, linear.columns.lower, linear.columns.upper)
    assert len(graphs) == 2


@pytest.mark.parametrize(
    ("constraints", "objective"),
    [
        (["x + y <= 5", "all_different([x, y, z])", "0.5*x - 0.25*z >= -0.5"], "3*x - 2*y + z"),
        (["x + y <= 5", "x * y >= 3", "z <= x"], "x + y - z"),
        (["x + y + z <= 5", "z >= 1", "x <= 3"], "x * y - z"),
        (["x + y <= 5", "x <= 3 != y", "y + z >= 2"], "0.1*x + 0.2*y - 1.7"),
    ],
)
def test_mixed_models_agree_with_enumeration(
    model_of: Callable[..., Model],
    agrees: Callable[[Model], None],
    constraints: list[str],
    objective: str,
) -> None:
    variables = [{"name": n, "lower": 0, "upper": 4} for n in ("x", "y", "z")]
    for sense in ("minimize", "maximize"):
        agrees(model_of(variables, constraints, objective, sense))


def test_rows_from_arrays_and_from_the_graph_share_an_infeasible_subset(
    model_of: Callable[..., Model], solve: Callable[..., Any]
) -> None:
    variables = [{"name": n, "lower": 0, "upper": 4} for n in ("x", "y", "z")]
    rules = ["x + z <= 7", "all_different([x, y])", "x <= 0", "z >= 1", "y <= x"]
    solution = solve(model_of(variables, rules))
    assert solution.status is Status.INFEASIBLE
    assert sorted(solution.infeasible_subset.rows) == [1, 2, 4]
