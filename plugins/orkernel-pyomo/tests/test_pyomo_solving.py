"""Endings, limits and failures of the Pyomo agent's worker process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from orkernel.algebra.forms import LinearForm
from orkernel.certificates import proves_infeasible, proves_optimal, proves_unbounded
from orkernel.context import RunContext
from orkernel.errors import Cancelled, ExitCode, PluginError, UnknownName
from orkernel.records import Event, Guarantee
from orkernel.solution import Status
from orkernel_pyomo.health import check
from orkernel_pyomo.process import dismiss_workers
from orkernel_pyomo.solving import solve_arrays

INF = np.inf
Builder = Callable[..., LinearForm]
SOLVERS = ("glpk", "highs")


def solve(form: LinearForm, ctx: RunContext | None = None, **options: Any) -> Any:
    return solve_arrays(form, (ctx or RunContext()).with_(options=options), convex=True)


@pytest.mark.parametrize("solver", SOLVERS)
def test_wyndor_has_the_textbook_optimum_and_duals(wyndor: LinearForm, solver: str) -> None:
    solution = solve(wyndor, solver=solver)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(36)
    assert solution.values == pytest.approx([2, 6])
    assert solution.duals.rows == pytest.approx([0, 1.5, 1])
    assert solution.duals.columns == pytest.approx([0, 0])
    assert proves_optimal(wyndor, solution.values, solution.certificate.vector, convex=True)


@pytest.mark.parametrize("solver", SOLVERS)
def test_infeasible_and_unbounded_are_told_apart_and_proven(form: Builder, solver: str) -> None:
    infeasible = form([[1, 1], [1, 1]], [3, -INF], [INF, 2], [0, 0], [INF, INF], [1, 1])
    solution = solve(infeasible, solver=solver)
    assert solution.status is Status.INFEASIBLE
    assert proves_infeasible(infeasible, solution.certificate.vector)

    unbounded = form([[1, -1]], [-INF], [1], [0, 0], [INF, INF], [1, 1], maximize=True)
    solution = solve(unbounded, solver=solver)
    assert solution.status is Status.UNBOUNDED
    assert solution.objective is None
    assert proves_unbounded(unbounded, solution.certificate.vector)

    both = form([[1, -1], [1, -1]], [-INF, 2], [1, INF], [0, 0], [INF, INF], [1, 1], maximize=True)
    assert solve(both, solver=solver).status is Status.INFEASIBLE


@pytest.mark.parametrize("solver", SOLVERS)
def test_units_of_any_size_give_the_same_point(form: Builder, solver: str) -> None:
    matrix, cost = np.array([[1e-11, 1e-11], [1e9, 3e9]]), np.array([2e-10, 3e-10])
    f = form(matrix, [4e-11, 6e9], [INF, INF], [0, 0], [INF, INF], cost)
    solution = solve(f, solver=solver)
    assert solution.values == pytest.approx([3, 1])
    assert solution.objective == pytest.approx(9e-10)
    assert solution.duals.rows == pytest.approx([15, 5e-20])


def test_edge_shapes_need_no_solver_or_survive_one(form: Builder) -> None:
    box = solve(form(np.zeros((0, 2)), [], [], [0, 0], [1, 2], [1, 1], maximize=True))
    assert box.objective == pytest.approx(3)
    constant = solve(form(np.zeros((1, 0)), [-1], [1], [], [], [], offset=3.0))
    assert (constant.status, constant.objective) == (Status.OPTIMAL, 3.0)
    false_row = form([[0, 0], [1, 1]], [1, -INF], [2, 2], [0, 0], [INF, INF], [1, 1])
    solution = solve(false_row)
    assert solution.status is Status.INFEASIBLE
    assert proves_infeasible(false_row, solution.certificate.vector)
    crossed = solve(form([[1, 1]], [-INF], [9], [2, 0], [1, INF], [1, 1]))
    assert crossed.infeasible_subset.lower == (0,)
    feasibility = solve(form([[1, 1, 0]], [1], [2], [0, 0, 5], [INF, INF, 6]))
    assert feasibility.status is Status.OPTIMAL
    assert feasibility.objective is None
    assert 5 <= feasibility.values[2] <= 6


def test_answer_within_a_wide_gap_is_feasible_with_its_bound(form: Builder) -> None:
    rng = np.random.default_rng(3)
    weights, gains = rng.integers(20, 99, (3, 30)), rng.integers(20, 99, 30)
    f = form(
        weights, [-INF] * 3, weights.sum(axis=1) // 3, np.zeros(30), np.ones(30), gains,
        maximize=True, integer=np.ones(30),
    )  # fmt: skip
    best = solve(f).objective
    for solver in SOLVERS:
        loose = solve(f, RunContext(gap=0.5), solver=solver)
        assert loose.status is Status.FEASIBLE
        assert loose.objective <= best + 1e-6
        assert loose.bound is not None
        assert loose.bound >= best - 1e-6


def test_no_time_at_all_starts_nothing(wyndor: LinearForm) -> None:
    started = time.monotonic()
    assert solve(wyndor, RunContext().limited(0)).status is Status.TIME_LIMIT
    assert time.monotonic() - started < 0.1


def test_limit_shorter_than_any_solver_knows_is_kept(market_split: LinearForm) -> None:
    started = time.monotonic()
    solution = solve(market_split, RunContext().limited(0.1))
    assert time.monotonic() - started < 2.5
    assert solution.status in (Status.TIME_LIMIT, Status.FEASIBLE)
    if solution.status is Status.TIME_LIMIT:
        assert "stopped" in solution.message


@pytest.mark.parametrize("solver", SOLVERS)
def test_incumbent_at_the_limit_is_feasible_with_a_bound(
    market_split: LinearForm, solver: str
) -> None:
    started = time.monotonic()
    solution = solve(market_split, RunContext().limited(5), solver=solver)
    assert time.monotonic() - started < 9
    assert solution.status is Status.FEASIBLE
    assert solution.guarantee is Guarantee.GLOBAL
    assert solution.bound <= solution.objective


def processes_of(folder: Path) -> list[int]:
    """Processes that hold a folder as their place for temporary files."""
    mark = f"TMPDIR={folder}".encode()
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit() or int(entry.name) == os.getpid():
            continue
        with suppress(OSError):
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
    return found


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """All temporary files of the agent, of Pyomo and of the solver, in one place."""
    dismiss_workers()
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


def until_solving(act: Callable[[], Any]) -> Callable[[Event], None]:
    """An `emit` that acts once, when GLPK shows that it searches."""
    done = threading.Event()

    def emit(event: Event) -> None:
        if "mip =" in event.message and not done.is_set():
            done.set()
            act()

    return emit


def test_cancelling_ends_the_solver_and_its_children(
    market_split: LinearForm, scratch: Path
) -> None:
    cancel = threading.Event()
    seen: list[int] = []

    def act() -> None:
        seen.extend(processes_of(scratch))
        cancel.set()

    ctx = RunContext(cancel=cancel, emit=until_solving(act)).limited(60)
    with pytest.raises(Cancelled):
        solve(market_split, ctx, solver="glpk")
    assert len(seen) >= 2
    assert processes_of(scratch) == []


def test_ctrl_c_ends_the_solver_and_its_children(market_split: LinearForm, scratch: Path) -> None:
    ctx = RunContext(emit=until_solving(lambda: os.kill(os.getpid(), signal.SIGINT))).limited(60)
    with pytest.raises(KeyboardInterrupt):
        solve(market_split, ctx, solver="glpk")
    assert processes_of(scratch) == []


@pytest.mark.parametrize("name", ["SIGKILL", "SIGTERM"])
def test_worker_killed_from_outside_is_an_error_with_its_signal(
    market_split: LinearForm, scratch: Path, name: str
) -> None:
    def act() -> None:
        for pid in processes_of(scratch):
            if "worker" in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, getattr(signal, name))

    ctx = RunContext(emit=until_solving(act)).limited(60)
    with pytest.raises(PluginError, match=f"{name} from outside") as caught:
        solve(market_split, ctx, solver="glpk")
    assert caught.value.exit_code is ExitCode.BROKEN
    assert processes_of(scratch) == []
    assert list(scratch.iterdir()) == []


def test_solver_killed_from_outside_is_an_error(market_split: LinearForm, scratch: Path) -> None:
    def act() -> None:
        for pid in processes_of(scratch):
            if "worker" not in Path(f"/proc/{pid}/cmdline").read_text():
                os.kill(pid, signal.SIGKILL)

    solution = solve(market_split, RunContext(emit=until_solving(act)).limited(60), solver="glpk")
    assert solution.status is Status.ERROR
    assert solution.values is None


def test_worker_ends_with_the_process_that_asked(scratch: Path, market_split: LinearForm) -> None:
    """kill −9 of the command line leaves no solver behind."""
    script = (
        "import numpy as np, sys\n"
        "from scipy.sparse import csr_array\n"
        "from orkernel.context import RunContext\n"
        "from orkernel_pyomo.arrays import Arrays\n"
        "from orkernel_pyomo.job import Request, write_request\n"
        "from orkernel_pyomo.process import Listener, run_worker\n"
        "from pathlib import Path\n"
        "told = Listener(line=lambda l: print(l, flush=True))\n"
        "run_worker(Path(sys.argv[1]), RunContext(), told)\n"
    )
    from orkernel_pyomo.arrays import Arrays
    from orkernel_pyomo.job import Request, write_request

    Arrays.of(market_split).write(scratch)
    write_request(Request(solver="glpk"), scratch)
    asking = subprocess.Popen(
        [sys.executable, "-c", script, str(scratch)], stdout=subprocess.PIPE, text=True
    )
    assert asking.stdout is not None
    for line in asking.stdout:
        if "mip =" in line:
            break
    asking.kill()
    asking.wait()
    deadline = time.monotonic() + 10
    while processes_of(scratch) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert processes_of(scratch) == []


def test_log_and_incumbents_are_reported(market_split: LinearForm) -> None:
    events: list[Event] = []
    ctx = RunContext(emit=events.append).limited(6)
    solution = solve(market_split, ctx, solver="glpk")
    assert any("GLPK" in e.message for e in events if e.kind == "log.line")
    incumbents = [e for e in events if e.kind == "solver.incumbent"]
    assert incumbents
    assert incumbents[-1].data["objective"] == pytest.approx(solution.objective)


def test_unknown_solver_is_named_with_those_that_are_there(wyndor: LinearForm) -> None:
    with pytest.raises(UnknownName, match="zimpl") as caught:
        solve(wyndor, solver="zimpl")
    for name in ("glpk", "highs", "ipopt", "bonmin"):
        assert name in caught.value.fix


def test_health_check_names_versions() -> None:
    line = check()
    assert "glpk 5" in line
    assert "casadi" in line
    assert "scip" in line


def random_model(build: Builder, seed: int, kind: str) -> LinearForm:
    rng = np.random.default_rng([seed, len(kind)])
    n, m = int(rng.integers(2, 7)), int(rng.integers(1, 6))
    matrix = rng.integers(-5, 6, (m, n))
    inside = rng.integers(0, 4, n)
    right = matrix @ inside + rng.integers(-3 if kind == "mip" else 0, 4, m)
    equal = rng.random(m) < 0.2
    factor = rng.integers(-3, 4, (max(1, n - 1), n))
    return build(
        matrix,
        np.where(equal, right, -INF),
        right,
        np.zeros(n),
        np.where(rng.random(n) < 0.7, 6.0, INF),
        rng.integers(-6, 7, n),
        integer=rng.random(n) < 0.6 if kind == "mip" else None,
        quadratic=factor.T @ factor if kind == "qp" else None,
        offset=float(rng.integers(-5, 6)),
    )


@pytest.mark.parametrize("kind", ["lp", "mip", "qp"])
def test_random_models_agree_with_a_certificate_or_with_scipy(form: Builder, kind: str) -> None:
    models = [random_model(form, seed, kind) for seed in range(8)]
    with ThreadPoolExecutor(2) as pool:
        solutions = list(pool.map(solve, models))
    assert {s.status for s in solutions} >= {Status.OPTIMAL}
    for f, solution in zip(models, solutions, strict=True):
        if kind == "qp":
            if solution.status is Status.OPTIMAL:
                duals = solution.certificate.vector
                assert proves_optimal(f, solution.values, duals, convex=True)
            continue
        third = milp(
            f.objectives[0].cost,
            integrality=f.columns.integer.astype(int),
            bounds=Bounds(f.columns.lower, f.columns.upper),
            constraints=LinearConstraint(csr_array(f.matrix), f.row_lower, f.row_upper),
        )
        expected = {0: Status.OPTIMAL, 2: Status.INFEASIBLE, 3: Status.UNBOUNDED}
        if third.status in (0, 2, 3):
            assert solution.status is expected[third.status]
        if third.status == 0:
            found = third.fun + f.objectives[0].offset
            assert solution.objective == pytest.approx(found, abs=1e-6)


def test_forms_are_left_alone_and_solved_twice_alike(form: Builder) -> None:
    f = random_model(form, 4, "mip")
    before = [f.matrix.toarray(), f.row_upper.copy(), f.columns.upper.copy()]
    first, second = solve(f), solve(f)
    assert first.status is second.status
    assert np.array_equal(first.values, second.values)
    for old, new in zip(before, [f.matrix.toarray(), f.row_upper, f.columns.upper], strict=True):
        assert np.array_equal(old, new)


def test_plugin_module_loads_nothing_heavy() -> None:
    script = (
        "import sys, orkernel_pyomo; "
        "print(sorted({'numpy', 'scipy', 'pyomo', 'casadi', 'pydantic'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_cuts_that_make_glpk_abort_are_left_out(form: Builder) -> None:
    rows = [[-1, 3, 4], [-4, 4, 3]]
    f = form(rows, [3, 9.5], [INF, INF], [0] * 3, [4, 1, 2], [1, -2, -3], integer=[1] * 3)
    lines: list[str] = []
    found = solve(f, RunContext(emit=lambda event: lines.append(event.message)), solver="glpk")
    assert "without cutting planes:" in lines
    assert found.status is Status.OPTIMAL
    assert found.objective == pytest.approx(-8)


def test_a_failure_of_glpk_proves_nothing(form: Builder) -> None:
    limits, cost = [0, 0.5], [1, 1]
    f = form([[1, 1]], [1], [INF], limits, [9, 2.5], cost, integer=[0, 1])
    assert solve(f, solver="highs").objective == pytest.approx(1)
    assert solve(f, solver="glpk").status is Status.ERROR
    alone = form(np.zeros((0, 2)), [], [], limits, [9, 2.5], cost, integer=[0, 1])
    assert solve(alone, solver="glpk").status is Status.ERROR


@pytest.mark.parametrize("solver", SOLVERS)
def test_endings_that_only_the_simplex_method_finds_are_told_apart(
    form: Builder, solver: str
) -> None:
    cycle = [[1, -1, 0], [0, 1, -1], [-1, 0, 1]]
    infeasible = form(cycle, [1] * 3, [INF] * 3, [0] * 3, [INF] * 3, [1] * 3)
    assert solve(infeasible, solver=solver).status is Status.INFEASIBLE
    for whole in (0, 1):
        unbounded = form(
            cycle, [0] * 3, [INF] * 3, [1] * 3, [INF] * 3, [-1] * 3, integer=[whole] * 3
        )
        assert solve(unbounded, solver=solver).status is Status.UNBOUNDED
