"""The figures of a model that depend on random parameters: which they are, and their limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.evaluate import evaluate_statement
from orkernel.algebra.nodes import Call, Node
from orkernel.algebra.space import Space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.evaluate import Expected
    from orkernel.algebra.program import Program, Result, Statement
    from orkernel.model import Model
    from orkernel.solution import Estimate

    Floats = NDArray[np.float64]

Key = tuple[int, Space]
"""Where an expectation stands: `id` of its node, and the space around it."""


@dataclass(eq=False)
class Figures:
    """The rows of one expression that are estimated together.

    Attributes:
        kind: objective | result | constraint.
        names: Per row; None for a row that is left out.
        left: The expression.
        right: What is taken from it, if anything.
        lower: Lowest allowed value per row, −inf for what is not a constraint.
        upper: Highest allowed value per row.
        sums: Per point the sums of every expectation over the scenarios so far.
        squares: Sum of the squared influence of the scenarios so far, shape `(rows,)`.
    """

    kind: str
    names: Sequence[str | None]
    statement: Statement
    space: Space
    left: Node
    right: Node | None
    lower: Floats
    upper: Floats
    sums: list[dict[Key, Any]] = field(default_factory=list)
    squares: Any = 0.0

    def values(self, program: Program, points: Floats, expected: Expected) -> Floats:
        """Values at points, shape `(points, rows)`."""
        found = evaluate_statement(program, self.statement, self.space, points, self.left, expected)
        if self.right is None:
            return found
        other = evaluate_statement(
            program, self.statement, self.space, points, self.right, expected
        )
        with np.errstate(all="ignore"):
            difference: Floats = found - other
        return difference

    @property
    def is_probability(self) -> bool:
        """Whether the figure is a bare probability."""
        bare = isinstance(self.left, Call) and self.left.function == "probability"
        return bare and self.right is None

    @property
    def chances(self) -> frozenset[int]:
        """`id` of every probability inside."""
        return frozenset(
            id(part)
            for part in self.statement.node.walk()
            if isinstance(part, Call) and part.function == "probability"
        )


def figures(model: Model) -> list[Figures]:
    """The expressions of a model that depend on random parameters."""
    program = model.program
    found = []
    for objective in program.objectives:
        statement = objective.statement
        if _is_random(statement.node):
            space = model.space_of(statement)
            found.append(
                _free("objective", [objective.definition.name], statement, space, statement.node)
            )
    for result in program.results:
        statement = result.statement
        if _is_random(statement.node):
            names = list(_labels(result))
            found.append(_free("result", names, statement, result.space, statement.node))
    return [*found, *_constraint_figures(model)]


def _free(
    kind: str, names: Sequence[str], statement: Statement, space: Space, node: Node
) -> Figures:
    open_ends = np.full(space.size, np.inf)
    return Figures(kind, names, statement, space, node, None, -open_ends, open_ends)


def _constraint_figures(model: Model) -> Iterator[Figures]:
    program = model.program
    kept = range(len(program.rows)) if model.kept_rows is None else model.kept_rows.tolist()
    places = {row: place for place, row in enumerate(kept)}
    allowed = model.intervals
    for constraint in program.constraints:
        statement, space = constraint.statement, constraint.space
        for part in constraint.parts:
            if part.right is None or not (_is_random(part.left) or _is_random(part.right)):
                continue
            rows = [places.get(part.offset + k) for k in range(space.size)]
            names = [None if row is None else model.rows.label(row) for row in rows]
            lower = np.array([-np.inf if row is None else allowed.lower[row] for row in rows])
            upper = np.array([np.inf if row is None else allowed.upper[row] for row in rows])
            right: Node | None = part.right
            if statement.is_data(part.right):
                origin = np.zeros((1, len(model.columns)))
                limit = evaluate_statement(program, statement, space, origin, part.right)[0]
                lower, upper, right = lower + limit, upper + limit, None
            yield Figures("constraint", names, statement, space, part.left, right, lower, upper)


def _is_random(node: Node) -> bool:
    return any(
        isinstance(part, Call) and part.function in ("expectation", "probability")
        for part in node.walk()
    )


def _labels(result: Result) -> Iterator[str]:
    name = result.definition.name
    if not result.generators:
        yield name
        return
    for member in zip(*result.members(), strict=True):
        yield f"{name}[{','.join(map(str, member))}]"


def doubts_of(found: Estimate, lower: float, upper: float) -> Iterator[str]:
    """Whether a row may fail, in words."""
    for limit, holds, fails in (
        (lower, found.low >= lower, found.high < lower),
        (upper, found.high <= upper, found.low > upper),
    ):
        if not np.isfinite(limit) or holds:
            continue
        verdict = "does not hold" if fails else "may not hold"
        yield (
            f"constraint '{found.name}' {verdict} beyond the sample that it was met on: "
            f"{found.value:.6g} was estimated, {found.level:.0%} confidence interval "
            f"{found.low:.6g} to {found.high:.6g}, limit {limit:.6g}"
        )
