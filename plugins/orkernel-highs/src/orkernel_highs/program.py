"""Program: the arrays of one optimisation problem, and the variations that are solved."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array, eye_array, hstack, vstack

from orkernel.errors import Unsupported

if TYPE_CHECKING:
    from orkernel.algebra.forms import Bools, Floats, LinearForm


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """`row_lower ≤ A x ≤ row_upper`, `lower ≤ x ≤ upper`, one objective.

    Attributes:
        matrix: CSR, shape `(m, n)`.
        cost: Shape `(n,)`, in the objective's own sense.
        hessian: Symmetric `(n, n)`; the objective holds `½ xᵀ Q x`.
        integer: Shape `(n,)`.
        start: Shape `(n,)`, NaN where there is no starting value.
    """

    matrix: csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    start: Floats
    cost: Floats
    offset: float = 0.0
    maximize: bool = False
    hessian: csr_array | None = None

    @classmethod
    def of(cls, form: LinearForm) -> Program:
        """The arrays of a form.

        Raises:
            Unsupported: The form has several objectives, or integers and a quadratic objective.
        """
        columns = form.columns
        n = len(columns)
        program = cls(
            matrix=form.matrix,
            row_lower=form.row_lower,
            row_upper=form.row_upper,
            lower=columns.lower,
            upper=columns.upper,
            integer=columns.integer,
            start=columns.start,
            cost=np.zeros(n),
        )
        if not form.objectives:
            return program
        if len(form.objectives) > 1:
            raise Unsupported("objectives", "HiGHS takes one objective at a time")
        objective = form.objectives[0]
        hessian = objective.quadratic
        if hessian is not None and hessian.nnz == 0:
            hessian = None
        if hessian is not None and program.is_mip:
            column = int(np.flatnonzero(columns.integer)[0])
            raise Unsupported(
                f"variable '{columns.label(column)}'",
                "HiGHS does not take integer variables together with a quadratic objective",
            )
        return replace(
            program,
            cost=objective.cost,
            offset=objective.offset,
            maximize=objective.maximize,
            hessian=hessian,
        )

    @property
    def is_mip(self) -> bool:
        """True if a column is integer."""
        return bool(np.any(self.integer))

    @property
    def is_lp(self) -> bool:
        """True if everything is continuous and linear."""
        return self.hessian is None and not self.is_mip

    def objective(self, x: Floats) -> float:
        """Value of the objective at a point."""
        value = self.offset + float(self.cost @ x)
        if self.hessian is not None:
            value += 0.5 * float(x @ (self.hessian @ x))
        return value

    def row_violation(self, x: Floats) -> float:
        """Largest violation of a row, relative to max(1, |bound|)."""
        activity = self.matrix @ x
        worst = 0.0
        for bound, excess in (
            (self.row_lower, self.row_lower - activity),
            (self.row_upper, activity - self.row_upper),
        ):
            finite = np.isfinite(bound)
            scaled = excess[finite] / np.maximum(1.0, np.abs(bound[finite]))
            worst = max(worst, float(np.max(scaled, initial=0.0)))
        return worst

    def relaxed(self) -> Program:
        """Without integrality."""
        return replace(self, integer=np.zeros(len(self.lower), dtype=bool))

    def without_objective(self) -> Program:
        """Only the question whether there is a point."""
        return replace(
            self, cost=np.zeros(len(self.lower)), offset=0.0, maximize=False, hessian=None
        )

    def with_fixed_integers(self, x: Floats) -> Program:
        """Continuous, with every integer column held at its rounded value in `x`."""
        whole = np.round(x)
        return replace(
            self.relaxed(),
            lower=np.where(self.integer, whole, self.lower),
            upper=np.where(self.integer, whole, self.upper),
        )

    def subset(self, rows: Floats, lower: Bools, upper: Bools) -> Program:
        """Feasibility of some rows (numbers) and some column bounds (masks) alone."""
        return replace(
            self.relaxed().without_objective(),
            matrix=self.matrix[rows, :],
            row_lower=self.row_lower[rows],
            row_upper=self.row_upper[rows],
            lower=np.where(lower, self.lower, -np.inf),
            upper=np.where(upper, self.upper, np.inf),
        )

    def elastic(self) -> Program:
        """The least total violation of the rows, columns within their bounds."""
        m, n = self.matrix.shape
        unit = eye_array(m, format="csr")
        return Program(
            matrix=csr_array(hstack([self.matrix, unit, -unit])),
            row_lower=self.row_lower,
            row_upper=self.row_upper,
            lower=np.append(self.lower, np.zeros(2 * m)),
            upper=np.append(self.upper, np.full(2 * m, np.inf)),
            integer=np.zeros(n + 2 * m, dtype=bool),
            start=np.full(n + 2 * m, np.nan),
            cost=np.append(np.zeros(n), np.ones(2 * m)),
        )

    def recession(self) -> Program:
        """Directions d, |d| ≤ 1, that stay feasible for ever; the best gain first.

        A d must not leave an open side of a row or bound, and Q d = 0, so that the
        objective changes at the constant rate `cost · d`.
        """
        matrix, row_lower, row_upper = self.matrix, self.row_lower, self.row_upper
        if self.hessian is not None:
            matrix = csr_array(vstack([matrix, self.hessian]))
            zeros = np.zeros(self.hessian.shape[0])
            row_lower, row_upper = np.append(row_lower, zeros), np.append(row_upper, zeros)
        return replace(
            self.relaxed(),
            matrix=matrix,
            row_lower=np.where(np.isfinite(row_lower), 0.0, -np.inf),
            row_upper=np.where(np.isfinite(row_upper), 0.0, np.inf),
            lower=np.where(np.isfinite(self.lower), 0.0, -1.0),
            upper=np.where(np.isfinite(self.upper), 0.0, 1.0),
            start=np.full(len(self.lower), np.nan),
            offset=0.0,
            hessian=None,
        )
