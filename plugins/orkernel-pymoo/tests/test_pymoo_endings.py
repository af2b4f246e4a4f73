"""Limits, interruptions, refusals, odd shapes and the picture of the front."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

from orkernel.context import RunContext
from orkernel.errors import Cancelled, Unsupported, UsageError
from orkernel.model import Model
from orkernel.records import Event, Guarantee
from orkernel.solution import Solution, Status
from orkernel.verify import verify
from orkernel_pymoo import orkernel_solver_agents
from orkernel_pymoo.health import check

Bind = Callable[..., Model]
Solve = Callable[..., Solution]

TWO = {"near": "min sum((x[i] - 1)**2 for i in I)", "far": "min sum((x[i] + 1)**2 for i in I)"}


def two(bind: Bind, size: int = 4) -> Model:
    """Two squares; efficient where all columns are equal, between -1 and 1."""
    return bind(
        {"x": {"index": ["I"], "lower": -3, "upper": 3}},
        TWO,
        sets=[{"name": "I", "range": [1, size]}],
    )


def odd_sum(bind: Bind) -> Model:
    """Even left side, odd right side: infeasible, which no search can tell."""
    return bind(
        {"x": {"index": ["I"], "domain": "integer", "lower": -50, "upper": 50}},
        {"f": "min x[1]"},
        ["2*sum(x[i] for i in I) == 7"],
        sets=[{"name": "I", "range": [1, 4]}],
    )


# ------------------------------------------------------------------------ limits


@pytest.mark.parametrize("seconds", [-1.0, 0.0])
def test_no_time_at_all_is_a_time_limit_at_once(bind: Bind, solve: Solve, seconds: float) -> None:
    model = two(bind)
    began = time.monotonic()
    solution = solve(model, RunContext(deadline=began + seconds))
    assert time.monotonic() - began < 0.5
    assert solution.status is Status.TIME_LIMIT
    assert solution.values is None


def test_a_tenth_of_a_second_gives_a_checked_front_or_a_time_limit(
    bind: Bind, solve: Solve
) -> None:
    model = two(bind, 200)
    began = time.monotonic()
    solution = solve(model, RunContext().limited(0.1), generations=1_000_000)
    assert time.monotonic() - began < 5.0
    if solution.status is Status.PARETO_FRONT:
        assert verify(model, solution).verified
        assert "time limit" in solution.message
    else:
        assert solution.status is Status.TIME_LIMIT


def test_incumbent_at_the_limit_is_kept(bind: Bind, solve: Solve) -> None:
    model = two(bind)
    solution = solve(model, RunContext().limited(1.5), generations=1_000_000)
    assert solution.status is Status.PARETO_FRONT
    assert "stopped at the time limit" in solution.message
    assert solution.seconds < 6.0


def test_infeasible_is_never_claimed(bind: Bind, solve: Solve) -> None:
    solution = solve(odd_sum(bind), generations=20)
    assert solution.status is Status.ERROR
    assert solution.values is None
    assert "cannot prove" in solution.message
    assert solution.guarantee is Guarantee.HEURISTIC


@pytest.mark.parametrize(
    ("variables", "constraints"),
    [
        ({"x": {"lower": 3, "upper": 2}}, []),
        ({"x": {"domain": "integer", "lower": 0.2, "upper": 0.8}}, []),
        ({"x": {"upper": 1}, "y": {"upper": 1}}, ["x + y >= 3"]),
        ({"x": {"upper": 5}, "y": {"upper": 5}}, ["x + y == 3", "x + y == 4"]),
        ({"x": {}, "y": {}}, ["y >= x + 2", "y <= x + 1"]),
        ({"x": {"domain": "integer", "upper": 9}}, ["x >= 3", "implies(x >= 2, x <= 1)"]),
    ],
)
def test_contradictions_end_without_a_point(
    bind: Bind, solve: Solve, variables: dict[str, dict[str, object]], constraints: list[str]
) -> None:
    solution = solve(bind(variables, {"f": "min x"}, constraints), generations=20)
    assert solution.status is Status.ERROR
    assert solution.values is None


# ----------------------------------------------------------------- interruptions


def test_cancelling_keeps_the_front_that_was_found(bind: Bind, solve: Solve) -> None:
    cancel = threading.Event()
    model = two(bind)

    def emit(event: Event) -> None:
        if event.kind == "solver.incumbent":
            cancel.set()

    solution = solve(model, RunContext(cancel=cancel, emit=emit), generations=1_000_000)
    assert solution.status is Status.PARETO_FRONT
    assert "interrupted" in solution.message
    assert verify(model, solution).verified


def test_cancelling_without_a_feasible_point_raises(bind: Bind, solve: Solve) -> None:
    cancel = threading.Event()
    timer = threading.Timer(0.5, cancel.set)
    timer.start()
    with pytest.raises(Cancelled):
        solve(odd_sum(bind), RunContext(cancel=cancel), generations=1_000_000)
    timer.join()


def test_cancelled_before_the_start_raises(bind: Bind, solve: Solve) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        solve(two(bind), RunContext(cancel=cancel))


# --------------------------------------------------------------- reproducibility


@pytest.mark.parametrize("kind", ["front", "one", "mixed"])
def test_equal_seeds_give_bitwise_equal_answers(bind: Bind, solve: Solve, kind: str) -> None:
    def build() -> Model:
        if kind == "front":
            return two(bind)
        domain = {"domain": "integer"} if kind == "mixed" else {}
        return bind(
            {"x": {"lower": -9, "upper": 9, **domain}, "y": {"lower": -9, "upper": 9}},
            {"f": "min sin(3*x) + cos(2*y) + 0.01*(x - y)**2"},
        )

    np.random.seed(1)
    first = solve(build(), RunContext(seed=5), generations=40, polish=kind != "one")
    np.random.seed(2)
    second = solve(build(), RunContext(seed=5), generations=40, polish=kind != "one")
    other = solve(build(), RunContext(seed=6), generations=40, polish=False)
    assert first.values is not None
    assert first.values.tobytes() == second.values.tobytes()
    assert [p.values.tobytes() for p in first.pareto] == [p.values.tobytes() for p in second.pareto]
    if kind != "mixed":
        assert first.values.tobytes() != other.values.tobytes()


def test_global_random_state_is_left_alone(bind: Bind, solve: Solve) -> None:
    np.random.seed(3)
    before = np.random.get_state()[1].copy()
    solve(two(bind), generations=10)
    assert np.array_equal(before, np.random.get_state()[1])


def test_model_is_left_as_it_was(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"upper": 5}, "y": {}, "n": {"domain": "integer", "lower": 0.5, "upper": 4.5}},
        {"a": "min x**2 + y", "b": "max n*x"},
        ["x + y + n == 6"],
    )
    before = (model.columns.lower.copy(), model.columns.upper.copy(), model.formulation)
    dumped = model.formulation.model_dump_json()
    solution = solve(model, generations=20)
    assert verify(model, solution).verified
    assert np.array_equal(before[0], model.columns.lower)
    assert np.array_equal(before[1], model.columns.upper)
    assert model.formulation is before[2]
    assert model.formulation.model_dump_json() == dumped


# -------------------------------------------------------------------- odd shapes


def test_no_columns_at_all(bind: Bind, solve: Solve) -> None:
    single = solve(bind({}, {"f": "min 3 + 0"}))
    assert (single.status, single.objective) == (Status.FEASIBLE, 3.0)
    several = solve(bind({}, {"f": "min 3 + 0", "g": "max 2 + 0"}))
    assert several.status is Status.PARETO_FRONT
    assert [p.objectives for p in several.pareto] == [(3.0, 2.0)]
    assert solve(bind({}, {"f": "min 3 + 0"}, ["1 >= 2"])).status is Status.ERROR


def test_empty_index_sets(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"index": ["NONE"]}, "y": {"upper": 2}},
        {"f": "min sum(x[i] for i in NONE) + y", "g": "max y"},
        ["x[i] <= 3 @ i in NONE"],
        sets=[{"name": "NONE", "members": []}],
    )
    solution = solve(model, generations=10)
    assert solution.status is Status.PARETO_FRONT
    assert verify(model, solution).verified


def test_all_columns_determined_by_equations(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"upper": 9}, "y": {"upper": 9}}, {"f": "min x*y"}, ["x + y == 7", "x - y == 3"]
    )
    solution = solve(model)
    assert solution.values == pytest.approx([5, 2])
    assert solution.statistics["generations"] == 0
    assert not solution.assumptions


def test_tiny_and_huge_numbers(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"lower": 1e-6, "upper": 2e-6}, "y": {"lower": 1e8, "upper": 3e8}},
        {"small": "min x*1e-3 - y*1e-17", "large": "min y*1e6 - x*1e20"},
    )
    solution = solve(model, generations=40)
    assert solution.status is Status.PARETO_FRONT
    assert verify(model, solution).verified


def test_partly_undefined_objectives_keep_the_defined_part(bind: Bind, solve: Solve) -> None:
    model = bind(
        {"x": {"lower": -4, "upper": 4}}, {"a": "min sqrt(x)", "b": "min (x - 2)**2 + 1/x"}
    )
    solution = solve(model, generations=60, population=40)
    values = np.array([p.values[0] for p in solution.pareto])
    assert len(values) > 10
    assert np.all(values > 0.0)
    assert verify(model, solution).verified


# -------------------------------------------------------------- refusals, options


@pytest.mark.parametrize(
    "constraint",
    [
        "circuit(x[i,j] for i in I for j in I if i != j)",
        "no_overlap(interval(s[i], 2) for i in I)",
        "cumulative([interval(s[i], 2) for i in I], [1, 1, 1], 2)",
        "inverse(s, s)",
    ],
)
def test_what_a_population_cannot_find_by_chance_is_refused(
    bind: Bind, solve: Solve, constraint: str
) -> None:
    model = bind(
        {
            "x": {"index": ["I", "I"], "domain": "binary"},
            "s": {"index": ["I"], "domain": "integer", "lower": 1, "upper": 9},
        },
        {"f": "min s[1]"},
        [constraint],
        sets=[{"name": "I", "range": [1, 3]}],
    )
    with pytest.raises(Unsupported, match="constraint 'c0'"):
        solve(model)


def test_objectives_of_different_priority_are_refused(bind: Bind, solve: Solve) -> None:
    model = two(bind)
    first, second = model.formulation.objectives
    ordered = model.derive(objectives=(first, second.model_copy(update={"priority": 2})))
    with pytest.raises(Unsupported, match="priority"):
        solve(ordered)


@pytest.mark.parametrize(
    ("option", "value"),
    [("algorithm", "ga"), ("population", -1), ("generations", -3), ("equality_tolerance", -0.1)],
)
def test_options_that_make_no_sense_are_named(
    bind: Bind, solve: Solve, option: str, value: object
) -> None:
    with pytest.raises(UsageError, match=f"pymoo.{option}"):
        solve(two(bind), **{option: value})


def test_nsga3_can_be_asked_for_with_two_objectives(bind: Bind, solve: Solve) -> None:
    solution = solve(two(bind), algorithm="nsga3", generations=30, population=30)
    assert solution.solver.name == "pymoo NSGA-III"
    assert len(solution.pareto) > 10


def test_incumbents_are_streamed_with_hypervolume(bind: Bind, solve: Solve) -> None:
    events: list[Event] = []
    solve(two(bind), RunContext(emit=events.append), generations=5)
    assert events[0].kind == "solver.incumbent"
    assert events[0].data["hypervolume"] > 0.0


def test_record_promises_heuristics_only() -> None:
    (spec,) = orkernel_solver_agents()
    assert spec.guarantee is Guarantee.HEURISTIC
    assert "pymoo" in check()
