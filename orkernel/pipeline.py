"""The solve pipeline: statement or formulation in, checked answer out."""

from __future__ import annotations

import contextlib
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orkernel.agents import Agents, classify
from orkernel.answer import Answer
from orkernel.candidates import CandidateStage, Choices, examine, refusal, select
from orkernel.context import RunContext, no_answer
from orkernel.errors import Cancelled, Refused, RefusedError, Unavailable, UsageError
from orkernel.formulation.check import Diagnostic, Severity
from orkernel.formulation.schema import Formulation
from orkernel.interrupts import interruptible
from orkernel.language_model import chosen_model
from orkernel.model import Model
from orkernel.plugins.containment import contained
from orkernel.presenting import presented
from orkernel.presets import DEFAULT_K, preset_named
from orkernel.records import Candidate, Event, Problem, Question, Selection
from orkernel.request import (
    Request,
    check_names,
    classifier_of,
    formulator_of,
    scorers_of,
    selector_of,
)
from orkernel.runs import RunFolder
from orkernel.solution import Status
from orkernel.solving import solve_ranked
from orkernel.sources import read_source
from orkernel.storage import Storage

if TYPE_CHECKING:
    from orkernel.registry import Registry


def run(
    source: str | Path | Problem | Formulation,
    *,
    data: str | Path | None = None,
    k: int | None = None,
    formulator: str | None = None,
    scorers: Sequence[str] | None = None,
    selector: str | None = None,
    classifier: str | None = None,
    solver: str = "auto",
    time_limit: float | None = None,
    gap: float | None = None,
    front_points: int | None = None,
    seed: int = 0,
    second_opinion: bool = True,
    options: Mapping[str, Any] | None = None,
    model: str | None = None,
    base_url: str | None = None,
    replay_model: str | Path | None = None,
    preset: str | None = None,
    out: str | Path | None = None,
    registry: Registry | None = None,
    observe: Callable[[Event], None] | None = None,
    ask: Callable[[Question], str | None] | None = None,
    cancel: threading.Event | None = None,
) -> Answer:
    """Solve a problem and return a checked answer.

    Args:
        source: A statement, a path to one (or to a formulation `.json`), a `Problem`, or a
            `Formulation` (then nothing is formulated or selected).
        data: Folder with data tables; the folder of the file when omitted.
        k: Largest number of candidate formulations, at least 1; the preset's, usually 3, when
            None.
        formulator: Name of the formulator; the configured or installed one when None.
        scorers: Names of the confidence scorers.
        selector: Name of the selection rule.
        classifier: Name of the classifier.
        solver: `auto`, or the name of a solver agent.
        time_limit: Seconds for solving; None means no limit.
        gap: Relative MIP gap at which to stop.
        front_points: Wanted number of points of a Pareto front, at least 2; None means all
            where the front is finite and they can be found, else a number of the agent's.
        seed: Seed of everything random.
        second_opinion: Whether a second exact agent is asked, for at most ten seconds, to back
            a claim without certificate.
        options: Plugin options, `{"NAME.key": value}`; those of the language model are
            `model.key`.
        model: Language model to ask, e.g. `openai/NAME` or `llamacpp/smollm2`; None asks none.
        base_url: Address of its server.
        replay_model: Folder of recorded calls (a run folder, or a folder of run folders) that
            answer in place of the language model.
        preset: Name of a preset of plugins and options, e.g. `coopa`.
        out: Folder in which a run folder is made; None keeps nothing on disk.
        registry: Loaded plugins; loaded here when None.
        observe: Called with every event.
        ask: Puts a question to the user, and returns None where there is no answer; the
            formulator may then ask what is ambiguous before anything is solved.
        cancel: Set it to stop the run.

    Returns:
        The answer. A problem that cannot be read or solved is an answer too, with a
        status and a message; see `Answer.exit_code`.

    Raises:
        UsageError: The input cannot be read, or a plugin name is unknown.
        Cancelled: The run was interrupted; with `out` it can be resumed.
    """
    from orkernel.config import Config
    from orkernel.registry import Registry

    chosen = preset_named(preset) if preset is not None else None
    options = {**(chosen.options if chosen else {}), **(options or {})}
    if registry is None:
        pairs = [f"{key}={value}" for key, value in options.items()]
        registry = Registry.load(Config.load(options=pairs))
        for problem in registry.problems:
            warnings.warn(str(problem), RuntimeWarning, stacklevel=2)
    given, formulation = read_source(source, Path(data) if data is not None else None)
    request = Request(
        problem=given,
        formulation=formulation,
        k=k if k is not None else (chosen.k if chosen else DEFAULT_K),
        formulator=formulator,
        scorers=tuple(scorers) if scorers is not None else None,
        selector=selector,
        classifier=classifier,
        solver=solver,
        time_limit=time_limit,
        gap=gap,
        front_points=front_points,
        seed=seed,
        second_opinion=second_opinion,
        options=options,
        language_model=chosen_model(registry.config, model, base_url, replay_model),
        preset=preset,
        asks=ask is not None,
    )
    check_names(request, registry)
    folder = RunFolder.create(Path(out), given.name) if out is not None else None
    return execute(
        request, registry, folder, observe=observe, ask=ask, cancel=cancel or threading.Event()
    )


# ----------------------------------------------------------------------------- stages


@dataclass(slots=True)
class _Run:
    """The state of one run on its way through the stages."""

    request: Request
    registry: Registry
    folder: RunFolder | None
    ctx: RunContext
    agents: Agents
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage and report its start and end."""
        self.ctx.check_cancelled()
        self.ctx.emit(Event("stage.started", name, name))
        started = time.perf_counter()
        try:
            yield
        finally:
            self.timings[name] = self.timings.get(name, 0.0) + time.perf_counter() - started
            self.ctx.emit(
                Event("stage.finished", name, name, {"seconds": round(self.timings[name], 6)})
            )


def execute(
    request: Request,
    registry: Registry,
    folder: RunFolder | None,
    *,
    observe: Callable[[Event], None] | None = None,
    ask: Callable[[Question], str | None] | None = None,
    cancel: threading.Event | None = None,
) -> Answer:
    """Run or, if the folder already holds complete stages, resume a request.

    Raises:
        UsageError: A plugin name is unknown.
        Cancelled: The run was interrupted.
    """
    storage = Storage(folder)
    emit = _emitter(registry, storage, observe)
    stop = cancel or threading.Event()
    ctx = RunContext(
        seed=request.seed,
        gap=request.gap,
        front_points=request.front_points,
        folder=folder.path if folder else None,
        emit=emit,
        cancel=stop,
        ask=storage.remembering(ask) if ask is not None else no_answer,
        language_model=request.language_model,
    )
    state = _Run(request, registry, folder, ctx, Agents(registry, request.problem, ctx))
    storage.start(request, registry)
    try:
        with interruptible(stop):
            answer = _stages(state, storage)
    except (Cancelled, KeyboardInterrupt):
        storage.finish(None, "interrupted")
        raise Cancelled(_resume_hint(folder)) from None
    except UsageError:
        storage.finish(None, "failed")
        raise
    finally:
        ctx.resources.close()
    answer = replace(answer, timings=state.timings, usage=ctx.ledger.to_json())
    answer = replace(answer, run_dir=folder.path if folder else None)
    if stop.is_set():
        answer = replace(answer, interrupted=True, notes=(*answer.notes, _resume_hint(folder)))
    storage.finish(answer, "interrupted" if stop.is_set() else "finished")
    if storage.failure:
        answer = replace(
            answer,
            storage_failure=f"the run folder is incomplete: {storage.failure}",
        )
    return answer


def _emitter(
    registry: Registry, storage: Storage, observe: Callable[[Event], None] | None
) -> Callable[[Event], None]:
    """Events go to the run folder, the caller and the installed observers; none can fail."""
    observers = []
    for record in registry.records("observers").values():
        with contextlib.suppress(Exception):
            observers.append(registry.resolve(record))

    def emit(event: Event) -> None:
        storage.event(event)
        if observe is not None:
            observe(event)
        for observer in observers:
            with contextlib.suppress(Exception), contained():
                observer.observe(event)

    return emit


def _resume_hint(folder: RunFolder | None) -> str:
    if folder is None:
        return "interrupted"
    return f"interrupted; go on with `orkernel run --resume {folder.path}`"


def _stages(state: _Run, storage: Storage) -> Answer:
    statement = state.request.problem.statement
    try:
        candidates, selection = _choose(state, storage)
    except Refused as error:
        return _refused_statement(error, statement)
    except Unavailable as error:
        return Answer(
            Status.ERROR,
            message=str(error),
            candidates=tuple(storage.candidates),
            notes=tuple(state.agents.notes),
            statement=statement,
        )
    except RefusedError as error:
        return Answer(
            Status.ILL_POSED,
            message=str(error),
            candidates=tuple(storage.candidates),
            diagnostics=_all_diagnostics(storage.candidates),
            notes=tuple(state.agents.notes),
            statement=statement,
        )
    chosen = candidates[selection.index]
    assert chosen.formulation is not None
    answer = _solve(state, storage, chosen, chosen.formulation)
    return replace(
        answer,
        candidates=tuple(candidates),
        selection=selection,
        diagnostics=chosen.diagnostics,
        formulation=chosen.formulation,
        statement=statement or chosen.formulation.statement,
        assumptions=(*(a.text for a in chosen.formulation.assumptions), *answer.assumptions),
        notes=(*_other_readings(candidates, chosen), *answer.notes, *state.agents.notes),
    )


def _refused_statement(error: Refused, statement: str) -> Answer:
    spans = error.spans or ((0, 0),)
    diagnostics = tuple(
        Diagnostic(
            code="unreadable",
            severity=Severity.ERROR,
            element="statement",
            message=error.reason,
            suggestion=error.fix,
            start=start,
            end=end,
            field="statement",
        )
        for start, end in spans
    )
    return Answer(
        Status.ILL_POSED, message=error.reason, diagnostics=diagnostics, statement=statement
    )


def _all_diagnostics(candidates: Sequence[Candidate]) -> tuple[Diagnostic, ...]:
    return tuple(dict.fromkeys(d for c in candidates for d in c.diagnostics))


def _other_readings(candidates: Sequence[Candidate], chosen: Candidate) -> list[str]:
    """Notes on candidates whose trial solution differs from that of the chosen one."""
    notes = []
    mine = chosen.trial
    for candidate in candidates:
        theirs = candidate.trial
        if candidate is chosen or candidate.refused or theirs is None or mine is None:
            continue
        same = theirs.status is mine.status and (
            theirs.objective is None
            or mine.objective is None
            or abs(theirs.objective - mine.objective) <= 1e-6 * max(1.0, abs(mine.objective))
        )
        if not same and theirs.status is not Status.ERROR:
            value = f" {theirs.objective:.10g}" if theirs.objective is not None else ""
            reading = "; ".join(
                a.text for a in (candidate.formulation.assumptions if candidate.formulation else ())
            )
            notes.append(
                f"reading {candidate.index + 1} would give {theirs.status}{value}"
                + (f" (it assumes: {reading})" if reading else "")
            )
    return notes


def _choose(state: _Run, storage: Storage) -> tuple[list[Candidate], Selection]:
    request = state.request
    if request.formulation is not None:
        with state.stage("check"):
            formulation, found = examine(request.formulation, request.problem)
            candidate = Candidate(0, formulation, tuple(found), refused=refusal(found))
            storage.keep(candidate)
        if candidate.refused:
            raise RefusedError(f"the formulation does not pass the checks: {candidate.refused}")
        return [candidate], Selection(0, "the formulation that was given")
    choices = Choices(
        formulator=formulator_of(request, state.registry),
        scorers=scorers_of(request, state.registry),
        selector=selector_of(request, state.registry),
        classifier=classifier_of(request, state.registry),
        solver=request.solver,
        k=request.k,
    )
    with state.stage("formulate"):
        stage = CandidateStage(
            state.registry, request.problem, choices, state.agents, state.ctx, storage.keep
        )
        candidates = stage.run(storage.candidates)
    with state.stage("select"):
        selection = select(state.registry, candidates, choices.selector, state.ctx)
    storage.write_json("selection.json", {"index": selection.index, "reason": selection.reason})
    return candidates, selection


def _solve(state: _Run, storage: Storage, candidate: Candidate, formulation: Formulation) -> Answer:
    request = state.request
    try:
        with state.stage("classify"):
            model = Model.bind(formulation, request.problem.data)
            classification = classify(
                state.agents,
                model,
                classifier_of(request, state.registry),
                request.solver,
                state.ctx,
            )
    except RefusedError as error:
        return Answer(Status.ILL_POSED, message=str(error))
    storage.copy_data(formulation, request.problem.data)
    storage.write_json(
        "classification.json",
        {
            "kind": classification.kind,
            "agents": [{"name": a.name, "reason": a.reason} for a in classification.agents],
        },
    )
    ctx = state.ctx
    if request.time_limit is not None:
        ctx = ctx.limited(request.time_limit)
    with state.stage("solve"):
        outcome = solve_ranked(
            state.agents,
            model,
            classification.agents,
            ctx,
            trial=candidate.trial,
            second_opinion=request.second_opinion,
        )
    storage.solution(outcome.solution)
    return presented(model, outcome, classification)
