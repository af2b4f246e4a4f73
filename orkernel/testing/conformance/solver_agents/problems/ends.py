"""Problems without an optimum: infeasible ones and unbounded ones."""

from __future__ import annotations

from orkernel.solution import Status
from orkernel.testing.conformance.solver_agents.problems.known import (
    integer,
    maximize,
    minimize,
    problem,
    rows,
    variable,
)

_INFEASIBLE = Status.INFEASIBLE
_UNBOUNDED = Status.UNBOUNDED

INFEASIBLE = {
    "rows": problem(
        [variable("x", 9), variable("y", 9)],
        rows("x + y >= 8", "x - y == 1", "x <= 3", "y <= 7"),
        minimize("x + 2*y"),
        status=_INFEASIBLE,
    ),
    "bounds": problem(
        [variable("x", 3, 5), variable("y", 9)],
        rows("x + y <= 20"),
        minimize("x + y"),
        status=_INFEASIBLE,
    ),
    "bound_and_row": problem(
        [variable("x", 3), variable("y", 2)],
        rows("x + y >= 6", "x >= 1"),
        maximize("x"),
        status=_INFEASIBLE,
    ),
    "empty_row": problem(
        [variable("x", 3)],
        rows("x + sum(x for i in NOBODY) - x >= 1"),
        minimize("x"),
        sets={"NOBODY": []},
        status=_INFEASIBLE,
    ),
    "parity": problem(
        [integer("x", 9), integer("y", 9)],
        rows("4*x + 2*y == 7"),
        maximize("x"),
        status=_INFEASIBLE,
    ),
    "between_whole_numbers": problem(
        [integer("x", 1.8, 1.2)], rows("x >= 0"), minimize("x"), status=_INFEASIBLE
    ),
    "open_direction": problem(
        [variable("x"), variable("y")],
        rows("y >= x + 2", "y <= x + 1"),
        maximize("x + y"),
        status=_INFEASIBLE,
    ),
    "logic": problem(
        [integer("x", 9)],
        rows("implies(x >= 1, x >= 5)", "x >= 2", "x <= 4"),
        minimize("x"),
        status=_INFEASIBLE,
    ),
    "all_different": problem(
        [integer("x", 2, 1, index=["I"])],
        rows("all_different(x[i] for i in I)"),
        minimize("x[1]"),
        sets={"I": 3},
        status=_INFEASIBLE,
    ),
    "no_overlap": problem(
        [integer("start", 2, index=["I"])],
        rows("no_overlap(interval(start[i], 2) for i in I)"),
        minimize("start[1]"),
        sets={"I": 3},
        status=_INFEASIBLE,
    ),
    "disc": problem(
        [variable("x", 5, -5), variable("y", 5, -5)],
        rows("x**2 + y**2 <= 1", "x + y >= 3"),
        minimize("x"),
        status=_INFEASIBLE,
    ),
    "exponential": problem(
        [variable("x", 2, -2)],
        rows("exp(x) + exp(-x) <= 1.5"),
        minimize("x"),
        status=_INFEASIBLE,
    ),
}

UNBOUNDED = {
    "no_rows": problem([variable("x"), variable("y", 3)], [], maximize("x + y"), status=_UNBOUNDED),
    "downwards": problem(
        [variable("x", lower=None), variable("y", 3)],
        rows("x + y <= 4"),
        minimize("2*x - y"),
        status=_UNBOUNDED,
    ),
    "along_rows": problem(
        [variable("x"), variable("y")],
        rows("x - y <= 2", "y - x <= 2", "x + y >= 1"),
        maximize("x + y"),
        status=_UNBOUNDED,
    ),
    "whole": problem(
        [integer("x"), integer("y", 4)],
        rows("x >= 2*y"),
        maximize("x - y"),
        status=_UNBOUNDED,
    ),
}
