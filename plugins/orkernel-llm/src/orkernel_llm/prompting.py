"""Prompts: versioned files, filled in without anything being read twice.

A file is `prompts/NAME-VERSION.md`: a comment that says what it is for, then the parts
`## system` and `## user`. `{{name}}` stands for a value. Values are inserted as they are: braces in
them mean nothing. The value of `{{statement}}` stands between one pair of marker lines that do
not occur in it, so that nothing in a statement can end it.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib import resources
from typing import get_args

from orkernel_llm.conversation import Message, Role

STATEMENT = "statement"
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_PART = re.compile(r"^## (\w+)\n", re.MULTILINE)


@cache
def source(name: str) -> str:
    """The text of a prompt file.

    Args:
        name: Name and version, e.g. `formulate-1`.

    Raises:
        FileNotFoundError: There is no such file.
    """
    file = resources.files("orkernel_llm") / "prompts" / f"{name}.md"
    return file.read_text(encoding="utf-8")


def parts_of(text: str) -> list[tuple[Role, str]]:
    """Role and text of each part of a prompt file, in order.

    Raises:
        ValueError: A part is named after no role, or there is none.
    """
    pieces = _PART.split(text)[1:]
    roles: dict[str, Role] = {role: role for role in get_args(Role)}
    unknown = set(pieces[::2]) - roles.keys()
    if unknown or not pieces:
        raise ValueError(f"the prompt's parts are {sorted(set(pieces[::2]))}")
    return [(roles[r], t.strip()) for r, t in zip(pieces[::2], pieces[1::2], strict=True)]


def places_of(text: str) -> frozenset[str]:
    """Names of the values that a text wants."""
    return frozenset(_PLACE.findall(text))


def render(name: str, **values: str) -> tuple[Message, ...]:
    """The messages of a prompt.

    Args:
        name: Name and version of the file.
        values: A text for each of its placeholders, no more and no fewer.

    Raises:
        KeyError: A placeholder without value, or a value without placeholder.
    """
    parts = parts_of(source(name))
    wanted = places_of("\n".join(text for _, text in parts))
    if wanted != values.keys():
        raise KeyError(f"prompt {name} takes {sorted(wanted)}, it was given {sorted(values)}")
    given = dict(values)
    if STATEMENT in given:
        given[STATEMENT] = fenced(given[STATEMENT])
    return tuple(
        Message(role, _PLACE.sub(lambda place: given[place[1]], text)) for role, text in parts
    )


def fenced(text: str) -> str:
    """The text between two equal marker lines that do not occur in it.

    The marker depends on the text alone, so that equal requests stay equal.
    """
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    marker = next(
        m for size in range(8, len(digest)) if (m := f"=====TEXT-{digest[:size]}=====") not in text
    )
    return f"{marker}\n{text.strip(chr(10))}\n{marker}"
