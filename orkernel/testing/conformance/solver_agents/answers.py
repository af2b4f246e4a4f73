"""Right answers: every row, bound and sense counts, and the optimum is the known one."""

from __future__ import annotations

import numpy as np

from orkernel.errors import OrkernelError
from orkernel.solution import Status
from orkernel.testing.conformance.base import Subject, conformance_test, require
from orkernel.testing.conformance.solver_agents.asking import (
    answer,
    ask,
    ask_kernel,
    named,
    require_answer,
    require_verified,
)
from orkernel.testing.conformance.solver_agents.problems import (
    conditions,
    linear,
    smooth,
    structures,
    uncertain,
    whole,
)
from orkernel.testing.conformance.solver_agents.problems.binding import (
    EVERY_ROW,
    LOWER,
    REVERSED,
    SEVERAL_LEVELS,
    UPPER,
)
from orkernel.testing.conformance.solver_agents.problems.known import KnownProblem


def _solved(subject: Subject, case: KnownProblem) -> None:
    require_answer(subject, case, *answer(subject, case))


@conformance_test(added_in="0.1", cases=linear.SOLVED)
def test_linear_programs(subject: Subject, case: KnownProblem) -> None:
    """Linear programs are solved to their known optimum."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases=whole.SOLVED)
def test_integer_programs(subject: Subject, case: KnownProblem) -> None:
    """Integer and mixed-integer programs are solved, with whole numbers where they belong."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases=smooth.SOLVED)
def test_nonlinear_programs(subject: Subject, case: KnownProblem) -> None:
    """Quadratic and nonlinear programs are solved; only a proven optimum is called optimal."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases=conditions.SOLVED)
def test_conditions(subject: Subject, case: KnownProblem) -> None:
    """Logic and piecewise linear functions hold, and the optimum is the known one."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases=structures.SOLVED)
def test_global_constraints(subject: Subject, case: KnownProblem) -> None:
    """Every global constraint holds, and the optimum is the known one."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases=uncertain.SOLVED)
def test_random_parameters(subject: Subject, case: KnownProblem) -> None:
    """Expectations and probabilities are those of the distribution, not of its mean."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases=linear.SHAPES)
def test_degenerate_shapes(subject: Subject, case: KnownProblem) -> None:
    """No variables, an empty index set, no objective, no constraints: all are fine."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases={**linear.SCALES, **whole.SCALES})
def test_wide_ranges_are_right_or_refused(subject: Subject, case: KnownProblem) -> None:
    """Huge and tiny coefficients give the right answer or an error, never a wrong answer."""
    try:
        model, solution = answer(subject, case)
    except OrkernelError:
        return
    if solution.status not in (Status.ERROR, Status.TIME_LIMIT):
        require_answer(subject, case, model, solution)


@conformance_test(added_in="0.1", cases=EVERY_ROW)
def test_every_row_counts(subject: Subject, case: KnownProblem) -> None:
    """Each row cuts off what the others allow; none is dropped."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases=LOWER)
def test_lower_bounds_count(subject: Subject, case: KnownProblem) -> None:
    """Lower bounds hold where the objective pulls down, also negative ones."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases=UPPER)
def test_upper_bounds_count(subject: Subject, case: KnownProblem) -> None:
    """Upper bounds hold where the objective pulls up, also negative ones."""
    _solved(subject, case)


@conformance_test(
    added_in="0.1",
    cases={"knapsack": whole.KNAPSACK, "rounding": whole.ROUNDING, "mixed": whole.FIXED_CHARGE},
)
def test_integers_are_whole(subject: Subject, case: KnownProblem) -> None:
    """Integer columns have whole values, though the relaxation would do better with fractions."""
    model, solution = answer(subject, case)
    values = require_verified(model, solution).values
    assert values is not None
    parts = values[model.columns.integer]
    require(np.all(np.abs(parts - np.round(parts)) <= 1e-5), f"values {parts} are not whole")


@conformance_test(added_in="0.1", cases={"whole": whole.BROKEN_BOUNDS})
def test_fractional_bounds_of_integers(subject: Subject, case: KnownProblem) -> None:
    """A bound of 3.7 on an integer means 3, one of −2.5 means −2."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases={"linear": linear.DUPLICATES})
def test_duplicate_terms_add_up(subject: Subject, case: KnownProblem) -> None:
    """`x + x + 2*x` is 4 x, in rows and in the objective."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases={"linear": linear.DECIMALS, "whole": whole.DECIMAL_WEIGHTS})
def test_decimals_are_kept(subject: Subject, case: KnownProblem) -> None:
    """Decimal coefficients are neither rounded nor cut off."""
    _solved(subject, case)


@conformance_test(added_in="0.1", cases={"whole": whole.STRICT, "unequal": conditions.UNEQUAL})
def test_strict_comparisons_hold(subject: Subject, case: KnownProblem) -> None:
    """Over integers `x > 3` excludes 3, and `y != 4` excludes 4."""
    _solved(subject, case)


@conformance_test(
    added_in="0.1",
    cases={
        "maximize": linear.PRODUCTION,
        "minimize": linear.TRANSPORT,
        "maximize_whole": whole.KNAPSACK,
        "minimize_whole": whole.BELOW_ZERO,
        "maximize_square": smooth.CONCAVE_REVENUE,
        "minimize_square": smooth.WHOLE_SQUARE,
    },
)
def test_sense_is_kept(subject: Subject, case: KnownProblem) -> None:
    """What is to be maximised is not minimised, nor the other way round."""
    _solved(subject, case)


@conformance_test(
    added_in="0.1", cases={"maximize": linear.OFFSET_UP, "minimize": linear.OFFSET_DOWN}
)
def test_objective_includes_its_constant(subject: Subject, case: KnownProblem) -> None:
    """The stated objective is that of the formulation, with its constant, in its own sense."""
    model, solution = answer(subject, case)
    value = next(iter(require_verified(model, solution).objectives.values()))
    require(
        solution.objective is None or abs(solution.objective - value) <= 1e-5 * abs(value),
        f"it states {solution.objective}; the point's objective is {value}",
    )


@conformance_test(
    added_in="0.1",
    cases={
        "maximize": linear.OFFSET_UP,
        "minimize": linear.OFFSET_DOWN,
        "maximize_whole": whole.KNAPSACK,
        "minimize_whole": whole.BELOW_ZERO,
    },
)
def test_bound_is_on_its_side(subject: Subject, case: KnownProblem) -> None:
    """A stated bound is no better than the optimum can be, and no worse than the answer."""
    _, solution = answer(subject, case)
    if solution.bound is None:
        return
    assert case.optimum is not None
    margin = 1e-5 * max(1.0, abs(case.optimum))
    up = case.formulation.objectives[0].sense == "maximize"
    beyond = case.optimum - solution.bound if up else solution.bound - case.optimum
    require(
        beyond <= margin,
        f"bound {solution.bound:.9g} excludes the optimum {case.optimum:.9g}",
    )
    loose = abs(solution.bound - case.optimum) > 1e-4 * max(1.0, abs(case.optimum))
    require(
        solution.status is not Status.OPTIMAL or not loose,
        f"it claims the optimum {case.optimum:.9g} with a bound of {solution.bound:.9g}",
    )


@conformance_test(
    added_in="0.1",
    cases={
        "linear": linear.TRANSPORT,
        "whole": whole.ROUNDING,
        "square": smooth.NEAREST_POINT,
        "nonlinear": smooth.WHOLE_EXPONENTIAL,
        "logic": conditions.CHOICES,
        "global": structures.NO_OVERLAP,
    },
)
def test_one_finite_value_per_column(subject: Subject, case: KnownProblem) -> None:
    """The values are numbers, one for each column of the model, none NaN or infinite."""
    model, solution = answer(subject, case)
    values = solution.values
    require(values is not None, "there are no values")
    assert values is not None
    shape = np.shape(values)
    require(shape == (len(model.columns),), f"the values have shape {shape}")
    require(np.all(np.isfinite(np.asarray(values, float))), f"not all finite: {values}")


@conformance_test(added_in="0.1", cases=REVERSED)
def test_values_follow_the_columns(subject: Subject, case: KnownProblem) -> None:
    """With the variables declared the other way round, each still gets its own value."""
    model, there = answer(subject, case)
    require_answer(subject, case, model, there)
    turned = case.formulation.model_copy(
        update={"variables": tuple(reversed(case.formulation.variables))}
    )
    backwards = type(model).bind(turned)
    back = ask(subject, backwards)
    require_answer(subject, case, backwards, back)
    if there.status is Status.OPTIMAL and back.status is Status.OPTIMAL:
        first, second = named(model, there), named(backwards, back)
        wrong = [name for name, value in first.items() if abs(second[name] - value) > 1e-3]
        require(not wrong, f"{', '.join(wrong)} changed with the order of the variables")


@conformance_test(added_in="0.1", cases=SEVERAL_LEVELS)
def test_levels_of_objectives(subject: Subject, case: KnownProblem) -> None:
    """Priorities and weights are settled by the kernel's composition over the agent."""
    model = case.model()
    solution = ask_kernel(subject, model)
    found = require_verified(model, solution)
    if solution.status is Status.OPTIMAL:
        (expected,) = case.front
        values = tuple(found.objectives.values())
        require(np.allclose(values, expected, 1e-5, 1e-5), f"objectives {values}, not {expected}")
