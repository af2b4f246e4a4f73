"""Weights that the transformers library runs in this process."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import torch
from smolagents.models import ChatMessage, TransformersModel
from transformers import StoppingCriteria, StoppingCriteriaList

from orkernel.errors import UsageError
from orkernel_llm.failures import UnknownModel, excerpt
from orkernel_llm.models.adapter import OpenedModel
from orkernel_llm.models.stopping import Abandoned, Stop

_loaded: dict[str, LocalModel] = {}
_loading = threading.Lock()


def open_transformers(
    name: str, model_id: str, base_url: str | None, timeout: float
) -> OpenedModel:
    """A model by its name at Hugging Face, or from a folder.

    Raises:
        UsageError: An address or a GGUF file is named, which other forms are for.
        UnknownModel: The weights cannot be loaded.
    """
    del timeout
    if base_url is not None:
        raise UsageError(
            f"{name} runs in this process and has no address", fix="leave --base-url out"
        )
    if model_id.endswith(".gguf"):
        raise UsageError(f"{name} is a GGUF file", fix=f"write llamacpp/{model_id}")
    with _loading:
        if model_id not in _loaded:
            _loaded[model_id] = _load(name, model_id)
        model = _loaded[model_id]
    return OpenedModel(model=model, name=name, kind="transformers", free=True, at_once=1, shape="")


def _load(name: str, model_id: str) -> LocalModel:
    path = Path(model_id).expanduser()
    try:
        return LocalModel(str(path) if path.exists() else model_id)
    except Exception as error:
        raise UnknownModel(
            f"{name}: the weights cannot be loaded: {excerpt(str(error))}",
            fix="give a name at Hugging Face, whose download needs the network, or a folder",
        ) from error


class _Given(StoppingCriteria):  # type: ignore[misc]
    """Ends the sampling once nobody waits for the answer any more."""

    def __init__(self, until: Stop) -> None:
        self._until = until

    def __call__(self, input_ids: Any, scores: Any, **kwargs: Any) -> Any:
        return torch.full((len(input_ids),), self._until.asked, dtype=torch.bool)


class LocalModel(TransformersModel):  # type: ignore[misc]
    """smolagents' model with the settings of a call in transformers' own words."""

    def __init__(self, model_id: str) -> None:
        super().__init__(model_id)
        self._one_at_a_time = threading.Lock()
        self._until: Stop | None = None

    def generate(
        self,
        messages: list[Any],
        stop_sequences: list[str] | None = None,
        response_format: dict[str, Any] | None = None,
        tools_to_call_from: list[Any] | None = None,
        until: Stop | None = None,
        max_tokens: int = 4096,
        temperature: float | None = None,
        seed: int | None = None,
    ) -> ChatMessage:
        """Ask once; the shape of the answer cannot be asked for.

        Raises:
            Abandoned: Nobody waits for the answer any more.
        """
        del response_format
        settings: dict[str, Any] = {"max_new_tokens": max_tokens, "do_sample": bool(temperature)}
        if temperature:
            settings["temperature"] = temperature
        with self._one_at_a_time:
            if until is not None:
                until.check()
            if seed is not None:
                torch.manual_seed(seed)
            self._until = until
            answer = super().generate(
                messages, stop_sequences, None, tools_to_call_from, **settings
            )
        if until is not None and until.asked:
            raise Abandoned
        is_cut = answer.token_usage.output_tokens >= max_tokens
        answer.raw = {"choices": [{"finish_reason": "length" if is_cut else "stop"}]}
        return answer

    def _prepare_completion_args(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        prepared: dict[str, Any] = super()._prepare_completion_args(*args, **kwargs)
        criteria = prepared["stopping_criteria"] or StoppingCriteriaList()
        if self._until is not None:
            criteria.append(_Given(self._until))
        prepared["stopping_criteria"] = criteria
        return prepared
