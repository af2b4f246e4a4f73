"""What the kits hand to plugins: a small problem, its formulation, candidates, odd texts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from orkernel.formulation.provenance import locate
from orkernel.formulation.schema import Formulation
from orkernel.model import Model
from orkernel.records import DIMENSIONS, Candidate, Evaluation, Problem, Score

STATEMENT = (
    "A joiner makes stools and shelves. A stool earns 20 euros and a shelf 30 euros. A stool takes "
    "1 hour and a shelf 2 hours, and there are 40 hours. At most 15 shelves can be sold. "
    "Maximize the earnings."
)

ODD_TEXTS = {
    "empty": "",
    "blank": " \n\t  \n",
    "word": "xyzzy",
    "gibberish": "Qwrt plgh zzyx, the vrmp of grbl; fnord!",
    "html": "<script>alert(1)</script><img src=x onerror=alert(2)><b>zxq</b>",
    "braces": "{{{ }}} {0} {self.__class__} ${HOME} %s %n {% raw %}",
    "code": "__import__('os').system('true'); eval(\"1\")",
    "null bytes": "zx\x00qv\x00\x00",
    "control": "\x01\x02\x03\x1b[31m\x7f\x80\x9f",
    "binary": "".join(chr(c) for c in range(128, 256)) * 8,
    "letters of many scripts": "Ωß漢字 עברית \u202e\u200b🙂\u0301 \ufeff",
    "half characters": "zq \ud800 \udfff",
    "brackets": "(" * 5_000,
    "long word": "z" * 100_000,
    "many lines": "zq\n" * 20_000,
}
"""Texts in which there is no problem to be read, by name."""


def problem() -> Problem:
    """The joiner's problem."""
    return Problem(STATEMENT, "joiner")


def formulation(**changes: Any) -> Formulation:
    """The joiner's formulation: optimum 800 at 40 stools.

    Args:
        changes: Fields to replace.
    """
    fields: dict[str, Any] = {
        "title": "joiner",
        "statement": STATEMENT,
        "parameters": [{"name": "hours", "value": 40, "sources": [{"quote": "40 hours"}]}],
        "variables": [
            {"name": "stools", "sources": [{"quote": "stools"}]},
            {"name": "shelves", "sources": [{"quote": "shelves"}]},
        ],
        "objectives": [
            {
                "name": "earnings",
                "sense": "maximize",
                "expression": "20*stools + 30*shelves",
                "sources": [{"quote": "Maximize the earnings"}],
            }
        ],
        "constraints": [
            {
                "name": "time",
                "expression": "stools + 2*shelves <= hours",
                "sources": [{"quote": "A stool takes 1 hour and a shelf 2 hours"}],
            },
            {
                "name": "demand",
                "expression": "shelves <= 15",
                "sources": [{"quote": "At most 15 shelves can be sold"}],
            },
        ],
    }
    return locate(Formulation.model_validate({**fields, **changes}), STATEMENT)


def models() -> dict[str, Model]:
    """Models of several kinds, by name."""
    integers = [{"name": "stools", "domain": "integer"}, {"name": "shelves", "domain": "integer"}]
    product = [{"name": "g", "sense": "minimize", "expression": "exp(stools) - shelves"}]
    ordered = [
        {"name": "g", "sense": "maximize", "expression": "stools", "priority": 1},
        {"name": "h", "sense": "maximize", "expression": "shelves", "priority": 2},
    ]
    front = [{**goal, "priority": 1} for goal in ordered]
    logic = [{"name": "either", "expression": "stools <= 3 or shelves <= 3"}]
    return {
        "LP": Model.bind(formulation()),
        "MIP": Model.bind(formulation(variables=integers)),
        "NLP": Model.bind(formulation(objectives=product)),
        "ordered": Model.bind(formulation(objectives=ordered)),
        "front": Model.bind(formulation(objectives=front)),
        "logic": Model.bind(formulation(variables=integers, constraints=logic)),
    }


def candidate(
    index: int, scores: Sequence[Sequence[float]] = (), refused: str = "", **changes: Any
) -> Candidate:
    """A candidate with the joiner's formulation.

    Args:
        index: Its index.
        scores: Per scorer the four scores, in the order of `DIMENSIONS`.
        refused: Why it cannot be selected.
        changes: Further fields.
    """
    evaluations = tuple(
        Evaluation(
            f"scorer{number}",
            {d: Score(v, "as drawn") for d, v in zip(DIMENSIONS, values, strict=True)},
        )
        for number, values in enumerate(scores)
    )
    own = formulation(title=f"candidate {index}") if not refused else None
    fields = {"formulation": own, "evaluations": evaluations, "refused": refused, **changes}
    return Candidate(index, **fields)


def pool(random_source: random.Random, *, coarse: bool = False) -> list[Candidate]:
    """Up to seven candidates with drawn scores, at least one of them not refused.

    Args:
        random_source: Where they are drawn from.
        coarse: Few different scores, so that many candidates are equal in part.
    """
    size = random_source.randint(1, 7)
    usable = random_source.randrange(size)
    scorers = random_source.randint(1, 2)

    def drawn() -> float:
        return float(random_source.choice((0, 50, 100))) if coarse else random_source.random() * 100

    return [
        candidate(
            index,
            [[drawn() for _ in DIMENSIONS] for _ in range(scorers)],
            "a check failed" if index != usable and random_source.random() < 0.3 else "",
        )
        for index in range(size)
    ]
