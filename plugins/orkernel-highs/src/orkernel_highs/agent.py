"""HighsAgent: hands a model's lowered form to HiGHS."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orkernel.errors import Unsupported
from orkernel.records import Capability
from orkernel_highs.export import written
from orkernel_highs.program import Program
from orkernel_highs.solving import solve_form

if TYPE_CHECKING:
    from orkernel.algebra.forms import LinearForm
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem
    from orkernel.solution import Solution

_REFORMULATED = frozenset({Capability.LOGICAL, Capability.PIECEWISE})


class HighsAgent:
    """Linear, mixed-integer and convex quadratic programs."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        """Solve a model.

        Args:
            problem: What the user gave; not used.
            model: At most one objective.
            ctx: Seed, deadline, gap, cancellation, options.

        Returns:
            The solution in the model's column order. For a model whose logic had to be
            reformulated there are no duals and certificates: they would speak about
            rows that the model does not have.

        Raises:
            Unsupported: Nonlinear rows, quadratic rows, a nonconvex objective, several objectives.
            Cancelled: Interrupted before there was an incumbent.
            PluginError: HiGHS failed.
        """
        del problem
        form = lowered(model)
        solution = solve_form(form, ctx)
        if not model.needs & _REFORMULATED:
            return solution
        n = len(model.columns)
        values = None if solution.values is None else solution.values[:n]
        return replace(
            solution,
            values=values,
            duals=None,
            certificate=None,
            infeasible_subset=None,
            assumptions=(*solution.assumptions, *form.assumptions),
        )

    def export(self, model: Model, format: str) -> str:
        """The model as text.

        Args:
            model: At most one objective.
            format: `lp` or `mps`.

        Raises:
            Unsupported: As for `solve`, or an unknown format.
        """
        form = lowered(model)
        return written(Program.of(form), form, format)


def lowered(model: Model) -> LinearForm:
    """The form that HiGHS takes: linear, reformulated, or with a convex quadratic objective.

    Raises:
        Unsupported: There is none.
    """
    needs = model.needs
    if Capability.MULTI_OBJECTIVE in needs:
        raise Unsupported("objectives", "HiGHS takes one objective at a time")
    if needs & _REFORMULATED:
        return model.linearized()
    if Capability.QUADRATIC_OBJECTIVE not in needs and Capability.NONCONVEX not in needs:
        return model.linear()
    form = model.quadratic()
    for row in sorted(form.row_quadratic):
        raise Unsupported(
            f"constraint '{form.linear.rows.label(row)}'", "HiGHS takes linear constraints only"
        )
    if model.structure.convex is not True:
        raise Unsupported(
            f"objective '{form.linear.objectives[0].name}'",
            "HiGHS takes a quadratic objective only if it is known to be convex in its sense",
        )
    return form.linear
