"""The whole loop with a real language model, SmolLM2: in this process, and behind a real server.

The model has 135 million parameters and cannot formulate. What is tested is that everything around
it works with real answers, and that the run ends in a refusal that says what happened.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import orkernel
from orkernel.answer import Answer
from orkernel.config import Config
from orkernel.records import Event, Problem
from orkernel.registry import Registry
from orkernel.solution import Status
from orkernel_llm.models.llamacpp import smollm2_file

STATEMENT = "Maximize 3*x + 2*y subject to x + y <= 4 and x <= 2, where x and y are not negative.\n"
OPTIMUM = 10.0
PLUGINS = "llm,offline,maxmin,highs,ortools"
IN_PROCESS = "llamacpp/smollm2"
SHORT = ["model.max_tokens=24", "model.retries=0"]


def solve(out: Path, events: list[Event] | None = None, **more: object) -> Answer:
    registry = Registry.load(Config.load(plugins=PLUGINS, options=SHORT))
    observe = events.append if events is not None else None
    return orkernel.run(
        Problem(STATEMENT),
        registry=registry,
        out=out,
        observe=observe,
        **more,  # type: ignore[arg-type]
    )


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """Address of llama.cpp's own OpenAI-compatible server with the same weights."""
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(smollm2_file())
    parameters.n_ctx = 4096
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = 1
    parameters.warmup = False
    parameters.verbosity = -1
    running = xllamacpp.Server(parameters)
    yield f"{running.listening_address}/v1"
    del running


def test_three_candidates_in_this_process_end_in_a_told_refusal_that_replays(
    tmp_path: Path,
) -> None:
    events: list[Event] = []
    answer = solve(tmp_path / "live", events, model=IN_PROCESS, k=3)
    assert (answer.status, answer.exit_code) == (Status.ILL_POSED, 4)
    assert len(answer.candidates) == 3
    assert all(c.refused.startswith(IN_PROCESS) for c in answer.candidates)
    assert answer.usage["calls"] == 3
    assert answer.usage["cost"] == 0.0
    assert (answer.usage["completion_tokens"] or 0) > 0
    kinds = [e.kind for e in events]
    assert kinds.count("model.started") == kinds.count("model.finished") == 3
    assert answer.run_dir is not None
    names = {p.relative_to(answer.run_dir).as_posix() for p in answer.run_dir.rglob("*.json")}
    assert {"run.json", "answer.json", "calls/0003.json", "candidates/2.json"} <= names
    again = solve(tmp_path / "again", replay_model=answer.run_dir, k=3)
    assert [c.refused for c in again.candidates] == [c.refused for c in answer.candidates]


def test_scores_and_ranking_of_a_real_model_are_taken_or_told(tmp_path: Path) -> None:
    answer = solve(
        tmp_path,
        model=IN_PROCESS,
        formulator="offline",
        scorers=["self-confidence", "evidence"],
        classifier="llm",
        k=1,
    )
    assert (answer.status, answer.verified) == (Status.OPTIMAL, True)
    assert answer.objective == pytest.approx(OPTIMUM)
    scorers = {e.scorer for e in answer.candidates[0].evaluations}
    told = any("scorer 'self-confidence' failed" in note for note in answer.notes)
    assert scorers == {"evidence"} if told else {"self-confidence", "evidence"}


def command(out: Path, address: str, *more: str) -> list[str]:
    options = [part for option in SHORT for part in ("-o", option)]
    return [
        *(sys.executable, "-m", "orkernel", "run", *more, "--out", str(out)),
        *("--model", "openai/smollm2", "--base-url", address, "--plugins", PLUGINS, *options),
    ]


def test_a_run_through_a_server_is_stopped_in_the_middle_of_a_call_and_gone_on_with(
    server: str, tmp_path: Path
) -> None:
    statement = tmp_path / "statement.md"
    statement.write_text(STATEMENT)
    environ = {k: v for k, v in os.environ.items() if not k.startswith("OPENAI_")}
    out = tmp_path / "runs"
    process = subprocess.Popen(
        command(out, server, str(statement), "-k", "2", "-v"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environ,
    )
    calls = lambda: len(list(out.glob("*/calls/*.json")))  # noqa: E731
    deadline = time.monotonic() + 120
    while calls() < 1 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.3)
    asked_at = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert time.monotonic() - asked_at < 10
    assert "Traceback" not in errors
    assert "asking openai/smollm2" in errors
    assert calls() == 1
    (run,) = out.iterdir()
    done = subprocess.run(
        [
            *(sys.executable, "-m", "orkernel", "run", "--resume", str(run), "--json"),
            *("--plugins", PLUGINS),
        ],
        capture_output=True,
        text=True,
        env={**environ, "OPENAI_BASE_URL": server},
        timeout=120,
        check=False,
    )
    assert done.returncode == 4, done.stderr
    assert "Traceback" not in done.stderr
    answer = json.loads(done.stdout)
    assert answer["status"] == "ill_posed"
    assert len(answer["candidates"]) == 2
    assert calls() == 2
