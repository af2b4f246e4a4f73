"""Seconds that the pipeline spends outside language model and solvers, per item; aim: 50 ms.

The same statements are answered by rules alone, and with a scripted model that answers at once,
with and without a run folder. Processor time is to be trusted on a busy machine; what is left of
it after the solvers is the overhead.

    python benchmarks/pipeline_overhead.py [--items 30] [--profile]
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from scripted_model import statement

from orkernel.bench.items import Item
from orkernel.bench.results import Result
from orkernel.bench.running import run_item
from orkernel.bench.settings import settings_of
from orkernel.registry import Registry

AIM_MS = 50.0
PLAIN = (
    "A dairy makes butter and cheese. Each block of butter needs {0} litres of milk and each wheel "
    "of cheese needs 90 litres of milk. There are {1} litres of milk. Each block of butter earns 8 "
    "euros and each wheel of cheese earns 55 euros. How many of each should be made to maximize "
    "earnings?"
)


def measure(
    items: list[Item], arguments: dict[str, Any], folder: Path | None
) -> tuple[list[Result], float]:
    """Results, and processor seconds per item; the first item, which loads, is left out.

    Raises:
        SystemExit: An item was not answered.
    """
    (setting,) = settings_of({"second_opinion": False, **arguments}, (), ())
    registry = Registry.load(setting.config(plugins="", no_plugins=False))
    results = []
    for number, item in enumerate(items):
        if number == 1:
            began = time.process_time()
        place = folder / item.id if folder is not None else None
        results.append(run_item(item, setting, registry, folder=place))
        if results[-1].state != "answered":
            raise SystemExit(f"item {item.id} was not answered: {results[-1].why}")
    return results[1:], (time.process_time() - began) / (len(items) - 1)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=30)
    parser.add_argument("--profile", action="store_true", help="print where the time goes")
    arguments = parser.parse_args()
    plain = [Item(str(n), PLAIN.format(20 + n % 7, 4000 + n)) for n in range(arguments.items)]
    told = [Item(str(n), statement(n)) for n in range(arguments.items)]
    model = {"model": "scripted_model:Instant"}
    print(f"{arguments.items} items, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")
    print(
        f"{'':<36}{'CPU ms':>8}{'wall ms':>9}{'solvers':>9}{'model':>7}{'overhead':>10}"
        f"{'÷ aim':>7}{'calls':>7}"
    )
    for name, items, given, kept in (
        ("rules", plain, {}, False),
        ("instant model", told, model, False),
        ("instant model, run folder kept", told, model, True),
        ("instant model, preset coopa", told, {**model, "preset": "coopa"}, False),
    ):
        profile = cProfile.Profile()
        with tempfile.TemporaryDirectory() as folder:
            if arguments.profile:
                profile.enable()
            results, cpu = measure(items, given, Path(folder) if kept else None)
            profile.disable()
        overhead = statistics.median(r.overhead for r in results) * 1000
        print(
            f"{name:<36}{cpu * 1000:>8.1f}"
            f"{statistics.median(r.seconds for r in results) * 1000:>9.1f}"
            f"{statistics.median(r.solve_seconds for r in results) * 1000:>9.1f}"
            f"{statistics.median(r.usage.get('seconds') or 0 for r in results) * 1000:>7.1f}"
            f"{overhead:>10.1f}{overhead / AIM_MS:>7.2f}"
            f"{statistics.mean(r.usage.get('calls') or 0 for r in results):>7.1f}"
        )
        if arguments.profile:
            pstats.Stats(profile).sort_stats("cumulative").print_stats(45)


if __name__ == "__main__":
    main()
