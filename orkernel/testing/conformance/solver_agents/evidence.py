"""Who answered, how surely, duals, certificates, infeasible subsets: what is said must be true."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from orkernel.context import RunContext
from orkernel.model import Model
from orkernel.records import Capability, Guarantee
from orkernel.solution import Evidence, InfeasibleSubset, Status
from orkernel.testing.conformance.base import Subject, conformance_test, require
from orkernel.testing.conformance.solver_agents.asking import QUESTION, answer, ask, promised
from orkernel.testing.conformance.solver_agents.problems import ends, linear, smooth
from orkernel.testing.conformance.solver_agents.problems.known import (
    KnownProblem,
    maximize,
    minimize,
    problem,
    rows,
    variable,
)
from orkernel.testing.conformance.solver_agents.record import FURTHER_MIXES, PER_CAPABILITY
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
PRODUCTION_RANGES = {
    "objective": ((3.0, 0.0, 7.5), (5.0, 2.0, np.inf)),
    "rhs": ((4.0, 2.0, np.inf), (12.0, 6.0, 18.0), (18.0, 12.0, 24.0)),
}
"""Each cost and right-hand side of `linear.PRODUCTION`, and where its optimal basis stays so."""

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


@conformance_test(added_in="0.1", cases={"maximize": linear.PRODUCTION})
def test_ranges_hold(subject: Subject, case: KnownProblem) -> None:
    """Given sensitivity ranges enclose the present value, and the optimal basis holds in them."""
    duals = answer(subject, case)[1].duals
    for kind, found in {} if duals is None else duals.ranges.items():
        require(kind in PRODUCTION_RANGES, f"ranges of '{kind}' are not known to the kernel")
        now, low, high = np.array(PRODUCTION_RANGES[kind]).T
        require(np.shape(found) == (len(now), 2), f"'{kind}' ranges have shape {np.shape(found)}")
        at_least, at_most = np.asarray(found, float).T
        require(
            np.all((at_least >= low - 1e-4) & (at_most <= high + 1e-4)),
            f"'{kind}' ranges {found.tolist()} go beyond {low.tolist()} to {high.tolist()}",
        )
        require(
            np.all((at_least <= now + 1e-4) & (at_most >= now - 1e-4)),
            f"'{kind}' ranges {found.tolist()} do not enclose {now.tolist()}",
        )


@conformance_test(
    added_in="0.1", cases={**{str(c): p for c, p in PER_CAPABILITY.items()}, **FURTHER_MIXES}
)
def test_guarantee_is_no_stronger_than_promised(subject: Subject, case: KnownProblem) -> None:
    """A feasible answer is called global only where the record promises a global guarantee."""
    solution = answer(subject, case)[1]
    require(
        solution.guarantee is not Guarantee.GLOBAL
        or promised(subject, case) is Guarantee.GLOBAL
        or solution.status is not Status.FEASIBLE,
        f"its guarantee is '{solution.guarantee}'; the record promises '{promised(subject, case)}'",
    )


@conformance_test(added_in="0.1", cases={str(c): p for c, p in PER_CAPABILITY.items()})
def test_says_who_answered_and_how_long_it_took(subject: Subject, case: KnownProblem) -> None:
    """The answer names this agent, its solver with a version, and seconds by the clock."""
    model = case.model()
    started = time.perf_counter()
    solution = ask(subject, model)
    seconds = time.perf_counter() - started
    who = solution.solver
    require(who.agent == subject.record.name, f"it says that the agent '{who.agent}' answered")
    require(who.name.strip() and who.version.strip(), f"solver or version is missing: {who}")
    require(
        0.0 < solution.seconds <= seconds + 0.01,
        f"it says {solution.seconds:.3g} s; the clock says {seconds:.3g} s",
    )


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
        0 <= j < n for j in (*subset.lower, *subset.upper, *subset.integer)
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
