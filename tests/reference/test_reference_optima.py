"""Every exact agent reaches the known status and optimum of every reference instance it supports.

Each pair of agent and instance runs through `orkernel.run` once, the agent alone in its
registry, so that no second opinion helps it; what an agent does not declare it must refuse.
"""

from __future__ import annotations

import functools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import orkernel
from orkernel import Guarantee, SolverAgentSpec, Status
from orkernel.answer import Answer
from orkernel.config import Config
from orkernel.errors import ExitCode
from orkernel.formulation.load import load_formulation
from orkernel.model import Model
from orkernel.records import Capability
from orkernel.registry import Registry
from orkernel.solution import Evidence

HERE = Path(__file__).parent
AGENTS = ("highs", "pyomo", "ortools", "numpy")
ENUMERABLE = 200_000
"""Most points of an instance that is put to the enumerating agent."""
TIME_LIMIT = {"LP": 120.0, "MIP": 120.0, "QP": 120.0, "NLP": 15.0, "MINLP": 60.0}
Entry = dict[str, Any]

UNPROVEN: dict[str, frozenset[str]] = {
    "highs": frozenset(),
    "pyomo": frozenset({"hs112"}),
    "ortools": frozenset(),
    "numpy": frozenset(),
}
"""Instances whose optimum is found but not proven: SCIP gets no bound, or not in time."""

INSTANCES: dict[str, Entry] = {
    entry["name"]: entry
    for entry in json.loads((HERE / "optima.json").read_text(encoding="utf-8"))["instances"]
}
REGISTRIES = {agent: Registry.load(Config.load(plugins=agent)) for agent in AGENTS}

TOGETHER = Registry.load(Config.load(plugins=",".join(AGENTS)))
"""All agents: a subset of rows may suit another agent than the whole model."""


def needs_of(entry: Entry) -> frozenset[Capability]:
    """What an agent must support; all instances with several objectives order them."""
    needs = frozenset(Capability(name) for name in entry["capabilities"])
    return needs - {Capability.MULTI_OBJECTIVE}


def promise(agent: str, entry: Entry) -> Guarantee | None:
    """What the agent promises for an instance; None if it must refuse it."""
    spec = REGISTRIES[agent].get("solver_agents", agent)
    assert isinstance(spec, SolverAgentSpec)
    return spec.promise(needs_of(entry))


def exact(agent: str, entry: Entry) -> bool:
    """Whether the agent is to prove the optimum of an instance."""
    if promise(agent, entry) is not Guarantee.GLOBAL:
        return False
    return agent != "numpy" or enumerable(entry["file"])


@functools.cache
def enumerable(file: str) -> bool:
    columns = Model.bind(load_formulation(HERE / file), HERE / Path(file).parent).columns
    sizes = columns.upper - columns.lower + 1.0
    return bool(columns.integer.all()) and float(np.prod(sizes)) <= ENUMERABLE


PAIRS = [(a, n) for a in AGENTS for n, entry in INSTANCES.items() if exact(a, entry)]
OTHERS = [(a, n) for a in AGENTS for n, entry in INSTANCES.items() if promise(a, entry) is None]
SHARED = [n for n, entry in INSTANCES.items() if sum(exact(a, entry) for a in AGENTS) > 1]
WITH_DUALS = [(a, n) for a, n in PAIRS if "duals" in INSTANCES[n] and a in ("highs", "pyomo")]
WITH_IIS = [(a, n) for a, n in PAIRS if "iis" in INSTANCES[n]]


@functools.cache
def answer_of(agent: str, name: str) -> Answer:
    return orkernel.run(
        HERE / INSTANCES[name]["file"],
        solver=agent,
        gap=0.0,
        time_limit=TIME_LIMIT.get(INSTANCES[name]["class"], 120.0),
        registry=REGISTRIES[agent],
    )


def wanted(entry: Entry, answer: Answer) -> dict[str, float]:
    """The optimum per objective, by name."""
    optimum: dict[str, float] | float | None = entry["optimum"]
    if isinstance(optimum, dict):
        return optimum
    return {} if optimum is None else dict.fromkeys(answer.objectives, optimum)


@pytest.mark.parametrize(("agent", "name"), PAIRS)
def test_agent_reaches_the_known_status_and_optimum(agent: str, name: str) -> None:
    entry, answer = INSTANCES[name], answer_of(agent, name)
    status = Status(entry["status"])
    if answer.status is Status.FEASIBLE:
        assert name in UNPROVEN[agent]
        status = Status.FEASIBLE
    assert (answer.status, answer.message) == (status, "")
    assert answer.verified
    expected = wanted(entry, answer)
    assert len(expected) == (0 if entry["optimum"] is None else len(answer.objectives))
    for objective, value in expected.items():
        slack = entry["tolerance"] * max(1.0, abs(value))
        assert math.isclose(answer.objectives[objective], value, rel_tol=0.0, abs_tol=slack)


@pytest.mark.parametrize("name", SHARED)
def test_all_agents_agree(name: str) -> None:
    answers = [answer_of(agent, name) for agent in AGENTS if exact(agent, INSTANCES[name])]
    assert len({answer.status for answer in answers}) == 1
    slack = 2 * INSTANCES[name]["tolerance"]
    first = answers[0].objectives
    for other in answers[1:]:
        assert other.objectives.keys() == first.keys()
        for objective, value in other.objectives.items():
            scale = max(1.0, abs(first[objective]))
            assert math.isclose(value, first[objective], rel_tol=0.0, abs_tol=slack * scale)


@pytest.mark.parametrize("name", [n for a, n in PAIRS if a == "highs"])
def test_linear_programs_on_highs_carry_a_certificate(name: str) -> None:
    answer = answer_of("highs", name)
    if INSTANCES[name]["class"] == "LP":
        assert answer.evidence is Evidence.CERTIFICATE
    else:
        assert answer.evidence is not None


@pytest.mark.parametrize(("agent", "name"), WITH_DUALS)
def test_dual_values_are_the_known_ones(agent: str, name: str) -> None:
    duals = answer_of(agent, name).duals
    assert duals is not None
    for constraint, value in INSTANCES[name]["duals"].items():
        assert math.isclose(duals["constraints"][constraint], value, rel_tol=0.0, abs_tol=1e-6)


@pytest.mark.parametrize(("agent", "name"), WITH_IIS)
def test_infeasible_subset_holds_exactly_the_constraints_in_conflict(agent: str, name: str) -> None:
    answer = orkernel.run(
        HERE / INSTANCES[name]["file"],
        solver=agent,
        registry=TOGETHER,
        second_opinion=False,
    )
    assert answer.iis is not None
    constraints = {member.element for member in answer.iis if member.kind == "constraint"}
    assert constraints >= set(INSTANCES[name]["iis"])
    assert answer.iis_minimal
    assert constraints == set(INSTANCES[name]["iis"])


@pytest.mark.parametrize(("agent", "name"), OTHERS)
def test_agent_refuses_what_it_does_not_declare(agent: str, name: str) -> None:
    answer = answer_of(agent, name)
    assert answer.exit_code is ExitCode.REFUSED
    assert f"solver '{agent}' cannot take this model" in answer.message
    assert answer.variables == {}
