"""A language model that programs by rules, for `--model llm_programming_model:Programming`.

It reads the formulation out of the prompt as a model would, has the kernel's reference agent solve
it, and writes a program that hands the values over; for data that is too large for the prompt it
writes one that never ends. It shows that everything around the programs works: the prompt holds
what is needed, values arrive, the check judges them, programs are stopped in time.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Sequence
from typing import Any

from orkernel.context import RunContext
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Problem
from orkernel.solution import Status
from orkernel.testing.reference_agent import ReferenceAgent

SECONDS = 5.0
"""Longest time that it thinks."""


class Programming:
    """Writes one program, or says in words that it cannot."""

    def generate(self, messages: Sequence[Any], **settings: Any) -> str:
        """A program for the formulation in the prompt."""
        text = messages[1].content[0]["text"]
        found = re.search(
            r"^The formulation, as JSON:\n(.*)\n\nDefined in Python", text, re.S | re.M
        )
        assert found is not None
        if "use the Python variable" in found[1]:
            return "```python\nwhile True:\n    pass\n```"
        parts = json.loads(found[1])
        assumed = [{"text": text} for text in parts.pop("assumptions", [])]
        model = Model.bind(Formulation.model_validate({**parts, "assumptions": assumed}))
        ctx = RunContext(deadline=time.monotonic() + SECONDS)
        solution = ReferenceAgent().solve(Problem(""), model, ctx)
        if solution.status is Status.INFEASIBLE:
            return _program({"infeasible": "the reference agent says so"})
        if solution.values is None:
            return "I found nothing."
        return _program({"variables": model.values(solution.values)})


def _program(answer: dict[str, Any]) -> str:
    return f"Here it is:\n```python\nanswer = {answer!r}\nfinal_answer(answer)\n```"
