"""Faulty scorers, each caught by the test that is meant for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from orkernel import Evaluation, Score


def changing(change: Callable[[dict[str, Score]], dict[str, Score]]) -> Any:
    """A mutation that changes the scores."""

    def mutate(scorer: type[Any]) -> type[Any]:
        class Mutant(scorer):
            def score(self, *arguments: Any) -> Evaluation:
                found = super().score(*arguments)
                return replace(found, scores=change(dict(found.scores)))

        return Mutant

    return mutate


def leaves_one_out(scores: dict[str, Score]) -> dict[str, Score]:
    scores.pop("objective")
    return scores


def scores_beyond_100(scores: dict[str, Score]) -> dict[str, Score]:
    for score in scores.values():
        object.__setattr__(score, "value", score.value * 1.5)
    return scores


def scores_nan(scores: dict[str, Score]) -> dict[str, Score]:
    object.__setattr__(scores["variables"], "value", float("nan"))
    return scores


def explains_nothing(scores: dict[str, Score]) -> dict[str, Score]:
    return {dimension: replace(score, explanation="") for dimension, score in scores.items()}


def wavers() -> Any:
    counter = itertools.count()
    return changing(lambda s: {**s, "objective": Score(float(next(counter) % 100), "a mood")})


def signs_with_another_name(scorer: type[Any]) -> type[Any]:
    class Mutant(scorer):
        def score(self, *arguments: Any) -> Evaluation:
            return replace(super().score(*arguments), scorer="somebody")

    return Mutant


def forgets_peers(scorer: type[Any]) -> type[Any]:
    class Mutant(scorer):
        def score(self, problem: Any, candidate: Any, peers: Any, ctx: Any) -> Evaluation:
            if isinstance(peers, list):
                peers.clear()
            return super().score(problem, candidate, peers, ctx)

    return Mutant


def needs_a_first_word(scorer: type[Any]) -> type[Any]:
    class Mutant(scorer):
        def score(self, problem: Any, *rest: Any) -> Evaluation:
            problem.statement.split()[0].encode("utf-8")
            return super().score(problem, *rest)

    return Mutant


def needs_a_trial(scorer: type[Any]) -> type[Any]:
    class Mutant(scorer):
        def score(self, problem: Any, candidate: Any, *rest: Any) -> Evaluation:
            candidate.trial.values.sum()
            return super().score(problem, candidate, *rest)

    return Mutant


@pytest.mark.parametrize(
    ("test", "mutate"),
    [
        ("test_every_dimension_is_scored", changing(leaves_one_out)),
        ("test_every_dimension_is_scored", needs_a_trial),
        ("test_scores_lie_between_0_and_100", changing(scores_beyond_100)),
        ("test_scores_lie_between_0_and_100", changing(scores_nan)),
        ("test_every_score_is_explained", changing(explains_nothing)),
        ("test_the_evaluation_names_its_scorer", signs_with_another_name),
        ("test_equal_candidates_and_seed_give_equal_scores", wavers()),
        ("test_nothing_given_is_changed", forgets_peers),
        ("test_any_statement_can_be_scored", needs_a_first_word),
    ],
)
def test_the_kit_catches(caught: Callable[..., None], test: str, mutate: Any) -> None:
    caught("scorer", test, mutate)


def makes_up_a_score(scorer: type[Any]) -> type[Any]:
    """Its model's answer is of no use, and it scores nevertheless."""
    return scorer


def test_the_kit_catches_a_score_that_no_model_gave(caught: Callable[..., None]) -> None:
    test = "test_without_a_usable_answer_of_its_language_model_there_is_no_score"
    caught("scorer", test, makes_up_a_score, lambda r: replace(r, needs_language_model=True))
