"""Random parameters: answers against closed forms, and figures with their intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from orkernel.errors import UsageError
from orkernel.records import Guarantee
from orkernel.solution import Solution, Status

LEVEL = 0.9999
"""So that a right interval misses by bad luck once in ten thousand seeds; seeds are fixed."""


def expected_excess(x: Any, mean: Any, std: Any) -> Any:
    """E (x − D)⁺ for a normal D."""
    z = (x - mean) / std
    return std * (z * stats.norm.cdf(z) + stats.norm.pdf(z))


def contains(solution: Solution, kind: str, name: str, exact: float) -> bool:
    (found,) = [e for e in solution.estimates if (e.kind, e.name) == (kind, name)]
    assert found.samples > 0
    assert found.level == LEVEL
    return found.low <= exact <= found.high


def test_newsvendor_orders_the_critical_fractile_and_brackets_the_exact_profit(
    build: Any, solve: Any
) -> None:
    solution = solve(build("newsvendor"), level=LEVEL)
    (order,) = solution.values
    assert stats.norm.cdf(order, 120, 25) == pytest.approx(2.5 / 3.5, abs=1e-3)
    profit = 2.5 * order - 3.5 * expected_excess(order, 120, 25)
    assert solution.status is Status.FEASIBLE
    assert solution.guarantee is Guarantee.SAMPLED
    assert solution.bound is None
    assert solution.objective == pytest.approx(profit, rel=1e-3)
    assert contains(solution, "objective", "profit", profit)
    assert contains(solution, "result", "service", stats.norm.cdf(order, 120, 25))
    assert any("optimal over 4,096" in note for note in solution.assumptions)
    assert any("flatter" in note for note in solution.assumptions)


def test_discrete_newsvendor_prints_the_smallest_number_beyond_the_critical_fractile(
    build: Any, solve: Any
) -> None:
    solution = solve(build("newsvendor-discrete"), level=LEVEL)
    demand = np.array([40, 60, 80, 100, 140])
    chances = np.array([0.1, 0.25, 0.3, 0.2, 0.15])
    assert solution.values.tolist() == [80.0]
    profit = 5 * chances @ np.minimum(80, demand) - 160
    assert solution.objective == pytest.approx(profit, rel=1e-3)
    assert contains(solution, "objective", "profit", profit)
    assert contains(solution, "result", "sold out", 0.65)


def test_reorder_point_and_quantity_meet_the_textbook_conditions(build: Any, solve: Any) -> None:
    def cost(point: Any) -> float:
        quantity, reorder = point
        short = expected_excess(-reorder, -90, 15)
        return float(1200 / quantity * (40 + 6 * short) + 3 * (quantity / 2 + reorder - 90))

    quantity, reorder = 170.0, 110.0
    for _ in range(100):
        short = expected_excess(-reorder, -90, 15)
        quantity = np.sqrt(2 * 1200 * (40 + 6 * short) / 3)
        reorder = stats.norm.isf(3 * quantity / (6 * 1200), 90, 15)
    solution = solve(build("order-quantity"), level=LEVEL)
    assert solution.values == pytest.approx([quantity, reorder], rel=3e-3)
    exact = cost(solution.values)
    assert exact == pytest.approx(cost([quantity, reorder]), rel=1e-5)
    assert contains(solution, "objective", "cost", exact)
    assert contains(solution, "result", "stockout", stats.norm.sf(solution.values[1], 90, 15))


def test_two_stage_plan_is_within_a_thousandth_of_the_exact_optimum(build: Any, solve: Any) -> None:
    mean, std = np.array([40.0, 50.0, 80.0]), np.array([9.0, 12.0, 20.0])
    cost, price, outlet = np.array([[30, 18, 4], [85, 40, 9], [20, 12, 1]])

    def profit(make: Any) -> float:
        left = expected_excess(make, mean, std)
        return float(np.sum(price * (make - left) + outlet * left - cost * make))

    best = optimize.minimize(
        lambda x: -profit(x),
        mean,
        method="SLSQP",
        bounds=[(0, None)] * 3,
        constraints=optimize.LinearConstraint([[2, 1, 0.2], [3, 2, 0.5]], -np.inf, [160, 260]),
        options={"ftol": 1e-12},
    )
    solution = solve(build("two-stage"), level=LEVEL)
    assert profit(solution.values) >= -best.fun * (1 - 1e-3)
    assert contains(solution, "objective", "profit", profit(solution.values))
    left = expected_excess(solution.values, mean, std)
    for name, exact in zip(["coat", "dress", "scarf"], left, strict=True):
        assert contains(solution, "result", f"left over[{name}]", exact)
    assert "cutting planes" in solution.message


def test_cutting_planes_and_scenario_program_agree_on_the_sample(build: Any, solve: Any) -> None:
    """The two-stage plan written out as one linear program over all scenarios."""
    model = build("newsvendor")
    from orkernel.algebra.sampling import common_sample

    demand = common_sample(model.program.scope.random)["demand"][:, 0]
    count = demand.size
    # order, then sales per scenario; leftover = order − sales
    program = optimize.linprog(
        np.concatenate([[1.5 - 0.5], np.full(count, -3.5 / count)]),
        A_ub=np.hstack([-np.ones((count, 1)), np.eye(count)]),
        b_ub=np.zeros(count),
        bounds=[(0, None), *((None, d) for d in demand)],
    )
    assert solve(model).objective == pytest.approx(-program.fun, rel=1e-6)


def test_chance_constraint_gives_the_quantile_and_says_that_it_may_not_hold(
    build: Any, solve: Any
) -> None:
    model = build(
        parameters=[{"name": "d", "distribution": {"normal": {"mean": 50, "std": 8}}}],
        variables=[{"name": "q", "domain": "continuous", "upper": 200}],
        objectives=[{"name": "stock", "sense": "minimize", "expression": "q"}],
        constraints=[{"name": "service", "expression": "probability(q >= d) >= 0.95"}],
    )
    solution = solve(model)
    assert solution.values[0] == pytest.approx(stats.norm.ppf(0.95, 50, 8), abs=0.05)
    (found,) = solution.estimates
    assert (found.kind, found.name) == ("constraint", "service")
    straddles = found.low < 0.95
    assert straddles == any("'service' may not hold" in note for note in solution.assumptions)


def test_rows_without_random_parameters_prove_infeasibility_and_a_sample_does_not(
    build: Any, solve: Any
) -> None:
    parts: dict[str, Any] = {
        "parameters": [{"name": "d", "distribution": {"normal": {"mean": 50, "std": 8}}}],
        "variables": [{"name": "q", "domain": "integer", "upper": 20}],
    }
    chance = {"name": "service", "expression": "probability(q >= d) >= 0.95"}
    sampled = solve(build(**parts, constraints=[chance]))
    assert sampled.status is Status.ERROR
    assert "does not prove" in sampled.message
    certain = {"name": "more", "expression": "q >= 30"}
    proven = solve(build(**parts, constraints=[chance, certain]))
    assert (proven.status, proven.guarantee) == (Status.INFEASIBLE, Guarantee.GLOBAL)


@pytest.mark.parametrize(("width", "most"), [("0.5", 0.5), ("0.2%", 0.4)])
def test_scenarios_are_drawn_until_the_wanted_half_width_is_met(
    build: Any, solve: Any, width: str, most: float
) -> None:
    solution = solve(build("newsvendor"), half_width=width)
    (profit,) = [e for e in solution.estimates if e.kind == "objective"]
    assert (profit.high - profit.low) / 2 <= (
        most if "%" not in width else 0.002 * abs(profit.value)
    )
    assert profit.samples > 1024
    assert not any("not reached" in note for note in solution.assumptions)


def test_a_half_width_out_of_reach_is_said(build: Any, solve: Any) -> None:
    solution = solve(build("newsvendor"), half_width="0.001", samples_limit=5000)
    assert {e.samples for e in solution.estimates} == {5000}
    assert any("0.001 was not reached within 5,000" in note for note in solution.assumptions)


def test_gain_over_a_given_start_uses_the_same_scenarios(build: Any, solve: Any) -> None:
    model = build("newsvendor").derive(start=np.array([100.0]))
    message = solve(model).message
    assert "against the given start" in message
    assert "same scenarios" in message


@pytest.mark.parametrize(
    "options", [{"half_width": "wide"}, {"half_width": "-1"}, {"level": 1.5}, {"samples": 1}]
)
def test_senseless_options_are_refused_by_name(
    build: Any, solve: Any, options: dict[str, Any]
) -> None:
    with pytest.raises(UsageError, match="numpy"):
        solve(build("newsvendor"), **options)


def test_equal_seeds_give_equal_figures_and_others_do_not(build: Any, solve: Any) -> None:
    first, again, other = (solve(build("newsvendor"), seed=seed) for seed in (3, 3, 4))
    assert first.estimates == again.estimates
    assert first.estimates != other.estimates
    np.testing.assert_array_equal(first.values, again.values)
