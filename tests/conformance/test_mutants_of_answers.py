"""Faulty readings of a model and faulty answers are each caught by the test meant for them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from orkernel.context import RunContext
from orkernel.errors import Unsupported
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Capability, Guarantee, Problem, SolverAgentSpec
from orkernel.solution import Solution, Status
from orkernel.testing.reference_agent import ReferenceAgent

LINEAR = frozenset({Capability.CONTINUOUS, Capability.INTEGER, Capability.LINEAR})


class Misreads(ReferenceAgent):
    """Solves another model than the one it was given."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        return super().solve(problem, self.misread(model), ctx)

    def misread(self, model: Model) -> Model:
        raise NotImplementedError


class Misreports(ReferenceAgent):
    """Reports another answer than the one it found."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        return self.misreport(super().solve(problem, model, ctx), model)

    def misreport(self, solution: Solution, model: Model) -> Solution:
        raise NotImplementedError


def rewritten(model: Model, pattern: str, text: str) -> Model:
    """The model with its expressions edited."""
    parts = model.formulation.model_dump(mode="json", exclude_defaults=True)
    for element in [*parts.get("constraints", []), *parts.get("objectives", [])]:
        element["expression"] = re.sub(pattern, text, element["expression"])
    return Model.bind(Formulation.model_validate(parts))


# --------------------------------------------------------------------------- misreadings


class DropsTheLastRow(Misreads):
    """Drops the last constraint."""

    def misread(self, model: Model) -> Model:
        rows = len(model.rows)
        return model.derive(keep_rows=np.arange(rows) < rows - 1)


class DropsEqualities(Misreads):
    """Drops every equality."""

    def misread(self, model: Model) -> Model:
        return model.derive(keep_rows=model.intervals.lower != model.intervals.upper)


class DropsUpperSidesOfChains(Misreads):
    """Reads `l <= e <= u` as `l <= e`."""

    def misread(self, model: Model) -> Model:
        return rewritten(model, r"^(\S+ <= .*) <= \S+$", r"\1")


class FlipsTheSense(Misreads):
    """Maximises what is to be minimised, and the other way round."""

    def misread(self, model: Model) -> Model:
        other = {"maximize": "minimize", "minimize": "maximize"}
        flipped = [
            o.model_copy(update={"sense": other[o.sense]}) for o in model.formulation.objectives
        ]
        return model.derive(objectives=flipped)


class AlwaysMinimizes(Misreads):
    """Takes every objective for one to be minimised."""

    def misread(self, model: Model) -> Model:
        objectives = model.formulation.objectives
        return model.derive(
            objectives=[o.model_copy(update={"sense": "minimize"}) for o in objectives]
        )


class IgnoresIntegrality(Misreads):
    """Takes integers for continuous."""

    def misread(self, model: Model) -> Model:
        variables = tuple(
            v.model_copy(
                update={
                    "domain": "continuous",
                    "upper": 1 if v.domain == "binary" else v.upper,
                }
            )
            for v in model.formulation.variables
        )
        return Model.bind(model.formulation.model_copy(update={"variables": variables}))


class IgnoresLowerBounds(Misreads):
    """Lets every variable go down to −50."""

    def misread(self, model: Model) -> Model:
        return model.derive(lower=np.full(len(model.columns), -50.0))


class IgnoresNegativeLowerBounds(Misreads):
    """Takes every variable for nonnegative."""

    def misread(self, model: Model) -> Model:
        return model.derive(lower=np.maximum(model.columns.lower, 0.0))


class IgnoresUpperBounds(Misreads):
    """Lets every variable go up to 50."""

    def misread(self, model: Model) -> Model:
        return model.derive(upper=np.full(len(model.columns), 50.0))


class RoundsBoundsOutwards(Misreads):
    """Rounds the fractional bounds of integers away from the middle."""

    def misread(self, model: Model) -> Model:
        return Model.bind(
            model.formulation.model_copy(
                update={
                    "variables": tuple(
                        v.model_copy(
                            update={
                                "lower": float(np.floor(v.lower or 0)),  # type: ignore[arg-type]
                                "upper": float(np.ceil(v.upper or 0)),  # type: ignore[arg-type]
                            }
                        )
                        for v in model.formulation.variables
                    )
                }
            )
        )


class RoundsDecimals(Misreads):
    """Rounds decimal coefficients to whole numbers."""

    def misread(self, model: Model) -> Model:
        parts = model.formulation.model_dump(mode="json", exclude_defaults=True)
        for element in [*parts["constraints"], *parts["objectives"]]:
            element["expression"] = re.sub(
                r"\d+\.\d+", lambda m: str(round(float(m[0]))), element["expression"]
            )
        return Model.bind(Formulation.model_validate(parts))


class KeepsTheLastOfEqualTerms(Misreads):
    """Lets a later term of the same variable replace the earlier one."""

    def misread(self, model: Model) -> Model:
        return rewritten(rewritten(model, r"^x \+ x \+ 2", "2"), r"^x \+ y \+ x", "y + x")


class IgnoresStrictness(Misreads):
    """Reads `>` as `>=` and `<` as `<=`."""

    def misread(self, model: Model) -> Model:
        return rewritten(model, r" ([<>]) ", r" \1= ")


class IgnoresLogicalRows(Misreads):
    """Drops conditions and global constraints."""

    def misread(self, model: Model) -> Model:
        logical = np.concatenate(
            [np.full(b.size, b.logical) for b in model.rows.blocks] or [np.zeros(0, bool)]
        )
        return model.derive(keep_rows=~logical)


class StraightensPiecewise(Misreads):
    """Takes a piecewise linear function for the line between its ends."""

    def misread(self, model: Model) -> Model:
        return rewritten(model, r"piecewise\(x, \[0, 2, 6\], \[0, 4, 6\]\)", "x")


class TakesTheMean(Misreads):
    """Puts the mean in the place of a random parameter."""

    def misread(self, model: Model) -> Model:
        parts = model.formulation.model_dump(mode="json", exclude_defaults=True)
        parts["parameters"] = [{"name": "demand", "value": 19}]
        parts["objectives"][0]["expression"] = "5*min(order, demand) - 3*order"
        return Model.bind(Formulation.model_validate(parts))


class IgnoresTinyCoefficients(Misreads):
    """Takes coefficients below 1e-5 for zero."""

    def misread(self, model: Model) -> Model:
        return rewritten(model, r"1e-6\*x", "0*x")


class LooksAtOneHalf(Misreads):
    """Searches the lower half of the box and calls that the global optimum."""

    def misread(self, model: Model) -> Model:
        return model.derive(upper=(model.columns.lower + model.columns.upper) / 2)

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        found = super().solve(problem, model, ctx)
        return replace(found, status=Status.OPTIMAL, guarantee=Guarantee.GLOBAL)


# -------------------------------------------------------------------------- misreportings


class FillsWithNan(Misreports):
    """Returns a value that is no number."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, values=np.full(len(model.columns), np.nan))


class AddsAColumn(Misreports):
    """Returns one value too many."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        assert solution.values is not None
        return replace(solution, values=np.append(solution.values, 0.0))


class ReversesColumns(Misreports):
    """Returns the values in reverse order."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        assert solution.values is not None
        return replace(solution, values=solution.values[::-1].copy())


class SortsColumns(Misreports):
    """Returns the values in the alphabetical order of the variables."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        assert solution.values is not None
        blocks = sorted(model.columns.blocks, key=lambda b: b.name)
        parts = [solution.values[b.offset : b.offset + b.size] for b in blocks]
        return replace(solution, values=np.concatenate(parts))


class ForgetsTheConstant(Misreports):
    """States the objective without its constant."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        (objective,) = model.linear().objectives
        assert solution.objective is not None
        return replace(solution, objective=solution.objective - objective.offset)


class TurnsTheBound(Misreports):
    """States the bound of the minimised objective for a maximised one."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        assert solution.bound is not None
        return replace(solution, bound=-solution.bound)


class BoundsTooTightly(Misreports):
    """States a bound that excludes the optimum."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        assert solution.bound is not None
        up = model.formulation.objectives[0].sense == "maximize"
        return replace(solution, bound=solution.bound - (1 if up else -1))


class GivesUpEarly(Misreports):
    """Never proves what its record promises to prove."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, status=Status.FEASIBLE, guarantee=Guarantee.HEURISTIC)


class CallsGuessesOptimal(Misreports):
    """Claims an optimum on the strength of a local search."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        return replace(solution, status=Status.OPTIMAL)


class RoundsItsAnswer(Misreports):
    """Rounds the values to whole numbers."""

    def misreport(self, solution: Solution, model: Model) -> Solution:
        assert solution.values is not None
        return replace(solution, values=np.round(solution.values))


class ReturnsADictionary(ReferenceAgent):
    """Returns something that is no Solution."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Any:
        return {"status": "optimal"}


class NeedsColumns(ReferenceAgent):
    """Breaks down without variables."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        model.columns.lower[0]
        return super().solve(problem, model, ctx)


class RefusesPiecewise(ReferenceAgent):
    """Refuses what its record declares."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        if Capability.PIECEWISE in model.needs:
            raise Unsupported("piecewise", "not today")
        return super().solve(problem, model, ctx)


CAUGHT = [
    (DropsTheLastRow, "test_every_row_counts[linear]"),
    (DropsTheLastRow, "test_every_row_counts[whole]"),
    (DropsTheLastRow, "test_every_row_counts[logic]"),
    (DropsTheLastRow, "test_every_row_counts[square]"),
    (DropsTheLastRow, "test_every_row_counts[nonlinear]"),
    (DropsEqualities, "test_every_row_counts[equalities]"),
    (DropsUpperSidesOfChains, "test_linear_programs[chain]"),
    (FlipsTheSense, "test_sense_is_kept[minimize_whole]"),
    (AlwaysMinimizes, "test_sense_is_kept[maximize]"),
    (AlwaysMinimizes, "test_sense_is_kept[maximize_whole]"),
    (IgnoresIntegrality, "test_integers_are_whole[rounding]"),
    (IgnoresIntegrality, "test_integers_are_whole[knapsack]"),
    (IgnoresIntegrality, "test_integers_are_whole[mixed]"),
    (IgnoresLowerBounds, "test_lower_bounds_count[linear]"),
    (IgnoresLowerBounds, "test_lower_bounds_count[whole]"),
    (IgnoresNegativeLowerBounds, "test_lower_bounds_count[linear]"),
    (IgnoresUpperBounds, "test_upper_bounds_count[linear]"),
    (IgnoresUpperBounds, "test_upper_bounds_count[whole]"),
    (RoundsBoundsOutwards, "test_fractional_bounds_of_integers[whole]"),
    (RoundsDecimals, "test_decimals_are_kept[linear]"),
    (RoundsDecimals, "test_decimals_are_kept[whole]"),
    (KeepsTheLastOfEqualTerms, "test_duplicate_terms_add_up[linear]"),
    (IgnoresStrictness, "test_strict_comparisons_hold[whole]"),
    (IgnoresLogicalRows, "test_conditions[choices]"),
    (IgnoresLogicalRows, "test_conditions[two_decimal_ranges]"),
    (IgnoresLogicalRows, "test_global_constraints[all_different]"),
    (IgnoresLogicalRows, "test_global_constraints[cumulative]"),
    (IgnoresLogicalRows, "test_global_constraints[no_overlap]"),
    (IgnoresLogicalRows, "test_global_constraints[table]"),
    (IgnoresLogicalRows, "test_global_constraints[inverse]"),
    (StraightensPiecewise, "test_conditions[discount]"),
    (TakesTheMean, "test_random_parameters[newsvendor]"),
    (IgnoresTinyCoefficients, "test_wide_ranges_are_right_or_refused[wide]"),
    (LooksAtOneHalf, "test_nonlinear_programs[hill]"),
    (CallsGuessesOptimal, "test_nonlinear_programs[disc]"),
    (FillsWithNan, "test_one_finite_value_per_column[linear]"),
    (AddsAColumn, "test_one_finite_value_per_column[whole]"),
    (ReversesColumns, "test_values_follow_the_columns[linear]"),
    (SortsColumns, "test_values_follow_the_columns[global]"),
    (SortsColumns, "test_values_follow_the_columns[whole]"),
    (ForgetsTheConstant, "test_objective_includes_its_constant[maximize]"),
    (ForgetsTheConstant, "test_objective_includes_its_constant[minimize]"),
    (TurnsTheBound, "test_bound_is_on_its_side[maximize]"),
    (TurnsTheBound, "test_bound_is_on_its_side[minimize_whole]"),
    (BoundsTooTightly, "test_bound_is_on_its_side[maximize_whole]"),
    (BoundsTooTightly, "test_bound_is_on_its_side[minimize]"),
    (GivesUpEarly, "test_integer_programs[knapsack]"),
    (RoundsItsAnswer, "test_linear_programs[decimals]"),
    (ReturnsADictionary, "test_linear_programs[production]"),
    (NeedsColumns, "test_degenerate_shapes[no_variables]"),
    (RefusesPiecewise, "test_takes_what_it_declares_and_refuses_the_rest[piecewise]"),
]


@pytest.mark.parametrize(("mutant", "test"), CAUGHT, ids=[f"{m.__name__}-{t}" for m, t in CAUGHT])
def test_mutant_is_caught(caught: Callable[..., None], mutant: type, test: str) -> None:
    caught(mutant, test)


def only_linear(record: SolverAgentSpec) -> SolverAgentSpec:
    return replace(record, supports=(LINEAR,), guarantees=())


@pytest.mark.parametrize(
    "capability", ["logical", "all_different", "circuit", "cumulative", "no_overlap", "table"]
)
def test_agent_that_drops_what_it_does_not_declare_is_caught(
    caught: Callable[..., None], capability: str
) -> None:
    test = f"test_takes_what_it_declares_and_refuses_the_rest[{capability}]"
    caught(IgnoresLogicalRows, test, only_linear)


@pytest.mark.parametrize("capability", ["quadratic_objective", "piecewise", "multi_objective"])
def test_agent_that_answers_what_it_does_not_declare_is_caught(
    caught: Callable[..., None], capability: str
) -> None:
    test = f"test_takes_what_it_declares_and_refuses_the_rest[{capability}]"
    caught(ReferenceAgent, test, only_linear)


def test_record_that_declares_formats_without_export_is_caught(
    caught: Callable[..., None],
) -> None:
    caught(
        ReferenceAgent,
        "test_record_is_complete",
        lambda record: replace(record, exports=frozenset({"lp"})),
    )
