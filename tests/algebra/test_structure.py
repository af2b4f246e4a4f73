"""The structure report: classes, needs, convexity, sizes."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Capability as C

NAMES = {
    "sets": [{"name": "I", "members": ["a", "b"]}, {"name": "ROWS", "members": [[1, 2], [2, 1]]}],
    "parameters": [
        {"name": "k", "value": 2},
        {"name": "c", "index": ["I"], "value": [1, 2]},
        {"name": "d", "distribution": {"normal": {"mean": 1, "std": 1}}},
    ],
    "variables": [
        {"name": "x", "index": ["I"]},
        {"name": "y"},
        {"name": "n", "domain": "integer"},
        {"name": "b", "index": ["I"], "domain": "binary"},
        {"name": "arc", "index": ["I", "I"], "domain": "binary"},
    ],
}


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(NAMES | parts))


@pytest.mark.parametrize(
    ("expression", "kind", "needs"),
    [
        ("sum(c[i]*x[i] for i in I) <= k", "linear", {C.LINEAR}),
        ("x['a'] / k + 3 >= -y", "linear", {C.LINEAR}),
        ("2 <= 3", "linear", {C.LINEAR}),
        ("sqrt(k) * y <= max(c[i] for i in I)", "linear", {C.LINEAR}),
        ("(y if k > 1 else n) <= 3", "linear", {C.LINEAR}),
        ("y ** 1 + y ** (k - 1) <= 3", "linear", {C.LINEAR}),
        ("y * y <= 3", "quadratic", {C.QUADRATIC_CONSTRAINT}),
        ("y ** k <= 3", "quadratic", {C.QUADRATIC_CONSTRAINT}),
        ("sum(x[i] for i in I) * n >= 1", "quadratic", {C.QUADRATIC_CONSTRAINT, C.NONCONVEX}),
        ("prod([y, n]) <= 3", "quadratic", {C.QUADRATIC_CONSTRAINT, C.NONCONVEX}),
        ("y * y * n <= 3", "nonlinear", {C.NONLINEAR}),
        ("y ** 0.5 <= 3", "nonlinear", {C.NONLINEAR}),
        ("k / y <= 3", "nonlinear", {C.NONLINEAR}),
        ("k ** y <= 3", "nonlinear", {C.NONLINEAR}),
        ("exp(y) <= 3", "nonlinear", {C.NONLINEAR}),
        ("prod(x[i] for i in I) <= 3", "nonlinear", {C.NONLINEAR}),
        ("abs(y) <= 3", "piecewise", {C.PIECEWISE, C.LINEAR}),
        ("max(x[i] for i in I) + min(y, n) <= 3", "piecewise", {C.PIECEWISE, C.LINEAR}),
        ("piecewise(y, [0, 1], [0, 2]) <= 3", "piecewise", {C.PIECEWISE, C.LINEAR}),
        ("abs(y * n) <= 3", "quadratic", {C.PIECEWISE, C.QUADRATIC_CONSTRAINT, C.NONCONVEX}),
        ("implies(n == 0, y <= 1)", "logical", {C.LOGICAL}),
        ("y != 3", "logical", {C.LOGICAL}),
        ("any(b[i] for i in I)", "logical", {C.LOGICAL}),
        ("not n == 3", "logical", {C.LOGICAL}),
        ("sum(x[i] >= 1 for i in I) <= 1", "logical", {C.LOGICAL}),
        ("implies(n == 0, exp(y) <= 2)", "logical", {C.LOGICAL, C.NONLINEAR}),
        ("all_different(x[i] for i in I)", "all_different", {C.ALL_DIFFERENT}),
        ("circuit(arc[i,j] for i in I for j in I if i != j)", "circuit", {C.CIRCUIT}),
        (
            "multi_circuit([arc[i,j] for i in I for j in I], 'a')",
            "multi_circuit",
            {C.MULTI_CIRCUIT},
        ),
        ("cumulative([interval(y, 2)], [1], n)", "cumulative", {C.CUMULATIVE}),
        ("no_overlap(interval(x[i], 2) for i in I)", "no_overlap", {C.NO_OVERLAP}),
        ("element(c, n) + y <= 3", "element", {C.ELEMENT}),
        ("table([y, n], ROWS)", "table", {C.TABLE}),
        ("inverse(x, x)", "inverse", {C.INVERSE}),
        ("n == 0 or all_different([y, n])", "all_different", {C.LOGICAL, C.ALL_DIFFERENT}),
        ("probability(y >= d) >= 0.9", "random", {C.RANDOM}),
        ("expectation(d) * y <= 3", "random", {C.RANDOM}),
    ],
)
def test_each_constraint_has_its_class_and_needs(expression: str, kind: str, needs: set[C]) -> None:
    structure = bind(constraints=[{"name": "c", "expression": expression}]).structure
    assert structure.constraint_class == {"c": kind}
    assert structure.capabilities == needs | {C.CONTINUOUS, C.INTEGER}
    assert all(isinstance(need, C) for need in structure.capabilities)


@pytest.mark.parametrize(
    ("sense", "expression", "kind", "needs", "convex"),
    [
        ("minimize", "3*y + 1", "linear", {C.LINEAR}, True),
        ("minimize", "7", "linear", {C.LINEAR}, True),
        ("minimize", "y*y", "quadratic", {C.QUADRATIC_OBJECTIVE}, True),
        ("maximize", "y*y", "quadratic", {C.QUADRATIC_OBJECTIVE, C.NONCONVEX}, False),
        ("maximize", "-(y - 3)**2", "quadratic", {C.QUADRATIC_OBJECTIVE}, True),
        ("minimize", "y*n", "quadratic", {C.QUADRATIC_OBJECTIVE, C.NONCONVEX}, False),
        ("minimize", "log(y)", "nonlinear", {C.NONLINEAR}, None),
        ("minimize", "abs(y)", "piecewise", {C.PIECEWISE, C.LINEAR}, None),
        ("minimize", "expectation(abs(y - d))", "random", {C.RANDOM}, None),
    ],
)
def test_each_objective_has_its_class_needs_and_convexity(
    sense: str, expression: str, kind: str, needs: set[C], convex: bool | None
) -> None:
    structure = bind(objectives=[{"name": "o", "sense": sense, "expression": expression}]).structure
    assert structure.objective_class == {"o": kind}
    assert structure.capabilities == needs | {C.CONTINUOUS, C.INTEGER}
    assert structure.convex is convex


def test_columns_decide_continuous_and_integer() -> None:
    continuous = Model.bind(Formulation.model_validate({"variables": [{"name": "x"}]}))
    integer = Model.bind(
        Formulation.model_validate({"variables": [{"name": "x", "domain": "binary"}]})
    )
    assert continuous.needs == {C.CONTINUOUS}
    assert integer.needs == {C.INTEGER}


def test_several_objectives_need_multi_objective() -> None:
    objectives = [{"name": n, "sense": "minimize", "expression": "y"} for n in ("first", "second")]
    assert C.MULTI_OBJECTIVE in bind(objectives=objectives).needs


def test_sizes_count_columns_rows_and_nonzeros() -> None:
    model = bind(
        objectives=[{"name": "o", "sense": "minimize", "expression": "y"}],
        constraints=[
            {"name": "c", "for_each": "i in I", "expression": "0 <= x[i] + y <= c[i]"},
        ],
    )
    assert model.structure.sizes == {
        "columns": 10,
        "integer": 7,
        "rows": 4,
        "nonzeros": 8,
        "objectives": 1,
    }


def test_assumptions_of_strict_comparisons_are_reported_with_their_element() -> None:
    model = bind(constraints=[{"name": "less", "expression": "y < 3"}])
    (assumption,) = model.structure.assumptions
    assert "constraint 'less'" in assumption
    assert "strict" in assumption


def test_a_linear_model_is_reported_without_importing_the_convexity_tests() -> None:
    script = """
import sys
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
formulation = Formulation.model_validate({"variables": [{"name": "x"}]})
print(Model.bind(formulation).structure.convex, "scipy.sparse.linalg" in sys.modules)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["True", "False"]
