"""Simulated figures of a model with random parameters, with confidence intervals.

The sample that a point was optimised on flatters it. Here every figure is estimated with
independent scenarios: a mean by its standard error, a function of several means by the
infinitesimal jackknife (the standard error of its derivative in the direction of each scenario),
a bare probability by the interval of Clopper and Pearson.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.figures import Figures, Key, doubts_of, figures
from orkernel.algebra.sampling import independent
from orkernel.solution import Estimate

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.evaluate import Evaluator, Scenarios
    from orkernel.algebra.nodes import Call
    from orkernel.algebra.space import Space
    from orkernel.model import Model

    Floats = NDArray[np.float64]

BATCH = 4096
"""Most scenarios drawn at a time."""
BATCH_NUMBERS = 4_000_000
"""Most numbers in one array of a batch."""
PILOT = 1024
"""Scenarios from which the number needed for a half-width is first reckoned."""
STEP = 1e-3
"""Length of the step towards a scenario with which derivatives are taken."""
STREAM = 1
"""Keeps these scenarios apart from the sample that the kernel judges by."""


@dataclass(frozen=True, slots=True)
class Precision:
    """How exact estimates shall be.

    Attributes:
        level: Confidence level in (0, 1).
        samples: Scenarios to use without a wanted half-width.
        half_width: Wanted half-width of the intervals of objectives and results; None for none.
        relative: Whether `half_width` is relative to the figure.
        limit: Most scenarios.
    """

    level: float = 0.95
    samples: int = 16_384
    half_width: float | None = None
    relative: bool = False
    limit: int = 1_000_000

    def __post_init__(self) -> None:
        if not 0.0 < self.level < 1.0:
            raise ValueError(f"level is {self.level}; it must lie between 0 and 1")
        if self.half_width is not None and not self.half_width > 0.0:
            raise ValueError(f"half_width is {self.half_width}; it must be above 0")
        if self.samples < 2 or self.limit < 2:
            raise ValueError("an interval needs at least 2 scenarios")


@dataclass(frozen=True, slots=True)
class Simulation:
    """Estimates of the figures that depend on random parameters.

    Attributes:
        estimates: In formulation order: objectives, results, constraints.
        doubts: One line per row whose interval is not wholly on the allowed side of its limit.
        met: Whether the wanted half-width was reached (True where none was wanted).
    """

    estimates: tuple[Estimate, ...]
    doubts: tuple[str, ...] = ()
    met: bool = True


def estimate(
    model: Model,
    x: Floats,
    precision: Precision | None = None,
    *,
    seed: int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> Simulation:
    """Estimate every figure that depends on random parameters, at one point.

    Args:
        model: The model.
        x: The point, shape `(n,)`.
        precision: Confidence level and number of scenarios.
        seed: Equal seeds give equal estimates.
        stop: Asked between batches; once true, what has been drawn is used.

    Returns:
        The simulation. A figure without a finite value is left out; a constraint is estimated by
        its left side where the right one is data, else by left minus right; a condition
        (`implies`, `or`) has no figure to estimate.
    """
    precision = precision or Precision()
    run = _Run(model, [x], [1.0], figures(model), seed)
    met = run.draw(precision, stop)
    estimates = []
    doubts: list[str] = []
    for group in run.groups:
        for row, found in run.estimates(group, precision.level):
            estimates.append(found)
            doubts += doubts_of(found, float(group.lower[row]), float(group.upper[row]))
    return Simulation(tuple(estimates), tuple(doubts), met)


def compare(
    model: Model,
    first: Floats,
    second: Floats,
    precision: Precision | None = None,
    *,
    seed: int = 0,
    stop: Callable[[], bool] = lambda: False,
) -> tuple[Estimate, ...]:
    """Estimate second minus first for every objective and result, with common random numbers.

    Both points see the same scenarios, so that what is common to both cancels.

    Args:
        model: The model.
        first: A point, shape `(n,)`.
        second: Another.
        precision: Confidence level and number of scenarios.
        seed: Equal seeds give equal estimates.
        stop: Asked between batches; once true, what has been drawn is used.
    """
    precision = precision or Precision()
    groups = [g for g in figures(model) if g.kind != "constraint"]
    run = _Run(model, [first, second], [-1.0, 1.0], groups, seed)
    run.draw(precision, stop)
    return tuple(e for g in run.groups for _, e in run.estimates(g, precision.level))


def standard_errors(
    model: Model, x: Floats, scenarios: Scenarios, count: int
) -> dict[tuple[str, str], tuple[float, float]]:
    """Value and standard error of every figure over given scenarios.

    Args:
        model: The model.
        x: A point, shape `(n,)`.
        scenarios: Per random parameter an array `(count, size)`.
        count: Number of scenarios.

    Returns:
        By kind and name.
    """
    run = _Run(model, [x], [1.0], figures(model), 0)
    run.take(scenarios, count)
    return {(g.kind, name): (v, error) for g in run.groups for name, v, error in run.errors(g)}


# ----------------------------------------------------------------------------- averaging


class _Recorded:
    """Expectations as means over scenarios, kept for each place where one stands."""

    def __init__(self, drawn: Scenarios, count: int) -> None:
        self.drawn, self.count = drawn, count
        self.means: dict[Key, Any] = {}

    def __call__(self, outer: Evaluator, node: Call, space: Space) -> Any:
        repeated = np.broadcast_to(outer.points[0], (self.count, outer.points.shape[1]))
        values = outer.drawn(node, space, repeated, self.drawn).mean(axis=0)
        self.means[id(node), space] = values
        return values[np.newaxis]


class _Stepped:
    """Expectations as their means, moved a step towards the scenario of each point."""

    def __init__(self, drawn: Scenarios, means: Mapping[Key, Any]) -> None:
        self.drawn, self.means = drawn, means

    def __call__(self, outer: Evaluator, node: Call, space: Space) -> Any:
        mean = self.means[id(node), space]
        return mean + STEP * (outer.drawn(node, space, outer.points, self.drawn) - mean)


class _Given:
    """Expectations as given values."""

    def __init__(self, means: Mapping[Key, Any]) -> None:
        self.means = means

    def __call__(self, outer: Evaluator, node: Call, space: Space) -> Any:
        return self.means[id(node), space][np.newaxis]


class _Run:
    """A growing number of scenarios, and what they say about Σ weight · figure(point)."""

    def __init__(
        self,
        model: Model,
        points: Sequence[Floats],
        weights: Sequence[float],
        groups: Sequence[Figures],
        seed: int,
    ) -> None:
        self.program = model.program
        self.points = [np.asarray(x, np.float64).reshape(1, -1) for x in points]
        self.weights = weights
        self.groups = groups
        self.seed = seed
        self.count = self.freedom = self.batches = 0
        for group in groups:
            group.sums = [{} for _ in points]

    # ------------------------------------------------------------------ drawing

    def draw(self, precision: Precision, stop: Callable[[], bool]) -> bool:
        """Draw scenarios; whether the wanted half-width was reached."""
        if not self.groups:
            return True
        wanted = precision.half_width
        target = precision.samples if wanted is None else min(PILOT, precision.limit)
        while True:
            while self.count < target and not (self.count and stop()):
                self._batch(target - self.count)
            if wanted is None:
                return True
            needed = max(self._needed(precision), default=0.0)
            if needed <= self.count:
                return True
            if self.count >= precision.limit or stop():
                return False
            target = int(min(precision.limit, max(1.05 * needed, self.count + PILOT)))

    def _needed(self, precision: Precision) -> Iterator[float]:
        """Per figure the scenarios for its half-width."""
        assert precision.half_width is not None
        free = [group for group in self.groups if group.kind != "constraint"]
        for group in free or self.groups:
            for _, found in self.estimates(group, precision.level):
                half = max(found.high - found.value, found.value - found.low)
                size = abs(found.value) if precision.relative else 1.0
                allowed = precision.half_width * size
                if half > allowed:
                    yield self.count * (half / allowed) ** 2 if allowed else math.inf

    def _batch(self, most: int) -> None:
        random = self.program.scope.random
        width = max([1, *(p.size for p in random.values())])
        size = max(1, min(most, BATCH, BATCH_NUMBERS // width))
        generator = np.random.default_rng([self.seed, STREAM, self.batches])
        self.take(independent(random, size, generator), size)
        self.batches += 1

    def take(self, drawn: Scenarios, count: int) -> None:
        """Add scenarios, per parameter an array `(count, size)`."""
        for group in self.groups:
            influence: Any = 0.0
            for point, weight, sums in zip(self.points, self.weights, group.sums, strict=True):
                recorded = _Recorded(drawn, count)
                value = group.values(self.program, point, recorded)
                for key, mean in recorded.means.items():
                    sums[key] = sums.get(key, 0.0) + mean * count
                influence = influence + weight * self._influence(
                    group, point, drawn, count, recorded.means, value
                )
            centred = influence - influence.mean(axis=0)
            group.squares = group.squares + np.einsum("ij,ij->j", centred, centred)
        self.count += count
        self.freedom += count - 1

    def _influence(
        self,
        group: Figures,
        point: Floats,
        drawn: Scenarios,
        count: int,
        means: Mapping[Key, Any],
        value: Floats,
    ) -> Floats:
        """Derivative of the figures towards each scenario, shape `(count, rows)`."""
        width = max([1, point.size, *(mean.size for mean in means.values())])
        step = max(1, BATCH_NUMBERS // width)
        parts = []
        for start in range(0, count, step):
            some = {name: values[start : start + step] for name, values in drawn.items()}
            points = np.broadcast_to(point, (min(step, count - start), point.size))
            parts.append(group.values(self.program, points, _Stepped(some, means)) - value)
        joined: Floats = np.concatenate(parts) / STEP
        return joined

    # ------------------------------------------------------------------ reading

    def estimates(self, group: Figures, level: float) -> Iterator[tuple[int, Estimate]]:
        """Row and estimate of each figure that has a finite value."""
        from scipy import stats

        tail = (1.0 - level) / 2.0
        quantile = float(stats.t.ppf(1.0 - tail, max(1, self.freedom)))
        bare = group.is_probability and len(self.points) == 1
        unseen = np.zeros(len(group.names)) if bare else self._unseen(group, tail)
        for row, name, value, error in self._rows(group):
            half = quantile * error + float(unseen[row])
            low, high = value - half, value + half
            if bare:
                hits = round(value * self.count)
                misses = self.count - hits
                low = float(stats.beta.ppf(tail, hits, misses + 1)) if hits else 0.0
                high = float(stats.beta.ppf(1.0 - tail, hits + 1, misses)) if misses else 1.0
            yield (
                row,
                Estimate(group.kind, name, value, float(low), float(high), level, self.count),
            )

    def errors(self, group: Figures) -> Iterator[tuple[str, float, float]]:
        """Name, value and standard error of each figure that has a finite value."""
        for _, name, value, error in self._rows(group):
            yield name, value, error

    def _rows(self, group: Figures) -> Iterator[tuple[int, str, float, float]]:
        values = self._values(group, self._means(group))
        variances = np.broadcast_to(group.squares / max(1, self.freedom), values.shape)
        for row, name in enumerate(group.names):
            if name is not None and np.isfinite(values[row]) and np.isfinite(variances[row]):
                error = math.sqrt(float(variances[row]) / self.count)
                yield row, name, float(values[row]), error

    def _means(self, group: Figures) -> list[dict[Key, Any]]:
        return [{key: s / self.count for key, s in sums.items()} for sums in group.sums]

    def _values(self, group: Figures, means: Sequence[Mapping[Key, Any]]) -> Floats:
        total: Any = 0.0
        for point, weight, known in zip(self.points, self.weights, means, strict=True):
            total = total + weight * group.values(self.program, point, _Given(known))[0]
        found: Floats = np.asarray(total, np.float64)
        return found

    def _unseen(self, group: Figures, tail: float) -> Floats:
        """How far a figure may move for an event that no scenario, or every one, showed.

        Such an event has a chance of up to 1 − tail^(1/n) (one-sided Clopper-Pearson limit).
        """
        chances = group.chances
        if not chances:
            return np.zeros(len(group.names))
        most = -math.expm1(math.log(tail) / self.count)
        means = self._means(group)
        moved = [
            {
                key: np.clip(mean, most, 1.0 - most) if key[0] in chances else mean
                for key, mean in known.items()
            }
            for known in means
        ]
        distance: Floats = np.abs(self._values(group, moved) - self._values(group, means))
        return distance
