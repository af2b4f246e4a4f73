"""Duals, certificates and infeasible subsets: whatever is given must be true."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from orkernel.context import RunContext
from orkernel.model import Model
from orkernel.records import Capability, Guarantee
from orkernel.solution import Evidence, InfeasibleSubset, Status
from orkernel.testing.conformance.base import Subject, conformance_test, require
from orkernel.testing.conformance.solver_agents.asking import QUESTION, answer, promised
from orkernel.testing.conformance.solver_agents.problems import ends, linear, smooth
from orkernel.testing.conformance.solver_agents.problems.known import (
    KnownProblem,
    maximize,
    minimize,
    problem,
    rows,
    variable,
)
from orkernel.testing.reference_agent import ReferenceAgent
from orkernel.verify import verify

JUDGE_SECONDS = 5.0
"""Time for the reference agent to decide a part of an infeasible subset."""


@dataclass(frozen=True, eq=False)
class Marginal:
    """A problem with known dual values and reduced costs."""

    known: KnownProblem
    rows: tuple[float, ...]
    columns: tuple[float, ...]

    @property
    def needs(self) -> frozenset[Capability]:
        """Those of the problem."""
        return self.known.needs

    def model(self) -> Model:
        """A freshly bound model."""
        return self.known.model()


MARGINALS = {
    "maximize": Marginal(linear.PRODUCTION, (0.0, 1.5, 1.0), (0.0, 0.0)),
    "minimize": Marginal(
        problem([variable("x", 3), variable("y")], rows("x + y >= 4"), minimize("2*x + 3*y"), 9.0),
        (3.0,),
        (-1.0, 0.0),
    ),
    "equality": Marginal(
        problem([variable("x"), variable("y", 9, 2)], rows("x + y == 5"), minimize("x + 2*y"), 7.0),
        (1.0,),
        (0.0, 1.0),
    ),
    "maximize_bounded": Marginal(
        problem([variable("x", 2), variable("y")], rows("x + y <= 6"), maximize("4*x + y"), 12.0),
        (1.0,),
        (3.0, 0.0),
    ),
    "square": Marginal(smooth.NEAREST_POINT, (-1.0,), (0.0, 0.0)),
}

CERTIFIED = {
    "optimal": linear.TRANSPORT,
    "infeasible_rows": ends.INFEASIBLE["rows"],
    "infeasible_bound_and_row": ends.INFEASIBLE["bound_and_row"],
    "infeasible_open_direction": ends.INFEASIBLE["open_direction"],
    "unbounded_no_rows": ends.UNBOUNDED["no_rows"],
    "unbounded_along_rows": ends.UNBOUNDED["along_rows"],
}


@conformance_test(added_in="0.1", cases=MARGINALS)
def test_duals_are_marginal_values(subject: Subject, case: Marginal) -> None:
    """Given duals are the derivatives of the optimum, in its own sense, by right side or bound."""
    duals = answer(subject, case.known)[1].duals
    if duals is None:
        return
    for what, found, expected in (
        ("dual values", duals.rows, case.rows),
        ("reduced costs", duals.columns, case.columns),
    ):
        require(np.shape(found) == np.shape(expected), f"{what} have shape {np.shape(found)}")
        require(np.allclose(found, expected, 1e-4, 1e-4), f"{what} {found}, not {expected}")


@conformance_test(added_in="0.1", cases=CERTIFIED)
def test_certificates_prove_their_claim(subject: Subject, case: KnownProblem) -> None:
    """A certificate for a linear program convinces the kernel by arithmetic alone."""
    model, solution = answer(subject, case)
    if solution.certificate is not None:
        require(
            verify(model, solution).evidence is Evidence.CERTIFICATE,
            f"its '{solution.certificate.kind}' certificate does not prove '{solution.status}'",
        )


@conformance_test(added_in="0.1", cases=ends.INFEASIBLE)
def test_infeasible_subset_is_infeasible(subject: Subject, case: KnownProblem) -> None:
    """A given infeasible subset has rows and bounds of the model, and no point satisfies them."""
    model = case.model()
    subset = _subset(subject, case)
    if subset is None:
        return
    n, m = len(model.columns), len(model.rows)
    inside = all(0 <= i < m for i in subset.rows) and all(
        0 <= j < n for j in (*subset.lower, *subset.upper)
    )
    require(inside, f"it names rows or columns that the model does not have: {subset}")
    require(_status(model, subset) is not Status.OPTIMAL, f"a point satisfies {subset}")


@conformance_test(added_in="0.1", cases=ends.INFEASIBLE)
def test_infeasible_subset_is_as_small_as_claimed(subject: Subject, case: KnownProblem) -> None:
    """A subset called minimal is satisfiable once any one of its members is left out."""
    model = case.model()
    subset = _subset(subject, case)
    if subset is None or not subset.minimal:
        return
    for kind in ("rows", "lower", "upper"):
        for member in getattr(subset, kind):
            smaller = _without(subset, kind, member)
            require(
                _status(model, smaller) is not Status.INFEASIBLE,
                f"it is called minimal, but is infeasible without {kind} {member}: {subset}",
            )


def _subset(subject: Subject, case: KnownProblem) -> InfeasibleSubset | None:
    if promised(subject, case) is not Guarantee.GLOBAL:
        return None
    subset = answer(subject, case)[1].infeasible_subset
    empty = subset is None or not (subset.rows or subset.lower or subset.upper)
    return None if empty else subset


def _without(subset: InfeasibleSubset, kind: str, member: int) -> InfeasibleSubset:
    left = tuple(other for other in getattr(subset, kind) if other != member)
    return replace(subset, **{kind: left})  # type: ignore[arg-type]


def _status(model: Model, subset: InfeasibleSubset) -> Status:
    """How the reference agent ends on the rows and bounds of a subset alone."""
    n, columns = len(model.columns), model.columns
    part = model.derive(
        objectives=(),
        keep_rows=np.isin(np.arange(len(model.rows)), subset.rows),
        lower=np.where(np.isin(np.arange(n), subset.lower), columns.lower, -np.inf),
        upper=np.where(np.isin(np.arange(n), subset.upper), columns.upper, np.inf),
    )
    return ReferenceAgent().solve(QUESTION, part, RunContext().limited(JUDGE_SECONDS)).status
