"""Integer and mixed-integer linear programs."""

from __future__ import annotations

from orkernel.testing.conformance.solver_agents.problems.known import (
    binary,
    integer,
    maximize,
    minimize,
    problem,
    rows,
    variable,
)

KNAPSACK = problem(
    [binary("take", index=["ITEM"])],
    rows("sum(weight[i]*take[i] for i in ITEM) <= 15"),
    maximize("sum(worth[i]*take[i] for i in ITEM)"),
    15.0,
    sets={"ITEM": 5},
    parameters=[
        {"name": "weight", "index": ["ITEM"], "value": [12, 2, 1, 1, 4]},
        {"name": "worth", "index": ["ITEM"], "value": [4, 2, 2, 1, 10]},
    ],
    slack=0.5,
)

ROUNDING = problem(
    [integer("x", 9), integer("y", 9)],
    rows("2*x + 2*y <= 7", "5*x + 2*y >= 4"),
    maximize("3*x + 2*y"),
    9.0,
    slack=0.5,
)

FIXED_CHARGE = problem(
    [binary("open"), variable("make")],
    rows("make <= 8*open", "make >= 3"),
    minimize("10*open + 2*make"),
    16.0,
    slack=1.0,
)

DECIMAL_WEIGHTS = problem(
    [integer("a", 9), integer("b", 9)],
    rows("0.3*a + 0.2*b <= 1.25"),
    maximize("0.7*a + 0.45*b"),
    2.8,
    slack=0.5,
)

BROKEN_BOUNDS = problem(
    [integer("x", 3.7, 0.5), integer("y", 6.2, -2.5)],
    rows("x - y <= 5.9"),
    maximize("x - 2*y"),
    7.0,
    slack=1.0,
)
"""Fractional bounds: x in 1 … 3, y in −2 … 6."""

BELOW_ZERO = problem(
    [integer("x", -1, -5), integer("y", 4, -4)],
    rows("x + y >= -6", "2*y <= x + 4"),
    minimize("3*x + y"),
    -16.0,
    slack=1.0,
)

STRICT = problem(
    [integer("x", 9), integer("y", 9)],
    rows("x > 3", "x + y < 9"),
    minimize("2*x - y"),
    4.0,
    slack=2.0,
)
"""Over integers x > 3 means x ≥ 4, and x + y < 9 means x + y ≤ 8."""

LARGE_NUMBERS = problem(
    [integer("x", 1_000_000_000)], rows("3*x <= 1000000000"), maximize("x"), 333_333_333.0
)

SOLVED = {
    "knapsack": KNAPSACK,
    "rounding": ROUNDING,
    "fixed_charge": FIXED_CHARGE,
    "decimal_weights": DECIMAL_WEIGHTS,
    "broken_bounds": BROKEN_BOUNDS,
    "below_zero": BELOW_ZERO,
    "strict": STRICT,
}
SCALES = {"large_numbers": LARGE_NUMBERS}
