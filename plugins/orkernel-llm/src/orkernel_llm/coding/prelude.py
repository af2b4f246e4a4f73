"""Runs inside the sandbox before the model's code: data in, answers out. Standard library only.

`bind` makes every set and parameter a Python value of its own name, so that the formulation's
expressions are nearly Python already: `cost[p, m]`, `for p in PLANT`. `plain` turns what such code
naturally builds (keys that are tuples or numbers, NumPy values) into the JSON that is asked for.
"""

from __future__ import annotations

from itertools import product
from typing import Any


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


def plain(value: Any, depth: int = 0) -> Any:
    """The same value as plain JSON; dictionaries with tuples as keys become nested ones."""
    if depth > 20:
        raise ValueError("the answer is nested more than 20 levels deep")
    if isinstance(value, dict):
        found: dict[str, Any] = {}
        for key, part in value.items():
            *path, last = key if isinstance(key, tuple) else (key,)
            level = found
            for step in path:
                level = level.setdefault(text(step), {})
            level[text(last)] = plain(part, depth + 1)
        return found
    if isinstance(value, (list, tuple)):
        return [plain(part, depth + 1) for part in value]
    if isinstance(value, (str, bool, int, float)) or value is None:
        return value
    for method in ("tolist", "item"):
        if hasattr(value, method):
            return plain(getattr(value, method)(), depth + 1)
    kind = type(value).__name__
    raise TypeError(f"the answer holds a {kind}; give numbers, e.g. the value of a variable")


def text(key: Any) -> str:
    """A member as the text that keys it."""
    if hasattr(key, "item"):
        key = key.item()
    if isinstance(key, float) and key.is_integer():
        key = int(key)
    return str(key)
