"""From a lowered form to a solution: run the worker and say exactly how it ended."""

from __future__ import annotations

import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.forms import Constant
from orkernel.algebra.implied_bounds import implied_bounds
from orkernel.certificates import proves_infeasible
from orkernel.context import RunContext
from orkernel.errors import PluginError, Unsupported
from orkernel.records import Guarantee
from orkernel.solution import (
    Certificate,
    Duals,
    InfeasibleSubset,
    Solution,
    SolverIdentity,
    Status,
)
from orkernel_pyomo.arrays import Arrays, Scaling, linear_part, scaled
from orkernel_pyomo.evidence import farkas_multipliers, improving_ray
from orkernel_pyomo.job import (
    Request,
    read_answer,
    starting_point,
    write_graph,
    write_request,
)
from orkernel_pyomo.process import Listener, run_worker
from orkernel_pyomo.running import Run, meets

if TYPE_CHECKING:
    from orkernel.algebra.forms import Graph, LinearForm, QuadraticForm

TINY = 1e-9
"""By this much a row without variables may be off."""
EXPORTS = ("lp", "mps", "nl")
LARGEST = 1e15
"""Coefficients beyond this are lost in the arithmetic of every solver."""


def solve_arrays(
    form: LinearForm | QuadraticForm, ctx: RunContext, *, convex: bool, subset: bool = False
) -> Solution:
    """Solve a linear or quadratic form.

    Args:
        form: At most one objective.
        ctx: Seed, deadline, gap, cancellation, options of the agent `pyomo`.
        convex: Whether a continuous model is known to be convex.
        subset: Whether to look for an infeasible subset where a solver has one natively.

    Returns:
        A solution in the form's column and row order.

    Raises:
        Unsupported: Several objectives, or numbers that no solver resolves.
    """
    started = time.perf_counter()
    linear_form = linear_part(form)
    if len(linear_form.objectives) > 1:
        raise Unsupported("objectives", "Pyomo's solvers take one objective at a time")
    arrays = Arrays.of(form)
    linear = arrays.quadratic is None and not arrays.row_quadratic
    integer = bool(np.any(arrays.integer))
    _refuse_huge(linear_form, arrays)
    run = Run(
        ctx,
        linear=linear,
        integer=integer,
        convex=convex,
        boundless=linear and integer and _boundless(arrays),
        subset=subset,
    )
    solution = run.without_solver() or _by_data(linear_form, arrays)
    if solution is None:
        arranged, scaling = scaled(arrays)
        run.objective_scale = scaling.objective
        solution = _unscaled(run.solve(arranged.write), scaling)
        solution = _explained(solution, linear_form, arrays)
        solution = _with_objective(solution, arrays, run)
    if not arrays.has_objective:
        solution = replace(solution, objective=None, bound=None)
    return replace(solution, seconds=time.perf_counter() - started)


def solve_graph(graph: Graph, ctx: RunContext, *, subset: bool = False) -> Solution:
    """Solve a nonlinear model.

    Args:
        graph: At most one objective.
        ctx: As for `solve_arrays`.
        subset: As for `solve_arrays`.
    """
    started = time.perf_counter()
    if len(graph.objectives) > 1:
        raise Unsupported("objectives", "Pyomo's solvers take one objective at a time")
    integer = bool(np.any(graph.columns.integer))
    run = Run(ctx, linear=False, integer=integer, convex=False, subset=subset)
    solution = run.without_solver() or _by_constants(graph)
    if solution is None:
        solution = run.solve(lambda folder: write_graph(graph, folder))
    if solution.duals is not None:
        rows = solution.duals.rows[: len(graph.rows)]
        solution = replace(solution, duals=replace(solution.duals, rows=rows), certificate=None)
    if not graph.objectives:
        solution = replace(solution, objective=None, bound=None)
    return replace(solution, seconds=time.perf_counter() - started)


def export_model(
    model: Arrays | Graph, format: str, column_names: tuple[str, ...], row_names: tuple[str, ...]
) -> str:
    """The text of an LP, MPS or NL file.

    Raises:
        Unsupported: Another format, or the format cannot express the model.
    """
    if format not in EXPORTS:
        raise Unsupported(f"format '{format}'", f"Pyomo writes {', '.join(EXPORTS)}")
    request = Request(export=format, column_names=column_names, row_names=row_names)
    with tempfile.TemporaryDirectory(prefix="orkernel-pyomo-") as name:
        folder = Path(name)
        if isinstance(model, Arrays):
            model.write(folder)
        else:
            write_graph(model, folder)
        write_request(request, folder)
        run_worker(folder, RunContext(), Listener())
        found = read_answer(folder)
    if found is None:
        raise PluginError(f"the worker that writes {format} ended without an answer")
    answer, _ = found
    if answer.ending != "exported":
        raise Unsupported("model", f"Pyomo cannot write it as {format}: {answer.words}")
    return answer.text


# --------------------------------------------------------------------------- around it


def _by_data(form: LinearForm, arrays: Arrays) -> Solution | None:
    """The answer when bounds contradict, or there are no variables to decide."""
    identity = SolverIdentity("pyomo", "data", "")
    m = len(arrays.row_lower)
    crossed = np.flatnonzero(arrays.lower > arrays.upper)
    if crossed.size:
        j = int(crossed[0])
        return Solution(
            Status.INFEASIBLE,
            identity,
            certificate=Certificate("farkas", np.zeros(m)),
            infeasible_subset=InfeasibleSubset(lower=(j,), upper=(j,), minimal=True),
            message=f"the bounds of {form.columns.label(j)} contradict each other",
        )
    empty = np.diff(arrays.matrix.indptr) == 0
    empty[list(arrays.row_quadratic)] = False
    false = np.flatnonzero(empty & ((arrays.row_lower > 1e-9) | (arrays.row_upper < -1e-9)))
    if false.size:
        i = int(false[0])
        multipliers = np.zeros(m)
        multipliers[i] = 1.0
        return Solution(
            Status.INFEASIBLE,
            identity,
            certificate=Certificate("farkas", multipliers),
            infeasible_subset=InfeasibleSubset(rows=(i,), minimal=True),
            message=f"row {form.rows.label(i)} holds no variable and is false",
        )
    if len(arrays.lower) == 0:
        return Solution(
            Status.OPTIMAL,
            identity,
            values=np.zeros(0),
            objective=arrays.offset,
            bound=arrays.offset,
            duals=Duals(np.zeros(m), np.zeros(0)),
            certificate=Certificate("dual", np.zeros(m)),
            message="the model has no variables",
        )
    return None


def _by_constants(graph: Graph) -> Solution | None:
    """The answer when a row without variables is false, or nothing depends on variables."""
    identity = SolverIdentity("pyomo", "data", "")
    for i, row in enumerate(graph.rows):
        node = graph.nodes[row.node]
        if isinstance(node, Constant) and not row.lower - TINY <= node.value <= row.upper + TINY:
            return Solution(
                Status.INFEASIBLE,
                identity,
                infeasible_subset=InfeasibleSubset(rows=(i,), minimal=True),
                message=f"row {graph.row_labels.label(i)} holds no variable and is false",
            )
    if not all(isinstance(node, Constant) for node in graph.nodes):
        return None
    values = starting_point(graph.columns.lower, graph.columns.upper, graph.columns.start)
    whole = np.clip(np.round(values), np.ceil(graph.columns.lower), np.floor(graph.columns.upper))
    return Solution(
        Status.OPTIMAL,
        identity,
        values=np.where(graph.columns.integer, whole, values),
        message="nothing depends on variables",
    )


def _unscaled(solution: Solution, scaling: Scaling) -> Solution:
    if solution.duals is None:
        return solution
    rows = solution.duals.rows * scaling.rows / scaling.objective
    duals = Duals(rows, solution.duals.columns / scaling.objective)
    proof = None if solution.certificate is None else Certificate("dual", rows)
    return replace(solution, duals=duals, certificate=proof)


def _explained(solution: Solution, form: LinearForm, arrays: Arrays) -> Solution:
    """With a proof of infeasibility or unboundedness, where linear rows have one."""
    says_infeasible = solution.status is Status.INFEASIBLE or (
        solution.status is Status.ERROR and solution.guarantee is Guarantee.LOCAL
    )
    if says_infeasible:
        multipliers = farkas_multipliers(arrays)
        if multipliers is not None and proves_infeasible(form, multipliers):
            return replace(
                solution,
                status=Status.INFEASIBLE,
                guarantee=Guarantee.GLOBAL,
                certificate=Certificate("farkas", multipliers),
            )
    if solution.status is Status.UNBOUNDED:
        ray = improving_ray(arrays)
        if ray is not None:
            certificate = Certificate("primal_ray", ray)
            return replace(solution, guarantee=Guarantee.GLOBAL, certificate=certificate)
    return solution


def _with_objective(solution: Solution, arrays: Arrays, run: Run) -> Solution:
    """The objective recomputed, the bound, and `optimal` only if they meet."""
    if solution.values is None or solution.status is Status.UNBOUNDED:
        return solution
    objective = arrays.objective(solution.values)
    bound = solution.bound if solution.bound is not None else run.bound
    if solution.status is not Status.OPTIMAL:
        return replace(solution, objective=objective, bound=bound)
    if not run.integer and run.solver != "scip":
        return replace(solution, objective=objective, bound=objective)
    if run.solver == "glpk":
        bound = objective
    sizes = [arrays.cost, *([] if arrays.quadratic is None else [arrays.quadratic.data])]
    unit = min(1.0, max(float(np.max(np.abs(part), initial=0.0)) for part in sizes))
    closed = bound is not None and meets(bound, objective, unit)
    return replace(
        solution,
        status=Status.OPTIMAL if closed else Status.FEASIBLE,
        objective=objective,
        bound=bound,
    )


def _boundless(arrays: Arrays) -> bool:
    """True if some integer column has no finite bounds, not even such as the rows imply."""
    lower, upper = implied_bounds(
        arrays.matrix,
        arrays.row_lower,
        arrays.row_upper,
        arrays.lower,
        arrays.upper,
        arrays.integer,
    )
    return bool(np.any(arrays.integer & ~(np.isfinite(lower) & np.isfinite(upper))))


def _refuse_huge(form: LinearForm, arrays: Arrays) -> None:
    """Raise `Unsupported` for a coefficient beyond `LARGEST`."""
    huge = np.flatnonzero(np.abs(arrays.matrix.data) > LARGEST)
    if huge.size:
        row = int(np.searchsorted(arrays.matrix.indptr, huge[0], "right")) - 1
        place, value = f"constraint '{form.rows.label(row)}'", arrays.matrix.data[huge[0]]
    elif np.any(np.abs(arrays.cost) > LARGEST):
        place, value = f"objective '{form.objectives[0].name}'", np.max(np.abs(arrays.cost))
    else:
        return
    raise Unsupported(
        place, f"its coefficient {value:g} is lost beside 1 in floating point; use larger units"
    )
