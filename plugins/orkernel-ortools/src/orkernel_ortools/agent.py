"""OrtoolsAgent: hands a model of integer variables to CP-SAT, and tours to routing as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Unsupported
from orkernel.records import Capability
from orkernel_ortools.solving import solve_model

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem
    from orkernel.solution import Solution


class OrtoolsAgent:
    """Integer models with logic, piecewise functions, products and global constraints."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        """Solve a model.

        Args:
            problem: What the user gave; not used.
            model: Integer columns only, at most one objective.
            ctx: Seed, deadline, gap, cancellation, options.

        Returns:
            The solution in the model's column order; `optimal` means proven.

        Raises:
            Unsupported: Something has no exact form in 64-bit integers, or a variable has no
                bound and none follows.
            Cancelled: Interrupted before there was an incumbent.
            PluginError: CP-SAT failed.
        """
        del problem
        refuse(model)
        return solve_model(model, ctx)


def refuse(model: Model) -> None:
    """Raise `Unsupported` for a model that CP-SAT cannot take at all."""
    if len(model.formulation.objectives) > 1:
        raise Unsupported("objectives", "CP-SAT takes one objective at a time")
    if Capability.RANDOM in model.needs:
        raise Unsupported("model", "CP-SAT takes no random parameters")
    fractional = np.flatnonzero(~model.columns.integer)
    if fractional.size:
        raise Unsupported(
            f"variable '{model.columns.label(int(fractional[0]))}'",
            "CP-SAT takes integer variables only, this one is continuous",
        )
    if Capability.CONTINUOUS in model.needs:
        raise Unsupported("model", "it has no integer variables")
