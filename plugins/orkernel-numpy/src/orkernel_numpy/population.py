"""Global search by differential evolution over a finite window of the domain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import optimize

from orkernel.records import Capability

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel_numpy.domain import Domain
    from orkernel_numpy.judging import Judge

    Floats = NDArray[np.float64]

POPULATION = 300
"""Most points of a generation."""
GENERATIONS = 300
"""Most generations."""
SAMPLED_SHARE = 5
"""With random parameters both are divided by this: a point costs thousands of scenarios."""
COLUMNS = 300
"""Most columns for which a population is worth its time."""
INFEASIBLE = 1e30
"""From here on a point counts as infeasible; above, less violation is better."""


def evolve(judge: Judge, domain: Domain, window: tuple[Floats, Floats], seed: int) -> None:
    """Differential evolution; the judge keeps the best point.

    A feasible point beats an infeasible one, and of two infeasible ones the less violated wins
    (Deb, 2000).

    Args:
        judge: Judges points.
        domain: Which columns are integer.
        window: Finite lower and upper bounds.
        seed: Equal seeds give equal searches.
    """
    low, high = window
    free = np.flatnonzero(high > low)
    if not free.size or free.size > COLUMNS:
        return
    share = SAMPLED_SHARE if Capability.RANDOM in judge.model.needs else 1
    base = low.copy()
    start = np.clip(base if judge.best is None else judge.best, low, high)

    def energies(columns: Floats) -> Floats:
        points = np.tile(base, (columns.shape[1], 1))
        points[:, free] = columns.T
        whole = np.where(domain.integer, np.round(points), points)
        ranks = np.array(judge.rank(whole)).reshape(-1, 2)
        with np.errstate(over="ignore"):
            worse = INFEASIBLE * (1.0 + np.minimum(ranks[:, 0], 1e9))
        found: Floats = np.where(ranks[:, 0] > 0, worse, np.clip(ranks[:, 1], -1e29, 1e29))
        return found

    def stop(*found: Any, **named: Any) -> bool:
        return judge.stopped

    optimize.differential_evolution(
        energies,
        optimize.Bounds(low[free], high[free]),
        maxiter=GENERATIONS // share,
        popsize=max(1, min(15, POPULATION // share // free.size)),
        init="sobol" if free.size <= 20 else "latinhypercube",
        integrality=domain.integer[free],
        rng=np.random.default_rng([seed, 2]),
        x0=start[free],
        polish=False,
        vectorized=True,
        updating="deferred",
        callback=stop,
        tol=1e-8,
    )
