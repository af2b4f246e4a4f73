from orkernel.testing import SolverAgentConformance


class TestPymoo(SolverAgentConformance):
    name = "pymoo"
    options = {"generations": "40", "population": "40"}  # noqa: RUF012
