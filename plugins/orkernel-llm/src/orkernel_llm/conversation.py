"""What is put to a language model, and what comes back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    text: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """One question to the model.

    Attributes:
        name: Prompt file and version, e.g. `formulate-1`.
        stage: formulate | evaluate | classify | solve.
        messages: The conversation so far.
        schema: JSON Schema of the answer; None asks for plain text.
        max_tokens: Longest answer; None takes the option `model.max_tokens`.
        stop: Texts at which the answer ends; they are not part of it.
    """

    name: str
    stage: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None = None
    max_tokens: int | None = None
    stop: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """The model's answer.

    Attributes:
        text: The answer as it came.
        value: The JSON value in it if the prompt had a schema, else None; its shape is NOT
            checked.
        prompt_tokens: Tokens of the prompt.
        completion_tokens: Tokens of the answer.
        cost: USD; None where the price is not known.
        seconds: How long the model took; for a recorded answer, when it was recorded.
        recorded: True if the answer comes from a recording.
    """

    text: str
    value: Any
    prompt_tokens: int
    completion_tokens: int
    cost: float | None
    seconds: float
    recorded: bool


@dataclass(frozen=True, slots=True)
class Request:
    """A prompt with everything that decides the answer.

    Attributes:
        messages: The conversation.
        schema: JSON Schema of the answer, or None.
        temperature: Sampling temperature.
        seed: Seed of the sampling.
        max_tokens: Longest answer.
        stop: Texts at which the answer ends.
    """

    messages: tuple[Message, ...]
    schema: Mapping[str, Any] | None
    temperature: float
    seed: int | None
    max_tokens: int
    stop: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The canonical form, which recordings are matched by."""
        return {
            "messages": [{"role": m.role, "text": m.text} for m in self.messages],
            "schema": self.schema,
            "temperature": self.temperature,
            "seed": self.seed,
            "max_tokens": self.max_tokens,
            "stop": list(self.stop),
        }


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model said, before anybody judged it.

    Attributes:
        text: The answer.
        finish: Why it ended: stop | length | content_filter | tool_calls, or the server's own word.
        refusal: The model's words where it declined.
        tool_calls: True if it wants to call a tool.
        prompt_tokens: As counted by the server, or None.
        completion_tokens: As counted by the server, or None.
        cost: USD, or None where the price is not known.
    """

    text: str
    finish: str = "stop"
    refusal: str = ""
    tool_calls: bool = False
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cost: float | None = None
