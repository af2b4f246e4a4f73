"""Linear programs."""

from __future__ import annotations

from orkernel.testing.conformance.solver_agents.problems.known import (
    each,
    maximize,
    minimize,
    problem,
    rows,
    variable,
)

PRODUCTION = problem(
    [variable("x"), variable("y")],
    rows("x <= 4", "2*y <= 12", "3*x + 2*y <= 18"),
    maximize("3*x + 5*y"),
    36.0,
    slack=0.05,
)
"""Hillier and Lieberman's Wyndor Glass: duals 0, 1.5, 1."""

TRANSPORT = problem(
    [variable("ship", index=["MILL", "TOWN"])],
    [
        each("supply", "m in MILL", "sum(ship[m,t] for t in TOWN) <= stock[m]"),
        each("demand", "t in TOWN", "sum(ship[m,t] for m in MILL) >= wanted[t]"),
    ],
    minimize("sum(cost[m,t]*ship[m,t] for m in MILL for t in TOWN)"),
    150.0,
    sets={"MILL": ["upper", "lower"], "TOWN": ["ash", "birch", "cedar"]},
    parameters=[
        {"name": "stock", "index": ["MILL"], "value": [20, 30]},
        {"name": "wanted", "index": ["TOWN"], "value": [10, 25, 15]},
        {"name": "cost", "index": ["MILL", "TOWN"], "value": [[2, 3, 1], [5, 4, 8]]},
    ],
    slack=0.5,
)

EQUALITIES = problem(
    [variable("x"), variable("y"), variable("z")],
    rows("x + y + z == 10", "x - y == 2"),
    minimize("x + 2*y + 3*z"),
    14.0,
    slack=0.5,
)

CHAIN = problem(
    [variable("x", 10), variable("y", 10)],
    rows("2 <= x + y <= 6", "-1 <= x - y <= 1"),
    minimize("x - 2*y"),
    -4.5,
    slack=0.5,
)

DUPLICATES = problem(
    [variable("x"), variable("y", 2)],
    rows("x + y + x >= 6"),
    minimize("x + x + 2*x + y"),
    10.0,
    slack=0.5,
)

DECIMALS = problem(
    [variable("x", 2.5), variable("y", 9.9)],
    rows("0.5*x + 0.3*y >= 1.7"),
    minimize("0.25*x + 0.35*y"),
    1.15,
    slack=0.5,
)

FIXED = problem(
    [variable("x", 3, 3), variable("y", 5)],
    rows("x + y <= 7"),
    maximize("x + 2*y"),
    11.0,
    slack=0.5,
)

FREE = problem(
    [variable("x", lower=None), variable("y", lower=None)],
    rows("x + y >= -3", "x - y == 1"),
    minimize("x + y"),
    -3.0,
    slack=1.0,
)

NEGATIVE = problem(
    [variable("x", -2, -7), variable("y", 10, -4)],
    rows("x + y >= -9"),
    minimize("2*x + y"),
    -16.0,
    slack=0.5,
)

OFFSET_UP = problem(
    [variable("x", 3), variable("y", 4)],
    rows("x + y <= 5"),
    maximize("2*x + y + 100"),
    108.0,
    slack=0.5,
)

OFFSET_DOWN = problem(
    [variable("x", 3), variable("y", 4)],
    rows("x + y >= 5"),
    minimize("2*x + y - 40"),
    -34.0,
    slack=0.5,
)

NO_CONSTRAINTS = problem(
    [variable("x", 3), variable("y", 4)], [], maximize("x + y"), 7.0, slack=0.5
)

NO_OBJECTIVE = problem([variable("x", 3), variable("y", 4)], rows("x + y >= 6.5"), [])

NO_VARIABLES = problem([], [], [])

EMPTY_SET = problem(
    [variable("x", 9, index=["NOBODY"]), variable("y", 4)],
    [
        each("limit", "i in NOBODY", "x[i] <= 5"),
        *rows("sum(x[i] for i in NOBODY) + y <= 3"),
    ],
    maximize("sum(x[i] for i in NOBODY) + 2*y"),
    6.0,
    sets={"NOBODY": []},
    slack=0.5,
)

EMPTY_SUM = problem(
    [variable("x", 4)],
    rows("sum(wanted[i] for i in NOBODY) <= x"),
    minimize("x"),
    0.0,
    sets={"NOBODY": []},
    parameters=[{"name": "wanted", "index": ["NOBODY"], "default": 1}],
    slack=1.0,
)

HUGE = problem(
    [variable("x"), variable("y", 2)],
    rows("1e9*x <= 3e9"),
    maximize("x + y"),
    5.0,
    slack=0.5,
)

WIDE = problem(
    [variable("x", 1e7), variable("y", 100)],
    rows("1e-6*x + y >= 5"),
    minimize("5e-7*x + y"),
    2.5,
    slack=5.0,
)

SOLVED = {
    "production": PRODUCTION,
    "transport": TRANSPORT,
    "equalities": EQUALITIES,
    "chain": CHAIN,
    "duplicates": DUPLICATES,
    "decimals": DECIMALS,
    "fixed": FIXED,
    "free": FREE,
    "negative": NEGATIVE,
    "offset_up": OFFSET_UP,
    "offset_down": OFFSET_DOWN,
}
SHAPES = {
    "no_constraints": NO_CONSTRAINTS,
    "no_objective": NO_OBJECTIVE,
    "no_variables": NO_VARIABLES,
    "empty_set": EMPTY_SET,
    "empty_sum": EMPTY_SUM,
}
SCALES = {"huge": HUGE, "wide": WIDE}
