"""Models of the tests and how they are solved."""

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
from orkernel_pymoo.agent import PymooAgent

DATA = Path(__file__).parent / "data"

Bind = Callable[..., Model]
Solve = Callable[..., Solution]
Load = Callable[[str], Model]


@pytest.fixture
def bind() -> Bind:
    """A model from short words: variables and objectives as text to keyword or expression."""

    def make(
        variables: dict[str, dict[str, Any]],
        objectives: dict[str, str] | None = None,
        constraints: list[str] | None = None,
        **more: Any,
    ) -> Model:
        parts = {
            "variables": [{"name": n, **d} for n, d in variables.items()],
            "objectives": [
                {
                    "name": name,
                    "sense": "maximize" if text.startswith("max ") else "minimize",
                    "expression": text[4:],
                }
                for name, text in (objectives or {}).items()
            ],
            "constraints": [
                {
                    "name": f"c{k}",
                    "expression": text.partition(" @ ")[0],
                    "for_each": text.partition(" @ ")[2] or None,
                }
                for k, text in enumerate(constraints or [])
            ],
            **more,
        }
        for constraint in parts["constraints"]:
            if constraint["for_each"] is None:
                del constraint["for_each"]
        return Model.bind(Formulation.model_validate(parts))

    return make


@pytest.fixture
def load() -> Load:
    """A model from the folder `data`."""
    return lambda name: Model.bind(
        Formulation.model_validate(json.loads((DATA / f"{name}.json").read_text()))
    )


@pytest.fixture
def solve() -> Solve:
    """An answer, by default within half a minute."""

    def ask(model: Model, ctx: RunContext | None = None, **options: Any) -> Solution:
        ctx = (ctx or RunContext().limited(30)).with_(options=options)
        return PymooAgent().solve(Problem(""), model, ctx)

    return ask
