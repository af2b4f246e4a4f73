"""The run's language model as smolagents' agents want it.

Everything that an agent asks, and what agents under it ask, goes through the run's client: it is
repeated, limited, counted, recorded and replayed like any other call.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from smolagents.models import ChatMessage, MessageRole, Model
from smolagents.monitoring import TokenUsage

from orkernel.context import RunContext
from orkernel_llm.client import ModelClient
from orkernel_llm.conversation import Message, Prompt, Role

ROLES: Mapping[str, Role] = {
    "system": "system",
    "user": "user",
    "assistant": "assistant",
    "tool-call": "assistant",
    "tool-response": "user",
}


class AgentModel(Model):  # type: ignore[misc]
    """A smolagents model that asks a client.

    Args:
        client: Who asks.
        ctx: The run: its cancellation, deadline, ledger and folder count for every call.
        stage: The stage that the agent works for.
        prompt: Name and version of the agent's prompt, for the recording.
    """

    def __init__(
        self, client: ModelClient, ctx: RunContext, stage: str, prompt: str = "agent-1"
    ) -> None:
        super().__init__(model_id=client.name, flatten_messages_as_text=True)
        self._client = client
        self._ctx = ctx
        self._stage = stage
        self._prompt = prompt

    def generate(
        self,
        messages: list[Any],
        stop_sequences: list[str] | None = None,
        response_format: Mapping[str, Any] | None = None,
        tools_to_call_from: list[Any] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        """Ask once.

        Args:
            messages: The agent's conversation.
            stop_sequences: Texts at which the answer ends; they are not part of it.
            response_format: A JSON Schema in the wrapping of OpenAI's protocol.
            tools_to_call_from: Not supported: the agents here write code.
            kwargs: `max_tokens` is taken; other settings are those of the run.

        Raises:
            NotImplementedError: Tools are given.
        """
        if tools_to_call_from:
            raise NotImplementedError("this model calls no tools; use an agent that writes code")
        prompt = Prompt(
            name=self._prompt,
            stage=self._stage,
            messages=tuple(_message(message) for message in messages),
            schema=_schema(response_format),
            max_tokens=kwargs.get("max_tokens"),
            stop=tuple(stop_sequences or ()),
        )
        reply = self._client.ask(prompt, self._ctx)
        return ChatMessage(
            role=MessageRole.ASSISTANT,
            content=reply.text,
            token_usage=TokenUsage(reply.prompt_tokens, reply.completion_tokens),
        )


def _message(message: Any) -> Message:
    if isinstance(message, Mapping):
        message = ChatMessage.from_dict(dict(message))
    content = message.content
    parts = content if isinstance(content, list) else [{"text": content or ""}]
    role = ROLES[getattr(message.role, "value", message.role)]
    return Message(role, "\n".join(str(part.get("text", "")) for part in parts))


def _schema(response_format: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    if response_format is None:
        return None
    schema: Mapping[str, Any] = response_format["json_schema"]["schema"]
    return schema
