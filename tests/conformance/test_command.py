"""`orkernel conformance` on good and bad plugins, with its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from orkernel.cli.conformance import WORDS
from orkernel.plugins.kinds import KINDS
from orkernel.testing.conformance.kits import KITS

PLUGIN = """
    from orkernel import Capability, Guarantee, ObserverSpec, SolverAgentSpec, hookimpl

    LINEAR = frozenset({Capability.CONTINUOUS, Capability.LINEAR})

    @hookimpl
    def orkernel_solver_agents():
        yield SolverAgentSpec(
            name="corner",
            target="corner_agent:Corner",
            supports=(LINEAR,),
            guarantee=Guarantee.GLOBAL,
            summary="Answers with the lower bounds.",
        )

    @hookimpl
    def orkernel_observers():
        yield ObserverSpec(name="corner", target="corner_agent:Silent")
"""
AGENT = """
    from orkernel import Solution, SolverIdentity, Status

    class Corner:
        def solve(self, problem, model, ctx):
            print("solved!")
            me = SolverIdentity("corner", "corner", "1")
            return Solution(Status.OPTIMAL, me, values=model.columns.lower)

    class Silent:
        def observe(self, event):
            pass
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder for the module path that holds a faulty plugin, as pip would install it."""
    (tmp_path / "corner.py").write_text(textwrap.dedent(PLUGIN))
    (tmp_path / "corner_agent.py").write_text(textwrap.dedent(AGENT))
    info = tmp_path / "corner-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: corner\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[orkernel]\ncorner = corner\n")
    return tmp_path


def conformance(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ORKERNEL_")}
    own = {"PYTHONPATH": str(folder), "ORKERNEL_CONFIG": str(folder / "none.toml")}
    return subprocess.run(
        [sys.executable, "-m", "orkernel", "conformance", *arguments],
        cwd=folder,
        env={**kept, **own},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_sound_agent_passes_with_0_and_json(tmp_path: Path) -> None:
    done = conformance(tmp_path, "highs", "--only", "test_global_constraints", "--json")
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    assert report["failed"] == 0
    assert report["passed"] == len(report["tests"]) == 8
    assert all(test["refusal"] for test in report["tests"])


def test_a_faulty_agent_fails_with_4_and_the_reason(site: Path) -> None:
    done = conformance(site, "corner", "--kind", "solver", "--only", "test_linear_programs")
    assert done.returncode == 4, done.stderr
    assert "objective 0 is too far from the optimum 36" in done.stdout
    assert "corner: " in done.stdout.splitlines()[-1]
    assert "solved!" not in done.stdout


def test_json_stays_whole_when_the_agent_prints(site: Path) -> None:
    done = conformance(
        site, "corner", "--kind", "solver", "--only", "test_stdout_stays_untouched", "--json"
    )
    report = json.loads(done.stdout)
    assert done.returncode == 4
    failed = [t["test"] for t in report["tests"] if t["verdict"] == "failed"]
    assert "test_stdout_stays_untouched[linear]" in failed


def test_an_unknown_name_ends_with_2_and_near_matches(tmp_path: Path) -> None:
    done = conformance(tmp_path, "hihgs")
    assert done.returncode == 2
    assert "did you mean 'highs'" in done.stderr


def test_an_unknown_test_ends_with_2_and_near_matches(tmp_path: Path) -> None:
    done = conformance(tmp_path, "highs", "--only", "test_linear_program")
    assert done.returncode == 2
    assert "test_linear_programs" in done.stderr


def test_a_name_of_two_kinds_asks_which(site: Path) -> None:
    done = conformance(site, "corner", "--list")
    assert done.returncode == 2
    assert "--kind solver or --kind observer" in done.stderr


def test_the_list_says_what_every_test_proves(tmp_path: Path) -> None:
    done = conformance(tmp_path, "highs", "--list", "--json")
    assert done.returncode == 0, done.stderr
    listed = json.loads(done.stdout)
    assert all(entry["proves"] and entry["added_in"] for entry in listed)
    assert len({entry["test"] for entry in listed}) == len(listed) > 200


def test_every_kind_has_a_kit_and_a_word() -> None:
    assert set(KITS) == set(KINDS) == set(WORDS.values())
