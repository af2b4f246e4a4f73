"""How solves end: statuses, limits, bounds, exact decimals, hints, cancellation, seeds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from orkernel.compose import irreducible_subset
from orkernel.context import RunContext
from orkernel.errors import Cancelled, Unsupported
from orkernel.records import Event, Guarantee
from orkernel.solution import Status
from orkernel.verify import check_point, verify

ModelOf = Callable[..., Any]
Solve = Callable[..., Any]

HARD_SIZE = 70
WEIGHTS = [int(37 * (k * k * 7919 % 101) + 1009 + k) for k in range(1, HARD_SIZE + 1)]


def split_model(model_of: ModelOf) -> Any:
    """Split weights into three equal parts: an incumbent at once, no proof in seconds."""
    return model_of(
        [
            {"name": "put", "index": ["ITEM", "BIN"], "domain": "binary"},
            {"name": "worst", "upper": 10**9},
        ],
        ["all(sum(put[i,b] for b in BIN) == 1 for i in ITEM)"]
        + [
            f"sum(weight[i]**2 * put[i,{b}] for i in ITEM)"
            f" + 3 * sum(weight[i] * put[i,{b % 5 + 1}] for i in ITEM) <= worst"
            for b in range(1, 6)
        ],
        "worst",
        sets=[{"name": "ITEM", "range": [1, HARD_SIZE]}, {"name": "BIN", "range": [1, 5]}],
        parameters=[{"name": "weight", "index": ["ITEM"], "value": WEIGHTS}],
    )


# --------------------------------------------------------------------------- published optima


def test_send_more_money_has_one_solution(model_of: ModelOf, solve: Solve) -> None:
    letters = "SENDMORY"
    word = {w: " + ".join(f"{10**k}*{c}" for k, c in enumerate(reversed(w))) for w in
            ("SEND", "MORE", "MONEY")}  # fmt: skip
    model = model_of(
        [{"name": c, "lower": 1 if c in "SM" else 0, "upper": 9} for c in letters],
        [
            f"all_different([{', '.join(letters)}])",
            f"{word['SEND']} + {word['MORE']} == {word['MONEY']}",
        ],
    )
    values = model.values(solve(model).values)
    assert [values[c] for c in letters] == [9, 5, 6, 7, 1, 0, 8, 2]


def test_eight_queens_stand_apart(model_of: ModelOf, solve: Solve) -> None:
    model = model_of(
        [{"name": "q", "index": ["ROW"], "lower": 1, "upper": 8}],
        [
            "all_different(q[i] for i in ROW)",
            "all_different(q[i] + i for i in ROW)",
            "all_different(q[i] - i for i in ROW)",
        ],
        sets=[{"name": "ROW", "range": [1, 8]}],
    )
    solution = solve(model)
    assert solution.status is Status.OPTIMAL
    assert not check_point(model, solution.values).problems


def test_fisher_and_thompson_6_by_6_takes_55_without_any_upper_bound(
    model_of: ModelOf, solve: Solve
) -> None:
    machine = [[2, 0, 1, 3, 5, 4], [1, 2, 4, 5, 0, 3], [2, 3, 5, 0, 1, 4],
               [1, 0, 2, 3, 4, 5], [2, 1, 4, 5, 0, 3], [1, 3, 5, 0, 4, 2]]  # fmt: skip
    length = [[1, 3, 6, 7, 3, 6], [8, 5, 10, 10, 10, 4], [5, 4, 8, 9, 1, 7],
              [5, 5, 5, 3, 8, 9], [9, 3, 5, 4, 3, 1], [3, 3, 9, 10, 4, 1]]  # fmt: skip
    same = "for j in JOB for k in STEP if machine[j,k] == {m}"
    model = model_of(
        [{"name": "start", "index": ["JOB", "STEP"]}, {"name": "end"}],
        [
            "all(start[j,k] + length[j,k] <= start[j,k+1] for j in JOB for k in STEP if k < 6)",
            "all(start[j,6] + length[j,6] <= end for j in JOB)",
            *(
                f"no_overlap(interval(start[j,k], length[j,k]) {same.format(m=m)})"
                for m in range(6)
            ),
        ],
        "end",
        sets=[{"name": "JOB", "range": [1, 6]}, {"name": "STEP", "range": [1, 6]}],
        parameters=[
            {"name": "machine", "index": ["JOB", "STEP"], "value": machine},
            {"name": "length", "index": ["JOB", "STEP"], "value": length},
        ],
    )
    solution = solve(model)
    assert (solution.status, solution.objective, solution.bound) == (Status.OPTIMAL, 55, 55)


# --------------------------------------------------------------------------- exact numbers


def test_decimals_are_scaled_exactly_and_the_scale_is_reported(
    model_of: ModelOf, solve: Solve
) -> None:
    model = model_of(
        [{"name": "x", "upper": 10}, {"name": "y", "upper": 10}],
        ["0.1*x + 0.2*y <= 0.3", "0.7*x + 0.1*y <= 0.8"],
        "1.25*x + 0.001*y",
        "maximize",
    )
    solution = solve(model)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(1.251, abs=1e-12)
    assert solution.statistics["scale"] == 1000
    assert any("1,000" in note for note in solution.assumptions)


def test_a_third_is_a_third(model_of: ModelOf, solve: Solve) -> None:
    model = model_of([{"name": "x", "upper": 9}, {"name": "y", "lower": 1, "upper": 9}],
                     ["x / 3 == y", "x / 3 + x / 6 >= 1.5"], "x")  # fmt: skip
    assert solve(model).objective == 3


def test_noise_of_a_constant_moved_across_excludes_no_point(
    model_of: ModelOf, solve: Solve
) -> None:
    model = model_of([{"name": "x", "upper": 9}], ["0.1*x + 0.1 <= 0.3"], "x", "maximize")
    assert solve(model).objective == 2


@pytest.mark.parametrize(
    ("rows", "goal", "culprit"),
    [
        (["0.123456789012345*x + 98765.4321098765*y <= 1e9"], "x", "c0"),
        (["x + y <= 5"], "0.12345678901234*x + 123456789.01234*y", "goal"),
        (["x * y * x * y <= 1e25"], "x", "c0"),
    ],
)
def test_numbers_that_exceed_64_bits_are_refused_by_the_element_that_holds_them(
    model_of: ModelOf, solve: Solve, rows: list[str], goal: str, culprit: str
) -> None:
    model = model_of([{"name": "x", "upper": 10**7}, {"name": "y", "upper": 10**7}], rows, goal)
    with pytest.raises(Unsupported, match=f"{culprit}.*64"):
        solve(model)


@pytest.mark.parametrize("size", [1e-9, 1e-4, 1e6, 1e12])
def test_tiny_and_huge_coefficients_keep_the_optimum(
    model_of: ModelOf, solve: Solve, size: float
) -> None:
    model = model_of(
        [{"name": "x", "upper": 5}, {"name": "y", "upper": 5}],
        [f"{size!r}*x + {2 * size!r}*y <= {7 * size!r}"],
        f"{3 * size!r}*x + {5 * size!r}*y",
        "maximize",
    )
    solution = solve(model)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(20 * size)


def test_terms_given_twice_add_up(model_of: ModelOf, solve: Solve) -> None:
    model = model_of(
        [{"name": "x", "upper": 9}], ["x + x + x <= 10", "0.1*x + 0.2*x <= 5"], "x + x", "maximize"
    )
    assert solve(model).objective == 6


def test_fractional_bounds_are_rounded_inwards(model_of: ModelOf, solve: Solve) -> None:
    variable = {"name": "x", "lower": -1.5, "upper": 2.7}
    assert solve(model_of([variable], [], "x")).objective == -1
    assert solve(model_of([variable], [], "x", "maximize")).objective == 2


# --------------------------------------------------------------------------- endings


def test_contradictory_bounds_are_infeasible_and_named(model_of: ModelOf, solve: Solve) -> None:
    solution = solve(model_of([{"name": "x", "lower": 3, "upper": 2}], ["x >= 0"], "x"))
    assert solution.status is Status.INFEASIBLE
    assert solution.infeasible_subset.lower == solution.infeasible_subset.upper == (0,)


def test_an_empty_index_set_leaves_the_rest(model_of: ModelOf, solve: Solve) -> None:
    model = model_of(
        [{"name": "x", "index": ["NONE"], "upper": 3}, {"name": "y", "upper": 4}],
        [
            "sum(x[i] for i in NONE) + y <= 3",
            "all_different(x[i] for i in NONE)",
            "no_overlap(interval(x[i], 1) for i in NONE)",
            "cumulative([interval(x[i], 1) for i in NONE], [1 for i in NONE], y)",
        ],
        "y",
        "maximize",
        sets=[{"name": "NONE", "members": []}],
    )
    assert solve(model).objective == 3


def test_the_rows_that_cannot_hold_together_are_named(model_of: ModelOf, solve: Solve) -> None:
    model = model_of(
        [{"name": n, "lower": 1, "upper": 2} for n in "xyz"] + [{"name": "w", "upper": 9}],
        ["w >= 3", "all_different([x, y, z])", "x + w <= 9", "w <= 8"],
        "w",
    )
    solution = solve(model)
    assert solution.status is Status.INFEASIBLE
    assert solution.infeasible_subset.rows == (1,)

    def again(subset: Any, ctx: RunContext) -> Any:
        return solve(subset, ctx)

    found = irreducible_subset(model, again, RunContext().limited(20), solution.infeasible_subset)
    assert found is not None
    assert found.minimal
    assert (found.rows, found.lower, found.upper) == ((1,), (0, 1, 2), (0, 1, 2))


@pytest.mark.parametrize("seconds", [0.0, 0.1])
def test_a_short_limit_gives_a_checked_point_or_time_limit(
    model_of: ModelOf, solve: Solve, seconds: float
) -> None:
    model = split_model(model_of)
    begun = time.monotonic()
    solution = solve(model, RunContext().limited(seconds))
    assert time.monotonic() - begun < seconds + 3.0
    assert solution.status in (Status.FEASIBLE, Status.TIME_LIMIT)
    assert (solution.values is None) == (solution.status is Status.TIME_LIMIT)
    if seconds == 0.0:
        assert solution.status is Status.TIME_LIMIT


def test_cancelling_returns_the_incumbent_with_its_bound(model_of: ModelOf, solve: Solve) -> None:
    model = split_model(model_of)
    cancel, events = threading.Event(), []

    def emit(event: Event) -> None:
        events.append(event)
        if event.kind == "solver.incumbent":
            cancel.set()

    solution = solve(model, RunContext(cancel=cancel, emit=emit).limited(60))
    assert solution.status is Status.FEASIBLE
    assert verify(model, solution).verified
    assert solution.bound <= solution.objective
    incumbent = next(e for e in events if e.kind == "solver.incumbent")
    assert incumbent.data["objective"] >= incumbent.data["bound"]


def test_cancelling_before_an_incumbent_raises(model_of: ModelOf, solve: Solve) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Cancelled):
        solve(split_model(model_of), RunContext(cancel=cancel))


def test_within_a_gap_an_answer_is_feasible_with_its_bound(model_of: ModelOf, solve: Solve) -> None:
    solution = solve(split_model(model_of), RunContext(gap=0.9).limited(60))
    assert solution.status is Status.FEASIBLE
    assert 0.0 < solution.gap <= 0.9


def test_maximising_has_its_bound_above(model_of: ModelOf, solve: Solve) -> None:
    model = split_model(model_of)
    flipped = model.derive(
        objectives=[
            model.formulation.objectives[0].model_copy(
                update={"sense": "maximize", "expression": "1000.5 - 0.5 * worst"}
            )
        ]
    )
    solution = solve(flipped, RunContext(gap=0.9).limited(60))
    assert solution.bound >= solution.objective
    assert verify(flipped, solution).verified


def test_equal_seeds_give_equal_answers(model_of: ModelOf, solve: Solve) -> None:
    model = model_of(
        [{"name": "x", "index": ["I"], "upper": 9}],
        ["sum(x[i] for i in I) == 40", "all_different(x[i] for i in I if i < 6)"],
        "sum((i % 3) * x[i] for i in I)",
        sets=[{"name": "I", "range": [1, 12]}],
    )
    first, second = (solve(model, RunContext(seed=7)) for _ in range(2))
    np.testing.assert_array_equal(first.values, second.values)


def test_a_starting_point_is_taken_up(model_of: ModelOf, solve: Solve) -> None:
    """Whatever the machine's speed: the first incumbent is no worse than the starting point."""
    model = split_model(model_of)
    one = {"workers": 1}
    good = solve(model, RunContext(options=one, gap=0.9).limited(60))
    cancel = threading.Event()

    def emit(event: Event) -> None:
        if event.kind == "solver.incumbent":
            cancel.set()

    start = model.derive(start=good.values)
    again = solve(start, RunContext(options=one, cancel=cancel, emit=emit).limited(60))
    assert again.objective <= good.objective


# --------------------------------------------------------------------------- open bounds


def test_bounds_follow_from_rows(model_of: ModelOf, solve: Solve) -> None:
    model = model_of(
        [{"name": "x", "lower": None}, {"name": "y"}], ["x + 2*y <= 7", "x >= 1"], "x + 3*y",
        "maximize",
    )  # fmt: skip
    assert solve(model).objective == 10


def test_bounds_follow_from_the_objective_of_a_point(model_of: ModelOf, solve: Solve) -> None:
    model = model_of([{"name": "x"}, {"name": "y"}], ["3*x + 5*y >= 31"], "2*x + 3*y")
    solution = solve(model)
    assert (solution.status, solution.objective, solution.bound) == (Status.OPTIMAL, 19, 19)


def test_bounds_follow_from_a_square(model_of: ModelOf, solve: Solve) -> None:
    free = [{"name": n, "lower": None} for n in "xy"]
    solution = solve(model_of(free, ["x + y == 5"], "(x - 10)**2 + abs(y) + max(x, y, 3)"))
    assert (solution.status, solution.objective) == (Status.OPTIMAL, 14)


def test_a_free_variable_without_cost_leaves_the_optimum_proven(
    model_of: ModelOf, solve: Solve
) -> None:
    model = model_of([{"name": "x"}, {"name": "y", "upper": 9}], ["x + y >= 5"], "y")
    solution = solve(model)
    assert (solution.status, solution.objective, solution.bound) == (Status.OPTIMAL, 0, 0)


def test_an_unbounded_model_is_called_so_with_a_ray(model_of: ModelOf, solve: Solve) -> None:
    model = model_of([{"name": "x"}, {"name": "y"}], ["x - y <= 4"], "2*x - y", "maximize")
    solution = solve(model)
    assert solution.status is Status.UNBOUNDED
    assert verify(model, solution).evidence == "certificate"


def test_rows_that_contradict_over_unbounded_variables_are_infeasible(
    model_of: ModelOf, solve: Solve
) -> None:
    model = model_of([{"name": "x"}, {"name": "y"}], ["max(x, y) <= 3", "x + y >= 8"], "x")
    assert solve(model).status is Status.INFEASIBLE


def test_what_cannot_be_bounded_is_refused_by_name(model_of: ModelOf, solve: Solve) -> None:
    model = model_of([{"name": "x"}, {"name": "y"}], ["x*x - 2*y*y == 3*x*y + 1.5"], "x - y")
    with pytest.raises(Unsupported, match=r"'x'.*give it an upper bound"):
        solve(model)


# --------------------------------------------------------------------------- routing


CITIES = [(0, 0), (3, 9), (7, 2), (9, 8), (4, 5), (1, 4), (8, 5), (5, 0), (2, 7), (6, 9)]


def salesman(model_of: ModelOf) -> Any:
    distance = [[abs(a - c) + abs(b - d) for c, d in CITIES] for a, b in CITIES]
    cities = range(1, len(CITIES) + 1)
    return model_of(
        [{"name": "arc", "index": ["ARC"], "domain": "binary"}],
        ["circuit(arc[i,j] for (i,j) in ARC)"],
        "sum(distance[i,j] * arc[i,j] for (i,j) in ARC)",
        sets=[
            {"name": "N", "range": [1, len(CITIES)]},
            {"name": "ARC", "members": [[i, j] for i in cities for j in cities if i != j]},
        ],
        parameters=[{"name": "distance", "index": ["N", "N"], "value": distance}],
    )


def test_routing_is_heuristic_with_the_bound_of_cp_sat(model_of: ModelOf, solve: Solve) -> None:
    model = salesman(model_of)
    best = solve(model)
    routed = solve(model, RunContext(options={"method": "routing"}).limited(10))
    assert best.status is Status.OPTIMAL
    assert (routed.status, routed.guarantee) == (Status.FEASIBLE, Guarantee.HEURISTIC)
    assert verify(model, routed).verified
    assert routed.objective >= best.objective == routed.bound


def test_routing_refuses_what_is_no_tour(model_of: ModelOf, solve: Solve) -> None:
    model = model_of([{"name": "x", "upper": 3}], ["x >= 1"], "x")
    with pytest.raises(Unsupported, match="no tour"):
        solve(model, RunContext(options={"method": "routing"}))


def test_continuous_variables_are_refused_by_name(model_of: ModelOf, solve: Solve) -> None:
    model = model_of([{"name": "x", "upper": 3, "domain": "continuous"}], ["x >= 1"], "x")
    with pytest.raises(Unsupported, match=r"'x'.*continuous"):
        solve(model)
