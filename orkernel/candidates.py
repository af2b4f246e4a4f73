"""Formulate, trial-solve, evaluate, select: from a statement to one chosen candidate."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orkernel.agents import Agents, classify
from orkernel.context import ignore
from orkernel.errors import (
    Cancelled,
    NoMoreReadings,
    NoMoreRepairs,
    OrkernelError,
    PluginError,
    Refused,
    RefusedError,
    Unavailable,
    UsageError,
)
from orkernel.formulation.check import Diagnostic, Severity, check
from orkernel.formulation.provenance import locate, provenance_diagnostics
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.plugins.containment import contained
from orkernel.plugins.problems import describe, one_line
from orkernel.records import DIMENSIONS, Candidate, Evaluation, Event, Problem, Score, Selection
from orkernel.solution import Solution, SolverIdentity, Status
from orkernel.verify import verify

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.registry import Registry

TRIAL_POINTS = 3
"""Points of a Pareto front that a trial solve asks for."""
TRIAL_SECONDS = 5.0
"""Longest trial solve of one candidate."""
CONCLUSIVE = frozenset({Status.OPTIMAL, Status.INFEASIBLE, Status.UNBOUNDED})
"""Ends of a second trial that say something about the first."""
REPAIRS = 2
"""How often a candidate that fails the checks may be repaired."""


@dataclass(frozen=True, slots=True)
class Choices:
    """Names of the plugins that make and judge candidates."""

    formulator: str
    scorers: tuple[str, ...]
    selector: str | None
    classifier: str | None
    solver: str
    k: int


def examine(formulation: Formulation, problem: Problem) -> tuple[Formulation, list[Diagnostic]]:
    """Locate the quotes and run every check.

    Returns:
        The formulation with offsets filled in, and the findings on it.
    """
    statement = problem.statement or formulation.statement
    located = locate(formulation, statement) if statement else formulation
    if statement and located.statement != statement:
        located = located.model_copy(update={"statement": statement})
    found = check(located, data=problem.data)
    if statement:
        found = [*found, *provenance_diagnostics(located, statement)]
    return located, found


def refusal(diagnostics: Sequence[Diagnostic]) -> str:
    """Why the findings refuse a candidate; empty if they do not."""
    errors = [d for d in diagnostics if d.severity is Severity.ERROR]
    if not errors:
        return ""
    more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
    return f"{errors[0].element}: {errors[0].message}{more}"


@dataclass(slots=True)
class CandidateStage:
    """Makes the candidates of a run.

    Attributes:
        registry: Plugins.
        problem: What the user gave.
        choices: Which plugins do what.
        agents: For trial solves.
        ctx: Run context.
        keep: Called with every candidate as soon as it is complete.
    """

    registry: Registry
    problem: Problem
    choices: Choices
    agents: Agents
    ctx: RunContext
    keep: Callable[[Candidate], None]

    def run(self, known: Sequence[Candidate] = ()) -> list[Candidate]:
        """Formulate up to k candidates; `known` ones are taken over from an earlier run.

        Raises:
            Refused: The very first reading was refused and there is no other.
            Unavailable: The formulator's service does not answer and no candidate is usable.
            UsageError: The formulator cannot work as it was asked to.
        """
        candidates = list(known)
        while len(candidates) < self.choices.k:
            self.ctx.check_cancelled()
            try:
                candidate = self._next(candidates)
            except NoMoreReadings as error:
                if error.message != NoMoreReadings().message:
                    self._note(f"no further candidate: {error.message}")
                break
            except Refused as error:
                if not candidates:
                    raise
                self._note(f"no further candidate: {error.reason}")
                break
            except Unavailable as error:
                if all(c.refused for c in candidates):
                    raise
                self._note(f"no further candidate: {error}")
                break
            candidate = self._evaluate(candidate, candidates)
            candidates.append(candidate)
            self.keep(candidate)
            self.ctx.emit(
                Event(
                    "candidate.refused" if candidate.refused else "candidate.ready",
                    "formulate",
                    candidate.refused or _summary(candidate),
                    {"index": candidate.index, "min_confidence": candidate.min_confidence},
                )
            )
        return self._compare(candidates)

    # -------------------------------------------------------------- one candidate

    def _next(self, history: list[Candidate]) -> Candidate:
        spec = self.registry.get("formulators", self.choices.formulator)
        formulator = self.registry.resolve(spec)
        ctx = self.ctx.with_(options=self.registry.options(spec))
        index = len(history)
        failed = f"formulator '{spec.name}' failed: "
        self.ctx.emit(Event("stage.progress", "formulate", f"candidate {index + 1}"))
        try:
            with contained(failed):
                formulation = formulator.formulate(self.problem, tuple(history), ctx)
            candidate = self._examined(index, formulation)
            repair = getattr(formulator, "repair", None)
            for _ in range(REPAIRS):
                if repair is None or not candidate.refused:
                    break
                self.ctx.emit(
                    Event("candidate.repairing", "formulate", f"repairing: {candidate.refused}")
                )
                try:
                    with contained(failed):
                        formulation = repair(self.problem, candidate, ctx)
                except NoMoreRepairs:
                    break
                candidate = self._examined(index, formulation)
        except (Refused, NoMoreReadings, Unavailable, UsageError, Cancelled, KeyboardInterrupt):
            raise
        except OrkernelError as error:
            return Candidate(index, refused=str(error))
        except Exception as error:
            return Candidate(index, refused=failed + one_line(describe(error)))
        return self._tried(candidate) if not candidate.refused else candidate

    def _examined(self, index: int, formulation: object) -> Candidate:
        if not isinstance(formulation, Formulation):
            raise PluginError(
                f"formulator '{self.choices.formulator}' returned "
                f"{type(formulation).__name__}, not a Formulation"
            )
        located, found = examine(formulation, self.problem)
        return Candidate(index, located, tuple(found), refused=refusal(found))

    def _tried(self, candidate: Candidate) -> Candidate:
        """Add the trial solution; a failed trial is only noted, never ends the run."""
        assert candidate.formulation is not None
        try:
            model = Model.bind(candidate.formulation, self.problem.data)
            solution = trial_solve(self.agents, model, self.choices, self.ctx)
        except (Cancelled, KeyboardInterrupt):
            raise
        except RefusedError as error:
            return replace(candidate, refused=str(error))
        except Exception as error:
            failed = _trial_error(one_line(str(error)) or type(error).__name__)
            return replace(candidate, trial=failed)
        return replace(candidate, trial=solution, second=self._second(model, solution))

    def _second(self, model: Model, trial: Solution | None) -> Solution | None:
        """The trial of a second exact agent, if a scorer looks at it and there is one."""
        wanted = any(
            getattr(self.registry.get("confidence_scorers", name), "second_trial", False)
            for name in self.choices.scorers
        )
        if not wanted or trial is None or trial.status in (Status.ERROR, Status.PARETO_FRONT):
            return None
        try:
            return second_trial(
                self.agents, model, trial.solver.agent, self.choices.classifier, self.ctx
            )
        except (Cancelled, KeyboardInterrupt):
            raise
        except Exception:
            return None

    def _note(self, text: str) -> None:
        self.agents.notes.append(text)
        self.ctx.emit(Event("candidate.last", "formulate", text))

    # -------------------------------------------------------------- evaluation

    def _evaluate(self, candidate: Candidate, peers: Sequence[Candidate]) -> Candidate:
        if candidate.formulation is None:
            return candidate
        evaluations = [self._score(name, candidate, peers) for name in self.choices.scorers]
        return replace(candidate, evaluations=tuple(e for e in evaluations if e is not None))

    def _score(
        self, name: str, candidate: Candidate, peers: Sequence[Candidate]
    ) -> Evaluation | None:
        spec = self.registry.get("confidence_scorers", name)
        try:
            scorer = self.registry.resolve(spec)
            with contained():
                evaluation: object = scorer.score(
                    self.problem,
                    candidate,
                    tuple(p for p in peers if p.index != candidate.index),
                    self.ctx.with_(options=self.registry.options(spec)),
                )
            if not isinstance(evaluation, Evaluation) or not _complete(evaluation):
                raise PluginError(f"it must give one Score for each of {', '.join(DIMENSIONS)}")
        except (UsageError, Cancelled, KeyboardInterrupt):
            raise
        except Exception as error:
            self.agents.notes.append(f"scorer '{name}' failed: {one_line(str(error))}")
            return None
        return replace(evaluation, scorer=name)

    def _compare(self, candidates: list[Candidate]) -> list[Candidate]:
        """Ask the comparing scorers once more, now that all candidates are known."""
        comparing = [
            name
            for name in self.choices.scorers
            if getattr(self.registry.get("confidence_scorers", name), "compares", False)
        ]
        for name in comparing:
            for position, candidate in enumerate(candidates):
                if candidate.formulation is None:
                    continue
                again = self._score(name, candidate, candidates)
                if again is None:
                    continue
                others = tuple(e for e in candidate.evaluations if e.scorer != name)
                candidates[position] = replace(candidate, evaluations=(*others, again))
                self.keep(candidates[position])
        return candidates


def _complete(evaluation: Evaluation) -> bool:
    return set(evaluation.scores) == set(DIMENSIONS) and all(
        isinstance(score, Score) for score in evaluation.scores.values()
    )


def _summary(candidate: Candidate) -> str:
    trial = candidate.trial
    if trial is None:
        return "ready"
    value = f" {trial.objective:.10g}" if trial.objective is not None else ""
    return f"{trial.status}{value}"


def _trial_error(message: str) -> Solution:
    return Solution(Status.ERROR, SolverIdentity("", "", ""), message=message)


def trial_solve(
    agents: Agents,
    model: Model,
    choices: Choices,
    ctx: RunContext,
) -> Solution | None:
    """Solve a candidate briefly with the first agent that its classification ranks.

    A language model is not asked who that is, and an agent of last resort does no trials.

    Returns:
        The agent's solution; `error` if it does not survive the kernel's check; None if only
        an agent of last resort takes the model.

    Raises:
        RefusedError: No agent takes the model.
    """
    solver = choices.solver
    if solver != "auto" and agents.is_last_resort(solver):
        solver = "auto"
    classifier = agents.quick_classifier(choices.classifier)
    ranked = [
        agent
        for agent in classify(agents, model, classifier, solver, ctx).agents
        if not agents.is_last_resort(agent.name)
    ]
    return _trial(agents, model, ranked[0].name, ctx) if ranked else None


def second_trial(
    agents: Agents,
    model: Model,
    first: str,
    classifier: str | None,
    ctx: RunContext,
) -> Solution | None:
    """The trial of the best-ranked exact agent other than `first` that comes to an end in time.

    Returns:
        Its solution; None if there is no other exact agent, or none comes to an end.
    """
    exact = {spec.name for spec in agents.exact(model)} - {first}
    if not exact:
        return None
    ranked = classify(agents, model, agents.quick_classifier(classifier), "auto", ctx).agents
    for agent in ranked:
        if agent.name not in exact:
            continue
        try:
            solution = _trial(agents, model, agent.name, ctx)
        except Cancelled:
            raise
        except OrkernelError:
            continue
        if solution.status in CONCLUSIVE:
            return solution
    return None


def _trial(agents: Agents, model: Model, name: str, ctx: RunContext) -> Solution:
    quiet = ctx.limited(TRIAL_SECONDS).with_(emit=ignore, front_points=TRIAL_POINTS)
    solution, checks = agents.solve(name, model, quiet)
    problems = [p for check in (*checks, verify(model, solution)) for p in check.problems]
    if problems:
        return _trial_error(problems[0])
    return solution


# ----------------------------------------------------------------------------- selection


def select(
    registry: Registry,
    candidates: Sequence[Candidate],
    selector: str | None,
    ctx: RunContext,
) -> Selection:
    """Choose one of the candidates that are not refused.

    Raises:
        RefusedError: All are refused.
        PluginError: The rule chose a candidate that does not exist or is refused.
    """
    usable = [c for c in candidates if not c.refused and c.formulation is not None]
    if not usable:
        reasons = "; ".join(f"candidate {c.index + 1}: {c.refused}" for c in candidates)
        raise RefusedError(f"no candidate passed the checks: {reasons or 'there are none'}")
    if selector is None:
        return Selection(usable[0].index, "first candidate that passes the checks")
    if len(usable) == 1:
        return Selection(usable[0].index, "the only candidate that passes the checks")
    spec = registry.get("selection_rules", selector)
    rule = registry.resolve(spec)
    own = ctx.with_(options=registry.options(spec))
    with contained(f"selection rule '{selector}' failed: "):
        chosen: object = rule.select(tuple(candidates), own)
    if not isinstance(chosen, Selection) or chosen.index not in {c.index for c in usable}:
        raise PluginError(f"selection rule '{selector}' chose no usable candidate: {chosen!r}")
    return chosen
