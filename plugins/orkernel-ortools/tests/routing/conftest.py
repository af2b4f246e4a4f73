"""Formulations of tours for the tests of the routing package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from orkernel import Formulation, Model
from orkernel.context import RunContext
from orkernel_ortools.routing import Tour, improve, recognise

Record = dict[str, Any]
Build = Callable[..., Model]
Solve = Callable[..., float | None]


def bound(formulation: Record) -> Model:
    """A formulation given as plain values, bound."""
    return Model.bind(Formulation.model_validate({"schema_version": 1, **formulation}))


def routed(model: Model, seconds: float = 5.0, seed: int = 0) -> np.ndarray[Any, Any] | None:
    """The point that the search returns; the model must be a tour."""
    tour = recognise(model)
    assert isinstance(tour, Tour)
    return improve(tour, RunContext(seed=seed), seconds)


def value(model: Model, seconds: float = 5.0) -> float | None:
    """Objective of the point that the search returns, None without one."""
    point = routed(model, seconds)
    if point is None:
        return None
    values = model.evaluate(point)
    assert np.all(values.violations <= 1e-6 * values.scales)
    return float(values.objectives[0, 0])


def tour_model(
    cost: list[list[float]],
    arcs: list[tuple[int, int]] | None = None,
    *,
    sense: str = "minimize",
    objective: str = "sum(d[i,j]*arc[i,j] for (i,j) in ARC)",
    constraints: list[Record] | None = None,
    variables: list[Record] | None = None,
    parameters: list[Record] | None = None,
) -> Model:
    """One tour; without `arcs` all but the loops. Node names are numbers from 0."""
    nodes = range(len(cost))
    if arcs is None:
        arcs = [(i, j) for i in nodes for j in nodes if i != j]
    return bound(
        {
            "sets": [
                {"name": "N", "range": [0, len(cost) - 1]},
                {"name": "ARC", "members": [list(arc) for arc in arcs]},
            ],
            "parameters": [{"name": "d", "index": ["N", "N"], "value": cost}, *(parameters or [])],
            "variables": [
                {"name": "arc", "index": ["ARC"], "domain": "binary"},
                *(variables or []),
            ],
            "objectives": [{"name": "length", "sense": sense, "expression": objective}],
            "constraints": [
                {"name": "tour", "expression": "circuit(arc[i,j] for (i,j) in ARC)"},
                *(constraints or []),
            ],
        }
    )


def vehicle_model(
    cost: list[list[float]],
    constraints: list[Record],
    *,
    variables: list[Record] | None = None,
    parameters: list[Record] | None = None,
    objective: str = "sum(d[i,j]*arc[i,j] for i in N for j in N if i != j)",
) -> Model:
    """Tours from node 0 through all other nodes, the customers C."""
    return bound(
        {
            "sets": [
                {"name": "N", "range": [0, len(cost) - 1]},
                {"name": "C", "range": [1, len(cost) - 1]},
            ],
            "parameters": [{"name": "d", "index": ["N", "N"], "value": cost}, *(parameters or [])],
            "variables": [
                {"name": "arc", "index": ["N", "N"], "domain": "binary"},
                *(variables or []),
            ],
            "objectives": [{"name": "length", "sense": "minimize", "expression": objective}],
            "constraints": [
                {
                    "name": "tours",
                    "expression": "multi_circuit([arc[i,j] for i in N for j in N if i != j], 0)",
                },
                *constraints,
            ],
        }
    )


@pytest.fixture
def tour() -> Build:
    """Build a model of one tour."""
    return tour_model


@pytest.fixture
def vehicles() -> Build:
    """Build a model of several tours."""
    return vehicle_model


@pytest.fixture
def formulation() -> Build:
    """Bind a formulation given as plain values."""
    return bound


@pytest.fixture
def best() -> Solve:
    """Objective value that the search reaches."""
    return value


@pytest.fixture
def found() -> Callable[..., Any]:
    """Point that the search reaches."""
    return routed
