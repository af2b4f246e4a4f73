"""From what `--model` says to a model that can be asked."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from importlib import import_module

from orkernel.errors import UsageError
from orkernel.language_model import LanguageModel
from orkernel_llm.failures import MissingPackage
from orkernel_llm.models.adapter import OpenedModel

FORMS = """openai/NAME (any server that speaks its protocol, with --base-url URL), litellm/NAME, \
hf/NAME, transformers/NAME_OR_PATH, llamacpp/PATH.gguf, llamacpp/smollm2, module:Class, \
module:Class/NAME"""

Opener = Callable[[str, str, str | None, float], OpenedModel]

KINDS: Mapping[str, tuple[str, tuple[str, ...], str]] = {
    "openai": ("openai_server:open_openai", ("openai",), "pip install openai"),
    "litellm": ("litellm_api:open_litellm", ("litellm",), "pip install 'orkernel-llm[litellm]'"),
    "hf": ("hugging_face:open_hf", ("huggingface_hub",), "pip install huggingface_hub"),
    "transformers": (
        "transformers_local:open_transformers",
        ("torch", "transformers", "accelerate"),
        "pip install 'orkernel-llm[transformers]'",
    ),
    "llamacpp": ("llamacpp:open_llamacpp", ("xllamacpp",), "pip install 'orkernel-llm[llamacpp]'"),
}
"""Per form: where it is opened (in this package), what must be importable, how to install that."""


def open_model(asked: LanguageModel) -> OpenedModel:
    """The model of a run.

    Raises:
        UsageError: The name has none of the known forms, the address is none of the web, or the
            model cannot be opened.
        MissingPackage: What reaches this kind of model is not installed.
    """
    if asked.base_url and not asked.base_url.lower().startswith(("http://", "https://")):
        raise UsageError(
            f"{asked.name}: --base-url is no address of a server",
            fix="start it with http:// or https://, e.g. http://localhost:8000/v1",
        )
    kind, slash, rest = asked.name.partition("/")
    timeout = float(asked.options["timeout"])
    if slash and rest and kind in KINDS:
        opener, needed, how = KINDS[kind]
        missing = [m for m in needed if importlib.util.find_spec(m) is None]
        if missing:
            raise MissingPackage(f"{asked.name} needs {', '.join(missing)}", fix=how)
        module, _, function = opener.partition(":")
        found: Opener = getattr(import_module(f"orkernel_llm.models.{module}"), function)
        return found(asked.name, rest, asked.base_url, timeout)
    if ":" in kind:
        from orkernel_llm.models.third_party import open_third_party

        return open_third_party(asked.name, kind, rest, asked.base_url)
    raise UsageError(f"'{asked.name}' is no language model", fix=f"write one of: {FORMS}")
