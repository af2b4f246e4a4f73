"""Any server that speaks OpenAI's chat-completions protocol."""

from __future__ import annotations

import json
import os
from functools import lru_cache
from typing import Any

from smolagents.models import ChatMessage, MessageRole, OpenAIModel
from smolagents.monitoring import TokenUsage

from orkernel.language_model import without_credentials
from orkernel_llm.failures import BadCredentials, excerpt
from orkernel_llm.models.adapter import OpenedModel
from orkernel_llm.models.faults import NoAnswer, NotAModelServer
from orkernel_llm.models.secrets import secrets_of_url
from orkernel_llm.models.stopping import Stop

NO_KEY = "none"
"""What a local server without keys is sent, as the client insists on sending something."""
LARGEST_BODY = 16 * 1024 * 1024
"""Bytes of an answer, its envelope included."""


def open_openai(name: str, model_id: str, base_url: str | None, timeout: float) -> OpenedModel:
    """A model behind `base_url`, `OPENAI_BASE_URL`, or OpenAI itself.

    Raises:
        BadCredentials: OpenAI itself is meant and there is no key.
    """
    address = base_url or os.environ.get("OPENAI_BASE_URL") or ""
    key = os.environ.get("OPENAI_API_KEY") or ""
    if not key and not address:
        raise BadCredentials(
            f"{name}: there is no key for OpenAI",
            fix="set OPENAI_API_KEY, or name a server of your own with --base-url URL",
        )
    return _opened(name, model_id, address, key, timeout)


@lru_cache(maxsize=64)
def _opened(name: str, model_id: str, address: str, key: str, timeout: float) -> OpenedModel:
    """Shared by all runs of the process: its connections, and what the server turned down."""
    model = OpenAICompatibleModel(
        model_id,
        api_base=address or None,
        api_key=key or NO_KEY,
        client_kwargs={"max_retries": 0, "timeout": timeout},
        retry=False,
    )
    return OpenedModel(
        model=model,
        name=name,
        kind="openai",
        address=without_credentials(address) or "",
        secrets=tuple(secret for secret in (key, *secrets_of_url(address)) if secret),
    )


class OpenAICompatibleModel(OpenAIModel):  # type: ignore[misc]
    """smolagents' model, reading what servers really answer.

    The body is read piece by piece, so that a drip or a flood ends when nobody waits for it any
    more; a missing `usage`, an empty list of choices and pages that are no JSON are told apart.
    """

    def generate(
        self,
        messages: list[Any],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, Any] | None = None,
        tools_to_call_from: list[Any] | None = None,
        until: Stop | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        """Ask once.

        Raises:
            NoAnswer: The list of choices is empty.
            NotAModelServer: What came is no answer of this protocol.
        """
        request = self._prepare_completion_kwargs(
            messages=messages,
            stop_sequences=stop_sequences,
            response_format=response_format,
            tools_to_call_from=tools_to_call_from,
            model=self.model_id,
            custom_role_conversions=self.custom_role_conversions,
            flatten_messages_as_text=True,
            **kwargs,
        )
        create = self.client.chat.completions.with_streaming_response.create
        with create(**request) as response:
            return message_of(_read(response, until))


def _read(response: Any, until: Stop | None) -> bytes:
    body = bytearray()
    for piece in response.iter_bytes():
        if until is not None:
            until.check()
        body += piece
        if len(body) > LARGEST_BODY:
            raise NotAModelServer(f"more than {LARGEST_BODY // 2**20} MB came")
    return bytes(body)


def message_of(body: bytes) -> ChatMessage:
    """A chat completion's first choice; `raw` is the whole of it."""
    text = body.decode("utf-8", errors="replace").strip()
    try:
        raw = json.loads(text.removeprefix("\ufeff"))
        choices = raw["choices"]
        message = choices[0]["message"] if choices else None
    except (ValueError, RecursionError, KeyError, TypeError, IndexError) as error:
        raise NotAModelServer(
            f"it answered {excerpt(text)!r}" if text else "it answered nothing"
        ) from error
    if not isinstance(message, dict):
        raise NoAnswer("the list of choices is empty")
    usage = raw.get("usage")
    return ChatMessage(
        role=MessageRole.ASSISTANT,
        content=message.get("content"),
        raw=raw,
        token_usage=_usage(usage),
    )


def _usage(usage: Any) -> TokenUsage | None:
    if not isinstance(usage, dict):
        return None
    counts = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if not all(isinstance(count, int) and count >= 0 for count in counts):
        return None
    return TokenUsage(input_tokens=counts[0], output_tokens=counts[1])
