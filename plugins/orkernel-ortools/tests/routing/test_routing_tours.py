"""One tour: the search reaches the optimum of small ones and keeps every rule of the kernel."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Iterator
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from orkernel import Model
from orkernel.context import RunContext
from orkernel_ortools.routing import improve, recognise

Build = Callable[..., Model]
Solve = Callable[..., float | None]
Costs = list[list[float]]

RING = [[0, 2, 9, 9, 3], [2, 0, 2, 9, 9], [9, 2, 0, 2, 9], [9, 9, 2, 0, 2], [3, 9, 9, 2, 0]]
ONE_WAY = [[0, 1, 8, 8], [9, 0, 1, 8], [9, 9, 0, 1], [1, 9, 9, 0]]


def all_arcs(nodes: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(nodes) for j in range(nodes) if i != j]


def circuits(nodes: int, optional: set[int]) -> Iterator[list[tuple[int, int]]]:
    """All tours, loops of the nodes left out included."""
    for mask in range(1 << nodes):
        inside = [node for node in range(nodes) if mask >> node & 1]
        outside = set(range(nodes)) - set(inside)
        if not outside <= optional or len(inside) == 1:
            continue
        loops = [(node, node) for node in sorted(outside)]
        if not inside:
            yield loops
        for rest in permutations(inside[1:]) if inside else ():
            order = (inside[0], *rest, inside[0])
            yield [*pairwise(order), *loops]


def optimum(cost: Costs, arcs: list[tuple[int, int]]) -> float | None:
    """By enumeration; None where there is no tour."""
    allowed = set(arcs)
    optional = {i for i, j in arcs if i == j}
    lengths = [
        sum(cost[i][j] for i, j in chosen)
        for chosen in circuits(len(cost), optional)
        if set(chosen) <= allowed
    ]
    return min(lengths, default=None)


def random_costs(nodes: int, seed: int, low: int = 1, high: int = 50) -> Costs:
    rng = random.Random(seed)
    return [[float(rng.randint(low, high)) for _ in range(nodes)] for _ in range(nodes)]


def test_symmetric_tour_is_optimal(tour: Build, best: Solve) -> None:
    assert best(tour(RING)) == 11 == optimum(RING, all_arcs(5))


def test_direction_of_arcs_counts(tour: Build, best: Solve) -> None:
    assert best(tour(ONE_WAY)) == 4


def test_two_nodes_are_a_tour(tour: Build, best: Solve) -> None:
    assert best(tour([[0, 3], [4, 0]])) == 7


@pytest.mark.parametrize("seed", range(3))
def test_random_asymmetric_tour_is_optimal(tour: Build, best: Solve, seed: int) -> None:
    cost = random_costs(7, seed)
    assert best(tour(cost)) == optimum(cost, all_arcs(7))


def test_missing_arcs_are_never_used(tour: Build, best: Solve) -> None:
    arcs = [(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (1, 0), (2, 0)]
    assert best(tour(RING, arcs)) == optimum(RING, arcs) == 11


def test_arc_fixed_by_a_row_is_used(tour: Build, best: Solve) -> None:
    assert best(tour(RING, constraints=[{"name": "f", "expression": "arc[0,2] == 1"}])) == min(
        sum(RING[i][j] for i, j in chosen) for chosen in circuits(5, set()) if (0, 2) in chosen
    )


def test_arc_forbidden_by_a_row_is_not_used(tour: Build, best: Solve) -> None:
    rows = [{"name": "f", "expression": "arc[0,1] + arc[1,0] == 0"}]
    assert best(tour(RING, constraints=rows)) == min(
        sum(RING[i][j] for i, j in chosen)
        for chosen in circuits(5, set())
        if not {(0, 1), (1, 0)} & set(chosen)
    )


def test_graph_without_a_tour_gives_nothing(tour: Build, best: Solve) -> None:
    assert best(tour(RING, [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2)]), 1.0) is None


def test_node_that_no_arc_reaches_gives_nothing(tour: Build, best: Solve) -> None:
    arcs = [arc for arc in all_arcs(5) if arc[1] != 4]
    assert best(tour(RING, arcs), 1.0) is None


def test_node_may_be_left_out_for_its_penalty(tour: Build, best: Solve) -> None:
    cost = [[0, 1, 1, 50], [1, 0, 1, 50], [1, 1, 0, 50], [50, 50, 50, 7]]
    arcs = [*all_arcs(4), (3, 3)]
    assert best(tour(cost, arcs)) == optimum(cost, arcs) == 10


def test_prize_for_a_visit_is_collected_when_worth_it(tour: Build, best: Solve) -> None:
    variables = [{"name": "visit", "index": ["N"], "domain": "binary"}]
    rows = [
        {
            "name": "visited",
            "for_each": "j in N",
            "expression": "visit[j] == sum(arc[i,k] for (i,k) in ARC if k == j and i != j)",
        }
    ]
    prizes = [{"name": "prize", "index": ["N"], "value": [0, 30, 5, 30]}]
    cost = [[0, 10, 10, 10], [10, 0, 10, 10], [10, 10, 0, 10], [10, 10, 10, 0]]
    model = tour(
        cost,
        [*all_arcs(4), (1, 1), (2, 2), (3, 3)],
        sense="maximize",
        objective="sum(prize[j]*visit[j] for j in N) - sum(d[i,j]*arc[i,j] for (i,j) in ARC)",
        variables=variables,
        constraints=rows,
        parameters=prizes,
    )
    assert best(model) == 60 - 30


def test_all_nodes_optional_still_gives_a_feasible_tour(tour: Build, best: Solve) -> None:
    cost = random_costs(5, 3)
    for node in range(5):
        cost[node][node] = 200.0
    arcs = [(i, j) for i in range(5) for j in range(5)]
    assert best(tour(cost, arcs)) == optimum(cost, arcs)


def test_a_tour_of_nothing_is_not_returned_for_a_node_that_must_be_passed(
    tour: Build, best: Solve
) -> None:
    cost = [[0, 5, 5], [5, 0, 5], [5, 5, 0]]
    assert best(tour(cost, [*all_arcs(3), (1, 1), (2, 2)])) == 10


def test_negative_costs_are_minimised(tour: Build, best: Solve) -> None:
    cost = random_costs(6, 4, -40, 10)
    arcs = [*all_arcs(6), (2, 2), (5, 5)]
    assert best(tour(cost, arcs)) == optimum(cost, arcs)


def test_longest_tour_is_found_when_maximising(tour: Build, best: Solve) -> None:
    cost = random_costs(6, 5)
    negative = [[-c for c in row] for row in cost]
    assert best(tour(cost, sense="maximize")) == -(optimum(negative, all_arcs(6)) or 0.0)


def test_decimal_costs_are_scaled_exactly(tour: Build, best: Solve) -> None:
    cost = [[c / 1000 for c in row] for row in random_costs(6, 6, 1, 99999)]
    assert best(tour(cost)) == pytest.approx(optimum(cost, all_arcs(6)), rel=1e-12)


def test_costs_that_no_power_of_ten_makes_whole_give_nothing(tour: Build, best: Solve) -> None:
    cost = [[math.sqrt(i + 2 * j) for j in range(4)] for i in range(4)]
    assert best(tour(cost), 0.5) is None


def test_costs_beyond_the_solvers_integers_give_nothing(tour: Build, best: Solve) -> None:
    assert best(tour([[c * 1e17 for c in row] for row in RING]), 0.5) is None


def test_written_out_degrees_are_known_to_be_implied(tour: Build, best: Solve) -> None:
    rows = [
        {
            "name": "out",
            "for_each": "i in N",
            "expression": "sum(arc[k,j] for (k,j) in ARC if k == i) == 1",
        },
        {
            "name": "in",
            "for_each": "j in N",
            "expression": "sum(arc[i,k] for (i,k) in ARC if k == j) <= 1",
        },
    ]
    model = tour(RING, constraints=rows)
    found = recognise(model)
    assert found is not None
    assert found.limits == ()
    assert best(model) == 11


def test_budget_over_arcs_is_kept(tour: Build, best: Solve) -> None:
    cost, weight = random_costs(6, 7), random_costs(6, 8)
    weights = sorted(sum(weight[i][j] for i, j in chosen) for chosen in circuits(6, set()))
    limit = weights[len(weights) // 20]
    rows = [{"name": "b", "expression": f"sum(w[i,j]*arc[i,j] for (i,j) in ARC) <= {limit}"}]
    model = tour(
        cost,
        constraints=rows,
        parameters=[{"name": "w", "index": ["N", "N"], "value": weight}],
    )
    wanted = min(
        sum(cost[i][j] for i, j in chosen)
        for chosen in circuits(6, set())
        if sum(weight[i][j] for i, j in chosen) <= limit
    )
    assert wanted > (optimum(cost, all_arcs(6)) or 0.0)
    assert best(model) == wanted


def test_positions_written_after_miller_tucker_and_zemlin_are_filled_in(
    tour: Build, found: Callable[..., Any]
) -> None:
    model = tour(
        RING,
        variables=[{"name": "u", "index": ["N"], "domain": "integer", "upper": 4}],
        constraints=[
            {
                "name": "mtz",
                "for_each": "(i,j) in ARC if j != 0",
                "expression": "u[i] - u[j] + 5*arc[i,j] <= 4",
            }
        ],
    )
    values = model.values(found(model))
    assert sorted(values["u"].values()) == [0, 1, 2, 3, 4]


def test_start_times_of_a_single_tour_respect_their_windows(tour: Build, best: Solve) -> None:
    cost = [[0, 2, 2, 9], [2, 0, 2, 2], [2, 2, 0, 2], [9, 2, 2, 0]]
    model = tour(
        cost,
        variables=[{"name": "at", "index": ["N"], "domain": "integer", "upper": 30}],
        constraints=[
            {
                "name": "travel",
                "for_each": "(i,j) in ARC if j != 0",
                "expression": "implies(arc[i,j] == 1, at[j] >= at[i] + d[i,j])",
            },
            {"name": "early", "expression": "at[3] <= 9"},
            {"name": "late", "expression": "at[1] >= 10"},
        ],
    )
    assert best(model) == 0 + min(9 + 2 + 2 + 2, 2 + 2 + 2 + 2)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.data())
def test_any_small_tour_is_solved_to_the_value_of_enumeration(data: st.DataObject) -> None:
    from orkernel import Formulation

    nodes = data.draw(st.integers(2, 5))
    every = [(i, j) for i in range(nodes) for j in range(nodes)]
    arcs = data.draw(st.lists(st.sampled_from(every), min_size=1, unique=True))
    cost = data.draw(
        st.lists(
            st.lists(st.integers(-9, 30), min_size=nodes, max_size=nodes),
            min_size=nodes,
            max_size=nodes,
        )
    )
    if all((i, i) in arcs for i in range(nodes)):
        arcs.remove((0, 0))
    if not arcs:
        return
    model = Model.bind(
        Formulation.model_validate(
            {
                "schema_version": 1,
                "sets": [{"name": "N", "range": [0, nodes - 1]}],
                "parameters": [
                    {"name": "d", "index": ["N", "N"], "value": cost},
                    {
                        "name": "is_arc",
                        "index": ["N", "N"],
                        "value": [
                            [int((i, j) in arcs) for j in range(nodes)] for i in range(nodes)
                        ],
                    },
                ],
                "variables": [{"name": "arc", "index": ["N", "N"], "domain": "binary"}],
                "objectives": [
                    {
                        "name": "length",
                        "sense": "minimize",
                        "expression": "sum(d[i,j]*arc[i,j] for i in N for j in N)",
                    }
                ],
                "constraints": [
                    {
                        "name": "tour",
                        "expression": "circuit(arc[i,j] for i in N for j in N if is_arc[i,j] == 1)",
                    },
                    {
                        "name": "none",
                        "for_each": "i in N for j in N if is_arc[i,j] == 0",
                        "expression": "arc[i,j] == 0",
                    },
                ],
            }
        )
    )
    found = recognise(model)
    wanted = optimum([[float(c) for c in row] for row in cost], arcs)
    if found is None:
        assert wanted is None
        return
    point = improve(found, RunContext(), 1.0)
    if wanted is None:
        assert point is None
    else:
        assert point is not None
        assert model.evaluate(point).objectives[0, 0] == wanted


# ------------------------------------------------------------------ time and interruption


def far_from_done(tour: Build) -> Any:
    found = recognise(tour(random_costs(60, 9)))
    assert found is not None
    return found


def test_equal_seeds_give_equal_points(tour: Build, found: Callable[..., Any]) -> None:
    model = tour(random_costs(9, 10))
    assert np.array_equal(found(model, seed=7), found(model, seed=7))


def test_deadline_in_the_past_gives_nothing_at_once(tour: Build) -> None:
    problem = far_from_done(tour)
    begin = time.monotonic()
    assert improve(problem, RunContext(deadline=begin - 1.0), 10.0) is None
    assert improve(problem, RunContext(), 0.0) is None
    assert time.monotonic() - begin < 0.2


def test_deadline_ends_the_search(tour: Build) -> None:
    problem = far_from_done(tour)
    begin = time.monotonic()
    point = improve(problem, RunContext(deadline=begin + 0.5), 60.0)
    assert point is not None
    assert time.monotonic() - begin < 1.5


def test_interruption_ends_the_search_with_the_best_tour_so_far(tour: Build) -> None:
    problem = far_from_done(tour)
    ctx = RunContext()
    timer = threading.Timer(0.4, ctx.cancel.set)
    timer.start()
    begin = time.monotonic()
    point = improve(problem, ctx, 60.0)
    timer.join()
    assert point is not None
    assert time.monotonic() - begin < 2.0
    assert improve(problem, ctx, 60.0) is None
