"""The run folder is complete or readable at every moment, and comes back as written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from orkernel.errors import UsageError
from orkernel.formulation.check import Diagnostic, Severity
from orkernel.formulation.schema import Formulation
from orkernel.records import DIMENSIONS, Candidate, Evaluation, Guarantee, Score
from orkernel.runs import (
    RunFolder,
    candidate_from_json,
    candidate_to_json,
    list_runs,
    slug,
    write_atomically,
)
from orkernel.solution import Certificate, Duals, Solution, SolverIdentity, Status


def test_a_candidate_survives_the_round_trip_through_json() -> None:
    candidate = Candidate(
        2,
        Formulation(title="t"),
        (Diagnostic("no-source", Severity.WARNING, "variable 'x'", "no source", start=3, end=5),),
        None,
        (Evaluation("evidence", {d: Score(50.0, "half") for d in DIMENSIONS}),),
        "refused for a reason",
    )
    again = candidate_from_json(json.loads(json.dumps(candidate_to_json(candidate))))
    assert again == candidate


def test_a_solution_comes_back_bit_for_bit(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, "exact")
    solution = Solution(
        Status.OPTIMAL,
        SolverIdentity("a", "b", "c"),
        values=np.array([0.1 + 0.2, 1e-300, -0.0]),
        objective=1 / 3,
        bound=1 / 3,
        guarantee=Guarantee.LOCAL,
        duals=Duals(np.array([0.1]), np.array([1.0, 2.0, 3.0]), {"rhs": np.array([[0, np.inf]])}),
        certificate=Certificate("dual", np.array([0.1])),
        assumptions=("one",),
        statistics={"nodes": 3.0},
    )
    folder.write_solution(solution)
    again = folder.read_solution()
    assert again is not None
    assert again.values is not None
    assert again.values.tobytes() == solution.values.tobytes()  # type: ignore[union-attr]
    assert again.objective == solution.objective
    assert again.guarantee is Guarantee.LOCAL
    assert again.duals is not None
    assert again.duals.ranges["rhs"].tolist() == [[0, np.inf]]
    assert again.certificate is not None
    assert again.certificate.kind == "dual"
    assert again.assumptions == ("one",)


def test_a_failed_write_leaves_the_old_file_and_no_litter(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    write_atomically(target, "old")
    with pytest.raises(UnicodeEncodeError):
        write_atomically(target, "\ud800")
    assert target.read_text() == "old"
    assert os.listdir(tmp_path) == ["a.json"]


def test_files_are_forced_onto_the_disk_only_where_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    forced: list[int] = []
    monkeypatch.setattr(os, "fsync", forced.append)
    folder = RunFolder.create(tmp_path, "small")
    folder.write_text("statement.md", "text")
    folder.write_json("selection.json", {"index": 0})
    assert not forced
    folder.write_json("answer.json", {"status": "optimal"}, durable=True)
    assert len(forced) == 1


def test_two_runs_in_the_same_second_get_two_folders(tmp_path: Path) -> None:
    paths = {RunFolder.create(tmp_path, "same").path for _ in range(5)}
    assert len(paths) == 5


def test_a_folder_that_is_no_run_is_refused_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a run folder") as error:
        RunFolder.open(tmp_path)
    assert error.value.fix == "list them with `orkernel runs`"


def test_a_damaged_run_is_listed_as_damaged(tmp_path: Path) -> None:
    folder = RunFolder.create(tmp_path, "broken")
    (folder.path / "run.json").write_text("{")
    assert [r["state"] for r in list_runs(tmp_path)] == ["damaged"]


def test_a_parent_that_is_a_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot write the run folder") as error:
        RunFolder.create(tmp_path / "file", "x")
    assert error.value.fix == "choose another folder with --out DIR"


@pytest.mark.parametrize(
    ("title", "expected"),
    [("Bäckerei & Söhne", "b-ckerei-s-hne"), ("///", "problem"), ("a" * 90, "a" * 40)],
)
def test_slugs_are_safe_file_names(title: str, expected: str) -> None:
    assert slug(title) == expected


WRITER = """
import sys
from pathlib import Path
from orkernel.runs import write_atomically
number = 0
while True:
    number += 1
    write_atomically(Path(sys.argv[1]), str(number) * 20000)
"""


@pytest.mark.parametrize("delay", [0.0, 0.01, 0.05, 0.11])
def test_kill_9_during_writing_never_leaves_a_partial_file(tmp_path: Path, delay: float) -> None:
    target = tmp_path / "file.txt"
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(target)])
    while not target.exists():
        time.sleep(0.005)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.wait()
    content = target.read_text()
    number = content[: len(content) // 20000]
    assert content == number * 20000
