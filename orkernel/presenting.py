"""From arrays back to the user's names: values, duals and infeasible subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.answer import CHECKED, Answer, SubsetMember
from orkernel.fronts import figures
from orkernel.solution import Status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from orkernel.formulation.schema import Formulation, SourceReference
    from orkernel.fronts import FrontFigures
    from orkernel.model import Model
    from orkernel.records import Classification
    from orkernel.solution import Duals, InfeasibleSubset, ParetoPoint
    from orkernel.solving import Outcome


def presented(model: Model, outcome: Outcome, classification: Classification) -> Answer:
    """The answer in the user's names."""
    solution, checked = outcome.solution, outcome.verification
    status = solution.status
    if not checked.verified and status in CHECKED | {Status.INFEASIBLE, Status.UNBOUNDED}:
        status = Status.ERROR
    x = checked.values if checked.verified and status in CHECKED else None
    has_duals = solution.duals is not None and status is Status.OPTIMAL
    subset = outcome.subset
    is_front = x is not None and status is Status.PARETO_FRONT
    return Answer(
        status=status,
        verified=checked.verified,
        message="; ".join(checked.problems) or ("" if checked.verified else solution.message),
        objectives=checked.objectives if x is not None else {},
        variables=model.values(x) if x is not None else {},
        results=model.results(x) if x is not None else {},
        bound=solution.bound,
        gap=solution.gap,
        guarantee=solution.guarantee if solution.solver.agent else None,
        evidence=outcome.evidence,
        duals=(
            duals_by_name(model, solution.duals)
            if solution.duals is not None and has_duals
            else None
        ),
        pareto=pareto_by_name(model, solution.pareto) if is_front else [],
        front=front_figures(model, solution.pareto) if is_front else None,
        estimates=solution.estimates if x is not None else (),
        max_violation=checked.max_violation,
        solver=solution.solver if solution.solver.agent else None,
        classification=classification,
        iis=subset_by_name(model, subset) if subset is not None else None,
        iis_minimal=subset.minimal if subset is not None else False,
        assumptions=(*model.assumptions(), *solution.assumptions),
        notes=(*outcome.notes, *(subset.assumptions if subset is not None else ())),
    )


def duals_by_name(model: Model, duals: Duals) -> dict[str, Any]:
    """Dual values and reduced costs, nested by member like the variables.

    Sensitivity ranges come as `[low, high]` with None for no limit.
    """
    rows: dict[str, Any] = {}
    rhs = duals.ranges.get("rhs")
    rhs_ranges: dict[str, Any] = {}
    for block in model.rows.blocks:
        name = block.constraint if not block.part else f"{block.constraint}#{block.part + 1}"
        for k in range(block.size):
            row = block.offset + k
            keys = [str(column[k]) for column in block.index]
            _put(rows, name, keys, float(duals.rows[row]))
            if rhs is not None:
                _put(rhs_ranges, name, keys, _interval(rhs[row]))
    found: dict[str, Any] = {
        "constraints": rows,
        "reduced_costs": model.values(np.asarray(duals.columns, dtype=float)),
    }
    ranges: dict[str, Any] = {}
    if rhs is not None:
        ranges["rhs"] = rhs_ranges
    if (cost := duals.ranges.get("objective")) is not None:
        costs: dict[str, Any] = {}
        for variable in model.columns.blocks:
            for column in range(variable.offset, variable.offset + variable.size):
                keys = [str(m) for m in model.columns.member(column)]
                _put(costs, variable.name, keys, _interval(cost[column]))
        ranges["objective"] = costs
    if ranges:
        found["ranges"] = ranges
    return found


def _interval(pair: Any) -> list[float | None]:
    return [float(v) if np.isfinite(v) else None for v in pair]


def _put(target: dict[str, Any], name: str, keys: list[str], value: Any) -> None:
    """Set target[name][key]…[key] = value."""
    path = [name, *keys]
    for key in path[:-1]:
        target = target.setdefault(key, {})
    target[path[-1]] = value


def pareto_by_name(model: Model, points: Sequence[ParetoPoint]) -> list[dict[str, Any]]:
    """Points of a front as `{"objectives": …, "variables": …}`, objectives recomputed."""
    names = [o.name for o in model.formulation.objectives]
    return [
        {
            "objectives": dict(zip(names, objectives, strict=True)),
            "variables": model.values(point.values),
        }
        for point, objectives in zip(points, _recomputed(model, points), strict=True)
    ]


def _recomputed(model: Model, points: Sequence[ParetoPoint]) -> list[list[float]]:
    found: list[list[float]] = model.evaluate(
        np.array([p.values for p in points])
    ).objectives.tolist()
    return found


def front_figures(model: Model, points: Sequence[ParetoPoint]) -> FrontFigures:
    """Ideal and nadir point and hypervolume of a checked front."""
    maximize = [o.sense == "maximize" for o in model.formulation.objectives]
    return figures(_recomputed(model, points), maximize)


def subset_by_name(model: Model, subset: InfeasibleSubset) -> tuple[SubsetMember, ...]:
    """Members of an infeasible subset with the sentences behind them."""
    variables = {v.name: v for v in model.formulation.variables}
    members = [
        SubsetMember(block.constraint, "constraint", model.rows.label(row), _quotes(block.sources))
        for row in subset.rows
        for block in [model.rows.block_of(row)]
    ]
    for columns, side in ((subset.lower, "lower bound"), (subset.upper, "upper bound")):
        for column in columns:
            name = model.columns.block_of(column).name
            value = (model.columns.lower if side == "lower bound" else model.columns.upper)[column]
            sign = "≥" if side == "lower bound" else "≤"
            label = f"{model.columns.label(column)} {sign} {value:g}"
            members.append(SubsetMember(name, side, label, _quotes(variables[name].sources)))
    for column in subset.integer:
        name = model.columns.block_of(column).name
        rule = "0 or 1" if variables[name].domain == "binary" else "whole"
        label = f"{model.columns.label(column)} must be {rule}"
        members.append(SubsetMember(name, "integrality", label, _quotes(variables[name].sources)))
    return tuple(members)


def _quotes(sources: Sequence[SourceReference]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(s.quote for s in sources))


def data_files(formulation: Formulation) -> list[str]:
    """Names of the CSV files that a formulation reads."""
    tables = [s.table for s in formulation.sets] + [p.table for p in formulation.parameters]
    return sorted({t.file for t in tables if t is not None})
