"""The bench folder: what was asked, every outcome as it becomes known, and the summary.

bench.json        data, settings, versions
outcomes.jsonl    one outcome a line
runs/             run folders of the items, where they are kept
summary.json  summary.md
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orkernel.bench.results import Result
from orkernel.errors import UsageError
from orkernel.runs import no_constant, slug, write_atomically

SCHEMA = 1
PLAN = "bench.json"
OUTCOMES = "outcomes.jsonl"


@dataclass(slots=True)
class BenchFolder:
    """One bench's folder."""

    path: Path

    @classmethod
    def create(cls, path: Path, plan: Mapping[str, Any]) -> BenchFolder:
        """Make the folder before the work, so that no work is lost for want of it.

        Raises:
            UsageError: It cannot be written, or holds a bench already.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            if (path / PLAN).exists() or (path / OUTCOMES).exists():
                raise UsageError(
                    f"{path} holds a bench already",
                    fix=f"go on with `orkernel bench --resume {path}`, or choose another folder",
                )
            write_atomically(path / PLAN, json.dumps({"schema": SCHEMA, **plan}, indent=1) + "\n")
            (path / OUTCOMES).touch()
        except OSError as error:
            raise UsageError(
                f"cannot write into {path}: {error.strerror or error}",
                fix="choose another folder with --out DIR",
            ) from error
        return cls(path)

    @classmethod
    def open(cls, path: Path) -> BenchFolder:
        """An existing bench folder.

        Raises:
            UsageError: It is none.
        """
        if not (path / PLAN).is_file():
            raise UsageError(f"{path} is not a bench folder", fix="make one with --out DIR")
        return cls(path)

    def plan(self) -> dict[str, Any]:
        """What was asked.

        Raises:
            UsageError: The file is damaged.
        """
        try:
            text = (self.path / PLAN).read_text(encoding="utf-8")
            value: dict[str, Any] = json.loads(text, parse_constant=no_constant)
            if value["schema"] != SCHEMA:
                raise ValueError(f"its schema is {value['schema']}, this version reads {SCHEMA}")
            for key in ("data", "settings", "versions", "asked"):
                value[key]
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            raise UsageError(
                f"{self.path / PLAN} is damaged: {error}", fix="begin again with another --out DIR"
            ) from error
        return value

    def results(self) -> list[Result]:
        """The outcomes so far; a last line that a crash has cut off is left out and removed.

        Raises:
            UsageError: The file is damaged; names the line.
        """
        path = self.path / OUTCOMES
        lines = path.read_bytes().splitlines(keepends=True) if path.exists() else []
        whole = [line for line in lines if line.endswith(b"\n")]
        if len(whole) < len(lines):
            write_atomically(path, b"".join(whole))
        found = []
        for number, line in enumerate(whole, start=1):
            try:
                value = json.loads(line, parse_constant=no_constant)
                found.append(Result.from_json(value))
            except (ValueError, TypeError, RecursionError) as error:
                raise UsageError(
                    f"{path} line {number} is damaged: {error}",
                    fix="remove the line; its item is then answered again",
                ) from error
        return found

    def append(self, outcome: Mapping[str, Any]) -> None:
        """Add one outcome.

        Raises:
            OSError: The disk is full.
        """
        with (self.path / OUTCOMES).open("a", encoding="utf-8") as file:
            file.write(json.dumps(outcome, allow_nan=False) + "\n")

    def finish(
        self, outcomes: Sequence[Mapping[str, Any]], summary: Mapping[str, Any], markdown: str
    ) -> None:
        """Write the outcomes, with the verdicts of the labels of now, and the summary.

        Raises:
            OSError: The disk is full.
        """
        lines = "".join(json.dumps(outcome, allow_nan=False) + "\n" for outcome in outcomes)
        write_atomically(self.path / OUTCOMES, lines)
        text = json.dumps(summary, indent=1, allow_nan=False) + "\n"
        write_atomically(self.path / "summary.json", text)
        write_atomically(self.path / "summary.md", markdown)

    def run_folder(self, setting: int, name: str, position: int, id: str) -> Path:
        """Where the run folder of an item in a setting goes."""
        return self.path / "runs" / f"{setting}-{slug(name)}" / f"{position}-{slug(id)}"


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()
