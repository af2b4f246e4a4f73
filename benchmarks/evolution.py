"""Evolutionary search through a formulation against pymoo's own problem classes.

ZDT1–3 with NSGA-II and DTLZ1–2 with NSGA-III, at equal generations, population, operators and
reference directions. Printed per problem: processor time of the whole run and of the evaluation
of a population alone, as ratios orkernel ÷ pymoo, and the ratio of the distances to the analytic
front (IGD). Runs alternate; medians. orkernel's run includes the refined ends of the front
and the independent check of every point.

    python benchmarks/evolution.py [--generations 300] [--repeats 5] [--population 100]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from pymoo.algorithms.moo.nsga2 import NSGA2  # type: ignore[import-untyped]
from pymoo.algorithms.moo.nsga3 import NSGA3  # type: ignore[import-untyped]
from pymoo.indicators.igd import IGD  # type: ignore[import-untyped]
from pymoo.optimize import minimize  # type: ignore[import-untyped]
from pymoo.problems import get_problem  # type: ignore[import-untyped]

from orkernel.context import RunContext
from orkernel.formulation.schema import Formulation
from orkernel.fronts import nondominated
from orkernel.model import Model
from orkernel.records import Problem
from orkernel_pymoo.agent import PymooAgent
from orkernel_pymoo.directions import directions

DATA = Path(__file__).resolve().parents[1] / "plugins" / "orkernel-pymoo" / "tests" / "data"
NAMES = ("zdt1", "zdt2", "zdt3", "dtlz1", "dtlz2")
COLUMNS = {"dtlz1": 7, "dtlz2": 12}
EVALUATIONS = 200


def analytic(name: str) -> Any:
    """The front by its formula."""
    f1 = np.linspace(0.0, 1.0, 2001)
    steps = 30
    simplex = np.array(
        [(i, j, steps - i - j) for i in range(steps + 1) for j in range(steps + 1 - i)], float
    )
    if name == "zdt1":
        return np.column_stack([f1, 1 - np.sqrt(f1)])
    if name == "zdt2":
        return np.column_stack([f1, 1 - f1**2])
    if name == "zdt3":
        curve = np.column_stack([f1, 1 - np.sqrt(f1) - f1 * np.sin(10 * np.pi * f1)])
        return curve[nondominated(curve, [False, False])]
    if name == "dtlz1":
        return 0.5 * simplex / steps
    return simplex / np.linalg.norm(simplex, axis=1)[:, None]


def native(name: str) -> Any:
    """pymoo's own class of a problem."""
    return get_problem(name, n_var=COLUMNS[name], n_obj=3) if name in COLUMNS else get_problem(name)


def plain(name: str, generations: int, population: int, seed: int) -> Any:
    """The front that pymoo finds."""
    if name in COLUMNS:
        algorithm = NSGA3(directions(3, population), pop_size=population)
    else:
        algorithm = NSGA2(pop_size=population)
    return minimize(native(name), algorithm, ("n_gen", generations), seed=seed).F


def ours(model: Model, generations: int, population: int, seed: int) -> Any:
    """The front that the agent finds, verified."""
    options = {"generations": generations, "population": population, "plot": False}
    solution = PymooAgent().solve(Problem(""), model, RunContext(seed=seed, options=options))
    return np.array([p.objectives for p in solution.pareto])


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Processor seconds, and the result."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def evaluation(work: Callable[[Any], Any], points: Any) -> float:
    """Processor seconds per evaluation of a population."""
    work(points)
    start = time.process_time()
    for _ in range(EVALUATIONS):
        work(points)
    return (time.process_time() - start) / EVALUATIONS


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--generations", type=int, default=300)
    parser.add_argument("--population", type=int, default=100)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    generations, population = arguments.generations, arguments.population
    print(f"{generations} generations, {population} points, medians of {arguments.repeats} runs\n")
    print("| | pymoo s | orkernel s | ratio | evaluation µs | ratio | IGD ratio |")
    print("|---|---|---|---|---|---|---|")
    for name in NAMES:
        model = Model.bind(
            Formulation.model_validate(json.loads((DATA / f"{name}.json").read_text()))
        )
        distance = IGD(analytic(name))
        clocks: tuple[list[float], list[float]] = ([], [])
        distances: tuple[list[float], list[float]] = ([], [])
        points = np.random.default_rng(0).random((population, len(model.columns)))
        evaluations: tuple[list[float], list[float]] = ([], [])
        for seed in range(arguments.repeats):
            runs = (
                partial(plain, name, generations, population, seed),
                partial(ours, model, generations, population, seed),
            )
            for k, run in enumerate(runs):
                seconds, front = timed(run)
                clocks[k].append(seconds)
                distances[k].append(distance(front))
            evaluations[0].append(evaluation(native(name).evaluate, points))
            evaluations[1].append(evaluation(model.evaluate, points))
        theirs, mine = (statistics.median(c) for c in clocks)
        slow, own = (statistics.median(e) for e in evaluations)
        near, nearer = (statistics.median(d) for d in distances)
        print(
            f"| {name.upper()} | {theirs:.2f} | {mine:.2f} | {mine / theirs:.2f} "
            f"| {own * 1e6:.0f} | {own / slow:.2f} | {nearer / near:.2f} |"
        )


if __name__ == "__main__":
    main()
