"""Packages as `orkernel new-plugin` makes them, one per kind, really built and installed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from orkernel.scaffold.kinds import PLUGIN_KINDS
from orkernel.scaffold.naming import LONGEST

NAMES = {
    "formulator": "plain-lines",
    "scorer": "quoted",
    "selector": "lambda",
    "classifier": "promise",
    "solver": "milp",
    "verifier": "sums2",
    "credit-rule": "x",
    "command": "tally",
    "observer": "l" * (LONGEST - 4) + "-log",
}
"""A name per kind: keywords, digits, one letter, and the longest are allowed."""


@dataclass(frozen=True)
class Workshop:
    """A folder with the nine packages, and one in which they are installed.

    Attributes:
        folder: Holds `orkernel-NAME` per kind.
        site: What pip installed.
    """

    folder: Path
    site: Path

    def package(self, word: str) -> Path:
        """The package of a kind."""
        return self.folder / f"orkernel-{NAMES[word]}"

    def python(
        self, *arguments: str, cwd: Path, timeout: float = 120, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        """Run Python where the packages are installed, in a home of their own."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ORKERNEL_")}
        home = {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config")}
        quiet = {"PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1", "COLUMNS": "100"}
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=cwd,
            env={**kept, **home, **quiet, "PYTHONPATH": str(self.site), **extra},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )


@pytest.fixture(scope="session")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Workshop:
    """All nine, made by the command and installed by pip from built wheels, offline."""
    folder = tmp_path_factory.mktemp("workshop")
    found = Workshop(folder, folder / "site")
    for word in PLUGIN_KINDS:
        done = found.python("-m", "orkernel", "new-plugin", word, NAMES[word], cwd=folder)
        assert done.returncode == 0, done.stderr
    flags = "-q --no-deps --no-build-isolation --no-index --disable-pip-version-check --target"
    packages = [str(found.package(word)) for word in PLUGIN_KINDS]
    done = found.python(
        "-m", "pip", "install", *flags.split(), str(found.site), *packages, cwd=folder
    )
    assert done.returncode == 0, done.stderr
    return found
