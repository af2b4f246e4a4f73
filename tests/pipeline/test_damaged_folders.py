"""A run folder that was edited or cut short is refused with its place, or noticed by replay."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console

import orkernel
from orkernel.config import Config
from orkernel.errors import OrkernelError, UsageError
from orkernel.registry import Registry
from orkernel.replaying import replay, resume
from orkernel.report.stored import render_stored
from orkernel.runs import RunFolder, list_runs

STATEMENT = "maximize 3x + 2y subject to x + y <= 4, x <= 2, x, y >= 0\n"
WRONG: list[Any] = [None, 5, "five", [], {}, [{"a": [1]}], True]


@pytest.fixture(scope="module")
def registry() -> Registry:
    """The kernel's own plugins."""
    return Registry.load(Config.load(plugins="highs,offline,maxmin"))


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory, registry: Registry) -> Path:
    """The folder of a finished run."""
    out = tmp_path_factory.mktemp("finished")
    answer = orkernel.run(STATEMENT, out=out, registry=registry)
    assert answer.run_dir is not None
    return answer.run_dir


@pytest.fixture
def folder(finished: Path, tmp_path: Path) -> Path:
    """A copy of it to damage."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


def damaged(value: Any) -> Iterator[Any]:
    """The value with itself, each key, and each key one level down, replaced or left out."""
    yield from WRONG
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        yield {k: v for k, v in value.items() if k != key}
        yield from ({**value, key: other} for other in WRONG)
        if isinstance(inner, dict):
            for name in inner:
                yield from ({**value, key: {**inner, name: other}} for other in WRONG)


def read_everything(folder: Path, registry: Registry) -> None:
    """Do what `runs`, `show`, `replay` and `run --resume` do."""
    assert len(list_runs(folder.parent)) == 1
    for read in (
        lambda: Console(file=StringIO()).print(render_stored(RunFolder.open(folder))),
        lambda: replay(folder, registry),
        lambda: resume(folder, registry),
    ):
        with contextlib.suppress(OrkernelError):
            read()


@pytest.mark.parametrize(
    "name",
    [
        "run.json",
        "answer.json",
        "selection.json",
        "classification.json",
        "solution.json",
        "candidates/0.json",
    ],
)
def test_no_edited_file_is_an_internal_error(folder: Path, registry: Registry, name: str) -> None:
    path = folder / name
    whole = json.loads(path.read_text(encoding="utf-8"))
    for value in damaged(whole):
        path.write_text(json.dumps(value), encoding="utf-8")
        read_everything(folder, registry)


@pytest.mark.parametrize("content", [b"", b"\xff\x00", b"[" * 100_000, b"NaN", b'{"a": Infinity}'])
@pytest.mark.parametrize("name", ["run.json", "answer.json", "candidates/0.json", "solution.npz"])
def test_a_file_of_garbage_is_named_as_damaged(
    folder: Path, registry: Registry, name: str, content: bytes
) -> None:
    (folder / name).write_bytes(content)
    with pytest.raises(UsageError, match="damaged") as caught:
        replay(folder, registry)
    assert Path(name).name in caught.value.message


@pytest.mark.parametrize("name", ["candidates/0.json", "classification.json", "answer.json"])
def test_replay_says_that_a_file_is_missing(folder: Path, registry: Registry, name: str) -> None:
    (folder / name).unlink()
    with pytest.raises(UsageError, match=r"holds no|has no"):
        replay(folder, registry)


def test_replay_notices_that_the_stored_solution_is_gone(folder: Path, registry: Registry) -> None:
    (folder / "solution.json").unlink()
    assert replay(folder, registry).differences == ("stored solution: it is missing",)


@pytest.mark.parametrize(
    ("variables", "difference"),
    [
        ({"x": 2.0, "y": 1.0}, "y is 2, the stored answer says 1"),
        ({"x": 2.0}, "the stored answer does not fit it: variable 'y': no value is given"),
        ({"x": 2.0, "y": {"a": 2.0}}, "the stored answer does not fit it: variable 'y'"),
    ],
)
def test_replay_notices_an_edited_decision(
    folder: Path, registry: Registry, variables: dict[str, Any], difference: str
) -> None:
    path = folder / "answer.json"
    answer = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**answer, "variables": variables}), encoding="utf-8")
    (found,) = replay(folder, registry).differences
    assert found.startswith(f"stored solution: {difference}")


def test_replay_notices_an_edited_solution(folder: Path, registry: Registry) -> None:
    np.savez(folder / "solution.npz", values=np.array([2.0, 1.0]))
    (found,) = replay(folder, registry).differences
    assert found == "stored solution: y is 1, the stored answer says 2"
