"""Variation of whole populations with continuous, integer and binary columns side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from pymoo.core.crossover import Crossover
from pymoo.core.mutation import Mutation
from pymoo.core.repair import Repair
from pymoo.core.sampling import Sampling
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel_pymoo.mending import Mender

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

FLIPS = 1.0
"""Integer columns that a mutation changes, on average."""
JUMPS = 0.5
"""Share of integer mutations that go anywhere in the range instead of one step."""
NARROW = 8.0
"""Integer columns with a range up to this are exchanged between parents, not blended."""


class MixedCrossover(Crossover):  # type: ignore[misc]
    """Simulated binary crossover; narrow integer columns are exchanged uniformly."""

    def __init__(self, integer: Bools, blend: SBX) -> None:
        super().__init__(2, 2, prob=blend.prob.value)
        self.blend = blend
        self.integer = integer

    def _do(self, problem: Any, X: Floats, *args: Any, random_state: Any, **kwargs: Any) -> Floats:
        blended: Floats = self.blend._do(problem, X, random_state=random_state)
        narrow = self.integer & (problem.xu - problem.xl <= NARROW)
        swap = random_state.random(X.shape[1:]) < 0.5
        swapped = np.where(swap, X[::-1], X)
        crossed: Floats = np.where(narrow, swapped, blended)
        return crossed


class MixedMutation(Mutation):  # type: ignore[misc]
    """Polynomial mutation; integer columns make a step of one or are drawn anew."""

    def __init__(self, integer: Bools) -> None:
        super().__init__(prob=0.9)
        self.smooth = PM(eta=20)
        self.integer = integer

    def _do(self, problem: Any, X: Floats, *args: Any, random_state: Any, **kwargs: Any) -> Floats:
        moved: Floats = self.smooth._do(problem, X, random_state=random_state)
        count = int(self.integer.sum())
        chosen = random_state.random(X.shape) < FLIPS / max(1, count)
        drawn = np.floor(random_state.random(X.shape) * (problem.xu - problem.xl + 1) + problem.xl)
        step = X + np.where(random_state.random(X.shape) < 0.5, 1.0, -1.0)
        jump = random_state.random(X.shape) < JUMPS
        inside = (step >= problem.xl) & (step <= problem.xu)
        other = np.where(jump | ~inside, drawn, step)
        mutated: Floats = np.where(self.integer, np.where(chosen, other, X), moved)
        return mutated


class Mending(Repair):  # type: ignore[misc]
    """Whole numbers, and the linear rows where they can be mended."""

    def __init__(self, mender: Mender) -> None:
        super().__init__()
        self.mender = mender

    def _do(self, problem: Any, X: Floats, random_state: Any = None, **kwargs: Any) -> Floats:
        return self.mender.mend(X, problem.xl, problem.xu)


class StartingPoints(Sampling):  # type: ignore[misc]
    """Given points first, random ones for the rest."""

    def __init__(self, given: Floats, integer: Bools) -> None:
        super().__init__()
        self.given = given
        self.integer = integer

    def _do(
        self, problem: Any, n_samples: int, *args: Any, random_state: Any, **kwargs: Any
    ) -> Floats:
        drawn = random_state.random((n_samples, problem.n_var))
        reals = problem.xl + drawn * (problem.xu - problem.xl)
        whole = np.floor(drawn * (problem.xu - problem.xl + 1.0) + problem.xl)
        points: Floats = np.where(self.integer, np.minimum(whole, problem.xu), reals)
        given = np.clip(self.given[:n_samples], problem.xl, problem.xu)
        points[: len(given)] = given
        return points
