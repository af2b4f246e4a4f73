"""Faulty classifiers, each caught by the test that is meant for it."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from orkernel import Classification, RankedAgent


def changing(change: Callable[..., Any]) -> Any:
    """A mutation that changes the ranking."""

    def mutate(classifier: type[Any]) -> type[Any]:
        class Mutant(classifier):
            def classify(self, problem: Any, model: Any, agents: Any, ctx: Any) -> Classification:
                found = super().classify(problem, model, agents, ctx)
                return replace(found, agents=tuple(change(found.agents, agents)))

        return Mutant

    return mutate


def ranks_all(ranked: Any, agents: Any) -> Any:
    return [
        RankedAgent(agent.name, "it is there") for agent in sorted(agents, key=lambda a: a.name)
    ]


def invents(ranked: Any, agents: Any) -> Any:
    return (RankedAgent("gurobi", "everybody has it"), *ranked)


def repeats(ranked: Any, agents: Any) -> Any:
    return (*ranked, *ranked)


def keeps_the_order(ranked: Any, agents: Any) -> Any:
    by_name = {entry.name: entry for entry in ranked}
    return [by_name[agent.name] for agent in agents if agent.name in by_name]


def gives_no_reason(ranked: Any, agents: Any) -> Any:
    return [replace(entry, reason="") for entry in ranked]


def stops_after_ten(ranked: Any, agents: Any) -> Any:
    return ranked[:10]


def drops_the_last(ranked: Any, agents: Any) -> Any:
    return ranked[:-1]


def falls_back_on_the_first(ranked: Any, agents: Any) -> Any:
    return ranked or [RankedAgent(agent.name, "for want of a better one") for agent in agents[:1]]


def wavers() -> Any:
    counter = itertools.count()
    return changing(lambda ranked, agents: ranked[:: 1 if next(counter) % 2 else -1])


def sorts_in_place(classifier: type[Any]) -> type[Any]:
    class Mutant(classifier):
        def classify(self, problem: Any, model: Any, agents: Any, ctx: Any) -> Classification:
            if isinstance(agents, list):
                agents.sort(key=lambda agent: agent.name)
            return super().classify(problem, model, agents, ctx)

    return Mutant


@pytest.mark.parametrize(
    ("test", "mutate"),
    [
        ("test_only_agents_that_can_take_the_model_are_named", changing(ranks_all)),
        ("test_no_agent_is_invented", changing(invents)),
        ("test_no_agent_is_named_twice", changing(repeats)),
        ("test_the_order_of_agents_has_no_influence", changing(keeps_the_order)),
        ("test_every_rank_has_a_reason", changing(gives_no_reason)),
        ("test_equal_models_and_seed_give_equal_rankings", wavers()),
        ("test_one_agent_is_enough", changing(drops_the_last)),
        ("test_thirty_agents_are_ranked", changing(stops_after_ten)),
        ("test_without_an_able_agent_nothing_is_named", changing(falls_back_on_the_first)),
        ("test_agents_are_not_changed", sorts_in_place),
    ],
)
def test_the_kit_catches(caught: Callable[..., None], test: str, mutate: Any) -> None:
    caught("classifier", test, mutate)


def test_the_kit_catches_a_classifier_that_believes_its_model(caught: Callable[..., None]) -> None:
    test = "test_a_useless_language_model_is_not_believed"
    for mutate in (changing(invents), changing(repeats), changing(lambda ranked, agents: ())):
        caught("classifier", test, mutate, lambda r: replace(r, needs_language_model=True))
