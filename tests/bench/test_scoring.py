"""What counts as right."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.bench.labels import Label, LabelSet
from orkernel.bench.results import ANSWERED, FAILED, NO_SOLUTION, REFUSED, Result
from orkernel.bench.scoring import Rules, named, score
from orkernel.bench.summary import (
    Spread,
    calibrations,
    reasons,
    rules_used,
    scores_of,
    summaries,
    summarise,
    work_of,
)
from orkernel.bench.tolerance import Tolerance
from orkernel.errors import UsageError


@pytest.mark.parametrize(
    ("text", "found", "label", "right"),
    [
        ("rel:1e-4", 100.009, 100.0, True),
        ("rel:1e-4", 100.02, 100.0, False),
        ("rel:1e-4", 0.0, 0.0, True),
        ("rel:1e-4", 1e-3, 0.0, False),
        ("abs:0.5", 3.4, 3.0, True),
        ("abs:0.5", 3.6, 3.0, False),
        ("rel:1e-4", -100.0, 100.0, False),
        ("whole", 7.4, 7.0, True),
        ("whole", 7.5, 8.0, True),
        ("whole", 6.5, 7.0, True),
        ("whole", -6.5, -7.0, True),
        ("whole", 7.6, 7.0, False),
        ("whole", -0.2, 0.0, True),
    ],
)
def test_tolerance(text: str, found: float, label: float, right: bool) -> None:
    assert Tolerance.parse(text).accepts(found, label) is right


@pytest.mark.parametrize("text", ["1e-4", "rel", "rel:x", "abs:-1", "rel:nan", "abs:inf", ""])
def test_a_malformed_tolerance_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError, match="is neither rel:R nor abs:A"):
        Tolerance.parse(text)


@given(
    st.sampled_from(["rel", "abs"]),
    st.floats(0, 10),
    st.floats(-1e9, 1e9),
)
def test_every_tolerance_accepts_the_label_itself_and_reads_back(
    kind: str, value: float, label: float
) -> None:
    assert Tolerance(kind, value).accepts(label, label)
    assert Tolerance.parse(f"{kind}:{value!r}") == Tolerance(kind, value)


def answered(**changes: Any) -> Result:
    given: dict[str, Any] = {"objectives": {"profit": 10.0}, **changes}
    return Result("default", "1", ANSWERED, "optimal", **given)


RULES = Rules(Tolerance("rel", 1e-4))


def test_the_objective_counts_where_nothing_else_is_asked_for() -> None:
    found = score(answered(), Label(10.0, "Highest daily earnings"), RULES)
    assert (found.verdict, found.figure, found.rule) == ("right", "objective profit", "rel:0.0001")


def test_the_only_result_counts_since_the_statement_asks_for_it() -> None:
    result = answered(objectives={"deviation": 0.0}, results={"trucks in all": 7.0})
    found = score(result, Label(7.0, "How many vehicles"), RULES)
    assert (found.verdict, found.found, found.figure) == ("right", 7.0, "result trucks in all")


def test_the_objective_counts_if_the_label_names_it_though_there_is_a_result() -> None:
    result = answered(results={"trucks in all": 7.0})
    found = score(result, Label(10.0, "Maximized total profit"), RULES)
    assert (found.verdict, found.figure) == ("right", "objective profit")


def test_the_result_with_the_labels_name_counts_among_several() -> None:
    result = answered(results={"trucks": 7.0, "total_profit": 3.0, "drivers": 9.0})
    assert score(result, Label(7.0, "Number of Trucks"), RULES).verdict == "right"
    assert score(result, Label(3.0, "Total profit"), RULES).figure == "result total_profit"
    assert score(result, Label(10.0, "something else"), RULES).figure == "objective profit"


def test_a_name_that_fits_two_figures_or_none_names_neither() -> None:
    assert named("cost", {"total cost": 1.0, "Cost": 2.0}) is None
    assert named("Total amount", {"amount": 1.0}) is None
    assert named("totalCost", {"COST_total": 1.0}) == "COST_total"


def test_several_objectives_and_no_name_leave_the_answer_unscored() -> None:
    result = answered(objectives={"a": 1.0, "b": 2.0})
    assert score(result, Label(1.0, "c"), RULES).verdict == "unscored"
    assert score(result, Label(2.0, "b"), RULES).verdict == "right"


def test_a_claim_of_no_solution_is_right_only_if_the_label_says_so() -> None:
    claim = Result("default", "1", NO_SOLUTION, "infeasible", "infeasible")
    assert score(claim, Label("infeasible"), RULES).verdict == "right"
    assert score(claim, Label("unbounded"), RULES).verdict == "wrong"
    assert score(claim, Label(3.0), RULES).verdict == "wrong"
    assert score(claim, Label(None), RULES).verdict == "unscored"
    assert score(answered(), Label("infeasible"), RULES).verdict == "wrong"
    assert score(claim, Label("infeasible"), RULES).rule == "status"


def test_whole_labels_are_rounded_only_when_asked_and_only_if_whole() -> None:
    result = answered(objectives={"n": 6.7})
    assert score(result, Label(7.0), RULES).verdict == "wrong"
    rounding = Rules(Tolerance("rel", 1e-4), whole=True)
    assert score(result, Label(7.0), rounding).verdict == "right"
    assert score(result, Label(7.0), rounding).rule == "whole"
    assert score(result, Label(6.9), rounding).rule == "rel:0.0001"
    own = Label(7.0, tolerance=Tolerance("abs", 0.1))
    assert score(result, own, rounding).verdict == "wrong"


@pytest.mark.parametrize("state", [REFUSED, FAILED])
def test_what_is_not_answered_is_neither_right_nor_wrong(state: str) -> None:
    assert score(Result("default", "1", state), Label(1.0), RULES).verdict == state


def some_results() -> list[Result]:
    return [
        answered(seconds=0.5, confidence=90.0, confidences={"a": 90.0, "b": 95.0}),
        Result("default", "2", ANSWERED, objectives={"x": 1.0}, seconds=0.5, confidence=20.0,
               confidences={"a": 20.0, "b": 99.0}),
        Result("default", "3", NO_SOLUTION, "unbounded", seconds=0.5),
        Result("default", "4", REFUSED, why="cannot read “one thing”", seconds=0.5),
        Result("default", "5", FAILED, why="cannot read “another”", seconds=0.5),
    ]  # fmt: skip


def labels(**faults: str) -> LabelSet:
    return LabelSet(
        "raw labels", {i: Label(10.0, fault=faults.get(f"item{i}", "")) for i in "12345"}
    )


def test_summary_counts_every_verdict_once() -> None:
    found = summarise(scores_of(some_results(), labels(), RULES))
    assert (found.items, found.answered, found.right, found.wrong) == (5, 3, 1, 2)
    assert (found.refused, found.failed, found.wrong_no_solution) == (1, 1, 1)
    assert found.accuracy == 1 / 3
    assert found.seconds == 2.5
    assert summarise([]).accuracy is None


def test_faulty_labels_are_left_out_in_a_row_of_their_own() -> None:
    found = summaries(scores_of(some_results(), labels(item2="sign"), RULES), "raw labels")
    assert [s.items for s in found.values()] == [5, 4]
    assert list(found) == ["raw labels", "without faulty labels"]


def test_confidence_is_set_against_verdicts_together_and_by_scorer() -> None:
    found = calibrations(scores_of(some_results(), labels(), RULES))
    assert list(found) == ["all scorers", "a", "b"]
    assert found["a"].auroc == 1.0
    assert found["b"].auroc == 0.0


def test_rules_are_counted_by_the_figure_they_scored() -> None:
    assert rules_used(scores_of(some_results(), labels(), RULES)) == [
        ("rel:0.0001", "objective", 2),
        ("status", "status", 1),
    ]


def test_reasons_are_grouped_without_their_quoted_parts() -> None:
    assert reasons(some_results()) == [("cannot read …", 2)]


def test_work_per_item_and_a_cost_that_is_not_known() -> None:
    usage = {"calls": 2, "prompt_tokens": 100, "completion_tokens": 10, "cost": 0.5, "seconds": 3.0}
    one = answered(seconds=5.0, solve_seconds=1.5, usage=usage, timings={"solve": 1.0})
    two = answered(seconds=1.0, usage={**usage, "calls": 4, "seconds": 2.0})
    work = work_of([one, two, Result("default", "9", FAILED)])
    assert work is not None
    assert work.calls == Spread(3.0, 4.0, 6.0)
    assert work.cost == Spread(0.5, 0.5, 1.0)
    assert work.overhead == Spread(0.25, 0.5, 0.5)
    assert work.stages == {"solve": 0.5}
    unpriced = work_of([one, answered(seconds=1.0, usage={**usage, "cost": None})])
    assert unpriced is not None
    assert unpriced.cost is None
    assert work_of([Result("default", "9", FAILED)]) is None


def test_a_result_survives_its_json_form() -> None:
    for result in some_results():
        assert Result.from_json(result.to_json()) == result
