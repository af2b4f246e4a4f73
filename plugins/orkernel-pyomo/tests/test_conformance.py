from orkernel.testing import SolverAgentConformance


class TestConformance(SolverAgentConformance):
    name = "pyomo"
