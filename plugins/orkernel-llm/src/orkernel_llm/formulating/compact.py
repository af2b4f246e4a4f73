"""The compact form: what a language model writes instead of a `Formulation`.

One flat object, standard names, one field `quotes` per element. Reading is tolerant where nothing
can be misunderstood (a quote that is no list, a number written as "1,200", unknown fields) and
strict elsewhere. The JSON Schema that servers are given is stricter than what is read: every field
is required and no other is allowed, as constrained decoding wants it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, StrictFloat, StrictInt

from orkernel.formulation.misfits import WORDS_FOR

Number = StrictInt | StrictFloat
Numbers = Number | list[Number] | list[list[Number]] | list[list[list[Number]]]
_NUMBER = re.compile(r"[-+]?(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)?(?:[eE][-+]?\d+)?")


def number_of(value: Any) -> Any:
    """The number that a text writes, e.g. `"1,200"`; anything else as it is."""
    if not isinstance(value, str):
        return value
    text = value.strip().lstrip("$€£").replace("−", "-").replace("\u00a0", "").strip()
    if not text or not _NUMBER.fullmatch(text) or not any(c.isdigit() for c in text):
        return value
    found = float(text.replace(",", ""))
    if not math.isfinite(found):
        return value
    is_whole = "." not in text and "e" not in text.lower()
    return int(text.replace(",", "")) if is_whole else found


def numbers_of(value: Any) -> Any:
    """The same for everything within lists and objects."""
    if isinstance(value, list):
        return [numbers_of(item) for item in value]
    if isinstance(value, Mapping):
        return {str(key): numbers_of(item) for key, item in value.items()}
    return number_of(value)


def _texts(value: Any) -> Any:
    if value is None or value == "":
        return []
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [v.get("quote", v) if isinstance(v, Mapping) else v for v in value if v]
    return value


def _text(value: Any) -> Any:
    return "" if value is None else value


def _list(value: Any) -> Any:
    if value is None:
        return []
    return [value] if isinstance(value, str | Mapping) else value


def _word(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    word = value.strip().lower()
    return WORDS_FOR.get(word, word)


def _nothing(value: Any) -> Any:
    """None for the words that models write where there is nothing."""
    empty = isinstance(value, str) and value.strip().lower() in ("", "null", "none", "n/a")
    return None if empty or value in ([], {}) else value


def _domain(value: Any) -> Any:
    return "continuous" if value is None else _word(value)


Text = Annotated[str, BeforeValidator(_text)]
Quotes = Annotated[list[str], BeforeValidator(_texts)]
Names = Annotated[list[str], BeforeValidator(_list)]
Bound = Annotated[Number | str | None, BeforeValidator(lambda v: number_of(_nothing(v)))]


class Part(BaseModel):
    """Base of all parts; unknown fields are left out."""

    model_config = ConfigDict(extra="ignore")


class CompactTable(Part):
    """Columns of a CSV file: those that hold the members, and the one that holds the value."""

    file: str
    index: Names
    value: Text = ""


TableOrNone = Annotated[CompactTable | None, BeforeValidator(_nothing)]


class CompactSet(Part):
    """An index set: `members`, a `range` of whole numbers [first, last], or a `table`."""

    name: str
    members: Annotated[list[StrictInt | str | list[StrictInt | str]], BeforeValidator(_list)] = []
    range: Annotated[list[StrictInt] | None, BeforeValidator(lambda v: numbers_of(_nothing(v)))] = (
        None
    )
    table: TableOrNone = None
    quotes: Quotes = []


class CompactParameter(Part):
    """Data: `value`, a `table`, or a `distribution` such as `normal(mean=50, std=8)`."""

    name: str
    index: Names = []
    value: Annotated[
        Numbers | dict[str, Any] | None, BeforeValidator(lambda v: numbers_of(_nothing(v)))
    ] = None
    table: TableOrNone = None
    distribution: Text = ""
    unit: Text = ""
    quotes: Quotes = []


class CompactVariable(Part):
    """A decision; `lower` null means 0, "-inf" means none; `upper` null means none."""

    name: str
    index: Names = []
    domain: Annotated[Literal["continuous", "integer", "binary"], BeforeValidator(_domain)] = (
        "continuous"
    )
    lower: Bound = None
    upper: Bound = None
    unit: Text = ""
    quotes: Quotes = []


class CompactObjective(Part):
    """What to minimize or maximize; priority 1 comes first."""

    name: str
    sense: Annotated[Literal["minimize", "maximize"], BeforeValidator(_word)]
    expression: str
    priority: Annotated[StrictInt, BeforeValidator(lambda v: 1 if v is None else number_of(v))] = 1
    unit: Text = ""
    quotes: Quotes = []


class CompactConstraint(Part):
    """A comparison, repeated for each member that `for_each` names."""

    name: str
    for_each: Text = ""
    expression: str
    quotes: Quotes = []


class CompactResult(Part):
    """A figure that the statement asks for besides the objective."""

    name: str
    for_each: Text = ""
    expression: str
    unit: Text = ""
    quotes: Quotes = []


class CompactAssumption(Part):
    """What the statement does not say, and the elements it touches."""

    text: str
    affects: Names = []


def _assumptions(value: Any) -> Any:
    found = _list(value)
    if not isinstance(found, list):
        return value
    return [{"text": v} if isinstance(v, str) else v for v in found]


Parts = BeforeValidator(_list)


class Compact(Part):
    """A whole formulation, or the reason why there is none in `refusal`."""

    refusal: Text = ""
    title: Text = ""
    sets: Annotated[list[CompactSet], Parts] = []
    parameters: Annotated[list[CompactParameter], Parts] = []
    variables: Annotated[list[CompactVariable], Parts] = []
    objectives: Annotated[list[CompactObjective], Parts] = []
    constraints: Annotated[list[CompactConstraint], Parts] = []
    results: Annotated[list[CompactResult], Parts] = []
    assumptions: Annotated[list[CompactAssumption], BeforeValidator(_assumptions)] = []


# ------------------------------------------------------------------ the schema for servers

_NAME = {"type": "string"}
_NUMBER_LEVELS = [
    {"type": "number"},
    {"type": "array", "items": {"type": "number"}},
    {"type": "array", "items": {"type": "array", "items": {"type": "number"}}},
]
_TEXTS = {"type": "array", "items": {"type": "string"}}
_BOUND = {"anyOf": [{"type": "number"}, {"type": "string"}, {"type": "null"}]}


def _object(**properties: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _list_of(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(**properties)}


_TABLE = {"anyOf": [{"type": "null"}, _object(file=_NAME, index=_TEXTS, value=_NAME)]}

SCHEMA: dict[str, Any] = _object(
    refusal=_NAME,
    title=_NAME,
    sets=_list_of(
        name=_NAME,
        members=_TEXTS,
        range={"anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "integer"}}]},
        table=_TABLE,
        quotes=_TEXTS,
    ),
    parameters=_list_of(
        name=_NAME,
        index=_TEXTS,
        value={"anyOf": [{"type": "null"}, *_NUMBER_LEVELS]},
        table=_TABLE,
        distribution=_NAME,
        unit=_NAME,
        quotes=_TEXTS,
    ),
    variables=_list_of(
        name=_NAME,
        index=_TEXTS,
        domain={"type": "string", "enum": ["continuous", "integer", "binary"]},
        lower=_BOUND,
        upper=_BOUND,
        unit=_NAME,
        quotes=_TEXTS,
    ),
    objectives=_list_of(
        name=_NAME,
        sense={"type": "string", "enum": ["minimize", "maximize"]},
        expression=_NAME,
        priority={"type": "integer"},
        unit=_NAME,
        quotes=_TEXTS,
    ),
    constraints=_list_of(name=_NAME, for_each=_NAME, expression=_NAME, quotes=_TEXTS),
    results=_list_of(name=_NAME, for_each=_NAME, expression=_NAME, unit=_NAME, quotes=_TEXTS),
    assumptions=_list_of(text=_NAME, affects=_TEXTS),
)
"""JSON Schema of an answer, as OpenAI's strict mode wants it."""

__all__ = ["SCHEMA", "Compact", "number_of", "numbers_of"]
