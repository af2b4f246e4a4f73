"""OR-Tools solver agent for orkernel: integer, logical and scheduling models, and tours."""

from __future__ import annotations

from collections.abc import Iterator

from orkernel.hookspecs import hookimpl
from orkernel.records import Capability, Guarantee, Option, SolverAgentSpec

_COMBINATORIAL = frozenset(
    {
        Capability.INTEGER,
        Capability.LINEAR,
        Capability.LOGICAL,
        Capability.PIECEWISE,
        Capability.QUADRATIC_OBJECTIVE,
        Capability.QUADRATIC_CONSTRAINT,
        Capability.NONCONVEX,
        Capability.ALL_DIFFERENT,
        Capability.CIRCUIT,
        Capability.MULTI_CIRCUIT,
        Capability.CUMULATIVE,
        Capability.NO_OVERLAP,
        Capability.ELEMENT,
        Capability.TABLE,
        Capability.INVERSE,
    }
)


@hookimpl
def orkernel_solver_agents() -> Iterator[SolverAgentSpec]:
    """One agent, `ortools`."""
    yield SolverAgentSpec(
        name="ortools",
        target="orkernel_ortools.agent:OrtoolsAgent",
        supports=(_COMBINATORIAL,),
        guarantee=Guarantee.GLOBAL,
        options=(
            Option(
                "method",
                default="auto",
                help="cp-sat: exact search; routing: local search for tours, heuristic; "
                "auto: exact, started from a routed tour where the model is one.",
                choices=("auto", "cp-sat", "routing"),
            ),
            Option(
                "workers",
                int,
                default=0,
                help="Parallel workers; 0 means one per core, at least 8.",
            ),
            Option(
                "deterministic",
                bool,
                default=False,
                help="Let workers take turns, so that equal seeds give equal answers on hard "
                "models too; slower.",
            ),
            Option("log", bool, default=False, help="Report CP-SAT's log line by line."),
        ),
        check="orkernel_ortools.health:check",
        requires=("ortools",),
        install_hint="pip install orkernel-ortools",
        summary="Integer, logical and scheduling models exactly by CP-SAT; tours by routing.",
    )
