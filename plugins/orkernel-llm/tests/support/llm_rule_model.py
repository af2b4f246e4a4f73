"""A scripted language model that answers by rules, for `--model llm_rule_model:RuleModel`.

It understands nothing: it looks at the JSON schema that is asked for and at a few marks in the last
message, and gives equal answers to equal requests. It shows that the machinery around a model works
as the kits ask, never that a model is any good.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from orkernel.testing.conformance.samples import STATEMENT

DIMENSIONS = ("parameters", "variables", "objective", "constraints")


class RuleModel:
    """Judges by what the checks and the trial say; ranks agents by the length of their names."""

    def generate(self, messages: Sequence[Any], **settings: Any) -> str:
        """The answer to the last message, in the shape that is asked for."""
        text = "".join(part["text"] for part in messages[-1].content)
        schema = settings.get("response_format", {}).get("json_schema", {}).get("schema", {})
        asked = set(schema.get("properties", ()))
        for fields, answer in ANSWERS:
            if fields <= asked:
                return json.dumps(answer(text, schema))
        return "I have no rule for this."


def judged(text: str, schema: Any) -> Any:
    """A finding for every warning of the checks, and numbers that fall with them."""
    warnings = re.findall(r"^- (?:warning|error): (\w+)", text, re.MULTILINE)[:3]
    findings = [
        {
            "dimension": DIMENSIONS[number],
            "problem": "wrong",
            "element": element,
            "quote": "",
            "text": "the checks complain about it",
            "serious": False,
        }
        for number, element in enumerate(warnings)
    ]
    ended = "optimal" in text.rpartition("How the trial solve ended:")[2]
    score = (90 if ended else 50) - 10 * len(warnings)
    marks = {d: {"explanation": "by rule", "score": score} for d in DIMENSIONS}
    return {"findings": findings, **marks}


def ranked(text: str, schema: Any) -> Any:
    """The agents of the schema, those with the longest names first."""
    names = schema["properties"]["agents"]["items"]["properties"]["name"]["enum"]
    order = sorted(names, key=lambda name: (-len(name), name))
    agents = [{"reason": f"{len(name)} letters", "name": name} for name in order]
    return {"kind": "ruled by letters", "agents": agents}


def formulated(text: str, schema: Any) -> Any:
    """The joiner's problem of the kits if it is there, else a refusal."""
    parts: dict[str, Any] = {name: [] for name in schema["properties"]}
    if STATEMENT not in text:
        return {**parts, "title": "", "refusal": "there is nothing to be decided"}
    quoted = {
        "hours": "there are 40 hours",
        "most": "At most 15 shelves can be sold",
        "earnings": "A stool earns 20 euros and a shelf 30 euros",
        "time": "A stool takes 1 hour and a shelf 2 hours",
    }
    parts["parameters"] = [
        {"name": "hours", "value": 40, "unit": "hour", "quotes": [quoted["hours"]]},
    ]
    parts["variables"] = [
        {"name": name, "domain": "integer", "lower": 0, "upper": None, "quotes": [name]}
        for name in ("stools", "shelves")
    ]
    parts["objectives"] = [
        {
            "name": "earnings",
            "sense": "maximize",
            "expression": "20*stools + 30*shelves",
            "quotes": [quoted["earnings"], "Maximize the earnings"],
        }
    ]
    parts["constraints"] = [
        {
            "name": "time",
            "expression": "stools + 2*shelves <= hours",
            "quotes": [quoted["time"], quoted["hours"]],
        },
        {"name": "demand", "expression": "shelves <= 15", "quotes": [quoted["most"]]},
    ]
    return {**parts, "title": "joiner", "refusal": ""}


ANSWERS: tuple[tuple[set[str], Callable[[str, Any], Any]], ...] = (
    ({"findings", *DIMENSIONS}, judged),
    ({"kind", "agents"}, ranked),
    ({"variables", "objectives", "refusal"}, formulated),
)
"""Fields of a schema and who answers it."""
