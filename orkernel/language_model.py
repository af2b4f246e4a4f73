"""Which language model a run asks, and how. Nothing here talks to one: plugins do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from orkernel.errors import UnknownName, UsageError
from orkernel.records import Option

if TYPE_CHECKING:
    from orkernel.config import Config

SECTION = "model"
"""Name under which its options are set: `-o model.temperature=0.2`, `[options.model]`."""

MODEL_OPTIONS = (
    Option("temperature", float, 0.0, "Sampling temperature."),
    Option("max_tokens", int, 4096, "Longest answer, in tokens."),
    Option("timeout", float, 120.0, "Seconds that one call may take."),
    Option("retries", int, 4, "How often a call that failed for a passing reason is repeated."),
    Option("concurrency", int, 8, "Calls at once."),
    Option("seed", int, None, "Seed of the model's sampling; the run's seed by default."),
    Option(
        "structured",
        str,
        "auto",
        "Whether the server is asked for answers that follow a JSON schema.",
        ("auto", "schema", "off"),
    ),
    Option("price_in", float, None, "USD for a million tokens of prompts."),
    Option("price_out", float, None, "USD for a million tokens of answers."),
)
"""Options of every language model."""
LEAST: Mapping[str, float] = {
    "temperature": 0.0,
    "max_tokens": 1,
    "timeout": 0.1,
    "retries": 0,
    "concurrency": 1,
    "price_in": 0.0,
    "price_out": 0.0,
}
"""Smallest values of the options that are quantities."""


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """The language model of a run.

    Attributes:
        name: What `--model` said: `openai/NAME`, `llamacpp/PATH`, `module:Class` and so on.
        base_url: Address of the server, or None for the provider's own.
        replay: Folder of recorded calls that are given instead of asking a model.
        options: A value for each of `MODEL_OPTIONS`.
    """

    name: str
    base_url: str | None = None
    replay: Path | None = None
    options: Mapping[str, Any] = field(
        default_factory=lambda: {option.name: option.default for option in MODEL_OPTIONS}
    )


def model_options(config: Config) -> dict[str, Any]:
    """A value for each of `MODEL_OPTIONS`, from the configuration.

    Raises:
        UnknownName: An option that no language model has.
        UsageError: A value of another type, or less than its quantity can be.
    """
    from orkernel.plugins.problems import near
    from orkernel.plugins.values import convert

    declared = {option.name: option for option in MODEL_OPTIONS}
    values: dict[str, Any] = {option.name: option.default for option in MODEL_OPTIONS}
    for key, (value, layer) in config.option_values(SECTION).items():
        if key not in declared:
            raise UnknownName(
                f"{layer.origin}: language models have no option '{key}'", fix=near(key, declared)
            )
        place = f"{layer.origin}: {SECTION}.{key}"
        values[key] = convert(declared[key], value, place)
        if key in LEAST and float(values[key]) < LEAST[key]:
            raise UsageError(f"{place}: {value} is too small", fix=f"give {LEAST[key]:g} or more")
    return values


def chosen_model(
    config: Config, name: str | None, base_url: str | None = None, replay: str | Path | None = None
) -> LanguageModel | None:
    """The language model of a run, or None if none is asked for.

    Args:
        config: Where its options are set.
        name: What `--model` said, or None.
        base_url: Address of its server, or None.
        replay: Folder of recorded calls, or None.

    Raises:
        UsageError: An address without a model, or an option that is wrong.
    """
    if name is None and replay is None:
        if base_url is not None:
            raise UsageError("--base-url needs a model", fix="add --model openai/NAME")
        return None
    folder = Path(replay) if replay is not None else None
    return LanguageModel(name or "", base_url, folder, model_options(config))


def without_credentials(url: str | None) -> str | None:
    """An address without user, password, query and fragment, fit to be written down."""
    if url is None:
        return None
    parts = urlsplit(url)
    host = parts.hostname or ""
    if ":" in host:
        host = f"[{host}]"
    if parts.port is not None:
        host = f"{host}:{parts.port}"
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
