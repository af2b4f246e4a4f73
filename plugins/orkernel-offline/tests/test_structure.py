"""The classifier ranks by guarantee, then preference, then name."""

from __future__ import annotations

from typing import Any

import pytest

from orkernel import Capability as C
from orkernel import Formulation, Guarantee, Model, SolverAgentSpec
from orkernel.context import RunContext
from orkernel.records import Problem
from orkernel_offline.structure import StructureClassifier, kind_of


def model(objective: str, constraint: str, domain: str = "continuous") -> Model:
    variables: list[dict[str, Any]] = [
        {"name": n, "upper": 9, "domain": domain} for n in ("x", "y")
    ]
    return Model.bind(
        Formulation.model_validate(
            {
                "variables": variables,
                "objectives": [{"name": "z", "sense": "minimize", "expression": objective}],
                "constraints": [{"name": "c", "expression": constraint}],
            }
        )
    )


@pytest.mark.parametrize(
    ("objective", "constraint", "domain", "kind"),
    [
        ("x + y", "x + y >= 1", "continuous", "LP"),
        ("x + y", "x + y >= 1", "integer", "MIP"),
        ("x", "implies(x == 1, y == 0)", "binary", "MIP"),
        ("x**2 + y**2", "x + y >= 1", "continuous", "convex QP"),
        ("x*y", "x + y >= 1", "continuous", "nonconvex QP"),
        ("x**2", "x + y >= 1", "integer", "convex MIQP"),
        ("x", "x**2 + y**2 <= 4", "continuous", "convex QCP"),
        ("exp(x)", "x + y >= 1", "continuous", "NLP"),
        ("exp(x)", "x + y >= 1", "integer", "MINLP"),
    ],
)
def test_kinds(objective: str, constraint: str, domain: str, kind: str) -> None:
    assert kind_of(model(objective, constraint, domain)) == kind


def agent(name: str, guarantee: Guarantee, *sets: set[C]) -> SolverAgentSpec:
    supports = tuple(map(frozenset, sets))
    return SolverAgentSpec(name=name, target="m:o", supports=supports, guarantee=guarantee)


LP = {C.CONTINUOUS, C.LINEAR}
NLP = {*LP, C.NONLINEAR, C.NONCONVEX}


def ranking(prefer: str, *agents: SolverAgentSpec) -> list[str]:
    ctx = RunContext(options={"prefer": prefer})
    found = StructureClassifier().classify(Problem(""), model("x", "x >= 1"), agents, ctx)
    return [a.name for a in found.agents]


def test_a_stronger_guarantee_comes_first_whatever_is_preferred() -> None:
    agents = (agent("a", Guarantee.HEURISTIC, LP), agent("b", Guarantee.GLOBAL, LP))
    assert ranking("a", *agents) == ["b", "a"]


def test_preference_and_then_the_name_decide_among_equals() -> None:
    agents = [agent(n, Guarantee.GLOBAL, LP) for n in ("a", "b", "c")]
    assert ranking("c", *agents) == ["c", "a", "b"]
    assert ranking("c", *reversed(agents)) == ["c", "a", "b"]
