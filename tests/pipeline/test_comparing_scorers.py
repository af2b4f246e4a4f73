"""A scorer that compares candidates judges the first one again when the last one is there."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from orkernel.config import Config
from orkernel.context import RunContext
from orkernel.errors import NoMoreReadings
from orkernel.formulation.schema import Formulation
from orkernel.hookspecs import hookimpl
from orkernel.pipeline import run
from orkernel.records import (
    DIMENSIONS,
    Candidate,
    Evaluation,
    FormulatorSpec,
    Problem,
    Score,
    ScorerSpec,
)
from orkernel.registry import Registry

HOME = "orkernel_test_comparing"
STATEMENT = "Maximize x, at most 4."


class Numbered:
    """Gives as many formulations as are asked for, up to three."""

    def formulate(
        self, problem: Problem, history: Sequence[Candidate], ctx: RunContext
    ) -> Formulation:
        if len(history) == 3:
            raise NoMoreReadings
        return Formulation.model_validate(
            {
                "title": f"reading {len(history)}",
                "variables": [{"name": "x", "upper": 4}],
                "objectives": [{"name": "x", "sense": "maximize", "expression": "x"}],
            }
        )


class Counting:
    """Scores a candidate by how many others there are."""

    def score(self, problem: Any, candidate: Any, peers: Sequence[Any], ctx: Any) -> Evaluation:
        scores = {d: Score(float(len(peers)), "how many others") for d in DIMENSIONS}
        return Evaluation("counting", scores)


class Plugin:
    """The formulator `numbered` and the scorer `counting`, which compares."""

    @hookimpl
    def orkernel_formulators(self) -> Iterable[FormulatorSpec]:
        yield FormulatorSpec(name="numbered", target=f"{HOME}:Numbered")

    @hookimpl
    def orkernel_confidence_scorers(self) -> Iterable[ScorerSpec]:
        yield ScorerSpec(name="counting", target=f"{HOME}:Counting", compares=True)


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize("is_kept", [True, False])
def test_every_candidate_is_compared_with_all_others(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, k: int, is_kept: bool
) -> None:
    module = ModuleType(HOME)
    module.Numbered = Numbered  # type: ignore[attr-defined]
    module.Counting = Counting  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, HOME, module)
    registry = Registry.load(Config.load(plugins="highs,maxmin"), extra=[Plugin()])
    answer = run(
        Problem(STATEMENT),
        registry=registry,
        formulator="numbered",
        scorers=["counting"],
        k=k,
        out=tmp_path / "run" if is_kept else None,
    )
    others = min(k, 3) - 1
    assert [c.min_confidence for c in answer.candidates] == [float(others)] * (others + 1)
