"""Efficient points, the compromise and the figures of a front agree with their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from moocore import hypervolume as moocore_hypervolume

from orkernel.fronts import compromise, figures, hypervolume, nondominated

whole_points = st.integers(1, 4).flatmap(
    lambda m: arrays(
        np.int64, st.tuples(st.integers(1, 12), st.just(m)), elements=st.integers(0, 5)
    )
)


@given(whole_points, st.data())
def test_nondominated_keeps_exactly_the_points_that_no_other_dominates(
    points: np.ndarray, data: st.DataObject
) -> None:
    m = points.shape[1]
    maximize = data.draw(st.lists(st.booleans(), min_size=m, max_size=m))
    signs = np.where(maximize, -1, 1)
    kept = nondominated(points, maximize)
    seen: set[tuple[int, ...]] = set()
    for point, keep in zip((points * signs).tolist(), kept.tolist(), strict=True):
        dominated = any(
            all(b <= a for a, b in zip(point, other, strict=True)) and other != point
            for other in (points * signs).tolist()
        )
        assert keep == (not dominated and tuple(point) not in seen)
        seen.add(tuple(point))


@given(whole_points)
def test_hypervolume_agrees_with_moocore(points: np.ndarray) -> None:
    reference = 6.0
    found = hypervolume(points.astype(float), reference)
    expected = (
        moocore_hypervolume(points.astype(float), ref=[reference] * points.shape[1])
        if points.shape[1] > 1
        else reference - points.min()
    )
    assert found == pytest.approx(expected)


def test_figures_of_a_known_front_in_their_own_senses() -> None:
    found = figures([(0.0, 10.0), (5.0, 20.0), (10.0, 25.0)], [False, True])
    assert found.ideal == (0.0, 25.0)
    assert found.nadir == (10.0, 10.0)
    assert found.reference == (11.0, 8.5)
    # Scaled losses (0, 1), (0.5, 1/3), (1, 0) against (1.1, 1.1).
    assert found.hypervolume == pytest.approx(1.1 * 0.1 + 0.6 * (1 - 1 / 3) + 0.1 / 3)


def test_the_compromise_is_nearest_to_the_ideal_point_of_the_scaled_front() -> None:
    assert compromise([(0.0, 1000.0), (1.0, 100.0), (10.0, 0.0)], [False, False]) == 1


def test_a_front_of_one_point_has_figures_too() -> None:
    found = figures([(3.0, 4.0)], [False, False])
    assert found.ideal == found.nadir == (3.0, 4.0)
    assert found.hypervolume == pytest.approx(0.01)


def test_more_objectives_are_measured_in_moderate_time() -> None:
    points = np.abs(np.random.default_rng(1).normal(size=(100, 5)))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    found = figures(points, [False] * 5)
    ideal, nadir = points.min(axis=0), points.max(axis=0)
    scaled = (points - ideal) / (nadir - ideal)
    assert found.hypervolume == pytest.approx(moocore_hypervolume(scaled, ref=[1.1] * 5))


def test_ten_objectives_have_corners_but_no_hypervolume() -> None:
    found = figures(np.eye(10), [False] * 10)
    assert found.hypervolume is None
    assert found.ideal == (0.0,) * 10
