from orkernel.testing import SolverAgentConformance


class TestOrtools(SolverAgentConformance):
    name = "ortools"
