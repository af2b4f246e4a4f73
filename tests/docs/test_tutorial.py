"""The tutorial is followed to the letter: its commands are run and its changes are made.

Only what needs a package index is replaced: orkernel and hatchling are there already, and
`pip install -e` here installs the package without its dependencies into a folder of its own.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(sh|diff)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FAILS = "  # fails"
PREAMBLE = """
pip() {
    case "$2" in orkernel*|hatchling) return;; esac
    "$PYTHON" -m pip install -q --no-deps --no-index --no-build-isolation \
        --disable-pip-version-check --target "$SITE" .
}
orkernel() { PYTHONPATH="src:$SITE" "$PYTHON" -m orkernel "$@"; }
pytest() { PYTHONPATH="src:$SITE" "$PYTHON" -m pytest -q -p no:cacheprovider \
    -k "linear_programs or integer_programs or conditions"; }
python() { "$PYTHON" "$@"; }
"""


class Reader:
    """Somebody who follows the tutorial in a folder of their own."""

    def __init__(self, folder: Path) -> None:
        self.home = self.folder = folder

    def run(self, command: str) -> subprocess.CompletedProcess[str]:
        """Type a command."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ORKERNEL_")}
        own = {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / "config"),
            "SITE": str(self.home / "site"),
            "PYTHON": sys.executable,
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        return subprocess.run(
            ["bash", "-euo", "pipefail", "-c", f"{PREAMBLE}\n{command}"],
            cwd=self.folder,
            env={**kept, **own},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def type(self, line: str) -> None:
        """Type one line of the tutorial; `# fails` says that it has to fail."""
        command = line.removesuffix(FAILS)
        if command.startswith("cd "):
            self.folder /= command.removeprefix("cd ")
            return
        if "bread.md" in command:
            shutil.copy(ROOT / "docs" / "examples" / "bakery.md", self.folder / "bread.md")
        done = self.run(command)
        assert (done.returncode != 0) == line.endswith(FAILS), (line, done.stdout, done.stderr)

    def change(self, diff: str) -> None:
        """Make one change of the tutorial: the old lines stand in the file exactly once."""
        head, *lines = diff.splitlines()
        file = self.folder / head.removeprefix("--- ")
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] in " -")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] in " +")
        text = file.read_text(encoding="utf-8")
        assert text.count(old) == 1, diff
        file.write_text(text.replace(old, new), encoding="utf-8")


def test_following_it_leads_to_a_plugin_that_works(tmp_path: Path) -> None:
    reader = Reader(tmp_path)
    blocks = BLOCK.findall(TUTORIAL)
    assert {kind for kind, _ in blocks} == {"sh", "diff"}
    for kind, text in blocks:
        if kind == "diff":
            reader.change(text)
            continue
        for line in text.splitlines():
            reader.type(line)
    built = sorted(path.name for path in (reader.folder / "dist").iterdir())
    assert built == [
        "orkernel_my_solver-0.1.0-py3-none-any.whl",
        "orkernel_my_solver-0.1.0.tar.gz",
    ]
    for check in ("check", "format --check"):
        done = reader.run(f'"$PYTHON" -m ruff {check} --no-cache .')
        assert done.returncode == 0, done.stdout
