"""The elements of a formulation in order, and the numbers that each of them states."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from orkernel.algebra.nodes import Call, Generator, Node, Number, Subscript
from orkernel.algebra.parse import parse
from orkernel.errors import ExpressionError
from orkernel.formulation.schema import (
    ConstraintDefinition,
    Formulation,
    ObjectiveDefinition,
    ParameterDefinition,
    ResultDefinition,
    SetDefinition,
    VariableDefinition,
)

Definition = (
    SetDefinition
    | ParameterDefinition
    | VariableDefinition
    | ObjectiveDefinition
    | ConstraintDefinition
    | ResultDefinition
)

GROUPS = {
    "sets": "set",
    "parameters": "parameter",
    "variables": "variable",
    "objectives": "objective",
    "constraints": "constraint",
    "results": "result",
}
"""Fields of a formulation and what one of their elements is called."""


def elements(formulation: Formulation) -> Iterator[tuple[str, Definition]]:
    """Every named element with its label, e.g. `constraint 'supply'`, in formulation order."""
    for group, kind in GROUPS.items():
        for definition in getattr(formulation, group):
            yield f"{kind} '{definition.name}'", definition


def stated_numbers(definition: Definition, *, finite: bool = True) -> list[float]:
    """The numbers an element states, in order, as often as they stand in it.

    Data, bounds and the constants of expressions count; index positions, conditions and
    exponents do not.

    Args:
        definition: The element.
        finite: Leave out NaN and infinities, and integers too large for a float.
    """
    found: list[float] = []
    match definition:
        case SetDefinition(range=bounds):
            for bound in bounds or ():
                found.extend(_of_bound(bound))
        case ParameterDefinition():
            found.extend(_of_value(definition.value))
            found.extend(_of_value(definition.default))
            for arguments in (definition.distribution or {}).values():
                found.extend(_of_value(arguments))
            found.extend(_of_bound(definition.expression))
        case VariableDefinition():
            found.extend(_of_bound(definition.lower))
            found.extend(_of_bound(definition.upper))
        case _:
            found.extend(_of_bound(definition.expression))
    return [number for number in found if not finite or abs(number) < float("inf")]


def _of_value(value: Any) -> Iterator[float]:
    """Numbers of nested lists and objects, at any depth."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            stack.extend(reversed(list(item.values())))
        elif isinstance(item, list | tuple):
            stack.extend(reversed(item))
        elif isinstance(item, int | float) and not isinstance(item, bool):
            yield _as_float(item)


def _of_bound(bound: float | str | None) -> Iterator[float]:
    if bound is None:
        return
    if not isinstance(bound, str):
        yield _as_float(bound)
        return
    yield from _of_expression(bound)


@lru_cache(maxsize=256)
def _of_expression(text: str) -> tuple[float, ...]:
    """Kept for the latest texts, since the checks and the scorers ask for the same ones."""
    try:
        return tuple(_constants(parse(text)))
    except ExpressionError:
        return ()


def _constants(tree: Node) -> Iterator[float]:
    stack = [tree]
    while stack:
        node = stack.pop()
        match node:
            case Number(value=value):
                yield _as_float(value)
            case Subscript():
                continue
            case Generator():
                continue
            case Call(function="ord" | "pred" | "succ" | "first" | "last" | "card"):
                continue
            case _:
                children = node.children()
                if getattr(node, "op", "") == "**":
                    children = children[:1]
                stack.extend(reversed(children))


def _as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return float("inf")
