"""SCIP behind the Pyomo agent: what it proves, what it takes, and how it is stopped."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.algebra.forms import LinearForm
from orkernel.compose import irreducible_subset
from orkernel.context import RunContext
from orkernel.errors import Cancelled, ExitCode, PluginError, Unsupported
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Event, Guarantee, Problem
from orkernel.solution import Status
from orkernel.testing.forms import build_form, market_split_form
from orkernel.verify import verify
from orkernel_pyomo.agent import PyomoAgent
from orkernel_pyomo.intervals import interval
from orkernel_pyomo.process import dismiss_workers
from orkernel_pyomo.rewriting import for_scip, without_kinks
from orkernel_pyomo.solving import solve_arrays

INF = np.inf


def variable(name: str, **fields: Any) -> dict[str, Any]:
    return {"name": name, **fields}


def bind(
    columns: list[dict[str, Any]], objective: str, *constraints: str, sense: str = "minimize"
) -> Model:
    goal = {"name": "goal", "sense": sense, "expression": objective}
    rows = [{"name": f"c{i}", "expression": text} for i, text in enumerate(constraints)]
    return Model.bind(
        Formulation.model_validate(
            {"variables": columns, "objectives": [goal], "constraints": rows}
        )
    )


def solve(model: Model, ctx: RunContext | None = None, **options: Any) -> Any:
    context = (ctx or RunContext()).with_(options={"log": False, **options})
    return PyomoAgent().solve(Problem(""), model, context)


# ------------------------------------------------------------------- what it takes


@pytest.mark.parametrize(
    ("expression", "low", "high"),
    [
        ("tan(x) - 3*x", 0.1, 1.4),
        ("sinh(x) - 2*x", -2, 2),
        ("cosh(x) - 2*x", -2, 2),
        ("x**2 - tanh(x)", -2, 2),
        ("asin(x) - 2*x", -0.9, 0.9),
        ("acos(x) + 2*x", -1, 1),
        ("x/4 - atan(x)", -5, 5),
        ("sin(3*x) + cos(x) + 0.1*x", -4, 4),
        ("log(x) + 1/x + sqrt(x) - log10(x)", 0.05, 5),
        ("exp(-x) * abs(x - 1) - x**1.5/9", 0.1, 6),
        ("max(x**2, exp(-x), 1 + x) - min(x, 3*x, 2)", -3, 3),
        ("piecewise(x, [0, 2, 5, 10], [0, 4, 1, 9]) + 0.1*(x - 6)**2", 0, 10),
    ],
)
def test_every_function_is_minimised_to_what_a_fine_grid_finds(
    expression: str, low: float, high: float
) -> None:
    model = bind([variable("x", lower=low, upper=high)], expression)
    solution = solve(model)
    grid = np.linspace(low, high, 20_001)[:, None]
    best = float(np.min(model.evaluate(grid).objectives))
    assert solution.status is Status.OPTIMAL
    assert solution.guarantee is Guarantee.GLOBAL
    assert solution.objective == pytest.approx(best, abs=2e-3)
    assert solution.objective <= best + 1e-7
    assert solution.bound <= solution.objective + 1e-6
    assert verify(model, solution).verified


def test_conditions_beside_curvature_are_kept() -> None:
    columns = [
        *(variable(name, upper=4) for name in "xy"),
        variable("b", domain="binary"),
    ]
    model = bind(
        columns,
        "x*y + 3*b",
        "implies(b == 1, x + y <= 3)",
        "implies(b == 0, x <= 1)",
        "x**2 + y**2 <= 16",
        sense="maximize",
    )
    solution = solve(model)
    free = np.sqrt(15.0)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(max(3 + 1.5**2, free), rel=1e-6)
    assert solution.values.shape == (3,)
    assert solution.duals is None
    assert verify(model, solution).verified


def test_a_curved_condition_is_refused_by_name() -> None:
    model = bind(
        [variable("x", upper=4), variable("b", domain="binary")],
        "x",
        "implies(b == 1, exp(x) >= 3)",
    )
    with pytest.raises(Unsupported, match="c0"):
        solve(model)


def test_rewriting_leaves_only_functions_that_scip_reads() -> None:
    ops = ["tan", "sinh", "cosh", "tanh", "asin", "acos", "atan"]
    content = {
        "nodes": [["x", 0], *([op, 0] for op in ops), ["max", 0, 1],
                  ["piecewise", 0, [0, 1, 3], [0, 2, 1]]],
        "rows": [[k, 0.0, 1.0] for k in range(1, 10)],
        "objective": 8,
        "maximize": False,
        "columns": {"lower": [0.0], "upper": [1.0], "integer": [False], "start": [0.0]},
    }  # fmt: skip
    whole = for_scip(without_kinks(content))
    assert {node[0] for node in whole["nodes"]} <= {
        *("c", "x", "sin", "cos", "exp", "abs", "sum", "sub", "prod", "div"),
    }
    assert len(whole["columns"]["lower"]) == 4
    assert len(whole["rows"]) == 9 + 3 + 1
    assert content["columns"]["lower"] == [0.0]


@pytest.mark.parametrize(
    ("row", "least"),
    [
        ("log(x + 2) <= 1", -2),
        ("log10(x + 2) <= 1", -2),
        ("sqrt(x + 2) <= 1", -2),
        ("(x + 2)**0.5 <= 1", -2),
        ("(x + 2)**1.5 <= 1", -2),
        ("1/(x + 2) >= 0.25", -2),
        ("1/(x + 2) <= 0.25", -5),
        ("(x + 2)**(-2) <= 0.25", -5),
        ("(x + 2)**(-3) >= 1", -2),
        ("log(x + 4) - log(x + 2) <= 1", 2 / (np.e - 1) - 2),
        ("log(-x) >= 0", -5),
    ],
)
def test_nothing_is_proven_outside_of_where_a_function_is_defined(row: str, least: float) -> None:
    model = bind([variable("x", lower=-5, upper=5)], "x", row)
    solution = solve(model, RunContext().limited(3))
    assert verify(model, solution).verified
    near = 1e-5 if solution.status is Status.OPTIMAL else 1e-3
    assert solution.objective == pytest.approx(least, abs=near)
    assert solution.bound is None or solution.bound <= least + 1e-6


def test_a_pole_at_the_edge_of_the_bounds_does_not_make_a_model_infeasible() -> None:
    pair = [variable("x", lower=-2, upper=3), variable("y", lower=-1, upper=1)]
    goal = "(-2)*x**3/10 + (-4)*1/(y - 1) + (4)*x**3/10"
    model = bind(pair, goal, sense="maximize")
    solution = solve(model)
    assert solution.status is Status.FEASIBLE
    assert solution.bound is None
    assert verify(model, solution).verified


def test_a_quotient_whose_denominator_changes_sign_keeps_both_sides() -> None:
    pair = [variable("x", lower=-5, upper=5), variable("y", lower=1, upper=2)]
    model = bind(pair, "(x - 3)**2", "y/(x + 2) >= 1", "y/(x + 2) <= 4")
    solution = solve(model)
    assert solution.status is Status.OPTIMAL
    assert solution.values == pytest.approx([0, 2], abs=1e-4)
    other = bind(pair, "x", "y/(x + 2) <= -1", sense="maximize")
    assert solve(other).objective == pytest.approx(-2, abs=1e-5)


@pytest.mark.parametrize(
    ("objective", "low", "high"),
    [("log(x)", 0, 5), ("1/x", -5, 5), ("0 - 1/x", 0, 5), ("tan(x)", 0, 3), ("tan(x)", 0, 5)],
)
def test_an_objective_that_sinks_at_the_edge_of_its_domain_is_not_called_optimal(
    objective: str, low: float, high: float
) -> None:
    model = bind([variable("x", lower=low, upper=high)], objective)
    solution = solve(model)
    assert solution.status is not Status.OPTIMAL
    assert solution.bound is None


@pytest.mark.parametrize(
    ("objective", "best"),
    [("x*log(x) + y*log(y)", -np.log(2)), ("1/x + 2/y", 3 + 2 * np.sqrt(2)), ("-sqrt(x*y)", -0.5)],
)
def test_optima_inside_the_domain_are_proven_from_bounds_that_touch_its_edge(
    objective: str, best: float
) -> None:
    model = bind([variable("x", upper=1), variable("y", upper=1)], objective, "x + y == 1")
    solution = solve(model)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(best, abs=1e-6)


ENDS = st.floats(-4, 4, allow_subnormal=False)
POWERS = st.sampled_from([-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0])


@given(st.lists(ENDS, min_size=2, max_size=2), st.lists(ENDS, min_size=2, max_size=2), POWERS)
def test_intervals_hold_every_value(a: list[float], b: list[float], power: float) -> None:
    (low, high), (least, most) = sorted(a), sorted(b)
    x, y = (grid.ravel() for grid in np.meshgrid(np.linspace(low, high), np.linspace(least, most)))
    with np.errstate(all="ignore"):
        found = {
            "sum": x + y, "sub": x - y, "prod": x * y, "div": x / y, "neg": -x, "abs": np.abs(x),
            "exp": np.exp(x), "log": np.log(x), "log10": np.log10(x), "sqrt": np.sqrt(x),
            "sin": np.sin(x), "cos": np.cos(x), "tan": np.tan(x), "cosh": np.cosh(x),
            "sinh": np.sinh(x), "tanh": np.tanh(x), "asin": np.arcsin(x), "acos": np.arccos(x),
            "atan": np.arctan(x), "pow": x**power,
        }  # fmt: skip
    for op, values in found.items():
        second = (power, power) if op == "pow" else (least, most)
        several = op in ("sum", "sub", "prod", "div", "pow")
        left, right = interval(op, [(low, high), second] if several else [(low, high)])
        defined = values[np.isfinite(values)]
        slack = 1e-9 * np.maximum(1.0, np.abs(defined))
        assert np.all(left <= defined + slack), op
        assert np.all(defined - slack <= right), op


def test_an_objective_that_sinks_for_ever_is_not_called_optimal() -> None:
    slow = solve(bind([variable("x", lower=None)], "0 - log(x)"))
    assert slow.status is not Status.OPTIMAL
    assert slow.guarantee is Guarantee.LOCAL
    pair = [variable("x", lower=None), variable("y", lower=None)]
    assert solve(bind(pair, "x*y")).status is Status.UNBOUNDED


def test_an_unbounded_relaxation_is_not_an_unbounded_model() -> None:
    pair = [variable("x", lower=None), variable("y", lower=None)]
    solution = solve(bind(pair, "x", "x*y <= 1", "y >= 1", sense="maximize"))
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(1)


def test_maximised_products_carry_a_bound_from_above() -> None:
    pair = [variable(name, upper=3, domain="integer") for name in "xy"]
    model = bind(pair, "x*y - x", "x**2 + y**2 <= 10", sense="maximize")
    solution = solve(model)
    assert solution.objective == pytest.approx(2)
    assert solution.bound == pytest.approx(2)


def test_equal_seeds_give_equal_global_answers() -> None:
    model = bind([variable("x", lower=-4, upper=4)], "sin(3*x) + 0.1*x**2")
    first, second = (solve(model, RunContext(seed=7)) for _ in range(2))
    assert np.array_equal(first.values, second.values)


# ------------------------------------------------------------------- infeasible subsets


@pytest.mark.parametrize("domain", ["continuous", "integer"])
def test_infeasible_curved_models_come_with_an_irreducible_subset(domain: str) -> None:
    columns = [variable(n, lower=-9, upper=9, domain=domain) for n in ("x", "y", "z")]
    model = bind(
        columns, "x + z", "z**2 <= 4", "x**2 + y**2 <= 1", "z + x >= -3", "x*y + x + y >= 4"
    )
    solution = solve(model)
    assert solution.status is Status.INFEASIBLE
    assert set(solution.infeasible_subset.rows) == {1, 3}
    started = time.monotonic()
    found = irreducible_subset(
        model, solve, RunContext().limited(10), hint=solution.infeasible_subset
    )
    assert time.monotonic() - started < 5
    assert found is not None
    assert found.minimal
    assert set(found.rows) == {1, 3}


def test_integrality_can_be_what_makes_a_subset_infeasible() -> None:
    columns = [variable(n, domain="integer", upper=9) for n in ("x", "y")]
    model = bind(columns, "x", "2*x + 2*y == 5", "x**2 + y <= 50")
    solution = solve(model)
    assert solution.status is Status.INFEASIBLE
    assert solution.infeasible_subset.rows == (0,)


# ------------------------------------------------------------------- limits and failures


def dense_quadratic() -> LinearForm:
    """A nonconvex box-constrained program that SCIP does not finish in a minute."""
    rng = np.random.default_rng(5)
    n = 60
    half = rng.integers(-50, 51, (n, n))
    rows, cost = rng.integers(0, 9, (5, n)), rng.integers(-50, 51, n)
    return build_form(
        rows, [-INF] * 5, [4 * n] * 5, np.zeros(n), np.ones(n), cost, quadratic=half + half.T
    )


DENSE = dense_quadratic()


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All temporary files of the agent and its workers in one place."""
    dismiss_workers()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def workers() -> list[int]:
    """Processes that this one has started and that are not gone."""
    children = Path(f"/proc/{os.getpid()}/task").glob("*/children")
    return [int(pid) for path in children for pid in path.read_text().split()]


def kill_workers(name: str) -> None:
    for pid in workers():
        os.kill(pid, getattr(signal, name))


def stopped_by(act: Callable[[], Any]) -> Any:
    """The answer when something happens at the first incumbent."""
    seen: list[Event] = []
    cancel = threading.Event()

    def emit(event: Event) -> None:
        if event.kind == "solver.incumbent" and not seen:
            seen.append(event)
            act() if act is not stopped_by else cancel.set()

    ctx = RunContext(cancel=cancel, emit=emit).limited(30)
    solution = solve_arrays(DENSE, ctx, convex=False)
    assert solution.objective <= seen[0].data["objective"] + 1e-6
    return solution


def test_cancelling_returns_the_incumbent(scratch: Path) -> None:
    solution = stopped_by(stopped_by)
    assert solution.status is Status.FEASIBLE
    assert solution.values.shape == (60,)
    assert solution.bound < solution.objective
    assert "interrupted" in solution.message
    assert workers() == []
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_a_killed_worker_leaves_its_incumbent(scratch: Path, name: str) -> None:
    solution = stopped_by(lambda: kill_workers(name))
    assert solution.status is Status.FEASIBLE
    assert f"{name} from outside" in solution.message
    assert workers() == []
    assert list(scratch.iterdir()) == []


def test_a_worker_killed_before_any_incumbent_is_an_error(scratch: Path) -> None:
    killed = threading.Timer(0.25, lambda: kill_workers("SIGKILL"))
    killed.start()
    with pytest.raises(PluginError, match="SIGKILL from outside") as caught:
        solve_arrays(DENSE, RunContext().limited(30), convex=False)
    killed.join()
    assert caught.value.exit_code is ExitCode.BROKEN
    assert list(scratch.iterdir()) == []


@pytest.mark.parametrize("solver", ["scip", "glpk", "highs", "ipopt"])
def test_running_out_of_memory_is_an_error_that_names_the_option(
    scratch: Path, solver: str
) -> None:
    ctx = RunContext(options={"memory_mb": 120, "solver": solver}).limited(30)
    form = DENSE if solver in ("scip", "ipopt") else market_split_form()
    with pytest.raises(PluginError, match=r"ran out of its memory of 120 MiB.*memory_mb"):
        solve_arrays(form, ctx, convex=True)
    assert list(scratch.iterdir()) == []


def test_the_command_line_says_that_memory_ran_out_and_ends_with_5(tmp_path: Path) -> None:
    model = bind([variable("x", lower=-1, upper=1)], "x**4 - x**2")
    problem = tmp_path / "valley.json"
    problem.write_text(model.formulation.model_dump_json(), encoding="utf-8")
    command = [sys.executable, "-m", "orkernel", "run", str(problem), "--solver", "pyomo"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path / "runs"), "-o", "pyomo.memory_mb=120"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == ExitCode.BROKEN
    assert "ran out of its memory of 120 MiB" in done.stderr + done.stdout
    assert "Traceback" not in done.stderr


def test_the_end_of_the_time_gives_the_incumbent_and_its_bound() -> None:
    started = time.monotonic()
    solution = solve_arrays(DENSE, RunContext().limited(4), convex=False)
    assert time.monotonic() - started < 7
    assert solution.status is Status.FEASIBLE
    assert solution.bound < solution.objective


@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_no_time_is_said_at_once(seconds: float) -> None:
    dismiss_workers()
    started = time.monotonic()
    solution = solve_arrays(DENSE, RunContext().limited(seconds), convex=False)
    assert time.monotonic() - started < 2.5
    if seconds == 0.0 or solution.values is None:
        assert solution.status is Status.TIME_LIMIT
    else:
        assert solution.status is Status.FEASIBLE


def test_cancelling_before_any_point_raises(scratch: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        solve_arrays(DENSE, RunContext(cancel=cancel), convex=False)
    assert workers() == []


# ------------------------------------------------------------------- workers


def test_a_worker_is_used_again_and_ends_when_dismissed() -> None:
    dismiss_workers()
    model = bind([variable("x", lower=-1, upper=1)], "x**2 - x")
    solve(model)
    (first,) = workers()
    started = time.monotonic()
    for _ in range(5):
        solve(model)
    assert time.monotonic() - started < 2.5
    assert workers() == [first]
    dismiss_workers()
    assert workers() == []


def test_an_idle_worker_ends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    dismiss_workers()
    solve(bind([variable("x", lower=-1, upper=1)], "x**2 - x"))
    deadline = time.monotonic() + 10
    while workers() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert workers() == []
    assert solve(bind([variable("x", lower=2, upper=3)], "x**2")).objective == pytest.approx(4)


# ------------------------------------------------------------------- hard numbers


def test_integers_without_bounds_go_to_a_solver_that_ends() -> None:
    columns = [variable(n, domain="integer", lower=None) for n in ("x", "y")]
    parity = bind(columns, "x", "2*x - 2*y == 1")
    solution = solve(parity, RunContext().limited(20))
    assert solution.solver.name == "highs"
    assert solution.status in (Status.INFEASIBLE, Status.TIME_LIMIT)


@pytest.mark.parametrize(
    ("objective", "row", "place"),
    [("x + y", "1e16*x + y >= 1", "c0"), ("1e16*x + y", "x + y >= 1", "goal")],
)
def test_numbers_that_no_solver_resolves_are_refused_by_name(
    objective: str, row: str, place: str
) -> None:
    with pytest.raises(Unsupported, match=place):
        solve(bind([variable("x"), variable("y")], objective, row))
