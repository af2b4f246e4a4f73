"""The run folder: the audit trail of one run, written atomically, readable at any moment.

`runs/<time>-<slug>/` holds

    run.json             what was asked, versions, seed, and how it ended
    statement.md         the statement, or formulation.json when that was given
    data/                the data tables that the run may read
    candidates/N.json    formulation, diagnostics, evaluations, trial solution
    calls/NNNN.json      every call of a language model
    clarifications.json  questions to the user, with the answers
    selection.json  classification.json
    solution.json  solution.npz      the solver's answer, numbers exact
    answer.json          what `--json` prints
    report.html          the same for people
    front.png            a Pareto front as a picture, where matplotlib is installed
    events.jsonl         everything that happened, one event a line

A file is either complete or not there, also when the process is killed: each is written beside
its place and renamed. An interrupted run therefore resumes from its last complete file. Only
`answer.json` and the final `run.json` are forced onto the disk, since that costs more time than
all the work on a small problem: a power cut may take the other files of its last seconds, or
leave them empty, which reading them tells.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from orkernel.errors import UsageError
from orkernel.records import DIMENSIONS, Candidate, Evaluation, Event, Finding, Guarantee, Score
from orkernel.solution import (
    Certificate,
    Duals,
    Estimate,
    ParetoPoint,
    Solution,
    SolverIdentity,
    Status,
)

if TYPE_CHECKING:
    from orkernel.formulation.check import Diagnostic

SCHEMA = 1
"""Version of the run folder's layout."""
MALFORMED = (ValueError, KeyError, TypeError, AttributeError)
"""What reading a value of another shape raises."""


def write_atomically(path: Path, content: bytes | str, *, durable: bool = True) -> None:
    """Write a file so that a reader sees the old or the new content, never a part.

    Args:
        path: The file.
        content: All of it.
        durable: Whether the same holds after a power cut; that takes some milliseconds.

    Raises:
        OSError: The folder is not writable or the disk is full; the old content stays.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


_JSON = json.JSONEncoder(allow_nan=False)


def to_lines(value: Any, levels: int = 2) -> str:
    """JSON with the outer levels broken into lines.

    An order of magnitude faster than `indent`, for which Python's `json` has no fast way, and
    easier to read where there are many small objects.

    Raises:
        ValueError: It holds a NaN or an infinity.
    """
    inner = levels - 1
    if not levels or not value or not isinstance(value, dict | list | tuple):
        return _JSON.encode(value)
    if isinstance(value, dict):
        parts = [f"{_JSON.encode({k: 0})[1:-2]}{to_lines(v, inner)}" for k, v in value.items()]
        opening, closing = "{}"
    else:
        parts = [to_lines(entry, inner) for entry in value]
        opening, closing = "[]"
    text = ",\n".join(parts).replace("\n", "\n ")
    return f"{opening}\n {text}\n{closing}"


def no_constant(word: str) -> None:
    """Refuse NaN and infinities, which Python's `json` reads although JSON has none."""
    raise ValueError(f"{word} is no JSON")


def slug(text: str) -> str:
    """A short file-name-safe form of a title."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:40] or "problem"


@dataclass(slots=True)
class RunFolder:
    """One run's folder."""

    path: Path

    @classmethod
    def create(cls, parent: Path, name: str) -> RunFolder:
        """Make a new folder below `parent`.

        Raises:
            UsageError: The folder cannot be made or written.
        """
        stamp = time.strftime("%Y%m%d-%H%M%S")
        try:
            parent.mkdir(parents=True, exist_ok=True)
            for attempt in range(1000):
                suffix = f"-{attempt + 1}" if attempt else ""
                path = parent / f"{stamp}-{slug(name)}{suffix}"
                try:
                    path.mkdir()
                    break
                except FileExistsError:
                    continue
            (path / "candidates").mkdir()
            folder = cls(path)
            folder.write_json("run.json", {"schema": SCHEMA, "state": "running", "name": name})
        except OSError as error:
            raise UsageError(
                f"cannot write the run folder in {parent}: {error.strerror or error}",
                fix="choose another folder with --out DIR",
            ) from error
        return folder

    @classmethod
    def open(cls, path: Path) -> RunFolder:
        """An existing run folder.

        Raises:
            UsageError: It is not a run folder.
        """
        folder = cls(path)
        if not (path / "run.json").is_file():
            raise UsageError(f"{path} is not a run folder", fix="list them with `orkernel runs`")
        return folder

    def write_json(self, name: str, value: Any, *, durable: bool = False) -> None:
        """Write one JSON file atomically."""
        write_atomically(self.path / name, to_lines(value) + "\n", durable=durable)

    def write_text(self, name: str, text: str) -> None:
        """Write one text file atomically."""
        write_atomically(self.path / name, text, durable=False)

    def write_bytes(self, name: str, content: bytes) -> None:
        """Write one binary file of the folder."""
        write_atomically(self.path / name, content, durable=False)

    def read_json(self, name: str) -> Any:
        """Content of a JSON file, or None if it is not there.

        Raises:
            UsageError: The file is damaged, or has not the shape that it must have.
        """
        from orkernel.stored import SHAPES

        try:
            text = (self.path / name).read_text(encoding="utf-8")
            value = json.loads(text, parse_constant=no_constant)
            if shape := SHAPES.get(name.partition("/")[0]):
                shape.model_validate_json(text, strict=True)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, RecursionError) as error:
            raise self._damaged(name, error) from error
        return value

    def _damaged(self, name: str, error: Exception) -> UsageError:
        why = str(error)
        if isinstance(error, ValidationError):
            first = error.errors()[0]
            why = f"{'.'.join(map(str, first['loc'])) or 'content'}: {first['msg']}"
        elif isinstance(error, KeyError | AttributeError | TypeError):
            why = f"it lacks its shape ({error})"
        return UsageError(f"{self.path / name} is damaged: {why}", fix="run the problem again")

    def append_event(self, event: Event) -> None:
        """Add one line to `events.jsonl`."""
        line = json.dumps(
            {
                "time": round(event.time, 3),
                "kind": event.kind,
                "stage": event.stage,
                "message": event.message,
                **({"data": dict(event.data)} if event.data else {}),
            },
            default=str,
        )
        with (self.path / "events.jsonl").open("a", encoding="utf-8") as file:
            file.write(line + "\n")

    # ------------------------------------------------------------------ candidates

    def write_candidate(self, candidate: Candidate) -> None:
        """Write `candidates/N.json`."""
        self.write_json(f"candidates/{candidate.index}.json", candidate_to_json(candidate))

    def read_candidates(self) -> list[Candidate]:
        """All complete candidates, in order, without their trial solutions' arrays."""
        found: list[Candidate] = []
        for number in range(1000):
            name = f"candidates/{number}.json"
            value = self.read_json(name)
            if value is None:
                break
            try:
                candidate = candidate_from_json(value)
            except MALFORMED as error:
                raise self._damaged(name, error) from error
            if candidate.index != number:
                raise self._damaged(name, ValueError(f"it is numbered {candidate.index}"))
            found.append(candidate)
        return found

    # ------------------------------------------------------------------ solution

    def write_solution(self, solution: Solution) -> None:
        """Write `solution.npz` (arrays) and then `solution.json` (the rest)."""
        import io

        import numpy as np

        arrays: dict[str, Any] = {}
        if solution.values is not None:
            arrays["values"] = solution.values
        if solution.duals is not None:
            arrays["dual_rows"] = solution.duals.rows
            arrays["dual_columns"] = solution.duals.columns
            for key, value in solution.duals.ranges.items():
                arrays[f"range_{key}"] = value
        if solution.certificate is not None:
            arrays["certificate"] = solution.certificate.vector
        if solution.pareto:
            arrays["front_objectives"] = np.array([p.objectives for p in solution.pareto])
            arrays["front_values"] = np.array([p.values for p in solution.pareto])
        buffer = io.BytesIO()
        np.savez(buffer, **arrays)
        write_atomically(self.path / "solution.npz", buffer.getvalue(), durable=False)
        self.write_json("solution.json", solution_to_json(solution))

    def read_solution(self) -> Solution | None:
        """The stored solution with its arrays, or None."""
        import numpy as np

        value = self.read_json("solution.json")
        if value is None:
            return None
        try:
            with np.load(self.path / "solution.npz", allow_pickle=False) as stored:
                arrays = dict(stored)
            return solution_from_json(value, arrays)
        except (OSError, zipfile.BadZipFile, EOFError, *MALFORMED) as error:
            raise self._damaged("solution.npz or solution.json", error) from error


def list_runs(parent: Path) -> list[dict[str, Any]]:
    """One object per run folder below `parent`, oldest first; damaged ones are marked."""
    found: list[dict[str, Any]] = []
    if not parent.is_dir():
        return found
    for path in sorted(p for p in parent.iterdir() if (p / "run.json").exists()):
        folder = RunFolder(path)
        try:
            run = folder.read_json("run.json") or {}
            answer = folder.read_json("answer.json") or {}
        except UsageError:
            run, answer = {"state": "damaged"}, {}
        found.append(
            {
                "run": path.name,
                "name": run.get("name", ""),
                "state": run.get("state", "damaged"),
                "status": answer.get("status"),
                "verified": answer.get("verified"),
                "objectives": answer.get("objectives"),
            }
        )
    return found


# ----------------------------------------------------------------------------- JSON forms


def finite(value: float | None) -> float | None:
    """The number, or None where JSON has no word for it."""
    if value is None or value != value or value in (float("inf"), float("-inf")):
        return None
    return float(value)


def evaluation_to_json(evaluation: Evaluation) -> dict[str, Any]:
    """Per dimension value and explanation."""
    return {
        d: {"value": s.value, "explanation": s.explanation} for d, s in evaluation.scores.items()
    }


def candidate_to_json(candidate: Candidate) -> dict[str, Any]:
    """Everything about a candidate that resuming and auditing need."""
    formulation = candidate.formulation
    return {
        "index": candidate.index,
        "refused": candidate.refused,
        "diagnostics": [d.to_json() for d in candidate.diagnostics],
        "evaluations": {e.scorer: evaluation_to_json(e) for e in candidate.evaluations},
        "findings": {
            e.scorer: [asdict(f) for f in e.findings] for e in candidate.evaluations if e.findings
        },
        "trial": solution_to_json(candidate.trial) if candidate.trial is not None else None,
        "second": solution_to_json(candidate.second) if candidate.second is not None else None,
        "formulation": formulation.model_dump(mode="json") if formulation is not None else None,
    }


def diagnostic_from_json(value: Mapping[str, Any]) -> Diagnostic:
    """Inverse of `Diagnostic.to_json`."""
    from orkernel.formulation.check import Diagnostic, Severity

    known = {f.name for f in fields(Diagnostic)}
    kept = {k: v for k, v in value.items() if k in known}
    return Diagnostic(**{**kept, "severity": Severity(value["severity"])})


def candidate_from_json(value: Mapping[str, Any]) -> Candidate:
    """Inverse of `candidate_to_json`; the trial comes back without its arrays."""
    from orkernel.formulation.schema import Formulation

    formulation = value["formulation"]
    return Candidate(
        index=value["index"],
        refused=value["refused"],
        diagnostics=tuple(diagnostic_from_json(d) for d in value["diagnostics"]),
        evaluations=tuple(
            Evaluation(
                name,
                {d: Score(**scores[d]) for d in DIMENSIONS},
                tuple(Finding(**f) for f in value.get("findings", {}).get(name, ())),
            )
            for name, scores in value["evaluations"].items()
        ),
        trial=solution_from_json(value["trial"], {}) if value["trial"] is not None else None,
        second=solution_from_json(value["second"], {}) if value.get("second") else None,
        formulation=Formulation.model_validate(formulation) if formulation is not None else None,
    )


def solution_to_json(solution: Solution) -> dict[str, Any]:
    """The scalars of a solution; arrays go to `solution.npz`."""
    return {
        "status": str(solution.status),
        "solver": {
            "agent": solution.solver.agent,
            "name": solution.solver.name,
            "version": solution.solver.version,
        },
        "objective": finite(solution.objective),
        "bound": finite(solution.bound),
        "guarantee": str(solution.guarantee),
        "certificate": solution.certificate.kind if solution.certificate is not None else None,
        "ranges": sorted(solution.duals.ranges) if solution.duals is not None else [],
        "estimates": [asdict(estimate) for estimate in solution.estimates],
        "message": solution.message,
        "seconds": solution.seconds,
        "assumptions": list(solution.assumptions),
        "statistics": {k: finite(v) for k, v in solution.statistics.items()},
    }


def solution_from_json(value: Mapping[str, Any], arrays: Mapping[str, Any]) -> Solution:
    """Inverse of `solution_to_json` with the arrays of `solution.npz` (which may be empty)."""
    duals = None
    if "dual_rows" in arrays:
        duals = Duals(
            arrays["dual_rows"],
            arrays["dual_columns"],
            {key: arrays[f"range_{key}"] for key in value["ranges"]},
        )
    certificate = None
    if value["certificate"] is not None and "certificate" in arrays:
        certificate = Certificate(value["certificate"], arrays["certificate"])
    return Solution(
        status=Status(value["status"]),
        solver=SolverIdentity(**value["solver"]),
        values=arrays.get("values"),
        objective=value["objective"],
        bound=value["bound"],
        guarantee=Guarantee(value["guarantee"]),
        duals=duals,
        certificate=certificate,
        pareto=tuple(
            ParetoPoint(tuple(objectives.tolist()), point)
            for objectives, point in zip(
                arrays.get("front_objectives", ()), arrays.get("front_values", ()), strict=True
            )
        ),
        estimates=tuple(Estimate(**estimate) for estimate in value.get("estimates", ())),
        message=value["message"],
        seconds=value["seconds"],
        assumptions=tuple(value["assumptions"]),
        statistics={k: v for k, v in value["statistics"].items() if v is not None},
    )
