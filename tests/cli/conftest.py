"""Running the real command in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest


class Command:
    """Runs `orkernel` in a working folder, with a home of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def environment(self, **extra: str) -> dict[str, str]:
        """The variables of the child process."""
        kept = {k: v for k, v in os.environ.items() if not k.startswith("ORKERNEL_")}
        home = {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / "config")}
        return {**kept, **home, "COLUMNS": "120", "NO_COLOR": "1", **extra}

    def start(self, *arguments: str, **extra: str) -> subprocess.Popen[str]:
        """Start the command in the background, in a process group of its own."""
        return subprocess.Popen(
            [sys.executable, "-m", "orkernel", *arguments],
            cwd=self.folder,
            env=self.environment(**extra),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # as nohup leaves it
        )

    def __call__(
        self, *arguments: str, stdin: str | None = None, **extra: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the command to its end."""
        return subprocess.run(
            [sys.executable, "-m", "orkernel", *arguments],
            cwd=self.folder,
            env=self.environment(**extra),
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def json(self, *arguments: str, code: int = 0, **extra: str) -> Any:
        """Run with `--json`, check the exit code, and return what was printed."""
        done = self(*arguments, "--json", **extra)
        assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
        return json.loads(done.stdout)

    def write(self, name: str, content: str | bytes | Mapping[str, Any]) -> str:
        """Write a file of the working folder and return its name."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_text(content, encoding="utf-8")
        else:
            path.write_text(json.dumps(content), encoding="utf-8")
        return name


@pytest.fixture
def orkernel(tmp_path: Path) -> Command:
    """The command in an empty folder."""
    return Command(tmp_path)


@pytest.fixture
def wyndor() -> dict[str, Any]:
    """The Wyndor Glass problem (Hillier and Lieberman): optimum 36."""
    return {
        "schema_version": 1,
        "title": "Wyndor",
        "variables": [{"name": "x1"}, {"name": "x2"}],
        "objectives": [{"name": "profit", "sense": "maximize", "expression": "3*x1 + 5*x2"}],
        "constraints": [
            {"name": "plant 1", "expression": "x1 <= 4"},
            {"name": "plant 2", "expression": "2*x2 <= 12"},
            {"name": "plant 3", "expression": "3*x1 + 2*x2 <= 18"},
        ],
        "results": [{"name": "units in all", "expression": "x1 + x2"}],
    }


Runner = Callable[..., subprocess.CompletedProcess[str]]
