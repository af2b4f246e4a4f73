"""The plugins of this repository keep the rules that the contract asks of any plugin."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from orkernel.version import __version__

ROOT = Path(__file__).resolve().parents[2]
PROJECTS = {
    path.parent.name: tomllib.loads(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / "plugins").glob("*/pyproject.toml"))
}
LIMIT = 0.005
"""Seconds that a plugin's own import may take; generous, for a busy machine."""

PROBE = """
import json, sys, time
import orkernel.hookspecs, orkernel.records
before = set(sys.modules)
begin = time.perf_counter()
__import__(sys.argv[1])
seconds = time.perf_counter() - begin
imported = [n for n in sys.modules if n not in before and n.partition(".")[0] not in
            sys.stdlib_module_names]
from importlib import import_module
from orkernel.config import Config
from orkernel.registry import Registry
registry = Registry.load(Config.load(no_plugins=True), extra=[import_module(sys.argv[1])])
print(json.dumps({
    "seconds": seconds,
    "imported": imported,
    "problems": [str(problem) for problem in registry.problems],
    "records": [entry.record.name for _, entry in registry.all_entries()],
}))
"""


def entry_points(project: Any) -> dict[str, str]:
    points: dict[str, str] = project["project"]["entry-points"]["orkernel"]
    return points


def probe(name: str) -> Any:
    """What importing a plugin's module does in a fresh interpreter; the fastest of three."""
    (module,) = entry_points(PROJECTS[name]).values()
    path = [str(ROOT), str(ROOT / "plugins" / name / "src")]
    command = f"import sys; sys.path[:0] = {path!r}\n{PROBE}"
    done = [
        subprocess.run(
            [sys.executable, "-c", command, module], capture_output=True, check=True, timeout=60
        )
        for _ in range(3)
    ]
    return min((json.loads(one.stdout) for one in done), key=lambda found: found["seconds"])


def test_there_are_plugins() -> None:
    assert {"orkernel-highs", "orkernel-maxmin", "orkernel-offline", "orkernel-pyomo"} <= set(
        PROJECTS
    )


@pytest.mark.parametrize("name", PROJECTS)
def test_plugin_module_is_light_and_every_record_is_accepted(name: str) -> None:
    found = probe(name)
    (module,) = entry_points(PROJECTS[name]).values()
    assert found["imported"] == [module]
    assert found["seconds"] < LIMIT
    assert found["problems"] == []
    assert found["records"]


@pytest.mark.parametrize("name", PROJECTS)
def test_plugin_asks_for_a_range_of_kernels_that_holds_this_one(name: str) -> None:
    requirements = [Requirement(line) for line in PROJECTS[name]["project"]["dependencies"]]
    (kernel,) = [r for r in requirements if r.name == "orkernel"]
    assert kernel.specifier.contains(__version__)
    assert {s.operator for s in kernel.specifier} == {">=", "<"}


@pytest.mark.parametrize("name", PROJECTS)
def test_distribution_is_named_like_its_folder_and_its_plugin(name: str) -> None:
    assert PROJECTS[name]["project"]["name"] == name
    assert list(entry_points(PROJECTS[name])) == [name.removeprefix("orkernel-")]
