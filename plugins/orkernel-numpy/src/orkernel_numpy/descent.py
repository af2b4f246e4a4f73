"""Local search: SLSQP on the continuous columns, and pattern search on all of them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import optimize

from orkernel_numpy.judging import Judge

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel_numpy.domain import Domain

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

DIFFERENCE = 6e-6
"""Step of central differences, relative to the size of a value."""
KINK = 1e-3
"""Relative difference of one-sided derivatives from which on a point counts as not smooth."""
STATIONARY = 1e-5
"""Residual of the optimality conditions, relative to the gradient, that counts as zero."""
UNDEFINED = 1e20
"""Stands for a value that is not defined."""
EVALUATIONS = 400
"""Most evaluations of one descent, gradients included."""
FAR = 1e8
"""Where a local search ends that no bound holds back."""
SWAPS = 60
"""Most integer columns among which values are exchanged."""


class Stopped(Exception):
    """The time is up, or the user interrupted."""


class Exhausted(Exception):
    """A descent has made more evaluations than it may."""


class Smooth:
    """A model over its continuous columns, the integer ones fixed, as SLSQP sees it.

    Args:
        judge: Judges points, and keeps the best one met on the way.
        domain: Bounds.
        x: The point that fixes the integer columns, shape `(n,)`.
    """

    def __init__(self, judge: Judge, domain: Domain, x: Floats) -> None:
        self.judge = judge
        self.x = np.where(domain.integer, np.round(x), np.clip(x, -FAR, FAR))
        self.free: Integers = np.flatnonzero(~domain.integer & (domain.upper > domain.lower))
        self.low = np.maximum(domain.lower[self.free], -FAR)
        self.high = np.minimum(domain.upper[self.free], FAR)
        model = judge.model
        plain = np.ones(len(model.rows), np.bool_)
        for block in model.rows.blocks:
            plain[block.offset : block.offset + block.size] = not block.logical
        allowed = model.intervals
        lower, upper = allowed.lower, allowed.upper
        self.equal = np.flatnonzero(plain & (lower == upper))
        self.above = np.flatnonzero(plain & np.isfinite(lower) & (lower < upper))
        self.below = np.flatnonzero(plain & np.isfinite(upper) & (lower < upper))
        self.lower, self.upper = lower, upper
        self.logical = not bool(plain.all())
        self._held: dict[str, tuple[bytes, Any]] = {}
        self._left = np.inf

    def point(self, z: Floats) -> Floats:
        """The whole point."""
        x = self.x.copy()
        x[self.free] = z
        return x

    def valued(self, z: Floats) -> tuple[float, Floats]:
        """Loss and row bodies."""
        found: tuple[float, Floats] = self._once("values", z, self._values)
        return found

    def evaluated(self, z: Floats) -> tuple[float, Floats, Floats, Floats, bool]:
        """Loss, its gradient, row bodies, their Jacobian, and whether the loss is smooth here."""
        found: tuple[float, Floats, Floats, Floats, bool] = self._once(
            "differences", z, self._differences
        )
        return found

    def _once(self, name: str, z: Floats, compute: Callable[[Floats], Any]) -> Any:
        """What was computed at the same point the last time, or compute it."""
        key = z.tobytes()
        if name not in self._held or self._held[name][0] != key:
            if self.judge.stopped:
                raise Stopped
            self._left -= 1
            if self._left < 0:
                raise Exhausted
            self._held[name] = key, compute(z)
        return self._held[name][1]

    def _values(self, z: Floats) -> tuple[float, Floats]:
        losses, bodies = self._judged(self.point(z)[np.newaxis])
        return float(losses[0]), bodies[0]

    def _judged(self, points: Floats) -> tuple[Floats, Floats]:
        """Losses and row bodies, finite throughout."""
        values = self.judge.assess(points)
        losses = values.losses[:, 0] if values.losses.shape[1] else np.zeros(len(points))
        return (
            np.nan_to_num(losses, nan=UNDEFINED),
            np.nan_to_num(values.bodies, nan=UNDEFINED, posinf=UNDEFINED, neginf=-UNDEFINED),
        )

    def _differences(self, z: Floats) -> tuple[float, Floats, Floats, Floats, bool]:
        k = z.size
        steps = DIFFERENCE * np.maximum(1.0, np.abs(z))
        ahead = np.minimum(z + steps, self.high)
        behind = np.maximum(z - steps, self.low)
        points = np.tile(self.point(z), (2 * k + 1, 1))
        points[1 + np.arange(k), self.free] = ahead
        points[1 + k + np.arange(k), self.free] = behind
        losses, bodies = self._judged(points)
        widths = np.where(ahead > behind, ahead - behind, 1.0)
        gradient = (losses[1 : k + 1] - losses[k + 1 :]) / widths
        jacobian = ((bodies[1 : k + 1] - bodies[k + 1 :]) / widths[:, np.newaxis]).T
        forward = (losses[1 : k + 1] - losses[0]) / np.where(ahead > z, ahead - z, 1.0)
        backward = (losses[0] - losses[k + 1 :]) / np.where(z > behind, z - behind, 1.0)
        inside = (ahead > z) & (behind < z)
        scale = max(1.0, float(np.max(np.abs(gradient), initial=0.0)))
        smooth = not np.any(inside & (np.abs(forward - backward) > KINK * scale))
        return float(losses[0]), gradient, bodies[0], jacobian, smooth

    # ------------------------------------------------------------------ descent

    def descend(self) -> None:
        """Run SLSQP from the point; the judge keeps what it meets."""
        z = np.clip(self.x[self.free], self.low, self.high)
        if not z.size:
            return
        iterates = [z]
        constraints: list[dict[str, Any]] = []
        for kind, rows, sign, limits in (
            ("eq", self.equal, 1.0, self.upper),
            ("ineq", self.above, 1.0, self.lower),
            ("ineq", self.below, -1.0, self.upper),
        ):
            if rows.size:
                constraints.append(
                    {
                        "type": kind,
                        "fun": lambda z, r=rows, s=sign, b=limits: (
                            s * (self.valued(z)[1][r] - b[r])
                        ),
                        "jac": lambda z, r=rows, s=sign: s * self.evaluated(z)[3][r],
                    }
                )
        size = max(1.0, min(UNDEFINED, abs(self.valued(z)[0])))
        self._left = EVALUATIONS
        with np.errstate(all="ignore"), suppress(Exhausted):
            optimize.minimize(
                lambda z: self.valued(z)[0],
                z,
                jac=lambda z: self.evaluated(z)[1],
                method="SLSQP",
                bounds=list(zip(self.low, self.high, strict=True)),
                constraints=constraints,
                options={"maxiter": 100, "ftol": 1e-11 * size},
                callback=lambda z: iterates.append(np.array(z)),
            )
        self._left = np.inf
        self._restore(np.clip(iterates[-1], self.low, self.high))

    def _restore(self, z: Floats) -> None:
        """Newton steps onto the rows that are violated, and judge where they lead."""
        for _ in range(8):
            if not np.all(np.isfinite(z)) or self.judge.stopped:
                return
            assessment = self.judge.assess(self.point(z)[np.newaxis])
            if assessment.feasible[0] and assessment.excess[0] <= 1e-9:
                return
            _, _, bodies, jacobian, _ = self.evaluated(z)
            residual = np.maximum(0.0, bodies - self.upper) - np.maximum(0.0, self.lower - bodies)
            bad = np.flatnonzero(np.abs(residual) > 0)
            if not bad.size or not np.all(np.isfinite(jacobian[bad])):
                return
            step = np.linalg.lstsq(jacobian[bad], -residual[bad], rcond=None)[0]
            z = np.clip(z + step, self.low, self.high)

    def is_stationary(self) -> bool:
        """Whether the point meets the first-order optimality conditions (Karush-Kuhn-Tucker).

        True only where the objective is smooth and no row is a condition.
        """
        if self.logical or not self.free.size:
            return False
        z = self.x[self.free]
        _, gradient, bodies, jacobian, smooth = self.evaluated(z)
        if not smooth:
            return False
        near = 1e-5 * np.maximum(1.0, np.abs(z))
        unit = np.eye(z.size)
        at_high = (z >= self.high - near) & (self.high < FAR)
        at_low = (z <= self.low + near) & (self.low > -FAR)
        pull = [unit[at_high], -unit[at_low]]
        for rows, limits, sign in (
            (self.equal, self.upper, 1.0),
            (self.equal, self.upper, -1.0),
            (self.below, self.upper, 1.0),
            (self.above, self.lower, -1.0),
        ):
            tight = np.abs(bodies[rows] - limits[rows]) <= 1e-5 * np.maximum(
                1.0, np.abs(limits[rows])
            )
            pull.append(sign * jacobian[rows[tight]])
        forces = np.vstack(pull).T
        size = max(1.0, float(np.linalg.norm(gradient)))
        if not np.all(np.isfinite(forces)):
            return False
        if not forces.shape[1]:
            return bool(np.linalg.norm(gradient) <= STATIONARY * size)
        _, residual = optimize.nnls(forces, -gradient)
        return bool(residual <= STATIONARY * size)


# ----------------------------------------------------------------------------- pattern search


def pattern_search(
    judge: Judge, domain: Domain, x: Floats, generator: np.random.Generator, rounds: int = 400
) -> None:
    """Walk to better neighbours, along the axes, at random and by exchange; needs no derivative.

    An infeasible point walks towards feasibility first. The judge keeps the best.

    Args:
        judge: Judges points.
        domain: Bounds.
        x: Where to start, shape `(n,)`.
        generator: Source of the random directions.
        rounds: Most rounds.
    """
    n = x.size
    if not n:
        return
    spans = np.where(
        np.isfinite(domain.upper - domain.lower),
        domain.upper - domain.lower,
        np.maximum(1.0, np.abs(x)),
    )
    least = np.where(domain.integer, 1.0, 1e-10 * np.maximum(1.0, np.abs(x)))
    steps = np.where(domain.integer, np.maximum(1.0, np.round(spans / 8)), spans / 8)
    steps = np.where(domain.upper > domain.lower, steps, 0.0)
    rank = judge.rank(x[np.newaxis])[0]
    for _ in range(rounds):
        if judge.stopped:
            return
        points = _neighbours(domain, x, steps, generator)
        if not len(points):
            return
        ranks = judge.rank(points)
        first = min(range(len(ranks)), key=ranks.__getitem__)
        if ranks[first] < rank:
            x, rank = points[first], ranks[first]
            continue
        smaller = np.where(domain.integer, np.maximum(1.0, np.round(steps / 2)), steps / 2)
        if not np.any((steps > least) & (steps > 0)):
            return
        steps = np.where(steps > 0, np.maximum(smaller, np.minimum(least, steps)), 0.0)


def _neighbours(domain: Domain, x: Floats, steps: Floats, generator: np.random.Generator) -> Floats:
    moving = np.flatnonzero(steps > 0)
    axes = np.zeros((moving.size, x.size))
    axes[np.arange(moving.size), moving] = steps[moving]
    random = generator.standard_normal((2 * moving.size, x.size)) * steps
    moves = np.vstack([axes, -axes, random])
    points = x + np.where(domain.integer, np.round(moves), moves)
    whole = np.flatnonzero(domain.integer)
    if 1 < whole.size <= SWAPS:
        pairs = [(i, j) for i, j in combinations(whole.tolist(), 2) if x[i] != x[j]]
        if pairs:
            first, second = np.array(pairs).T
            swapped = np.tile(x, (len(pairs), 1))
            numbers = np.arange(len(pairs))
            swapped[numbers, first], swapped[numbers, second] = x[second], x[first]
            points = np.vstack([points, swapped])
    return np.clip(points, np.maximum(domain.lower, -FAR), np.minimum(domain.upper, FAR))
