"""Pyomo solver agent for orkernel: a second opinion on LP, MIP and QP, and all of NLP."""

from __future__ import annotations

from collections.abc import Iterator

from orkernel.hookspecs import hookimpl
from orkernel.records import Capability, Guarantee, Option, SolverAgentSpec

_LINEAR = frozenset({Capability.CONTINUOUS, Capability.LINEAR})
_MIP = _LINEAR | {Capability.INTEGER, Capability.LOGICAL, Capability.PIECEWISE}
_MINLP = _MIP | {
    Capability.QUADRATIC_OBJECTIVE,
    Capability.QUADRATIC_CONSTRAINT,
    Capability.NONCONVEX,
    Capability.NONLINEAR,
}


@hookimpl
def orkernel_solver_agents() -> Iterator[SolverAgentSpec]:
    """One agent, `pyomo`."""
    yield SolverAgentSpec(
        name="pyomo",
        target="orkernel_pyomo.agent:PyomoAgent",
        supports=(_MIP, _MINLP),
        guarantee=Guarantee.GLOBAL,
        guarantees=(Guarantee.GLOBAL, Guarantee.GLOBAL),
        exports=frozenset({"lp", "mps", "nl"}),
        options=(
            Option(
                "solver",
                default="auto",
                help="glpk, highs, scip, ipopt, bonmin, or another that Pyomo finds installed.",
            ),
            Option(
                "starts",
                int,
                default=4,
                help="Starting points tried on a nonconvex model, the given one first.",
            ),
            Option(
                "memory_mb",
                int,
                default=0,
                help="MiB that the solver's process may use; 0 for no limit.",
            ),
            Option("log", bool, default=True, help="Report the solver's log line by line."),
        ),
        check="orkernel_pyomo.health:check",
        requires=("pyomo", "casadi", "pyscipopt"),
        install_hint="pip install orkernel-pyomo",
        summary="Linear, integer and nonlinear programs through Pyomo: GLPK, HiGHS, SCIP, Ipopt.",
    )
