"""Scaling up of tiny rows and costs, which HiGHS would otherwise treat as zero.

HiGHS measures rows and reduced costs against absolute tolerances of 1e-7 and drops
coefficients below 1e-12. A row or an objective written in tiny numbers is therefore
multiplied by a power of two, which is exact, before it is solved.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from orkernel.algebra.scaling import row_maxima, scale_factors

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel_highs.program import Program


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """What the rows and the objective of the original were multiplied by.

    Attributes:
        rows: Shape `(m,)`; None if no row was scaled.
        objective: Factor of the objective.
    """

    rows: Floats | None = None
    objective: float = 1.0

    def row_duals(self, duals: Floats) -> Floats:
        """Duals of the original rows from those of the scaled program."""
        scaled = duals if self.rows is None else duals * self.rows
        return scaled / self.objective

    def multipliers(self, y: Floats) -> Floats:
        """Row multipliers (no objective involved) for the original rows."""
        return y if self.rows is None else y * self.rows


def scaled(program: Program) -> tuple[Program, Scaling]:
    """The program with tiny rows and a tiny objective scaled up.

    Args:
        program: Any program; it is not changed.
    """
    largest = row_maxima(program.matrix)
    factors = scale_factors(largest)
    scaling = Scaling()
    if np.any(factors != 1.0):
        matrix = csr_array(program.matrix.multiply(factors[:, None]))
        scaling = replace(scaling, rows=factors)
        program = replace(
            program,
            matrix=matrix,
            row_lower=program.row_lower * factors,
            row_upper=program.row_upper * factors,
        )
    magnitude = np.max(np.abs(program.cost), initial=0.0)
    if program.hessian is not None and program.hessian.nnz:
        magnitude = max(magnitude, float(np.max(np.abs(program.hessian.data))))
    factor = float(scale_factors(np.array([magnitude]))[0])
    if factor != 1.0:
        scaling = replace(scaling, objective=factor)
        program = replace(
            program,
            cost=program.cost * factor,
            offset=program.offset * factor,
            hessian=None if program.hessian is None else program.hessian * factor,
        )
    return program, scaling
