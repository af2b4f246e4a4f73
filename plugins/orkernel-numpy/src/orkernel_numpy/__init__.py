"""General solver agent for orkernel: enumeration, convex cuts, search and simulation."""

from __future__ import annotations

from collections.abc import Iterator

from orkernel.hookspecs import hookimpl
from orkernel.records import Capability, Guarantee, Option, SolverAgentSpec

_FINITE = frozenset(Capability) - {
    Capability.CONTINUOUS,
    Capability.RANDOM,
    Capability.MULTI_OBJECTIVE,
}
_FRONT = _FINITE | {Capability.MULTI_OBJECTIVE}
_GENERAL = _FINITE | {Capability.CONTINUOUS}
_RANDOM = _GENERAL | {Capability.RANDOM}


@hookimpl
def orkernel_solver_agents() -> Iterator[SolverAgentSpec]:
    """One agent, `numpy`."""
    yield SolverAgentSpec(
        name="numpy",
        target="orkernel_numpy.agent:NumpyAgent",
        supports=(_FINITE, _FRONT, _GENERAL, _RANDOM),
        guarantee=Guarantee.GLOBAL,
        guarantees=(
            Guarantee.GLOBAL,
            Guarantee.GLOBAL,
            Guarantee.HEURISTIC,
            Guarantee.SAMPLED,
        ),
        options=(
            Option(
                "points",
                int,
                default=20_000_000,
                help="Most points to enumerate; with random parameters 1/1024 of it.",
            ),
            Option("starts", int, default=8, help="Starting points of the local search."),
            Option("level", float, default=0.95, help="Confidence level of simulated figures."),
            Option("samples", int, default=16_384, help="Scenarios behind simulated figures."),
            Option(
                "half_width",
                default="",
                help="Wanted half-width of the intervals of objectives and results: 0.5, or 1%.",
            ),
            Option(
                "samples_limit",
                int,
                default=1_000_000,
                help="Most scenarios spent on a wanted half-width.",
            ),
        ),
        check="orkernel_numpy.health:check",
        requires=("numpy", "scipy"),
        install_hint="pip install orkernel-numpy",
        summary="Small finite models by enumeration, convex and black-box ones by SciPy, "
        "random ones by simulation.",
    )
