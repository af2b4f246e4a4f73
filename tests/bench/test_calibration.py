"""Calibration figures against closed cases."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orkernel.bench.calibration import auroc, bins, brier, calibrate

ANSWERS = st.lists(st.tuples(st.floats(0, 100), st.booleans()), min_size=1, max_size=40)


def test_perfect_confidence_has_brier_0_and_auroc_1() -> None:
    assert brier([100, 0], [True, False]) == 0.0
    assert auroc([100, 0], [True, False]) == 1.0


def test_inverted_confidence_has_brier_1_and_auroc_0() -> None:
    assert brier([100, 0], [False, True]) == 1.0
    assert auroc([100, 0], [False, True]) == 0.0


def test_constant_confidence_separates_nothing() -> None:
    assert brier([50] * 4, [True, False, True, False]) == 0.25
    assert auroc([50] * 4, [True, False, True, False]) == 0.5


def test_a_tie_between_right_and_wrong_counts_one_half() -> None:
    assert auroc([80, 80, 20], [True, False, False]) == 0.75


def test_without_both_kinds_there_is_no_auroc() -> None:
    assert auroc([10, 90], [True, True]) is None
    assert auroc([], []) is None
    assert brier([], []) is None


def test_bins_take_their_lower_end_and_exact_100_is_its_own() -> None:
    found = {b.name: b for b in bins([0, 19.9, 20, 80, 99.9, 100], [True] * 5 + [False])}
    assert {name: b.items for name, b in found.items()} == {
        "0–20": 2, "20–40": 1, "40–60": 0, "60–80": 0, "80–100": 2, "100": 1,
    }  # fmt: skip
    assert found["100"].accuracy == 0.0
    assert found["40–60"].accuracy is None
    assert found["40–60"].confidence is None


@given(ANSWERS)
def test_auroc_is_the_share_of_pairs_in_the_right_order(answers: list[tuple[float, bool]]) -> None:
    good = [c for c, right in answers if right]
    bad = [c for c, right in answers if not right]
    found = auroc([c for c, _ in answers], [right for _, right in answers])
    if not good or not bad:
        assert found is None
        return
    won = sum((g > b) + 0.5 * (g == b) for g in good for b in bad)
    assert found == pytest.approx(won / (len(good) * len(bad)))


@given(ANSWERS)
def test_every_answer_is_in_one_bin_and_the_figures_stay_in_range(
    answers: list[tuple[float, bool]],
) -> None:
    found = calibrate([c for c, _ in answers], [right for _, right in answers])
    assert sum(b.items for b in found.bins) == found.items == len(answers)
    assert sum(b.right for b in found.bins) == sum(right for _, right in answers)
    assert found.brier is not None
    assert 0 <= found.brier <= 1
    assert found.auroc is None or (0 <= found.auroc <= 1 and math.isfinite(found.auroc))
