"""Models behind Hugging Face's inference client."""

from __future__ import annotations

import math
import os
from typing import Any

from smolagents.models import ChatMessage, InferenceClientModel

from orkernel.language_model import without_credentials
from orkernel_llm.models.adapter import OpenedModel
from orkernel_llm.models.choices import first_choice
from orkernel_llm.models.secrets import secrets_of_url


def open_hf(name: str, model_id: str, base_url: str | None, timeout: float) -> OpenedModel:
    """A model of an inference provider, or of the endpoint at `base_url`.

    The token is `HF_TOKEN`, or the one that Hugging Face's own command has stored.
    """
    token = os.environ.get("HF_TOKEN") or ""
    return OpenedModel(
        model=StructuredInferenceModel(
            model_id, base_url=base_url, timeout=math.ceil(timeout), retry=False
        ),
        name=name,
        kind="hf",
        address=without_credentials(base_url) or "",
        secrets=tuple(secret for secret in (token, *secrets_of_url(base_url)) if secret),
    )


class StructuredInferenceModel(InferenceClientModel):  # type: ignore[misc]
    """smolagents' model, which passes on the shape of the answer that it is asked for."""

    def create_client(self) -> Any:
        """The client; its address takes the place of the model's name where there is one."""
        from huggingface_hub import InferenceClient

        settings = dict(self.client_kwargs)
        if settings["base_url"] is not None:
            del settings["model"]
        return InferenceClient(**settings)

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
            custom_role_conversions=self.custom_role_conversions,
            flatten_messages_as_text=True,
            **kwargs,
        )
        return first_choice(self.client.chat_completion(model=self.model_id, **request))
