"""Makes the test support importable, and runs that ask a language model easy to make."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orkernel.context import RunContext
from orkernel.language_model import MODEL_OPTIONS, LanguageModel

SUPPORT = str(Path(__file__).parent / "support")
if SUPPORT not in sys.path:
    sys.path.insert(0, SUPPORT)


def _context(
    name: str,
    *,
    base_url: str | None = None,
    replay: Path | None = None,
    folder: Path | None = None,
    options: dict[str, Any] | None = None,
    **fields: Any,
) -> RunContext:
    chosen = {option.name: option.default for option in MODEL_OPTIONS} | (options or {})
    model = LanguageModel(name, base_url=base_url, replay=replay, options=chosen)
    return RunContext(language_model=model, folder=folder, **fields)


@pytest.fixture(scope="session")
def context_of() -> Callable[..., RunContext]:
    """Makes the context of a run that asks the named model; `options` are those of the model."""
    return _context


@pytest.fixture(autouse=True)
def _no_keys_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees a key or an address of the machine it runs on."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HF_TOKEN", "ANTHROPIC_API_KEY"):
        monkeypatch.delenv(name, raising=False)
