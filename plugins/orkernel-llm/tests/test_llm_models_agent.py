"""smolagents' agents reach the model of the run through its client."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from llm_scripted_model import scripted
from smolagents import CodeAgent, Tool
from smolagents.models import ChatMessage, MessageRole
from smolagents.monitoring import LogLevel

from orkernel.context import RunContext
from orkernel.records import Event
from orkernel_llm.agent_model import AgentModel
from orkernel_llm.client import client_of

Contexts = Callable[..., RunContext]


def code(text: str) -> str:
    return f"Thought: go on.\n<code>\n{text}\n</code>"


def agent(ctx: RunContext, *managed: CodeAgent, name: str | None = None) -> CodeAgent:
    model = AgentModel(client_of(ctx), ctx, "solve", "code-1")
    return CodeAgent(
        tools=[],
        model=model,
        managed_agents=list(managed),
        name=name,
        description="Counts." if name else None,
        verbosity_level=LogLevel.OFF,
        max_steps=3,
    )


def test_agent_and_the_agent_under_it_are_counted_recorded_and_told(
    context_of: Contexts, tmp_path: Path
) -> None:
    events: list[Event] = []
    name, model = scripted(
        [
            code("count = helper(task='count to three')\nprint(count)"),
            code("final_answer(3)"),
            code("final_answer(4)"),
        ]
    )
    ctx = context_of(name, folder=tmp_path, emit=events.append)
    assert agent(ctx, agent(ctx, name="helper")).run("How many?") == 4
    assert len(model.seen) == 3
    assert ctx.ledger.calls == 3
    assert ctx.ledger.prompt_tokens > 100
    assert len(list((tmp_path / "calls").iterdir())) == 3
    assert {e.stage for e in events} == {"solve"}
    assert [e.kind for e in events] == ["model.started", "model.finished"] * 3


def test_agent_is_replayed_without_its_model(context_of: Contexts, tmp_path: Path) -> None:
    name, model = scripted([code("x = 1 + 1"), code("final_answer(x)")])
    ctx = context_of(name, folder=tmp_path)
    assert agent(ctx).run("How many?") == 2
    ctx = context_of("", replay=tmp_path)
    assert agent(ctx).run("How many?") == 2
    assert len(model.seen) == 2
    assert ctx.ledger.calls == 2


def test_answer_ends_before_the_words_that_stop_it(context_of: Contexts) -> None:
    name, model = scripted(["one STOP two HALT three"])
    ctx = context_of(name)
    asked = [ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": "go"}])]
    answer = AgentModel(client_of(ctx), ctx, "solve").generate(asked, ["HALT", "STOP"])
    assert answer.content == "one "
    assert model.seen[0].settings["stop_sequences"] == ["HALT", "STOP"]


def test_roles_of_tools_become_roles_that_every_server_knows(context_of: Contexts) -> None:
    name, model = scripted(["ok"])
    ctx = context_of(name)
    roles = [MessageRole.SYSTEM, MessageRole.USER, MessageRole.TOOL_CALL, MessageRole.TOOL_RESPONSE]
    asked = [ChatMessage(role=role, content=role.value) for role in roles]
    AgentModel(client_of(ctx), ctx, "solve").generate(asked)
    turns = model.seen[0].messages
    assert [(t.role, t.text) for t in turns] == [
        ("system", "system"),
        ("user", "user"),
        ("assistant", "tool-call"),
        ("user", "tool-response"),
    ]


class Adder(Tool):
    name = "adder"
    description = "Adds."
    inputs = {"a": {"type": "number", "description": "a number"}}  # noqa: RUF012
    output_type = "number"

    def forward(self, a: float) -> float:
        return a + 1


def test_tools_to_call_are_refused_instead_of_ignored(context_of: Contexts) -> None:
    name, _ = scripted(["ok"])
    ctx = context_of(name)
    asked = [ChatMessage(role=MessageRole.USER, content="go")]
    with pytest.raises(NotImplementedError, match="calls no tools"):
        AgentModel(client_of(ctx), ctx, "solve").generate(asked, tools_to_call_from=[Adder()])
