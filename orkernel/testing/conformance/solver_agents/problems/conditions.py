"""Logic and piecewise linear functions."""

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

CHOICES = problem(
    [binary("a"), binary("b"), binary("c")],
    rows("implies(a == 1, b == 0)", "iff(b == 1, c == 1)"),
    maximize("4*a + 2*b + c"),
    4.0,
    slack=0.5,
)

TWO_RANGES = problem(
    [integer("x", 10)],
    rows("x <= 2 or x >= 8", "x <= 7"),
    maximize("x"),
    2.0,
    slack=1.0,
)

TWO_DECIMAL_RANGES = problem(
    [variable("x", 10)],
    rows("x <= 2.5 or x >= 7", "x <= 6.5"),
    maximize("x"),
    2.5,
    slack=1.0,
)

UNEQUAL = problem(
    [integer("x", 9), integer("y", 9)],
    rows("x > 3", "x + y < 9", "y != 4"),
    maximize("x + 3*y"),
    14.0,
    slack=1.0,
)
"""x ≥ 4 and x + y ≤ 8 leave y ≤ 4, and y = 4 is excluded: y = 3, x = 5."""

DISTANCES = problem(
    [variable("x", 10)],
    rows("x <= 4.5"),
    minimize("abs(x - 3) + 2*abs(x - 5)"),
    2.5,
    slack=1.0,
)

DISCOUNT = problem(
    [variable("x", 6), variable("y", 6)],
    rows("x + y >= 5"),
    minimize("piecewise(x, [0, 2, 6], [0, 4, 6]) + 1.2*y"),
    5.5,
    slack=1.0,
)
"""The second part of x is cheap, but only behind the dear first part."""

WHOLE_PEAK = problem(
    [integer("x", 8), integer("y", 8)],
    rows("x + y <= 7"),
    maximize("min(2*x, 3*y) - max(x - y, 0)"),
    7.0,
    slack=1.0,
)

SOLVED = {
    "choices": CHOICES,
    "two_ranges": TWO_RANGES,
    "two_decimal_ranges": TWO_DECIMAL_RANGES,
    "unequal": UNEQUAL,
    "distances": DISTANCES,
    "discount": DISCOUNT,
    "whole_peak": WHOLE_PEAK,
}
