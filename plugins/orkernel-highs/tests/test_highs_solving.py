"""The answers of the HiGHS agent on forms whose answer is known."""

from __future__ import annotations

import copy
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from orkernel.algebra.forms import LinearForm
from orkernel.certificates import proves_infeasible, proves_optimal, proves_unbounded
from orkernel.context import RunContext
from orkernel.errors import Cancelled, PluginError, Unsupported
from orkernel.records import Event, Guarantee
from orkernel.solution import Status
from orkernel_highs.evidence import elastic_multipliers
from orkernel_highs.program import Program
from orkernel_highs.solving import solve_form

INF = np.inf
Builder = Callable[..., LinearForm]


def test_wyndor_has_the_textbook_optimum_duals_and_ranges(wyndor: LinearForm) -> None:
    solution = solve_form(wyndor, RunContext())
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(36)
    assert solution.bound == pytest.approx(36)
    assert solution.values == pytest.approx([2, 6])
    assert solution.duals is not None
    assert solution.duals.rows == pytest.approx([0, 1.5, 1])
    assert solution.duals.columns == pytest.approx([0, 0])
    assert solution.duals.ranges["objective"] == pytest.approx(np.array([[0, 7.5], [2, INF]]))
    assert solution.duals.ranges["rhs"] == pytest.approx(np.array([[2, INF], [6, 18], [12, 24]]))
    assert solution.certificate is not None
    assert proves_optimal(wyndor, solution.values, solution.certificate.vector, convex=True)


def test_dual_values_have_the_sense_of_the_objective_when_minimising(form: Builder) -> None:
    diet = form([[2, 1]], [8], [INF], [0, 0], [INF, 3], [3, 1])
    solution = solve_form(diet, RunContext())
    assert solution.objective == pytest.approx(10.5)
    assert solution.duals is not None
    assert solution.duals.rows == pytest.approx([1.5])
    assert solution.duals.columns == pytest.approx([0, -0.5])


def test_integer_answer_carries_bound_and_no_duals(form: Builder) -> None:
    knapsack = form(
        [[3, 5, 7]], [-INF], [11], [0] * 3, [1] * 3, [4, 6, 9], maximize=True, integer=[1] * 3
    )
    solution = solve_form(knapsack, RunContext())
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(13)
    assert solution.gap == pytest.approx(0, abs=1e-6)
    assert np.array_equal(solution.values, [1.0, 0.0, 1.0])
    assert solution.duals is None


def test_infeasible_lp_has_proof_and_irreducible_subset(form: Builder) -> None:
    f = form([[1, 1], [1, 1], [1, 0]], [3, -INF, -INF], [INF, 2, 9], [0, 0], [INF, INF], [1, 1])
    solution = solve_form(f, RunContext())
    assert solution.status is Status.INFEASIBLE
    assert solution.values is None
    assert solution.certificate is not None
    assert proves_infeasible(f, solution.certificate.vector)
    subset = solution.infeasible_subset
    assert subset is not None
    assert (subset.rows, subset.lower, subset.upper, subset.minimal) == ((0, 1), (), (), True)


def test_irreducible_subset_names_the_bounds_that_take_part(form: Builder) -> None:
    f = form([[1, 1], [1, -1]], [3, -INF], [INF, 5], [0, 0], [1, 1], [1, 1])
    subset = solve_form(f, RunContext()).infeasible_subset
    assert subset is not None
    assert (subset.rows, subset.lower, subset.upper, subset.minimal) == ((0,), (), (0, 1), True)


def test_contradicting_bounds_of_one_column_are_the_subset(form: Builder) -> None:
    f = form([[1, 1]], [-INF], [9], [2, 0], [1, INF], [1, 1])
    solution = solve_form(f, RunContext())
    assert solution.status is Status.INFEASIBLE
    subset = solution.infeasible_subset
    assert subset is not None
    assert (subset.rows, subset.lower, subset.upper, subset.minimal) == ((), (0,), (0,), True)


def test_row_without_variables_that_is_false_is_infeasible(form: Builder) -> None:
    f = form([[0, 0], [1, 1]], [1, -INF], [2, 2], [0, 0], [INF, INF], [1, 1])
    solution = solve_form(f, RunContext())
    assert solution.status is Status.INFEASIBLE
    assert solution.certificate is not None
    assert proves_infeasible(f, solution.certificate.vector)


def test_second_row_without_variables_is_the_one_to_blame(form: Builder) -> None:
    """HiGHS 1.16 has no dual ray here."""
    f = form([[0], [0]], [-INF, -INF], [2, -1], [0], [INF], [0])
    solution = solve_form(f, RunContext())
    assert solution.certificate is not None
    assert proves_infeasible(f, solution.certificate.vector)
    assert solution.infeasible_subset is not None
    assert solution.infeasible_subset.rows == (1,)
    assert "r1" in solution.message


def test_duals_of_the_elastic_program_prove_infeasibility(form: Builder) -> None:
    f = form([[1, 1], [1, 1], [1, 0]], [3, -INF, -INF], [INF, 2, 9], [0, 0], [INF, INF], [1, 1])
    multipliers = elastic_multipliers(Program.of(f), RunContext())
    assert multipliers is not None
    assert proves_infeasible(f, multipliers)


def test_parity_infeasibility_is_not_blamed_on_the_relaxation(form: Builder) -> None:
    f = form([[2, 2]], [1], [1], [0, 0], [5, 5], [1, 1], integer=[1, 1])
    solution = solve_form(f, RunContext())
    assert solution.status is Status.INFEASIBLE
    assert solution.certificate is None
    assert solution.infeasible_subset is None


@pytest.mark.parametrize("integer", [[0, 0], [1, 1]])
def test_unbounded_comes_with_point_and_direction(form: Builder, integer: list[int]) -> None:
    f = form([[1, -1]], [-INF], [1], [0, 0], [INF, INF], [1, 1], maximize=True, integer=integer)
    solution = solve_form(f, RunContext())
    assert solution.status is Status.UNBOUNDED
    assert solution.values is not None
    assert solution.objective is None
    assert solution.certificate is not None
    assert proves_unbounded(f, solution.certificate.vector)


@pytest.mark.parametrize("integer", [[0, 0], [1, 1]])
def test_improving_direction_without_a_point_is_infeasible(
    form: Builder, integer: list[int]
) -> None:
    f = form(
        [[1, -1], [2, -2]], [-INF, 3], [1, INF], [0, 0], [INF, INF], [1, 1],
        maximize=True, integer=integer,
    )  # fmt: skip
    assert solve_form(f, RunContext()).status is Status.INFEASIBLE


def test_no_rows_no_columns_and_no_objective(form: Builder) -> None:
    box = solve_form(
        form(np.zeros((0, 2)), [], [], [0, 0], [1, 2], [1, 1], maximize=True), RunContext()
    )
    assert box.objective == pytest.approx(3)
    constant = solve_form(form(np.zeros((1, 0)), [-1], [1], [], [], [], offset=3.0), RunContext())
    assert (constant.status, constant.objective) == (Status.OPTIMAL, 3.0)
    impossible = solve_form(form(np.zeros((1, 0)), [1], [1], [], [], []), RunContext())
    assert impossible.status is Status.INFEASIBLE
    feasibility = solve_form(form([[1, 1]], [1], [2], [0, 0], [INF, INF]), RunContext())
    assert feasibility.status is Status.OPTIMAL
    assert feasibility.objective is None


def test_quadratic_objective_has_optimum_and_duals_in_both_senses(form: Builder) -> None:
    f = form([[1, 1]], [2], [INF], [-INF] * 2, [INF] * 2, [-1, 0], quadratic=[[2, 0], [0, 2]])
    solution = solve_form(f, RunContext())
    assert solution.status is Status.OPTIMAL
    assert solution.values == pytest.approx([1.25, 0.75], abs=1e-6)
    assert solution.duals is not None
    assert solution.duals.rows == pytest.approx([1.5], abs=1e-6)
    mirrored = form(
        [[1, 1]],
        [2],
        [INF],
        [-INF] * 2,
        [INF] * 2,
        [1, 0],
        maximize=True,
        quadratic=[[-2, 0], [0, -2]],
    )
    other = solve_form(mirrored, RunContext())
    assert other.objective == pytest.approx(-0.875)
    assert other.duals is not None
    assert other.duals.rows == pytest.approx([-1.5], abs=1e-6)


def test_quadratic_unbounded_along_a_flat_direction(form: Builder) -> None:
    f = form([[1, 1]], [2], [INF], [0, -INF], [INF, INF], [1, -1], quadratic=[[2, 0], [0, 0]])
    assert solve_form(f, RunContext()).status is Status.UNBOUNDED


def test_quadratic_infeasible(form: Builder) -> None:
    f = form([[1, 1]], [2], [INF], [0, 0], [0.5, 0.5], [1, -1], quadratic=[[2, 0], [0, 0]])
    solution = solve_form(f, RunContext())
    assert solution.status is Status.INFEASIBLE
    assert solution.certificate is not None


def test_nonconvex_objective_is_never_called_optimal(form: Builder) -> None:
    f = form([[1, 1]], [2], [INF], [0, 0], [5, 5], [1, 0], quadratic=[[-2, 0], [0, -2]])
    assert solve_form(f, RunContext()).status is not Status.OPTIMAL


def test_integers_with_a_quadratic_objective_are_refused_by_name(form: Builder) -> None:
    f = form(
        [[1, 1]], [2], [INF], [0, 0], [5, 5], [1, 0], quadratic=[[2, 0], [0, 2]], integer=[0, 1]
    )
    with pytest.raises(Unsupported, match="x1"):
        solve_form(f, RunContext())


def test_several_objectives_are_refused(form: Builder, wyndor: LinearForm) -> None:
    twice = LinearForm(
        wyndor.matrix, wyndor.row_lower, wyndor.row_upper, wyndor.columns, wyndor.rows,
        wyndor.objectives * 2,
    )  # fmt: skip
    with pytest.raises(Unsupported, match="one objective"):
        solve_form(twice, RunContext())


@pytest.mark.parametrize(
    ("scale", "cost"), [(1e-10, 1e-9), (1e-13, 1e-12), (1e9, 1e9), (1.0, 1e-12), (1e12, 1.0)]
)
def test_units_of_any_size_give_the_same_point(form: Builder, scale: float, cost: float) -> None:
    f = form(
        np.array([[1, 1], [1, 3]]) * scale, np.array([4, 6]) * scale, [INF] * 2, [0, 0], [INF] * 2,
        np.array([2, 3]) * cost,
    )  # fmt: skip
    solution = solve_form(f, RunContext())
    assert solution.values == pytest.approx([3, 1])
    assert solution.objective == pytest.approx(9 * cost)
    assert solution.duals is not None
    assert solution.duals.rows * scale / cost == pytest.approx([1.5, 0.5])


def test_coefficient_beyond_the_solver_is_an_error_not_an_answer(form: Builder) -> None:
    f = form([[1e16, 1]], [1e13], [INF], [0, 0], [INF, INF], [1, 1])
    with pytest.raises(PluginError, match="refuses the model"):
        solve_form(f, RunContext())


def test_rounding_integers_does_not_break_big_m_rows(form: Builder) -> None:
    """x ≤ 1e6·y with y within the solver's tolerance of zero would let x slip through."""
    f = form([[1, -1e6]], [-INF], [0], [0, 0], [1e6, 1], [1, -0.01], maximize=True, integer=[0, 1])
    solution = solve_form(f, RunContext())
    assert solution.values is not None
    assert solution.values[1] in (0.0, 1.0)
    assert solution.values[0] <= 1e6 * solution.values[1]


def test_no_time_at_all_is_a_time_limit(wyndor: LinearForm) -> None:
    solution = solve_form(wyndor, RunContext().limited(0))
    assert solution.status is Status.TIME_LIMIT
    assert solution.values is None


def test_incumbent_at_the_time_limit_is_feasible_with_bound_and_gap(
    market_split: LinearForm,
) -> None:
    started = time.monotonic()
    solution = solve_form(market_split, RunContext().limited(1.0))
    assert time.monotonic() - started < 3
    assert solution.status is Status.FEASIBLE
    assert solution.guarantee is Guarantee.GLOBAL
    assert solution.bound is not None
    assert solution.objective is not None
    assert solution.bound <= solution.objective
    assert solution.gap is not None
    assert solution.gap > 1e-6


def test_a_tenth_of_a_second_is_kept(market_split: LinearForm) -> None:
    started = time.monotonic()
    solution = solve_form(market_split, RunContext().limited(0.1))
    assert time.monotonic() - started < 1.5
    assert solution.status in (Status.FEASIBLE, Status.TIME_LIMIT)


def test_answer_within_a_wide_gap_is_feasible_and_not_optimal(form: Builder) -> None:
    rng = np.random.default_rng(3)
    weights, gains = rng.integers(20, 99, (3, 30)), rng.integers(20, 99, 30)
    f = form(
        weights, [-INF] * 3, weights.sum(axis=1) // 3, np.zeros(30), np.ones(30), gains,
        maximize=True, integer=np.ones(30),
    )  # fmt: skip
    loose = solve_form(f, RunContext(gap=0.5))
    assert loose.status is Status.FEASIBLE
    assert loose.gap is not None
    assert 1e-6 < loose.gap <= 0.5
    tight = solve_form(f, RunContext())
    assert tight.status is Status.OPTIMAL
    assert tight.objective is not None
    assert loose.objective is not None
    assert tight.objective >= loose.objective


def test_cancelling_hands_over_the_incumbent_within_a_second(market_split: LinearForm) -> None:
    cancel = threading.Event()
    threading.Timer(0.7, cancel.set).start()
    started = time.monotonic()
    solution = solve_form(market_split, RunContext(cancel=cancel))
    assert time.monotonic() - started < 1.9
    assert solution.status is Status.FEASIBLE
    assert solution.message == "interrupted"


def test_cancelling_without_an_incumbent_raises(form: Builder, market_split: LinearForm) -> None:
    hopeless = form(
        market_split.matrix.toarray()[:, :50], market_split.row_lower, market_split.row_upper,
        np.zeros(50), np.ones(50), np.zeros(50), integer=np.ones(50),
    )  # fmt: skip
    cancel = threading.Event()
    threading.Timer(0.7, cancel.set).start()
    with pytest.raises(Cancelled):
        solve_form(hopeless, RunContext(cancel=cancel))


def test_ctrl_c_stops_within_a_second(market_split: LinearForm) -> None:
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(Cancelled):
        solve_form(market_split, RunContext())
    assert time.monotonic() - started < 1.9


def test_log_lines_and_incumbents_are_reported_from_the_calling_thread(
    market_split: LinearForm,
) -> None:
    events: list[Event] = []
    threads: set[int] = set()

    def emit(event: Event) -> None:
        events.append(event)
        threads.add(threading.get_ident())

    solution = solve_form(market_split, RunContext(emit=emit).limited(1.0))
    assert any("Branch" in e.message or "MIP" in e.message for e in events if e.kind == "log.line")
    incumbents = [e for e in events if e.kind == "solver.incumbent"]
    assert incumbents
    assert set(incumbents[-1].data) == {"objective", "bound", "gap", "seconds"}
    assert incumbents[-1].data["objective"] == pytest.approx(solution.objective)
    assert threads == {threading.get_ident()}


def test_log_can_be_turned_off(wyndor: LinearForm) -> None:
    events: list[Event] = []
    solve_form(wyndor, RunContext(emit=events.append, options={"log": False}))
    assert events == []


def test_nothing_is_written_to_standard_output(
    wyndor: LinearForm, capfd: pytest.CaptureFixture[str]
) -> None:
    solve_form(wyndor, RunContext())
    assert capfd.readouterr() == ("", "")


def test_start_values_give_the_first_incumbent(form: Builder) -> None:
    rng = np.random.default_rng(5)
    n = 40
    weights, gains = rng.integers(20, 99, (5, n)), rng.integers(20, 99, n)
    start = np.zeros(n)
    start[:3] = 1
    f = form(
        weights, [-INF] * 5, weights.sum(axis=1) // 3, np.zeros(n), np.ones(n), gains,
        maximize=True, integer=np.ones(n), start=start,
    )  # fmt: skip
    lines: list[str] = []
    solve_form(f, RunContext(emit=lambda e: lines.append(e.message)))
    assert any("MIP start solution is feasible" in line for line in lines)


@pytest.mark.parametrize("method", ["choose", "simplex", "ipm", "pdlp"])
@pytest.mark.parametrize("presolve", ["choose", "on", "off"])
def test_every_method_finds_the_same_optimum(
    wyndor: LinearForm, method: str, presolve: str
) -> None:
    solution = solve_form(wyndor, RunContext(options={"method": method, "presolve": presolve}))
    assert solution.objective == pytest.approx(36, rel=1e-5)


def test_threads_can_change_from_solve_to_solve(wyndor: LinearForm) -> None:
    for threads in (1, 2, 1, 0):
        solution = solve_form(wyndor, RunContext(options={"threads": threads}))
        assert solution.objective == pytest.approx(36)


def test_solving_twice_gives_equal_answers_and_leaves_the_form_alone(
    market_split: LinearForm, form: Builder
) -> None:
    rng = np.random.default_rng(11)
    f = form(
        rng.integers(1, 9, (4, 12)), [-INF] * 4, [30] * 4, np.zeros(12), np.full(12, 4.0),
        rng.integers(1, 20, 12), maximize=True, integer=np.arange(12) % 2,
    )  # fmt: skip
    before = copy.deepcopy((f.matrix.toarray(), f.row_upper, f.columns.lower, f.objectives[0].cost))
    first, second = solve_form(f, RunContext(seed=3)), solve_form(f, RunContext(seed=3))
    assert np.array_equal(first.values, second.values)
    assert first.objective == second.objective
    after = (f.matrix.toarray(), f.row_upper, f.columns.lower, f.objectives[0].cost)
    for old, new in zip(before, after, strict=True):
        assert np.array_equal(old, new)


def test_an_equation_that_the_bounds_already_fulfil_has_no_range(form: Builder) -> None:
    solution = solve_form(
        form([[1, 0], [0, 1]], [0, 0], [0, 5], [0, 0], [INF, INF], [1, -1]), RunContext()
    )
    assert solution.duals is not None
    assert solution.duals.ranges["rhs"][0] == pytest.approx([0, 0])


@pytest.mark.parametrize("whole", [0, 1])
@pytest.mark.parametrize("limit", [1e20, 1e25])
def test_a_limit_is_finite_however_large(form: Builder, whole: int, limit: float) -> None:
    goal: dict[str, Any] = {"cost": [1, 1], "maximize": True, "integer": [whole, 0]}
    for f in (
        form([[1, 0]], [-INF], [limit], [0, 0], [INF, 3], **goal),
        form([[0, 1]], [-INF], [3], [0, 0], [limit, INF], **goal),
    ):
        solution = solve_form(f, RunContext())
        assert solution.status is Status.OPTIMAL
        assert solution.objective == pytest.approx(limit)
