"""Reading and writing formulations as JSON, with errors that name element, place and fix."""

from __future__ import annotations

import difflib
import json
import math
import re
from itertools import pairwise
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from orkernel.errors import UsageError
from orkernel.formulation.misfits import misfits, shown
from orkernel.formulation.schema import Formulation

MAX_FILE_BYTES = 32 * 1024 * 1024
"""Largest formulation file, in bytes; larger data belongs into tables."""
MAX_PROBLEMS = 10
"""How many schema problems one error lists."""
SCHEMA_VERSION = 1
SCHEMA_ID = "urn:orkernel:schema:formulation:1"

_TOKEN = re.compile(
    r'"(?:[^"\\]|\\.)*"|[{}\[\]:,]|-?(?:NaN|Infinity|[0-9][0-9.eE+-]*)|true|false|null'
)
_SURROGATE = re.compile(r"\\u[dD][89abAB]")


def load_formulation(source: Path | str) -> Formulation:
    """Read a formulation.

    Args:
        source: A `Path` to a JSON file, or the JSON text itself as a string.

    Raises:
        UsageError: The file is missing, unreadable, too large or not UTF-8, the JSON is broken
            (line and column given), has a key twice or holds NaN or Infinity, or it does not
            fit the schema (every misfit named).
    """
    if isinstance(source, Path):
        name = source.name
        text = _read(source)
    else:
        name, text = "formulation", source
    return parse_formulation(_decode(text, name), name=name)


def parse_formulation(data: object, *, name: str = "formulation") -> Formulation:
    """Turn decoded JSON into a formulation.

    Args:
        data: What `json.loads` gives.
        name: Starts every message, e.g. the file name.

    Raises:
        UsageError: It does not fit the schema; the message lists up to `MAX_PROBLEMS` misfits.
    """
    if not isinstance(data, dict):
        raise UsageError(
            f"{name} holds {_kind_of(data)}, not a formulation",
            fix='a formulation is a JSON object {"schema_version": 1, …}',
        )
    version = data.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION or isinstance(version, bool):
        raise UsageError(
            f"{name} has schema_version {shown(version)}; this orkernel reads {SCHEMA_VERSION}",
            fix=f"write {SCHEMA_VERSION}, or use the orkernel that wrote the file",
        )
    try:
        return Formulation.model_validate(data)
    except ValidationError as error:
        problems = list(misfits(error, data))
    if len(problems) == 1:
        message, fix = problems[0]
        raise UsageError(f"{name}: {message}", fix=fix)
    lines = [f"\n  {message}" + (f" ({fix})" if fix else "") for message, fix in problems]
    more = len(lines) - MAX_PROBLEMS
    raise UsageError(
        f"{name} does not fit the formulation schema in {len(lines)} places:"
        + "".join(lines[:MAX_PROBLEMS])
        + (f"\n  and {more} more" if more > 0 else "")
    )


def dump_formulation(formulation: Formulation, *, indent: int | None = 2) -> str:
    """The formulation as JSON text that `load_formulation` reads back to an equal one.

    Fields at their defaults are left out, `schema_version` is always written.

    Raises:
        UsageError: It holds a number that JSON cannot carry (NaN or infinity).
    """
    data = formulation.model_dump(mode="json", exclude_defaults=True)
    try:
        return json.dumps(
            {"schema_version": formulation.schema_version, **data},
            indent=indent,
            ensure_ascii=False,
            allow_nan=False,
        )
    except ValueError as error:
        raise UsageError(
            "the formulation holds NaN or an infinite number, which JSON cannot carry",
            fix="give finite numbers; leave a bound out, or write null, where there is none",
        ) from error


def json_schema() -> dict[str, Any]:
    """The published JSON Schema (draft 2020-12) of a formulation, with field descriptions."""
    schema = Formulation.model_json_schema()
    for definition in (schema, *schema["$defs"].values()):
        _describe(definition)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": SCHEMA_ID,
        **schema,
    }


# --------------------------------------------------------------------------- file and JSON


def _read(path: Path) -> str:
    try:
        if path.is_dir():
            raise UsageError(f"{path} is a folder", fix="give a formulation file (.json)")
        size = path.stat().st_size
        if size > MAX_FILE_BYTES:
            raise UsageError(
                f"{path} has {size:,} bytes; the limit for a formulation is {MAX_FILE_BYTES:,}",
                fix="move large data into CSV files and name them as `table`",
            )
        with path.open("rb") as stream:
            raw = stream.read(MAX_FILE_BYTES + 1)
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist", fix=_neighbour(path)) from error
    except (OSError, ValueError) as error:
        cause = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path} cannot be read: {cause}") from error
    if len(raw) > MAX_FILE_BYTES:
        raise UsageError(
            f"{path} is larger than {MAX_FILE_BYTES:,} bytes",
            fix="move large data into CSV files and name them as `table`",
        )
    if b"\0" in raw and not raw.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(
            f"{path} is a binary file (byte {raw.index(0)} is NUL)",
            fix="give a formulation as JSON text",
        )
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{path} is not UTF-8 text (byte {error.start}, line {line})",
            fix="save the file in UTF-8",
        ) from error


def _neighbour(path: Path) -> str:
    try:
        names = [p.name for p in path.parent.iterdir()]
    except OSError:
        return "check the path"
    close = difflib.get_close_matches(path.name, names, n=1)
    return f"did you mean '{path.parent / close[0]}'?" if close else "check the path"


class _BadNumber(Exception):
    """A literal that is no finite number."""


class _DuplicateKey(Exception):
    """A key that an object holds twice."""


def _finite_float(literal: str) -> float:
    number = float(literal)
    if not math.isfinite(number):
        raise _BadNumber(literal)
    return number


def _finite_int(literal: str) -> int:
    if len(literal) > 300:
        raise _BadNumber(literal)
    return int(literal)


def _refuse_constant(literal: str) -> NoReturn:
    raise _BadNumber(literal)


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result = dict(pairs)
    if len(result) < len(pairs):
        raise _DuplicateKey
    return result


def _decode(text: str, name: str) -> object:
    if not text.strip():
        raise UsageError(
            f"{name} is empty", fix='a formulation is a JSON object {"schema_version": 1, …}'
        )
    try:
        data: object = json.loads(
            text.removeprefix("\ufeff"),
            object_pairs_hook=_unique_keys,
            parse_float=_finite_float,
            parse_int=_finite_int,
            parse_constant=_refuse_constant,
        )
    except json.JSONDecodeError as error:
        raise UsageError(
            f"{name}, line {error.lineno}, column {error.colno}: broken JSON: "
            f"{error.msg[:1].lower()}{error.msg[1:]}",
            fix=_json_hint(error),
        ) from error
    except _DuplicateKey:
        where, key = _duplicate_key(text)
        raise UsageError(
            f"{name}, {where}: the key {key} stands twice in one object",
            fix="keep one of them",
        ) from None
    except _BadNumber as error:
        where, literal = _bad_number(text, str(error))
        raise UsageError(
            f"{name}, {where}: {literal} is not a finite number that fits a float",
            fix="write a finite number; leave a bound out, or write null, where there is none",
        ) from None
    except RecursionError:
        raise UsageError(
            f"{name} nests lists or objects too deeply",
            fix="a formulation needs one level per index position",
        ) from None
    if _SURROGATE.search(text):
        _refuse_lone_surrogates(data, name)
    return data


def _json_hint(error: json.JSONDecodeError) -> str:
    rest = error.doc[error.pos : error.pos + 1]
    before = error.doc[: error.pos].rstrip()[-1:]
    if rest == "":
        return "the text ends too early; close every bracket and quote"
    if rest == "'":
        return "JSON takes double quotes"
    if before == "," and rest in "}]":
        return "remove the comma before the closing bracket"
    if error.doc[error.pos : error.pos + 2] in ("//", "/*") or rest == "#":
        return "JSON has no comments"
    if error.msg.startswith("Extra data"):
        return "the file must hold one object and nothing after it"
    if "Invalid control character" in error.msg:
        return "write a line break inside a text as \\n"
    return "check the commas, colons and quotes just before"


def _place(text: str, offset: int) -> str:
    line = text.count("\n", 0, offset) + 1
    return f"line {line}, column {offset - text.rfind(chr(10), 0, offset)}"


def _duplicate_key(text: str) -> tuple[str, str]:
    """Place and key (as written) of the first key that stands twice in its object."""
    stack: list[set[str] | None] = []
    for token, after in pairwise(_TOKEN.finditer(text)):
        written = token.group()
        if written == "{":
            stack.append(set())
        elif written == "[":
            stack.append(None)
        elif written in "}]" and stack:
            stack.pop()
        elif (
            written[0] == '"' and after.group() == ":" and stack and (keys := stack[-1]) is not None
        ):
            key = json.loads(written, strict=False)
            if key in keys:
                return _place(text, token.start()), written
            keys.add(key)
    return "line 1, column 1", "(unknown)"


def _bad_number(text: str, literal: str) -> tuple[str, str]:
    """Place and literal (shortened) of the first token that is `literal`."""
    short = literal if len(literal) <= 24 else f"{literal[:20]}… ({len(literal)} digits)"
    for token in _TOKEN.finditer(text):
        if token.group() == literal:
            return _place(text, token.start()), short
    return "line 1, column 1", short


def _refuse_lone_surrogates(data: object, name: str) -> None:
    try:
        json.dumps(data, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UsageError(
            f"{name} holds the half character \\u{ord(error.object[error.start]):04x}",
            fix="write the whole character, or both halves of its \\u escape",
        ) from error


def _kind_of(data: object) -> str:
    if isinstance(data, list):
        return "a list"
    if isinstance(data, str):
        return "a text"
    return "null" if data is None else "a single value"


def _describe(definition: dict[str, Any]) -> None:
    """Move the lines of a docstring's `Attributes:` to the properties they describe."""
    summary, _, attributes = definition.get("description", "").partition("\n\nAttributes:\n")
    if summary:
        definition["description"] = " ".join(summary.split())
    for entry in re.split(r"\n {0,4}(?=\w+: )", "\n" + attributes):
        name, colon, text = entry.strip().partition(": ")
        if colon and name in definition.get("properties", {}):
            definition["properties"][name].setdefault("description", " ".join(text.split()))
