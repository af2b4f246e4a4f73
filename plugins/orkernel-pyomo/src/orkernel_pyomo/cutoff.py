"""Bounds that every point as good as a known one keeps, for models whose columns have none.

An objective that grows in all directions bounds the points at which it is low. That is found
by propagating bounds through the rows and the objective, and, where the objective is a
polynomial, by an underestimate that is a sum over columns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pyomo.environ as pyo
from pyomo.common.errors import InfeasibleConstraintException
from pyomo.contrib.fbbt.fbbt import fbbt

from orkernel_pyomo import building
from orkernel_pyomo.polynomials import Polynomial, expand
from orkernel_pyomo.separable import Bound, low_region

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel_pyomo.building import Built

MOST_NODES = 2000
"""Larger graphs are left as they are: propagation would take seconds."""
FARTHEST = 1e8
"""Bounds beyond this help no search."""
SLACK = 1e-3
"""How far the cutoff lies beyond the known objective, relatively (below 1, absolutely)."""
MARGIN = 1e-6
"""By this, relatively, and by 1, bounds are loosened against rounding."""
ROUNDS = 3


@dataclass(frozen=True, slots=True, eq=False)
class Box:
    """Every feasible point whose objective is no worse than `cutoff` lies strictly within.

    Attributes:
        cutoff: In the objective's own sense.
        lower: Per column of the graph.
        upper: Per column of the graph.
    """

    cutoff: float
    lower: Floats
    upper: Floats

    def tighten(self, built: Built) -> None:
        """Put the bounds into a model of the same columns."""
        for v, low, high in zip(
            built.columns, self.lower.tolist(), self.upper.tolist(), strict=True
        ):
            v.setlb(low if v.lb is None else max(low, v.lb))
            v.setub(high if v.ub is None else min(high, v.ub))

    def is_active(self, values: Floats, built: Built) -> bool:
        """Whether a point touches a bound that the model itself does not have.

        Args:
            values: One per column of `built`, which are the first ones of the graph.
            built: The model with its own bounds.
        """
        sides = zip(values.tolist(), self.lower.tolist(), self.upper.tolist(), strict=False)
        return any(
            (x <= low + 0.5 and (v.lb is None or v.lb < low))
            or (x >= high - 0.5 and (v.ub is None or v.ub > high))
            for (x, low, high), v in zip(sides, built.columns, strict=True)
        )


def needs_box(content: dict[str, Any]) -> bool:
    """Whether a graph has an objective and a column in use without bounds, and is not large."""
    if content["objective"] is None or len(content["nodes"]) > MOST_NODES:
        return False
    lower, upper = (np.array(content["columns"][side], dtype=float) for side in ("lower", "upper"))
    free = ~(np.isfinite(lower) & np.isfinite(upper))
    return any(node[0] == "x" and free[node[1]] for node in content["nodes"])


def search_box(content: dict[str, Any], objective: float) -> Box | None:
    """Bounds on every point that is no worse than a known one.

    Args:
        content: The graph (`orkernel_pyomo.job.read_graph`), of operations that can be built.
        objective: A known objective, in its own sense.

    Returns:
        None if some column in use stays without bounds, or with ones too far to help.
    """
    maximize = bool(content["maximize"])
    slack = SLACK * max(1.0, abs(objective))
    cutoff = objective - slack if maximize else objective + slack
    polynomial = expand(content, content["objective"])
    level = Fraction(cutoff)
    if maximize and polynomial is not None:
        polynomial = {monomial: -value for monomial, value in polynomial.items()}
        level = -level
    built = building.from_graph(content)
    goal = built.model.objective.expr
    built.model.cutoff = pyo.Constraint(expr=goal >= cutoff if maximize else goal <= cutoff)
    used = sorted({node[1] for node in content["nodes"] if node[0] == "x"})
    try:
        for _ in range(ROUNDS):
            fbbt(built.model)
            if polynomial is not None:
                _bound_by(polynomial, level, built)
            if all(_is_close(built.columns[j]) for j in used):
                break
    except (InfeasibleConstraintException, OverflowError, ZeroDivisionError):
        return None
    if not all(_is_close(built.columns[j]) for j in used):
        return None
    return _loosened(built, cutoff)


def _bound_by(polynomial: Polynomial, level: Fraction, built: Built) -> None:
    bounds: list[tuple[Bound, Bound]] = [(v.lb, v.ub) for v in built.columns]
    for v, (low, high) in zip(built.columns, low_region(polynomial, level, bounds), strict=True):
        v.setlb(low)
        v.setub(high)


def _is_close(v: Any) -> bool:
    return all(bound is not None and abs(bound) <= FARTHEST for bound in (v.lb, v.ub))


def _loosened(built: Built, cutoff: float) -> Box:
    """The bounds of a model, moved outwards; whole for integer columns."""
    low = np.array([-math.inf if v.lb is None else v.lb for v in built.columns], dtype=float)
    high = np.array([math.inf if v.ub is None else v.ub for v in built.columns], dtype=float)
    return Box(
        cutoff,
        np.floor(low - 1.0 - MARGIN * np.where(np.isfinite(low), np.abs(low), 0.0)),
        np.ceil(high + 1.0 + MARGIN * np.where(np.isfinite(high), np.abs(high), 0.0)),
    )
