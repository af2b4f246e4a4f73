"""HiGHS solver agent for orkernel: LP, MIP and convex QP straight from arrays."""

from __future__ import annotations

from collections.abc import Iterator

from orkernel.hookspecs import hookimpl
from orkernel.records import Capability, Guarantee, Option, SolverAgentSpec

_LP = frozenset({Capability.CONTINUOUS, Capability.LINEAR})
_MIP = _LP | {Capability.INTEGER, Capability.LOGICAL, Capability.PIECEWISE}
_QP = _LP | {Capability.QUADRATIC_OBJECTIVE}


@hookimpl
def orkernel_solver_agents() -> Iterator[SolverAgentSpec]:
    """One agent, `highs`."""
    yield SolverAgentSpec(
        name="highs",
        target="orkernel_highs.agent:HighsAgent",
        supports=(_LP, _MIP, _QP),
        guarantee=Guarantee.GLOBAL,
        exports=frozenset({"lp", "mps"}),
        options=(
            Option("threads", int, default=0, help="Threads to use; 0 lets HiGHS choose."),
            Option(
                "presolve",
                default="choose",
                choices=("choose", "on", "off"),
                help="Simplify the model before solving it.",
            ),
            Option(
                "method",
                default="choose",
                choices=("choose", "simplex", "ipm", "pdlp"),
                help="Algorithm for linear programs.",
            ),
            Option("log", bool, default=True, help="Report the solver's log line by line."),
            Option(
                "ranges",
                default="auto",
                choices=("auto", "on", "off"),
                help="Sensitivity ranges of a linear program; auto: up to 5,000 rows and columns.",
            ),
            Option(
                "iis",
                bool,
                default=True,
                help="Look for an irreducible infeasible subset of an infeasible linear program.",
            ),
        ),
        check="orkernel_highs.health:check",
        requires=("highspy",),
        install_hint="pip install orkernel-highs",
        summary="Linear, mixed-integer and convex quadratic programs, solved to global optimality.",
    )
