"""Scenarios of random parameters: right moments, reproducible, independent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from orkernel.algebra.sampling import scenarios
from orkernel.formulation.schema import Formulation
from orkernel.model import Model


def draw(distribution: dict[str, Any], count: int = 20_000) -> np.ndarray:
    model = Model.bind(
        Formulation.model_validate({"parameters": [{"name": "d", "distribution": distribution}]})
    )
    return scenarios(model.program.scope.random, count)["d"][:, 0]


@pytest.mark.parametrize(
    ("distribution", "mean", "deviation"),
    [
        ({"normal": {"mean": 50, "std": 8}}, 50, 8),
        ({"lognormal": {"mean": 10, "std": 3}}, 10, 3),
        (
            {"lognormal": {"mu": 0, "sigma": 0.5}},
            np.exp(0.125),
            np.sqrt((np.exp(0.25) - 1) * np.exp(0.25)),
        ),
        ({"uniform": {"low": 2, "high": 8}}, 5, 6 / np.sqrt(12)),
        ({"triangular": {"low": 0, "mode": 3, "high": 6}}, 3, np.sqrt(1.5)),
        ({"exponential": {"mean": 4}}, 4, 4),
        ({"exponential": {"rate": 0.25}}, 4, 4),
        ({"poisson": {"mean": 3}}, 3, np.sqrt(3)),
        (
            {"discrete": {"values": [1, 2, 10], "probabilities": [0.5, 0.3, 0.2]}},
            3.1,
            np.sqrt(0.5 + 1.2 + 20 - 9.61),
        ),
        ({"empirical": {"values": [1, 1, 4]}}, 2, np.sqrt(2)),
        ({"normal": {"mean": 5, "std": 0}}, 5, 0),
    ],
)
def test_each_distribution_has_its_mean_and_deviation(
    distribution: dict[str, Any], mean: float, deviation: float
) -> None:
    sample = draw(distribution)
    assert sample.mean() == pytest.approx(mean, rel=1e-3)
    assert sample.std() == pytest.approx(deviation, rel=1e-2)


def test_discrete_values_occur_with_their_probabilities() -> None:
    sample = draw({"discrete": {"values": [1, 2, 10], "probabilities": [0.5, 0.3, 0.2]}}, 1000)
    values, counts = np.unique(sample, return_counts=True)
    assert values.tolist() == [1, 2, 10]
    np.testing.assert_allclose(counts, [500, 300, 200], atol=1)


def test_members_are_independent_and_scenarios_reproducible() -> None:
    model = Model.bind(
        Formulation.model_validate(
            {
                "sets": [{"name": "I", "range": [1, 3]}],
                "parameters": [
                    {
                        "name": "d",
                        "index": ["I"],
                        "distribution": {"normal": {"mean": [1, 2, 3], "std": 1}},
                    },
                    {"name": "e", "distribution": {"normal": {"mean": 0, "std": 1}}},
                ],
            }
        )
    )
    random = model.program.scope.random
    first, again, other = (scenarios(random, 5000, seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(first["d"], again["d"])
    assert np.any(first["d"] != other["d"])
    np.testing.assert_allclose(first["d"].mean(axis=0), [1, 2, 3], atol=1e-2)
    joint = np.corrcoef(np.column_stack([first["d"], first["e"]]).T)
    assert np.abs(joint - np.eye(4)).max() < 0.06
