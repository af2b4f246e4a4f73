"""One solve of the code agent with a scripted model, on a model that is small but real."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llm_scripted_model import Answer, ScriptedModel, scripted

from orkernel.context import RunContext
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import Event, Problem
from orkernel.solution import Solution
from orkernel_llm.coding.agent import CodeSolverAgent

Contexts = Callable[..., RunContext]

STATEMENT = "A mill grinds rye and oats. Each sack of rye brings 3 crowns, each of oats 2."

MILL = {
    "sets": [{"name": "GRAIN", "members": ["rye", "oats"]}],
    "parameters": [
        {"name": "price", "index": ["GRAIN"], "value": {"rye": 3, "oats": 2}},
        {"name": "hours", "value": 4},
    ],
    "variables": [{"name": "sacks", "index": ["GRAIN"], "upper": 3}],
    "objectives": [
        {
            "name": "income",
            "sense": "maximize",
            "expression": "sum(price[g] * sacks[g] for g in GRAIN)",
        }
    ],
    "constraints": [{"name": "time", "expression": "sum(sacks[g] for g in GRAIN) <= hours"}],
    "results": [{"name": "sacks in all", "expression": "sum(sacks[g] for g in GRAIN)"}],
}
"""Best: 3 sacks of rye, 1 of oats, 11 crowns."""


def model_of(parts: dict[str, Any] = MILL, **changes: Any) -> Model:
    return Model.bind(Formulation.model_validate({**parts, **changes}))


def fenced(code: str) -> str:
    return f"```python\n{code}\n```"


GOOD = fenced('final_answer({"variables": {"sacks": {"rye": 3, "oats": 1}}})')


class Ran:
    """One solve: what came of it, and what the model was told."""

    def __init__(
        self,
        contexts: Contexts,
        answers: list[Answer],
        model: Model | None = None,
        *,
        statement: str = STATEMENT,
        agent_options: dict[str, Any] | None = None,
        **fields: Any,
    ) -> None:
        name, asked = scripted(answers)
        self.asked: type[ScriptedModel] = asked
        self.events: list[Event] = []
        self.model = model or model_of()
        self.ctx = contexts(name, emit=self.events.append, **fields).with_(
            options=agent_options or {}
        )
        self.error: Exception | None = None
        self.solution: Solution | None = None
        try:
            self.solution = CodeSolverAgent().solve(Problem(statement), self.model, self.ctx)
        except Exception as error:
            self.error = error

    @property
    def answer(self) -> Solution:
        if self.error is not None:
            raise self.error
        assert self.solution is not None
        return self.solution

    def told(self, step: int) -> str:
        """What the model was told after its answer number `step`, from 1."""
        return self.asked.seen[step].messages[-1].text

    @property
    def calls(self) -> int:
        return len(self.asked.seen)


Solve = Callable[..., Ran]
