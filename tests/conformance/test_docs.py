"""The pages made from records and conformance runs are those of the installed plugins."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parent.parent.parent / "docs"


@pytest.fixture(scope="module")
def scoreboard() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "generate_conformance.py"))


def test_the_capability_matrix_is_up_to_date() -> None:
    generate = runpy.run_path(str(DOCS / "generate_capabilities.py"))
    text = (DOCS / "capabilities.md").read_text(encoding="utf-8")
    assert generate["page"]() == text, "run `python docs/generate_capabilities.py`"


def test_the_scoreboard_has_every_conformance_class_and_test(scoreboard: dict[str, Any]) -> None:
    """A plugin's own strict tests prove each entry: what is not listed there must pass."""
    snapshot = json.loads((DOCS / "conformance_scoreboard.json").read_text("utf-8"))
    expected = {scoreboard["title"](c): scoreboard["promised"](c) for c in scoreboard["classes"]()}
    assert snapshot == expected, "run `python docs/generate_conformance.py`"


def test_the_scoreboard_page_shows_the_snapshot(scoreboard: dict[str, Any]) -> None:
    snapshot = json.loads((DOCS / "conformance_scoreboard.json").read_text("utf-8"))
    text = (DOCS / "conformance_scoreboard.md").read_text("utf-8")
    assert scoreboard["page"](snapshot) == text, "run `python docs/generate_conformance.py`"


def test_nothing_fails_on_the_scoreboard_without_a_reason() -> None:
    snapshot = json.loads((DOCS / "conformance_scoreboard.json").read_text("utf-8"))
    words = {word for tests in snapshot.values() for word in tests.values()}
    assert all(w in ("passes", "refuses") or w.startswith("expected failure: ") for w in words)
