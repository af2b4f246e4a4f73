"""Nested lists and objects of a formulation as arrays over index sets, and back."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.forms import IndexSet
from orkernel.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

Keys = dict[str, Any]
"""Texts of members, nested one level per index position, down to positions in the set."""


def key_tree(index_set: IndexSet) -> Keys:
    """Positions of the members under their texts, one level per index position."""
    if index_set.arity == 1:
        return {str(member): k for k, member in enumerate(index_set.members)}
    tree: Keys = {}
    for k, member in enumerate(index_set.members):
        assert isinstance(member, tuple)
        level = tree
        for part in member[:-1]:
            level = level.setdefault(str(part), {})
        level[str(member[-1])] = k
    return tree


def to_array(
    value: Any, index: Sequence[IndexSet], where: str, trees: dict[str, Keys] | None = None
) -> Floats:
    """Read a number, nested lists in set order, or nested objects keyed by member.

    Args:
        value: From JSON.
        index: The index sets.
        where: The element, e.g. `parameter 'cost'`; starts every message.
        trees: Key trees by set name, filled on demand, shared between calls.

    Returns:
        Array with one axis per set; NaN where no entry is given.

    Raises:
        DataError: Wrong nesting, an unknown member, or not a finite number.
    """
    shape = tuple(len(s) for s in index)
    array = np.full(math.prod(shape), np.nan)
    _Reader(index, shape, where, {} if trees is None else trees).read(value, 0, 0, array, ())
    return array.reshape(shape)


class _Reader:
    def __init__(
        self, index: Sequence[IndexSet], shape: tuple[int, ...], where: str, trees: dict[str, Keys]
    ) -> None:
        self.index = index
        self.where = where
        self.strides = [math.prod(shape[k + 1 :]) for k in range(len(shape))]
        self.trees = trees

    def read(
        self, value: Any, level: int, offset: int, array: Floats, path: tuple[str, ...]
    ) -> None:
        """Read the part of the data below the first `level` sets into `array`."""
        if level == len(self.index):
            array[offset] = self._number(value, path)
            return
        index_set, stride = self.index[level], self.strides[level]
        innermost = level == len(self.index) - 1
        if isinstance(value, (list, tuple)):
            if len(value) != len(index_set):
                raise self._error(
                    f"a list of {len(value)} is given for '{index_set.name}', "
                    f"which has {len(index_set)} members",
                    path,
                )
            if innermost:
                array[offset : offset + len(value)] = self._numbers(value, path)
            else:
                for k, part in enumerate(value):
                    self.read(
                        part,
                        level + 1,
                        offset + k * stride,
                        array,
                        (*path, str(index_set.members[k])),
                    )
        elif isinstance(value, Mapping):
            tree = self.trees.get(index_set.name)
            if tree is None:
                tree = self.trees[index_set.name] = key_tree(index_set)
            if innermost and index_set.arity == 1 and list(value) == list(tree):
                array[offset : offset + len(value)] = self._numbers(
                    list(value.values()), path, list(value)
                )
            else:
                self._object(value, tree, level, offset, array, path)
        else:
            raise self._error(
                f"a value is given where one for each member of '{index_set.name}' is expected",
                path,
                "give an object keyed by member, a list in set order, or a default for all",
            )

    def _object(
        self,
        value: Mapping[str, Any],
        tree: Keys,
        level: int,
        offset: int,
        array: Floats,
        path: tuple[str, ...],
    ) -> None:
        index_set, stride = self.index[level], self.strides[level]
        for key, part in value.items():
            below = tree.get(key)
            if below is None:
                close = difflib.get_close_matches(key, list(tree), n=1)
                raise self._error(
                    f"'{key}' is not a member of '{index_set.name}'"
                    if index_set.arity == 1
                    else f"no member of '{index_set.name}' has '{key}' here",
                    path,
                    f"did you mean '{close[0]}'?" if close else "",
                )
            if isinstance(below, dict):
                if not isinstance(part, Mapping):
                    raise self._error(
                        f"members of '{index_set.name}' have {index_set.arity} parts; "
                        "an object is expected for the next part",
                        (*path, key),
                    )
                self._object(part, below, level, offset, array, (*path, key))
            else:
                self.read(part, level + 1, offset + below * stride, array, (*path, key))

    def _numbers(
        self, values: Sequence[Any], path: tuple[str, ...], keys: Sequence[str] = ()
    ) -> Floats:
        if set(map(type, values)) <= {int, float}:
            try:
                array = np.array(values, np.float64)
            except OverflowError:
                array = np.array([np.nan])
            if np.isfinite(array).all():
                return array
        names = keys or [f"entry {k + 1}" for k in range(len(values))]
        return np.array(
            [self._number(v, (*path, name)) for v, name in zip(values, names, strict=True)]
        )

    def _number(self, value: Any, path: tuple[str, ...]) -> float:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            shown = (
                "a list"
                if isinstance(value, (list, tuple))
                else "an object"
                if isinstance(value, Mapping)
                else "nothing"
                if value is None
                else repr(value)
            )
            fix = (
                "" if self.index else "name the index sets in 'index' if it is not a single number"
            )
            raise self._error(f"a number is expected, {shown} is given", path, fix)
        try:
            number = float(value)
        except OverflowError:
            raise self._error("the number is too large", path, "write one below 1e308") from None
        if not math.isfinite(number):
            raise self._error(f"{number} is not a finite number", path)
        return number

    def _error(self, message: str, path: tuple[str, ...], fix: str = "") -> DataError:
        place = f" at {' → '.join(path)}" if path else ""
        return DataError(f"{self.where}{place}: {message}", fix=fix)


def member_text(index: Sequence[IndexSet], flat: int) -> str:
    """`[Seattle, 3]`: the member behind a position of the flattened array."""
    parts: list[str] = []
    for index_set, k in zip(
        index, np.unravel_index(flat, tuple(len(s) for s in index)), strict=True
    ):
        member = index_set.members[int(k)]
        parts.extend(map(str, member if isinstance(member, tuple) else (member,)))
    return f"[{', '.join(parts)}]"


def nest_grid(index: Sequence[IndexSet], numbers: Sequence[Any]) -> Any:
    """Numbers of a whole grid, in C order over `index`, as nested objects."""
    if not index:
        return numbers[0]
    first, *rest = index
    stride = math.prod(len(s) for s in rest)

    def below(level: Keys) -> dict[str, Any]:
        found = {}
        for key, position in level.items():
            if isinstance(position, dict):
                found[key] = below(position)
            else:
                part = numbers[position * stride : (position + 1) * stride]
                found[key] = nest_grid(rest, part)
        return found

    tree = key_tree(first)
    if not rest and first.arity == 1:
        return dict(zip(tree, numbers, strict=True))
    return below(tree)


def nest(members: Sequence[Iterable[Any]], numbers: Sequence[Any]) -> Any:
    """Numbers as nested objects keyed by text, one level per position.

    Args:
        members: Per position the member of each number; empty for a single number.
        numbers: The values.
    """
    if not members:
        return numbers[0]
    tree: dict[str, Any] = {}
    *upper, last = [[str(m) for m in column] for column in members]
    if not upper:
        return dict(zip(last, numbers, strict=True))
    for *path, key, number in zip(*upper, last, numbers, strict=True):
        level = tree
        for part in path:
            level = level.setdefault(part, {})
        level[key] = number
    return tree
