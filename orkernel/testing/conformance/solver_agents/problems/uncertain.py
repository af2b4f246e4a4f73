"""Random parameters."""

from __future__ import annotations

from orkernel.testing.conformance.solver_agents.problems.known import (
    integer,
    maximize,
    minimize,
    problem,
    rows,
)

DEMAND = [
    {
        "name": "demand",
        "distribution": {"discrete": {"values": [10, 20, 30], "probabilities": [0.3, 0.5, 0.2]}},
    }
]

NEWSVENDOR = problem(
    [integer("order", 40)],
    rows("order >= 5"),
    maximize("expectation(5*min(order, demand) - 3*order)"),
    25.0,
    parameters=DEMAND,
    slack=0.01,
    tolerance=1e-3,
)
"""The critical ratio is 0.4, so 20 are ordered: 5 · (0.3 · 10 + 0.7 · 20) − 60."""

SERVICE = problem(
    [integer("order", 40)],
    rows("probability(demand <= order) >= 0.7"),
    minimize("order"),
    20.0,
    parameters=DEMAND,
    slack=0.5,
)

SOLVED = {"newsvendor": NEWSVENDOR, "service": SERVICE}
