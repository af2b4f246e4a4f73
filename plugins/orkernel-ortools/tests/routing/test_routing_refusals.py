"""What is no tour is not taken for one: no row of a model is ever left out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from orkernel import Model
from orkernel_ortools.routing import recognise

Build = Callable[..., Model]
COST = [[0, 2, 3, 4], [2, 0, 2, 3], [3, 2, 0, 2], [4, 3, 2, 0]]
POSITION = {"name": "u", "index": ["N"], "domain": "integer", "upper": 9}


def test_plain_tour_is_recognised(tour: Build) -> None:
    assert recognise(tour(COST)) is not None


@pytest.mark.parametrize(
    ("rows", "variables"),
    [
        (["arc[0,1]*arc[1,2] == 0"], []),
        (["arc[0,1] + 2*u[1] + u[2] <= 9"], [POSITION]),
        (["u[1] >= u[2] + 3"], [POSITION]),
        (["implies(u[1] >= 2, arc[0,1] == 1)"], [POSITION]),
        (["arc[0,1] == 1 or arc[1,0] == 1"], []),
        (["iff(arc[0,1] == 1, arc[2,3] == 1)"], []),
        (["all_different(u[i] for i in N)"], [POSITION]),
        (["implies(arc[0,1] == 0, u[1] >= u[0] + 1)"], [POSITION]),
        (["implies(arc[0,1] == 1, u[2] >= u[3] + 1)"], [POSITION]),
        (["implies(arc[1,2] == 1, u[2] >= 2*u[1] + 1)"], [POSITION]),
        (["implies(arc[1,2] == 1, u[1] + u[2] >= 1)"], [POSITION]),
        (["circuit(arc[i,j] for (i,j) in ARC)"], []),
        (["max(arc[0,1], arc[2,3]) >= 1"], []),
    ],
)
def test_tour_with_a_row_of_another_kind_is_not_recognised(
    tour: Build, rows: list[str], variables: list[dict[str, Any]]
) -> None:
    constraints = [{"name": f"r{k}", "expression": row} for k, row in enumerate(rows)]
    assert recognise(tour(COST, constraints=constraints, variables=variables)) is None


def test_growth_that_is_exact_on_some_arcs_only_is_not_recognised(tour: Build) -> None:
    rows = [
        {"name": "a", "expression": "implies(arc[1,2] == 1, u[2] == u[1] + 1)"},
        {"name": "b", "expression": "implies(arc[2,3] == 1, u[3] >= u[2] + 1)"},
    ]
    assert recognise(tour(COST, constraints=rows, variables=[POSITION])) is None


@pytest.mark.parametrize(
    "objective",
    [
        "sum(d[i,j]*arc[i,j]*arc[j,i] for (i,j) in ARC)",
        "max(d[i,j]*arc[i,j] for (i,j) in ARC)",
        "sum(d[i,j]*arc[i,j] for (i,j) in ARC) + u[1]",
    ],
)
def test_objective_beyond_the_arcs_is_not_recognised(tour: Build, objective: str) -> None:
    assert recognise(tour(COST, objective=objective, variables=[POSITION])) is None


def test_two_objectives_are_not_recognised(formulation: Build, tour: Build) -> None:
    plain = tour(COST).formulation.model_dump(exclude_none=True)
    other = {"name": "other", "sense": "maximize", "expression": "arc[0,1]"}
    plain["objectives"] = [*plain["objectives"], other]
    assert recognise(formulation(plain)) is None


def test_model_without_a_circuit_is_not_recognised(formulation: Build) -> None:
    model = formulation(
        {
            "variables": [{"name": "x", "domain": "integer", "upper": 4}],
            "objectives": [{"name": "g", "sense": "maximize", "expression": "x"}],
        }
    )
    assert recognise(model) is None


def test_integer_arcs_are_not_taken_for_choices(formulation: Build) -> None:
    model = formulation(
        {
            "sets": [{"name": "N", "range": [1, 3]}],
            "variables": [{"name": "a", "index": ["N", "N"], "domain": "integer", "upper": 2}],
            "constraints": [
                {"name": "tour", "expression": "circuit(a[i,j] for i in N for j in N if i != j)"}
            ],
        }
    )
    assert recognise(model) is None
