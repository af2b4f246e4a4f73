"""Faulty selection rules, each caught by the test that is meant for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from statistics import fmean
from typing import Any

import pytest

from orkernel import Selection


def ignores_refusals(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            super().select(candidates, ctx)
            best = max(candidates, key=lambda c: (c.min_confidence, c.index))
            return Selection(best.index, "the best of all")

    return Mutant


def counts_usable_only(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            chosen = super().select(candidates, ctx).index
            usable = [c.index for c in candidates if not c.refused]
            return Selection(usable.index(chosen), "its place among the usable")

    return Mutant


def counts_from_one(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            return Selection(super().select(candidates, ctx).index + 1, "counted from 1")

    return Mutant


def needs_scores(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            usable = [c for c in candidates if not c.refused]
            for candidate in usable:
                fmean(candidate.confidence.values())
            return super().select(candidates, ctx)

    return Mutant


def selects_a_refused_one_at_last(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            if candidates and all(c.refused for c in candidates):
                return Selection(0, "better than nothing")
            return super().select(candidates, ctx)

    return Mutant


def gives_no_reason(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            return Selection(super().select(candidates, ctx).index, " ")

    return Mutant


def draws_lots(rule: type[Any]) -> type[Any]:
    counter = itertools.count()

    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            usable = [c.index for c in candidates if not c.refused]
            return Selection(usable[next(counter) % len(usable)], "drawn")

    return Mutant


def sorts_in_place(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            found = super().select(candidates, ctx)
            if isinstance(candidates, list):
                candidates.sort(key=lambda c: -c.min_confidence)
            return found

    return Mutant


def states_other_ties(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        ties = "earlier"

    return Mutant


def prefers_the_middle(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            usable = [c.index for c in candidates if not c.refused]
            return Selection(usable[len(usable) // 2], "in the middle")

    return Mutant


def is_content_with_the_first_good_one(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def select(self, candidates: Any, ctx: Any) -> Selection:
            for candidate in candidates:
                if not candidate.refused and candidate.min_confidence > 20:
                    return Selection(candidate.index, "good enough")
            return super().select(candidates, ctx)

    return Mutant


@pytest.mark.parametrize(
    ("test", "mutate"),
    [
        ("test_a_refused_candidate_is_never_selected", ignores_refusals),
        ("test_the_index_counts_refused_candidates", counts_usable_only),
        ("test_a_single_candidate_is_selected", counts_from_one),
        ("test_candidates_without_evaluations_can_be_selected", needs_scores),
        ("test_without_a_usable_candidate_it_refuses", selects_a_refused_one_at_last),
        ("test_the_reason_is_given", gives_no_reason),
        ("test_equal_candidates_and_seed_give_the_same_selection", draws_lots),
        ("test_candidates_are_not_changed", sorts_in_place),
        ("test_equal_candidates_are_settled_as_stated", states_other_ties),
        ("test_the_order_of_candidates_settles_ties_only", prefers_the_middle),
        ("test_the_order_of_candidates_settles_ties_only", is_content_with_the_first_good_one),
    ],
)
def test_the_kit_catches(caught: Callable[..., None], test: str, mutate: Any) -> None:
    caught("selector", test, mutate)
