"""What the model has to say about a formulation, and how its answer is read.

Findings come first and numbers after: a model that has to look for faults before it gives a
number contradicts itself less often than one that gives the number straight away.

Read leniently: `85`, `"85"`, `"85%"`, `"85/100"`, `"17 out of 20"`, a bare number where an object
with an explanation was asked for, numbers within an object `scores`, further fields. Refused: a
missing number, one outside 0–100, NaN, infinities, truth values, anything else.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError, field_validator, model_validator

from orkernel.records import DIMENSIONS
from orkernel_llm.failures import Malformed

MOST_FINDINGS = 12
"""Findings that are asked for and taken over; some models list the same one without end."""
LONGEST = 400
"""Characters of a finding or an explanation that are kept."""
PROBLEMS = ("missing", "wrong", "quote")
"""What can be the matter: something of the statement is not in the formulation, something in it
is not what the statement says, or an element's quote does not support it."""

_FINDING = {
    "type": "object",
    "properties": {
        "dimension": {"type": "string", "enum": list(DIMENSIONS)},
        "problem": {"type": "string", "enum": list(PROBLEMS)},
        "element": {"type": "string"},
        "quote": {"type": "string"},
        "text": {"type": "string"},
        "serious": {"type": "boolean"},
    },
    "required": ["dimension", "problem", "element", "quote", "text", "serious"],
    "additionalProperties": False,
}
_SCORE = {
    "type": "object",
    "properties": {
        "explanation": {"type": "string"},
        "score": {"type": "integer", "minimum": 0, "maximum": 100},
    },
    "required": ["explanation", "score"],
    "additionalProperties": False,
}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "findings": {"type": "array", "items": _FINDING, "maxItems": MOST_FINDINGS},
        **dict.fromkeys(DIMENSIONS, _SCORE),
    },
    "required": ["findings", *DIMENSIONS],
    "additionalProperties": False,
}
"""JSON Schema of the answer; the order of its properties is the order of thought."""

_NUMBER = re.compile(
    r"\s*(?P<value>\d{1,9}(?:\.\d{1,9})?)\s*"
    r"(?:%|percent|points?|(?:/|out of)\s*(?P<of>\d{1,9}(?:\.\d{1,9})?))?\s*\.?\s*",
    re.IGNORECASE,
)
UNLISTED = 80.0
"""Highest score where the model did not list findings, not even an empty list of them."""
_SERIOUS = frozenset({"", "false", "no", "0", "none", "null", "minor", "low", "small"})


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Claim(_Lenient):
    """One fault that the model claims to see.

    Attributes:
        dimension: One of `DIMENSIONS`; None where the model named none that exists.
        problem: One of `PROBLEMS`.
        element: Name of the element; empty where something is missing altogether.
        quote: Words of the statement.
        text: What is the matter.
        serious: True if it may change the answer.
    """

    dimension: str | None = None
    problem: str = "wrong"
    element: str = ""
    quote: str = ""
    text: str = ""
    serious: bool = False

    @model_validator(mode="before")
    @classmethod
    def _bare_text(cls, value: Any) -> Any:
        return {"text": value} if isinstance(value, str) else value

    @field_validator("dimension", mode="before")
    @classmethod
    def _known_dimension(cls, value: Any) -> str | None:
        return _dimension(value) if isinstance(value, str) else None

    @field_validator("problem", mode="before")
    @classmethod
    def _known_problem(cls, value: Any) -> str:
        found = value.strip().lower() if isinstance(value, str) else ""
        return found if found in PROBLEMS else "wrong"

    @field_validator("element", "quote", "text", mode="before")
    @classmethod
    def _short(cls, value: Any) -> str:
        return "" if value is None else one_line(str(value))

    @field_validator("serious", mode="before")
    @classmethod
    def _truth(cls, value: Any) -> bool:
        """What is not plainly a no counts as a yes: that can only lower the confidence."""
        return str(value).strip().lower() not in _SERIOUS


class Mark(_Lenient):
    """A number and why."""

    score: float
    explanation: str = ""

    @model_validator(mode="before")
    @classmethod
    def _bare_number(cls, value: Any) -> Any:
        if not isinstance(value, dict):
            return {"score": value}
        number = next((value[k] for k in ("score", "value", "confidence") if k in value), None)
        return {**value, "score": number}

    @field_validator("score", mode="before")
    @classmethod
    def _number(cls, value: Any) -> float:
        return read_score(value)

    @field_validator("explanation", mode="before")
    @classmethod
    def _said(cls, value: Any) -> str:
        return "" if value is None else one_line(str(value))


class Judgement(_Lenient):
    """Findings, and a number for each dimension."""

    findings: tuple[Claim, ...]
    parameters: Mark
    variables: Mark
    objective: Mark
    constraints: Mark

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, value: Any) -> Any:
        """Dimensions by their names, however they are written, also within `scores`."""
        if not isinstance(value, dict):
            return value
        inner = value.get("scores")
        given = {**(inner if isinstance(inner, dict) else {}), **value}
        found = {d: v for k, v in given.items() if (d := _dimension(k)) is not None}
        return {**found, "findings": given.get("findings")}

    @field_validator("findings", mode="before")
    @classmethod
    def _listed(cls, value: Any) -> Any:
        if value is None:
            return []
        if not isinstance(value, list):
            raise ValueError("they are no list")
        return [item for item in value if item not in ("", {}, None)][:MOST_FINDINGS]

    def mark(self, dimension: str) -> Mark:
        """The number of one dimension."""
        found: Mark = getattr(self, dimension)
        return found


def read_judgement(value: Any, text: str, model: str = "") -> Judgement:
    """Read the model's answer.

    Args:
        value: The JSON value in it.
        text: The answer as it came, for the message.
        model: Name of the model, for the message.

    Raises:
        Malformed: A number is missing, is none, or lies outside 0–100.
    """
    try:
        found = Judgement.model_validate(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the answer"
        message = one_line(first["msg"]).removeprefix("Value error, ")
        raise Malformed(
            text, f"{place}: {message}", model=model, fix="take a model that follows a JSON schema"
        ) from error
    return found if value.get("findings") is not None else _unlisted(found)


def _unlisted(found: Judgement) -> Judgement:
    """A judgement without the list of findings: nobody looked for faults, so no score is high."""
    capped = {
        dimension: Mark(
            score=min(mark.score, UNLISTED),
            explanation=one_line(f"{mark.explanation} (no findings were listed)"),
        )
        for dimension in DIMENSIONS
        if (mark := found.mark(dimension))
    }
    return found.model_copy(update=capped)


def read_score(value: Any) -> float:
    """A score from 0 to 100, from a number or a text such as `85%` or `85/100`.

    Raises:
        ValueError: It is none.
    """
    if isinstance(value, str):
        match = _NUMBER.fullmatch(value)
        if match is None:
            raise ValueError(f"{value[:40]!r} is no score from 0 to 100")
        of = float(match["of"] or 100)
        if of == 0:
            raise ValueError(f"{value[:40]!r} is no score from 0 to 100")
        number = float(match["value"]) * 100 / of
    elif isinstance(value, int | float) and not isinstance(value, bool):
        number = float(value) if abs(value) < 1e9 else math.inf
    else:
        raise ValueError(f"{str(value)[:40]!r} is no score from 0 to 100")
    if not 0.0 <= number <= 100.0:
        raise ValueError(f"{number:g} does not lie between 0 and 100")
    return number


def one_line(text: str) -> str:
    """A text without line breaks and control characters, cut where it is long."""
    printable = "".join(c if c.isprintable() else " " for c in text[: 4 * LONGEST])
    line = " ".join(printable.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _dimension(name: Any) -> str | None:
    """The dimension that a name means, in either number; None if it means none."""
    word = str(name).strip().lower()
    return next((d for d in DIMENSIONS if word.rstrip("s") == d.rstrip("s")), None)
