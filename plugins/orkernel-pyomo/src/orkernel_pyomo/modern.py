"""Pyomo's newer solver interface, for HiGHS and a system Ipopt: more exact about endings."""

from __future__ import annotations

from typing import Any

from orkernel_pyomo.building import Built
from orkernel_pyomo.job import Answer, Request, finite

SOLVERS = frozenset({"highs", "ipopt"})


def run(built: Built, request: Request) -> Answer:
    """Solve, and leave values and marginal values in the model."""
    from pyomo.common.errors import ApplicationError
    from pyomo.contrib.solver.common.factory import SolverFactory
    from pyomo.contrib.solver.common.results import SolutionStatus
    from pyomo.contrib.solver.common.results import TerminationCondition as NewCondition

    solver: Any = SolverFactory(request.solver)
    config: dict[str, Any] = {
        "tee": True,
        "load_solutions": False,
        "raise_exception_on_nonoptimal_result": False,
    }
    remaining = request.remaining()
    if remaining is not None:
        config["time_limit"] = remaining
    if hasattr(solver.config, "rel_gap"):
        config["rel_gap"] = request.gap
    options: dict[str, Any] = {}
    if request.solver == "highs":
        options = {"random_seed": request.seed % (2**31), "mip_abs_gap": 1e-9}
    elif request.solver == "ipopt":
        options = {"bound_relax_factor": 0.0, "honor_original_bounds": "yes"}
    try:
        results = solver.solve(built.model, solver_options=options, **config)
    except ApplicationError as error:
        return Answer("failed", str(error), request.solver)
    condition, status = results.termination_condition, results.solution_status
    endings = {
        NewCondition.unbounded: "unbounded",
        NewCondition.provenInfeasible: "infeasible",
        NewCondition.locallyInfeasible: "locally_infeasible",
        NewCondition.infeasibleOrUnbounded: "infeasible_or_unbounded",
        NewCondition.maxTimeLimit: "limit",
        NewCondition.iterationLimit: "limit",
    }
    has_point = status in (SolutionStatus.feasible, SolutionStatus.optimal)
    ending = endings.get(condition, "failed")
    if condition == NewCondition.convergenceCriteriaSatisfied:
        ending = "local" if request.solver == "ipopt" else "optimal"
    elif has_point and ending == "limit":
        ending = "feasible"
    answer = Answer(
        ending,
        str(condition.name),
        request.solver,
        ".".join(str(v) for v in solver.version() or ()),
        bound=finite(results.objective_bound),
    )
    if ending in ("optimal", "local", "feasible"):
        results.solution_loader.load_vars()
        if hasattr(built.model, "dual"):
            _load_marginals(built, results.solution_loader)
    return answer


def _load_marginals(built: Built, loader: Any) -> None:
    try:
        for row, value in loader.get_duals().items():
            built.model.dual[row] = value
        for variable, value in loader.get_reduced_costs().items():
            built.model.rc[variable] = value
    except Exception as error:
        print(f"no dual values: {error}")
