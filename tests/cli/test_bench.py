"""`orkernel bench` with items that fail, kill their process, or never end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Command

PLUGIN = '''
import os, signal, threading, time
from orkernel import FormulatorSpec, Formulation, hookimpl
from orkernel.errors import UsageError


@hookimpl
def orkernel_formulators():
    yield FormulatorSpec(name="scripted", target="bench_scripted:Scripted", summary="Obeys.")


class Scripted:
    """Does what the statement says, and notes that it was asked."""

    def formulate(self, problem, history, ctx):
        if history:
            from orkernel.errors import NoMoreReadings
            raise NoMoreReadings()
        with open(os.environ["BENCH_ASKED"], "a") as file:
            file.write(problem.name + "\\n")
        word, _, number = problem.statement.partition(" ")
        if word == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        if word == "exit":
            os._exit(7)
        if word == "raise":
            raise RuntimeError("out of luck")
        if word == "misuse":
            raise UsageError(f"item {number} is too long")
        if word == "hang":
            while not ctx.cancelled:
                time.sleep(0.01)
            ctx.check_cancelled()
        if word == "stuck":
            time.sleep(600)
        if word == "meet":
            place = os.path.join(os.path.dirname(os.environ["BENCH_ASKED"]), "met")
            os.makedirs(place, exist_ok=True)
            open(os.path.join(place, problem.name), "w").close()
            until = time.monotonic() + 30
            while len(os.listdir(place)) < int(number) and time.monotonic() < until:
                time.sleep(0.01)
            number = len(os.listdir(place))
        return Formulation.model_validate({
            "variables": [{"name": "x", "upper": float(number)}],
            "objectives": [{"name": "profit", "sense": "maximize", "expression": "x"}],
            "constraints": [{"name": "most", "expression": "x <= 1000"}],
        })
'''


class Bench:
    """Runs `orkernel bench` with a formulator that does what the statement says."""

    def __init__(self, command: Command) -> None:
        self.command = command
        self.folder = command.folder
        info = self.folder / "site" / "bench_scripted-1.0.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text(
            "Metadata-Version: 2.1\nName: bench-scripted\nVersion: 1.0\n"
        )
        (info / "entry_points.txt").write_text("[orkernel]\nscripted = bench_scripted\n")
        (self.folder / "site" / "bench_scripted.py").write_text(PLUGIN)
        self.environment = {
            "PYTHONPATH": str(self.folder / "site"),
            "BENCH_ASKED": str(self.folder / "asked.txt"),
        }
        self.flags = ("--formulator", "scripted", "--time-limit", "20")

    def data(self, *statements: str, answer: Any = 5) -> str:
        lines = [json.dumps({"question": s, "answer": answer}) for s in statements]
        return self.command.write("q.jsonl", "\n".join(lines) + "\n")

    def json(self, *arguments: str, code: int = 0) -> Any:
        given = arguments if "--resume" in arguments else (*arguments, *self.flags)
        return self.command.json("bench", *given, code=code, **self.environment)

    def verdicts(self, *arguments: str) -> list[str]:
        return [outcome["verdict"] for outcome in self.json(*arguments)["outcomes"]]

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        return self.command.start("bench", *arguments, *self.flags, **self.environment)

    def asked(self) -> list[str]:
        path = self.folder / "asked.txt"
        return path.read_text().split() if path.exists() else []

    def wait_outcome(self) -> None:
        until = time.monotonic() + 60
        outcomes = self.folder / "out" / "outcomes.jsonl"
        while not (outcomes.exists() and outcomes.stat().st_size) and time.monotonic() < until:
            time.sleep(0.05)

    def wait_asked(self, number: int) -> None:
        until = time.monotonic() + 60
        while len(self.asked()) < number and time.monotonic() < until:
            time.sleep(0.05)
        assert len(self.asked()) >= number


@pytest.fixture
def bench(orkernel: Command) -> Bench:
    return Bench(orkernel)


def test_an_item_that_kills_its_worker_twice_has_failed_and_the_others_go_on(bench: Bench) -> None:
    name = bench.data("answer 5", "die now", "answer 6", "raise it", "exit it", "answer 5")
    found = bench.json(name, "--jobs", "3")["outcomes"]
    assert [o["verdict"] for o in found] == [
        "right",
        "failed",
        "wrong",
        "refused",
        "failed",
        "right",
    ]
    assert found[1]["why"] == "its worker process was killed by SIGKILL, twice"
    assert "out of luck" in found[3]["why"]
    assert found[4]["why"] == "its worker process ended with code 7, twice"
    assert bench.asked().count("item-2") == 2


def test_more_jobs_than_cores_are_threads(bench: Bench) -> None:
    assert (
        bench.verdicts(bench.data(*["meet 12"] * 12, answer=12), "--jobs", "12") == ["right"] * 12
    )


def test_a_usage_error_of_one_item_is_its_own_and_one_of_all_ends_the_bench(bench: Bench) -> None:
    mixed = bench.data("misuse 1", "answer 5", "misuse 2")
    assert bench.verdicts(mixed) == ["failed", "right", "failed"]
    all_alike = bench.data("misuse it", "misuse it", "misuse it", "misuse it")
    done = bench.command("bench", all_alike, *bench.flags, **bench.environment)
    assert done.returncode == 2
    assert done.stderr.count("error: item it is too long") == 1


def test_resume_asks_nothing_twice_and_scores_again_by_other_rules(bench: Bench) -> None:
    name = bench.data("answer 5", "answer 5.4", "raise it")
    first = bench.json(name, "--out", "out")
    assert first["complete"] is True
    lines = (bench.folder / "out" / "outcomes.jsonl").read_text().splitlines(keepends=True)
    (bench.folder / "out" / "outcomes.jsonl").write_text(lines[0] + lines[1][:40])
    again = bench.json("--resume", "out", "--jobs", "2")
    assert sorted(bench.asked()) == ["item-1", "item-2", "item-2", "item-3", "item-3"]
    assert [o["verdict"] for o in again["outcomes"]] == ["right", "wrong", "refused"]
    scored = bench.json("--resume", "out", "--whole")
    assert [o["verdict"] for o in scored["outcomes"]] == ["right", "right", "refused"]
    assert scored["scored_by"]["raw labels"] == [
        {"rule": "whole", "figure": "objective", "items": 2}
    ]
    assert len(bench.asked()) == 5
    kept = json.loads((bench.folder / "out" / "summary.json").read_text())
    assert kept["summaries"] == scored["summaries"]


def test_failed_items_are_asked_again_only_on_request(bench: Bench) -> None:
    bench.json(bench.data("answer 5", "exit it"), "--out", "out")
    before = len(bench.asked())
    bench.json("--resume", "out")
    assert len(bench.asked()) == before
    bench.json("--resume", "out", "--retry-failed")
    assert len(bench.asked()) == before + 2


def test_resume_refuses_other_data_other_settings_and_a_folder_in_use(bench: Bench) -> None:
    name = bench.data("answer 5")
    bench.json(name, "--out", "out")

    def error(*arguments: str) -> str:
        done = bench.command("bench", *arguments, **bench.environment)
        assert done.returncode == 2, done.stderr
        return done.stderr

    held = error(name, "--out", "out")
    assert "error: out holds a bench already" in held
    assert "fix: go on with `orkernel bench --resume out`" in held
    assert "not to be given again: -k" in error("--resume", "out", "-k", "1")
    (bench.folder / "orkernel.toml").write_text("[options.highs]\nthreads = 1\n")
    assert "settings: default: configured: highs" in error("--resume", "out")
    (bench.folder / "orkernel.toml").unlink()
    bench.data("answer 6")
    assert "data: sha256" in error("--resume", "out")
    assert "is not a bench folder" in error("--resume", "site")
    assert "give either DATA or --resume DIR" in error()


@pytest.mark.parametrize("jobs", ["1", "6"])
def test_ctrl_c_cancels_running_items_keeps_results_and_resumes(bench: Bench, jobs: str) -> None:
    name = bench.data("answer 5", *["hang 5"] * 6, "answer 5")
    process = bench.start(name, "--jobs", jobs, "--out", "out", "--json")
    bench.wait_asked(2 if jobs == "1" else 6)
    bench.wait_outcome()
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert time.monotonic() - began < 15
    assert "Traceback" not in err
    found = json.loads(out)
    assert found["complete"] is False
    assert [o["id"] for o in found["outcomes"]][:1] == ["1"]
    assert "Not finished" in (bench.folder / "out" / "summary.md").read_text()


def test_items_that_heed_nothing_are_ended_by_the_second_ctrl_c(bench: Bench) -> None:
    process = bench.start(bench.data(*["stuck 5"] * 4), "--jobs", "4", "--out", "out")
    bench.wait_asked(4)
    began = time.monotonic()
    os.kill(process.pid, signal.SIGINT)
    time.sleep(0.5)
    os.kill(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert time.monotonic() - began < 15
    assert "Traceback" not in err


def test_workers_end_with_a_parent_that_is_killed(bench: Bench) -> None:
    process = bench.start(bench.data(*["hang 5"] * 2), "--jobs", "2")
    bench.wait_asked(2)
    children = [
        int(path.parent.name)
        for path in Path("/proc").glob("[0-9]*/stat")
        if _parent_of(path) == process.pid
    ]
    process.kill()
    process.communicate(timeout=30)
    until = time.monotonic() + 15
    while any(_alive(child) for child in children) and time.monotonic() < until:
        time.sleep(0.05)
    assert children
    assert not any(_alive(child) for child in children)


def _parent_of(stat: Path) -> int | None:
    try:
        return int(stat.read_text().rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return None


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_settings_run_side_by_side(bench: Bench) -> None:
    name = bench.data("answer 5", "answer 6")
    flags = ("--ablate", "default", "--ablate", "k=1  selector=first")
    found = bench.json(name, *flags, "--jobs", "2", "--out", "out", "--keep-runs")
    assert list(found["settings"]) == ["default", "k=1 selector=first"]
    for setting in found["settings"].values():
        assert setting["summaries"]["raw labels"]["right"] == 1
    runs = sorted(p.relative_to(bench.folder).parts[2:4] for p in
                  (bench.folder / "out" / "runs").glob("*/*/*/run.json"))  # fmt: skip
    assert runs == [
        ("0-default", "0-1"),
        ("0-default", "1-2"),
        ("1-k-1-selector-first", "0-1"),
        ("1-k-1-selector-first", "1-2"),
    ]
    page = (bench.folder / "out" / "summary.md").read_text()
    assert "| setting | labels | items |" in page


def test_a_wrong_setting_is_refused_before_anything_is_asked(bench: Bench) -> None:
    arguments = ("bench", bench.data("answer 5"), "--ablate", "default", "--ablate")
    done = bench.command(*arguments, "selector=frist", *bench.flags, **bench.environment)
    assert done.returncode == 2
    assert "no selection rule is named 'frist'" in done.stderr
    assert bench.asked() == []


def test_label_files_side_by_side(bench: Bench) -> None:
    name = bench.data("answer 5", "answer 6", answer={"profit": 5, "cost": 6})
    for file, key in (("a.jsonl", "profit"), ("b.jsonl", "cost")):
        labels = [{"id": 1, "objective_key": key}, {"id": 2, "objective_key": key, "fault": "?"}]
        bench.command.write(file, "".join(json.dumps(line) + "\n" for line in labels))
    found = bench.json(name, "--labels", "a.jsonl", "--labels", "b.jsonl")
    rights = {name: s["right"] for name, s in found["summaries"].items()}
    assert rights == {
        "a.jsonl": 1,
        "a.jsonl, without faulty labels": 1,
        "b.jsonl": 1,
        "b.jsonl, without faulty labels": 0,
    }
    assert [o["scores"]["b.jsonl"]["verdict"] for o in found["outcomes"]] == ["wrong", "right"]


def test_markdown_is_printed_as_a_page(bench: Bench) -> None:
    name = bench.data("answer 5")
    done = bench.command("bench", name, "--markdown", *bench.flags, **bench.environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("# Bench of q.jsonl\n")
    assert "| raw labels | 1 | 1 (100%) | 1 |" in done.stdout


def test_an_interrupted_run_folder_is_gone_on_with(bench: Bench) -> None:
    name = bench.data("answer 5", "hang 5")
    process = bench.start(name, "--out", "out", "--keep-runs")
    bench.wait_asked(2)
    os.kill(process.pid, signal.SIGTERM)
    process.communicate(timeout=30)
    plugin = bench.folder / "site" / "bench_scripted.py"
    plugin.write_text(PLUGIN.replace('word == "hang"', "False"))
    assert [o["verdict"] for o in bench.json("--resume", "out")["outcomes"]] == ["right"] * 2
    assert len(list((bench.folder / "out" / "runs" / "0-default" / "1-2").iterdir())) == 1
