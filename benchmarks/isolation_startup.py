"""Start-up of an isolated interpreter with numpy, against a plain one, in the same run.

    python benchmarks/isolation_startup.py [--rounds 20]

Each round starts, in turn, `python -I -c "import numpy"` as a plain process and one sandbox for
each way to isolate that runs `import numpy` and is closed. Printed are medians in milliseconds:
until numpy is imported, and until everything is gone again, each also as a ratio to the plain
process.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time

from orkernel_llm.isolation import Backend, Limits, NoIsolation, Sandbox, choose_backend
from orkernel_llm.isolation.choosing import NAMES

PLAIN = "plain python"
AIM = 150.0
"""Milliseconds until numpy is imported."""


def plain() -> tuple[float, float]:
    """Milliseconds of a plain process: until it is gone (twice the same figure)."""
    begun = time.perf_counter()
    subprocess.run([sys.executable, "-I", "-c", "import numpy"], check=True)
    taken = 1000 * (time.perf_counter() - begun)
    return taken, taken


def isolated(backend: Backend) -> tuple[float, float]:
    """Milliseconds of a sandbox: until numpy is imported, and until it is gone."""
    begun = time.perf_counter()
    sandbox = Sandbox(Limits(), backend)
    executed = sandbox.run("import numpy", 60)
    imported = time.perf_counter()
    sandbox.close()
    gone = time.perf_counter()
    if executed.error or executed.stopped:
        raise SystemExit(f"{backend.name}: {executed.error or executed.stopped}")
    return 1000 * (imported - begun), 1000 * (gone - begun)


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=20)
    rounds = parser.parse_args().rounds
    backends: list[Backend] = []
    for name in NAMES:
        try:
            backends.append(choose_backend(name))
        except NoIsolation as error:
            print(error)
    measured: dict[str, list[tuple[float, float]]] = {PLAIN: []}
    measured |= {backend.name: [] for backend in backends}
    for _ in range(rounds):
        measured[PLAIN].append(plain())
        for backend in backends:
            measured[backend.name].append(isolated(backend))
    base = statistics.median(first for first, _ in measured[PLAIN])
    print(f"{'':14} {'imported':>9} {'ratio':>6} {'gone':>9} {'ratio':>6}   aim {AIM:.0f} ms")
    for name, times in measured.items():
        ready = statistics.median(first for first, _ in times)
        gone = statistics.median(last for _, last in times)
        print(f"{name:14} {ready:9.1f} {ready / base:6.2f} {gone:9.1f} {gone / base:6.2f}")


if __name__ == "__main__":
    main()
