"""The record of the reference agent."""

from __future__ import annotations

from orkernel.records import Capability, Guarantee, SolverAgentSpec

LINEARIZABLE = frozenset(
    {
        Capability.CONTINUOUS,
        Capability.INTEGER,
        Capability.LINEAR,
        Capability.LOGICAL,
        Capability.PIECEWISE,
    }
)
"""Solved by branch and bound."""
CERTAIN = frozenset(Capability) - {Capability.RANDOM, Capability.MULTI_OBJECTIVE}
WHOLE = CERTAIN - {Capability.CONTINUOUS}
"""Solved by enumeration."""


def reference_record(
    target: str = "orkernel.testing.reference_agent:ReferenceAgent",
) -> SolverAgentSpec:
    """The record; `target` replaces the object, e.g. by a mutant of it."""
    return SolverAgentSpec(
        name="reference",
        target=target,
        supports=(
            LINEARIZABLE,
            WHOLE,
            CERTAIN,
            CERTAIN | {Capability.RANDOM},
            LINEARIZABLE | {Capability.MULTI_OBJECTIVE},
            frozenset(Capability),
        ),
        guarantee=Guarantee.GLOBAL,
        guarantees=(
            Guarantee.GLOBAL,
            Guarantee.GLOBAL,
            Guarantee.LOCAL,
            Guarantee.SAMPLED,
            Guarantee.GLOBAL,
            Guarantee.SAMPLED,
        ),
        requires=("scipy.optimize",),
        summary="Branch and bound on linprog, enumeration, multi-start local search.",
    )
