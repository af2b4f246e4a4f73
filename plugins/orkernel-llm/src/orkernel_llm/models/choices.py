"""Reads the answers of client libraries that return objects in the manner of OpenAI's."""

from __future__ import annotations

from typing import Any

from smolagents.models import ChatMessage, MessageRole
from smolagents.monitoring import TokenUsage

from orkernel_llm.models.faults import NoAnswer


def first_choice(response: Any) -> ChatMessage:
    """The first choice of a response; `raw` is the whole of it.

    Raises:
        NoAnswer: There is no choice.
    """
    choices = getattr(response, "choices", None)
    if not choices:
        raise NoAnswer("the list of choices is empty")
    usage = getattr(response, "usage", None)
    return ChatMessage(
        role=MessageRole.ASSISTANT,
        content=choices[0].message.content,
        raw=response,
        token_usage=_usage(usage),
    )


def _usage(usage: Any) -> TokenUsage | None:
    counts = [getattr(usage, name, None) for name in ("prompt_tokens", "completion_tokens")]
    return TokenUsage(*counts) if all(isinstance(count, int) for count in counts) else None
