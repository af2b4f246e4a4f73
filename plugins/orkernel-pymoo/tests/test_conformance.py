"""The agent keeps the contract of solver agents."""

from orkernel.testing.conformance.solver_agents import SolverAgentConformance


class TestConformance(SolverAgentConformance):
    name = "pymoo"
    options = {"generations": "60", "population": "40"}  # noqa: RUF012
