"""What `orkernel new-plugin` makes works as it is: installs, passes its kit, is clean, is real."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from orkernel.scaffold.kinds import PLUGIN_KINDS

ROOT = Path(__file__).resolve().parents[2]
MODEL = {
    "variables": [{"name": "x", "domain": "integer"}, {"name": "y"}],
    "objectives": [{"name": "profit", "sense": "maximize", "expression": "3*x + 5*y"}],
    "constraints": [
        {"name": "plant 2", "expression": "2*y <= 12"},
        {"name": "plant 3", "expression": "3*x + 2*y <= 18"},
    ],
}
TEXT = "maximize 3 doors + 5 windows\nglass: 2 windows <= 12\nframes: 3 doors + 2 windows <= 18\n"


def name_of(package: Path) -> str:
    return package.name.removeprefix("orkernel-")


@pytest.mark.parametrize("word", PLUGIN_KINDS)
def test_its_own_tests_pass(word: str, workshop: Any) -> None:
    package = workshop.package(word)
    done = workshop.python("-m", "pytest", "-q", "-p", "no:cacheprovider", cwd=package)
    assert done.returncode == 0, done.stdout
    assert "warning" not in done.stdout


@pytest.mark.parametrize("word", [word for word in PLUGIN_KINDS if word != "solver"])
def test_orkernel_conformance_passes(word: str, workshop: Any) -> None:
    name = name_of(workshop.package(word))
    done = workshop.python("-m", "orkernel", "conformance", name, "--json", cwd=workshop.folder)
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["name"], report["kind"]) == (name, PLUGIN_KINDS[word].records)
    assert report["failed"] == 0
    assert report["passed"] >= 5


def test_orkernel_conformance_lists_what_the_solver_has_passed(workshop: Any) -> None:
    name = name_of(workshop.package("solver"))
    listed = workshop.python(
        "-m", "orkernel", "conformance", name, "--list", "--json", cwd=workshop.folder
    )
    assert listed.returncode == 0, listed.stderr
    assert len(json.loads(listed.stdout)) > 30


@pytest.mark.parametrize("word", PLUGIN_KINDS)
def test_it_is_clean_for_ruff(word: str, workshop: Any) -> None:
    for check in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *check, "--no-cache", "."],
            cwd=workshop.package(word),
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stdout


def test_all_are_clean_for_strict_mypy(workshop: Any) -> None:
    """In one run, with the settings that each of them has."""
    settings = [
        tomllib.loads((workshop.package(word) / "pyproject.toml").read_text())["tool"]["mypy"]
        for word in PLUGIN_KINDS
    ]
    assert all(setting == {**settings[0], "strict": True} for setting in settings)
    sources = [str(workshop.package(word) / "src") for word in PLUGIN_KINDS]
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--config-file"),
            str(workshop.package("solver") / "pyproject.toml"),
            *("--cache-dir", str(ROOT / ".mypy_cache" / "scaffold"), *sources),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("word", PLUGIN_KINDS)
def test_its_hook_module_imports_nothing_heavy(word: str, workshop: Any) -> None:
    module = workshop.package(word).name.replace("-", "_")
    code = (
        f"import sys, {module}; "
        "print(*[m for m in ('numpy', 'scipy', 'pydantic', 'click') if m in sys.modules])"
    )
    done = workshop.python("-c", code, cwd=workshop.folder)
    assert (done.returncode, done.stdout.split()) == (0, [])


def test_the_solver_and_formulator_answer_a_problem(workshop: Any, tmp_path: Path) -> None:
    (tmp_path / "doors.txt").write_text(TEXT)
    done = workshop.python(
        *("-m", "orkernel", "run", "doors.txt", "--json", "--no-plugins"), cwd=tmp_path
    )
    assert done.returncode != 0
    done = workshop.python(
        *("-m", "orkernel", "run", "doors.txt", "--json", "--plugins"),
        "plain-lines,milp,quoted,lambda,promise",
        *("--formulator", "plain-lines", "--solver", "milp", "--selector", "lambda"),
        *("--scorer", "quoted", "--classifier", "promise"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["status"] == "optimal"
    assert answer["verified"] is True
    assert answer["objectives"] == {"goal": pytest.approx(36.0)}
    assert answer["solver"]["agent"] == "milp"
    assert answer["candidates"][0]["min_confidence"] == 100.0


def test_the_observer_and_the_command_see_a_run(workshop: Any, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    observer = name_of(workshop.package("observer"))
    variable = f"{observer.replace('-', '_').upper()}_FILE"
    done = workshop.python(
        *("-m", "orkernel", "run", "model.json", "--solver", "milp"),
        cwd=tmp_path,
        **{variable: str(tmp_path / "events.jsonl")},
    )
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert {event["stage"] for event in events} >= {"solve"}
    tally = workshop.python("-m", "orkernel", "tally", "--json", cwd=tmp_path)
    assert json.loads(tally.stdout) == {"optimal": 1}
    table = workshop.python("-m", "orkernel", "tally", cwd=tmp_path)
    assert table.stdout.split() == ["optimal", "1"]


def test_a_file_that_cannot_be_written_does_not_end_the_run(workshop: Any, tmp_path: Path) -> None:
    (tmp_path / "model.json").write_text(json.dumps(MODEL))
    observer = name_of(workshop.package("observer"))
    done = workshop.python(
        *("-m", "orkernel", "run", "model.json", "--solver", "milp", "--json"),
        cwd=tmp_path,
        **{f"{observer.replace('-', '_').upper()}_FILE": str(tmp_path)},
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "optimal"


def test_doctor_finds_the_generated_solver_healthy(workshop: Any, tmp_path: Path) -> None:
    done = workshop.python("-m", "orkernel", "doctor", "--plugins", "milp", cwd=tmp_path)
    assert "scipy" in done.stdout, done.stderr
