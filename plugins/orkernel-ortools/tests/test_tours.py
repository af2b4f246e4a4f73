"""Circuits against enumeration: loops, missing arcs, several tours, tours inside logic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from orkernel.solution import Status

ONE_TOUR = "circuit(arc[i,j] for i in N for j in N if allowed[i,j] == 1)"
TOURS = "multi_circuit([arc[i,j] for i in N for j in N if allowed[i,j] == 1], {depot})"
LENGTH = "sum(cost[i,j] * arc[i,j] for i in N for j in N)"


def tour(
    model_of: Callable[..., Any], allowed: list[int], cost: list[int], *constraints: str
) -> Any:
    """A model over three nodes; forbidden arcs stay unchosen."""
    return model_of(
        [{"name": "arc", "index": ["N", "N"], "domain": "binary"}],
        [*constraints, "sum(arc[i,j] * (1 - allowed[i,j]) for i in N for j in N) == 0"],
        LENGTH,
        sets=[{"name": "N", "range": [1, 3]}],
        parameters=[
            {"name": "allowed", "index": ["N", "N"], "value": grid(allowed)},
            {"name": "cost", "index": ["N", "N"], "value": grid(cost)},
        ],
    )


def grid(numbers: list[int]) -> list[list[int]]:
    return [numbers[k : k + 3] for k in (0, 3, 6)]


NINE = st.lists(st.sampled_from([1, 1, 1, 0]), min_size=9, max_size=9)
COSTS = st.lists(st.integers(-2, 5), min_size=9, max_size=9)
TOUR = st.sampled_from([ONE_TOUR, TOURS.format(depot=1), TOURS.format(depot=2)])
RULES = TOUR.flatmap(
    lambda tour: st.sampled_from(
        [
            tour,
            f"not {tour}",
            f"implies(arc[1,2] == 1, {tour})",
            f"iff(arc[2,2] == 0, {tour})",
            f"{tour} or arc[1,3] + arc[3,1] == 2",
            f"implies({tour}, arc[1,1] == 1)",
        ]
    )
)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(allowed=NINE, cost=COSTS, rules=st.lists(RULES, min_size=1, max_size=2))
def test_tours_agree_with_enumeration(
    model_of: Callable[..., Any],
    agrees: Callable[..., None],
    allowed: list[int],
    cost: list[int],
    rules: list[str],
) -> None:
    agrees(tour(model_of, allowed, cost, *rules))


def test_a_chosen_loop_leaves_a_node_out(
    model_of: Callable[..., Any], solve: Callable[..., Any]
) -> None:
    loops_pay = [-9, 1, 5, 1, 5, 5, 5, 5, 5]
    solution = solve(tour(model_of, [1] * 9, loops_pay, ONE_TOUR))
    assert solution.status is Status.OPTIMAL
    assert solution.values[0] == 1
    assert solution.objective == pytest.approx(1.0)


def test_a_node_without_arcs_makes_a_tour_impossible(
    model_of: Callable[..., Any], solve: Callable[..., Any]
) -> None:
    first_two = [0, 1, 0, 1, 0, 0, 0, 0, 0]
    solution = solve(tour(model_of, first_two, [1] * 9, ONE_TOUR))
    assert solution.status is Status.INFEASIBLE


def test_every_node_may_be_left_out_of_several_tours(
    model_of: Callable[..., Any], agrees: Callable[..., None]
) -> None:
    rules = [TOURS.format(depot=1), "arc[2,2] == 1", "arc[3,3] == 1"]
    agrees(tour(model_of, [1] * 9, [1] * 9, *rules))
