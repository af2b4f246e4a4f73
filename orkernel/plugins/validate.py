"""Field checks of records; plain code, so that loading plugins stays quick."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from orkernel.plugins.kinds import Kind
from orkernel.records import Capability, Guarantee, Option, Record

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*\Z")
IMPORT_STRING = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*(\.[^\W\d]\w*)*\Z")
MODULE = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*\Z")

Check = tuple[Callable[[Any], bool], str]


def _tuple_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, tuple) and all(map(test, value))


def _frozenset_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, frozenset) and all(map(test, value))


def _matches(pattern: re.Pattern[str]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, str) and pattern.match(value) is not None


def _is(*types: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, types)


_is_name, _is_import, _is_module = _matches(NAME), _matches(IMPORT_STRING), _matches(MODULE)

FIELDS: dict[str, Check] = {
    "name": (_is_name, "letters, digits, '-' and '_', not starting with '-'"),
    "target": (_is_import, "an import string 'package.module:attribute'"),
    "options": (_tuple_of(_is(Option)), "a tuple of Option"),
    "check": (lambda v: v == "" or _is_import(v), "an import string 'package.module:function'"),
    "requires": (_tuple_of(_is_module), "a tuple of module names"),
    "install_hint": (_is(str), "a text"),
    "summary": (lambda v: isinstance(v, str) and "\n" not in v, "a text of one line"),
    "compares": (_is(bool), "True or False"),
    "supports": (
        lambda v: bool(v) and _tuple_of(_frozenset_of(_is(Capability)))(v),
        "a non-empty tuple of frozensets of Capability",
    ),
    "guarantee": (_is(Guarantee), "a Guarantee"),
    "exports": (_frozenset_of(_is(str)), "a frozenset of format names"),
}
"""Per field of a record its test, and in words what passes."""


def fault_of(record: object, kind: Kind) -> str:
    """What is wrong with something that a hook gave; empty if nothing is."""
    if type(record) is not kind.record:
        wanted = kind.record.__name__
        return f"gave {_a(type(record).__name__)} where {_a(wanted)} belongs"
    assert isinstance(record, Record)
    for field, (passes, wanted) in FIELDS.items():
        if hasattr(record, field) and not passes(getattr(record, field)):
            value = repr(getattr(record, field))
            return f"{kind.title} {record.name!r}: {field} must be {wanted}, not {value[:100]}"
    for option in record.options:
        if fault := _option_fault(option):
            return f"{kind.title} {record.name!r}: option {option.name!r} {fault}"
    if twice := _repeated(option.name for option in record.options):
        return f"{kind.title} {record.name!r}: option {twice!r} is declared twice"
    return ""


def _option_fault(option: Option) -> str:
    if not _is_name(option.name):
        return f"must have a name of {FIELDS['name'][1]}"
    if option.type not in (str, int, float, bool):
        return f"must have type str, int, float or bool, not {option.type!r}"
    if not _tuple_of(_is(str))(option.choices):
        return "must have its choices as a tuple of texts"
    if option.default is None:
        return ""
    allowed = (int, float) if option.type is float else (option.type,)
    if not isinstance(option.default, allowed) or (
        isinstance(option.default, bool) and option.type is not bool
    ):
        return f"must have a default of type {option.type.__name__}, not {option.default!r}"
    if option.choices and str(option.default) not in option.choices:
        return f"has default {option.default!r}, which is none of its choices"
    return ""


def _repeated(names: Iterable[str]) -> str:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return ""


def _a(noun: str) -> str:
    return f"an {noun}" if noun[:1] in "AEIOUaeiou" else f"a {noun}"
