"""Storage: what a run keeps on disk, never at the price of the answer.

If the disk fills up in the middle, the run goes on in memory and says so at the end.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orkernel.plugins.kinds import KINDS
from orkernel.presenting import data_files
from orkernel.records import Candidate, Event, Question
from orkernel.runs import SCHEMA, RunFolder
from orkernel.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    from orkernel.answer import Answer
    from orkernel.formulation.schema import Formulation
    from orkernel.registry import Registry
    from orkernel.request import Request
    from orkernel.solution import Solution

DATA_COPY_LIMIT = 64_000_000
"""Data tables up to this many bytes in all are copied into the run folder."""


class Storage:
    """Writes the stages of one run; does nothing without a folder.

    Attributes:
        candidates: Complete candidates, those of an interrupted run first.
        failure: Why the folder could not be completed, or None.
    """

    def __init__(self, folder: RunFolder | None) -> None:
        self.folder = folder
        self.failure: str | None = None
        self.candidates: list[Candidate] = folder.read_candidates() if folder else []
        self._run: dict[str, Any] = {}

    def _attempt(self, write: Callable[[RunFolder], None]) -> None:
        if self.folder is None or self.failure is not None:
            return
        try:
            write(self.folder)
        except OSError as error:
            self.failure = f"{error.strerror or error}"

    def start(self, request: Request, registry: Registry) -> None:
        """Write what was asked and with what."""
        self._run = {
            "schema": SCHEMA,
            "state": "running",
            "request": request.to_json(),
            "name": request.problem.name,
            "data": str(request.problem.data.resolve()) if request.problem.data else None,
            "versions": {
                "orkernel": __version__,
                "python": platform.python_version(),
                "plugins": sorted(
                    {
                        registry.distribution(record)
                        for kind in KINDS
                        for record in registry.records(kind).values()
                    }
                ),
            },
        }
        self.write_json("run.json", self._run)
        if request.formulation is not None:
            text = request.formulation.model_dump_json(indent=1, exclude_defaults=True)
            self._attempt(lambda folder: folder.write_text("formulation.json", text + "\n"))
        else:
            statement = request.problem.statement
            self._attempt(lambda folder: folder.write_text("statement.md", statement))

    def remembering(
        self, ask: Callable[[Question], str | None]
    ) -> Callable[[Question], str | None]:
        """The same asking, with every answer kept, and given again when a run is resumed."""
        stored = (self.folder.read_json("clarifications.json") if self.folder else None) or []
        known: dict[str, str | None] = {entry["question"]: entry["answer"] for entry in stored}

        def remember(question: Question) -> str | None:
            if question.text not in known:
                known[question.text] = ask(question)
                entries = [{"question": q, "answer": a} for q, a in known.items()]
                self.write_json("clarifications.json", entries)
            return known[question.text]

        return remember

    def write_json(self, name: str, value: Any, *, durable: bool = False) -> None:
        """Write one JSON file of the folder."""
        self._attempt(lambda folder: folder.write_json(name, value, durable=durable))

    def keep(self, candidate: Candidate) -> None:
        """Keep a complete candidate, replacing an earlier state of it."""
        self.candidates[candidate.index : candidate.index + 1] = [candidate]
        self._attempt(lambda folder: folder.write_candidate(candidate))

    def solution(self, solution: Solution) -> None:
        """Keep the solver's answer."""
        self._attempt(lambda folder: folder.write_solution(solution))

    def event(self, event: Event) -> None:
        """Add an event."""
        self._attempt(lambda folder: folder.append_event(event))

    def copy_data(self, formulation: Formulation, data: Path | None) -> None:
        """Copy the data tables that the formulation reads, with their checksums."""
        if self.folder is None or data is None:
            return
        names = data_files(formulation)
        paths = [data / name for name in names]
        sums = {
            name: hashlib.sha256(path.read_bytes()).hexdigest()
            for name, path in zip(names, paths, strict=True)
        }
        self._run["tables"] = sums
        if sum(path.stat().st_size for path in paths) > DATA_COPY_LIMIT:
            return

        def copy(folder: RunFolder) -> None:
            for name, path in zip(names, paths, strict=True):
                target = folder.path / "data" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)

        self._attempt(copy)

    def finish(self, answer: Answer | None, state: str) -> None:
        """Write the answer, the report, and the final state."""
        if answer is not None:
            value = answer.to_json()
            json.dumps(value, allow_nan=False)
            self.write_json("answer.json", value, durable=True)
            if self.folder is not None:
                from orkernel.report.html import to_html
                from orkernel.report.picture import front_png

                picture = front_png(answer)
                if picture is not None:
                    drawn = picture
                    self._attempt(lambda folder: folder.write_bytes("front.png", drawn))
                page = to_html(answer, picture)
                self._attempt(lambda folder: folder.write_text("report.html", page))
        self.write_json("run.json", {**self._run, "state": state}, durable=True)
