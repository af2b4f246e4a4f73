"""Several tours: capacities, time windows and numbers of vehicles, against enumeration."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations
from typing import Any

import pytest

from orkernel import Model
from orkernel_ortools.routing import recognise

Build = Callable[..., Model]
Solve = Callable[..., float | None]
Costs = list[list[float]]
Plan = list[tuple[int, ...]]
Rows = list[dict[str, Any]]

DEMAND = [4, 3, 5, 2, 6]
CAPACITY = 9
LOAD = [
    {"name": "load", "index": ["C"], "domain": "integer", "lower": "q[j]", "upper": CAPACITY}
    | {"for_each": "j in C"}
]
DEMANDS = [{"name": "q", "index": ["C"], "value": DEMAND}]

CONDITIONAL = "implies(arc[i,j] == 1, load[j] >= load[i] + q[j])"
SWITCHED = "implies(arc[i,j], load[i] + q[j] <= load[j])"
BIG_M = f"load[j] >= load[i] + q[j] - {CAPACITY}*(1 - arc[i,j])"
MILLER_TUCKER_ZEMLIN = f"load[i] - load[j] + {CAPACITY}*arc[i,j] <= {CAPACITY} - q[j]"
FALLING = f"load[i] >= load[j] + q[i] - {CAPACITY}*(1 - arc[i,j])"


def random_costs(nodes: int, seed: int) -> Costs:
    rng = random.Random(seed)
    return [[float(rng.randint(1, 40)) for _ in range(nodes)] for _ in range(nodes)]


def plans(customers: int) -> Iterator[Plan]:
    """All ways to serve customers 1 … n by tours, each set of tours at least once."""
    for order in permutations(range(1, customers + 1)):
        for mask in range(1 << (customers - 1)):
            cuts = [k for k in range(1, customers) if mask >> (k - 1) & 1]
            ends = [0, *cuts, customers]
            yield [order[a:b] for a, b in pairwise(ends)]


def length(cost: Costs, plan: Plan) -> float:
    return sum(cost[i][j] for tour in plan for i, j in pairwise((0, *tour, 0)))


def fits(tour: Sequence[int]) -> bool:
    return sum(DEMAND[node - 1] for node in tour) <= CAPACITY


def shortest(cost: Costs, allowed: Callable[[Plan], bool]) -> float:
    return min(length(cost, plan) for plan in plans(len(cost) - 1) if allowed(plan))


def loads(expression: str) -> Rows:
    return [{"name": "l", "for_each": "i in C for j in C if i != j", "expression": expression}]


@pytest.mark.parametrize(
    "expression", [CONDITIONAL, SWITCHED, BIG_M, MILLER_TUCKER_ZEMLIN, FALLING]
)
def test_capacity_is_kept_however_it_is_written(
    vehicles: Build, best: Solve, expression: str
) -> None:
    cost = random_costs(6, 1)
    model = vehicles(cost, loads(expression), variables=LOAD, parameters=DEMANDS)
    assert best(model) == shortest(cost, lambda plan: all(map(fits, plan)))


@pytest.mark.parametrize("rows", ["== 3", "<= 3", ">= 4"])
def test_number_of_vehicles_is_kept(vehicles: Build, best: Solve, rows: str) -> None:
    cost = random_costs(6, 2)
    constraints = [{"name": "k", "expression": f"sum(arc[0,j] for j in C) {rows}"}]
    model = vehicles(cost, [*constraints, *loads(CONDITIONAL)], variables=LOAD, parameters=DEMANDS)
    test = {"== 3": (3).__eq__, "<= 3": (3).__ge__, ">= 4": (4).__le__}[rows]
    assert best(model) == shortest(cost, lambda p: bool(test(len(p))) and all(map(fits, p)))


def test_vehicles_counted_where_they_come_back_count_too(vehicles: Build, best: Solve) -> None:
    cost = random_costs(5, 3)
    rows = [{"name": "k", "expression": "sum(arc[i,0] for i in C) == 2"}]
    model = vehicles(cost, rows)
    tour = recognise(model)
    assert tour is not None
    assert (tour.vehicles, tour.limits) == ((2, 2), ())
    assert best(model) == shortest(cost, lambda plan: len(plan) == 2)


def test_fixed_cost_of_a_vehicle_is_weighed(vehicles: Build, best: Solve) -> None:
    cost = random_costs(5, 4)
    model = vehicles(
        cost,
        [],
        objective="sum((d[i,j] + 25*(i == 0))*arc[i,j] for i in N for j in N if i != j)",
    )
    wanted = min(length(cost, plan) + 25 * len(plan) for plan in plans(4))
    assert best(model) == wanted


def test_too_few_vehicles_for_the_load_give_nothing(vehicles: Build, best: Solve) -> None:
    rows = [{"name": "k", "expression": "sum(arc[0,j] for j in C) <= 2"}, *loads(CONDITIONAL)]
    model = vehicles(random_costs(6, 5), rows, variables=LOAD, parameters=DEMANDS)
    assert best(model, 0.5) is None


# ------------------------------------------------------------------ time windows

READY = [0, 10, 5, 20]
DUE = [15, 30, 25, 40]
SERVICE = [3, 2, 4, 1]
WINDOWS = [
    {"name": "ready", "index": ["C"], "value": READY},
    {"name": "due", "index": ["C"], "value": DUE},
    {"name": "service", "index": ["C"], "value": SERVICE},
]
ARRIVE = [
    {"name": "arrive", "index": ["C"], "domain": "integer", "for_each": "j in C"}
    | {"lower": "ready[j]", "upper": "due[j]"}
]
LEAVE_DEPOT = {
    "name": "first",
    "for_each": "j in C",
    "expression": "implies(arc[0,j] == 1, arrive[j] >= d[0,j])",
}
TRAVEL = {
    "name": "next",
    "for_each": "i in C for j in C if i != j",
    "expression": "implies(arc[i,j] == 1, arrive[j] >= arrive[i] + service[i] + d[i,j])",
}
CLOSING = 45


def arrivals(cost: Costs, tour: Sequence[int]) -> list[float] | None:
    """Earliest arrivals on a tour and back at the depot; None if a window is missed."""
    times: list[float] = []
    at = 0.0
    for i, j in pairwise((0, *tour)):
        at = max(READY[j - 1], at + (SERVICE[i - 1] if i else 0) + cost[i][j])
        if at > DUE[j - 1]:
            return None
        times.append(at)
    return [*times, at + SERVICE[tour[-1] - 1] + cost[tour[-1]][0]]


def punctual(cost: Costs, closing: float = 1e9) -> Callable[[Plan], bool]:
    def test(plan: Plan) -> bool:
        times = [arrivals(cost, tour) for tour in plan]
        return all(t is not None and t[-1] <= closing for t in times)

    return test


def windowed_costs(seed: int) -> Costs:
    """A cheap first leg, so that windows and not distances decide."""
    cost = random_costs(5, seed)
    return [[cost[i][j] / 4 // 1 + 1 for j in range(5)] for i in range(5)]


@pytest.mark.parametrize("seed", range(4))
def test_time_windows_are_kept(vehicles: Build, best: Solve, seed: int) -> None:
    cost = windowed_costs(seed)
    model = vehicles(cost, [LEAVE_DEPOT, TRAVEL], variables=ARRIVE, parameters=WINDOWS)
    assert best(model) == shortest(cost, punctual(cost))


def test_closing_time_of_the_depot_is_kept(vehicles: Build, best: Solve) -> None:
    cost = windowed_costs(7)
    home = {
        "name": "home",
        "for_each": "i in C",
        "expression": "implies(arc[i,0] == 1, arrive[i] + service[i] + d[i,0] <= 36)",
    }
    model = vehicles(cost, [LEAVE_DEPOT, TRAVEL, home], variables=ARRIVE, parameters=WINDOWS)
    assert best(model) == shortest(cost, punctual(cost, 36))


def test_column_for_the_last_return_gets_its_value(
    vehicles: Build, found: Callable[..., Any]
) -> None:
    cost = windowed_costs(8)
    home = {
        "name": "home",
        "for_each": "i in C",
        "expression": "implies(arc[i,0] == 1, finish >= arrive[i] + service[i] + d[i,0])",
    }
    finish = {"name": "finish", "domain": "integer", "upper": 60}
    model = vehicles(
        cost, [LEAVE_DEPOT, TRAVEL, home], variables=[*ARRIVE, finish], parameters=WINDOWS
    )
    values = model.values(found(model))
    last = max(
        values["arrive"][str(i)] + SERVICE[i - 1] + cost[i][0]
        for i in range(1, 5)
        if values["arc"][str(i)]["0"] == 1
    )
    assert values["finish"] == last


def test_windows_written_as_rows_count_like_bounds(vehicles: Build, best: Solve) -> None:
    cost = windowed_costs(2)
    free = [{"name": "arrive", "index": ["C"], "domain": "integer", "upper": 1000}]
    rows = [
        {"name": "window", "for_each": "j in C", "expression": "ready[j] <= arrive[j] <= due[j]"},
        LEAVE_DEPOT,
        TRAVEL,
    ]
    model = vehicles(cost, rows, variables=free, parameters=WINDOWS)
    assert best(model) == shortest(cost, punctual(cost))


def test_decimal_travel_times_are_exact(vehicles: Build, best: Solve) -> None:
    cost = [[c + 0.125 for c in row] for row in windowed_costs(3)]
    decimal = [dict(ARRIVE[0], domain="continuous")]
    model = vehicles(cost, [LEAVE_DEPOT, TRAVEL], variables=decimal, parameters=WINDOWS)
    assert best(model) == shortest(cost, punctual(cost))


def test_windows_that_nobody_can_meet_give_nothing(vehicles: Build, best: Solve) -> None:
    cost = [[60.0] * 5 for _ in range(5)]
    model = vehicles(cost, [LEAVE_DEPOT, TRAVEL], variables=ARRIVE, parameters=WINDOWS)
    assert best(model, 0.5) is None


def test_loads_and_windows_together_are_kept(vehicles: Build, best: Solve) -> None:
    cost = windowed_costs(9)
    demand = [{"name": "q", "index": ["C"], "value": DEMAND[:4]}]
    model = vehicles(
        cost,
        [LEAVE_DEPOT, TRAVEL, *loads(BIG_M)],
        variables=[*ARRIVE, *LOAD],
        parameters=[*WINDOWS, *demand],
    )
    tour = recognise(model)
    assert tour is not None
    assert len(tour.dimensions) == 2
    on_time = punctual(cost)
    assert best(model) == shortest(cost, lambda plan: on_time(plan) and all(map(fits, plan)))


def test_exact_load_rises_and_falls_with_pickups_and_drops(vehicles: Build, best: Solve) -> None:
    change = [5, -4, 3, -2]
    cost = random_costs(5, 10)
    rows = [
        {
            "name": "leave",
            "for_each": "j in C",
            "expression": "implies(arc[0,j] == 1, load[j] == change[j])",
        },
        {
            "name": "next",
            "for_each": "i in C for j in C if i != j",
            "expression": "implies(arc[i,j] == 1, load[j] == load[i] + change[j])",
        },
    ]
    model = vehicles(
        cost,
        rows,
        variables=[{"name": "load", "index": ["C"], "domain": "integer", "upper": 6}],
        parameters=[{"name": "change", "index": ["C"], "value": change}],
    )

    def carried(plan: Plan) -> bool:
        for tour in plan:
            load = 0
            for node in tour:
                load += change[node - 1]
                if not 0 <= load <= 6:
                    return False
        return True

    assert best(model) == shortest(cost, carried)


def test_customer_may_be_left_out_for_its_penalty(formulation: Build, best: Solve) -> None:
    model = formulation(
        {
            "sets": [{"name": "N", "range": [0, 3]}],
            "parameters": [
                {
                    "name": "d",
                    "index": ["N", "N"],
                    "value": [[0, 4, 4, 30], [4, 20, 1, 30], [4, 1, 20, 30], [30, 30, 30, 20]],
                }
            ],
            "variables": [{"name": "arc", "index": ["N", "N"], "domain": "binary"}],
            "objectives": [
                {
                    "name": "cost",
                    "sense": "minimize",
                    "expression": "sum(d[i,j]*arc[i,j] for i in N for j in N)",
                }
            ],
            "constraints": [
                {
                    "name": "tours",
                    "expression": "multi_circuit([arc[i,j] for i in N for j in N], 0)",
                }
            ],
        }
    )
    assert best(model) == 4 + 1 + 4 + 20
