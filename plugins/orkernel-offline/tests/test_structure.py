"""The classifier ranks by guarantee, then preference, then what the structure asks for."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel import Capability as C
from orkernel import Formulation, Guarantee, Model, SolverAgentSpec
from orkernel.compose import route
from orkernel.context import RunContext
from orkernel.records import Problem, RankedAgent
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


# ------------------------------------------------------------------- every kind of agent

MIP = {*LP, C.INTEGER, C.LOGICAL, C.PIECEWISE}
CP = {
    C.INTEGER,
    C.LINEAR,
    C.LOGICAL,
    C.PIECEWISE,
    C.QUADRATIC_OBJECTIVE,
    C.QUADRATIC_CONSTRAINT,
    C.NONCONVEX,
    C.ALL_DIFFERENT,
    C.CIRCUIT,
    C.NO_OVERLAP,
    C.CUMULATIVE,
}
MINLP = {*MIP, C.QUADRATIC_OBJECTIVE, C.QUADRATIC_CONSTRAINT, C.NONCONVEX, C.NONLINEAR}
EVERYTHING = set(C) - {C.RANDOM}
INSTALLED = (
    agent("highs", Guarantee.GLOBAL, LP, MIP, {*LP, C.QUADRATIC_OBJECTIVE}),
    agent("pyomo", Guarantee.GLOBAL, MIP, MINLP),
    agent("ortools", Guarantee.GLOBAL, CP),
    agent("pymoo", Guarantee.HEURISTIC, EVERYTHING),
    agent("numpy", Guarantee.SAMPLED, set(C)),
)
"""Records made up for these tests, with the names that the classifier knows."""


def several(*objectives: tuple[str, str], domain: str = "continuous", **more: Any) -> Model:
    return Model.bind(
        Formulation.model_validate(
            {
                "variables": [{"name": n, "upper": 9, "domain": domain} for n in "xy"],
                "objectives": [
                    {"name": f"o{k}", "sense": sense, "expression": expression, **more}
                    for k, (sense, expression) in enumerate(objectives)
                ],
                "constraints": [{"name": "c", "expression": "x + y <= 9"}],
            }
        )
    )


def ranked(found: Model, *agents: SolverAgentSpec) -> list[RankedAgent]:
    answer = StructureClassifier().classify(
        Problem(""), found, agents or INSTALLED, RunContext(options={"prefer": ""})
    )
    return list(answer.agents)


FRONT = (("minimize", "x + 2*y"), ("maximize", "3*x + y"))

FIRST = {
    "LP": (model("x + y", "x + y >= 1"), "highs"),
    "MIP": (model("x + y", "x + y >= 1", "integer"), "highs"),
    "conditions over whole numbers": (model("x", "implies(x >= 1, y == 0)", "integer"), "ortools"),
    "conditions over fractions": (model("x", "implies(x >= 1, y == 0)"), "highs"),
    "convex QP": (model("x**2 + y**2", "x + y >= 1"), "highs"),
    "nonconvex QP": (model("x*y", "x + y >= 1"), "pyomo"),
    "nonconvex over whole numbers": (model("x*y", "x + y >= 1", "integer"), "ortools"),
    "NLP": (model("exp(x)", "x + y >= 1"), "pyomo"),
    "global constraint": (model("x", "all_different([x, y])", "integer"), "ortools"),
    "front of linear objectives": (several(*FRONT), "highs"),
    "front with a convex quadratic": (
        several(("minimize", "x**2 + y**2"), ("maximize", "3*x + y")),
        "highs",
    ),
    "front of two nonconvex": (several(("minimize", "x*y"), ("maximize", "x - y**2")), "pyomo"),
}


@pytest.mark.parametrize("kind", FIRST)
def test_the_agent_made_for_the_structure_comes_first(kind: str) -> None:
    found, first = FIRST[kind]
    assert ranked(found)[0].name == first


def test_a_front_is_explained_and_both_ways_are_offered() -> None:
    reasons = {a.name: a.reason for a in ranked(several(*FRONT))}
    assert (
        "linear with two objectives: exact ε-constraint front through highs; "
        "pymoo and numpy would only sample it" in reasons["highs"]
    )
    assert "only samples the front (heuristic); highs computes it exactly" in reasons["pymoo"]


def test_an_agent_that_is_only_local_is_not_used_for_exact_fronts() -> None:
    local = agent("slope", Guarantee.LOCAL, MINLP)
    assert ranked(several(*FRONT), local) == []


@pytest.mark.parametrize(
    ("more", "kind"),
    [({}, "multi-objective LP"), ({"weight": 2}, "weighted LP")],
)
def test_kinds_of_several_objectives(more: dict[str, Any], kind: str) -> None:
    assert kind_of(several(*FRONT, **more)) == kind


@pytest.mark.parametrize(
    ("constraint", "kind"),
    [
        ("all_different([x, y])", "CP"),
        ("no_overlap([interval(x, 2), interval(y, 3)])", "disjunctive scheduling"),
        ("cumulative([interval(x, 2), interval(y, 3)], [1, 1], 1)", "RCPSP"),
    ],
)
def test_global_constraints_name_the_kind(constraint: str, kind: str) -> None:
    assert kind_of(model("x", constraint, "integer")) == kind


SETS = st.frozensets(st.sampled_from(sorted(C)), min_size=1)
SPECS = st.lists(
    st.tuples(
        st.sampled_from(["highs", "ortools", "pyomo", "pymoo", "numpy", "own", "other"]),
        st.sampled_from(list(Guarantee)),
        st.lists(
            st.one_of(SETS, st.sampled_from([*map(frozenset, (LP, MIP, CP, MINLP))])), max_size=3
        ),
    ),
    unique_by=lambda spec: spec[0],
)


@settings(max_examples=60, deadline=None)
@given(SPECS, st.sampled_from(sorted(FIRST)), st.randoms())
def test_any_order_of_agents_gives_the_same_ranking_of_exactly_those_that_can(
    made: list[tuple[str, Guarantee, list[frozenset[C]]]], kind: str, chance: Any
) -> None:
    found = FIRST[kind][0]
    agents = [agent(name, guarantee, *map(set, sets)) for name, guarantee, sets in made]
    once = ranked(found, *agents) if agents else []
    shuffled = chance.sample(agents, len(agents))
    assert (ranked(found, *shuffled) if agents else []) == once
    able = {a.name: way for a in agents if (way := route(a, found)) is not None}
    assert {a.name for a in once} == set(able)
    strengths = [list(Guarantee).index(able[a.name].guarantee) for a in once]
    assert strengths == sorted(strengths)
    assert all(a.reason for a in once)
