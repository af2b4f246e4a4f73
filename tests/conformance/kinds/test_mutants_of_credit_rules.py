"""Faulty credit rules, each caught by the test that is meant for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest


def changing(change: Callable[..., Any]) -> Any:
    """A mutation that changes the advantages, given verdicts, tokens and entropies."""

    def mutate(rule: type[Any]) -> type[Any]:
        class Mutant(rule):
            def advantages(
                self, group: Any, spans: Any, entropies: Any = None, *, ctx: Any = None
            ) -> Any:
                found = super().advantages(group, spans, entropies, ctx=ctx)
                return change(found, group, spans, entropies)

        return Mutant

    return mutate


def outcomes(group: Any) -> Any:
    return np.array([verdict.outcome for verdict in group], dtype=float)


def adds_a_token(found: Any, *rest: Any) -> Any:
    return np.pad(found, ((0, 0), (0, 1)))


def divides_by_zero(found: Any, group: Any, *rest: Any) -> Any:
    with np.errstate(invalid="ignore", divide="ignore"):
        return found / np.float64(outcomes(group).std())


def pads_with_credit(found: Any, *rest: Any) -> Any:
    return np.broadcast_to(found[:, :1], found.shape).copy() if found.size else found


def favours_the_first(found: Any, *rest: Any) -> Any:
    found[:1] *= 2.0
    return found


def rewards_all(found: Any, group: Any, spans: Any, *rest: Any) -> Any:
    inside = np.arange(found.shape[1]) < np.array([len(t) for t in spans])[:, None]
    return found + 0.1 * inside


def rewards_failure(found: Any, *rest: Any) -> Any:
    return -found


def estimates_the_spread(found: Any, group: Any, *rest: Any) -> Any:
    if len(group) == 1:
        return found + np.nan
    return found


def never_saw_an_empty_proof(found: Any, group: Any, spans: Any, *rest: Any) -> Any:
    assert min(tokens[0][0] for tokens in spans) == 0
    return found


def wavers() -> Any:
    counter = itertools.count()
    return changing(lambda found, *rest: found * (1.0 + next(counter)))


def needs_a_context(rule: type[Any]) -> type[Any]:
    class Mutant(rule):
        def advantages(
            self, group: Any, spans: Any, entropies: Any = None, *, ctx: Any = None
        ) -> Any:
            return super().advantages(group, spans, entropies, ctx=ctx) * (
                0.5 if ctx is None else 1
            )

    return Mutant


def scales_entropies(found: Any, group: Any, spans: Any, entropies: Any) -> Any:
    if entropies is not None:
        entropies.setflags(write=True)
        entropies *= 2.0
    return found


@pytest.mark.parametrize(
    ("test", "mutate"),
    [
        ("test_there_is_one_advantage_per_token", changing(adds_a_token)),
        ("test_advantages_are_finite", changing(divides_by_zero)),
        ("test_past_the_last_token_there_is_no_credit", changing(pads_with_credit)),
        ("test_the_order_of_proofs_has_no_influence", changing(favours_the_first)),
        ("test_groups_that_end_alike_get_zeros_where_stated", changing(rewards_all)),
        ("test_proofs_earn_more_than_failures", changing(rewards_failure)),
        ("test_a_group_of_one_gets_finite_advantages", changing(estimates_the_spread)),
        ("test_proofs_without_tokens_are_taken", changing(never_saw_an_empty_proof)),
        ("test_equal_groups_give_equal_advantages", wavers()),
        ("test_without_a_context_the_declared_defaults_hold", needs_a_context),
        ("test_nothing_given_is_changed", changing(scales_entropies)),
    ],
)
def test_the_kit_catches(caught: Callable[..., None], test: str, mutate: Any) -> None:
    caught("credit-rule", test, mutate)
