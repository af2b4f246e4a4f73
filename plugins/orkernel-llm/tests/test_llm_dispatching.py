"""The model orders equally strong agents; it can neither add, lose nor promote one."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llm_scripted_model import Answer, scripted

from orkernel.context import RunContext
from orkernel.errors import Cancelled, UsageError
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Capability, Classification, Event, Guarantee, Problem, SolverAgentSpec
from orkernel.testing.language_models import USELESS, name_of
from orkernel_llm.dispatching.choice import read_choice, schema
from orkernel_llm.dispatching.classifier import LlmClassifier, structure_text
from orkernel_llm.dispatching.ranking import is_open, merged, strengths
from orkernel_llm.failures import Malformed

Contexts = Callable[..., RunContext]
LP = frozenset({Capability.CONTINUOUS, Capability.LINEAR})
MIP = LP | {Capability.INTEGER}
STATEMENT = "A kiln fires bowls and plates. Maximize bowls plus plates; at most 7 fit."


def agent(
    name: str, guarantee: Guarantee = Guarantee.GLOBAL, supports: Any = MIP
) -> SolverAgentSpec:
    return SolverAgentSpec(
        name=name,
        target="nowhere:Agent",
        supports=(supports,),
        guarantee=guarantee,
        summary=f"{name} solves things",
    )


AGENTS = (
    agent("alder"),
    agent("birch"),
    agent("cedar"),
    agent("dogwood", Guarantee.LOCAL),
    agent("elm", Guarantee.HEURISTIC),
    agent("fir", Guarantee.HEURISTIC),
    agent("gorse", supports=LP),
)
ABLE = ("alder", "birch", "cedar", "dogwood", "elm", "fir")


def model() -> Model:
    return Model.bind(
        Formulation.model_validate(
            {
                "variables": [
                    {"name": "bowls", "domain": "integer"},
                    {"name": "plates", "domain": "integer"},
                ],
                "objectives": [
                    {"name": "pieces", "sense": "maximize", "expression": "bowls + plates"}
                ],
                "constraints": [{"name": "room", "expression": "bowls + plates <= 7"}],
            }
        )
    )


def said(*names: str, kind: str = "small packing") -> str:
    agents = [{"reason": f"{name} suits it", "name": name} for name in names]
    return json.dumps({"kind": kind, "agents": agents})


class Asked:
    """A classifier with a scripted model."""

    def __init__(self, context_of: Contexts, *answers: Answer) -> None:
        name, self.model = scripted(answers)
        self.events: list[Event] = []
        self.ctx = context_of(name, options={"retries": 0}, emit=self.events.append)

    def classify(self, agents: Any = AGENTS) -> Classification:
        return LlmClassifier().classify(Problem(STATEMENT), model(), agents, self.ctx)

    def told(self, kind: str) -> list[str]:
        return [event.message for event in self.events if event.kind == kind]


def names(found: Classification) -> tuple[str, ...]:
    return tuple(ranked.name for ranked in found.agents)


def reasons(found: Classification) -> dict[str, str]:
    return {ranked.name: ranked.reason for ranked in found.agents}


def test_the_model_orders_equally_strong_agents_with_its_reasons(context_of: Contexts) -> None:
    found = Asked(context_of, said("cedar", "alder", "birch")).classify()
    assert names(found) == ("cedar", "alder", "birch", "dogwood", "elm", "fir")
    assert found.kind == "small packing"
    assert reasons(found)["cedar"] == "global guarantee; cedar suits it"


def test_no_whim_puts_a_weaker_agent_first(context_of: Contexts) -> None:
    found = Asked(context_of, said("fir", "dogwood", "birch")).classify()
    assert names(found) == ("birch", "alder", "cedar", "dogwood", "fir", "elm")


def test_agents_left_out_follow_by_name_and_say_so(context_of: Contexts) -> None:
    found = Asked(context_of, said("cedar")).classify()
    assert names(found) == ("cedar", "alder", "birch", "dogwood", "elm", "fir")
    assert reasons(found)["alder"] == "global guarantee; not named by the language model"


def test_agents_that_do_not_exist_or_cannot_take_the_model_are_dropped_and_noted(
    context_of: Contexts,
) -> None:
    asked = Asked(context_of, said("gurobi", "gorse", "cedar"))
    found = asked.classify()
    assert sorted(names(found)) == sorted(ABLE)
    assert "gurobi, gorse" in found.agents[0].reason
    assert "gurobi, gorse" in asked.told("classify.dropped")[0]


def test_names_count_without_regard_to_case_and_repetitions_once(context_of: Contexts) -> None:
    found = Asked(context_of, said(" CEDAR ", "cedar", "Birch")).classify()
    assert names(found)[:3] == ("cedar", "birch", "alder")


def test_the_prompt_shows_statement_structure_and_only_able_agents(context_of: Contexts) -> None:
    asked = Asked(context_of, said("cedar"))
    asked.classify()
    text = "\n".join(turn.text for turn in asked.model.seen[0].messages)
    for part in (
        STATEMENT,
        "needs: integer, linear",
        "columns 2",
        "- elm (heuristic guarantee): elm",
    ):
        assert part in text, part
    assert "gorse" not in text
    shape = asked.model.seen[0].settings["response_format"]["json_schema"]["schema"]
    assert tuple(shape["properties"]["agents"]["items"]["properties"]["name"]["enum"]) == ABLE


def test_the_order_in_which_agents_are_given_does_not_reach_the_model(
    context_of: Contexts,
) -> None:
    one, two = (Asked(context_of, said("cedar")) for _ in range(2))
    assert one.classify(AGENTS) == two.classify(AGENTS[::-1])
    assert one.model.seen[0].messages == two.model.seen[0].messages


@pytest.mark.parametrize("agents", [AGENTS[:1], AGENTS[2:5], (AGENTS[6],), ()])
def test_where_there_is_nothing_to_choose_the_model_is_not_asked(
    context_of: Contexts, agents: Any
) -> None:
    asked = Asked(context_of, said("cedar"))
    found = asked.classify(agents)
    assert names(found) == tuple(a.name for a in agents if a.name in ABLE)
    assert asked.model.seen == []
    assert all("nothing to choose" in ranked.reason for ranked in found.agents)


@pytest.mark.parametrize(
    "given",
    [
        RuntimeError("out of order"),
        *("", "birch, I think", "{}", "[]", "null", said()[:20], said(), said("gurobi")),
        json.dumps({"kind": 3, "agents": {"name": "birch"}}),
    ],
)
def test_a_useless_answer_falls_back_on_the_guarantees_and_says_so(
    context_of: Contexts, given: Answer
) -> None:
    asked = Asked(context_of, given)
    found = asked.classify()
    assert names(found) == ABLE
    assert all("the language model gave no ranking: " in r.reason for r in found.agents)
    assert found.kind == "integer linear"
    assert asked.told("classify.fallback")
    assert len(asked.model.seen) == 1


@pytest.mark.parametrize("useless", USELESS)
def test_no_useless_model_loses_an_agent(context_of: Contexts, useless: type) -> None:
    ctx = context_of(name_of(useless), options={"retries": 0})
    found = LlmClassifier().classify(Problem(STATEMENT), model(), AGENTS, ctx)
    assert names(found) == ABLE


def test_without_a_model_it_says_how_to_name_one() -> None:
    with pytest.raises(UsageError, match="--model"):
        LlmClassifier().classify(Problem(STATEMENT), model(), AGENTS, RunContext())


def test_an_interruption_is_no_failure_of_the_model(context_of: Contexts) -> None:
    asked = Asked(context_of, said("cedar"))
    asked.ctx.cancel.set()
    with pytest.raises(Cancelled):
        asked.classify()


def test_bare_names_are_taken_for_agents(context_of: Contexts) -> None:
    found = Asked(context_of, '{"kind": "x", "agents": ["birch", "alder"]}').classify()
    assert names(found)[:2] == ("birch", "alder")


def test_structure_is_told_in_lines() -> None:
    assert structure_text(model()).splitlines()[:3] == [
        "needs: integer, linear",
        "objectives: linear",
        "constraints: linear",
    ]


def test_an_exact_agent_stands_before_others_however_it_is_named() -> None:
    strength = strengths(model(), AGENTS)
    assert is_open(strength)
    assert [r.name for r in merged(strength, {"elm": "x"})] == [*ABLE[:4], "elm", "fir"]


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.sampled_from([*ABLE, "gorse", "\x1b", "x" * 300]),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from(["agents", "name", "reason", "kind", "z"]), inner)
    ),
    max_leaves=25,
)


@settings(max_examples=300, deadline=None)
@given(json_values)
def test_any_json_gives_a_choice_among_the_agents_or_a_told_failure(value: Any) -> None:
    try:
        choice = read_choice(value, ABLE, "text", "a/model")
    except Malformed as error:
        choice, message = None, error.message
    if choice is None:
        assert message.startswith("a/model: ")
        return
    assert set(choice.reasons) <= set(ABLE)
    strength = strengths(model(), AGENTS)
    ranked = merged(strength, choice.reasons)
    order = [list(Guarantee).index(strength[r.name]) for r in ranked]
    assert sorted(r.name for r in ranked) == sorted(ABLE)
    assert order == sorted(order)
    assert all(r.reason.isprintable() for r in ranked)


def test_the_schema_is_strict_as_servers_want_it() -> None:
    found = schema(ABLE)
    inner = found["properties"]["agents"]["items"]
    for part in (found, inner):
        assert part["additionalProperties"] is False
        assert part["required"] == list(part["properties"])
