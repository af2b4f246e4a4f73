"""The README says what is true."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_transcript_is_what_the_command_prints() -> None:
    generate = runpy.run_path(str(ROOT / "docs" / "generate_transcript.py"))
    found = generate["BLOCK"].search(README)
    assert found is not None
    open_versions = generate["without_versions"]
    assert open_versions(found[2]) == open_versions(generate["transcript"]()), (
        "run `python docs/generate_transcript.py`"
    )


def test_both_commands_are_marked_for_continuous_integration() -> None:
    for name in ("run", "test"):
        (command,) = re.findall(
            rf"<!-- command: {name} -->\n```sh\n(.+)\n```\n<!-- end -->", README
        )
        assert "pip install" in command


def test_every_link_to_a_file_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (ROOT / target).exists(), target
