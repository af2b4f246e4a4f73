"""Time from a formulation to solver-ready arrays: a transportation model of a given size.

Compares orkernel (bind and lower) with the same arrays written by hand in NumPy, and with linopy
where that is installed. All start from the same Python lists. Each contestant runs in a process
of its own, so that its peak memory is its own; runs alternate.

    python benchmarks/compile_model.py [--size 1000] [--repeats 5]

`--size 1000` makes 1,000,000 variables and 2,000,000 nonzeros.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
BUDGET_SECONDS = 0.5

Data = tuple[list[float], list[float], list[list[float]]]
Clocks = tuple[float, float]
Compiled = tuple[Clocks, Clocks, int, int]
"""Clocks at the start and at the end, variables, nonzeros."""


def clocks() -> Clocks:
    """Seconds on the wall, and of this process on the processor."""
    return time.perf_counter(), time.process_time()


def make_data(size: int) -> Data:
    """Supplies, demands and unit costs."""
    draw = random.Random(1)
    costs = [[round(draw.uniform(1, 10), 3) for _ in range(size)] for _ in range(size)]
    return [100.0] * size, [50.0] * size, costs


def compile_orkernel(size: int, data: Data) -> Compiled:
    """Bind and lower the formulation; the schema's validation counts too."""
    import orkernel.algebra.structure
    from orkernel.formulation.schema import Formulation
    from orkernel.model import Model

    del orkernel
    supply, demand, costs = data
    start = clocks()
    formulation = Formulation.model_validate(
        {
            "sets": [{"name": "PLANT", "range": [1, size]}, {"name": "MARKET", "range": [1, size]}],
            "parameters": [
                {"name": "supply", "index": ["PLANT"], "value": supply},
                {"name": "demand", "index": ["MARKET"], "value": demand},
                {"name": "freight", "index": ["PLANT", "MARKET"], "value": costs},
            ],
            "variables": [{"name": "ship", "index": ["PLANT", "MARKET"]}],
            "objectives": [
                {
                    "name": "cost",
                    "sense": "minimize",
                    "expression": "sum(freight[p,m] * ship[p,m] for p in PLANT for m in MARKET)",
                }
            ],
            "constraints": [
                {
                    "name": "within supply",
                    "for_each": "p in PLANT",
                    "expression": "sum(ship[p,m] for m in MARKET) <= supply[p]",
                },
                {
                    "name": "meet demand",
                    "for_each": "m in MARKET",
                    "expression": "sum(ship[p,m] for p in PLANT) >= demand[m]",
                },
            ],
        }
    )
    form = Model.bind(formulation).linear()
    end = clocks()
    return start, end, form.matrix.shape[1], form.matrix.nnz


def compile_numpy(size: int, data: Data) -> Compiled:
    """The same arrays, by hand."""
    import numpy as np
    from scipy import sparse

    supply, demand, costs = data
    start = clocks()
    cost = np.array(costs).reshape(-1)
    columns = np.arange(size * size, dtype=np.int32)
    rows = np.concatenate([columns // size, size + columns % size])
    matrix = sparse.coo_array(
        (np.ones(2 * size * size), (rows, np.concatenate([columns, columns]))),
        shape=(2 * size, size * size),
    ).tocsr()
    lower = np.concatenate([np.full(size, -np.inf), np.array(demand)])
    upper = np.concatenate([np.array(supply), np.full(size, np.inf)])
    end = clocks()
    assert cost.size == matrix.shape[1]
    assert lower.size == upper.size == matrix.shape[0]
    return start, end, matrix.shape[1], matrix.nnz


def compile_linopy(size: int, data: Data) -> Compiled:
    """The same model in linopy, up to its matrices."""
    import linopy  # type: ignore[import-not-found]
    import numpy as np
    import xarray as xr  # type: ignore[import-not-found]

    supply, demand, costs = data
    start = clocks()
    model = linopy.Model()
    names = {"plant": np.arange(size), "market": np.arange(size)}
    ship = model.add_variables(lower=0, coords=names, dims=["plant", "market"], name="ship")
    model.add_constraints(
        ship.sum("market") <= xr.DataArray(supply, {"plant": names["plant"]}, ["plant"]),
        name="within_supply",
    )
    model.add_constraints(
        ship.sum("plant") >= xr.DataArray(demand, {"market": names["market"]}, ["market"]),
        name="meet_demand",
    )
    model.add_objective((ship * xr.DataArray(costs, names, ["plant", "market"])).sum())
    matrix, cost = model.matrices.A, model.matrices.c
    end = clocks()
    assert cost.size == matrix.shape[1]
    return start, end, matrix.shape[1], matrix.nnz


CONTESTANTS: dict[str, Callable[[int, Data], Compiled]] = {
    "orkernel": compile_orkernel,
    "numpy": compile_numpy,
    "linopy": compile_linopy,
}


def measure(name: str, size: int) -> None:
    """Child process: one compilation, printed as JSON."""
    data = make_data(size)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start, end, columns, nonzeros = CONTESTANTS[name](size, data)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(
        json.dumps(
            {
                "seconds": end[0] - start[0],
                "processor": end[1] - start[1],
                "columns": columns,
                "nonzeros": nonzeros,
                "megabytes": peak / 1024,
                "data_megabytes": before / 1024,
            }
        )
    )


def run(name: str, size: int) -> dict[str, Any]:
    """One compilation in a process of its own."""
    command = [sys.executable, __file__, "--only", name, "--size", str(size)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Run all contestants in turn and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1000, help="plants, and markets")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--only", choices=list(CONTESTANTS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.only:
        measure(arguments.only, arguments.size)
        return
    names = [n for n in CONTESTANTS if n != "linopy" or importlib.util.find_spec("linopy")]
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in names}
    for _ in range(arguments.repeats):
        for name in names:
            results[name].append(run(name, arguments.size))
    first = results["orkernel"][0]
    print(f"{first['columns']:,} variables, {first['nonzeros']:,} nonzeros, medians of")
    print(f"{arguments.repeats} runs; the lists alone take {first['data_megabytes']:.0f} MB")
    medians = {n: statistics.median(r["seconds"] for r in results[n]) for n in names}
    print(f"{'':10}{'seconds':>9}{'fastest':>9}{'CPU s':>9}{'peak MB':>9}{'orkernel ÷':>12}")
    for name in names:
        fastest = min(r["seconds"] for r in results[name])
        peak = statistics.median(r["megabytes"] for r in results[name])
        processor = statistics.median(r["processor"] for r in results[name])
        ratio = medians["orkernel"] / medians[name]
        print(
            f"{name:10}{medians[name]:9.3f}{fastest:9.3f}{processor:9.3f}{peak:9.0f}{ratio:12.2f}"
        )
    verdict = "within" if medians["orkernel"] <= BUDGET_SECONDS else "OVER"
    print(f"orkernel is {verdict} its budget of {BUDGET_SECONDS} s")


if __name__ == "__main__":
    main()
