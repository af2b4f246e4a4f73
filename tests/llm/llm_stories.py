"""Statements of our own with what a language model would say at each stage; all scripted."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from llm_scripted_server import Behaviour, Seen, answer

DIMENSIONS = ("parameters", "variables", "objective", "constraints")
STAGES = {
    "You turn a problem statement": "formulate",
    "You mend a mathematical": "repair",
    "You audit mathematical": "evaluate",
    "You choose which solver": "classify",
    "You read a problem statement before": "clarify",
}

KITES = (
    "A kite maker sews red kites and blue kites. A red kite takes 2 m of silk, a blue kite 3 m; "
    "60 m of silk are in stock. At most 15 blue kites can be sold. A red kite brings 4 coins and a "
    "blue kite brings 7 coins. How many of each should be sewn to earn the most coins?"
)
KITES_OPTIMUM = 134.0
"""9 red and 14 blue kites: blue ones earn 7/3 a metre, red ones 2, and 14·3 + 9·2 = 60."""
KITES_ANSWER: dict[str, Any] = {
    "refusal": "",
    "title": "Kites",
    "sets": [{"name": "KITE", "members": ["red", "blue"], "quotes": ["red kites and blue kites"]}],
    "parameters": [
        {
            "name": "silk",
            "index": ["KITE"],
            "value": [2, 3],
            "quotes": ["A red kite takes 2 m of silk, a blue kite 3 m"],
        },
        {"name": "stock", "index": [], "value": 60, "quotes": ["60 m of silk are in stock"]},
        {"name": "blue_most", "index": [], "value": 15, "quotes": ["At most 15 blue kites"]},
        {
            "name": "coins",
            "index": ["KITE"],
            "value": [4, 7],
            "quotes": ["A red kite brings 4 coins and a blue kite brings 7 coins"],
        },
    ],
    "variables": [
        {
            "name": "sewn",
            "index": ["KITE"],
            "domain": "integer",
            "lower": None,
            "upper": None,
            "quotes": ["How many of each should be sewn"],
        }
    ],
    "objectives": [
        {
            "name": "income",
            "sense": "maximize",
            "expression": "sum(coins[k]*sewn[k] for k in KITE)",
            "priority": 1,
            "quotes": ["to earn the most coins"],
        }
    ],
    "constraints": [
        {
            "name": "silk",
            "for_each": "",
            "expression": "sum(silk[k]*sewn[k] for k in KITE) <= stock",
            "quotes": ["60 m of silk are in stock"],
        },
        {
            "name": "sale of blue kites",
            "for_each": "",
            "expression": 'sewn["blue"] <= blue_most',
            "quotes": ["At most 15 blue kites can be sold"],
        },
    ],
    "results": [],
    "assumptions": [],
}


def changed(answer: Mapping[str, Any], **parts: Any) -> dict[str, Any]:
    """A copy of a formulation with other parts."""
    return {**copy.deepcopy(dict(answer)), **parts}


def judgement(score: float = 95, findings: Sequence[Mapping[str, Any]] = ()) -> str:
    """What a scoring model says."""
    marks = {d: {"explanation": "compared word by word", "score": score} for d in DIMENSIONS}
    return json.dumps({"findings": list(findings), **marks})


def stage_of(system: str) -> str:
    """Which stage a system prompt belongs to."""
    return next(stage for words, stage in STAGES.items() if system.startswith(words))


def system_of(seen: Seen) -> str:
    content = seen.body["messages"][0]["content"]
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def player(
    formulations: Sequence[str | Behaviour], scores: Sequence[str | Behaviour] = ()
) -> Callable[[Seen], Behaviour]:
    """A server's script: formulations in order, the last one for ever; likewise scores."""
    given = {"formulate": list(formulations), "evaluate": list(scores) or [judgement()]}
    given["repair"] = given["formulate"]

    def play(seen: Seen) -> Behaviour:
        queue = given[stage_of(system_of(seen))]
        said = queue.pop(0) if len(queue) > 1 else queue[0]
        return answer(said) if isinstance(said, str) else said

    return play
