"""How close `orkernel bench` comes to the ideal with 64 items in flight against a slow server.

The server is a process of its own and takes one second for every answer, however many are asked
for at once. Ideal is (calls × seconds per call) / jobs. Two spans are set against it: from the
first request to the last answer, and the whole command with its start. The work per item in the
processes of the bench is printed too: it is what limits a machine with few cores.

    python benchmarks/bench_throughput.py [--jobs 64] [--items 256] [--seconds 1]
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

from scripted_model import statement


def bench(data: Path, address: str, arguments: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """Run the command; its `--json` object.

    Raises:
        SystemExit: It failed, or answered an item wrongly.
    """
    command = [
        sys.executable, "-m", "orkernel", "bench", str(data), "--jobs", str(arguments.jobs),
        "--model", "openai/scripted", "--base-url", address, "--json",
        *arguments.flags,
    ]  # fmt: skip
    if not arguments.no_runs:
        command += ["--out", str(folder / "bench")]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed with {done.returncode}")
    found: dict[str, Any] = json.loads(done.stdout)
    unanswered = [o for o in found["outcomes"] if o["verdict"] != "unscored"]
    if unanswered:
        raise SystemExit(f"{len(unanswered)} items were not answered: {unanswered[0]['why']}")
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jobs", type=int, default=64)
    parser.add_argument("--items", type=int, default=256)
    parser.add_argument("--seconds", type=float, default=1.0)
    parser.add_argument("--no-runs", action="store_true", help="keep no run folders")
    parser.add_argument("flags", nargs="*", help="further flags of `orkernel bench`, after --")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = folder / "dairies.jsonl"
        lines = [json.dumps({"id": n, "question": statement(n)}) for n in range(arguments.items)]
        data.write_text("\n".join(lines) + "\n", encoding="utf-8")
        server = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("scripted_model.py")),
             "--seconds", str(arguments.seconds)],
            stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        try:
            assert server.stdout is not None
            address = f"http://127.0.0.1:{int(server.stdout.readline())}"
            began, used = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
            found = bench(data, f"{address}/v1", arguments, folder)
            wall = time.perf_counter() - began
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            with urllib.request.urlopen(address, timeout=10) as response:
                served = json.load(response)
        finally:
            server.kill()
            server.wait()
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    ideal = served["calls"] * arguments.seconds / arguments.jobs
    print(
        f"{arguments.items} items, {served['calls']} calls of {arguments.seconds:g} s, "
        f"{arguments.jobs} jobs (most calls at once: {served['most_at_once']}), "
        f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors"
    )
    print(f"{'':<36}{'seconds':>9}{'of ideal':>10}")
    print(f"{'ideal':<36}{ideal:>9.2f}{1:>10.0%}")
    for what, seconds in (
        ("first request to last answer", served["span"]),
        ("whole command, start included", wall),
    ):
        print(f"{what:<36}{seconds:>9.2f}{ideal / seconds:>10.0%}")
    work = found["work"]
    print(
        f"processor time {cpu:.1f} s in all, {1000 * cpu / arguments.items:.0f} ms per item; "
        f"seconds per item: {work['seconds']['mean']:.2f} in all, "
        f"{work['model_seconds']['mean']:.2f} model, {work['solve_seconds']['mean']:.3f} solvers, "
        f"{work['overhead']['mean']:.3f} neither"
    )


if __name__ == "__main__":
    main()
