"""Columns: the scalar variables of a formulation with their bounds and starting values."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.forms import Columns, VariableBlock
from orkernel.errors import DataError
from orkernel.formulation.bind import Binder
from orkernel.formulation.schema import Formulation, VariableDefinition
from orkernel.formulation.values import to_array

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from orkernel.algebra.members import BoundSet

    Floats = NDArray[np.float64]

MAX_COLUMNS = 50_000_000
"""Most scalar variables of a model."""
ROUNDING = 1e-9
"""Relative distance from a whole number that is taken for rounding noise of a computed bound."""


def bind_columns(formulation: Formulation, binder: Binder) -> Columns:
    """Lay out the variables, in formulation order, and evaluate their bounds.

    Registers the blocks in the binder's scope. A binary column's bounds lie within [0, 1], and
    those of every integer column at whole numbers.

    Raises:
        DataError: An unknown index set, or bounds or starting values that do not fit.
        ExpressionError: A bound that cannot be evaluated.
    """
    blocks: list[VariableBlock] = []
    parts: list[tuple[Floats, Floats, Floats]] = []
    offset = 0
    for definition in formulation.variables:
        element = f"variable '{definition.name}'"
        index = binder.index_sets(definition.index, element)
        shape = tuple(len(s) for s in index)
        size = math.prod(shape)
        if offset + size > MAX_COLUMNS:
            raise DataError(
                f"{element}: more than {MAX_COLUMNS:,} scalar variables",
                fix="index it by a set of tuples that holds only the combinations needed",
            )
        blocks.append(VariableBlock(definition.name, index, shape, offset, size))
        parts.append(_bounds(definition, index, size, binder, element))
        offset += size
    for block in blocks:
        binder.scope.variables[block.name] = block
    integer = [
        np.full(block.size, definition.domain != "continuous")
        for block, definition in zip(blocks, formulation.variables, strict=True)
    ]
    lower, upper, start = (
        np.concatenate([part[k] for part in parts]) if parts else np.zeros(0) for k in range(3)
    )
    flags = np.concatenate(integer) if integer else np.zeros(0, np.bool_)
    return Columns(tuple(blocks), lower, upper, flags, start)


def _bounds(
    definition: VariableDefinition,
    index: tuple[BoundSet, ...],
    size: int,
    binder: Binder,
    element: str,
) -> tuple[Floats, Floats, Floats]:
    """Lower bounds, upper bounds and starting values of one variable, flattened."""
    found: list[Floats] = []
    for side, bound, open_end in (
        ("lower", definition.lower, -math.inf),
        ("upper", definition.upper, math.inf),
    ):
        where = f"{element}, {side} bound"
        if bound is None:
            values = np.full(size, open_end)
        elif isinstance(bound, str):
            array = binder.over_index(
                definition.name, bound, definition.for_each, index, where
            ).reshape(-1)
            values = np.where(np.isnan(array), 0.0 if side == "lower" else open_end, array)
        else:
            values = np.full(size, float(to_array(bound, (), where)))
        found.append(values)
    lower, upper = found
    if definition.domain == "binary":
        lower, upper = np.maximum(lower, 0.0), np.minimum(upper, 1.0)
    if definition.domain != "continuous":
        lower, upper = _whole(lower, np.ceil), _whole(upper, np.floor)
    start = np.full(size, np.nan)
    if definition.start is not None:
        given = definition.start
        plain = isinstance(given, (int, float))
        array = to_array(given, () if plain else index, f"{element}, start", binder.trees)
        start = np.full(size, float(array)) if plain else array.reshape(-1)
    return lower, upper, start


def _whole(bounds: Floats, inwards: Callable[[Floats], Floats]) -> Floats:
    """Bounds of integers at whole numbers; one within rounding noise of a number is that."""
    nearest = np.round(bounds)
    noise = ROUNDING * np.maximum(1.0, np.abs(nearest))
    with np.errstate(invalid="ignore"):
        close = np.abs(bounds - nearest) <= noise
    return np.where(close, nearest, inwards(bounds))
