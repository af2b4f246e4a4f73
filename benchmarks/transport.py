"""Build and solve a dense transportation problem: orkernel-highs against its rivals.

    python benchmarks/transport.py [--size 200] [--rounds 15] [--json]

All contenders get the same costs, supplies and demands as NumPy arrays, solve with
HiGHS, and must reach the same optimum. Times are wall-clock seconds from the arrays to the
solution, imports excluded: one process runs the contenders round after round, each time in
another order, and the fastest round of each counts. Processor time stands beside it, since on
a busy machine only that is steady. Ratios are against highspy fed with arrays. Peak memory is
that of a fresh process that runs one contender once.

`orkernel` starts from a `Formulation` in memory (costs as nested lists): `Model.bind`,
lowering, solve. `orkernel, from JSON` also parses the text; `orkernel, bound` leaves
`Model.bind` out. Contenders that are not installed are left out and named.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BASELINE = "highspy"


@dataclass(frozen=True, slots=True)
class Instance:
    """`cost[i, j]` per unit from source i to sink j, with total supply above total demand."""

    cost: Floats
    supply: Floats
    demand: Floats

    @classmethod
    def random(cls, size: int) -> Instance:
        """Dense random costs in [0, 1), demands 10–99, supplies 20 % above the mean demand."""
        rng = np.random.default_rng(0)
        demand = rng.integers(10, 100, size).astype(float)
        supply = np.full(size, np.ceil(demand.sum() * 1.2 / size))
        return cls(rng.random((size, size)), supply, demand)


Solve = Callable[[], float]


def highspy_arrays(instance: Instance) -> Solve:
    """Raw highspy, the constraint matrix made by hand."""
    import highspy

    def solve() -> float:
        sources, sinks = instance.cost.shape
        n = sources * sinks
        matrix_index = np.concatenate(
            [np.arange(n), np.arange(n).reshape(sources, sinks).T.ravel()]
        ).astype(np.int32)
        starts = np.concatenate(
            [np.arange(sources) * sinks, n + np.arange(sinks + 1) * sources]
        ).astype(np.int32)
        row_lower = np.concatenate([np.full(sources, -np.inf), instance.demand])
        row_upper = np.concatenate([instance.supply, np.full(sinks, np.inf)])
        make: Any = highspy.Highs
        highs = make()
        highs.setOptionValue("output_flag", False)
        highs.passModel(
            n, sources + sinks, 2 * n, 2, 1, 0.0, instance.cost.ravel(), np.zeros(n),
            np.full(n, np.inf), row_lower, row_upper, starts, matrix_index, np.ones(2 * n),
            np.zeros(n, dtype=np.int32),
        )  # fmt: skip
        highs.run()
        x = np.asarray(highs.getSolution().col_value)
        return float(instance.cost.ravel() @ x)

    return solve


def _formulation_data(instance: Instance) -> dict[str, Any]:
    sources, sinks = instance.cost.shape
    return {
        "sets": [
            {"name": "SOURCE", "range": [1, sources]},
            {"name": "SINK", "range": [1, sinks]},
        ],
        "parameters": [
            {"name": "cost", "index": ["SOURCE", "SINK"], "value": instance.cost.tolist()},
            {"name": "supply", "index": ["SOURCE"], "value": instance.supply.tolist()},
            {"name": "demand", "index": ["SINK"], "value": instance.demand.tolist()},
        ],
        "variables": [{"name": "ship", "index": ["SOURCE", "SINK"]}],
        "objectives": [
            {
                "name": "cost",
                "sense": "minimize",
                "expression": "sum(cost[i,j]*ship[i,j] for i in SOURCE for j in SINK)",
            }
        ],
        "constraints": [
            {
                "name": "supply",
                "for_each": "i in SOURCE",
                "expression": "sum(ship[i,j] for j in SINK) <= supply[i]",
            },
            {
                "name": "demand",
                "for_each": "j in SINK",
                "expression": "sum(ship[i,j] for i in SOURCE) >= demand[j]",
            },
        ],
    }


def _orkernel_solve(model: Any) -> float:
    from orkernel.context import RunContext
    from orkernel.records import Problem
    from orkernel_highs.agent import HighsAgent

    solution = HighsAgent().solve(Problem(""), model, RunContext())
    assert solution.objective is not None
    return solution.objective


def orkernel_formulation(instance: Instance) -> Solve:
    """From a formulation in memory."""
    from orkernel.formulation.schema import Formulation
    from orkernel.model import Model

    formulation = Formulation.model_validate(_formulation_data(instance))
    return lambda: _orkernel_solve(Model.bind(formulation))


def orkernel_bound(instance: Instance) -> Solve:
    """From a formulation that is already bound to its data; lowering included."""
    from orkernel.formulation.schema import Formulation
    from orkernel.model import Model

    formulation = Formulation.model_validate(_formulation_data(instance))
    models = iter([Model.bind(formulation) for _ in range(ROUNDS + 1)])
    return lambda: _orkernel_solve(next(models))


def orkernel_json(instance: Instance) -> Solve:
    """From the text of a formulation."""
    from orkernel.formulation.schema import Formulation
    from orkernel.model import Model

    text = json.dumps(_formulation_data(instance))
    return lambda: _orkernel_solve(Model.bind(Formulation.model_validate_json(text)))


def pyomo(instance: Instance) -> Solve:
    """Pyomo with its HiGHS interface."""
    import pyomo.environ as pyo
    from pyomo.contrib.solver.common.factory import SolverFactory

    def solve() -> float:
        sources, sinks = instance.cost.shape
        cost = instance.cost.tolist()
        model: Any = pyo.ConcreteModel()
        model.ship = pyo.Var(range(sources), range(sinks), domain=pyo.NonNegativeReals)
        ship = model.ship
        model.supply = pyo.Constraint(
            range(sources),
            rule=lambda _, i: pyo.quicksum(ship[i, j] for j in range(sinks)) <= instance.supply[i],
        )
        model.demand = pyo.Constraint(
            range(sinks),
            rule=lambda _, j: (
                pyo.quicksum(ship[i, j] for i in range(sources)) >= instance.demand[j]
            ),
        )
        model.cost = pyo.Objective(
            expr=pyo.quicksum(cost[i][j] * ship[i, j] for i in range(sources) for j in range(sinks))
        )
        return float(SolverFactory("highs").solve(model).incumbent_objective)

    return solve


def linopy(instance: Instance) -> Solve:
    """linopy, handing the model to HiGHS without a file."""
    lp: Any = importlib.import_module("linopy")
    pd: Any = importlib.import_module("pandas")
    xr: Any = importlib.import_module("xarray")

    def solve() -> float:
        sources, sinks = instance.cost.shape
        i, j = pd.RangeIndex(sources, name="i"), pd.RangeIndex(sinks, name="j")
        model = lp.Model()
        ship = model.add_variables(lower=0, coords=[i, j], name="ship")
        model.add_constraints(
            ship.sum("j") <= xr.DataArray(instance.supply, coords=[i]), name="supply"
        )
        model.add_constraints(
            ship.sum("i") >= xr.DataArray(instance.demand, coords=[j]), name="demand"
        )
        model.add_objective((ship * xr.DataArray(instance.cost, coords=[i, j])).sum())
        model.solve("highs", io_api="direct", progress=False, output_flag=False)
        return float(model.objective.value)

    return solve


CONTENDERS: dict[str, tuple[str, Callable[[Instance], Solve]]] = {
    BASELINE: ("highspy", highspy_arrays),
    "orkernel, bound": ("orkernel_highs", orkernel_bound),
    "orkernel": ("orkernel_highs", orkernel_formulation),
    "orkernel, from JSON": ("orkernel_highs", orkernel_json),
    "Pyomo": ("pyomo", pyomo),
    "linopy": ("linopy", linopy),
}
ROUNDS = 15


@dataclass(slots=True)
class Best:
    """Fewest seconds over the rounds, on the clock and of processor time."""

    wall: float = float("inf")
    cpu: float = float("inf")


def times(instance: Instance, names: list[str], rounds: int) -> dict[str, Best]:
    """The fastest round of each contender, after one round that does not count."""
    solves = {name: CONTENDERS[name][1](instance) for name in names}
    best = {name: Best() for name in names}
    optimum: float | None = None
    order = random.Random(0)
    for number in range(rounds + 1):
        for name in order.sample(names, len(names)):
            solve = solves[name]
            wall, cpu = time.perf_counter(), time.process_time()
            objective = solve()
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
            optimum = objective if optimum is None else optimum
            if abs(objective - optimum) > 1e-6 * abs(optimum):
                raise SystemExit(f"{name} reaches {objective}, not {optimum}")
            if number:
                best[name].wall = min(best[name].wall, wall)
                best[name].cpu = min(best[name].cpu, cpu)
    return best


def peak_memory(name: str, size: int) -> float:
    """Peak resident memory, MiB, of a fresh process that runs the contender once."""
    command = [sys.executable, __file__, "--size", str(size), "--memory-of", name]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.split()[-1])


def own_peak() -> float:
    """Peak resident memory of this process, MiB.

    Linux counts the parent's memory at the fork into `ru_maxrss`, but not into `VmHWM`.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(x for x in status.read_text().splitlines() if x.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Run and print the table."""
    global ROUNDS
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--size", type=int, default=200, help="sources and sinks")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--memory-of", choices=CONTENDERS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    ROUNDS = arguments.rounds
    instance = Instance.random(arguments.size)
    if arguments.memory_of:
        CONTENDERS[arguments.memory_of][1](instance)()
        print(own_peak())
        return

    names = [n for n, (module, _) in CONTENDERS.items() if importlib.util.find_spec(module)]
    missing = [name for name in CONTENDERS if name not in names]
    best = times(instance, names, arguments.rounds)
    memory = {name: peak_memory(name, arguments.size) for name in names}
    table = {
        name: {
            "seconds": best[name].wall,
            "ratio": best[name].wall / best[BASELINE].wall,
            "cpu_seconds": best[name].cpu,
            "cpu_ratio": best[name].cpu / best[BASELINE].cpu,
            "peak_mib": memory[name],
        }
        for name in names
    }
    if arguments.json:
        print(json.dumps({"size": arguments.size, "contenders": table, "missing": missing}))
        return
    n = arguments.size**2
    print(f"transportation problem, {n:,} variables, {2 * n:,} nonzeros; imports excluded")
    print(f"{'':22}{'seconds':>10}{'ratio':>8}{'cpu s':>10}{'ratio':>8}{'peak MiB':>10}")
    for name, row in table.items():
        print(
            f"{name:22}{row['seconds']:10.3f}{row['ratio']:8.2f}"
            f"{row['cpu_seconds']:10.3f}{row['cpu_ratio']:8.2f}{row['peak_mib']:10.0f}"
        )
    for name in missing:
        print(f"{name:22}not installed")


if __name__ == "__main__":
    main()
