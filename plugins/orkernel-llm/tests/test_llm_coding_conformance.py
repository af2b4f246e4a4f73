"""The code agent does what solver agents must do, with a model that programs by rules."""

from orkernel.testing import SolverAgentConformance

NO_CLAIM = (
    "it raises: that a program calls a model infeasible is told as an error, not as an answer"
)


class TestCode(SolverAgentConformance):
    name = "code"
    language_model = "llm_programming_model:Programming"
    expected_failures = {  # noqa: RUF012
        f"test_certificates_prove_their_claim[{case}]": NO_CLAIM
        for case in (
            "infeasible_rows",
            "infeasible_bound_and_row",
            "infeasible_open_direction",
        )
    }
