"""Several objectives and the deletion filter, over the real HiGHS."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from orkernel import Formulation, Model, Status
from orkernel.agents import Agents
from orkernel.compose import irreducible_subset, solve_composed
from orkernel.config import Config
from orkernel.context import RunContext
from orkernel.errors import Unsupported
from orkernel.records import Problem
from orkernel.registry import Registry
from orkernel.solution import InfeasibleSubset, Solution


@pytest.fixture(scope="module")
def agents() -> Agents:
    registry = Registry.load(Config.load(plugins="highs"))
    return Agents(registry, Problem(""), RunContext())


def bind(**parts: Any) -> Model:
    return Model.bind(Formulation.model_validate(parts))


def solve(agents: Agents, model: Model) -> Solution:
    def single(stage: Model, ctx: RunContext) -> Solution:
        return agents.solve("highs", stage, ctx)[0]

    return solve_composed(model, single, agents.ctx)[0]


TWO = [{"name": "x", "upper": 4}, {"name": "y", "upper": 4}]


def test_a_lower_priority_only_breaks_ties_of_a_higher_one(agents: Agents) -> None:
    model = bind(
        variables=TWO,
        objectives=[
            {"name": "b", "sense": "minimize", "expression": "x", "priority": 2},
            {"name": "a", "sense": "maximize", "expression": "x + y", "priority": 1},
        ],
        constraints=[{"name": "c", "expression": "x + y <= 5"}],
    )
    found = solve(agents, model)
    assert found.status is Status.OPTIMAL
    assert found.values is not None
    assert found.values.tolist() == pytest.approx([1.0, 4.0])
    assert found.objective is None
    assert found.bound is None


def test_three_levels_of_priority(agents: Agents) -> None:
    model = bind(
        variables=[{"name": n, "upper": 3, "domain": "integer"} for n in "xyz"],
        objectives=[
            {"name": "one", "sense": "maximize", "expression": "x + y + z", "priority": 1},
            {"name": "two", "sense": "minimize", "expression": "x", "priority": 2},
            {"name": "three", "sense": "minimize", "expression": "y", "priority": 3},
        ],
        constraints=[{"name": "c", "expression": "x + y + z <= 5"}],
    )
    found = solve(agents, model)
    assert found.values is not None
    assert found.values.tolist() == pytest.approx([0.0, 2.0, 3.0])


def test_weights_combine_objectives_of_opposite_sense(agents: Agents) -> None:
    model = bind(
        variables=TWO,
        objectives=[
            {"name": "gain", "sense": "maximize", "expression": "3*x + y", "weight": 1},
            {"name": "loss", "sense": "minimize", "expression": "x", "weight": 2.5},
        ],
        constraints=[{"name": "c", "expression": "x + y <= 5"}],
    )
    # maximise 3x + y − 2.5 x = 0.5 x + y
    found = solve(agents, model)
    assert found.values is not None
    assert found.values.tolist() == pytest.approx([1.0, 4.0])


def test_duals_belong_to_a_single_objective(agents: Agents) -> None:
    one = {"name": "a", "sense": "maximize", "expression": "2*x + y"}
    two = {"name": "b", "sense": "maximize", "expression": "y"}
    rows = [{"name": "c", "expression": "x + y <= 5"}]
    alone = solve(agents, bind(variables=TWO, objectives=[one], constraints=rows))
    assert alone.duals is not None
    assert alone.duals.rows.tolist() == pytest.approx([1.0])
    assert alone.duals.columns.tolist() == pytest.approx([1.0, 0.0])
    for more in ({"weight": 1}, {"priority": 2}, {}):
        both = [{**one, **({"weight": 1} if "weight" in more else {})}, {**two, **more}]
        found = solve(agents, bind(variables=TWO, objectives=both, constraints=rows))
        assert found.values is not None
        assert found.duals is None


def test_a_level_with_weights_for_some_only_is_refused(agents: Agents) -> None:
    model = bind(
        variables=TWO,
        objectives=[
            {"name": "a", "sense": "maximize", "expression": "x"},
            {"name": "b", "sense": "maximize", "expression": "y", "weight": 2},
        ],
    )
    with pytest.raises(Unsupported, match="'b' of the same priority has one") as error:
        solve(agents, model)
    assert error.value.element == "objective 'a'"


def test_an_infeasible_first_level_is_reported_as_infeasible(agents: Agents) -> None:
    model = bind(
        variables=TWO,
        objectives=[
            {"name": "a", "sense": "maximize", "expression": "x", "priority": 1},
            {"name": "b", "sense": "maximize", "expression": "y", "priority": 2},
        ],
        constraints=[{"name": "c", "expression": "x + y >= 9"}],
    )
    assert solve(agents, model).status is Status.INFEASIBLE


# ------------------------------------------------------------------- deletion filter


def filtered(
    agents: Agents, model: Model, hint: InfeasibleSubset | None = None
) -> InfeasibleSubset | None:
    def single(stage: Model, ctx: RunContext) -> Solution:
        return agents.solve("highs", stage, ctx)[0]

    return irreducible_subset(model, single, agents.ctx, hint)


CONFLICT = {
    "variables": [{"name": "x", "upper": 10}, {"name": "y", "upper": 10}, {"name": "z"}],
    "constraints": [
        {"name": "idle", "expression": "x + y + z >= 1"},
        {"name": "few", "expression": "x + y <= 4"},
        {"name": "many", "expression": "x + y >= 6"},
        {"name": "other", "expression": "z <= 7"},
    ],
}


def test_the_two_contradicting_rows_are_found(agents: Agents) -> None:
    assert filtered(agents, bind(**CONFLICT)) == subset(rows=(1, 2))


class subset:
    """Compares an infeasible subset by its members; it must be minimal."""

    def __init__(
        self,
        rows: tuple[int, ...] = (),
        lower: tuple[int, ...] = (),
        upper: tuple[int, ...] = (),
        integer: tuple[int, ...] = (),
    ) -> None:
        self.members = (rows, lower, upper, integer)

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, InfeasibleSubset)
        assert other.minimal
        return self.members == (other.rows, other.lower, other.upper, other.integer)

    __hash__ = None  # type: ignore[assignment]


def test_a_wrong_hint_does_no_harm(agents: Agents) -> None:
    found = filtered(agents, bind(**CONFLICT), InfeasibleSubset(rows=(0, 3)))
    assert found == subset(rows=(1, 2))


def test_bounds_take_part_where_they_are_needed(agents: Agents) -> None:
    model = bind(
        variables=[{"name": "x", "upper": 3}, {"name": "y", "upper": 2}],
        constraints=[{"name": "c", "expression": "x + y >= 6"}],
    )
    assert filtered(agents, model) == subset(rows=(0,), upper=(0, 1))


def test_integrality_alone_can_make_a_subset(agents: Agents) -> None:
    model = bind(
        variables=[{"name": "x", "domain": "integer", "upper": 5}],
        constraints=[
            {"name": "c", "expression": "2*x == 3"},
            {"name": "d", "expression": "x <= 4"},
        ],
    )
    assert filtered(agents, model) == subset(rows=(0,), integer=(0,))


def test_a_feasible_model_has_no_subset(agents: Agents) -> None:
    model = bind(variables=TWO, constraints=[{"name": "c", "expression": "x + y <= 5"}])
    assert filtered(agents, model) is None


def test_an_expired_deadline_is_reported_as_not_minimal(agents: Agents) -> None:
    def single(stage: Model, ctx: RunContext) -> Solution:
        return agents.solve("highs", stage, agents.ctx)[0]

    found = irreducible_subset(bind(**CONFLICT), single, RunContext().limited(0.0))
    assert found is not None
    assert not found.minimal


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_random_subsets_are_infeasible_and_irreducible(seed: int) -> None:
    """scipy's own solver judges: the subset is infeasible, each member's removal is not."""
    rng = np.random.default_rng(seed)
    m, n = int(rng.integers(2, 7)), int(rng.integers(1, 4))
    matrix = rng.integers(-3, 4, (m, n))
    rhs = rng.integers(-6, 3, m)
    model = bind(
        variables=[{"name": f"x{j}", "upper": 5} for j in range(n)],
        constraints=[
            {
                "name": f"c{i}",
                "expression": " + ".join(f"({matrix[i, j]})*x{j}" for j in range(n))
                + f" <= {rhs[i]}",
            }
            for i in range(m)
        ],
    )

    def infeasible(rows: list[int], lower: list[int], upper: list[int]) -> bool:
        bounds = [(0 if j in lower else None, 5 if j in upper else None) for j in range(n)]
        found = linprog(
            np.zeros(n),
            A_ub=matrix[rows] if rows else None,
            b_ub=rhs[rows] if rows else None,
            bounds=bounds,
            method="highs",
        )
        return bool(found.status == 2)

    whole = infeasible(list(range(m)), list(range(n)), list(range(n)))
    registry = Registry.load(Config.load(plugins="highs"))
    found = filtered(Agents(registry, Problem(""), RunContext()), model)
    assert (found is not None) == whole
    if found is None:
        return
    rows, lower, upper = list(found.rows), list(found.lower), list(found.upper)
    assert infeasible(rows, lower, upper)
    for part in (rows, lower, upper):
        for member in list(part):
            part.remove(member)
            assert not infeasible(rows, lower, upper)
            part.append(member)


def test_a_subset_of_conditions_on_binaries_is_irreducible(agents: Agents) -> None:
    model = bind(
        variables=[{"name": name, "domain": "binary"} for name in "xy"],
        constraints=[
            {"name": "one", "expression": "x == 1 or y == 1"},
            {"name": "slack", "expression": "x + y <= 2"},
            {"name": "tied", "expression": "implies(x == 1, y == 1)"},
            {"name": "no", "expression": "y == 0"},
        ],
    )
    assert filtered(agents, model) == subset(rows=(0, 2, 3))


def test_bounds_that_a_solver_needs_are_widened_and_it_is_said(agents: Agents) -> None:
    model = bind(
        variables=[
            {"name": "x", "upper": 10},
            {"name": "y", "upper": 10},
            {"name": "on", "domain": "binary"},
        ],
        constraints=[
            {"name": "need", "expression": "x >= 8"},
            {"name": "off", "expression": "implies(on == 0, x <= 2)"},
            {"name": "spare", "expression": "y <= 5"},
            {"name": "stay", "expression": "on == 0"},
        ],
    )
    found = filtered(agents, model)
    assert found == subset(rows=(0, 1, 3))
    assert found is not None
    assert "wider" in found.assumptions[0]


def test_being_0_or_1_is_one_member_of_a_subset(agents: Agents) -> None:
    model = bind(
        variables=[{"name": name, "domain": "binary"} for name in "xyz"],
        constraints=[
            {"name": "idle", "expression": "x + z <= 2"},
            {"name": "half", "expression": "2*x + 2*y == 1"},
        ],
    )
    assert filtered(agents, model) == subset(rows=(1,), integer=(0, 1))


def test_whole_numbers_take_part_only_where_fractions_would_do(agents: Agents) -> None:
    model = bind(
        variables=[{"name": "x", "domain": "integer", "upper": 9}],
        constraints=[
            {"name": "low", "expression": "x <= 3"},
            {"name": "high", "expression": "x >= 5"},
        ],
    )
    assert filtered(agents, model) == subset(rows=(0, 1))
