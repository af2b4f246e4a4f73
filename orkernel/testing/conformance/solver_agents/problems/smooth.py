"""Quadratic and nonlinear programs."""

from __future__ import annotations

import math

from orkernel.testing.conformance.solver_agents.problems.known import (
    integer,
    maximize,
    minimize,
    problem,
    rows,
    variable,
)

NEAREST_POINT = problem(
    [variable("x", 5), variable("y", 5)],
    rows("x + y <= 2"),
    minimize("(x - 1)**2 + (y - 2)**2"),
    0.5,
    slack=0.5,
)

CONCAVE_REVENUE = problem(
    [variable("x", 10), variable("y", 10)],
    rows("x + y <= 6"),
    maximize("12*x - x**2 + 8*y - y**2 + 3"),
    3 + 12 * 4 - 16 + 8 * 2 - 4,
    slack=0.5,
)

WHOLE_SQUARE = problem(
    [integer("n", 9), integer("m", 9)],
    rows("n + m >= 4"),
    minimize("(n - 1.6)**2 + (m - 1.7)**2"),
    0.25,
    slack=1.0,
)

DISC = problem(
    [variable("x", 5, -5), variable("y", 5, -5)],
    rows("x**2 + y**2 <= 2"),
    maximize("x + y"),
    2.0,
    slack=0.5,
)

WHOLE_DISC = problem(
    [integer("x", 5, -5), integer("y", 5, -5)],
    rows("x**2 + y**2 <= 11"),
    maximize("3*x + 4*y"),
    15.0,
    slack=0.5,
)

HILL = problem(
    [variable("x", 4, -1)],
    rows("x <= 3.5"),
    minimize("-((x - 1)**2)"),
    -6.25,
)
"""Minimises a concave function: a local search may stay at the other end, with −4."""

BILINEAR = problem(
    [integer("x", 5), integer("y", 5)],
    rows("x + y >= 3"),
    minimize("x*y - 3*x - y"),
    -15.0,
)

EXPONENTIAL = problem(
    [variable("x", 5, -5)],
    rows("x >= -4"),
    minimize("exp(x) - 2*x"),
    2 - 2 * math.log(2),
    slack=0.5,
)

HOCK_SCHITTKOWSKI_71 = problem(
    [variable("x", 5, 1, index=["I"], start=[1, 5, 5, 1])],
    rows("x[1]*x[2]*x[3]*x[4] >= 25", "sum(x[i]**2 for i in I) == 40"),
    minimize("x[1]*x[4]*(x[1] + x[2] + x[3]) + x[3]"),
    17.0140173,
    sets={"I": 4},
    slack=0.5,
)

WHOLE_EXPONENTIAL = problem(
    [integer("n", 4)],
    rows("n >= 1"),
    minimize("exp(n) - 5*n"),
    math.exp(2) - 10,
    slack=1.0,
)

WAVES = problem(
    [variable("x", 7.5, 2.7)],
    [],
    minimize("sin(x) + sin(10*x/3)"),
    -1.8995993,
)

SOLVED = {
    "nearest_point": NEAREST_POINT,
    "concave_revenue": CONCAVE_REVENUE,
    "whole_square": WHOLE_SQUARE,
    "disc": DISC,
    "whole_disc": WHOLE_DISC,
    "hill": HILL,
    "bilinear": BILINEAR,
    "exponential": EXPONENTIAL,
    "hock_schittkowski_71": HOCK_SCHITTKOWSKI_71,
    "whole_exponential": WHOLE_EXPONENTIAL,
    "waves": WAVES,
}
