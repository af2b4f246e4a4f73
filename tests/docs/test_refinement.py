"""The page on refinement is what replaying its recording gives."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_what_the_recording_gives() -> None:
    done = subprocess.run(
        [sys.executable, "docs/generate_refinement.py", "--check"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    hint = "run `python docs/generate_refinement.py` (with --record after a change of prompts)"
    assert done.returncode == 0, f"{done.stdout}{done.stderr}\n{hint}"
