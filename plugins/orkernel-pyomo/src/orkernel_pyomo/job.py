"""Job: what the worker process is asked, as plain arrays and JSON in a folder.

Both sides use this module; nothing is pickled.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.forms import Column, Constant, Operation

if TYPE_CHECKING:
    from orkernel.algebra.forms import Bools, Columns, Floats, Graph

Triplets = tuple[list[int], list[int], list[float]]
REQUEST, ARRAYS, GRAPH = "request.json", "arrays.npz", "graph.json"
ANSWER, POINT, INCUMBENT = "answer.json", "point.npz", "incumbent.npz"
MARK = "\x1e"
"""Starts what a worker says to the one who asked, on a line that may hold log before it."""


@dataclass(frozen=True, slots=True)
class Request:
    """Settings of one job.

    Attributes:
        solver: Name of the solver.
        deadline: Seconds since the epoch after which to stop; None without a limit.
        gap: Relative MIP gap at which the solver may stop.
        absolute_gap: Difference of bound and objective at which SCIP may stop.
        seed: Seed of starting points and of solvers that take one.
        starts: Starting points to try.
        all_starts: Go on after the first success and keep the best.
        memory_mb: Address space that the worker may use, in MiB; 0 for no limit.
        subset: Look for an irreducible subset of an infeasible model.
        export: Format to write instead of solving.
        column_names: Names for an export.
        row_names: Names for an export.
    """

    solver: str = "glpk"
    deadline: float | None = None
    gap: float = 0.0
    absolute_gap: float = 1e-7
    seed: int = 0
    starts: int = 1
    all_starts: bool = False
    memory_mb: int = 0
    subset: bool = False
    export: str = ""
    column_names: tuple[str, ...] = ()
    row_names: tuple[str, ...] = ()

    def remaining(self) -> float | None:
        """Seconds that a solver may still use; at least a hundredth, None without a limit."""
        return None if self.deadline is None else max(0.01, self.deadline - time.time())


@dataclass(frozen=True, slots=True)
class Answer:
    """What came of a job.

    Attributes:
        ending: optimal | local | feasible | infeasible | locally_infeasible | unbounded |
            infeasible_or_unbounded | diverged | limit | out_of_memory | failed |
            unknown_solver | exported.
        words: The solver's own words.
        solver: Its name.
        version: Its version.
        objective: Objective at the point, in its own sense.
        bound: Best proven bound, in the objective's own sense.
        text: The exported model, or the names of the available solvers.
        statistics: Iterations, starts and the like.
        subset: Row numbers, columns by lower bound, columns by upper bound that take part in
            an infeasible subset; all empty without one.
        assumptions: What the answer rests on beyond the model, in words.
    """

    ending: str
    words: str = ""
    solver: str = ""
    version: str = ""
    objective: float | None = None
    bound: float | None = None
    text: str = ""
    statistics: Mapping[str, float] = field(default_factory=dict)
    subset: tuple[Sequence[int], Sequence[int], Sequence[int]] = ((), (), ())
    assumptions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Point:
    """Values and marginal values that go with an answer; empty arrays where there are none."""

    values: Floats
    row_duals: Floats
    column_duals: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Stored:
    """A linear or quadratic model as the worker reads it: NumPy only.

    The worker does without scipy: importing it makes Pyomo import all of scipy.stats.

    Attributes:
        indptr: CSR pointers of the rows.
        indices: CSR column numbers.
        data: CSR coefficients.
        quadratic: Objective Hessian as `(i, j, value)` lists, or None.
        row_quadratic: Row number → Hessian, likewise.
    """

    indptr: list[int]
    indices: list[int]
    data: list[float]
    row_lower: Floats
    row_upper: Floats
    lower: Floats
    upper: Floats
    integer: Bools
    start: Floats
    cost: Floats
    offset: float
    maximize: bool
    quadratic: Triplets | None
    row_quadratic: Mapping[int, Triplets]

    @classmethod
    def read(cls, folder: Path) -> Stored:
        """Load from the job's folder."""
        with np.load(folder / ARRAYS, allow_pickle=False) as stored:
            a = {name: stored[name] for name in stored.files}
        hessians: dict[int, Triplets] = {}
        for number in np.unique(a["q_row"]):
            mine = a["q_row"] == number
            hessians[int(number)] = (
                a["q_i"][mine].tolist(),
                a["q_j"][mine].tolist(),
                a["q_value"][mine].tolist(),
            )
        offset, maximize = a["scalars"]
        vectors = ("row_lower", "row_upper", "lower", "upper", "integer", "start", "cost")
        return cls(
            indptr=a["indptr"].tolist(),
            indices=a["indices"].tolist(),
            data=a["data"].tolist(),
            **{name: a[name] for name in vectors},
            offset=float(offset),
            maximize=bool(maximize),
            quadratic=hessians.pop(-1, None),
            row_quadratic=hessians,
        )


# ------------------------------------------------------------------- expression graphs


def write_graph(graph: Graph, folder: Path) -> None:
    """Store an expression graph: `["c", value]`, `["x", column]`, `[op, argument, …]`.

    A piecewise function is `["piecewise", argument, xs, ys]`.
    """
    nodes: list[list[Any]] = []
    for node in graph.nodes:
        match node:
            case Constant(value):
                nodes.append(["c", value])
            case Column(number):
                nodes.append(["x", number])
            case Operation("piecewise", (argument,), (xs, ys)):
                nodes.append(["piecewise", argument, list(map(float, xs)), list(map(float, ys))])
            case Operation(op, arguments):
                nodes.append([op, *arguments])
    objective = graph.objectives[0] if graph.objectives else None
    content = {
        "nodes": nodes,
        "rows": [[row.node, row.lower, row.upper] for row in graph.rows],
        "objective": None if objective is None else objective.node,
        "maximize": objective is not None and objective.maximize,
        "columns": _columns_to_json(graph.columns),
    }
    (folder / GRAPH).write_text(json.dumps(content), encoding="utf-8")


def read_graph(folder: Path) -> dict[str, Any]:
    """The content of `write_graph`."""
    content: dict[str, Any] = json.loads((folder / GRAPH).read_text(encoding="utf-8"))
    return content


def _columns_to_json(columns: Columns) -> dict[str, list[float]]:
    return {
        "lower": columns.lower.tolist(),
        "upper": columns.upper.tolist(),
        "integer": columns.integer.tolist(),
        "start": columns.start.tolist(),
    }


# ------------------------------------------------------------------- request and answer


def starting_point(lower: Floats, upper: Floats, start: Floats) -> Floats:
    """Given values, or 0, moved into the bounds."""
    given = np.where(np.isfinite(start), start, 0.0)
    point: Floats = np.minimum(np.maximum(given, lower), upper)
    return point


def finite(value: float | None) -> float | None:
    """The number, or None for an infinite or missing one."""
    return float(value) if value is not None and math.isfinite(value) else None


def write_request(request: Request, folder: Path) -> None:
    """Store the settings."""
    (folder / REQUEST).write_text(json.dumps(asdict(request)), encoding="utf-8")


def read_request(folder: Path) -> Request:
    """Load the settings."""
    return Request(**json.loads((folder / REQUEST).read_text(encoding="utf-8")))


def write_answer(answer: Answer, point: Point | None, folder: Path) -> None:
    """Store the answer; it is there entirely or not at all."""
    if point is not None:
        np.savez(
            folder / POINT,
            values=point.values,
            row_duals=point.row_duals,
            column_duals=point.column_duals,
        )
    partial = folder / f"{ANSWER}.part"
    partial.write_text(json.dumps(asdict(answer)), encoding="utf-8")
    os.replace(partial, folder / ANSWER)


def read_answer(folder: Path) -> tuple[Answer, Point | None] | None:
    """Load the answer; None if the worker left none."""
    if not (folder / ANSWER).exists():
        return None
    answer = Answer(**json.loads((folder / ANSWER).read_text(encoding="utf-8")))
    if not (folder / POINT).exists():
        return answer, None
    with np.load(folder / POINT, allow_pickle=False) as stored:
        return answer, Point(stored["values"], stored["row_duals"], stored["column_duals"])


# ------------------------------------------------------------------- incumbents


def say(words: str) -> None:
    """Tell the one who asked something that is no log."""
    print(f"{MARK}{words}", flush=True)


def write_incumbent(values: Floats, objective: float, bound: float | None, folder: Path) -> None:
    """Store the best point so far, entirely or not at all, for the case that no answer follows.

    Args:
        values: Value per column.
        objective: In its own sense.
        bound: Best proven bound so far, in the objective's own sense.
        folder: The job's folder.
    """
    scalars = [objective, math.nan if bound is None else bound]
    partial = folder / f"part-{INCUMBENT}"
    np.savez(partial, values=values, scalars=np.array(scalars))
    os.replace(partial, folder / INCUMBENT)


def read_incumbent(folder: Path) -> tuple[Floats, float, float | None] | None:
    """Values, objective and bound of the best point that the worker stored; None without one."""
    if not (folder / INCUMBENT).exists():
        return None
    with np.load(folder / INCUMBENT, allow_pickle=False) as stored:
        objective, bound = stored["scalars"].tolist()
        return stored["values"], objective, finite(bound)


def announce(values: Floats, objective: float, bound: float | None, folder: Path) -> None:
    """Store a new incumbent and tell the one who asked."""
    write_incumbent(values, objective, bound, folder)
    say(f"incumbent {json.dumps([finite(objective), finite(bound)])}")
