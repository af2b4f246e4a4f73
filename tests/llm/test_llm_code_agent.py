"""The code agent among all other agents: the last resort of whole runs, and the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from llm_scripted_model import scripted

from orkernel import Capability, Config, Formulation, Registry, Status, run
from orkernel.answer import Answer
from orkernel.records import Guarantee

SUPPORT = Path(__file__).resolve().parents[2] / "plugins" / "orkernel-llm" / "tests" / "support"

SQUARES: dict[str, Any] = {
    "variables": [{"name": "n", "domain": "integer", "lower": 10**7, "upper": 10**9}],
    "objectives": [{"name": "least", "sense": "minimize", "expression": "n"}],
    "constraints": [
        {"name": "square", "expression": "floor(sqrt(n)) * floor(sqrt(n)) == n"},
        {"name": "ending", "expression": "n - 100000 * floor(n / 100000) == 88081"},
    ],
}
"""A needle in a haystack: of 990 million numbers two meet both constraints, 15241² is the least.
No solver reads the floor of a root, and no search meets a point by chance."""

ROOTS = """```python
from math import isqrt
found = [r * r for r in range(isqrt(10**7), isqrt(10**9) + 1) if r * r % 100000 == 88081]
final_answer({"variables": {"n": min(found)}})
```"""

CURVED: dict[str, Any] = {
    "variables": [{"name": "x", "upper": 4}, {"name": "y", "upper": 4}],
    "objectives": [{"name": "worth", "sense": "maximize", "expression": "sin(x) + cos(y) * x"}],
    "constraints": [{"name": "disc", "expression": "x**2 + y**2 <= 9"}],
}
SEARCH = """```python
from math import sin, cos
grid = [k / 100 for k in range(401)]
x, y = max(
    ((x, y) for x in grid for y in grid if x * x + y * y <= 9),
    key=lambda p: sin(p[0]) + cos(p[1]) * p[0],
)
final_answer({"variables": {"x": x, "y": y}})
```"""


def solved(parts: dict[str, Any], answers: list[Any], plugins: str = "", **rest: Any) -> Answer:
    name, _ = scripted(answers)
    registry = Registry.load(Config.load(plugins=plugins, **rest.pop("config", {})))
    return run(Formulation.model_validate(parts), model=name, registry=registry, **rest)


# ------------------------------------------------------------------ the last resort


def test_what_no_installed_agent_takes_goes_to_the_code_agent() -> None:
    answer = solved(CURVED, [SEARCH], plugins="highs,llm,offline")
    assert answer.classification is not None
    assert [a.name for a in answer.classification.agents] == ["code"]
    assert "last resort" in answer.classification.agents[0].reason
    assert answer.verified
    assert answer.status is Status.FEASIBLE
    assert answer.guarantee is Guarantee.HEURISTIC
    assert answer.objectives["worth"] == pytest.approx(3.14, abs=0.01)


def test_what_all_other_agents_fail_at_goes_to_the_code_agent() -> None:
    answer = solved(SQUARES, [ROOTS], config={"options": ["pymoo.generations=5", "numpy.starts=1"]})
    assert answer.classification is not None
    assert [a.name for a in answer.classification.agents][-1] == "code"
    assert len(answer.classification.agents) > 2
    assert answer.verified
    assert answer.solver is not None
    assert answer.solver.agent == "code"
    assert answer.variables["n"] == 15241**2
    assert answer.guarantee is Guarantee.HEURISTIC


def test_an_agent_that_can_is_asked_before_and_the_model_writes_nothing() -> None:
    linear = {**CURVED, "objectives": [{"name": "w", "sense": "maximize", "expression": "x + y"}]}
    linear["constraints"] = [{"name": "sum", "expression": "x + y <= 5"}]
    name, model = scripted([SEARCH])
    answer = run(Formulation.model_validate(linear), model=name)
    assert answer.status is Status.OPTIMAL
    assert model.seen == []


def test_priorities_are_composed_of_one_conversation_each() -> None:
    parts = {
        **CURVED,
        "objectives": [
            {"name": "first", "sense": "maximize", "expression": "x", "priority": 1},
            {"name": "second", "sense": "maximize", "expression": "y", "priority": 2},
        ],
    }
    first = '```python\nfinal_answer({"variables": {"x": 2, "y": 0}})\n```'
    second = '```python\nfinal_answer({"variables": {"x": 2, "y": 2}})\n```'
    answer = solved(parts, [first, second], solver="code")
    assert answer.verified
    assert answer.objectives == {"first": 2, "second": 2}


def test_a_front_is_not_taken_and_the_refusal_says_so() -> None:
    parts = {
        **CURVED,
        "objectives": [
            {"name": "a", "sense": "maximize", "expression": "x"},
            {"name": "b", "sense": "maximize", "expression": "y"},
        ],
    }
    answer = solved(parts, [SEARCH], solver="code")
    assert answer.exit_code == 4
    assert Capability.MULTI_OBJECTIVE in answer.message


# ------------------------------------------------------------------ the command line


def environment(tmp_path: Path, answers: list[str]) -> dict[str, str]:
    script = tmp_path / "answers.json"
    script.write_text(json.dumps(answers), encoding="utf-8")
    kept = {k: v for k, v in os.environ.items() if not k.startswith("ORKERNEL_")}
    return {
        **kept,
        "PYTHONPATH": str(SUPPORT),
        "ORKERNEL_PLUGINS": "llm",
        "LLM_SCRIPTED_ANSWERS": str(script),
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
    }


def command(tmp_path: Path, *more: str) -> list[str]:
    file = tmp_path / "curved.json"
    file.write_text(json.dumps(CURVED), encoding="utf-8")
    out = str(tmp_path / "runs")
    return [sys.executable, "-m", "orkernel", "run", str(file), "--out", out, "--json", *more]


MODEL = ("--model", "llm_scripted_model:FromFile", "--solver", "code")


def called(
    tmp_path: Path, answers: list[str], *more: str
) -> tuple[int, dict[str, Any], subprocess.CompletedProcess[str]]:
    done = subprocess.run(
        command(tmp_path, *more),
        cwd=tmp_path,
        env=environment(tmp_path, answers),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, json.loads(done.stdout or "{}"), done


def test_a_run_by_name_is_recorded_and_replayed_without_the_model(tmp_path: Path) -> None:
    code, answer, _ = called(tmp_path, ["Let me think.", SEARCH], *MODEL)
    assert code == 0
    assert answer["verified"]
    assert answer["guarantee"] == "heuristic"
    assert answer["usage"]["calls"] == 2
    recorded = Path(answer["run_dir"])
    assert len(list((recorded / "calls").glob("*.json"))) == 2

    again, replayed, done = called(tmp_path, [], *MODEL, "--replay-model", str(recorded))
    assert again == 0, done.stderr
    assert replayed["objectives"] == answer["objectives"]


def test_programs_that_give_no_answer_end_with_5_and_say_what_happened(tmp_path: Path) -> None:
    code, answer, done = called(
        tmp_path, ["```python\nopen('/etc/shadow')\n```"], *MODEL, "-o", "code.steps=2"
    )
    assert code == 5
    assert answer["status"] == "error"
    assert "no program of the model gave an answer that holds" in done.stdout
    assert "the isolation refused what a program tried" in done.stdout
    assert "Traceback" not in done.stderr


def test_ctrl_c_ends_a_program_that_runs_and_leaves_no_process(tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(tmp_path, *MODEL),
        cwd=tmp_path,
        env=environment(tmp_path, ["```python\nwhile True:\n    pass\n```"]),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    calls = tmp_path / "runs"
    deadline = time.monotonic() + 30
    while not list(calls.glob("*/calls/*.json")) and time.monotonic() < deadline:
        time.sleep(0.1)
    time.sleep(0.7)
    children = _descendants(process.pid)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130, errors
    assert children, "the program was not running yet"
    time.sleep(0.2)
    assert not [pid for pid in children if Path(f"/proc/{pid}").exists()]


def _descendants(pid: int) -> list[int]:
    """Processes below one."""
    found: list[int] = []
    waiting = [pid]
    while waiting:
        parent = waiting.pop()
        for tasks in Path(f"/proc/{parent}/task").glob("*/children"):
            below = [int(child) for child in tasks.read_text().split()]
            found += below
            waiting += below
    return found


def test_the_doctor_says_what_isolates_programs(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "orkernel", "doctor", "--json"],
        cwd=tmp_path,
        env=environment(tmp_path, []),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    (finding,) = [f for f in json.loads(done.stdout) if f["check"] == "solver agents code"]
    assert finding["state"] == "ok"
    assert "bubblewrap" in finding["detail"] or "landlock" in finding["detail"].lower()
