"""Options of every command that may ask a language model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def model_options(command: Decorated) -> Decorated:
    """Add --model, --base-url, --replay-model and --preset, named as in `orkernel.run`."""
    for decorate in (
        click.option(
            "--preset",
            metavar="NAME",
            help="Named choice of plugins: offline, checked (with --model), coopa.",
        ),
        click.option(
            "--replay-model",
            type=click.Path(path_type=Path, exists=True),
            metavar="DIR",
            help="Answer model calls from a run folder, or a folder of run folders.",
        ),
        click.option(
            "--base-url", metavar="URL", help="Address of an OpenAI-compatible or other server."
        ),
        click.option(
            "--model",
            metavar="ID",
            help="Language model: openai/NAME, litellm/NAME, hf/NAME, transformers/PATH, "
            "llamacpp/PATH, llamacpp/smollm2, MODULE:CLASS.",
        ),
    ):
        command = decorate(command)
    return command
