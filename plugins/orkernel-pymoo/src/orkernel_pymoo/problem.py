"""The problem that pymoo sees, and the algorithm that searches it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pymoo.algorithms.moo.nsga2 import NSGA2
from pymoo.algorithms.moo.nsga3 import NSGA3
from pymoo.algorithms.soo.nonconvex.de import DE
from pymoo.algorithms.soo.nonconvex.ga import GA
from pymoo.core.problem import Problem
from pymoo.operators.crossover.sbx import SBX
from pymoo.operators.mutation.pm import PM
from pymoo.termination.max_gen import MaximumGenerationTermination

from orkernel_pymoo.directions import directions
from orkernel_pymoo.operators import Mending, MixedCrossover, MixedMutation, StartingPoints

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from orkernel_pymoo.evaluation import Evaluation
    from orkernel_pymoo.mending import Mender
    from orkernel_pymoo.settings import Settings

    Floats = NDArray[np.float64]


ATTEMPTS = 5
"""How often a generation is topped up with new points where integers make them repeat."""


class PopulationProblem(Problem):  # type: ignore[misc]
    """Losses and one constraint, the total violation, for a population at a time.

    Without constraints there is none: a point with an undefined objective is worst in all.
    """

    def __init__(self, evaluation: Evaluation, lower: Floats, upper: Floats) -> None:
        objectives = max(1, len(evaluation.maximize))
        super().__init__(
            n_var=lower.size,
            n_obj=objectives,
            n_ieq_constr=int(evaluation.constrained),
            xl=lower,
            xu=upper,
            vtype=float,
        )
        self.evaluation = evaluation

    def _evaluate(self, x: Floats, out: dict[str, Any], *args: Any, **kwargs: Any) -> None:
        found, violation = self.evaluation(x)
        out["F"] = found
        if self.n_ieq_constr:
            out["G"] = violation[:, None]


def started(
    problem: PopulationProblem, settings: Settings, mender: Mender, given: Floats, seed: int
) -> Any:
    """The algorithm, ready for its first generation.

    Args:
        problem: What is searched.
        settings: Algorithm, population, generations.
        mender: Mends every new point.
        given: Points to start from, shape `(points, columns)`; the others are random.
        seed: Seed of the search.
    """
    integer = mender.integer
    mixed = bool(integer.any())
    common: dict[str, Any] = {
        "sampling": StartingPoints(given, integer),
        "repair": Mending(mender),
    }
    if settings.algorithm != "de":
        blend = SBX(eta=30, prob=1.0) if settings.algorithm == "nsga3" else SBX(eta=15, prob=0.9)
        common["crossover"] = MixedCrossover(integer, blend) if mixed else blend
        common["mutation"] = MixedMutation(integer) if mixed else PM(eta=20)
    algorithm: Any
    if settings.algorithm == "nsga2":
        algorithm = NSGA2(pop_size=settings.population, **common)
    elif settings.algorithm == "nsga3":
        spread = directions(problem.n_obj, settings.population)
        algorithm = NSGA3(spread, pop_size=max(settings.population, len(spread)), **common)
    elif settings.algorithm == "ga":
        algorithm = GA(pop_size=settings.population, **common)
    else:
        algorithm = DE(pop_size=settings.population, **common)
    if mixed:
        algorithm.mating.n_max_iterations = ATTEMPTS
    algorithm.setup(
        problem,
        termination=MaximumGenerationTermination(settings.generations),
        seed=seed,
        verbose=False,
    )
    return algorithm
