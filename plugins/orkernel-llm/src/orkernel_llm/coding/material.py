"""What a program is given of a model: the formulation to read, the data to compute with."""

from __future__ import annotations

import builtins
import json
import keyword
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.sampling import common_sample

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.forms import IndexSet
    from orkernel.model import Model

INLINE = 60
"""Most numbers or members of one element that are written into the prompt."""
SHOWN = 3
"""Members shown per set in the skeleton of the answer."""
SCENARIO_NUMBERS = 2_000_000
"""Most numbers of scenarios that are handed over."""
TAKEN = frozenset({"final_answer", *keyword.kwlist})
"""Names that programs need for something else, besides built-in functions."""
MORE = "…"
LEFT_OUT = frozenset({"sources", "start"})
"""Keys of elements that a program has no use for."""


@dataclass(frozen=True, slots=True)
class Material:
    """A model as a program gets it.

    Attributes:
        formulation: JSON without quotes; large data is named there, not written out.
        data: For `orkernel_llm.coding.prelude.bind`; JSON.
        names: One line per name that the program finds defined.
        skeleton: The shape of the answer, with the first members of every set.
    """

    formulation: str
    data: Mapping[str, Any]
    names: str
    skeleton: str


def material(model: Model) -> Material:
    """Put together what a program is given."""
    sets = {in_python(name): _members(index_set) for name, index_set in model.sets.items()}
    scope = model.program.scope
    parameters = {
        in_python(name): {
            "sets": [in_python(s.name) for s in parameter.index],
            "values": [_number(v) for v in parameter.values.reshape(-1).tolist()],
        }
        for name, parameter in scope.parameters.items()
    }
    return Material(
        formulation=_formulation(model),
        data={"sets": sets, "parameters": parameters, "scenarios": _scenarios(model)},
        names="\n".join(
            [
                *(
                    f"- {in_python(s.name)}: list of {_counted(len(s), 'member')}"
                    for s in model.sets.values()
                ),
                *(_described(name, p.index, "number") for name, p in scope.parameters.items()),
                *(
                    _described(name, p.index, "list of numbers, one per equally likely scenario")
                    for name, p in scope.random.items()
                ),
            ]
        )
        or "- none",
        skeleton=_skeleton(model),
    )


# ------------------------------------------------------------------ data


def in_python(name: str) -> str:
    """The name of a set or parameter in programs, which may need the built-in of that name."""
    return f"{name}_" if hasattr(builtins, name) or name in TAKEN else name


def _members(index_set: IndexSet) -> list[Any]:
    return [list(m) if isinstance(m, tuple) else m for m in index_set.members]


def _number(value: float) -> float | int:
    """Whole numbers as ints, so that they can count and index."""
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _scenarios(model: Model) -> dict[str, dict[str, Any]]:
    """Per random parameter and member the scenarios that the kernel judges by."""
    random = model.program.scope.random
    if not random:
        return {}
    sample: Mapping[str, NDArray[np.float64]] = common_sample(random)
    size = sum(values.shape[1] for values in sample.values())
    kept = max(1, min(next(iter(sample.values())).shape[0], SCENARIO_NUMBERS // max(1, size)))
    return {
        in_python(name): {
            "sets": [in_python(s.name) for s in random[name].index],
            "values": values[:kept].T.tolist(),
        }
        for name, values in sample.items()
    }


def _described(element: str, index: Sequence[IndexSet], value: str) -> str:
    name = in_python(element)
    if not index:
        return f"- {name}: {value}"
    positions = sum(s.arity for s in index)
    key = " × ".join(in_python(s.name) for s in index)
    how = f"{name}[{', '.join('ijklmnopqrst'[:positions])}]"
    count = _counted(math.prod(len(s) for s in index), "entry", "entries")
    return f"- {name}: dict of {count} over {key}, read as {how}; each a {value}"


def _counted(count: int, one: str, many: str = "") -> str:
    return f"{count} {one if count == 1 else many or one + 's'}"


# ------------------------------------------------------------------ formulation


def _formulation(model: Model) -> str:
    whole = model.formulation.model_dump(mode="json", exclude_none=True)
    for variable, element in zip(model.formulation.variables, whole["variables"], strict=True):
        if variable.lower is None:
            element["lower"] = None
    parts: dict[str, Any] = {}
    for kind in ("sets", "parameters", "variables", "objectives", "constraints", "results"):
        elements = [
            {
                key: _inline(value, element["name"])
                for key, value in element.items()
                if key not in LEFT_OUT and (value not in ("", []) or key == "members")
            }
            for element in whole[kind]
        ]
        if elements:
            parts[kind] = elements
    assumptions = [a["text"] for a in whole["assumptions"]]
    if assumptions:
        parts["assumptions"] = assumptions
    lines = [f'"{kind}": [\n{_rows(elements)}\n]' for kind, elements in parts.items()]
    return "{" + ",\n".join(lines) + "}"


def _rows(elements: Sequence[Any]) -> str:
    return ",\n".join(json.dumps(e, ensure_ascii=False, separators=(", ", ": ")) for e in elements)


def _inline(value: Any, name: str) -> Any:
    """A value as it is, or, where it is large data, a word on where to find it."""
    if isinstance(value, (list, dict)):
        count = _leaves(value)
        if count > INLINE:
            return f"({count} values; use the Python variable {in_python(name)})"
    return value


def _leaves(value: Any) -> int:
    """Numbers and texts in nested lists and objects."""
    waiting, count = [value], 0
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)
        else:
            count += 1
    return count


# ------------------------------------------------------------------ the answer


def _skeleton(model: Model) -> str:
    shape: dict[str, Any] = {"variables": {b.name: _first(b.index) for b in model.columns.blocks}}
    results: dict[str, Any] = {
        r.definition.name: {} if r.names() else None for r in model.program.results
    }
    if results:
        shape["results"] = results
    return _drawn(shape)


def _first(index: Sequence[IndexSet]) -> Any:
    """Objects nested as the answer's, keyed by the first members; None where a number belongs."""
    if not index:
        return None
    tree: dict[str, Any] = {}
    for members in islice(product(*(s.members[:SHOWN] for s in index)), SHOWN):
        *path, last = _positions(members)
        level = tree
        for step in path:
            level = level.setdefault(step, {})
        level[last] = None
    if math.prod(len(s) for s in index) > SHOWN:
        tree[MORE] = None
    return tree


def _positions(members: Sequence[Any]) -> list[str]:
    return [str(p) for m in members for p in (m if isinstance(m, tuple) else (m,))]


def _drawn(shape: Any) -> str:
    if shape is None:
        return "number"
    parts = [
        MORE if key == MORE else f"{json.dumps(key, ensure_ascii=False)}: {_drawn(part)}"
        for key, part in shape.items()
    ]
    return f"{{{', '.join(parts) or MORE}}}"
