"""From the compact form to a `Formulation`, and back for showing it to the model again."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from orkernel.errors import OrkernelError, UsageError
from orkernel.formulation.load import parse_formulation
from orkernel_llm.formulating.compact import (
    Compact,
    CompactParameter,
    CompactSet,
    CompactTable,
    CompactVariable,
    number_of,
)
from orkernel_llm.formulating.notation import algebra, generators

if TYPE_CHECKING:
    from orkernel.formulation.elements import Definition
    from orkernel.formulation.schema import Formulation

MOST_PROBLEMS = 8
"""Problems of one answer that are told."""
_DISTRIBUTION = re.compile(r"\s*([a-z]+)\s*\(([^()]*)\)\s*")
_DISTRIBUTIONS: Mapping[str, tuple[str, ...]] = {
    "normal": ("mean", "std"),
    "lognormal": ("mean", "std"),
    "uniform": ("low", "high"),
    "triangular": ("low", "mode", "high"),
    "exponential": ("mean",),
    "poisson": ("mean",),
}
"""Distributions that the compact form knows, with their arguments in order."""
_INFINITE = ("inf", "+inf", "infinity", "+infinity", "-inf", "-infinity", "∞", "+∞", "-∞", "−∞")


class Unreadable(OrkernelError):
    """An answer that is JSON but no formulation; the message says what to write instead."""


def unwrapped(value: Any) -> Any:
    """The formulation in an answer that wraps it in one field, e.g. `{"formulation": …}`."""
    if isinstance(value, Mapping) and len(value) == 1:
        inner = next(iter(value.values()))
        if isinstance(inner, Mapping) and {"variables", "constraints"} & inner.keys():
            return inner
    return value


def read_compact(value: Any) -> Compact:
    """The compact form in an answer.

    Raises:
        Unreadable: Something is of the wrong type or missing; names every place.
    """
    try:
        found = Compact.model_validate(value)
    except ValidationError as error:
        raise Unreadable(_told(error)) from error
    if not found.refusal and not found.variables:
        raise Unreadable("variables: there are none; name the decisions of the problem")
    return found


def _told(error: ValidationError) -> str:
    problems: dict[str, str] = {}
    for problem in error.errors():
        path = [str(p) for p in problem["loc"] if not _is_alternative(str(p))]
        problems.setdefault(".".join(path) or "answer", problem["msg"])
    lines = [f"{place}: {message}" for place, message in problems.items()]
    more = len(lines) - MOST_PROBLEMS
    return "; ".join([*lines[:MOST_PROBLEMS], *([f"and {more} more"] if more > 0 else [])])


def _is_alternative(part: str) -> bool:
    return bool(re.match(r"(?:int|float|str|none|list\[|dict\[|function-|Compact)", part))


def to_formulation(found: Compact) -> Formulation:
    """The formulation that a compact form stands for.

    Raises:
        Unreadable: It does not fit the schema; the message names the elements.
    """
    data = {
        "title": found.title[:500],
        "sets": [_set(s) for s in found.sets],
        "parameters": [_parameter(p) for p in found.parameters],
        "variables": [_variable(v) for v in found.variables],
        "objectives": [
            {
                **_named(o.name, o.quotes, o.unit),
                "sense": o.sense,
                "expression": algebra(o.expression),
                "priority": o.priority,
            }
            for o in found.objectives
        ],
        "constraints": [
            {
                **_named(c.name, c.quotes),
                **_repeated(c.for_each),
                "expression": algebra(c.expression, is_relation=True),
            }
            for c in found.constraints
        ],
        "results": [
            {
                **_named(r.name, r.quotes, r.unit),
                **_repeated(r.for_each),
                "expression": algebra(r.expression),
            }
            for r in found.results
        ],
        "assumptions": [
            {"text": a.text.strip(), "affects": a.affects}
            for a in found.assumptions
            if a.text.strip()
        ],
    }
    try:
        return parse_formulation(data, name="the answer")
    except UsageError as error:
        raise Unreadable(str(error)) from error


def _named(name: str, quotes: list[str], unit: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {"name": name.strip()}
    if kept := [q.strip() for q in quotes if q.strip()]:
        found["sources"] = [{"quote": q} for q in dict.fromkeys(kept)]
    if unit.strip():
        found["unit"] = unit.strip()
    return found


def _repeated(for_each: str) -> dict[str, str]:
    text = generators(for_each)
    return {"for_each": text} if text else {}


def _table(table: CompactTable, *, is_data: bool) -> dict[str, Any]:
    found: dict[str, Any] = {"file": table.file, "index": table.index}
    if is_data and table.value:
        found["value"] = table.value
    return found


def _set(found: CompactSet) -> dict[str, Any]:
    data = _named(found.name, found.quotes)
    if found.table is not None:
        data["table"] = _table(found.table, is_data=False)
    elif found.range is not None:
        data["range"] = found.range
    else:
        data["members"] = _members(found)
    return data


def _members(found: CompactSet) -> list[Any]:
    """The members; texts that are all whole numbers in a row are those numbers."""
    numbers = [number_of(m) if isinstance(m, str) else m for m in found.members]
    if numbers and all(isinstance(n, int) for n in numbers):
        return numbers
    return list(found.members)


def _parameter(found: CompactParameter) -> dict[str, Any]:
    data = _named(found.name, found.quotes, found.unit)
    data["index"] = found.index
    if found.table is not None:
        data["table"] = _table(found.table, is_data=True)
    elif found.distribution.strip():
        data["distribution"] = _distribution(found)
    else:
        if found.value is None:
            raise Unreadable(
                f"parameter '{found.name}': it has no value; give the figure of the statement, "
                "or leave the parameter out"
            )
        data["value"] = found.value
    return data


def _distribution(found: CompactParameter) -> dict[str, Any]:
    known = ", ".join(f"{n}({', '.join(a)})" for n, a in _DISTRIBUTIONS.items())
    problem = Unreadable(
        f"parameter '{found.name}': the distribution {found.distribution!r} is not understood; "
        f"write one of {known} with numbers"
    )
    match = _DISTRIBUTION.fullmatch(found.distribution.lower())
    if match is None or match[1] not in _DISTRIBUTIONS:
        raise problem
    names = _DISTRIBUTIONS[match[1]]
    given: dict[str, float] = {}
    for position, text in enumerate(match[2].split(",")):
        name, equals, number = text.rpartition("=")
        key = name.strip() if equals else names[position] if position < len(names) else ""
        value = number_of(number)
        if key not in names or isinstance(value, str):
            raise problem
        given[key] = value
    if set(given) != set(names):
        raise problem
    return {match[1]: given}


def _variable(found: CompactVariable) -> dict[str, Any]:
    data = _named(found.name, found.quotes, found.unit)
    data |= {"index": found.index, "domain": found.domain}
    lower, upper = found.lower, found.upper
    if _is_infinite(lower):
        data["lower"] = None
    elif lower is not None and not (found.domain == "binary" and lower == 0):
        data["lower"] = _bound(lower)
    if upper is not None and not _is_infinite(upper):
        data["upper"] = _bound(upper)
    return data


def _bound(bound: int | float | str) -> int | float | str:
    return algebra(bound) if isinstance(bound, str) else bound


def _is_infinite(bound: int | float | str | None) -> bool:
    return isinstance(bound, str) and bound.strip().lower() in _INFINITE


# ------------------------------------------------------------------ back again


def to_compact(formulation: Formulation) -> dict[str, Any]:
    """A formulation in the compact form, what is empty left out."""

    def element(found: Definition, **fields: Any) -> dict[str, Any]:
        unit = getattr(found, "unit", None)
        whole = {
            "name": found.name,
            **fields,
            "unit": unit or "",
            "quotes": [s.quote for s in found.sources],
        }
        return {key: value for key, value in whole.items() if value not in (None, "", [], ())}

    return {
        key: value
        for key, value in {
            "title": formulation.title,
            "sets": [
                element(
                    s,
                    members=None if s.members is None else [_plain(m) for m in s.members],
                    range=None if s.range is None else list(s.range),
                    expression=s.expression,
                    table=s.table.model_dump(exclude_none=True) if s.table else None,
                )
                for s in formulation.sets
            ],
            "parameters": [
                element(
                    p,
                    index=list(p.index),
                    value=p.value,
                    default=p.default,
                    table=p.table.model_dump(exclude_none=True) if p.table else None,
                    expression=p.expression,
                    for_each=p.for_each,
                    distribution=_written(p.distribution),
                )
                for p in formulation.parameters
            ],
            "variables": [
                element(
                    v,
                    index=list(v.index),
                    domain=v.domain,
                    lower="-inf" if v.lower is None else v.lower,
                    upper=v.upper,
                )
                for v in formulation.variables
            ],
            "objectives": [
                element(o, sense=o.sense, expression=o.expression, priority=o.priority)
                for o in formulation.objectives
            ],
            "constraints": [
                element(c, for_each=c.for_each, expression=c.expression)
                for c in formulation.constraints
            ],
            "results": [
                element(r, for_each=r.for_each, expression=r.expression)
                for r in formulation.results
            ],
            "assumptions": [
                {"text": a.text, "affects": list(a.affects)} for a in formulation.assumptions
            ],
        }.items()
        if value
    }


def _plain(member: Any) -> Any:
    return list(member) if isinstance(member, list | tuple) else member


def _written(distribution: Mapping[Any, Mapping[str, Any]] | None) -> str | None:
    if distribution is None:
        return None
    name, arguments = next(iter(distribution.items()))
    return f"{name}({', '.join(f'{k}={v}' for k, v in arguments.items())})"
