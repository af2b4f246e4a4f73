"""Providers that litellm reaches: Anthropic, Gemini, Bedrock and many more."""

from __future__ import annotations

import os
from typing import Any

from smolagents.models import ChatMessage, LiteLLMModel

from orkernel.language_model import without_credentials
from orkernel_llm.models.adapter import OpenedModel
from orkernel_llm.models.choices import first_choice
from orkernel_llm.models.secrets import secrets_of_url

NO_KEY = "none"
"""What a server of one's own is sent, as litellm insists on a key."""


def open_litellm(name: str, model_id: str, base_url: str | None, timeout: float) -> OpenedModel:
    """A model by its name for litellm; the keys are the providers' environment variables."""
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
    import litellm

    litellm.suppress_debug_info = True
    litellm.telemetry = False
    is_local = (
        base_url is not None
        and model_id.startswith("openai/")
        and not os.environ.get("OPENAI_API_KEY")
    )
    return OpenedModel(
        model=QuietLiteLLMModel(
            model_id,
            api_base=base_url,
            api_key=NO_KEY if is_local else None,
            retry=False,
            num_retries=0,
            max_retries=0,
            timeout=timeout,
        ),
        name=name,
        kind="litellm",
        address=without_credentials(base_url) or "",
        secrets=secrets_of_url(base_url),
        price=price_of,
    )


def price_of(response: Any) -> float | None:
    """USD of a call by litellm's price list; None for models that are not on it."""
    import litellm

    try:
        price = float(litellm.completion_cost(completion_response=response))
    except Exception:
        return None
    return price if price > 0 else None


class QuietLiteLLMModel(LiteLLMModel):  # type: ignore[misc]
    """smolagents' model, reading answers without choices or counts."""

    def generate(
        self,
        messages: list[Any],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, Any] | None = None,
        tools_to_call_from: list[Any] | None = None,
        **kwargs: Any,
    ) -> ChatMessage:
        """Ask once."""
        request = self._prepare_completion_kwargs(
            messages=messages,
            stop_sequences=stop_sequences,
            response_format=response_format,
            tools_to_call_from=tools_to_call_from,
            model=self.model_id,
            api_base=self.api_base,
            api_key=self.api_key,
            custom_role_conversions=self.custom_role_conversions,
            flatten_messages_as_text=True,
            **kwargs,
        )
        return first_choice(self.client.completion(**request))
