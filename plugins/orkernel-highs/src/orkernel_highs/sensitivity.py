"""Dual values, reduced costs and sensitivity ranges of a continuous program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from orkernel.solution import Duals

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel_highs.engine import Engine

AUTOMATIC = 5_000
"""With `ranges=auto`, ranges are computed up to this many rows plus columns."""


def marginal_values(engine: Engine, *, ranges: str) -> Duals | None:
    """Duals at the optimum that the engine holds; None if HiGHS has none.

    Args:
        engine: After an optimal run of a continuous program.
        ranges: `on`, `off` or `auto`.
    """
    solution = engine.highs.getSolution()
    if not solution.dual_valid:
        return None
    program = engine.program
    m, n = program.matrix.shape
    rows = engine.scaling.row_duals(np.asarray(solution.row_dual, dtype=float)) + 0.0
    columns = np.asarray(solution.col_dual, dtype=float) / engine.scaling.objective + 0.0
    wanted = ranges == "on" or (ranges == "auto" and m + n <= AUTOMATIC)
    if not (wanted and program.is_lp):
        return Duals(rows, columns)
    return Duals(rows, columns, _ranges(engine))


def _ranges(engine: Engine) -> dict[str, Floats]:
    """Costs and right-hand sides between which the optimal basis stays optimal.

    A row that is not binding has one side to move: its range reaches from the activity
    to infinity; an equation that is not binding has none. With two different sides there is no
    single right-hand side: NaN.
    """
    highs, program = engine.highs, engine.program
    basis = highs.getBasis()
    if not basis.valid:
        return {}
    status, ranging = highs.getRanging()
    if status == highspy.HighsStatus.kError or not ranging.valid:
        return {}
    m, n = program.matrix.shape
    scale = 1.0 if engine.scaling.rows is None else engine.scaling.rows

    def first(record: highspy.HighsRangingRecord, size: int) -> Floats:
        return np.asarray(record.value_, dtype=float)[:size] + 0.0

    costs = np.column_stack([first(ranging.col_cost_dn, n), first(ranging.col_cost_up, n)])
    rhs = np.column_stack([first(ranging.row_bound_dn, m), first(ranging.row_bound_up, m)])
    rhs = rhs / np.reshape(scale, (-1, 1)) if m else rhs

    activity = program.matrix @ engine.values()
    basic = np.array(
        [s == highspy.HighsBasisStatus.kBasic for s in basis.row_status], dtype=bool
    ).reshape(m)
    has_lower, has_upper = np.isfinite(program.row_lower), np.isfinite(program.row_upper)
    rhs[basic] = np.nan
    equation = basic & (program.row_lower == program.row_upper)
    rhs[equation] = np.column_stack([program.row_lower[equation]] * 2)
    only_upper, only_lower = basic & has_upper & ~has_lower, basic & has_lower & ~has_upper
    rhs[only_upper] = np.column_stack([activity[only_upper], np.full(only_upper.sum(), np.inf)])
    rhs[only_lower] = np.column_stack([np.full(only_lower.sum(), -np.inf), activity[only_lower]])
    return {"objective": costs / engine.scaling.objective, "rhs": rhs}
