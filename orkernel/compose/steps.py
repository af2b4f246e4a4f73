"""The step of an objective: by how much two different values of it differ at least."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.rows import Wholeness
from orkernel.algebra.space import Space
from orkernel.errors import Unsupported

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.formulation.schema import ObjectiveDefinition
    from orkernel.model import Model

DECIMALS = 6
"""Most decimals of the coefficients for which a step is sought."""
EXACT_INTEGERS = 2.0**53
"""Whole numbers up to this are exact as floating-point numbers."""


def step_of(model: Model, objective: ObjectiveDefinition) -> float | None:
    """The step of an objective whose values are whole multiples of a number, else None.

    A linear objective over integer columns has the greatest common divisor of its
    coefficients; any other that can only be a whole number has step 1. An objective whose
    value may be fractional has none.
    """
    alone = model.derive(objectives=(objective,))
    try:
        (linear,) = alone.lowered_objectives()
    except Unsupported:
        linear = None
    if linear is not None and linear.quadratic is None:
        used = linear.cost != 0.0
        if not np.all(model.columns.integer[used]):
            return None
        step = common_divisor(linear.cost[used])
        if step is not None:
            return step
    statement = alone.program.objectives[0].statement
    whole = Wholeness(alone.program, statement).of(statement.node, Space())
    return 1.0 if bool(np.all(whole)) else None


def common_divisor(coefficients: Floats) -> float | None:
    """Greatest common divisor of decimal fractions; 1 of none, None if they are no such."""
    if not coefficients.size:
        return 1.0
    for decimals in range(DECIMALS + 1):
        scaled = np.abs(coefficients) * 10.0**decimals
        nearest = np.rint(scaled)
        if scaled.max() >= EXACT_INTEGERS:
            return None
        if np.all(np.abs(scaled - nearest) <= 1e-9 * scaled) and np.all(nearest > 0):
            return math.gcd(*nearest.astype(np.int64).tolist()) / 10.0**decimals
    return None
