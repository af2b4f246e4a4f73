"""What proves that a program has no solution or no end: multipliers, rays, subsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from orkernel.solution import InfeasibleSubset
from orkernel_highs.engine import Engine, ModelStatus

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext
    from orkernel_highs.program import Program

SUBSET_STRATEGY = 4
"""HiGHS' `iis_strategy` for a true irreducible subset (0 only looks at trivial conflicts)."""
CHECKED_SUBSET = 200
"""Irreducibility is tested member by member up to this many members."""
SUBSET_SECONDS = 20.0
"""Longest search for a subset."""
NOISE = 1e-10
"""Entries of a direction below this are rounding."""


def farkas_multipliers(program: Program, ctx: RunContext) -> Floats | None:
    """Row multipliers that prove the continuous relaxation infeasible.

    Args:
        program: An infeasible program.
        ctx: Deadline and cancellation.

    Returns:
        Shape `(m,)`, to be read with `orkernel.certificates.proves_infeasible`; None if the
        relaxation is feasible, or if HiGHS has no ray for it (bounds that contradict
        each other need none).
    """
    engine = Engine(program.relaxed().without_objective(), ctx, silent=True, solver="simplex")
    if engine.run() != ModelStatus.kInfeasible:
        return None
    ray = engine.call(engine.highs.getDualRay)
    if ray is None or not ray[1]:
        return None
    return engine.scaling.multipliers(np.array(ray[2], dtype=float))


def elastic_multipliers(program: Program, ctx: RunContext) -> Floats | None:
    """As `farkas_multipliers`, from the duals of the elastic program.

    The elastic program lets every row be broken at a cost of 1 per unit; it always has an
    optimum unless bounds contradict each other, and its duals are a Farkas proof if that is
    not zero (Chinneck, Feasibility and Infeasibility in Optimization, 2008, ch. 6).
    """
    engine = Engine(program.elastic(), ctx, silent=True, solver="simplex")
    if engine.run() != ModelStatus.kOptimal:
        return None
    duals = np.asarray(engine.highs.getSolution().row_dual, dtype=float)
    return engine.scaling.row_duals(duals)


def improving_ray(program: Program, ctx: RunContext) -> Floats | None:
    """A direction along which the objective improves for ever, shape `(n,)`; None if none.

    The best direction of the recession cone cut off at |d| ≤ 1 is a bounded linear program.
    """
    recession = program.recession()
    engine = Engine(
        recession, ctx, silent=True, solver="simplex", primal_feasibility_tolerance=1e-10
    )
    if engine.run() != ModelStatus.kOptimal:
        return None
    direction = engine.values()
    direction[np.abs(direction) < NOISE] = 0.0
    gain = float(program.cost @ direction) * (1.0 if program.maximize else -1.0)
    worth = 1e-9 * max(1e-300, float(np.max(np.abs(program.cost), initial=0.0)))
    return direction if gain > worth else None


def infeasible_subset(program: Program, ctx: RunContext) -> InfeasibleSubset | None:
    """An irreducible infeasible subset of the continuous relaxation, found by HiGHS.

    The answer is not taken on trust: the subset is solved again on its own, and with
    each member left out in turn.

    Args:
        program: An infeasible program.
        ctx: Deadline and cancellation.

    Returns:
        The subset; `minimal` only for a continuous program whose members were all tried.
        None if the relaxation is feasible, or HiGHS finds no subset that is infeasible.
    """
    limited = ctx.limited(SUBSET_SECONDS)
    relaxed = program.relaxed().without_objective()
    engine = Engine(relaxed, limited, silent=True, iis_strategy=SUBSET_STRATEGY)
    if engine.run() != ModelStatus.kInfeasible:
        return None
    answer = engine.call(engine.highs.getIis)
    if answer is None or not answer[1].valid_:
        return None
    iis = answer[1]
    lower_codes = {
        highspy.IisBoundStatus.kIisBoundStatusLower,
        highspy.IisBoundStatus.kIisBoundStatusBoxed,
    }
    upper_codes = {
        highspy.IisBoundStatus.kIisBoundStatusUpper,
        highspy.IisBoundStatus.kIisBoundStatusBoxed,
    }
    rows = tuple(sorted(int(i) for i in iis.row_index_))
    bounds = [
        (int(j), highspy.IisBoundStatus(int(b)))
        for j, b in zip(iis.col_index_, iis.col_bound_, strict=True)
    ]
    found = InfeasibleSubset(
        rows=rows,
        lower=tuple(j for j, b in bounds if b in lower_codes and np.isfinite(relaxed.lower[j])),
        upper=tuple(j for j, b in bounds if b in upper_codes and np.isfinite(relaxed.upper[j])),
    )
    if _feasible(relaxed, found, limited) is not False:
        return None
    minimal = not program.is_mip and _irreducible(relaxed, found, limited)
    return InfeasibleSubset(found.rows, found.lower, found.upper, minimal)


def _irreducible(program: Program, subset: InfeasibleSubset, ctx: RunContext) -> bool:
    size = len(subset.rows) + len(subset.lower) + len(subset.upper)
    if size > CHECKED_SUBSET:
        return False
    smaller = [
        *(
            InfeasibleSubset(_without(subset.rows, i), subset.lower, subset.upper)
            for i in subset.rows
        ),
        *(
            InfeasibleSubset(subset.rows, _without(subset.lower, j), subset.upper)
            for j in subset.lower
        ),
        *(
            InfeasibleSubset(subset.rows, subset.lower, _without(subset.upper, j))
            for j in subset.upper
        ),
    ]
    return all(_feasible(program, candidate, ctx) is True for candidate in smaller)


def _without(numbers: tuple[int, ...], dropped: int) -> tuple[int, ...]:
    return tuple(k for k in numbers if k != dropped)


def _feasible(program: Program, subset: InfeasibleSubset, ctx: RunContext) -> bool | None:
    """Whether the members can hold together; None if that was not decided."""
    n = len(program.lower)
    lower, upper = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    lower[list(subset.lower)] = True
    upper[list(subset.upper)] = True
    alone = program.subset(np.array(subset.rows, dtype=np.intp), lower, upper)
    status = Engine(alone, ctx, silent=True).run()
    if status == ModelStatus.kInfeasible:
        return False
    return True if status in (ModelStatus.kOptimal, ModelStatus.kModelEmpty) else None
