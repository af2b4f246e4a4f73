"""Convex models by cutting planes, with a proven bound (Kelley 1960; with integers Westerlund).

The objective and the curved rows are replaced by tangents, the linear program (mixed-integer
where columns are integer) is solved by HiGHS through SciPy, and tangents are added at its answer
until bound and value meet. With random parameters these are the tangents of the sample average,
so a two-stage plan is solved to optimality on the sample (an L-shaped method).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from scipy import optimize, sparse

from orkernel.algebra.sampling import common_sample
from orkernel_numpy.addends import Addends
from orkernel_numpy.apart import run_apart
from orkernel_numpy.curvature import Curvature, Shapes
from orkernel_numpy.subgradients import Expression

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.model import Model
    from orkernel_numpy.domain import Domain
    from orkernel_numpy.judging import Judge

    Floats = NDArray[np.float64]

NODES = 200_000
"""Largest graph that is looked at."""
ROUNDS = 400
"""Most linear programs."""
LONGEST = 60.0
"""Most seconds of one linear program."""
GAP = 5e-7
"""Relative difference of bound and value that counts as proven."""
BOX = (1e4, 1e6, 1e8)
"""Half-widths of the boxes put around a start where bounds are missing."""


@dataclass(slots=True, eq=False)
class Convex:
    """Outcome of the cutting planes.

    Attributes:
        proven: Whether the judge's best point is optimal within `GAP`.
        bound: Lower bound on the loss; −inf if none is proven.
        infeasible: Whether the tangents contradict each other: no point is feasible.
        rounds: Linear programs solved.
    """

    proven: bool = False
    bound: float = -np.inf
    infeasible: bool = False
    rounds: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """`sign · expression`, which is convex."""

    expression: Expression
    sign: float

    def at(self, x: Floats) -> tuple[float, Floats]:
        """Value and subgradient."""
        value, gradient = self.expression.at(x)
        return self.sign * value, self.sign * gradient


@dataclass(frozen=True, slots=True, eq=False)
class ConvexRow:
    """`term ≤ limit`."""

    term: Term
    limit: float


@dataclass(frozen=True, slots=True, eq=False)
class ConvexProgram:
    """A model whose objective and rows are known to be convex.

    Attributes:
        terms: Their sum is the loss.
        rows: The rows that are not linear.
    """

    terms: tuple[Term, ...]
    rows: tuple[ConvexRow, ...]

    @classmethod
    def of(cls, model: Model, signs: Floats) -> ConvexProgram | None:
        """The model as a convex program, or None if it is not known to be one.

        Args:
            model: At most one objective.
            signs: Per objective −1 if it is to be maximised, else 1.
        """
        graph = model.graph()
        if len(graph.nodes) > NODES:
            return None
        split = Addends(graph.nodes)
        for objective, sign in zip(graph.objectives, signs.tolist(), strict=True):
            split.add(objective.node, sign)
        addends = split.terms()
        graph = replace(graph, nodes=tuple(split.nodes))
        shapes = Shapes(graph, common_sample(model.program.scope.random))
        rows = list(_curved_rows(model, shapes))
        if any(shapes.curvature[k].times(factor) not in _CONVEX for factor, k in addends):
            return None
        if any(row is None for row in rows):
            return None
        terms = tuple(Term(Expression(shapes, k), factor) for factor, k in addends)
        return cls(terms, tuple(row for row in rows if row is not None))


_CONVEX = (Curvature.CONVEX, Curvature.AFFINE)


def _curved_rows(model: Model, shapes: Shapes) -> Iterator[ConvexRow | None]:
    """The rows that are not linear; None for one that is not known to be convex."""
    classes = model.structure.constraint_class
    for block in model.rows.blocks:
        if classes[block.constraint] == "linear":
            continue
        for row in shapes.graph.rows[block.offset : block.offset + block.size]:
            for side, limit in ((1.0, row.upper), (-1.0, row.lower)):
                if not np.isfinite(limit):
                    continue
                convex = shapes.curvature[row.node].times(side) in _CONVEX
                expression = Expression(shapes, row.node)
                yield ConvexRow(Term(expression, side), side * limit) if convex else None


# ----------------------------------------------------------------------------- cutting


def cut(program: ConvexProgram, domain: Domain, judge: Judge) -> Convex:
    """Solve a convex program; the judge keeps the best point."""
    outcome = Convex()
    n = len(domain.lower)
    start = judge.model.columns.start
    centre = np.clip(np.where(np.isfinite(start), start, 0.0), domain.lower, domain.upper)
    free = ~(np.isfinite(domain.lower) & np.isfinite(domain.upper))
    if free.any() and domain.integer.any():
        return outcome  # an optimum inside a box is global only where the domain is convex
    master = Master(domain, len(program.terms))
    if not _tangents(program, master, centre, np.full(len(program.terms), -np.inf)):
        return outcome
    for reach in BOX if free.any() else (np.inf,):
        low = np.maximum(domain.lower, centre - np.where(free, reach, np.inf))
        high = np.minimum(domain.upper, centre + np.where(free, reach, np.inf))
        while outcome.rounds < ROUNDS and not judge.stopped:
            outcome.rounds += 1
            found = master.solve(low, high, judge)
            if found is None:
                return outcome
            if found.size == 0:
                outcome.infeasible = reach == np.inf
                break
            x = np.where(domain.integer, np.round(found[:n]), found[:n])
            touching = free & ((x <= low + 1e-6 * reach) & (low > domain.lower))
            touching |= free & ((x >= high - 1e-6 * reach) & (high < domain.upper))
            bound = float(found[n:].sum())
            judge.assess(x[np.newaxis])
            closed = judge.loss - bound <= GAP * max(1.0, abs(judge.loss))
            if not touching.any():
                outcome.bound = max(outcome.bound, bound)
                outcome.proven = judge.best is not None and closed
            if outcome.proven:
                return outcome
            if not _tangents(program, master, x, found[n:]) or (touching.any() and closed):
                break
    return outcome


def _tangents(program: ConvexProgram, master: Master, x: Floats, heights: Floats) -> bool:
    """Add the tangents at a point that cut it off; whether there were any."""
    added = False
    for k, term in enumerate(program.terms):
        value, gradient = term.at(x)
        if not (np.isfinite(value) and np.all(np.isfinite(gradient))):
            return False
        if value > heights[k] + 1e-9 * max(1.0, abs(value)):
            master.add(gradient, k, float(gradient @ x) - value)
            added = True
    for row in program.rows:
        value, gradient = row.term.at(x)
        if not (np.isfinite(value) and np.all(np.isfinite(gradient))):
            return False
        if value > row.limit + 1e-10 * max(1.0, abs(row.limit)):
            master.add(gradient, None, float(gradient @ x) - value + row.limit)
            added = True
    return added or not program.terms


class Master:
    """The linear program over the columns and one height per term.

    Args:
        domain: Linear rows.
        terms: Number of heights.
    """

    def __init__(self, domain: Domain, terms: int) -> None:
        self.domain = domain
        self.terms = terms
        self.rows: list[Floats] = []
        self.limits: list[float] = []

    def add(self, gradient: Floats, term: int | None, limit: float) -> None:
        """Add `gradient · x − height ≤ limit`."""
        row = np.zeros(gradient.size + self.terms)
        row[: gradient.size] = gradient
        if term is not None:
            row[gradient.size + term] = -1.0
        self.rows.append(row)
        self.limits.append(limit)

    def solve(self, lower: Floats, upper: Floats, judge: Judge) -> Floats | None:
        """Columns and heights; empty if infeasible, None if HiGHS has no answer in time."""
        domain = self.domain
        n = lower.size
        blank = sparse.csr_array((domain.matrix.shape[0], self.terms))
        matrix = sparse.hstack([domain.matrix, blank])
        below, above = domain.row_lower, domain.row_upper
        if self.rows:
            matrix = sparse.vstack([matrix, sparse.csr_array(np.array(self.rows))])
            below = np.concatenate([below, np.full(len(self.rows), -np.inf)])
            above = np.concatenate([above, self.limits])
        heights = np.full(self.terms, np.inf)
        seconds = judge.ctx.remaining()
        limit = LONGEST if seconds is None else min(LONGEST, max(0.01, seconds))
        milp = partial(
            optimize.milp,
            np.concatenate([np.zeros(n), np.ones(self.terms)]),
            integrality=np.concatenate([domain.integer, np.zeros(self.terms)]),
            bounds=optimize.Bounds(
                np.concatenate([lower, -heights]), np.concatenate([upper, heights])
            ),
            constraints=[optimize.LinearConstraint(matrix.tocsc(), below, above)],
            # Presolve of the HiGHS in SciPy 1.17 has been seen to lose an integer optimum.
            options={"mip_rel_gap": GAP / 10, "time_limit": limit, "presolve": False},
        )
        answer = run_apart(milp, lambda: judge.stopped)
        if answer is None:
            return None
        if answer.status == 2:
            return np.zeros(0)
        if answer.status != 0 or answer.x is None:
            return None
        found: Floats = np.asarray(answer.x, np.float64)
        return found
