"""Write the transcript in README.md by running its command.

python docs/generate_transcript.py           rewrites the transcript
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
EXAMPLE = "docs/examples/bakery.md"
BLOCK = re.compile(r"(```console\n\$ orkernel run .*?\n)(.*?)(\n```)", re.DOTALL)


def transcript() -> str:
    """What `orkernel run` prints to standard output, the run folder's line left out."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, "-m", "orkernel", "run", str(ROOT / EXAMPLE)],
            cwd=folder,
            env={**os.environ, "COLUMNS": "100", "NO_COLOR": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    kept = [line for line in lines if not line.startswith("run folder:")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def without_versions(text: str) -> str:
    """The text with solver versions left open."""
    return re.sub(r"\d+\.\d+\.\d+", "X.Y.Z", text)


if __name__ == "__main__":
    text = README.read_text(encoding="utf-8")
    README.write_text(BLOCK.sub(lambda m: m[1] + transcript() + m[3], text), encoding="utf-8")
