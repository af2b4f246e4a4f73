"""Faults of the machine and the user's impatience lose nothing."""

from __future__ import annotations

import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from orkernel.version import __version__

if TYPE_CHECKING:
    from tests.cli.conftest import Command


def market_split(rows: int = 5, columns: int = 40) -> dict[str, Any]:
    """A market-split instance (Cornuéjols and Dawande): out of reach for branch and bound."""
    rng = random.Random(7)
    weights = [[rng.randint(0, 99) for _ in range(columns)] for _ in range(rows)]
    return {
        "sets": [{"name": "R", "range": [1, rows]}, {"name": "C", "range": [1, columns]}],
        "parameters": [
            {"name": "a", "index": ["R", "C"], "value": weights},
            {"name": "d", "index": ["R"], "value": [sum(w) // 2 for w in weights]},
        ],
        "variables": [
            {"name": "x", "index": ["C"], "domain": "binary"},
            {"name": "over", "index": ["R"]},
            {"name": "under", "index": ["R"]},
        ],
        "objectives": [
            {
                "name": "slack",
                "sense": "minimize",
                "expression": "sum(over[r] + under[r] for r in R)",
            }
        ],
        "constraints": [
            {
                "name": "split",
                "for_each": "r in R",
                "expression": "sum(a[r,c]*x[c] for c in C) + under[r] - over[r] == d[r]",
            }
        ],
    }


def wait_for(path: Path, word: str, seconds: float = 30.0) -> None:
    """Wait until a file below a folder contains a word."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        for found in path.glob("runs/*/events.jsonl"):
            if word in found.read_text(encoding="utf-8"):
                return
        time.sleep(0.05)
    raise AssertionError(f"no '{word}' within {seconds} s")


def test_ctrl_c_during_a_solve_keeps_the_run_and_ends_with_130(orkernel: Command) -> None:
    process = orkernel.start("run", orkernel.write("hard.json", market_split()))
    wait_for(orkernel.folder, "solver.started")
    time.sleep(1.0)
    started = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert time.monotonic() - started < 10
    assert process.returncode == 130, (out, err)
    assert "Traceback" not in err
    assert "feasible · slack = " in out
    assert "orkernel run --resume runs/" in out
    (run,) = orkernel.json("runs")
    assert run["state"] == "interrupted"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_kill_and_a_closed_terminal_keep_the_run_too(
    orkernel: Command, number: signal.Signals
) -> None:
    process = orkernel.start("run", orkernel.write("hard.json", market_split()))
    wait_for(orkernel.folder, "solver.started")
    os.kill(process.pid, number)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, (out, err)
    (run,) = orkernel.json("runs")
    assert run["state"] == "interrupted"


def test_a_benchmark_that_is_killed_reports_what_it_has(orkernel: Command) -> None:
    question = "maximize 3x + 2y subject to x + y <= 4, x <= 2, x, y >= 0"
    line = json.dumps({"question": question, "answer": 10}) + "\n"
    process = orkernel.start(
        "bench", orkernel.write("b.jsonl", line * 5000), "--out", "bench", "--json"
    )
    outcomes = orkernel.folder / "bench" / "outcomes.jsonl"
    deadline = time.monotonic() + 60
    while not (outcomes.exists() and outcomes.stat().st_size) and time.monotonic() < deadline:
        time.sleep(0.1)
    os.kill(process.pid, signal.SIGTERM)
    out, err = process.communicate(timeout=20)
    assert process.returncode == 130, err
    kept = outcomes.read_text(encoding="utf-8")
    assert 0 < len(kept.splitlines()) == len(json.loads(out)["outcomes"]) < 5000


def test_a_signal_that_the_caller_ignores_stays_ignored(orkernel: Command) -> None:
    name = orkernel.write("hard.json", market_split())
    process = subprocess.Popen(
        [
            "bash",
            "-c",
            f"trap '' HUP; exec {sys.executable} -m orkernel run {name} --time-limit 3",
        ],
        cwd=orkernel.folder,
        env=orkernel.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_for(orkernel.folder, "solver.started")
    os.kill(process.pid, signal.SIGHUP)
    assert process.wait(timeout=60) == 0
    (run,) = orkernel.json("runs")
    assert run["state"] == "finished"


def test_the_time_limit_gives_a_checked_incumbent_with_bound_and_gap(orkernel: Command) -> None:
    name = orkernel.write("hard.json", market_split())
    answer = orkernel.json("run", name, "--time-limit", "2")
    assert answer["status"] == "feasible"
    assert answer["verified"] is True
    assert answer["bound"] <= answer["objectives"]["slack"]
    assert answer["gap"] > 0
    assert answer["evidence"] is None
    assert answer["timings"]["solve"] < 8


def test_a_time_limit_of_zero_is_no_answer_and_exit_code_5_or_a_checked_one(
    orkernel: Command,
) -> None:
    name = orkernel.write("hard.json", market_split())
    done = orkernel("run", name, "--time-limit", "0", "--json")
    answer = json.loads(done.stdout)
    assert (answer["status"], done.returncode) in {("time_limit", 5), ("feasible", 0)}
    assert answer["status"] == "time_limit" or answer["verified"]


STATEMENT = """Maximize $3 x + 2 y$ subject to

$$x + y \\le 4, \\qquad x + 3 y \\le 6, \\qquad 0 \\le x \\le 3, \\qquad y \\ge 0$$
"""


@pytest.mark.parametrize("delay", [0.2, 0.5, 0.8, 1.1, 1.4, 1.7])
def test_kill_9_at_any_moment_leaves_a_folder_that_resumes(orkernel: Command, delay: float) -> None:
    name = orkernel.write("p.md", STATEMENT)
    process = orkernel.start("run", name)
    time.sleep(delay)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    listed = orkernel("runs")
    assert listed.returncode == 0, listed.stderr
    for folder in (orkernel.folder / "runs").glob("*") if listed.stdout else ():
        for file in folder.rglob("*.json"):
            json.loads(file.read_text(encoding="utf-8"))
        run = json.loads((folder / "run.json").read_text())
        assert orkernel("show", str(folder)).returncode == 0
        if run["state"] == "running" and "request" in run:
            answer = orkernel.json("run", "--resume", str(folder))
            assert answer["objectives"][next(iter(answer["objectives"]))] == pytest.approx(11.0)


def test_resuming_takes_over_complete_candidates(orkernel: Command) -> None:
    name = orkernel.write("p.md", STATEMENT)
    run_dir = orkernel.folder / orkernel.json("run", name)["run_dir"]
    run = json.loads((run_dir / "run.json").read_text())
    (run_dir / "run.json").write_text(json.dumps({**run, "state": "running"}))
    before = (run_dir / "candidates" / "0.json").read_bytes()
    (run_dir / "answer.json").unlink()
    answer = orkernel.json("run", "--resume", str(run_dir))
    assert answer["status"] == "optimal"
    assert (run_dir / "candidates" / "0.json").read_bytes() == before
    refused = orkernel("run", "--resume", str(run_dir))
    assert refused.returncode == 2
    assert "is finished" in refused.stderr


def mounted(orkernel: Command, options: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run with a file system of its own at `small`, mounted in a name space of its own."""
    tool = shutil.which("unshare")
    assert tool is not None, "util-linux is needed"
    (orkernel.folder / "small").mkdir()
    mount = f"mount -t tmpfs -o {options} tmpfs small"
    command = shlex.join([sys.executable, "-m", "orkernel", *arguments])
    return subprocess.run(
        [tool, "--user", "--map-root-user", "--mount", "sh", "-c", f"{mount} && {command}"],
        cwd=orkernel.folder,
        env=orkernel.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_a_read_only_output_folder_is_named_before_any_work(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    name = orkernel.write("w.json", wyndor)
    done = mounted(orkernel, "ro", "run", name, "--out", "small/runs")
    assert done.returncode == 2
    assert done.stderr == (
        "error: cannot write the run folder in small/runs: Read-only file system\n"
        "fix: choose another folder with --out DIR\n"
    )
    assert done.stdout == ""


def test_a_full_disk_takes_away_the_audit_trail_but_not_the_answer(
    orkernel: Command, wyndor: dict[str, Any]
) -> None:
    name = orkernel.write("w.json", wyndor)
    done = mounted(orkernel, "size=20k", "run", name, "--out", "small/runs", "--json")
    assert done.returncode == 5, done.stderr
    answer = json.loads(done.stdout)
    assert answer["objectives"] == {"profit": 36.0}
    assert answer["verified"] is True
    assert answer["storage_failure"] == "the run folder is incomplete: No space left on device"
    assert "error: the run folder is incomplete: No space left on device" in done.stderr


OFFLINE = """
import sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.sendto", "socket.bind"):
        raise OSError(f"the network was used: {event}")

sys.addaudithook(refuse)
from orkernel.cli import main
main()
"""


def test_a_run_uses_no_network(orkernel: Command) -> None:
    """Every attempt to reach a network is an error in this process."""
    name = orkernel.write("p.md", STATEMENT)
    done = subprocess.run(
        [sys.executable, "-c", OFFLINE, "run", name, "--json"],
        cwd=orkernel.folder,
        env=orkernel.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["status"] == "optimal"


STRAY = """
import sys, threading, time
from orkernel.cli import main

class Module:
    def __del__(self, write=sys.stdout.write):
        write("the interpreter was torn down")

module = Module()
threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
sys.argv = ["orkernel", "--version"]
main()
"""


def test_a_solver_thread_left_behind_meets_no_interpreter_that_shuts_down() -> None:
    """It would abort the process from within a C++ library."""
    done = subprocess.run(
        [sys.executable, "-c", STRAY], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"orkernel {__version__}\n"
