"""The kernel's conformance kit for solver agents."""

from orkernel.testing import SolverAgentConformance


class TestConformance(SolverAgentConformance):
    name = "numpy"
