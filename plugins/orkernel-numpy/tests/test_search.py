"""Continuous and mixed models: published optima, and answers that claim no more than they can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from orkernel.certificates import proves_unbounded
from orkernel.context import RunContext
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Guarantee, Problem
from orkernel.solution import Evidence, Solution, Status
from orkernel.verify import verify
from orkernel_numpy.agent import NumpyAgent


def bind(**data: Any) -> Model:
    return Model.bind(Formulation.model_validate(data))


def answer(model: Model, **options: Any) -> Solution:
    solution = NumpyAgent().solve(Problem(""), model, RunContext(options=options))
    if solution.values is not None:
        checked = verify(model, solution)
        assert checked.verified, checked.problems
    return solution


def goal(sense: str, expression: str) -> list[dict[str, Any]]:
    return [{"name": "goal", "sense": sense, "expression": expression}]


def rules(*expressions: str) -> list[dict[str, Any]]:
    return [{"name": f"rule {k}", "expression": text} for k, text in enumerate(expressions)]


def columns(count: int, **bounds: Any) -> dict[str, Any]:
    return {
        "sets": [{"name": "I", "range": [1, count]}],
        "variables": [{"name": "x", "index": ["I"], "domain": "continuous", **bounds}],
    }


def test_hock_schittkowski_71_is_met_locally() -> None:
    solution = answer(
        bind(
            **columns(4, lower=1, upper=5),
            objectives=goal("minimize", "x[1]*x[4]*(x[1]+x[2]+x[3]) + x[3]"),
            constraints=rules("prod(x[i] for i in I) >= 25", "sum(x[i]**2 for i in I) == 40"),
        )
    )
    assert solution.objective == pytest.approx(17.0140173, rel=1e-7)
    assert (solution.status, solution.guarantee) == (Status.FEASIBLE, Guarantee.LOCAL)
    assert solution.bound is None


def test_the_lowest_of_many_valleys_is_found_and_labelled_no_more_than_local() -> None:
    solution = answer(
        bind(
            **columns(3, lower=-5.12, upper=5.12),
            objectives=goal(
                "minimize", "sum(x[i]**2 - 10*cos(2*3.141592653589793*x[i]) + 10 for i in I)"
            ),
        )
    )
    assert solution.objective == pytest.approx(0.0, abs=1e-8)
    assert solution.status is Status.FEASIBLE
    assert solution.guarantee in (Guarantee.LOCAL, Guarantee.HEURISTIC)


def test_a_mixed_model_with_a_condition_is_searched() -> None:
    model = bind(
        variables=[
            {"name": "x", "domain": "continuous", "upper": 10},
            {"name": "n", "domain": "integer", "upper": 10},
        ],
        objectives=goal("minimize", "(x - 2.5)**2 + (n - 3.2)**2 + 3*sin(x*n)"),
        constraints=rules("x*n >= 4", "implies(n >= 3, x <= 2)"),
    )
    grid = np.linspace(0, 10, 20_001)
    best = min(
        float(np.min(value[(grid * n >= 4) & ((n < 3) | (grid <= 2))], initial=np.inf))
        for n in range(11)
        for value in [(grid - 2.5) ** 2 + (n - 3.2) ** 2 + 3 * np.sin(grid * n)]
    )
    solution = answer(model)
    assert solution.objective == pytest.approx(best, abs=1e-5)
    assert solution.guarantee is Guarantee.HEURISTIC


def test_steps_and_corners_are_searched_without_derivatives() -> None:
    solution = answer(
        bind(
            variables=[{"name": "x", "domain": "continuous", "upper": 10}],
            objectives=goal("minimize", "abs(x - 3.3) + 2*floor(x)"),
        )
    )
    # floor makes 0.999… the best of the first step: 2.3 + 0 against 0.3 + 4 at x = 3
    assert solution.objective == pytest.approx(2.3, abs=1e-5)


def test_linear_programs_are_solved_to_proven_optimality() -> None:
    solution = answer(
        bind(
            variables=[{"name": n, "domain": "continuous"} for n in "xy"],
            objectives=goal("maximize", "3*x + 5*y"),
            constraints=rules("x <= 4", "2*y <= 12", "3*x + 2*y <= 18"),
        )
    )
    assert (solution.status, solution.objective) == (Status.OPTIMAL, pytest.approx(36.0))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6))
def test_convex_pieces_agree_with_the_written_out_linear_program(seed: int) -> None:
    """max of affine functions, absolute values and positive parts, with and without integers."""
    generator = np.random.default_rng(seed)
    slopes = generator.integers(-4, 5, (3, 2))
    shift, corner = generator.integers(-3, 4, 2), int(generator.integers(1, 5))
    domain = str(generator.choice(["continuous", "integer"]))
    pieces = [f"{a}*x + {b}*y" for a, b in slopes.tolist()]
    text = f"max({', '.join(pieces)}) + abs(x - {shift[0]}) + 2*max(0, y - {shift[1]}) - min(x, y)"
    solution = answer(
        bind(
            variables=[{"name": n, "domain": domain, "lower": -6, "upper": 6} for n in "xy"],
            objectives=goal("minimize", text),
            constraints=rules(f"x + y >= {corner}"),
        ),
        points=1,
    )
    # x, y, height of the maximum, |x − a|, (y − b)⁺, min(x, y)
    rows = [[*slope, -1, 0, 0, 0] for slope in slopes.tolist()]
    rows += [[1, 0, 0, -1, 0, 0], [-1, 0, 0, -1, 0, 0], [0, 1, 0, 0, -1, 0]]
    rows += [[-1, 0, 0, 0, 0, 1], [0, -1, 0, 0, 0, 1], [-1, -1, 0, 0, 0, 0]]
    limits = [0, 0, 0, shift[0], -shift[0], shift[1], 0, 0, -corner]
    free = [(-6, 6), (-6, 6), (None, None), (0, None), (0, None), (None, None)]
    exact = optimize.linprog(
        [0, 0, 1, 1, 2, -1],
        rows,
        limits,
        bounds=free,
        integrality=[domain == "integer"] * 2 + [0] * 4,
    )
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(exact.fun, rel=1e-6, abs=1e-6)
    assert solution.bound == pytest.approx(exact.fun, rel=1e-5, abs=1e-5)


def test_smooth_convex_rows_are_cut_until_they_hold() -> None:
    solution = answer(
        bind(
            **columns(2, lower=-3, upper=3),
            objectives=goal("minimize", "x[1] + x[2]"),
            constraints=rules("x[1]**2 + x[2]**2 <= 2", "exp(x[1]) <= 3"),
        )
    )
    assert solution.objective == pytest.approx(-2.0, abs=1e-5)


def test_contradicting_rows_are_infeasible_and_a_failed_search_is_not() -> None:
    linear = answer(
        bind(
            variables=[{"name": n, "domain": "continuous"} for n in "xy"],
            constraints=rules("x + y <= 2", "2*x + y >= 5"),
        )
    )
    assert (linear.status, linear.guarantee) == (Status.INFEASIBLE, Guarantee.GLOBAL)
    curved = answer(
        bind(
            variables=[{"name": "x", "domain": "continuous", "upper": 9}],
            constraints=rules("x**3 - sin(x) == -4"),
        )
    )
    assert curved.status is Status.ERROR
    assert "does not prove" in curved.message


def test_an_unbounded_linear_program_comes_with_point_and_direction() -> None:
    model = bind(
        variables=[{"name": n, "domain": "continuous"} for n in "xy"],
        objectives=goal("maximize", "x + y"),
        constraints=rules("x - y <= 2"),
    )
    solution = answer(model)
    assert solution.status is Status.UNBOUNDED
    assert solution.certificate is not None
    assert proves_unbounded(model.linear(), solution.certificate.vector)
    assert verify(model, solution).evidence is Evidence.CERTIFICATE


def test_an_objective_that_improves_for_ever_is_never_called_local_or_optimal() -> None:
    solution = answer(
        bind(
            variables=[{"name": "x", "domain": "continuous"}],
            objectives=goal("maximize", "x**3"),
        )
    )
    assert (solution.status, solution.guarantee) == (Status.FEASIBLE, Guarantee.HEURISTIC)
    assert any("unbounded" in note for note in solution.assumptions)


def test_any_feasible_point_answers_a_model_without_objective() -> None:
    solution = answer(
        bind(variables=[{"name": "x", "domain": "continuous"}], constraints=rules("x**3 >= 4"))
    )
    assert (solution.status, solution.guarantee) == (Status.OPTIMAL, Guarantee.GLOBAL)


def test_answers_do_not_live_on_the_tolerance_of_the_rows() -> None:
    """A thousand rows that each give away 1e-6 would give away a lot."""
    model = bind(
        **columns(3, upper=4),
        objectives=goal("maximize", "1e6 * (x[1]*x[2] + sin(x[3]))"),
        constraints=rules("x[1] + x[2] <= 2", "x[3] <= 1"),
    )
    solution = answer(model)
    values = model.evaluate(solution.values)
    assert np.all(values.violations <= 1e-8 * values.scales)
    assert solution.objective == pytest.approx(1e6 * (1 + np.sin(1)), rel=1e-7)
