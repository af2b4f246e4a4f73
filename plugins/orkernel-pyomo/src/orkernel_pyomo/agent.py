"""PyomoAgent: hands a model to a worker process that builds it in Pyomo and solves it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from orkernel.errors import Unsupported
from orkernel.records import Capability
from orkernel_pyomo.arrays import Arrays, linear_part
from orkernel_pyomo.building import SMOOTH
from orkernel_pyomo.mixed import mixed_graph
from orkernel_pyomo.rewriting import KINKED
from orkernel_pyomo.solving import export_model, solve_arrays, solve_graph

if TYPE_CHECKING:
    from orkernel.algebra.forms import Graph
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem
    from orkernel.solution import Solution

_REFORMULATED = frozenset({Capability.LOGICAL, Capability.PIECEWISE})
_QUADRATIC = frozenset({Capability.QUADRATIC_OBJECTIVE, Capability.QUADRATIC_CONSTRAINT})
_TAKEN = (
    _REFORMULATED
    | _QUADRATIC
    | {
        Capability.CONTINUOUS,
        Capability.INTEGER,
        Capability.LINEAR,
        Capability.NONCONVEX,
        Capability.NONLINEAR,
    }
)


class PyomoAgent:
    """Linear, integer, quadratic and nonlinear models."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        """Solve a model.

        Args:
            problem: What the user gave; not used.
            model: At most one objective.
            ctx: Seed, deadline, gap, cancellation, options.

        Returns:
            The solution in the model's column order. `optimal` where a bound proves it, or a
            model is convex; what Ipopt and Bonmin find elsewhere is `feasible`, guaranteed
            locally.

        Raises:
            Unsupported: The model needs something that no solver behind Pyomo takes.
            UnknownName: The option `solver` names one that is not there.
            PluginError: The solver's process was killed, crashed or ran out of memory.
            Cancelled: Interrupted before there was an incumbent.
        """
        del problem
        needs = model.needs
        refuse(model)
        curved = needs & (_QUADRATIC | {Capability.NONLINEAR})
        if needs & _REFORMULATED and curved:
            graph, assumptions = smooth_graph(model)
            solution = _own_columns(solve_graph(graph, ctx), model)
            return replace(solution, assumptions=(*solution.assumptions, *assumptions))
        if needs & _REFORMULATED:
            form = model.linearized()
            solution = solve_arrays(form, ctx, convex=True)
            assumptions = (*solution.assumptions, *form.assumptions)
            return replace(_own_columns(solution, model), assumptions=assumptions)
        whole = model.kept_rows is None
        if Capability.NONLINEAR in needs:
            return solve_graph(smooth_graph(model)[0], ctx, subset=whole)
        if needs & _QUADRATIC or Capability.NONCONVEX in needs:
            convex = model.structure.convex is True
            return solve_arrays(model.quadratic(), ctx, convex=convex, subset=whole)
        return solve_arrays(model.linear(), ctx, convex=True, subset=whole)

    def export(self, model: Model, format: str) -> str:
        """The model as text.

        Args:
            model: At most one objective.
            format: `lp`, `mps` or `nl`.

        Raises:
            Unsupported: The model or the format.
        """
        refuse(model)
        names = tuple(model.columns.label(j) for j in range(len(model.columns)))
        if Capability.NONLINEAR in model.needs or (
            model.needs & _REFORMULATED and model.needs & _QUADRATIC
        ):
            graph, _ = smooth_graph(model)
            rows = tuple(model.rows.label(i) for i in range(len(model.rows)))
            return export_model(graph, format, names, rows)
        form = (
            model.linearized()
            if model.needs & _REFORMULATED
            else model.quadratic()
            if model.needs & _QUADRATIC
            else model.linear()
        )
        linear = linear_part(form)
        columns = tuple(linear.columns.label(j) for j in range(len(linear.columns)))
        rows = tuple(linear.rows.label(i) for i in range(len(linear.rows)))
        return export_model(Arrays.of(form), format, columns, rows)


def refuse(model: Model) -> None:
    """Raise `Unsupported` for a model that needs more than this agent offers."""
    needs = model.needs
    if Capability.MULTI_OBJECTIVE in needs:
        raise Unsupported("objectives", "Pyomo's solvers take one objective at a time")
    beyond = sorted(str(need) for need in needs - _TAKEN)
    if beyond:
        raise Unsupported("model", f"it needs {', '.join(beyond)}")


def smooth_graph(model: Model) -> tuple[Graph, tuple[str, ...]]:
    """The expression graph, conditions in linear form, if a solver takes all operations in it.

    Returns:
        The graph, and what it assumes beyond the model.

    Raises:
        Unsupported: Some operation is not taken; the message names the first row that uses it.
    """
    graph, assumptions = mixed_graph(model)
    taken = (None, *SMOOTH, *KINKED)
    beyond = [getattr(node, "op", None) not in taken for node in graph.nodes]
    if not any(beyond):
        return graph, assumptions
    for number, node in enumerate(graph.nodes):
        arguments = getattr(node, "arguments", ())
        beyond[number] = beyond[number] or any(beyond[k] for k in arguments)
    for i, row in enumerate(graph.rows):
        if beyond[row.node]:
            raise Unsupported(
                f"constraint '{graph.row_labels.label(i)}'", "it is not a smooth function"
            )
    raise Unsupported(f"objective '{graph.objectives[0].name}'", "it is not a smooth function")


def _own_columns(solution: Solution, model: Model) -> Solution:
    """Without what belongs to columns and rows that were added to the model."""
    n = len(model.columns)
    values = None if solution.values is None else solution.values[:n]
    return replace(solution, values=values, duals=None, certificate=None, infeasible_subset=None)
