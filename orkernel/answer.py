"""Answer: what a run returns to the user, checked, in the user's names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orkernel.errors import ExitCode
from orkernel.records import Candidate, Classification, Guarantee, Selection
from orkernel.runs import evaluation_to_json, finite
from orkernel.solution import Estimate, Evidence, SolverIdentity, Status

if TYPE_CHECKING:
    from orkernel.formulation.check import Diagnostic
    from orkernel.formulation.schema import Formulation
    from orkernel.fronts import FrontFigures

CHECKED = frozenset({Status.OPTIMAL, Status.FEASIBLE, Status.PARETO_FRONT})


@dataclass(frozen=True, slots=True)
class SubsetMember:
    """One member of an irreducible infeasible subset, in the user's words.

    Attributes:
        element: Name of the constraint or variable.
        kind: constraint | lower bound | upper bound | integrality.
        label: With its index, e.g. `supply[Seattle]`.
        quotes: Sentences of the statement behind it.
    """

    element: str
    kind: str
    label: str
    quotes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return {
            "element": self.element,
            "kind": self.kind,
            "label": self.label,
            "quotes": list(self.quotes),
        }


@dataclass(frozen=True, slots=True, eq=False)
class Answer:
    """The result of `orkernel.run`.

    Attributes:
        status: How it ended.
        verified: True if the kernel recomputed feasibility and objectives, or, for a
            model without a solution, if nothing contradicts the status.
        message: One line that says what happened when there is no checked answer.
        objectives: Recomputed objective values by name.
        variables: Values by variable: a number, or nested objects by member.
        results: The figures that the statement asks for besides the objective.
        bound: Best proven bound on the single objective.
        gap: Relative MIP gap.
        guarantee: global | local | heuristic | sampled.
        evidence: certificate | second_agent | solver_claim, for optimality,
            infeasibility and unboundedness.
        duals: `{"constraints": …, "reduced_costs": …, "ranges": …}` for an LP.
        pareto: Points of a front; `variables` and `objectives` are those of the compromise.
        front: Ideal and nadir point and hypervolume of the front.
        estimates: Figures of a model with random parameters, with confidence intervals.
        max_violation: Largest scaled violation of the checked point.
        solver: Who answered.
        candidates: All candidates, refused ones included.
        selection: Which candidate was chosen and why.
        classification: Kind of model and ranked agents.
        diagnostics: Findings on the chosen candidate.
        iis: Irreducible infeasible subset of an infeasible model.
        iis_minimal: True if irreducibility was established.
        assumptions: What is assumed beyond the statement.
        notes: Further remarks (agents that failed, readings that differ).
        formulation: The chosen formulation.
        statement: The statement as read.
        run_dir: The run folder, or None.
        timings: Seconds per stage.
        usage: Number, tokens, cost and seconds of language-model calls; no cost where a price
            is not known.
        interrupted: True if the user stopped the solver; the answer is its checked incumbent.
        storage_failure: Why the run folder could not be completed, or empty.
    """

    status: Status
    verified: bool = False
    message: str = ""
    objectives: Mapping[str, float] = field(default_factory=dict)
    variables: Mapping[str, Any] = field(default_factory=dict)
    results: Mapping[str, Any] = field(default_factory=dict)
    bound: float | None = None
    gap: float | None = None
    guarantee: Guarantee | None = None
    evidence: Evidence | None = None
    duals: Mapping[str, Any] | None = None
    pareto: Sequence[Mapping[str, Any]] = ()
    front: FrontFigures | None = None
    estimates: tuple[Estimate, ...] = ()
    max_violation: float | None = None
    solver: SolverIdentity | None = None
    candidates: tuple[Candidate, ...] = ()
    selection: Selection | None = None
    classification: Classification | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    iis: tuple[SubsetMember, ...] | None = None
    iis_minimal: bool = False
    assumptions: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    formulation: Formulation | None = None
    statement: str = ""
    run_dir: Path | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, float | None] = field(default_factory=dict)
    interrupted: bool = False
    storage_failure: str = ""

    @property
    def objective(self) -> float | None:
        """The value of the only objective; None if there are none or several."""
        return next(iter(self.objectives.values())) if len(self.objectives) == 1 else None

    @property
    def compromise(self) -> int | None:
        """Which point of the front `variables` holds; None without a front."""

        def distance(number: int) -> float:
            point: Mapping[str, float] = self.pareto[number]["objectives"]
            return sum(abs(point[name] - value) for name, value in self.objectives.items())

        return min(range(len(self.pareto)), key=distance, default=None)

    @property
    def exit_code(self) -> ExitCode:
        """Exit code of `orkernel run` for this answer."""
        if self.interrupted:
            return ExitCode.INTERRUPTED
        if self.storage_failure or self.status is Status.TIME_LIMIT:
            return ExitCode.BROKEN
        if self.status in (Status.INFEASIBLE, Status.UNBOUNDED) and self.verified:
            return ExitCode.INFEASIBLE_OR_UNBOUNDED
        if self.status is Status.ERROR:
            return ExitCode.REFUSED if self.solver else ExitCode.BROKEN
        if self.status in CHECKED and self.verified:
            return ExitCode.OK
        return ExitCode.REFUSED

    def to_json(self) -> dict[str, Any]:
        """The object that `orkernel run --json` prints."""
        solver = self.solver
        return {
            "status": str(self.status),
            "verified": self.verified,
            "message": self.message,
            "objectives": dict(self.objectives),
            "variables": dict(self.variables),
            "results": dict(self.results),
            "bound": finite(self.bound),
            "gap": finite(self.gap),
            "guarantee": str(self.guarantee) if self.guarantee else None,
            "evidence": str(self.evidence) if self.evidence else None,
            "duals": self.duals,
            "pareto": list(self.pareto),
            "front": self._front(),
            "estimates": [asdict(estimate) for estimate in self.estimates],
            "max_violation": finite(self.max_violation),
            "solver": (
                {"agent": solver.agent, "name": solver.name, "version": solver.version}
                if solver
                else None
            ),
            "candidates": [_candidate(c) for c in self.candidates],
            "selected": self.selection.index if self.selection else None,
            "selection": self.selection.reason if self.selection else None,
            "classification": (
                {
                    "kind": self.classification.kind,
                    "agents": [
                        {"name": a.name, "reason": a.reason} for a in self.classification.agents
                    ],
                }
                if self.classification
                else None
            ),
            "diagnostics": [d.to_json() for d in self.diagnostics],
            "iis": [m.to_json() for m in self.iis] if self.iis is not None else None,
            "iis_minimal": self.iis_minimal,
            "assumptions": list(self.assumptions),
            "notes": list(self.notes),
            "run_dir": str(self.run_dir) if self.run_dir else None,
            "interrupted": self.interrupted,
            "storage_failure": self.storage_failure or None,
            "timings": {k: round(v, 6) for k, v in self.timings.items()},
            "usage": dict(self.usage),
        }

    def _front(self) -> dict[str, Any] | None:
        if self.front is None:
            return None
        vectors = {
            "ideal": self.front.ideal,
            "nadir": self.front.nadir,
            "reference": self.front.reference,
        }
        return {
            "points": len(self.pareto),
            **{k: dict(zip(self.objectives, v, strict=True)) for k, v in vectors.items()},
            "hypervolume": finite(self.front.hypervolume),
        }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    trial = candidate.trial
    return {
        "evaluation": {e.scorer: evaluation_to_json(e) for e in candidate.evaluations},
        "findings": [
            {"scorer": e.scorer, "dimension": f.dimension, "text": f.text}
            for e in candidate.evaluations
            for f in e.findings
        ],
        "confidence": candidate.confidence,
        "min_confidence": candidate.min_confidence,
        "refused": candidate.refused or None,
        "title": candidate.formulation.title if candidate.formulation else None,
        "assumptions": (
            [a.text for a in candidate.formulation.assumptions] if candidate.formulation else []
        ),
        "trial": (
            {"status": str(trial.status), "objective": finite(trial.objective)} if trial else None
        ),
    }
