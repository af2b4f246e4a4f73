"""Which statements of an infeasible model cannot hold together: the deletion filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import Cancelled, OrkernelError, Unsupported
from orkernel.records import Capability, Guarantee
from orkernel.solution import InfeasibleSubset, Status
from orkernel.verify import check_point

if TYPE_CHECKING:
    from orkernel.algebra.forms import Bools, Floats
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.solution import Solution

    Solve = Callable[[Model, RunContext], Solution]

KINDS = ("integer", "lower", "upper", "row")
"""Kinds of members in the order in which they are left out, so that sentences remain rather than
bounds, and bounds rather than whole numbers."""
WIDER = 100.0
"""Where a solver needs bounds, one that is left out is this many widths away instead."""
WIDER_WORDS = (
    f"bounds that were left out were taken as {WIDER:g} times wider, since the solver needs bounds"
)
SHARE = 0.25
"""Part of the remaining time that one solve may take."""
_PLAIN = frozenset(
    {
        Capability.CONTINUOUS,
        Capability.INTEGER,
        Capability.LINEAR,
        Capability.QUADRATIC_OBJECTIVE,
        Capability.QUADRATIC_CONSTRAINT,
        Capability.NONCONVEX,
        Capability.NONLINEAR,
        Capability.PIECEWISE,
        Capability.MULTI_OBJECTIVE,
    }
)
"""Needs of models whose variables mean something as fractions too."""

Member = tuple[str, int]


class Undecided(OrkernelError):
    """A subproblem was neither shown feasible nor infeasible."""


def irreducible_subset(
    model: Model, solve: Solve, ctx: RunContext, hint: InfeasibleSubset | None = None
) -> InfeasibleSubset | None:
    """An irreducible infeasible subset of rows, variable bounds and integrality, by deletion.

    Chinneck's deletion filter (Feasibility and Infeasibility in Optimization, 2008,
    ch. 6): drop a member; if the rest is still infeasible, leave it out for good. Groups
    are tried before single members, so that large models need few solves. A member stays only
    if the rest has a point that the kernel itself finds feasible.

    That a binary variable is 0 or 1 is one member, that an integer one is whole another, next
    to its bounds. In a model with conditions or global constraints, which mean nothing over
    fractions, neither is called into question.

    Args:
        model: An infeasible model.
        solve: Decides feasibility of a model without objective.
        ctx: Its deadline ends the search.
        hint: A subset believed infeasible; checked first, and used if it is.

    Returns:
        The subset; `minimal` is False when the deadline, an interruption or an undecided
        subproblem stopped the search early. None if not even the whole model is found infeasible.
    """
    filter_ = _Filter(model, solve, ctx)
    kept = filter_.start(hint)
    if kept is None:
        return None
    kept, minimal = filter_.reduce(kept)

    def chosen(kind: str) -> tuple[int, ...]:
        return tuple(i for k, i in kept if k == kind)

    return InfeasibleSubset(
        rows=chosen("row"),
        lower=chosen("lower"),
        upper=chosen("upper"),
        integer=chosen("integer"),
        minimal=minimal,
        assumptions=(WIDER_WORDS,) if filter_.widened else (),
    )


class _Filter:
    """The deletion filter over one model.

    Attributes:
        widened: True if bounds that were left out had to be replaced by wide ones.
    """

    def __init__(self, model: Model, solve: Solve, ctx: RunContext) -> None:
        self.model = model
        self.ctx = ctx
        self.widened = False
        self._solve = solve
        columns = model.columns
        self._binary = _binary(model)
        self._fractions = model.needs <= _PLAIN
        self._own_lower = np.where(self._binary, 0.0, -np.inf)
        self._own_upper = np.where(self._binary, 1.0, np.inf)
        candidates = {
            "integer": columns.integer if self._fractions else np.zeros(len(columns), np.bool_),
            "lower": columns.lower > self._own_lower,
            "upper": columns.upper < self._own_upper,
            "row": np.ones(len(model.rows), np.bool_),
        }
        self.members: list[Member] = [
            (kind, int(i)) for kind in KINDS for i in np.flatnonzero(candidates[kind])
        ]

    def start(self, hint: InfeasibleSubset | None) -> list[Member] | None:
        """Members to start from, known to be infeasible together; None if none are."""
        wanted: set[Member] = set()
        if hint is not None:
            wanted = {("row", i) for i in hint.rows} | {("lower", j) for j in hint.lower}
            wanted |= {("upper", j) for j in hint.upper}
            wanted |= {("integer", j) for j in hint.integer}
            wanted |= {("integer", j) for j in (*hint.lower, *hint.upper) if self._binary[j]}
        hinted = [m for m in self.members if m in wanted]
        tries = [hinted, self.members] if hinted else [self.members]
        for members in tries:
            try:
                if self.infeasible(members):
                    return members
            except (Undecided, Cancelled):
                continue
        return None

    def reduce(self, members: Sequence[Member]) -> tuple[list[Member], bool]:
        """Leave out what is not needed; also whether every member was tried."""
        kept = list(members)
        minimal = True
        for kind in KINDS:
            position = next((i for i, m in enumerate(kept) if m[0] == kind), len(kept))
            group = len(kept)
            while position < len(kept) and kept[position][0] == kind:
                if self.ctx.cancelled or self.ctx.remaining() == 0.0:
                    return kept, False
                group = min(group, sum(m[0] == kind for m in kept[position:]))
                rest = kept[:position] + kept[position + group :]
                try:
                    needless = self.infeasible(rest)
                except Cancelled:
                    return kept, False
                except Undecided:
                    needless, minimal = False, minimal and group > 1
                if needless:
                    kept = rest
                elif group > 1:
                    group = (group + 1) // 2
                else:
                    position += 1
                    group = max(1, (len(kept) - position) // 4)
        return kept, minimal

    def infeasible(self, members: Iterable[Member]) -> bool:
        """Whether the members cannot hold together.

        Raises:
            Undecided: No agent could tell, or its word does not hold.
        """
        chosen = set(members)
        try:
            return self._ask(self._subset(chosen))
        except Unsupported as error:
            if self.widened:
                raise Undecided(f"a subproblem cannot be solved: {error.message}") from error
        self.widened = True
        try:
            return self._ask(self._subset(chosen))
        except Unsupported as error:
            self.widened = False
            raise Undecided(f"a subproblem cannot be solved: {error.message}") from error

    def _ask(self, subset: Model) -> bool:
        remaining = self.ctx.remaining()
        share = self.ctx if remaining is None else self.ctx.limited(max(0.5, SHARE * remaining))
        solution = self._solve(subset, share)
        if solution.status is Status.INFEASIBLE and solution.guarantee is Guarantee.GLOBAL:
            return True
        found = solution.status in (Status.OPTIMAL, Status.FEASIBLE)
        if found and check_point(subset, solution.values).verified:
            return False
        raise Undecided(f"a subproblem ended {solution.status}")

    def _subset(self, chosen: set[Member]) -> Model:
        columns = self.model.columns
        n, rows = len(columns), len(self.model.rows)
        whole = columns.integer & (~np.array(self._fractions) | _mask(chosen, "integer", n))
        lower, upper = self._outside()
        is_binary = self._binary & whole
        return self.model.derive(
            objectives=(),
            keep_rows=_mask(chosen, "row", rows),
            lower=np.where(
                _mask(chosen, "lower", n), columns.lower, np.where(is_binary, 0.0, lower)
            ),
            upper=np.where(
                _mask(chosen, "upper", n), columns.upper, np.where(is_binary, 1.0, upper)
            ),
            integer=whole,
        )

    def _outside(self) -> tuple[Floats, Floats]:
        """The bounds of columns whose own bounds are left out."""
        columns = self.model.columns
        lower, upper = columns.lower, columns.upper
        if not self.widened:
            return np.full(len(columns), -np.inf), np.full(len(columns), np.inf)
        ends = [np.where(np.isfinite(b), np.abs(b), 0.0) for b in (lower, upper)]
        width = WIDER * np.maximum(1.0, np.maximum(*ends))
        return (
            np.where(np.isfinite(lower), lower - width, -np.inf),
            np.where(np.isfinite(upper), upper + width, np.inf),
        )


def _mask(chosen: set[Member], kind: str, size: int) -> Bools:
    found = np.zeros(size, np.bool_)
    found[[i for k, i in chosen if k == kind]] = True
    return found


def _binary(model: Model) -> Bools:
    """Which columns belong to binary variables."""
    found = np.zeros(len(model.columns), np.bool_)
    domains = {v.name: v.domain for v in model.formulation.variables}
    for block in model.columns.blocks:
        found[block.offset : block.offset + block.size] = domains[block.name] == "binary"
    return found
