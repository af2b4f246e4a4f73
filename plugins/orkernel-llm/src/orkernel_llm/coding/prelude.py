"""Runs inside the sandbox before the model's code: data in, answers out. Standard library only.

`bind` makes every set and parameter a Python value of its own name, so that the formulation's
expressions are nearly Python already: `cost[p, m]`, `for p in PLANT`. `nested` turns what such code
naturally builds, dictionaries keyed by tuples and numbers, into the objects that are asked for.
"""

from __future__ import annotations

from itertools import product
from typing import Any

DEEPEST = 20
"""Levels that an answer may nest."""


def bind(material: dict[str, Any], names: dict[str, Any]) -> None:
    """Define the sets, parameters and scenarios of a model as variables.

    Args:
        material: `sets` (members by name), `parameters` and `scenarios`: each with the names of
            its index `sets` and its flat `values` in the order of their members.
        names: The dictionary to define them in.
    """
    sets = {
        name: [tuple(m) if isinstance(m, list) else m for m in members]
        for name, members in material["sets"].items()
    }
    names.update(sets)
    for kind in ("parameters", "scenarios"):
        for name, data in material[kind].items():
            names[name] = keyed([sets[s] for s in data["sets"]], data["values"])


def keyed(sets: list[list[Any]], values: list[Any]) -> Any:
    """A single value, or a dictionary from member (or tuple of members) to value."""
    if not sets:
        return values[0]
    found: dict[Any, Any] = {}
    for members, value in zip(product(*sets), values, strict=True):
        positions: list[Any] = []
        for member in members:
            positions.extend(member if isinstance(member, tuple) else (member,))
        found[positions[0] if len(positions) == 1 else tuple(positions)] = value
    return found


def final_answer(answer: Any = None) -> None:
    """Hand the answer over and end the program."""
    send(nested(answer))


def send(answer: Any) -> None:
    """Replaced by the sandbox's own `final_answer`."""
    raise NotImplementedError


def nested(value: Any, depth: int = 0) -> Any:
    """The same value with nested dictionaries in place of those keyed by tuples.

    Raises:
        ValueError: It is nested deeper than any answer.
    """
    if depth > DEEPEST:
        raise ValueError(f"the answer is nested more than {DEEPEST} levels deep")
    if isinstance(value, (list, tuple)):
        return [nested(part, depth + 1) for part in value]
    if not isinstance(value, dict):
        return value
    found: dict[str, Any] = {}
    for key, part in value.items():
        *path, last = key if isinstance(key, tuple) else (key,)
        level = found
        for step in path:
            level = level.setdefault(text(step), {})
        level[text(last)] = nested(part, depth + 1)
    return found


def text(member: Any) -> str:
    """A member as the text that keys it."""
    if hasattr(member, "item"):
        member = member.item()
    if isinstance(member, float) and member.is_integer():
        member = int(member)
    return str(member)
