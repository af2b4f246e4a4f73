"""What `job_shop.py` and `tours.py` share: instances, timing, results that can be resumed."""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ortools.sat.python import cp_model

import orkernel
from orkernel import Formulation, Model
from orkernel.config import Config
from orkernel.registry import Registry
from orkernel_ortools.bounds import declared
from orkernel_ortools.building import build

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "reference" / "published"))

Instance = Callable[[], cp_model.CpModel]
ROUNDS = 9


@dataclass(frozen=True, slots=True)
class Result:
    """One instance through orkernel and through a CP-SAT model written by hand.

    Attributes:
        status: What orkernel answers.
        objective: Of its answer, None without one.
        bound: Proven bound.
        optimum: The published optimum.
        seconds: From the formulation to the checked answer.
        hand_objective: Of the model written by hand, None without an answer.
        hand_seconds: From the data to its answer.
        build: Processor seconds from the formulation to the CP-SAT model, median.
        hand_build: Processor seconds of the code written by hand, median.
        peak_mib: Largest memory of the process up to orkernel's answer, in MiB.
        hand_peak_mib: The same up to the answer of the model written by hand.
    """

    name: str
    status: str
    objective: float | None
    bound: float | None
    optimum: float
    seconds: float
    hand_objective: float | None
    hand_seconds: float
    build: float
    hand_build: float
    peak_mib: float
    hand_peak_mib: float

    @property
    def gap(self) -> float | None:
        """How far the answer is above the optimum, relative to it."""
        return None if self.objective is None else self.objective / self.optimum - 1.0


def built(formulation: Formulation) -> None:
    """Compile a formulation to CP-SAT, as the agent does."""
    model = Model.bind(formulation)
    bounds = declared(model)
    build(model, bounds.lower, bounds.upper)


def build_times(formulation: Formulation, by_hand: Instance) -> tuple[float, float]:
    """Median processor seconds of both constructions, in alternating rounds."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for kept, construct in zip(times, (lambda: built(formulation), by_hand), strict=True):
            gc.collect()
            begin = time.process_time()
            construct()
            kept.append(time.process_time() - begin)
    return statistics.median(times[0]), statistics.median(times[1])


def peak_mib() -> float:
    """Largest memory of this process so far, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def solved_by_hand(by_hand: Instance, seconds: float) -> tuple[float | None, float]:
    """Objective and time of the model written by hand, solved with CP-SAT's defaults."""
    begin = time.monotonic()
    solver = cp_model.CpSolver()
    solver.parameters.max_time_in_seconds = seconds
    status = solver.solve(by_hand())
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    return (solver.objective_value if found else None), time.monotonic() - begin


def warmed_up() -> Registry:
    """The plugins, everything that a first solve imports already imported."""
    registry = Registry.load(Config.load(plugins="ortools,offline", options=[]))
    variable = {"name": "x", "domain": "integer", "lower": 1, "upper": 2}
    goal = {"name": "goal", "sense": "minimize", "expression": "x"}
    tiny = {"schema_version": 1, "variables": [variable], "objectives": [goal]}
    orkernel.run(Formulation.model_validate(tiny), registry=registry)
    return registry


def measured(
    name: str, record: dict[str, Any], by_hand: Instance, optimum: float, seconds: float
) -> Result:
    """Solve an instance both ways."""
    formulation = Formulation.model_validate(record)
    registry = warmed_up()
    ours, theirs = build_times(formulation, by_hand)
    begin = time.monotonic()
    answer = orkernel.run(formulation, time_limit=seconds, registry=registry)
    elapsed = time.monotonic() - begin
    peak = peak_mib()
    objective = next(iter(answer.objectives.values()), None)
    if objective is not None and not answer.verified:
        raise SystemExit(f"{name}: the answer does not hold: {answer.message}")
    hand_objective, hand_seconds = solved_by_hand(by_hand, seconds)
    return Result(
        name, str(answer.status), objective, answer.bound, optimum, elapsed,
        hand_objective, hand_seconds, ours, theirs, peak, peak_mib(),
    )  # fmt: skip


def read_results(path: Path | None) -> dict[str, Result]:
    """Results of an earlier run, by name."""
    if path is None or not path.exists():
        return {}
    return {record["name"]: Result(**record) for record in json.loads(path.read_text())}


def write_results(path: Path | None, results: Sequence[Result]) -> None:
    """Put the results where the next run finds them, atomically."""
    if path is not None:
        draft = path.with_suffix(".part")
        draft.write_text(json.dumps([asdict(result) for result in results], indent=1))
        os.replace(draft, path)


HEADER = (
    "| instance | status | objective | bound | optimum | above | seconds | by hand "
    "| build ms | build ratio |",
    "|---|---|---|---|---|---|---|---|---|---|",
)


def line(result: Result) -> str:
    """A result as a row of a Markdown table."""
    gap = "" if result.gap is None else f"{result.gap:.2%}"
    cells = [
        result.name,
        result.status,
        *("" if v is None else f"{v:.10g}" for v in (result.objective, result.bound)),
        f"{result.optimum:.10g}",
        gap,
        f"{result.seconds:.1f}",
        f"{result.hand_seconds:.1f}",
        f"{1000 * result.build:.1f}",
        f"{result.build / result.hand_build:.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def summary(results: Sequence[Result]) -> str:
    """Counts and ratios over all instances."""
    proven = sum(r.status == "optimal" for r in results)
    near = sum(r.gap is not None and r.gap <= 0.02 for r in results)
    equal = sum(r.objective is not None and r.objective == r.hand_objective for r in results)
    ratio = statistics.median(r.build / r.hand_build for r in results)
    whole = statistics.median(r.seconds / r.hand_seconds for r in results)
    peak = max(r.peak_mib for r in results), max(r.hand_peak_mib for r in results)
    return (
        f"{proven} of {len(results)} proven, {near} within 2 %, {equal} with the objective of the "
        f"model written by hand; build time {ratio:.2f} ×, whole time {whole:.2f} × (medians); "
        f"peak memory {peak[0]:.0f} MiB, with the models written by hand {peak[1]:.0f} MiB"
    )


def benchmark(
    description: str,
    names: Sequence[str],
    measure: Callable[[str, float], Result],
) -> None:
    """Read the arguments, measure what is not yet measured, print a table.

    Args:
        description: For `--help`.
        names: The instances, in order.
        measure: Solves one within so many seconds.
    """
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--limit", type=float, default=60.0, help="seconds per instance and solver")
    parser.add_argument("--only", default="", help="names, separated by commas")
    parser.add_argument("--out", type=Path, help="JSON file; what it holds is not measured again")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    wanted = arguments.only.split(",") if arguments.only else list(names)
    unknown = [name for name in wanted if name not in names]
    if unknown:
        parser.error(f"no instance {unknown[0]}; there are {', '.join(names)}")
    results = read_results(arguments.out)
    for name in wanted:
        if name not in results:
            results[name] = measure(name, arguments.limit)
            write_results(arguments.out, list(results.values()))
            print(line(results[name]), file=sys.stderr, flush=True)
    chosen = [results[name] for name in wanted]
    if arguments.json:
        print(json.dumps([asdict(result) for result in chosen], indent=1))
        return
    print(*HEADER, *map(line, chosen), "", summary(chosen), sep="\n")
