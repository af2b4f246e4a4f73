"""Metaheuristic solver agent: NSGA-II, NSGA-III and single-objective search through pymoo."""

from __future__ import annotations

from collections.abc import Iterator

from orkernel.hookspecs import hookimpl
from orkernel.records import Capability, Guarantee, Option, SolverAgentSpec

_ALL = frozenset(
    {
        Capability.CONTINUOUS,
        Capability.INTEGER,
        Capability.LINEAR,
        Capability.QUADRATIC_OBJECTIVE,
        Capability.QUADRATIC_CONSTRAINT,
        Capability.NONCONVEX,
        Capability.NONLINEAR,
        Capability.LOGICAL,
        Capability.PIECEWISE,
        Capability.MULTI_OBJECTIVE,
        Capability.ALL_DIFFERENT,
        Capability.ELEMENT,
        Capability.TABLE,
    }
)


@hookimpl
def orkernel_solver_agents() -> Iterator[SolverAgentSpec]:
    """One agent, `pymoo`."""
    yield SolverAgentSpec(
        name="pymoo",
        target="orkernel_pymoo.agent:PymooAgent",
        supports=(_ALL,),
        guarantee=Guarantee.HEURISTIC,
        options=(
            Option(
                "algorithm",
                default="auto",
                choices=("auto", "nsga2", "nsga3", "ga", "de"),
                help="auto: nsga2 for two objectives, nsga3 from three; de or ga for one.",
            ),
            Option("population", int, default=0, help="Points per generation; 0 chooses."),
            Option("generations", int, default=0, help="Most generations; 0 chooses."),
            Option(
                "equality_tolerance",
                float,
                default=1e-3,
                help="Relative slack of equations during the search; the answer keeps 1e-6.",
            ),
            Option(
                "polish",
                bool,
                default=True,
                help="Refine the best point of each objective by local search.",
            ),
        ),
        check="orkernel_pymoo.health:check",
        requires=("pymoo",),
        install_hint="pip install orkernel-pymoo",
        summary="Pareto fronts and nonconvex or black-box search by evolution; heuristic.",
    )
