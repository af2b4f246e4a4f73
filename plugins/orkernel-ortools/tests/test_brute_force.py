"""Random small models against enumeration by the kernel's own evaluator."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orkernel.context import RunContext
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Problem
from orkernel.solution import Solution, Status
from orkernel.verify import check_point
from orkernel_ortools.agent import OrtoolsAgent

CTX = RunContext(options={"workers": 1})


def model_of(
    variables: list[dict[str, Any]],
    constraints: list[str],
    objective: str = "",
    sense: str = "minimize",
    **parts: Any,
) -> Model:
    document = {
        "schema_version": 1,
        "variables": [{"domain": "integer", **v} for v in variables],
        "constraints": [
            {"name": f"c{k}", "expression": text} for k, text in enumerate(constraints)
        ],
        "objectives": [{"name": "goal", "sense": sense, "expression": objective}]
        if objective
        else [],
        **parts,
    }
    return Model.bind(Formulation.model_validate(document))


def solve(model: Model, ctx: RunContext = CTX) -> Solution:
    return OrtoolsAgent().solve(Problem(""), model, ctx)


def enumerated(model: Model) -> float | None:
    """The optimum by trying every point (0 without an objective), None if there is no point."""
    columns = model.columns
    axes = [
        range(int(low), int(high) + 1)
        for low, high in zip(columns.lower, columns.upper, strict=True)
    ]
    points = np.array(list(product(*axes)), float).reshape(-1, len(columns))
    values = model.evaluate(points)
    feasible = np.all(values.violations <= 1e-6 * values.scales, axis=1)
    if model.formulation.objectives:
        feasible &= np.isfinite(values.objectives[:, 0])
    if not feasible.any():
        return None
    if not model.formulation.objectives:
        return 0.0
    found = values.objectives[feasible, 0]
    maximize = model.formulation.objectives[0].sense == "maximize"
    return float(found.max() if maximize else found.min())


def agrees_with_enumeration(model: Model) -> None:
    best = enumerated(model)
    solution = solve(model)
    if best is None:
        assert solution.status is Status.INFEASIBLE
        return
    assert solution.status is Status.OPTIMAL
    assert not check_point(model, solution.values).problems
    if model.formulation.objectives:
        assert solution.objective == pytest.approx(best, abs=1e-6)
        assert solution.bound == pytest.approx(best, abs=1e-6)


# --------------------------------------------------------------------------- expressions

NAMES = ("x", "y", "z")
NUMBERS = st.sampled_from(["-3", "-1", "0", "1", "2", "3", "0.5", "1.25", "-0.1", "5"])
LEAVES = st.one_of(st.sampled_from(NAMES), NUMBERS, st.sampled_from(["(a >= 1)", "a", "b"]))


def _grown(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: f"({p[0]} + {p[1]})"),
        pairs.map(lambda p: f"({p[0]} - {p[1]})"),
        pairs.map(lambda p: f"({p[0]} * {p[1]})"),
        pairs.map(lambda p: f"max({p[0]}, {p[1]})"),
        pairs.map(lambda p: f"min({p[0]}, {p[1]})"),
        inner.map(lambda e: f"abs({e})"),
        inner.map(lambda e: f"(-({e}))"),
        inner.map(lambda e: f"({e})**2"),
        inner.map(lambda e: f"({e}) / 4"),
        st.sampled_from(NAMES).map(lambda v: f"piecewise({v}, [-2, 0, 1, 3], [4, 0, 2, 1])"),
        st.sampled_from(NAMES).map(lambda v: f"element([4, 1, 7], {v})"),
        st.sampled_from(NAMES).map(lambda v: f"element([x, 2, y + 1], {v} + 1)"),
    )


EXPRESSIONS = st.recursive(LEAVES, _grown, max_leaves=4)
COMPARISONS = st.tuples(
    EXPRESSIONS, st.sampled_from(["<=", ">=", "==", "!=", "<", ">"]), EXPRESSIONS
).map(" ".join)

GLOBALS = st.sampled_from(
    [
        "all_different([x, y, z])",
        "all_different([x, y + 1, 2 * z])",
        "table([x, y], [[0, 1], [2, 2], [-1, 0]])",
        "table([2 * x, y], [[0, 1], [2, 2], [3, 0]])",
        "no_overlap([interval(x, 2), interval(y, 1), interval(z, 2)])",
        "no_overlap([interval(x, 0), interval(y, 3), interval(z, y, a)])",
        "no_overlap([interval(x, y, a), interval(z, 1, b), interval(1, 1)])",
        "cumulative([interval(x, 2), interval(y, 3)], [1, 2], 2)",
        "cumulative([interval(x, 2, a), interval(y, z)], [y, 1], 2)",
        "cumulative([interval(x, 0.5), interval(y, 1.5)], [0.5, z], 1.5)",
        "cumulative([interval(x, 1), interval(y, 2)], [1, 1], z)",
        "inverse([x, y, z], [x, z, y])",
        "inverse([x, y], [z, y])",
    ]
)


def _logical(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: f"({p[0]} and {p[1]})"),
        pairs.map(lambda p: f"({p[0]} or {p[1]})"),
        pairs.map(lambda p: f"implies({p[0]}, {p[1]})"),
        pairs.map(lambda p: f"iff({p[0]}, {p[1]})"),
        inner.map(lambda e: f"(not ({e}))"),
    )


TRUTHS = st.recursive(
    st.one_of(COMPARISONS.map(lambda c: f"({c})"), st.sampled_from(["a == 1", "b == 0"]), GLOBALS),
    _logical,
    max_leaves=3,
)


BOUNDS = st.tuples(st.integers(-2, 1), st.integers(0, 3)).map(lambda p: (p[0], p[0] + p[1]))


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    st.lists(BOUNDS, min_size=3, max_size=3),
    st.lists(st.one_of(COMPARISONS, TRUTHS), min_size=1, max_size=3),
    st.one_of(st.just(""), EXPRESSIONS.map("0 + {}".format)),
    st.sampled_from(["minimize", "maximize"]),
)
def test_random_models_agree_with_enumeration(
    bounds: list[tuple[int, int]], constraints: list[str], objective: str, sense: str
) -> None:
    variables = [
        {"name": name, "lower": low, "upper": high}
        for name, (low, high) in zip(NAMES, bounds, strict=True)
    ]
    variables += [{"name": name, "domain": "binary"} for name in ("a", "b")]
    agrees_with_enumeration(model_of(variables, constraints, objective, sense))
