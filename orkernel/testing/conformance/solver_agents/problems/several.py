"""Several objectives."""

from __future__ import annotations

from orkernel.solution import Status
from orkernel.testing.conformance.solver_agents.problems.known import (
    binary,
    integer,
    maximize,
    minimize,
    problem,
    rows,
    variable,
)

PROJECTS = problem(
    [binary("do", index=["PROJECT"])],
    rows("sum(do[p] for p in PROJECT) >= 1"),
    [
        maximize("sum(gain[p]*do[p] for p in PROJECT)", "gain"),
        minimize("sum(cost[p]*do[p] for p in PROJECT)", "cost"),
    ],
    sets={"PROJECT": 4},
    parameters=[
        {"name": "gain", "index": ["PROJECT"], "value": [5, 4, 7, 2]},
        {"name": "cost", "index": ["PROJECT"], "value": [4, 2, 8, 3]},
    ],
    status=Status.PARETO_FRONT,
    front=(
        (4.0, 2.0),
        (5.0, 4.0),
        (6.0, 5.0),
        (9.0, 6.0),
        (11.0, 9.0),
        (12.0, 12.0),
        (13.0, 13.0),
        (16.0, 14.0),
        (18.0, 17.0),
    ),
)
"""Discrete: fifteen choices, of which these are efficient."""

TRADE = problem(
    [variable("x", 4), variable("y", 4)],
    rows("x + y <= 5"),
    [maximize("x", "left"), maximize("y", "right")],
    status=Status.PARETO_FRONT,
    front=((1.0, 4.0), (4.0, 1.0)),
)
"""Every point of the line from (1, 4) to (4, 1) is efficient; its ends are given."""

PRIORITIES = problem(
    [integer("x", 4), integer("y", 4)],
    rows("x + y <= 5"),
    [maximize("x + y", "first", priority=1), maximize("2*y - x", "second", priority=2)],
    front=((5.0, 7.0),),
)

WEIGHTS = problem(
    [integer("x", 4), integer("y", 4)],
    rows("x + y <= 5"),
    [maximize("x", "left", weight=1.0), minimize("-3*y", "right", weight=2.0)],
    front=((1.0, -12.0),),
)

FRONTS = {"projects": PROJECTS, "trade": TRADE}
COMPOSED = {"priorities": PRIORITIES, "weights": WEIGHTS}
