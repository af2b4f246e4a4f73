"""Columns without bounds: where better points can lie, and what SCIP then proves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.context import RunContext
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Guarantee, Problem
from orkernel.solution import Status
from orkernel.verify import verify
from orkernel_pyomo.agent import PyomoAgent
from orkernel_pyomo.cutoff import Box, needs_box, search_box
from orkernel_pyomo.job import read_graph, write_graph
from orkernel_pyomo.polynomials import Polynomial, expand, is_positive, least, reach, value
from orkernel_pyomo.rewriting import without_kinks
from orkernel_pyomo.separable import low_region

FREE = (None, None)


def bind(names: str, objective: str, *rows: str, sense: str = "minimize", **fields: Any) -> Model:
    return Model.bind(
        Formulation.model_validate(
            {
                "variables": [{"name": n, "lower": None, **fields} for n in names],
                "objectives": [{"name": "goal", "sense": sense, "expression": objective}],
                "constraints": [{"name": f"c{i}", "expression": r} for i, r in enumerate(rows)],
            }
        )
    )


def solve(model: Model, seconds: float = 30.0) -> Any:
    ctx = RunContext(options={"log": False}).limited(seconds)
    return PyomoAgent().solve(Problem(""), model, ctx)


@pytest.fixture
def content(tmp_path: Any) -> Any:
    def made(model: Model) -> dict[str, Any]:
        write_graph(model.graph(), tmp_path)
        return without_kinks(read_graph(tmp_path))

    return made


# ------------------------------------------------------------------- exact arithmetic


small = st.integers(-9, 9)


@given(st.lists(small, min_size=1, max_size=7), small, st.integers(0, 12))
def test_positivity_is_what_the_roots_say(coefficients: list[int], low: int, width: int) -> None:
    p = [Fraction(c) for c in coefficients]
    high = low + width
    grid = [Fraction(low) + Fraction(width * k, 400) for k in range(401)]
    seen = min(value(p, x) for x in grid)
    if is_positive(p, Fraction(low), Fraction(high)):
        assert seen > 0
    else:
        steepest = sum(abs(k * c) * max(1, abs(low), abs(high)) ** k for k, c in enumerate(p))
        assert seen <= steepest * Fraction(max(1, width), 400)


@given(st.lists(small, min_size=1, max_size=6), st.integers(1, 9), small)
def test_minimum_and_reach_of_a_growing_polynomial_hold_everywhere(
    coefficients: list[int], leading: int, level: int
) -> None:
    p = [Fraction(c) for c in (*coefficients, leading)]
    low, start = least(p, Fraction(0), None), Fraction(0)
    end = reach(p, Fraction(level), start, None)
    assert low is not None
    assert end is not None
    places = [Fraction(k, 16) for k in range(400)]
    values = [value(p, x) for x in places]
    assert min(values) >= low
    assert all(v > level for x, v in zip(places, values, strict=True) if x > end)
    assert value(p, end) <= level + 1 or end < Fraction(1, 10**8)


def test_a_product_is_expanded_without_rounding(content: Any) -> None:
    graph = content(bind("xy", "(x + 0.1*y)**3 - x*x*x - (y/8 - 2)*0.3"))
    expanded = expand(graph, graph["objective"])
    tenth = Fraction(0.1)
    assert expanded is not None
    assert expanded[((0, 2), (1, 1))] == 3 * tenth
    assert expanded[((1, 3),)] == tenth**3
    assert ((0, 3),) not in expanded


def test_what_is_no_polynomial_is_not_expanded(content: Any) -> None:
    for text in ("exp(x) + y", "x**0.5 + y", "x/y", "abs(x) + y"):
        graph = content(bind("xy", text))
        assert expand(graph, graph["objective"]) is None


# ------------------------------------------------------------------- low regions


@st.composite
def growing_polynomials(draw: Any) -> tuple[Polynomial, int]:
    """Even powers with positive coefficients that outgrow every product."""
    n = draw(st.integers(1, 4))
    degrees = [draw(st.sampled_from([2, 4, 6])) for _ in range(n)]
    polynomial: Polynomial = {
        ((j, degree),): Fraction(draw(st.integers(1, 20)), 4) for j, degree in enumerate(degrees)
    }
    for _ in range(draw(st.integers(0, 5))):
        exponents = [draw(st.integers(0, 3)) for _ in range(n)]
        extent = sum(Fraction(a, degree) for a, degree in zip(exponents, degrees, strict=True))
        monomial = tuple((j, a) for j, a in enumerate(exponents) if a)
        if extent < 1 and monomial:
            polynomial[monomial] = Fraction(draw(st.integers(-30, 30)))
    return polynomial, n


def evaluated(polynomial: Polynomial, points: Any) -> Any:
    total = np.zeros(len(points))
    for monomial, coefficient in polynomial.items():
        total += float(coefficient) * np.prod([points[:, j] ** a for j, a in monomial], axis=0)
    return total


@given(growing_polynomials(), st.integers(0, 2**32 - 1), st.integers(0, 50))
def test_every_low_point_of_a_growing_polynomial_lies_within(
    made: tuple[Polynomial, int], seed: int, percentage: int
) -> None:
    polynomial, n = made
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.uniform(-1, 2, (2000, 1))
    points = np.vstack([np.zeros((1, n)), rng.normal(size=(2000, n)) * scale])
    values = evaluated(polynomial, points)
    level = float(np.percentile(values, percentage))
    region = low_region(polynomial, Fraction(level), [FREE] * n)
    assert all(low is not None and high is not None for low, high in region)
    low, high = np.array(region, dtype=float).T
    inside = points[values < level - 1e-9 * max(1.0, abs(level))]
    assert np.all((inside >= low - 1e-9) & (inside <= high + 1e-9))


@given(st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_dominant_squares_bound_their_low_points(n: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    half = np.triu(rng.integers(-9, 10, (n, n)), 1)
    sizes = np.abs(half + half.T).sum(axis=1) / 2 + 1
    polynomial: Polynomial = {((j, 2),): Fraction(float(sizes[j])) for j in range(n)}
    polynomial |= {
        ((i, 1), (j, 1)): Fraction(int(half[i, j]))
        for i in range(n)
        for j in range(i + 1, n)
        if half[i, j]
    }
    region = low_region(polynomial, Fraction(5), [FREE] * n)
    assert all(low is not None and high is not None for low, high in region)
    low, high = np.array(region, dtype=float).T
    points = rng.normal(size=(4000, n)) * 3
    inside = points[evaluated(polynomial, points) <= 5]
    assert np.all((inside >= low) & (inside <= high))


@pytest.mark.parametrize(
    "text", ["x**2 - y**2", "x**2 + y", "x*y", "x**2*y**2 - x*y", "x**2 + y**2 - 3*x*y", "y - x**4"]
)
def test_without_growth_in_all_directions_there_is_no_box(content: Any, text: str) -> None:
    assert search_box(content(bind("xy", text)), 1.0) is None


@pytest.mark.parametrize(
    ("text", "local", "best"),
    [
        ("x**4 - 1000*x**3", 0.0, 750.0),
        ("(x**2 - 1)*(x - 1000)**2 - 1e6*x", 0.0, 1000.5),
        ("(x - 1e6)**2*(1 + x**2) - 1e7*x", 0.0, 1e6),
    ],
)
def test_a_far_optimum_is_not_cut_off_by_a_poor_local_one(
    content: Any, text: str, local: float, best: float
) -> None:
    model = bind("x", text)
    assert model.evaluate(np.array([[best]])).objectives[0, 0] < local
    box = search_box(content(model), local)
    assert box is not None
    assert box.lower[0] < best < box.upper[0]


def test_maximised_polynomials_are_bounded_too(content: Any) -> None:
    box = search_box(content(bind("xy", "3*x*y - x**4 - y**2*4 + x", sense="maximize")), -10.0)
    assert box is not None
    points = np.random.default_rng(1).normal(size=(5000, 2)) * 5
    x, y = points.T
    inside = points[3 * x * y - x**4 - y**2 * 4 + x >= box.cutoff]
    assert len(inside) > 100
    assert np.all((inside > box.lower) & (inside < box.upper))


def test_bounds_come_through_nested_squares_and_rows(content: Any) -> None:
    graph = content(bind("xyz", "100*(y - x**2)**2 + (1 - x)**2", "z**3 + y <= 9", "z >= x"))
    box = search_box(graph, 3.996)
    assert box is not None
    assert -1 - 2.1 < box.lower[2] <= -1
    assert 2.05 < box.upper[2] < 5
    valley = search_box(content(bind("xy", "100*(y - x**2)**2 + (1 - x)**2")), 4.0)
    assert isinstance(valley, Box)
    assert valley.lower[0] <= -1
    assert valley.upper[0] >= 3
    assert valley.upper[1] >= 9.2


def test_bounded_columns_need_no_box(content: Any) -> None:
    assert not needs_box(content(bind("xy", "x*y", lower=0, upper=3)))
    assert needs_box(content(bind("xy", "x*y", lower=0)))


# ------------------------------------------------------------------- proofs


HS100 = (
    "(a - 10)**2 + 5*(b - 12)**2 + c**4 + 3*(d - 11)**2 + 10*e**6 + 7*f**2 + g**4"
    " - 4*f*g - 10*f - 8*g",
    "2*a**2 + 3*b**4 + c + 4*d**2 + 5*e <= 127",
    "7*a + 3*b + 10*c**2 + d - e <= 282",
    "23*a + b**2 + 6*f**2 - 8*g <= 196",
    "0 - 4*a**2 - b**2 + 3*a*b - 2*c**2 - 5*f + 11*g >= 0",
)


@pytest.mark.parametrize(
    ("names", "texts", "sense", "optimum"),
    [
        ("abcdefg", HS100, "minimize", 680.6300573),
        ("xy", ("100*(y - x**2)**2 + (1 - x)**2",), "minimize", 0.0),
        ("xy", ("4*x**2 - 2.1*x**4 + x**6/3 + x*y - 4*y**2 + 4*y**4",), "minimize", -1.031628453),
        ("x", ("x**4 - 40*x**3",), "minimize", -270000.0),
        ("x", ("((x + 1)**2 - 1)*(x - 100)**2/10000 - x/10",), "minimize", None),
        ("xy", ("(60*x**3 - x**4)/10000 - (y - x)**2",), "maximize", 136.6875),
    ],
)
def test_optima_with_free_columns_are_proven(
    names: str, texts: tuple[str, ...], sense: str, optimum: float | None
) -> None:
    model = bind(names, *texts, sense=sense)
    solution = solve(model)
    if optimum is None:
        grid = np.linspace(-200, 300, 500_001)[:, None]
        optimum = float(np.min(model.evaluate(grid).objectives))
    assert solution.status is Status.OPTIMAL
    assert solution.guarantee is Guarantee.GLOBAL
    assert solution.objective == pytest.approx(optimum, rel=1e-6, abs=1e-6)
    assert verify(model, solution).verified
    (assumption,) = solution.assumptions
    assert "any better point must satisfy" in assumption


def test_integers_without_bounds_are_searched_within_a_box() -> None:
    model = bind("xy", "(x - 40.3)**4 + (y + 7.6)**2 + x*y", "x*y >= 3", domain="integer")
    solution = solve(model)
    grid = np.stack(np.meshgrid(np.arange(-99, 100), np.arange(-99, 100)), axis=-1).reshape(-1, 2)
    x, y = grid.T.astype(float)
    values = np.where(x * y >= 3, (x - 40.3) ** 4 + (y + 7.6) ** 2 + x * y, np.inf)
    assert solution.status is Status.OPTIMAL
    assert solution.objective == pytest.approx(float(values.min()))


def test_an_objective_without_end_gets_no_box() -> None:
    assert solve(bind("xy", "x**3 + y**2")).status is Status.UNBOUNDED
