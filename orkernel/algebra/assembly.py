"""A linear integer form under construction: columns and rows that are added to a model's own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from orkernel.algebra.affine import INFINITY, Affine, total
from orkernel.algebra.forms import Columns
from orkernel.errors import Unsupported


@dataclass(frozen=True, slots=True)
class Owner:
    """What an added column or row belongs to.

    Attributes:
        element: `constraint 'supply'` or `objective 'cost'`.
        name: Name of the constraint or objective.
        row: Row of the model, −1 for an objective.
    """

    element: str
    name: str
    row: int


@dataclass(frozen=True, slots=True)
class AddedRow:
    """`lower ≤ body ≤ upper`, the constant of the body already moved."""

    owner: Owner
    body: Affine
    lower: float
    upper: float


class Assembly:
    """Collects what is added; big-M constants come from the bounds.

    Args:
        columns: The model's columns.
        lower: Lower bounds that hold at every feasible point, shape `(n,)`.
        upper: Upper bounds that hold at every feasible point, shape `(n,)`.
    """

    def __init__(self, columns: Columns, lower: Sequence[float], upper: Sequence[float]) -> None:
        self.columns = columns
        self.lower = list(lower)
        self.upper = list(upper)
        self.integer: list[bool] = columns.integer.tolist()
        self.owner = Owner("", "", -1)
        self.owners: list[Owner] = []
        self.rows: list[AddedRow] = []
        self._missing: dict[tuple[int, bool], tuple[int, str]] = {}

    def unsupported(self, why: str) -> Unsupported:
        """The error that names the element at work."""
        return Unsupported(self.owner.element, why)

    # ------------------------------------------------------------------ columns

    def binary(self) -> Affine:
        """A new 0–1 column."""
        return self._column(0.0, 1.0, True)

    def share(self, *, integer: bool = False) -> Affine:
        """A new column between 0 and 1."""
        return self._column(0.0, 1.0, integer)

    def result(self, low: float, high: float, inputs: Sequence[Affine]) -> Affine:
        """A new continuous column for a value between `low` and `high` that depends on inputs."""
        column = self._column(low, high, False)
        number = next(iter(column.terms))
        for at_lower, bound in ((True, low), (False, high)):
            if not math.isfinite(bound):
                found = [
                    self._unbounded(p, low=side)
                    for p in inputs
                    for side in (at_lower, not at_lower)
                ]
                self._missing[number, at_lower] = next(c for c in found if c is not None)
        return column

    def _column(self, lower: float, upper: float, integer: bool) -> Affine:
        number = len(self.lower)
        self.lower.append(lower)
        self.upper.append(upper)
        self.integer.append(integer)
        self.owners.append(self.owner)
        return Affine.column(number)

    # ------------------------------------------------------------------ intervals

    def interval(self, body: Affine) -> tuple[float, float]:
        """Smallest and largest value within the bounds."""
        return body.interval(self.lower, self.upper)

    def low(self, body: Affine) -> float:
        """Smallest value, which must be finite.

        Raises:
            Unsupported: A bound is missing; the variable is named.
        """
        return self._finite(body, low=True)

    def high(self, body: Affine) -> float:
        """Largest value, which must be finite.

        Raises:
            Unsupported: A bound is missing; the variable is named.
        """
        return self._finite(body, low=False)

    def _finite(self, body: Affine, *, low: bool) -> float:
        value = self.interval(body)[0 if low else 1]
        if math.isfinite(value):
            return value
        culprit = self._unbounded(body, low=low)
        assert culprit is not None
        column, side = culprit
        raise self.unsupported(
            f"variable '{self.columns.label(column)}' has no {side} bound, which is needed "
            f"to write this as linear rows; give it one, as tight as the problem allows"
        )

    def _unbounded(self, body: Affine, *, low: bool) -> tuple[int, str] | None:
        """The model's column that makes an interval infinite, and which bound it lacks."""
        for column, coefficient in body.terms.items():
            at_lower = (coefficient > 0) == low
            if not math.isfinite((self.lower if at_lower else self.upper)[column]):
                missing = (column, "lower" if at_lower else "upper")
                return self._missing.get((column, at_lower), missing)
        return None

    def is_binary(self, body: Affine) -> bool:
        """Whether it can only be 0 or 1."""
        return body.is_whole(self.integer) and _within(self.interval(body), 0.0, 1.0)

    # ------------------------------------------------------------------ rows

    def require(
        self,
        body: Affine,
        lower: float = -INFINITY,
        upper: float = INFINITY,
        guards: Sequence[Affine] = (),
    ) -> None:
        """Add `lower ≤ body ≤ upper`, needed only where all guards are 1.

        Raises:
            Unsupported: A guarded row needs a bound that is missing.
        """
        if not guards:
            low, high = self.interval(body)
            if low >= lower and high <= upper:
                return
            self._row(body, lower, upper)
            return
        off = total([Affine(1.0) - guard for guard in guards])
        least, most = self.interval(body)
        if least > upper or most < lower:
            self._row(off, 1.0, INFINITY)
            return
        if most > upper:
            self._row(body - off.scaled(self.high(body) - upper), -INFINITY, upper)
        if least < lower:
            self._row(body + off.scaled(lower - self.low(body)), lower, INFINITY)

    def _row(self, body: Affine, lower: float, upper: float) -> None:
        self.rows.append(
            AddedRow(
                self.owner,
                Affine(0.0, body.terms),
                lower - body.constant,
                upper - body.constant,
            )
        )


def _within(interval: tuple[float, float], low: float, high: float) -> bool:
    return interval[0] >= low and interval[1] <= high
