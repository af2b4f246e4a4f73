"""The example statements, from the plain words to the exit code, with known answers.

The values come from outside: by hand, from the textbook, or from scipy where the comment
says so. Each example goes through the real command.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm

EXAMPLES = Path(__file__).parent.parent / "docs" / "examples"

EXPECTED: dict[str, tuple[int, str, float | None]] = {
    # two integers: 400 a + 500 b ≤ 60000, 12 a + 8 b ≤ 1200; enumeration gives (44, 84)
    "bakery.md": (0, "optimal", 205.2),
    # nuts alone: 12000 / 6000 = 2 kg meet both needs at $14
    "hiker.md": (0, "optimal", 28.0),
    # strictly fewer small trips: (3, 6) carries 360 cars: 3 · 300 + 6 · 900
    "ferries.md": (0, "optimal", 6300.0),
    # 30 · 2 + 12 · 5 = 120 > 100 hours
    "workshop.md": (3, "infeasible", None),
    "farm.md": (3, "unbounded", None),
    # transport by scipy.optimize.linprog
    "depots/depots.md": (0, "optimal", 1350.0),
    # scipy.optimize.minimize (SLSQP)
    "portfolio.md": (0, "optimal", 0.00991578947),
    # r = (V / 2π)^(1/3), h = 2 r: surface 3 · (2π V²)^(1/3)
    "can.md": (0, "optimal", 348.7342),
    # vertex (5, 5)
    "press.md": (0, "optimal", 575.0),
    # the four below by scipy.optimize.linprog, milp, or enumeration
    "blending-latex.md": (0, "optimal", 195500 / 3),
    "transport-latex-table.md": (0, "optimal", 2280.0),
    "multi-period-latex.md": (0, "optimal", 14690.0),
    "sum-notation-text.md": (0, "optimal", 205.0),
    # scipy.optimize.linprog on the 2 x 3 matrix; on two amounts; all 64 subsets
    "crates.md": (0, "optimal", 1000.0),
    "alloy.md": (0, "optimal", 18500 / 7),
    "rucksack.md": (0, "optimal", 230.0),
    # Haverly 1978; Fisher and Thompson 1963
    "pooling.json": (0, "optimal", -400.0),
    "job-shop.json": (0, "optimal", 55.0),
    # 4 + 3 + 3 hours do not fit into 9
    "crew.json": (3, "infeasible", None),
}

SAMPLED = {
    # order = mean + std · z at the critical fractile (4 − 1.5) / (4 − 0.5) = 5/7;
    # profit = 2.5 · 120 − 3.5 · 25 · φ(z)
    "newsvendor.json": 300.0 - 87.5 * norm.pdf(norm.ppf(5 / 7)),
}
FRONTS = {"suppliers.json"}
OTHERS = {"two-stage.json"}


def run(name: str, folder: Path) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "orkernel", "run", str(EXAMPLES / name), "--json"],
        cwd=folder,
        env={**os.environ, "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


@pytest.mark.parametrize("name", EXPECTED)
def test_example_gives_its_known_answer(name: str, tmp_path: Path) -> None:
    code, status, value = EXPECTED[name]
    returned, answer = run(name, tmp_path)
    assert (returned, answer["status"]) == (code, status), answer["message"]
    assert answer["verified"] is True
    if value is not None:
        assert list(answer["objectives"].values()) == [pytest.approx(value, rel=1e-6)]


def test_every_example_has_a_known_answer() -> None:
    files = [*EXAMPLES.rglob("*.md"), *EXAMPLES.rglob("*.json")]
    found = {str(p.relative_to(EXAMPLES)) for p in files} - {"index.md"}
    assert found == set(EXPECTED) | set(SAMPLED) | FRONTS | OTHERS


@pytest.mark.parametrize("name", SAMPLED)
def test_a_simulated_example_agrees_with_its_closed_form(name: str, tmp_path: Path) -> None:
    returned, answer = run(name, tmp_path)
    assert (returned, answer["status"], answer["guarantee"]) == (0, "feasible", "sampled")
    estimate = next(e for e in answer["estimates"] if e["kind"] == "objective")
    half = (estimate["high"] - estimate["low"]) / 2
    assert abs(estimate["value"] - SAMPLED[name]) < 3 * half


def test_a_two_stage_plan_reports_intervals_of_all_its_figures(tmp_path: Path) -> None:
    returned, answer = run("two-stage.json", tmp_path)
    assert (returned, answer["guarantee"]) == (0, "sampled")
    assert {e["kind"] for e in answer["estimates"]} == {"objective", "result"}
    assert all(e["low"] < e["value"] < e["high"] for e in answer["estimates"])


def test_the_front_of_suppliers_is_that_of_all_orders(tmp_path: Path) -> None:
    returned, answer = run("suppliers.json", tmp_path)
    assert (returned, answer["status"], answer["guarantee"]) == (0, "pareto_front", "global")
    orders = [
        (alba, boreas, 60 - alba - boreas)
        for alba in range(41)
        for boreas in range(36)
        if 0 <= 60 - alba - boreas <= 50
    ]
    goals = {(40 * a + 55 * b + 30 * c, 3 * a + b + 8 * c) for a, b, c in orders}
    efficient = {
        p for p in goals if not any(q != p and q[0] <= p[0] and q[1] <= p[1] for q in goals)
    }
    found = {(p["objectives"]["cost"], p["objectives"]["waiting"]) for p in answer["pareto"]}
    assert found == efficient


def test_an_ambiguous_statement_reports_what_the_other_reading_gives(tmp_path: Path) -> None:
    _, answer = run("ferries.md", tmp_path)
    assert any("reading 2 would give optimal 6000" in note for note in answer["notes"])


def test_an_infeasible_statement_names_its_contradicting_sentences(tmp_path: Path) -> None:
    _, answer = run("workshop.md", tmp_path)
    quotes = {q for member in answer["iis"] for q in member["quotes"]}
    assert {
        "At most 100\nhours are available",
        "At least 30 chairs must be made",
        "At least 12 tables must be made",
    } <= quotes
    assert answer["iis_minimal"] is True


def test_an_unused_number_is_reported_with_its_sentence(tmp_path: Path) -> None:
    _, answer = run("press.md", tmp_path)
    (unused,) = [d for d in answer["diagnostics"] if d["code"] == "unused-number"]
    statement = (EXAMPLES / "press.md").read_text()
    assert "4500" in statement[unused["start"] : unused["end"]]
