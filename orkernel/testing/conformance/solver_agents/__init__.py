"""The conformance kit of solver agents."""

from __future__ import annotations

from orkernel.testing.conformance.base import Conformance

HOME = "orkernel.testing.conformance.solver_agents"


class SolverAgentConformance(Conformance, kind="solver_agents", modules=(f"{HOME}.record",)):
    """What a solver agent must do."""
