"""Problems out of reach in seconds, whose optimum is known because it was planted.

Market splits (Cornuéjols and Dawande 1998): weights are dealt to two sides so that every
market is split exactly. The right-hand sides come from a known choice, so the optimum is 0;
finding it, or proving anything better than 0 for another choice, takes very long. Slacks make
every choice feasible, so that there is an incumbent at once.
"""

from __future__ import annotations

import random
from typing import Any

from orkernel.solution import Status
from orkernel.testing.conformance.solver_agents.problems.known import (
    KnownProblem,
    Parts,
    binary,
    each,
    integer,
    maximize,
    minimize,
    problem,
    variable,
)

MARKETS, SHOPS = 7, 60


def _split(
    choice: Parts, slack: Parts, penalty: str = "", extra: list[Parts] | None = None, **truth: Any
) -> KnownProblem:
    chance = random.Random(11)
    weights = [[chance.randrange(100) for _ in range(SHOPS)] for _ in range(MARKETS)]
    planted = [chance.randrange(2) for _ in range(SHOPS)]
    goal = minimize("sum(over[m] + under[m] for m in MARKET)" + penalty, "missed")
    return problem(
        [choice, {**slack, "name": "over"}, {**slack, "name": "under"}],
        [
            each(
                "split",
                "m in MARKET",
                "sum(weight[m,s]*pick[s] for s in SHOP) + over[m] - under[m] == goal[m]",
            )
        ],
        [goal, *(extra or [])],
        0.0,
        sets={"MARKET": MARKETS, "SHOP": SHOPS},
        parameters=[
            {"name": "weight", "index": ["MARKET", "SHOP"], "value": weights},
            {
                "name": "goal",
                "index": ["MARKET"],
                "value": [sum(w * p for w, p in zip(row, planted, strict=True)) for row in weights],
            },
        ],
        **truth,
    )


_PICK = binary("pick", index=["SHOP"])
_PART = variable("pick", 1, index=["SHOP"])
_REAL = variable("slack", 6000, index=["MARKET"])
_WHOLE = integer("slack", 6000, index=["MARKET"])

HARD = {
    "mixed": _split(_PICK, _REAL),
    "whole": _split(_PICK, _WHOLE),
    "nonconvex": _split(_PART, _REAL, " + 50*sum(pick[s] - pick[s]**2 for s in SHOP)"),
    "nonlinear": _split(_PART, _REAL, " + 50*sum(sin(3.141592653589793*pick[s])**2 for s in SHOP)"),
}
"""With one objective; the optimum is 0."""

HARD_FRONTS = {
    "several": _split(
        _PICK,
        _REAL,
        extra=[maximize("sum(pick[s] for s in SHOP)", "picked")],
        status=Status.PARETO_FRONT,
    )
}
