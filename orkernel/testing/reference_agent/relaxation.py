"""Linear programs over a linear form, by scipy.optimize.linprog."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array, hstack, vstack

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats, LinearForm


class End(Enum):
    """How a linear program ended."""

    OPTIMAL = "optimal"
    INFEASIBLE = "infeasible"
    UNBOUNDED = "unbounded"
    UNDECIDED = "undecided"


ENDS = {0: End.OPTIMAL, 2: End.INFEASIBLE, 3: End.UNBOUNDED}


class _Empty:
    """The answer of a program without columns, in SciPy's names."""

    x = np.zeros(0)
    fun = 0.0


@dataclass(frozen=True, eq=False)
class Relaxation:
    """`min cost · x` over the rows of a form; bounds are given with every solve."""

    form: LinearForm

    @cached_property
    def sign(self) -> float:
        """−1 where the objective is to be maximised."""
        return -1.0 if any(o.maximize for o in self.form.objectives) else 1.0

    @cached_property
    def cost(self) -> Floats:
        """Cost to be minimised."""
        n = len(self.form.columns)
        return self.sign * self.form.objectives[0].cost if self.form.objectives else np.zeros(n)

    @cached_property
    def _equal(self) -> Any:
        return self.form.row_lower == self.form.row_upper

    @cached_property
    def _system(self) -> dict[str, Any]:
        form, equal = self.form, self._equal
        above = np.isfinite(form.row_upper) & ~equal
        below = np.isfinite(form.row_lower) & ~equal
        matrix = csr_array(form.matrix)
        system: dict[str, Any] = {}
        if above.any() or below.any():
            system["A_ub"] = vstack([matrix[above], -matrix[below]])
            system["b_ub"] = np.concatenate([form.row_upper[above], -form.row_lower[below]])
        if equal.any():
            system["A_eq"], system["b_eq"] = matrix[equal], form.row_lower[equal]
        return system

    def solve(
        self, lower: Floats, upper: Floats, *, cost: Floats | None = None, seconds: float | None
    ) -> tuple[End, Any]:
        """Solve with some bounds.

        Returns:
            How it ended, and SciPy's result.
        """
        if np.any(lower > upper) or (not lower.size and self._false_without_columns):
            return End.INFEASIBLE, None
        if not lower.size:
            return End.OPTIMAL, _Empty()
        limits = {} if seconds is None else {"time_limit": max(seconds, 1e-3)}
        found = linprog(
            self.cost if cost is None else cost,
            bounds=np.column_stack([lower, upper]),
            options=limits,
            **self._system,
        )
        return ENDS.get(found.status, End.UNDECIDED), found

    @property
    def _false_without_columns(self) -> bool:
        return bool(np.any((self.form.row_lower > 0) | (self.form.row_upper < 0)))

    def marginals(self, found: Any) -> tuple[Floats, Floats]:
        """Dual values and reduced costs in the objective's own sense."""
        form, equal = self.form, self._equal
        rows = np.zeros(len(form.rows))
        if not len(form.columns):
            return rows, np.zeros(0)
        if equal.any():
            rows[equal] = found.eqlin.marginals
        above = np.flatnonzero(np.isfinite(form.row_upper) & ~equal)
        below = np.flatnonzero(np.isfinite(form.row_lower) & ~equal)
        if above.size or below.size:
            rows[above] += found.ineqlin.marginals[: above.size]
            rows[below] -= found.ineqlin.marginals[above.size :]
        columns = found.lower.marginals + found.upper.marginals
        return self.sign * rows, self.sign * columns

    def farkas(self) -> Floats | None:
        """Row multipliers that prove infeasibility: duals of the least total row violation."""
        form = self.form
        m, n = form.matrix.shape
        if not m:
            return None
        matrix = hstack([form.matrix, eye_array(m), -eye_array(m)])
        zeros, infinite = np.zeros(2 * m), np.full(2 * m, np.inf)
        elastic = _Elastic(
            csr_array(matrix),
            form.row_lower,
            form.row_upper,
            np.concatenate([np.zeros(n), np.ones(2 * m)]),
        )
        end, found = elastic.solve(
            np.concatenate([form.columns.lower, zeros]),
            np.concatenate([form.columns.upper, infinite]),
        )
        return elastic.duals(found) if end is End.OPTIMAL else None

    def ray(self) -> Floats | None:
        """A direction that stays feasible and improves the objective, within a box of size 1."""
        form = self.form

        def cone(bound: Floats, open_value: float) -> Floats:
            return np.where(np.isfinite(bound), 0.0, open_value)

        elastic = _Elastic(
            csr_array(form.matrix),
            cone(form.row_lower, -np.inf),
            cone(form.row_upper, np.inf),
            self.cost,
        )
        end, found = elastic.solve(cone(form.columns.lower, -1.0), cone(form.columns.upper, 1.0))
        return found.x if end is End.OPTIMAL and found.fun < -1e-9 else None


@dataclass(frozen=True, eq=False)
class _Elastic:
    """A linear program of its own: `min cost · x` over ranged rows."""

    matrix: Any
    row_lower: Floats
    row_upper: Floats
    cost: Floats

    @cached_property
    def _sides(self) -> tuple[Any, Any]:
        return np.isfinite(self.row_upper), np.isfinite(self.row_lower)

    def solve(self, lower: Floats, upper: Floats) -> tuple[End, Any]:
        """Solve with some bounds, every row as two inequalities."""
        if np.any(lower > upper):
            return End.INFEASIBLE, None
        above, below = self._sides
        system: dict[str, Any] = {}
        if above.any() or below.any():
            system["A_ub"] = vstack([self.matrix[above], -self.matrix[below]])
            system["b_ub"] = np.concatenate([self.row_upper[above], -self.row_lower[below]])
        found = linprog(self.cost, bounds=np.column_stack([lower, upper]), **system)
        return ENDS.get(found.status, End.UNDECIDED), found

    def duals(self, found: Any) -> Floats:
        """Row multipliers."""
        above, below = (np.flatnonzero(side) for side in self._sides)
        rows = np.zeros(self.matrix.shape[0])
        rows[above] += found.ineqlin.marginals[: above.size]
        rows[below] -= found.ineqlin.marginals[above.size :]
        return rows
