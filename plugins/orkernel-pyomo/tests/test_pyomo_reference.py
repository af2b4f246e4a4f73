"""Published problems, from formulation to checked answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orkernel.context import RunContext
from orkernel.errors import Unsupported
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Guarantee, Problem
from orkernel.solution import Status
from orkernel.verify import verify
from orkernel_pyomo.agent import PyomoAgent


def variables(*names: str, **fields: Any) -> list[dict[str, Any]]:
    return [{"name": name, **fields} for name in names]


def bind(
    columns: list[dict[str, Any]],
    objective: str | None,
    sense: str = "minimize",
    constraints: tuple[str, ...] = (),
) -> Model:
    goal = [{"name": "goal", "sense": sense, "expression": objective}] if objective else []
    rows = [{"name": f"c{i}", "expression": text} for i, text in enumerate(constraints)]
    return Model.bind(
        Formulation.model_validate({"variables": columns, "objectives": goal, "constraints": rows})
    )


def solve(model: Model, **options: Any) -> Any:
    return PyomoAgent().solve(Problem(""), model, RunContext(options=options))


# Hock and Schittkowski, Test Examples for Nonlinear Programming Codes (1981), by number.
HS35 = (
    variables("x1", "x2", "x3", start=0.5),
    "9 - 8*x1 - 6*x2 - 4*x3 + 2*x1**2 + 2*x2**2 + x3**2 + 2*x1*x2 + 2*x1*x3",
    "minimize",
    ("x1 + x2 + 2*x3 <= 3",),
)
HS76 = (
    variables("x1", "x2", "x3", "x4", start=0.5),
    "x1**2 + 0.5*x2**2 + x3**2 + 0.5*x4**2 - x1*x3 + x3*x4 - x1 - 3*x2 + x3 - x4",
    "minimize",
    ("x1 + 2*x2 + x3 + x4 <= 5", "3*x1 + x2 + 2*x3 - x4 <= 4", "x2 + 4*x3 >= 1.5"),
)
HS43 = (
    variables("a", "b", "c", "d", lower=None, start=0),
    "a**2 + b**2 + 2*c**2 + d**2 - 5*a - 5*b - 21*c + 7*d",
    "minimize",
    (
        "8 - a**2 - b**2 - c**2 - d**2 - a + b - c + d >= 0",
        "10 - a**2 - 2*b**2 - c**2 - 2*d**2 + a + d >= 0",
        "5 - 2*a**2 - b**2 - c**2 - 2*a + b + d >= 0",
    ),
)
HS65 = (
    [*variables("x1", "x2", lower=-4.5, upper=4.5), *variables("x3", lower=-5, upper=5)],
    "(x1 - x2)**2 + (x1 + x2 - 10)**2/9 + (x3 - 5)**2",
    "minimize",
    ("48 - x1**2 - x2**2 - x3**2 >= 0",),
)
HS71 = (
    variables("x1", "x2", "x3", "x4", lower=1, upper=5),
    "x1*x4*(x1 + x2 + x3) + x3",
    "minimize",
    ("x1*x2*x3*x4 >= 25", "x1**2 + x2**2 + x3**2 + x4**2 == 40"),
)
HS100 = (
    variables("x1", "x2", "x3", "x4", "x5", "x6", "x7", lower=None),
    "(x1 - 10)**2 + 5*(x2 - 12)**2 + x3**4 + 3*(x4 - 11)**2 + 10*x5**6 + 7*x6**2 + x7**4"
    " - 4*x6*x7 - 10*x6 - 8*x7",
    "minimize",
    (
        "127 - 2*x1**2 - 3*x2**4 - x3 - 4*x4**2 - 5*x5 >= 0",
        "282 - 7*x1 - 3*x2 - 10*x3**2 - x4 + x5 >= 0",
        "196 - 23*x1 - x2**2 - 6*x6**2 + 8*x7 >= 0",
        "-4*x1**2 - x2**2 + 3*x1*x2 - 2*x3**2 - 5*x6 + 11*x7 >= 0",
    ),
)
# Haverly, Studies of the behavior of recursion for the pooling problem (1978).
HAVERLY = (
    [
        *variables("A", "B", "Cx", "Cy", "Px", "Py"),
        *variables("p", lower=1, upper=3),
        *variables("X", upper=100),
        *variables("Y", upper=200),
    ],
    "6*A + 16*B + 10*(Cx + Cy) - 9*X - 15*Y",
    "minimize",
    (
        "Px + Py - A - B == 0",
        "X - Px - Cx == 0",
        "Y - Py - Cy == 0",
        "p*(Px + Py) - 3*A - B == 0",
        "p*Px + 2*Cx - 2.5*X <= 0",
        "p*Py + 2*Cy - 1.5*Y <= 0",
    ),
)
# MINLPLib.
EX1221 = (
    [*variables("x1", "x2", upper=10), *variables("y1", "y2", "y3", domain="binary")],
    "2*x1 + 3*x2 + 1.5*y1 + 2*y2 - 0.5*y3",
    "minimize",
    (
        "x1**2 + y1 == 1.25",
        "x2**1.5 + 1.5*y2 == 3",
        "x1 + y1 <= 1.6",
        "1.333*x2 + y2 <= 3",
        "-y1 - y2 + y3 <= 0",
    ),
)
NVS03 = (
    variables("x1", "x2", domain="integer", upper=200),
    "(x1 - 8)**2 + (x2 - 2)**2",
    "minimize",
    ("-0.1*x1**2 + x2 >= 0", "-x1/3 - x2 >= -4.5"),
)


@pytest.mark.parametrize(
    ("problem", "optimum"),
    [
        pytest.param(HS35, 1 / 9, id="HS35"),
        pytest.param(HS76, -4.6818181818, id="HS76"),
        pytest.param(HS43, -44, id="HS43"),
        pytest.param(HS65, 0.95352886, id="HS65"),
    ],
)
def test_convex_problems_are_solved_to_global_optimality(
    problem: tuple[Any, ...], optimum: float
) -> None:
    model = bind(*problem)
    solution = solve(model)
    assert solution.objective == pytest.approx(optimum, rel=1e-7)
    assert solution.status is Status.OPTIMAL
    assert solution.guarantee is Guarantee.GLOBAL
    assert verify(model, solution).verified


GLOBAL = [
    pytest.param(HS71, 17.0140173, id="HS71"),
    pytest.param(HAVERLY, -400, id="Haverly pooling"),
    pytest.param(EX1221, 7.66718007, id="ex1221"),
    pytest.param(NVS03, 16, id="nvs03"),
]


@pytest.mark.parametrize(("problem", "optimum"), GLOBAL)
def test_nonconvex_problems_are_solved_to_proven_global_optimality(
    problem: tuple[Any, ...], optimum: float
) -> None:
    model = bind(*problem)
    solution = solve(model)
    assert solution.objective == pytest.approx(optimum, rel=1e-7)
    assert solution.bound == pytest.approx(optimum, rel=1e-6)
    assert solution.status is Status.OPTIMAL
    assert solution.guarantee is Guarantee.GLOBAL
    assert solution.solver.name == "scip"
    assert verify(model, solution).verified


@pytest.mark.parametrize(("problem", "optimum"), GLOBAL)
def test_local_solvers_reach_the_same_optima_but_claim_only_local_ones(
    problem: tuple[Any, ...], optimum: float
) -> None:
    model = bind(*problem)
    local = "bonmin" if "integer" in model.needs else "ipopt"
    solution = solve(model, solver=local)
    assert solution.objective == pytest.approx(optimum, rel=1e-7)
    assert solution.status is Status.FEASIBLE
    assert solution.guarantee is Guarantee.LOCAL
    assert verify(model, solution).verified


def test_duals_of_a_quadratic_program_are_slopes_in_both_senses() -> None:
    down = solve(
        bind(variables("x", "y", lower=None), "x**2 + y**2 - x", "minimize", ("x + y >= 2",))
    )
    assert down.duals.rows == pytest.approx([1.5], abs=1e-6)
    up = solve(
        bind(variables("x", "y", lower=None), "x - x**2 - y**2", "maximize", ("x + y >= 2",))
    )
    assert up.duals.rows == pytest.approx([-1.5], abs=1e-6)
    bounded = solve(bind(variables("x", upper=2), "(x - 3)**2", "minimize", ()))
    assert bounded.duals.columns == pytest.approx([-2.0], abs=1e-6)


def test_logic_and_absolute_values_are_reformulated() -> None:
    columns = [*variables("x", upper=10), *variables("b", domain="binary")]
    logic = bind(
        columns, "x - 3*b", "maximize", ("implies(b == 0, x <= 4)", "implies(b == 1, x <= 6)")
    )
    solution = solve(logic)
    assert solution.objective == pytest.approx(4)
    assert solution.values.shape == (2,)
    absolute = bind(variables("x", lower=-10, upper=10), "abs(x - 3) + 0.1*x")
    assert solve(absolute).objective == pytest.approx(0.3)


HILLS = (variables("x", lower=-5, upper=5, start=2), "(x**2 - 4)**2 + exp(0.1*x)", "minimize", ())


def test_more_starting_points_find_the_better_valley() -> None:
    model = bind(*HILLS)
    one = solve(model, solver="ipopt", starts=1)
    many = solve(model, solver="ipopt", starts=6)
    assert one.values == pytest.approx([2], abs=0.1)
    assert many.values == pytest.approx([-2], abs=0.1)
    assert many.objective < one.objective
    assert many.statistics["starts"] == 6
    proven = solve(model)
    assert proven.status is Status.OPTIMAL
    assert proven.objective == pytest.approx(many.objective, rel=1e-8)


def test_equal_seeds_give_equal_answers() -> None:
    model = bind(*HILLS)
    first, second = solve(model, starts=3), solve(model, starts=3)
    assert np.array_equal(first.values, second.values)


def test_local_infeasibility_is_not_sold_as_infeasible_but_proven_globally() -> None:
    model = bind(variables("x", lower=-3, upper=3), "x", "minimize", ("sin(x)*cos(x) >= 2",))
    proven = solve(model)
    assert proven.status is Status.INFEASIBLE
    assert proven.guarantee is Guarantee.GLOBAL
    assert proven.infeasible_subset.rows == (0,)
    solution = solve(model, solver="ipopt")
    assert solution.status is Status.ERROR
    assert "does not prove" in solution.message


def test_infeasible_convex_quadratic_rows_are_infeasible() -> None:
    solution = solve(
        bind(variables("x", "y", lower=None), "x", "minimize", ("x**2 + y**2 <= 1", "x + y >= 2"))
    )
    assert solution.status is Status.INFEASIBLE


def test_linear_rows_that_contradict_are_proven_also_under_a_quadratic_objective() -> None:
    model = bind(variables("x", "y"), "x**2 + y", "minimize", ("x + y >= 3", "x + y <= 2"))
    solution = solve(model)
    assert solution.status is Status.INFEASIBLE
    assert str(verify(model, solution).evidence) == "certificate"


def test_diverging_problem_is_unbounded_and_not_a_number() -> None:
    solution = solve(bind(variables("x", "y", lower=None), "x**2 - y", "minimize", ("y >= x",)))
    assert solution.status is Status.UNBOUNDED
    assert solution.values is None
    cubic = solve(bind(variables("x", lower=None), "x**3", "minimize", ()))
    assert cubic.status is Status.UNBOUNDED
    assert cubic.guarantee is Guarantee.LOCAL
    assert cubic.objective is None


def test_functions_without_derivative_are_refused_by_name() -> None:
    model = bind(variables("x", upper=9), "exp(x)", "minimize", ("floor(x) >= 2",))
    with pytest.raises(Unsupported, match="c0"):
        solve(model)


def test_start_outside_a_functions_domain_is_survived() -> None:
    solution = solve(bind(variables("x", lower=None, upper=20), "x - log(x)", "minimize", ()))
    assert solution.objective == pytest.approx(1)


def test_ipopt_refuses_integers_and_glpk_refuses_curvature() -> None:
    with pytest.raises(Unsupported, match="continuous"):
        solve(bind(*NVS03), solver="ipopt")
    with pytest.raises(Unsupported, match="linear"):
        solve(bind(*HS35), solver="glpk")


@pytest.mark.parametrize("format", ["lp", "mps", "nl"])
def test_exports_name_the_users_elements(format: str) -> None:
    model = Model.bind(
        Formulation.model_validate(
            {
                "sets": [{"name": "CITY", "members": ["New York", "Rome"]}],
                "variables": [{"name": "ship", "index": ["CITY"], "upper": 7}],
                "objectives": [
                    {"name": "g", "sense": "maximize", "expression": "sum(ship[c] for c in CITY)"}
                ],
                "constraints": [
                    {"name": "limit", "for_each": "c in CITY", "expression": "2*ship[c] <= 9"}
                ],
            }
        )
    )
    text = PyomoAgent().export(model, format)
    if format == "nl":
        assert text.startswith("g3")
    else:
        assert "ship_New_York" in text
        assert "limit_Rome" in text


def test_unknown_export_format_is_refused() -> None:
    with pytest.raises(Unsupported, match="gms"):
        PyomoAgent().export(bind(*HS35), "gms")


def test_nonlinear_model_cannot_be_an_lp_file_but_an_nl_file() -> None:
    with pytest.raises(Unsupported):
        PyomoAgent().export(bind(*HS71), "lp")
    assert PyomoAgent().export(bind(*HS71), "nl").startswith("g3")
