"""Going on with an interrupted run, and repeating a finished one without any model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.agents import Agents
from orkernel.context import RunContext, ignore
from orkernel.errors import DataError, UsageError
from orkernel.formulation.load import load_formulation
from orkernel.language_model import MODEL_OPTIONS, LanguageModel
from orkernel.model import Model
from orkernel.pipeline import execute
from orkernel.presenting import presented
from orkernel.records import Classification, Event, Problem, Question, RankedAgent
from orkernel.request import Request
from orkernel.runs import RunFolder
from orkernel.solving import solve_ranked
from orkernel.verify import check_point

if TYPE_CHECKING:
    import threading

    from orkernel.algebra.forms import Floats
    from orkernel.answer import Answer
    from orkernel.registry import Registry

SAME = 1e-6
"""Relative difference of objective values that still counts as the same answer."""


def stored_request(folder: RunFolder) -> Request:
    """What a run folder was asked for.

    Raises:
        UsageError: The folder is damaged.
    """
    run = folder.read_json("run.json")
    if run is None or run.get("request") is None:
        raise UsageError(
            f"{folder.path} holds no complete request", fix="run the problem again from its file"
        )
    asked: dict[str, Any] = dict(run["request"])
    if asked["scorers"] is not None:
        asked["scorers"] = tuple(asked["scorers"])
    chosen = asked.pop("language_model", None)
    if chosen is not None:
        asked["language_model"] = LanguageModel(
            chosen["name"],
            chosen["base_url"],
            Path(chosen["replay"]) if chosen["replay"] is not None else None,
            {option.name: option.default for option in MODEL_OPTIONS} | chosen["options"],
        )
    formulation_file = folder.path / "formulation.json"
    formulation = load_formulation(formulation_file) if formulation_file.exists() else None
    if formulation is not None:
        statement = formulation.statement
    else:
        try:
            statement = (folder.path / "statement.md").read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise UsageError(f"{folder.path} holds no statement: {error}") from error
    return Request(
        problem=Problem(statement, run.get("name") or "problem", data_folder(folder, run)),
        formulation=formulation,
        **asked,
    )


def data_folder(folder: RunFolder, run: dict[str, Any]) -> Path | None:
    """The tables' copy in the run folder, else the folder that the run read them from."""
    copy = folder.path / "data"
    if copy.is_dir():
        return copy
    return Path(run["data"]) if run.get("data") else None


def resume(
    path: Path,
    registry: Registry,
    *,
    observe: Callable[[Event], None] | None = None,
    ask: Callable[[Question], str | None] | None = None,
    cancel: threading.Event | None = None,
) -> Answer:
    """Go on with a run that was interrupted, from its last complete candidate.

    Raises:
        UsageError: It is no run folder, or the run is finished.
    """
    folder = RunFolder.open(path)
    if (folder.read_json("run.json") or {}).get("state") == "finished":
        raise UsageError(
            f"the run in {path} is finished",
            fix=f"`orkernel show {path}` shows it, `orkernel replay {path}` repeats it",
        )
    request = stored_request(folder)
    return execute(
        request,
        registry,
        folder,
        observe=observe,
        ask=ask if request.asks else None,
        cancel=cancel,
    )


@dataclass(frozen=True, slots=True)
class Replay:
    """A repeated run.

    Attributes:
        answer: The new answer.
        stored: The stored `answer.json`.
        differences: What is not the same, one line each; empty when it is.
    """

    answer: Answer
    stored: dict[str, Any]
    differences: tuple[str, ...]


def replay(
    path: Path,
    registry: Registry,
    *,
    observe: Callable[[Event], None] | None = None,
) -> Replay:
    """Check a finished run's stored solution again, then solve its formulation again.

    The stored formulation and the stored choice of agents are used, so that no
    formulator or scorer is asked; an agent that asks a language model gets the recorded calls.

    Raises:
        UsageError: It is no run folder, or the run has no answer to compare with.
    """
    folder = RunFolder.open(path)
    stored = folder.read_json("answer.json")
    classification = folder.read_json("classification.json")
    if stored is None or classification is None:
        raise UsageError(
            f"the run in {path} has no solved formulation to repeat",
            fix=f"go on with `orkernel run --resume {path}`, or run the problem again",
        )
    request = stored_request(folder)
    selection = folder.read_json("selection.json") or {"index": 0}
    candidates = folder.read_candidates()
    chosen = next((c.formulation for c in candidates if c.index == selection["index"]), None)
    if chosen is None:
        raise UsageError(
            f"the run in {path} holds no formulation of its chosen candidate",
            fix="run the problem again",
        )
    model = Model.bind(chosen, request.problem.data)
    differences = _recheck(folder, model, stored)

    agents = [RankedAgent(a["name"], a["reason"]) for a in classification["agents"]]
    answered = stored["solver"]["agent"] if stored["solver"] else None
    agents.sort(key=lambda a: a.name != answered)
    asked = request.language_model
    recorded = replace(asked, replay=folder.path) if asked is not None else None
    ctx = RunContext(
        seed=request.seed,
        gap=request.gap,
        front_points=request.front_points,
        emit=observe or ignore,
        language_model=recorded,
    )
    if request.time_limit is not None:
        ctx = ctx.limited(request.time_limit)
    pool = Agents(registry, request.problem, ctx)
    try:
        outcome = solve_ranked(pool, model, agents, ctx, second_opinion=request.second_opinion)
    finally:
        ctx.resources.close()
    answer = presented(model, outcome, Classification(classification["kind"], tuple(agents)))
    return Replay(answer, stored, (*differences, *_compare(stored, answer)))


def _recheck(folder: RunFolder, model: Model, stored: dict[str, Any]) -> tuple[str, ...]:
    """What is wrong with the stored solution, and where the stored answer departs from it."""
    solution = folder.read_solution()
    if solution is None:
        return ("stored solution: it is missing",) if stored["solver"] else ()
    if not stored["variables"]:
        return ()
    if solution.values is None:
        return ("stored solution: its values are missing",)
    checked = check_point(model, solution.values)
    problems = list(checked.problems)
    if checked.values is not None:
        problems += _departures(model, checked.values, stored)
    return tuple(f"stored solution: {problem}" for problem in problems)


def _departures(model: Model, values: Floats, stored: dict[str, Any]) -> list[str]:
    try:
        answered = model.point(stored["variables"])
    except DataError as error:
        return [f"the stored answer does not fit it: {error}"]
    apart = np.abs(answered - values) > SAME * np.maximum(1.0, np.abs(values))
    return [
        f"{model.columns.label(column)} is {values[column]:.9g}, the stored answer says "
        f"{answered[column]:.9g}"
        for column in np.flatnonzero(apart)[:5].tolist()
    ]


def _compare(stored: dict[str, Any], answer: Answer) -> tuple[str, ...]:
    found = []
    if stored["status"] != str(answer.status):
        found.append(f"status was {stored['status']}, is {answer.status}")
    if stored["verified"] != answer.verified:
        found.append(f"verified was {stored['verified']}, is {answer.verified}")
    for name, value in stored["objectives"].items():
        now = answer.objectives.get(name)
        if now is None or abs(now - value) > SAME * max(1.0, abs(value)):
            found.append(f"objective '{name}' was {value!r}, is {now!r}")
    found += _front_changes(stored.get("front"), answer)
    return tuple(found)


def _front_changes(stored: dict[str, Any] | None, answer: Answer) -> list[str]:
    """Where a front departs from the stored one."""
    now = answer.to_json()["front"]
    if stored is None or now is None:
        return [] if stored is now else ["only one of the two answers has a Pareto front"]
    found = []
    if stored["points"] != now["points"]:
        found.append(f"the front had {stored['points']} points, has {now['points']}")
    for corner in ("ideal", "nadir"):
        for name, value in stored[corner].items():
            here = now[corner].get(name)
            if here is None or abs(here - value) > SAME * max(1.0, abs(value)):
                found.append(f"{corner} of '{name}' was {value!r}, is {here!r}")
    return found
