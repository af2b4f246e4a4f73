"""Building models from plain data, and solving them with the agent."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from orkernel.context import RunContext
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Problem
from orkernel.solution import Solution
from orkernel.verify import verify
from orkernel_numpy.agent import NumpyAgent

DATA = Path(__file__).parent / "data"

Build = Callable[..., Model]
Solve = Callable[..., Solution]


@pytest.fixture
def build() -> Build:
    """A model from keyword lists, or from a file of `data`."""

    def make(name: str = "", **parts: Any) -> Model:
        data = json.loads((DATA / f"{name}.json").read_text()) if name else parts
        return Model.bind(Formulation.model_validate(data))

    return make


@pytest.fixture
def solve() -> Solve:
    """Solve, and let the kernel check any point that is claimed."""

    def run(
        model: Model, *, seconds: float | None = None, seed: int = 0, **options: Any
    ) -> Solution:
        ctx = RunContext(seed=seed, options=options)
        ctx = ctx if seconds is None else ctx.limited(seconds)
        solution = NumpyAgent().solve(Problem(""), model, ctx)
        if solution.values is not None:
            checked = verify(model, solution)
            assert checked.verified, checked.problems
        return solution

    return run
