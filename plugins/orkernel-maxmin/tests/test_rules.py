"""The selection rules follow their definitions, whatever the order of the candidates."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.context import RunContext
from orkernel.errors import RefusedError
from orkernel.formulation.schema import Formulation
from orkernel.records import DIMENSIONS, Candidate, Evaluation, Score
from orkernel_maxmin.rules import First, MaxMin, Mean, mean_confidence


def candidate(index: int, scores: list[float], refused: str = "") -> Candidate:
    evaluation = Evaluation("s", {d: Score(v) for d, v in zip(DIMENSIONS, scores, strict=True)})
    return Candidate(index, Formulation(), evaluations=(evaluation,), refused=refused)


def test_max_min_prefers_the_strongest_weakest_dimension_over_a_higher_mean() -> None:
    candidates = [candidate(0, [100, 100, 100, 40]), candidate(1, [60, 60, 60, 60])]
    chosen = MaxMin().select(candidates, RunContext())
    assert chosen.index == 1
    assert chosen.reason == "its weakest dimension (parameters, 60.0) is the strongest of 2"
    assert Mean().select(candidates, RunContext()).index == 0


def test_a_tie_goes_to_the_higher_mean_and_then_to_the_later() -> None:
    low, high = [50.0, 60, 60, 60], [50.0, 90, 90, 90]
    tied = [candidate(0, high), candidate(1, low)]
    assert MaxMin().select(tied, RunContext()).index == 0
    assert "its mean is higher" in MaxMin().select(tied, RunContext()).reason
    equal = [candidate(0, low), candidate(1, low)]
    assert MaxMin().select(equal, RunContext()).index == 1
    assert "the later is taken" in MaxMin().select(equal, RunContext()).reason


def test_several_scorers_count_by_their_minimum() -> None:
    first = candidate(0, [90, 90, 90, 90])
    second = Evaluation("other", {d: Score(10.0) for d in DIMENSIONS})
    doubted = Candidate(0, Formulation(), evaluations=(*first.evaluations, second))
    assert MaxMin().select([doubted, candidate(1, [20, 20, 20, 20])], RunContext()).index == 1


@pytest.mark.parametrize("rule", [MaxMin(), Mean(), First()])
def test_refused_candidates_are_never_chosen(rule: MaxMin | Mean | First) -> None:
    candidates = [candidate(0, [100] * 4, "bad"), candidate(1, [1, 1, 1, 1])]
    assert rule.select(candidates, RunContext()).index == 1
    with pytest.raises(RefusedError, match="no candidate passed the checks"):
        rule.select(candidates[:1], RunContext())


def test_candidates_without_evaluations_are_still_comparable() -> None:
    assert MaxMin().select([Candidate(0, Formulation())], RunContext()).index == 0


scores = st.lists(st.integers(0, 100).map(float), min_size=4, max_size=4)


@given(st.lists(scores, min_size=1, max_size=6), st.randoms())
def test_max_min_is_the_definition_and_does_not_depend_on_order(
    values: list[list[float]], rng: random.Random
) -> None:
    candidates = [candidate(i, v) for i, v in enumerate(values)]
    chosen = MaxMin().select(candidates, RunContext()).index
    best = max(min(v) for v in values)
    assert min(values[chosen]) == best
    ties = [c for c in candidates if c.min_confidence == best]
    top = max(mean_confidence(c) for c in ties)
    assert chosen == max(c.index for c in ties if mean_confidence(c) == top)
    rng.shuffle(candidates)
    assert MaxMin().select(candidates, RunContext()).index == chosen
