"""Arrays: a linear or quadratic model on its way to the worker."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import coo_array, csr_array

from orkernel.algebra.forms import QuadraticForm
from orkernel.algebra.scaling import row_maxima, scale_factors
from orkernel_pyomo.job import ARRAYS

if TYPE_CHECKING:
    from orkernel.algebra.forms import Bools, Floats, LinearForm


def linear_part(form: LinearForm | QuadraticForm) -> LinearForm:
    """Matrix, bounds, columns and rows of either form."""
    return form.linear if isinstance(form, QuadraticForm) else form


@dataclass(frozen=True, slots=True, eq=False)
class Arrays:
    """A linear or quadratic model with at most one objective.

    Attributes:
        quadratic: Objective Hessian, or None.
        row_quadratic: Row number → Hessian.
    """

    matrix: csr_array
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    start: Floats
    cost: Floats
    offset: float
    maximize: bool
    has_objective: bool
    quadratic: csr_array | None
    row_quadratic: Mapping[int, csr_array]

    @classmethod
    def of(cls, form: LinearForm | QuadraticForm) -> Arrays:
        """The arrays of a form with at most one objective."""
        linear = linear_part(form)
        columns = linear.columns
        objective = linear.objectives[0] if linear.objectives else None
        return cls(
            matrix=linear.matrix,
            row_lower=linear.row_lower,
            row_upper=linear.row_upper,
            lower=columns.lower,
            upper=columns.upper,
            integer=columns.integer,
            start=columns.start,
            cost=np.zeros(len(columns)) if objective is None else objective.cost,
            offset=0.0 if objective is None else objective.offset,
            maximize=objective is not None and objective.maximize,
            has_objective=objective is not None,
            quadratic=None if objective is None else objective.quadratic,
            row_quadratic=form.row_quadratic if isinstance(form, QuadraticForm) else {},
        )

    def objective(self, x: Floats) -> float:
        """Value of the objective at a point."""
        value = self.offset + float(self.cost @ x)
        if self.quadratic is not None:
            value += 0.5 * float(x @ (self.quadratic @ x))
        return value

    def write(self, folder: Path) -> None:
        """Store in the job's folder."""
        hessians = [(-1, self.quadratic)] if self.quadratic is not None else []
        hessians += sorted(self.row_quadratic.items())
        parts = [(number, coo_array(q)) for number, q in hessians]
        np.savez(
            folder / ARRAYS,
            indptr=self.matrix.indptr,
            indices=self.matrix.indices,
            data=self.matrix.data,
            row_lower=self.row_lower,
            row_upper=self.row_upper,
            lower=self.lower,
            upper=self.upper,
            integer=self.integer,
            start=self.start,
            cost=self.cost,
            scalars=np.array([self.offset, self.maximize], dtype=float),
            q_row=_joined([np.full(q.nnz, number) for number, q in parts], int),
            q_i=_joined([q.row for _, q in parts], int),
            q_j=_joined([q.col for _, q in parts], int),
            q_value=_joined([q.data for _, q in parts], float),
        )


def _joined(parts: list[Any], kind: type) -> Any:
    return np.concatenate(parts).astype(kind) if parts else np.zeros(0, dtype=kind)


# --------------------------------------------------------------------------- scaling


@dataclass(frozen=True, slots=True, eq=False)
class Scaling:
    """What rows, shape `(m,)`, and objective were multiplied by."""

    rows: Floats
    objective: float


def scaled(arrays: Arrays) -> tuple[Arrays, Scaling]:
    """The model with tiny rows and a tiny objective multiplied by powers of two.

    Solvers compare rows and reduced costs with absolute tolerances; what is written in
    tiny numbers would count as zero.
    """
    largest = row_maxima(arrays.matrix)
    for i, q in arrays.row_quadratic.items():
        largest[i] = max(largest[i], _magnitude(q))
    rows = scale_factors(largest)
    goal = max(float(np.max(np.abs(arrays.cost), initial=0.0)), _magnitude(arrays.quadratic))
    objective = float(scale_factors(np.array([goal]))[0])
    if np.any(rows != 1.0):
        arrays = replace(
            arrays,
            matrix=csr_array(arrays.matrix.multiply(rows[:, None])),
            row_lower=arrays.row_lower * rows,
            row_upper=arrays.row_upper * rows,
            row_quadratic={i: q * rows[i] for i, q in arrays.row_quadratic.items()},
        )
    if objective != 1.0:
        arrays = replace(
            arrays,
            cost=arrays.cost * objective,
            offset=arrays.offset * objective,
            quadratic=None if arrays.quadratic is None else arrays.quadratic * objective,
        )
    return arrays, Scaling(rows, objective)


def _magnitude(matrix: csr_array | None) -> float:
    return 0.0 if matrix is None else float(np.max(np.abs(matrix.data), initial=0.0))
