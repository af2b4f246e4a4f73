"""The conformance kit of classifiers."""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache

from orkernel.compose import route
from orkernel.errors import OrkernelError, RefusedError
from orkernel.model import Model
from orkernel.records import Capability, Classification, Guarantee, RankedAgent, SolverAgentSpec
from orkernel.testing.conformance import samples
from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require
from orkernel.testing.conformance.plugin_calls import cancelled, error_of, unchanged, within

_LP = frozenset({Capability.CONTINUOUS, Capability.LINEAR})
_MIP = _LP | {Capability.INTEGER, Capability.LOGICAL}
_ALL = frozenset(Capability)


def agent(name: str, *supports: frozenset[Capability], guarantee: Guarantee) -> SolverAgentSpec:
    """A record of a solver agent that is only talked about, never asked."""
    return SolverAgentSpec(
        name=name, target="nowhere:Agent", supports=supports, guarantee=guarantee
    )


AGENTS = (
    agent("quill", _LP, guarantee=Guarantee.GLOBAL),
    agent("anvil", _MIP, guarantee=Guarantee.GLOBAL),
    agent("osier", _ALL, guarantee=Guarantee.HEURISTIC),
    agent("basil", _LP, _ALL - {Capability.MULTI_OBJECTIVE}, guarantee=Guarantee.LOCAL),
    agent("ember", _ALL, guarantee=Guarantee.SAMPLED),
    agent("talon", frozenset({Capability.RANDOM}), guarantee=Guarantee.GLOBAL),
)
"""Agents of different strength; each model of the samples has one that cannot take it."""


@cache
def _models() -> dict[str, Model]:
    return samples.models()


def _able(model: Model, agents: Sequence[SolverAgentSpec]) -> set[str]:
    return {agent.name for agent in agents if route(agent, model) is not None}


def _classify(subject: Subject, model: Model, agents: Sequence[SolverAgentSpec]) -> Classification:
    ctx = subject.context(seed=5)
    found = subject.target.classify(samples.problem(), model, agents, ctx)
    require(
        isinstance(found, Classification), f"it returns {type(found).__name__}, no Classification"
    )
    for ranked in found.agents:
        require(isinstance(ranked, RankedAgent), f"{ranked!r} is no RankedAgent")
    classification: Classification = found
    return classification


def _names(classification: Classification) -> list[str]:
    return [ranked.name for ranked in classification.agents]


@conformance_test(added_in="0.1")
def test_only_agents_that_can_take_the_model_are_named(subject: Subject) -> None:
    """An agent that lacks a capability of the model is not named, one that has all is."""
    for kind, model in _models().items():
        able = _able(model, AGENTS)
        named = set(_names(_classify(subject, model, AGENTS)))
        wrong = sorted(named & {agent.name for agent in AGENTS} - able)
        require(not wrong, f"{kind}: it names {', '.join(wrong)}, which cannot take the model")
        require(named & able, f"{kind}: it names none of {', '.join(sorted(able))}")


@conformance_test(added_in="0.1")
def test_no_agent_is_invented(subject: Subject) -> None:
    """Every name is that of an agent that was given."""
    for kind, model in _models().items():
        for given in (AGENTS, AGENTS[2:3], AGENTS[1:4]):
            known = {agent.name for agent in given}
            strange = sorted(set(_names(_classify(subject, model, given))) - known)
            require(not strange, f"{kind}: there is no agent {', '.join(strange)}")


@conformance_test(added_in="0.1")
def test_no_agent_is_named_twice(subject: Subject) -> None:
    """A ranking holds every agent at most once."""
    for kind, model in _models().items():
        names = _names(_classify(subject, model, AGENTS))
        require(len(names) == len(set(names)), f"{kind}: it ranks {', '.join(names)}")


@conformance_test(added_in="0.1")
def test_the_order_of_agents_has_no_influence(subject: Subject) -> None:
    """The same agents in another order give the same ranking."""
    for kind, model in _models().items():
        wanted = _names(_classify(subject, model, AGENTS))
        for seed in range(10):
            shuffled = random.Random(seed).sample(AGENTS, len(AGENTS))
            found = _names(_classify(subject, model, shuffled))
            require(found == wanted, f"{kind}: {', '.join(found)}, then {', '.join(wanted)}")


@conformance_test(added_in="0.1")
def test_every_rank_has_a_reason(subject: Subject) -> None:
    """The kind of model and every reason are texts that say something."""
    for kind, model in _models().items():
        found = _classify(subject, model, AGENTS)
        require(isinstance(found.kind, str) and found.kind.strip(), f"{kind}: it has no kind")
        for ranked in found.agents:
            said = isinstance(ranked.reason, str) and ranked.reason.strip()
            require(said, f"{kind}: no reason for {ranked.name}")


@conformance_test(added_in="0.1")
def test_equal_models_and_seed_give_equal_rankings(subject: Subject) -> None:
    """Asked twice, and asked as a new object, the classifier answers the same."""
    for kind, model in _models().items():
        first = _classify(subject, model, AGENTS)
        require(first == _classify(subject, model, AGENTS), f"{kind}: asked again it differs")
        ctx = subject.context(seed=5)
        fresh = subject.fresh().classify(samples.problem(), model, AGENTS, ctx)
        require(first == fresh, f"{kind}: a new object of it answers otherwise")


@conformance_test(added_in="0.1")
def test_one_agent_is_enough(subject: Subject) -> None:
    """With a single agent that can take the model, the ranking is that agent."""
    for kind, model in _models().items():
        for only in AGENTS:
            if _able(model, [only]):
                names = _names(_classify(subject, model, [only]))
                require(names == [only.name], f"{kind}: it ranks {names}, not '{only.name}' alone")


@conformance_test(added_in="0.1")
def test_thirty_agents_are_ranked(subject: Subject) -> None:
    """Many agents are all ranked, those first that promise most by every measure."""
    many = [
        agent(f"agent{i:02}", _ALL, guarantee=list(Guarantee)[i % len(Guarantee)])
        for i in range(30)
    ]
    for kind, model in _models().items():
        names = _names(within(5.0, "it", lambda m=model: _classify(subject, m, many)))  # type: ignore[misc]
        require(sorted(names) == [a.name for a in many], f"{kind}: it ranks {len(names)} of 30")


@conformance_test(added_in="0.1")
def test_without_an_able_agent_nothing_is_named(subject: Subject) -> None:
    """If no agent can take the model the ranking is empty, or it raises RefusedError."""
    for kind, model in _models().items():
        for given in ([], [a for a in AGENTS if not _able(model, [a])]):
            try:
                names = _names(_classify(subject, model, given))
            except RefusedError:
                continue
            require(not names, f"{kind}: it names {', '.join(names)}")


@conformance_test(added_in="0.1")
def test_agents_are_not_changed(subject: Subject) -> None:
    """The list of agents and the model's formulation are the same afterwards."""
    for model in _models().values():
        agents = list(AGENTS)
        before = model.formulation.model_dump()
        with unchanged(agents=agents):
            _classify(subject, model, agents)
        require(model.formulation.model_dump() == before, "it changes the formulation")


@conformance_test(added_in="0.1")
def test_an_interrupted_run_is_not_held_up(subject: Subject) -> None:
    """After an interruption, or past the deadline, it answers or stops at once."""
    model = _models()["LP"]
    for changes in ({"cancel": cancelled()}, {"deadline": 0.0}):
        ctx = subject.context(**changes)
        within(
            5.0,
            "it",
            lambda c=ctx: error_of(  # type: ignore[misc]
                lambda: subject.target.classify(samples.problem(), model, AGENTS, c)
            ),
        )


@conformance_test(added_in="0.1")
def test_a_useless_language_model_is_not_believed(subject: Subject) -> None:
    """If its model fails, or names agents that do not exist, it ranks able agents or raises.

    A classifier that asks no language model passes.
    """
    for name, hampered in subject.with_useless_models():
        for kind, model in _models().items():
            able = _able(model, AGENTS)
            try:
                names = _names(_classify(hampered, model, AGENTS))
            except OrkernelError:
                continue
            wrong = sorted(set(names) - able)
            require(not wrong, f"{name}, {kind}: it names {', '.join(wrong)}")
            require(names, f"{name}, {kind}: it names nobody")
            require(len(names) == len(set(names)), f"{name}, {kind}: it names one twice")


class ClassifierConformance(Conformance, kind="classifiers", modules=(__name__,)):
    """What a classifier must do."""
