"""The conformance kit of solver agents."""

from __future__ import annotations

from orkernel.errors import Unsupported
from orkernel.testing.conformance.base import Conformance, Item, Subject
from orkernel.testing.conformance.solver_agents.asking import ask, require_refusal_is_honest

HOME = "orkernel.testing.conformance.solver_agents"
THEMES = ("record", "answers", "endings", "surroundings", "evidence", "fronts")


class SolverAgentConformance(
    Conformance, kind="solver_agents", modules=tuple(f"{HOME}.{theme}" for theme in THEMES)
):
    """What a solver agent must do, judged by the kernel's check and never by its own word.

    A problem outside the capability sets of its record must be refused with `Unsupported`.
    """

    @classmethod
    def must_refuse(cls, subject: Subject, item: Item) -> None:
        """Check that the agent raises Unsupported instead of dropping what it cannot take.

        Raises:
            AssertionError: It answers.
        """
        try:
            solution = ask(subject, item.case.model())
        except Unsupported:
            return
        require_refusal_is_honest(solution)
