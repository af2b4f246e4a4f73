"""Problems chosen for what they leave no way around: every row, every bound, the order."""

from __future__ import annotations

import math

from orkernel.records import Capability
from orkernel.testing.conformance.solver_agents.problems import (
    conditions,
    linear,
    smooth,
    structures,
    whole,
)
from orkernel.testing.conformance.solver_agents.problems.known import (
    KnownProblem,
    integer,
    maximize,
    minimize,
    problem,
    rows,
    variable,
)
from orkernel.testing.conformance.solver_agents.problems.several import COMPOSED

EVERY_ROW = {
    "linear": problem(
        [variable("x", 9), variable("y", 9), variable("z", 9)],
        rows("x + y <= 3", "y + z <= 4", "x + z <= 5"),
        maximize("x + y + z"),
        6.0,
        slack=0.5,
    ),
    "equalities": linear.EQUALITIES,
    "whole": problem(
        [integer("x", 9), integer("y", 9), integer("z", 9)],
        rows("2*x + 2*y <= 7", "2*y + 2*z <= 9", "2*x + 2*z <= 11"),
        maximize("x + y + z"),
        6.0,
        slack=0.5,
    ),
    "logic": problem(
        [integer("x", 9), integer("y", 9)],
        rows("x <= 2 or y <= 3", "x >= 4 or y <= 6", "x + y <= 11"),
        maximize("2*x + 3*y"),
        24.0 + 1,
        slack=1.0,
    ),
    "square": problem(
        [variable("x", 9), variable("y", 9)],
        rows("x + y >= 3", "x - y <= 1"),
        minimize("x**2 + 4*y**2 - x"),
        6.0,
        slack=1.0,
    ),
    "nonlinear": problem(
        [variable("x", 9), variable("y", 9)],
        rows("exp(x) <= 3", "x + y <= 3"),
        maximize("2*x + y"),
        3 + math.log(3),
        slack=0.5,
    ),
}

LOWER = {
    "linear": problem(
        [variable("x", 9, 2), variable("y", 9, -3), variable("z", 9, -1.5)],
        rows("x + y + z >= -20"),
        minimize("x + y + z"),
        -2.5,
        slack=2.0,
    ),
    "whole": problem(
        [integer("x", 9, 2), integer("y", 9, -3)],
        rows("x + y >= -20"),
        minimize("2*x + y"),
        1.0,
        slack=2.0,
    ),
    "square": problem(
        [variable("x", 9, 2), variable("y", 9, -3)],
        rows("x + y >= -20"),
        minimize("x**2 + (y + 5)**2"),
        8.0,
        slack=2.0,
    ),
    "global": problem(
        [integer("x", 6, 2, index=["I"])],
        rows("all_different(x[i] for i in I)"),
        minimize("sum(x[i] for i in I)"),
        9.0,
        sets={"I": 3},
        slack=1.0,
    ),
}

UPPER = {
    "linear": problem(
        [variable("x", 5), variable("y", -1, -9), variable("z", 2.5)],
        rows("x + y + z <= 20"),
        maximize("x + y + z"),
        6.5,
        slack=1.0,
    ),
    "whole": problem(
        [integer("x", 5), integer("y", -1, -9)],
        rows("x + y <= 20"),
        maximize("2*x + y"),
        9.0,
        slack=1.0,
    ),
    "square": problem(
        [variable("x", 5), variable("y", -1, -9)],
        rows("x + y <= 20"),
        minimize("(x - 7)**2 + (y - 1)**2"),
        8.0,
        slack=2.0,
    ),
    "global": problem(
        [integer("x", 5, 1, index=["I"])],
        rows("all_different(x[i] for i in I)"),
        maximize("sum(x[i] for i in I)"),
        12.0,
        sets={"I": 3},
        slack=1.0,
    ),
}

REVERSED = {
    "linear": linear.FIXED,
    "whole": whole.BELOW_ZERO,
    "square": smooth.NEAREST_POINT,
    "logic": conditions.CHOICES,
    "global": structures.ELEMENT,
}
"""With a single optimum, so that values can be compared."""


class _Composed(KnownProblem):
    """What the kernel's composition leaves to an agent: one objective at a time."""

    @property
    def needs(self) -> frozenset[Capability]:
        """The needs of each stage."""
        return self.model().needs - {Capability.MULTI_OBJECTIVE}


SEVERAL_LEVELS = {name: _Composed(p.parts, front=p.front) for name, p in COMPOSED.items()}
