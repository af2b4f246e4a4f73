"""What a model would say about the kites: a first try with two faults, then a right one.

These answers are written by us. `generate_refinement.py --record` plays them once through the real
pipeline, whose recorder writes `recordings/kites/calls/`; the page is then made by
replaying that recording.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Sequence
from typing import Any

STATEMENT = """\
A kite maker sews red kites and blue kites. A red kite takes 2 m of silk, a blue kite 3 m; 60 m of
silk are in stock. At most 15 blue kites can be sold. A red kite brings 4 coins and a blue kite
brings 7 coins. How many of each should be sewn to earn the most coins?
"""

RIGHT: dict[str, Any] = {
    "refusal": "",
    "title": "Kites of silk",
    "sets": [{"name": "KITE", "members": ["red", "blue"], "quotes": ["red kites and blue kites"]}],
    "parameters": [
        {
            "name": "silk",
            "index": ["KITE"],
            "value": [2, 3],
            "unit": "m",
            "quotes": ["A red kite takes 2 m of silk, a blue kite 3 m"],
        },
        {
            "name": "stock",
            "index": [],
            "value": 60,
            "unit": "m",
            "quotes": ["60 m of\nsilk are in stock"],
        },
        {"name": "blue_most", "index": [], "value": 15, "quotes": ["At most 15 blue kites"]},
        {
            "name": "coins",
            "index": ["KITE"],
            "value": [4, 7],
            "quotes": ["A red kite brings 4 coins and a blue kite\nbrings 7 coins"],
        },
    ],
    "variables": [
        {"name": "sewn", "index": ["KITE"], "domain": "integer", "quotes": ["How many of each"]}
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
            "name": "silk used",
            "for_each": "",
            "expression": "sum(silk[k]*sewn[k] for k in KITE) <= stock",
            "quotes": ["60 m of\nsilk are in stock"],
        },
        {
            "name": "blue kites sold",
            "for_each": "",
            "expression": 'sewn["blue"] <= blue_most',
            "quotes": ["At most 15 blue kites can be sold"],
        },
    ],
    "results": [],
    "assumptions": [],
}


def _faulty() -> dict[str, Any]:
    """Without the limit on blue kites, and with 50 m of silk instead of 60."""
    found = copy.deepcopy(RIGHT)
    found["constraints"] = found["constraints"][:1]
    found["parameters"] = [p for p in found["parameters"] if p["name"] != "blue_most"]
    found["parameters"][1]["value"] = 50
    return found


def _again() -> dict[str, Any]:
    """The right one once more, written in another way."""
    text = json.dumps(RIGHT).replace("income", "coins_earned").replace("sewn", "made")
    found: dict[str, Any] = json.loads(text.replace("to be made", "to be sewn"))
    return found


def _judged(score: int, findings: Sequence[dict[str, Any]] = ()) -> str:
    why = "something is open" if findings else "compared with the statement word by word"
    dimensions = ("parameters", "variables", "objective", "constraints")
    marks = {d: {"explanation": why, "score": score} for d in dimensions}
    return json.dumps({"findings": list(findings), **marks})


FINDING = {
    "dimension": "constraints",
    "problem": "missing",
    "element": "",
    "quote": "At most 15 blue kites can be sold",
    "text": 'The limit on blue kites is missing: add sewn["blue"] <= 15.',
    "serious": True,
}
ANSWERS = [
    json.dumps(_faulty()),
    _judged(90, [FINDING]),
    json.dumps(RIGHT),
    _judged(96),
    json.dumps(_again()),
    _judged(95),
]
"""In the order in which the pipeline asks."""


class Storyteller:
    """Gives `ANSWERS` one after the other; for `--model refinement_story:Storyteller`."""

    def __init__(self) -> None:
        self._left = list(ANSWERS)

    def generate(self, messages: object, **settings: object) -> str:
        """The next answer, whatever is asked."""
        del messages, settings
        return self._left.pop(0)
