"""Published instances reach their proven optimum through the command line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from job_shops import job_shops
from published import formulation, optimum

NAMES = (
    *("ft06", "la01", "burma14", "ulysses16", "gr17", "br17"),
    *("fri26", "bays29", "att48", "berlin52"),
)
QUICK = ("ft06", "la01", "burma14", "gr17")
TIME_LIMIT = 120


def answer(name: str, folder: Path, *options: str) -> dict[str, Any]:
    """What `orkernel run FILE.json --json` prints for an instance.

    No second agent is asked: the published optimum is the second opinion.
    """
    source = folder / f"{name}.json"
    source.write_text(json.dumps(formulation(name)), encoding="utf-8")
    command = [
        *(sys.executable, "-m", "orkernel", "run", str(source), "--json", "--no-second-opinion"),
        *("--out", str(folder / "runs"), "--time-limit", str(TIME_LIMIT), *options),
    ]
    environment = {**os.environ, "HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def assert_proven(found: dict[str, Any], name: str) -> None:
    """The answer is the known optimum, proven and checked."""
    best = optimum(name)
    assert (found["status"], found["guarantee"]) == ("optimal", "global")
    assert list(found["objectives"].values()) == [best]
    assert found["bound"] == pytest.approx(best, abs=1e-6)
    assert found["verified"]


@pytest.mark.parametrize("name", NAMES)
def test_agent_of_the_classifiers_choice_proves_the_published_optimum(
    tmp_path: Path, name: str
) -> None:
    found = answer(name, tmp_path)
    assert_proven(found, name)
    assert found["classification"]["agents"][0]["name"] == found["solver"]["agent"]


@pytest.mark.parametrize("name", QUICK)
def test_cp_sat_proves_the_published_optimum_when_asked_by_name(tmp_path: Path, name: str) -> None:
    found = answer(name, tmp_path, "--solver", "ortools")
    assert found["solver"]["agent"] == "ortools"
    assert_proven(found, name)


def test_schedule_keeps_to_the_published_machines_and_durations(tmp_path: Path) -> None:
    """The starts are checked against the instance itself, not against the formulation."""
    shop = job_shops()["ft06"]
    start = answer("ft06", tmp_path)["variables"]["start"]
    busy: dict[int, list[tuple[int, int]]] = {}
    for j, (machines, durations) in enumerate(zip(shop.machines, shop.durations, strict=True), 1):
        free = 0
        for k, (machine, duration) in enumerate(zip(machines, durations, strict=True), 1):
            begin = start[str(j)][str(k)]
            assert begin >= free
            free = begin + duration
            busy.setdefault(machine, []).append((begin, free))
    assert max(end for spans in busy.values() for _, end in spans) == 55
    for spans in busy.values():
        spans.sort()
        assert all(a[1] <= b[0] for a, b in pairwise(spans))


def test_tour_has_the_published_length_city_by_city(tmp_path: Path) -> None:
    from published import tour_matrix

    matrix, arc = tour_matrix("burma14"), answer("burma14", tmp_path)["variables"]["arc"]
    after = {int(i): int(j) for i, row in arc.items() for j, chosen in row.items() if chosen == 1}
    city, length, seen = 1, 0, set()
    while city not in seen:
        seen.add(city)
        length += matrix[city - 1][after[city] - 1]
        city = after[city]
    assert (city, len(seen), length) == (1, 14, 3323)
