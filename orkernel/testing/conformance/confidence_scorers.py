"""The conformance kit of confidence scorers."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache

import numpy as np

from orkernel.formulation.schema import Formulation
from orkernel.records import DIMENSIONS, Candidate, Evaluation, Problem, Score
from orkernel.solution import Solution, SolverIdentity, Status
from orkernel.testing.conformance import samples
from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require
from orkernel.testing.conformance.plugin_calls import cancelled, error_of, unchanged, within

WHO = SolverIdentity("reference", "by hand", "1")


def _trial(status: Status, values: list[float] | None = None) -> Solution:
    objective = None if values is None else 20 * values[0] + 30 * values[1]
    point = None if values is None else np.array(values)
    return Solution(status, WHO, values=point, objective=objective)


@cache
def _candidates() -> dict[str, Candidate]:
    """Candidates that a run can bring before a scorer, by name."""
    whole = samples.formulation()
    bare = whole.model_copy(
        update={
            group: tuple(e.model_copy(update={"sources": ()}) for e in getattr(whole, group))
            for group in ("parameters", "variables", "objectives", "constraints")
        }
    )
    known: dict[str, tuple[Formulation | None, Solution | None, str]] = {
        "solved": (whole, _trial(Status.OPTIMAL, [40.0, 0.0]), ""),
        "not tried": (whole, None, ""),
        "doing nothing is best": (whole, _trial(Status.OPTIMAL, [0.0, 0.0]), ""),
        "infeasible": (whole, _trial(Status.INFEASIBLE), ""),
        "unbounded": (whole, _trial(Status.UNBOUNDED), ""),
        "at the time limit": (whole, _trial(Status.TIME_LIMIT), ""),
        "trial failed": (whole, _trial(Status.ERROR), ""),
        "without quotes": (bare, None, ""),
        "without objective": (whole.model_copy(update={"objectives": ()}), None, ""),
        "empty": (Formulation(), None, ""),
        "refused": (whole, None, "a check failed"),
        "without formulation": (None, None, "the statement cannot be read"),
    }
    return {
        name: Candidate(index, formulation, trial=trial, refused=refused)
        for index, (name, (formulation, trial, refused)) in enumerate(known.items())
    }


def _score(
    subject: Subject,
    candidate: Candidate,
    peers: tuple[Candidate, ...] = (),
    problem: Problem | None = None,
) -> Evaluation:
    ctx = subject.context(seed=7)
    found = subject.target.score(problem or samples.problem(), candidate, peers, ctx)
    require(isinstance(found, Evaluation), f"it returns {type(found).__name__}, no Evaluation")
    evaluation: Evaluation = found
    return evaluation


def _everything(subject: Subject) -> Iterator[tuple[str, Evaluation]]:
    """The evaluation of every candidate, alone and among its peers."""
    known = _candidates()
    for name, candidate in known.items():
        peers = tuple(other for other in known.values() if other is not candidate)
        yield name, _score(subject, candidate)
        yield f"{name}, with peers", _score(subject, candidate, peers)


def _values(evaluation: Evaluation) -> dict[str, float]:
    return {dimension: score.value for dimension, score in evaluation.scores.items()}


@conformance_test(added_in="0.1")
def test_every_dimension_is_scored(subject: Subject) -> None:
    """Each of the four dimensions has a Score, and there is no other."""
    for name, evaluation in _everything(subject):
        found = set(evaluation.scores)
        require(found == set(DIMENSIONS), f"{name}: it scores {', '.join(sorted(found))}")
        for dimension, score in evaluation.scores.items():
            require(isinstance(score, Score), f"{name}: {dimension} is {score!r}, no Score")


@conformance_test(added_in="0.1")
def test_scores_lie_between_0_and_100(subject: Subject) -> None:
    """Every score is a finite number from 0 to 100."""
    for name, evaluation in _everything(subject):
        for dimension, value in _values(evaluation).items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            require(number and math.isfinite(value), f"{name}: {dimension} is {value!r}")
            require(0.0 <= value <= 100.0, f"{name}: {dimension} is {value}")


@conformance_test(added_in="0.1")
def test_every_score_is_explained(subject: Subject) -> None:
    """Every score has an explanation that says something."""
    for name, evaluation in _everything(subject):
        for dimension, score in evaluation.scores.items():
            text = score.explanation
            require(isinstance(text, str) and text.strip(), f"{name}: {dimension} is unexplained")


@conformance_test(added_in="0.1")
def test_the_evaluation_names_its_scorer(subject: Subject) -> None:
    """The evaluation carries the name of the record."""
    for name, evaluation in _everything(subject):
        wanted = subject.record.name
        require(evaluation.scorer == wanted, f"{name}: it says '{evaluation.scorer}'")


@conformance_test(added_in="0.1")
def test_equal_candidates_and_seed_give_equal_scores(subject: Subject) -> None:
    """Asked twice, and asked as a new object, the scorer answers the same."""
    for name, candidate in _candidates().items():
        first = _values(_score(subject, candidate))
        require(first == _values(_score(subject, candidate)), f"{name}: asked again it differs")
        ctx = subject.context(seed=7)
        fresh = subject.fresh().score(samples.problem(), candidate, (), ctx)
        require(first == _values(fresh), f"{name}: a new object of it scores otherwise")


@conformance_test(added_in="0.1")
def test_nothing_given_is_changed(subject: Subject) -> None:
    """Formulation, trial, peers and problem are the same afterwards."""
    known = _candidates()
    for name, candidate in known.items():
        peers = list(known.values())
        problem = samples.problem()
        before = candidate.formulation and candidate.formulation.model_dump()
        point = candidate.trial.values if candidate.trial else None
        with unchanged(problem=problem, point=point):
            subject.target.score(problem, candidate, peers, subject.context())
        after = candidate.formulation and candidate.formulation.model_dump()
        require(before == after, f"{name}: it changes the formulation")
        kept = len(peers) == len(known) and all(a is b for a, b in zip(peers, known.values()))  # noqa: B905
        require(kept, f"{name}: it changes the list of peers")


@conformance_test(added_in="0.1", cases=samples.ODD_TEXTS)
def test_any_statement_can_be_scored(subject: Subject, case: str) -> None:
    """A statement that is empty, huge, binary or hostile gives scores, not an exception."""
    problem = Problem(case, "odd")
    for name in ("solved", "empty", "without formulation"):
        candidate = _candidates()[name]
        found = within(20.0, "it", lambda c=candidate: _score(subject, c, (), problem))  # type: ignore[misc]
        require(set(found.scores) == set(DIMENSIONS), f"{name}: a dimension has no score")


@conformance_test(added_in="0.1")
def test_an_interrupted_run_is_not_held_up(subject: Subject) -> None:
    """After an interruption, or past the deadline, it answers or stops at once."""
    candidate = _candidates()["solved"]
    for changes in ({"cancel": cancelled()}, {"deadline": 0.0}):
        ctx = subject.context(**changes)
        within(
            5.0,
            "it",
            lambda c=ctx: error_of(  # type: ignore[misc]
                lambda: subject.target.score(samples.problem(), candidate, (), c)
            ),
        )


@conformance_test(added_in="0.1")
def test_without_a_usable_answer_of_its_language_model_there_is_no_score(subject: Subject) -> None:
    """If its model fails, or answers with no numbers from 0 to 100, it raises and scores nothing.

    A scorer that asks no language model passes.
    """
    candidate = _candidates()["solved"]
    for name, hampered in subject.with_useless_models():
        error = error_of(lambda s=hampered: _score(s, candidate))  # type: ignore[misc]
        require(error is not None, f"{name}: it makes up a score")
        require(str(error).strip(), f"{name}: its {type(error).__name__} says nothing")


class ScorerConformance(Conformance, kind="confidence_scorers", modules=(__name__,)):
    """What a confidence scorer must do."""
