"""The independent check of a solver's answer, from the formulation and nothing else.

The kernel recomputes feasibility and the objectives with its own evaluator and
refuses an answer that does not hold. What it cannot recompute (optimality,
infeasibility, unboundedness) it checks by a certificate, or says who claims it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.estimation import standard_errors
from orkernel.algebra.sampling import SCENARIOS, common_sample
from orkernel.certificates import proves_infeasible, proves_optimal, proves_unbounded
from orkernel.errors import Unsupported
from orkernel.records import Capability, Guarantee
from orkernel.solution import Evidence, Solution, Status

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats, LinearForm
    from orkernel.model import Model

ROW_TOLERANCE = 1e-6
"""A row holds if its violation is at most this times max(1, |rhs|)."""
INTEGRALITY_TOLERANCE = 1e-5
"""An integer value may differ from a whole number by at most this."""
OBJECTIVE_TOLERANCE = 1e-5
"""Relative difference allowed between the claimed and the recomputed objective."""
BOUND_TOLERANCE = 1e-4
"""Relative difference by which the point may be better than the claimed bound."""
DISAGREEMENT = 6.0
"""Standard errors by which a simulated figure may differ from the kernel's own."""


@dataclass(frozen=True, slots=True, eq=False)
class Verification:
    """Outcome of the check.

    Attributes:
        verified: Feasibility and objectives were recomputed and hold.
        values: The point that was checked, integer columns rounded, or None.
        objectives: Recomputed objective values by name, each in its own sense.
        max_violation: Largest scaled violation of a row, bound or integrality; None
            without a point.
        evidence: What stands behind the status; None for a merely feasible answer.
        problems: Why it is refused, one line each.
    """

    verified: bool
    values: Floats | None
    objectives: dict[str, float]
    max_violation: float | None
    evidence: Evidence | None
    problems: tuple[str, ...] = ()


def verify(model: Model, solution: Solution) -> Verification:
    """Check one answer against its model.

    Args:
        model: The model that was solved; at most one objective counts for optimality.
        solution: What the agent returned.

    Returns:
        The verification; it never raises for a wrong answer.
    """
    if solution.status is Status.INFEASIBLE:
        return Verification(True, None, {}, None, _infeasible_evidence(model, solution))
    if solution.status is Status.UNBOUNDED:
        return _verify_unbounded(model, solution)
    if solution.values is None:
        claimed = solution.status in (Status.OPTIMAL, Status.FEASIBLE, Status.PARETO_FRONT)
        absent = (f"'{solution.status}' was claimed without a point",) if claimed else ()
        return Verification(False, None, {}, None, None, absent)
    point = check_point(model, solution.values)
    problems = [*point.problems, *_front_problems(model, solution)]
    problems += _objective_problems(model, solution, point.objectives)
    problems += _sampling_problems(model, solution, point)
    if solution.status is Status.OPTIMAL and solution.guarantee is not Guarantee.GLOBAL:
        problems.append(
            f"'optimal' was claimed with a {solution.guarantee} guarantee, which cannot support it"
        )
    evidence: Evidence | None = None
    if solution.status is Status.OPTIMAL and not problems:
        evidence = _optimal_evidence(model, solution, point)
    elif solution.status is Status.PARETO_FRONT and solution.guarantee is Guarantee.GLOBAL:
        evidence = None if problems else Evidence.SOLVER_CLAIM
    return replace(point, verified=not problems, evidence=evidence, problems=tuple(problems))


def check_point(model: Model, values: Any) -> Verification:
    """Recompute feasibility and objectives of one point.

    Integer columns within the tolerance are rounded to whole numbers, provided that the
    rounded point is no less feasible than the tolerance allows.
    """
    n = len(model.columns)
    try:
        if np.iscomplexobj(values):
            raise TypeError
        x = np.array(values, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        return Verification(False, None, {}, None, None, ("the values are not numbers",))
    if x.shape != (n,):
        message = f"the answer has {x.size} values; the model has {n} columns"
        return Verification(False, None, {}, None, None, (message,))
    if not np.all(np.isfinite(x)):
        column = int(np.flatnonzero(~np.isfinite(x))[0])
        message = f"variable {model.columns.label(column)} is {x[column]}, not a finite number"
        return Verification(False, None, {}, None, None, (message,))
    checked = _check(model, x)
    if np.any(model.columns.integer):
        whole = np.where(model.columns.integer, np.round(x), x)
        rounded = _check(model, whole)
        if rounded.verified or not checked.verified:
            drift = float(np.max(np.abs(whole - x), initial=0.0))
            if drift <= INTEGRALITY_TOLERANCE:
                return rounded
    return checked


def _check(model: Model, x: Floats) -> Verification:
    columns = model.columns
    problems: list[str] = []
    worst = 0.0

    fraction = np.where(columns.integer, np.abs(x - np.round(x)), 0.0)
    if fraction.size and fraction.max() > INTEGRALITY_TOLERANCE:
        column = int(fraction.argmax())
        problems.append(f"variable {columns.label(column)} = {x[column]:.9g} is not a whole number")
    worst = max(worst, float(fraction.max(initial=0.0)))

    for bound, excess, word in (
        (columns.lower, columns.lower - x, "below its lower"),
        (columns.upper, x - columns.upper, "above its upper"),
    ):
        scaled = excess / np.maximum(1.0, np.abs(np.where(np.isfinite(bound), bound, 0.0)))
        if scaled.size:
            column = int(scaled.argmax())
            worst = max(worst, float(scaled[column]))
            if scaled[column] > ROW_TOLERANCE:
                problems.append(
                    f"variable {columns.label(column)} = {x[column]:.9g} is {word} bound "
                    f"{bound[column]:.9g}"
                )

    computed = model.evaluate(x)
    violations = computed.violations[0]
    scaled = np.where(np.isnan(violations), np.inf, violations) / computed.scales[0]
    failing = np.flatnonzero(scaled > ROW_TOLERANCE)
    for row in failing[np.argsort(-scaled[failing], kind="stable")][:5]:
        problems.append(
            f"constraint {model.rows.label(int(row))} is violated by {violations[row]:.6g}"
        )
    if failing.size > 5:
        problems.append(f"{failing.size - 5} more constraints are violated")
    worst = max(worst, float(np.max(scaled, initial=0.0)))

    names = [o.name for o in model.formulation.objectives]
    objectives = {
        name: float(value) for name, value in zip(names, computed.objectives[0], strict=True)
    }
    for name, value in objectives.items():
        if not np.isfinite(value):
            problems.append(f"objective '{name}' evaluates to {value}")
    return Verification(not problems, x, objectives, worst, None, tuple(problems))


def _objective_problems(
    model: Model, solution: Solution, recomputed: dict[str, float]
) -> list[str]:
    if len(recomputed) != 1:
        return []
    ((name, value),) = recomputed.items()
    problems = []
    claimed, bound = solution.objective, solution.bound
    within = OBJECTIVE_TOLERANCE * max(1.0, abs(value))
    if claimed is not None and not abs(value - claimed) <= within:
        problems.append(
            f"objective '{name}' is {value:.9g} when recomputed; the solver says {claimed:.9g}"
        )
    if bound is not None and np.isfinite(value):
        maximize = model.formulation.objectives[0].sense == "maximize"
        beyond = value - bound if maximize else bound - value
        if beyond > BOUND_TOLERANCE * max(1.0, abs(value)):
            problems.append(
                f"objective '{name}' is {value:.9g}, better than the bound {bound:.9g} that the "
                "solver claims"
            )
    return problems


def _sampling_problems(model: Model, solution: Solution, point: Verification) -> list[str]:
    """What is wrong with an answer to a model with random parameters.

    Its point was judged over the common sample, which proves nothing about all scenarios. What
    was simulated must agree with that sample within the errors of both.
    """
    random = bool(model.program.scope.random) and Capability.RANDOM in model.needs
    if point.values is None or not (random or solution.estimates):
        return []
    problems = []
    if solution.status is Status.OPTIMAL:
        problems.append("'optimal' was claimed for a model that is known by a sample only")
    if not solution.estimates or not np.all(np.isfinite(point.values)):
        return problems
    sample = common_sample(model.program.scope.random)
    own = standard_errors(model, point.values, sample, SCENARIOS)
    for claim in solution.estimates:
        element = f"{claim.kind} '{claim.name}'"
        if (claim.kind, claim.name) not in own:
            problems.append(f"{element} was simulated, but depends on no random parameter")
            continue
        value, error = own[claim.kind, claim.name]
        if not (claim.low <= claim.value <= claim.high and 0 < claim.level < 1):
            problems.append(f"{element}: {claim.value:.6g} is outside its own interval")
        reach = DISAGREEMENT * np.hypot(error, claim.high - claim.low)
        if not abs(claim.value - value) <= reach + OBJECTIVE_TOLERANCE * max(1.0, abs(value)):
            problems.append(
                f"{element} was simulated as {claim.value:.6g}; over the kernel's sample it "
                f"is {value:.6g}"
            )
    return problems


def _front_problems(model: Model, solution: Solution) -> list[str]:
    """What is wrong with a Pareto front; each of its points is checked like an answer."""
    if solution.status is not Status.PARETO_FRONT:
        return []
    if len(model.formulation.objectives) < 2:
        return ["a Pareto front was claimed for fewer than two objectives"]
    if not solution.pareto:
        return ["a Pareto front was claimed without its points"]
    problems: list[str] = []
    recomputed: list[list[float]] = []
    for number, member in enumerate(solution.pareto, start=1):
        found = check_point(model, member.values)
        values = list(found.objectives.values())
        wrong = list(found.problems)
        if not wrong and not (
            len(member.objectives) == len(values)
            and np.allclose(member.objectives, values, OBJECTIVE_TOLERANCE, 1e-5)
        ):
            wrong = [f"its objectives are {found.objectives}; the solver says {member.objectives}"]
        problems += [f"point {number} of the front: {problem}" for problem in wrong]
        recomputed.append(values)
    if problems:
        return problems
    if solution.values is not None and not any(
        np.array_equal(member.values, solution.values) for member in solution.pareto
    ):
        problems.append("the point that was chosen from the front is not on it")
    return problems + _dominated(model, np.array(recomputed))


def _dominated(model: Model, objectives: Floats) -> list[str]:
    """Points of a front that another one beats: worse in nothing, and clearly better in something.

    Args:
        model: Gives the senses.
        objectives: Recomputed values, shape `(points, m)`.
    """
    signs = [-1.0 if o.sense == "maximize" else 1.0 for o in model.formulation.objectives]
    points = objectives * np.array(signs)
    problems = []
    for number, point in enumerate(points, start=1):
        clearly = OBJECTIVE_TOLERANCE * np.maximum(1.0, np.abs(point))
        beats = np.all(points <= point, axis=1) & np.any(points < point - clearly, axis=1)
        if beats.any():
            problems.append(
                f"point {number} of the front is dominated by point {int(beats.argmax()) + 1}"
            )
    return problems


def _quadratic_form(model: Model) -> LinearForm | None:
    """The arrays of a model with linear rows, or None if it has none."""
    try:
        form = model.quadratic()
    except Unsupported:
        return None
    return None if form.row_quadratic else form.linear


def _optimal_evidence(model: Model, solution: Solution, point: Verification) -> Evidence:
    if not model.formulation.objectives:
        return Evidence.CERTIFICATE
    duals: Any = None
    if solution.certificate is not None and solution.certificate.kind == "dual":
        duals = solution.certificate.vector
    elif solution.duals is not None:
        duals = solution.duals.rows
    form = _quadratic_form(model) if duals is not None else None
    if form is None or point.values is None or np.shape(duals) != (len(model.rows),):
        return Evidence.SOLVER_CLAIM
    proven = proves_optimal(form, point.values, duals, convex=model.structure.convex is True)
    return Evidence.CERTIFICATE if proven else Evidence.SOLVER_CLAIM


def _infeasible_evidence(model: Model, solution: Solution) -> Evidence:
    form = _quadratic_form(model)
    if form is None:
        return Evidence.SOLVER_CLAIM
    certificate = solution.certificate
    multipliers: Any = np.zeros(len(model.rows))
    if certificate is not None and certificate.kind == "farkas":
        if np.shape(certificate.vector) != (len(model.rows),):
            return Evidence.SOLVER_CLAIM
        multipliers = certificate.vector
    return Evidence.CERTIFICATE if proves_infeasible(form, multipliers) else Evidence.SOLVER_CLAIM


def _verify_unbounded(model: Model, solution: Solution) -> Verification:
    """Unbounded means a feasible point and a direction; both are checked when given."""
    if solution.values is None:
        return Verification(True, None, {}, None, Evidence.SOLVER_CLAIM)
    point = check_point(model, solution.values)
    form = _quadratic_form(model)
    certificate = solution.certificate
    proven = (
        point.verified
        and form is not None
        and certificate is not None
        and certificate.kind == "primal_ray"
        and np.shape(certificate.vector) == (len(model.columns),)
        and proves_unbounded(form, certificate.vector)
    )
    return replace(
        point,
        verified=True,
        objectives={},
        problems=(),
        evidence=Evidence.CERTIFICATE if proven else Evidence.SOLVER_CLAIM,
    )
