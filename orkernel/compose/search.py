"""Efficient points of a model with several objectives, one at a time, by an exact agent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.compose.stages import Stage, limited, solve_held, weighted
from orkernel.compose.steps import step_of
from orkernel.errors import Cancelled, PluginError
from orkernel.fronts import losses
from orkernel.records import Event, Guarantee
from orkernel.solution import Solution, SolverIdentity, Status

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.compose.stages import Solve
    from orkernel.context import RunContext
    from orkernel.formulation.schema import ConstraintDefinition, ObjectiveDefinition
    from orkernel.model import Model
    from orkernel.verify import Verification

SAME = 1e-6
"""Two values are the same if they differ by no more than this part of the front's range."""
AUGMENTATION = 1e-4
"""Weight of the other objective, ranges scaled to 1, where one cannot be held."""


class Stopped(Exception):
    """The search ends before the front does.

    Attributes:
        reason: In words, for the user.
        solution: The answer that ended it, if an answer did.
    """

    def __init__(self, reason: str, solution: Solution | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.solution = solution


@dataclass(frozen=True, slots=True, eq=False)
class Efficient:
    """An efficient point.

    Attributes:
        values: Shape `(n,)`.
        losses: Objective values turned so that less is better, shape `(m,)`.
        proven: False if the agent did not finish proving it.
    """

    values: Floats
    losses: Floats
    proven: bool


class Search:
    """Solves the single-objective models of a front, and keeps the points.

    Attributes:
        steps: Per objective its step, or None (see `step_of`).
        points: Efficient points found so far.
        checks: The kernel's check of every solve.
    """

    def __init__(self, model: Model, solve: Solve, ctx: RunContext, free: str | None) -> None:
        self.model = model
        self.ctx = ctx
        self.objectives = model.formulation.objectives
        self.free = next((i for i, o in enumerate(self.objectives) if o.name == free), None)
        self.maximize = [o.sense == "maximize" for o in self.objectives]
        self.steps = [step_of(model, o) for o in self.objectives]
        self.points: list[Efficient] = []
        self.checks: list[Verification] = []
        self.solves = 0
        self.seconds = 0.0
        self.identity = SolverIdentity("", "", "")
        self.last: Solution | None = None
        self.notes: dict[str, None] = {}
        self._solve = solve
        self._start: Floats | None = None

    @property
    def ranges(self) -> Floats:
        """Extent of each objective over the points found; 1 where it does not vary."""
        return extent([p.losses for p in self.points], self.size)

    @property
    def weights(self) -> Floats:
        """One over the extents, to one digit: solvers over whole numbers refuse long decimals."""
        return np.array([float(f"{1.0 / r:.0e}") for r in self.ranges.tolist()])

    @property
    def size(self) -> int:
        """Number of objectives."""
        return len(self.objectives)

    def same(self, a: Floats, b: Floats) -> bool:
        """Whether two points have the same losses: within half a step where there is one."""
        near = [
            SAME * max(1.0, abs(loss)) if step is None else step / 2
            for step, loss in zip(self.steps, a.tolist(), strict=True)
        ]
        return bool(np.all(np.abs(a - b) <= near))

    def keep(self, point: Efficient) -> None:
        """Add a point to the front, and tell about it."""
        self.points.append(point)
        values = np.where(self.maximize, -point.losses, point.losses)
        named = {o.name: float(v) for o, v in zip(self.objectives, values, strict=True)}
        words = ", ".join(f"{name} = {value:.6g}" for name, value in named.items())
        self.ctx.emit(
            Event("solver.incumbent", "solve", f"point {len(self.points)}: {words}", named)
        )

    def best(self, main: int, limits: Mapping[int, float] | None = None) -> Efficient | None:
        """The efficient point with the least loss of one objective within limits on others.

        The other objectives are optimised in a second solve that holds the first (a
        lexicographic ε-constraint step: Chankong and Haimes, Multiobjective Decision Making,
        1983), which makes the point efficient and not only weakly so. Where the first cannot
        be held, the other is added to it with a small weight (augmented ε-constraint:
        Mavrotas, Appl. Math. Comput. 213, 2009).

        Args:
            main: Number of the objective.
            limits: Per number of another objective the largest loss allowed.

        Returns:
            The point; None if no point is within the limits.
        """
        limits = limits or {}
        if main == self.free:
            return self._augmented(main, limits)
        first = self._optimise(self.objectives[main], limits)
        if first is None:
            return None
        others = [i for i in range(self.size) if i != main]
        weights = self.weights[others].tolist()
        rest = weighted([self.objectives[i] for i in others], weights)
        step = self.steps[main]
        proven = self._is_proven(first, step)
        value = next(iter(first.check.objectives.values()))
        second = self._optimise(rest, limits, held=(self.objectives[main], value), step=step)
        if second is None:
            return self._efficient(first, proven=False)
        step = self.steps[others[0]] if len(others) == 1 else None
        return self._efficient(second, proven and self._is_proven(second, step))

    def central(self, limits: Mapping[int, float]) -> Efficient | None:
        """The efficient point with the least sum of scaled losses within limits.

        The hybrid of weights and constraints (Guddat et al., Multiobjective and Stochastic
        Optimization Based on Parametric Optimization, 1985): with positive weights every
        optimum is efficient.
        """
        weights = self.weights
        stage = self._optimise(weighted(self.objectives, weights.tolist()), limits)
        if stage is None:
            return None
        known = [w * s for w, s in zip(weights, self.steps, strict=True) if s is not None]
        return self._efficient(stage, self._is_proven(stage, min(known, default=None)))

    # ------------------------------------------------------------------ one solve

    def _augmented(self, main: int, limits: Mapping[int, float]) -> Efficient | None:
        other = 1 - main
        if len(self.points) < 2:
            first = self._optimise(self.objectives[main], limits)
            if first is None:
                return None
            ends = [self._efficient(first, proven=True).losses, *(p.losses for p in self.points)]
            ranges = extent(ends, self.size)
        else:
            ranges = self.ranges
        small = AUGMENTATION * float(ranges[main] / ranges[other])
        pair = [self.objectives[main], self.objectives[other]]
        stage = self._optimise(weighted(pair, [1.0, small]), limits)
        return None if stage is None else self._efficient(stage, self._is_proven(stage, None))

    def _optimise(
        self,
        objective: ObjectiveDefinition,
        limits: Mapping[int, float],
        held: tuple[ObjectiveDefinition, float] | None = None,
        step: float | None = None,
    ) -> Stage | None:
        """One solve; None if there is no point within the limits."""
        bounds = [self._limit(i, loss) for i, loss in limits.items()]
        exact: list[tuple[ObjectiveDefinition, float]] = [] if held is None else [held]
        if held is not None and step is not None:
            bounds.append(limited(*held, step / 2, "hold"))
            exact = []
        self._pause()
        try:
            stage = solve_held(
                self.model, objective, exact, bounds, self._solve, self.ctx, self._start
            )
        except Cancelled:
            if not self.points:
                raise
            raise Stopped("it was interrupted") from None
        except PluginError as error:
            if not self.points:
                raise
            raise Stopped(f"a solve for '{objective.name}' failed: {error.message}") from error
        self.solves += 1
        self.checks.append(stage.check)
        self._note(stage.solution)
        solution = stage.solution
        if solution.status is Status.INFEASIBLE and solution.guarantee is Guarantee.GLOBAL:
            return None
        if stage.point is None:
            raise Stopped(_reason(objective, solution), solution)
        self._start = stage.point
        return stage

    def _pause(self) -> None:
        """End here if time is up; the first solve is left to the agent, which says so itself."""
        if not self.points:
            return
        if self.ctx.cancelled:
            raise Stopped("it was interrupted")
        if self.ctx.remaining() == 0.0:
            raise Stopped("the time limit passed")

    def _limit(self, number: int, loss: float) -> ConstraintDefinition:
        value = float(-loss if self.maximize[number] else loss)
        return limited(self.objectives[number], value, 0.0, "limit")

    def _note(self, solution: Solution) -> None:
        self.seconds += solution.seconds
        self.identity, self.last = solution.solver, solution
        self.notes.update(dict.fromkeys(solution.assumptions))

    def _is_proven(self, stage: Stage, step: float | None) -> bool:
        """True if the agent proved the optimum, more closely than one step."""
        solution = stage.solution
        if solution.status is not Status.OPTIMAL or solution.guarantee is not Guarantee.GLOBAL:
            return False
        if step is None or solution.bound is None or solution.objective is None:
            return True
        return abs(solution.bound - solution.objective) < 0.999 * step

    def _efficient(self, stage: Stage, proven: bool) -> Efficient:
        assert stage.point is not None
        values = self.model.evaluate(stage.point).objectives
        return Efficient(stage.point, losses(values, self.maximize)[0], proven)


def extent(points: Sequence[Floats], size: int) -> Floats:
    """Range of each of `size` objectives over points; 1 where it does not vary."""
    if not points:
        return np.ones(size)
    found = np.array(points)
    spread = np.ptp(found, axis=0)
    varies = spread > 1e-9 * np.maximum(1.0, np.abs(found).max(axis=0))
    ranges: Floats = np.where(varies, spread, 1.0)
    return ranges


def _reason(objective: ObjectiveDefinition, solution: Solution) -> str:
    if solution.status is Status.UNBOUNDED:
        return f"objective '{objective.name}' is unbounded"
    if solution.status is Status.TIME_LIMIT:
        return "the time limit passed"
    words = f": {solution.message}" if solution.message else ""
    return f"a solve for '{objective.name}' ended {solution.status}{words}"
