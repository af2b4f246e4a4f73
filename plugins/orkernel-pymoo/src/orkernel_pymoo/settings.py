"""What the user asked of the search, with the gaps filled in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orkernel.errors import UsageError

if TYPE_CHECKING:
    from orkernel.context import RunContext

FRONT_GENERATIONS = 300
SINGLE_GENERATIONS = 600
POPULATION = 100
SMALL_POPULATION = 40
"""Points per generation for one objective with few columns."""
PER_COLUMN = 6
"""Points per generation that a column adds for one objective, up to `POPULATION`."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of one search.

    Attributes:
        algorithm: `nsga2`, `nsga3`, `ga` or `de`.
        population: Points per generation, at least 4.
        generations: Most generations of one round.
        equality_tolerance: Slack of equations during the search, times max(1, |rhs|).
        polish: Whether the best points of each objective are refined locally.
        seed: Seed of everything random, in [0, 2³²).
        wanted: Wanted points of a front; None leaves it to the search.
    """

    algorithm: str
    population: int
    generations: int
    equality_tolerance: float
    polish: bool
    seed: int
    wanted: int | None

    @classmethod
    def of(cls, ctx: RunContext, objectives: int, columns: int, integers: bool) -> Settings:
        """Read the options.

        Args:
            ctx: Options of the agent, seed, wanted size of a front.
            objectives: Number of objectives.
            columns: Number of columns.
            integers: Whether any column is integer.

        Raises:
            UsageError: An option has a value that makes no sense for the model.
        """
        options = ctx.options
        algorithm = str(options.get("algorithm", "auto"))
        population = _count(options.get("population", 0), "population")
        generations = _count(options.get("generations", 0), "generations")
        tolerance = float(options.get("equality_tolerance", 1e-3))
        if not 0.0 <= tolerance < math.inf:
            raise UsageError(
                f"option 'pymoo.equality_tolerance' is {tolerance}",
                fix="give a number that is 0 or more",
            )
        front = objectives > 1
        fitting = ("nsga2", "nsga3") if front else ("ga", "de")
        if algorithm == "auto":
            algorithm = fitting[objectives > 2] if front else fitting[not integers]
        elif algorithm not in fitting:
            raise UsageError(
                f"option 'pymoo.algorithm': {algorithm} does not fit {objectives} objective(s)",
                fix=f"choose {' or '.join(fitting)}",
            )
        if not population:
            small = min(POPULATION, max(SMALL_POPULATION, PER_COLUMN * columns))
            population = max(POPULATION, ctx.front_points or 0) if front else small
        return cls(
            algorithm=algorithm,
            population=max(4, population + population % 2),
            generations=generations or (FRONT_GENERATIONS if front else SINGLE_GENERATIONS),
            equality_tolerance=tolerance,
            polish=bool(options.get("polish", True)),
            seed=ctx.seed % 2**32,
            wanted=ctx.front_points,
        )


def _count(value: object, name: str) -> int:
    count = int(str(value))
    if count < 0:
        raise UsageError(f"option 'pymoo.{name}' is {count}", fix="give a whole number above 0")
    return count
