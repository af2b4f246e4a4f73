"""Pydantic's complaints about a formulation, put into words: element, place and fix."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orkernel.formulation.schema import Formulation

_KINDS = {
    "sets": "set",
    "parameters": "parameter",
    "variables": "variable",
    "objectives": "objective",
    "constraints": "constraint",
    "results": "result",
    "assumptions": "assumption",
}
_UNION_TAG = re.compile(r"int|float|str|none|dict\[.*|list\[.*|constrained-str|function-.*")
WORDS_FOR = {
    "min": "minimize",
    "minimise": "minimize",
    "max": "maximize",
    "maximise": "maximize",
    "int": "integer",
    "bool": "binary",
    "boolean": "binary",
    "real": "continuous",
    "float": "continuous",
}
"""What people and models write for the words of the schema."""


def misfits(error: ValidationError, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Message and fix per misfit; the alternatives of a union give one together.

    Args:
        error: What pydantic found.
        data: The decoded JSON it looked at.
    """
    groups: dict[tuple[int | str, ...], list[ErrorDetails]] = {}
    for detail in error.errors(include_url=False, include_context=True):
        groups.setdefault(_without_tags(detail["loc"], data), []).append(detail)
    for location, details in groups.items():
        element, path = _element(location, data)
        message, fix = _explain(path, location, details, data)
        yield (f"{element}: {message}" if element else message), fix


def _without_tags(location: tuple[int | str, ...], data: Any) -> tuple[int | str, ...]:
    """The location without pydantic's union tags: as deep as the data goes, plus a missing key."""
    path: list[int | str] = []
    value = data
    for step in location:
        inside = isinstance(step, int) and isinstance(value, list) and step < len(value)
        if inside or (isinstance(value, dict) and step in value):
            value = value[step]
        elif isinstance(step, str) and _UNION_TAG.fullmatch(step):
            continue
        elif isinstance(step, str) and isinstance(value, dict) and step != "[key]":
            path.append(step)
            break
        else:
            break
        path.append(step)
    return tuple(path)


def _element(location: tuple[int | str, ...], data: Mapping[str, Any]) -> tuple[str, str]:
    """`parameter 'cost'` and the path below it."""
    rest = location
    element = ""
    if len(location) >= 2 and location[0] in _KINDS and isinstance(location[1], int):
        kind = _KINDS[str(location[0])]
        item = data[str(location[0])][location[1]]
        name = item.get("name") if isinstance(item, dict) else None
        named = isinstance(name, str) and name
        element = f"{kind} {name!r}" if named else f"{kind} number {location[1] + 1}"
        rest = location[2:]
    path = ""
    for step in rest:
        path += f"[{step}]" if isinstance(step, int) else f".{step}" if path else str(step)
    return element, path


def _explain(
    path: str,
    location: tuple[int | str, ...],
    details: list[ErrorDetails],
    data: Mapping[str, Any],
) -> tuple[str, str]:
    detail = details[0]
    context = detail.get("ctx", {})
    value = detail["input"]
    last = str(location[-1]) if location else ""
    match detail["type"]:
        case "missing" if isinstance(detail["loc"][-1], int):
            return f"'{path}' has too few entries", "give the first and the last integer"
        case "missing":
            return f"'{path}' is missing", f"add '{last}'"
        case "extra_forbidden":
            return f"the key '{path}' is not known", _known_keys(location, data)
        case "literal_error":
            allowed = str(context.get("expected", ""))
            meant = WORDS_FOR.get(str(value).casefold(), "")
            choices = re.findall(r"'([^']*)'", allowed)
            close = difflib.get_close_matches(str(value).casefold(), choices, n=1)
            guess = meant if meant in choices else close[0] if close else ""
            hint = f"did you mean '{guess}'?" if guess else f"write {allowed}"
            if path.endswith(".[key]") or "[key]" in map(str, detail["loc"]):
                return f"'{path}' is not known", hint
            return f"'{path}' is {shown(value)}, which is not one of {allowed}", hint
        case "string_pattern_mismatch":
            return (
                f"'{path}' is {shown(value)}, which is not a name",
                f"use letters, digits and underscores, e.g. '{_identifier(str(value))}'",
            )
        case "string_too_short" | "string_too_long":
            limit = context.get("max_length") or context.get("min_length")
            size = len(value) if isinstance(value, str) else 0
            if size == 0:
                return f"'{path}' is empty", "give a text, or leave the key out where it may be"
            return f"'{path}' has {size:,} characters; the limit is {limit:,}", "shorten it"
        case "value_error":
            message = str(context.get("error", detail["msg"]))
            return re.sub(r"^(set|parameter) '[^']*' ", "it ", message), "give one of them"
        case "finite_number":
            return f"'{path}' is {shown(value)}, which is not a finite number", "write a number"
    wanted = " or ".join(dict.fromkeys(_wanted(d) for d in details))
    return f"{f'{path!r}' if path else 'it'} is {shown(value)}; it must be {wanted}", ""


def _wanted(detail: ErrorDetails) -> str:
    """What one alternative would have accepted."""
    kinds = {
        "int": "a number",
        "float": "a number",
        "string": "a text",
        "dict": "an object",
        "list": "a list",
        "tuple": "a list",
        "model": "an object",
        "none": "null",
        "too": "a list of the right length",
    }
    return kinds.get(detail["type"].split("_")[0], detail["msg"][:1].lower() + detail["msg"][1:])


def _known_keys(location: tuple[int | str, ...], data: Mapping[str, Any]) -> str:
    """Near match, or all keys, of the class that holds an unknown key."""
    schema = Formulation.model_json_schema()
    node: dict[str, Any] = schema
    for step in location[:-1]:
        if isinstance(step, int):
            node = node.get("items", {})
        else:
            node = node.get("properties", {}).get(step, {})
        for choice in node.get("anyOf", ()):
            if "$ref" in choice:
                node = choice
        if "$ref" in node:
            node = schema["$defs"][node["$ref"].rsplit("/", 1)[-1]]
    known = list(node.get("properties", {}))
    close = difflib.get_close_matches(str(location[-1]), known, n=1)
    return f"did you mean '{close[0]}'?" if close else f"known keys: {', '.join(known)}"


def _identifier(text: str) -> str:
    name = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_")
    return f"_{name}" if name[:1].isdigit() else name or "name"


def shown(value: object) -> str:
    """A value as short JSON, for a message."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = repr(type(value).__name__)
    return text if len(text) <= 60 else f"{text[:57]}…"
