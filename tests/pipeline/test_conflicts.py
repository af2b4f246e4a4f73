"""Infeasible subsets are infeasible, and without any one member feasible, whoever solves."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Iterable
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp

from orkernel import Capability, Formulation, Guarantee, Model, SolverAgentSpec, Status, hookimpl
from orkernel.agents import Agents, Panel
from orkernel.compose import irreducible_subset
from orkernel.config import Config
from orkernel.context import RunContext
from orkernel.records import Problem
from orkernel.registry import Registry
from orkernel.solution import InfeasibleSubset, Solution, SolverIdentity


def pool(*names: str, extra: Iterable[object] = ()) -> Agents:
    registry = Registry.load(Config.load(plugins=",".join(names)), extra=list(extra))
    return Agents(registry, Problem(""), RunContext())


HIGHS = pool("highs")
ORTOOLS = pool("ortools")


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


def subset_of(agents: Agents, name: str, model: Model) -> InfeasibleSubset | None:
    return irreducible_subset(model, Panel(agents, name), agents.ctx)


def members(subset: InfeasibleSubset) -> list[tuple[str, int]]:
    kinds = ("rows", "lower", "upper", "integer")
    return [(kind, i) for kind in kinds for i in getattr(subset, kind)]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_subsets_of_integer_models_are_irreducible_by_another_solver(seed: int) -> None:
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(1, 4)), 2
    matrix = 2 * rng.integers(-2, 3, (m, n))
    rhs = rng.integers(-5, 6, m)
    model = bind(
        variables=[{"name": f"x{j}", "domain": "integer", "upper": 3} for j in range(n)],
        constraints=[
            {
                "name": f"c{i}",
                "expression": " + ".join(f"({matrix[i, j]})*x{j}" for j in range(n))
                + f" == {rhs[i]}",
            }
            for i in range(m)
        ],
    )

    def infeasible(chosen: Iterable[tuple[str, int]]) -> bool:
        kept = set(chosen)
        rows = [i for i in range(m) if ("rows", i) in kept]
        found = milp(
            np.zeros(n),
            constraints=LinearConstraint(matrix[rows], rhs[rows], rhs[rows]) if rows else None,
            integrality=[int(("integer", j) in kept) for j in range(n)],
            bounds=Bounds(
                [0 if ("lower", j) in kept else -np.inf for j in range(n)],
                [3 if ("upper", j) in kept else np.inf for j in range(n)],
            ),
        )
        return bool(found.status == 2)

    everything = [("rows", i) for i in range(m)]
    everything += [(k, j) for k in ("lower", "upper", "integer") for j in range(n)]
    found = subset_of(HIGHS, "highs", model)
    assert (found is not None) == infeasible(everything)
    assume(found is not None)
    assert found is not None
    assert found.minimal
    assert infeasible(members(found))
    for member in members(found):
        assert not infeasible(m for m in members(found) if m != member), member


CONDITIONS = (
    "all_different([x, y, z])",
    "x + y + z >= 5",
    "x + y <= 1",
    "implies(x >= 1, y == 0)",
    "x == 2 or y == 2",
    "z == x",
    "z != y",
    "iff(z == 0, x == 1)",
    "y >= 1",
    "x + 2*z <= 2",
)


@settings(max_examples=15, deadline=None)
@given(st.lists(st.sampled_from(CONDITIONS), min_size=4, max_size=8, unique=True))
def test_subsets_of_constraint_programs_are_irreducible_by_enumeration(chosen: list[str]) -> None:
    model = bind(
        variables=[{"name": n, "domain": "integer", "upper": 2} for n in "xyz"],
        constraints=[{"name": f"c{i}", "expression": text} for i, text in enumerate(chosen)],
    )
    assume(model.needs - {Capability.INTEGER, Capability.LINEAR})  # else fractions are tried too
    grid = np.array(list(itertools.product(range(-12, 15), repeat=3)), float)
    holds = model.evaluate(grid).violations <= 1e-9

    def infeasible(kept: set[tuple[str, int]]) -> bool:
        allowed = np.ones(len(grid), np.bool_)
        for kind, i in kept:
            allowed &= {
                "rows": lambda i=i: holds[:, i],
                "lower": lambda i=i: grid[:, i] >= 0,
                "upper": lambda i=i: grid[:, i] <= 2,
            }[kind]()
        return not allowed.any()

    everything = {("rows", i) for i in range(len(chosen))}
    everything |= {(kind, j) for kind in ("lower", "upper") for j in range(3)}
    found = subset_of(ORTOOLS, "ortools", model)
    assert (found is not None) == infeasible(everything)
    if found is None:
        return
    assert found.minimal
    kept = set(members(found))
    assert infeasible(kept)
    for member in kept:
        assert not infeasible(kept - {member}), member


def test_a_nonlinear_conflict_is_found_by_a_global_solver() -> None:
    model = bind(
        variables=[{"name": n, "upper": 5} for n in "xyz"],
        constraints=[
            {"name": "idle", "expression": "exp(z) <= 50"},
            {"name": "disc", "expression": "x**2 + y**2 <= 1"},
            {"name": "far", "expression": "x + y >= 2"},
        ],
    )
    found = subset_of(pool("pyomo"), "pyomo", model)
    assert found is not None
    assert (found.rows, found.lower, found.upper, found.minimal) == ((1, 2), (), (), True)


def test_a_subset_keeps_what_it_has_when_the_time_is_up() -> None:
    model = bind(
        variables=[{"name": "x", "domain": "integer", "upper": 9}],
        constraints=[{"name": f"c{i}", "expression": f"x >= {i}"} for i in range(12)],
    )
    calls = itertools.count()

    def solve(part: Model, ctx: RunContext) -> Solution:
        if next(calls) == 3:
            ctx.cancel.set()
        return HIGHS.solve("highs", part, RunContext())[0]

    found = irreducible_subset(model, solve, RunContext())
    assert found is not None
    assert not found.minimal


# ------------------------------------------------------------------- who is asked

LINEAR = frozenset({Capability.CONTINUOUS, Capability.INTEGER, Capability.LINEAR})
IDENTITY = SolverIdentity("slow", "slow", "1")


class SlowPlugin:
    """An exact agent that takes its time, next to the real ones."""

    @hookimpl
    def orkernel_solver_agents(self) -> Iterable[SolverAgentSpec]:
        yield SolverAgentSpec(
            name="slow",
            target="orkernel_test_slow:agent",
            supports=(LINEAR,),
            guarantee=Guarantee.GLOBAL,
        )


def test_a_slow_agent_leaves_the_subset_to_a_quicker_one(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    class Slow:
        def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
            calls.append(model)
            time.sleep(1.5 * Panel.QUICK)
            return HIGHS.solve("highs", model, ctx)[0]

    module = ModuleType("orkernel_test_slow")
    module.agent = Slow()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "orkernel_test_slow", module)
    agents = pool("highs", extra=[SlowPlugin()])
    model = bind(
        variables=[{"name": "x", "upper": 9}],
        constraints=[{"name": f"c{i}", "expression": f"x >= {3 * i}"} for i in range(6)],
    )
    found = subset_of(agents, "slow", model)
    assert found is not None
    assert found.minimal
    assert len(calls) == 1


def test_a_panel_of_one_answers() -> None:
    agents = pool("highs")
    panel = Panel(agents, "highs")
    found = panel(bind(variables=[{"name": "x"}]), RunContext())
    assert found.status is Status.OPTIMAL
