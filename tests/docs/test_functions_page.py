"""The algebra page lists every reserved function as it is."""

from __future__ import annotations

import runpy
from pathlib import Path

DOCS = Path(__file__).parent.parent.parent / "docs"


def test_the_table_of_functions_is_up_to_date() -> None:
    generate = runpy.run_path(str(DOCS / "generate_functions.py"))
    text = (DOCS / "algebra.md").read_text(encoding="utf-8")
    assert generate["page"](text) == text, "run `python docs/generate_functions.py`"
