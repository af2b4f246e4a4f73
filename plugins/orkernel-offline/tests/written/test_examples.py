"""The documented examples in algebra have their documented optimum."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from orkernel_offline.written import looks_written, readings

EXAMPLES = Path(__file__).parents[4] / "docs" / "examples"
OPTIMA = {
    "blending-latex.md": 195500 / 3,
    "transport-latex-table.md": 2280.0,
    "multi-period-latex.md": 14690.0,
    "sum-notation-text.md": 205.0,
}


@pytest.mark.parametrize("name", OPTIMA)
def test_example_has_one_reading_with_the_documented_optimum(
    name: str, optimum: Callable[..., float]
) -> None:
    statement = (EXAMPLES / name).read_text(encoding="utf-8")
    assert looks_written(statement)
    (reading,) = readings(statement)
    assert optimum(reading.formulation) == pytest.approx(OPTIMA[name], rel=1e-9)
