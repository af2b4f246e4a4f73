"""Spaces: the combinations of index values that an expression runs over, as arrays.

A space has rows; each row is one combination. It grows from an outer space by a generator, so
that each of its rows belongs to one row of the outer space, in ascending order. Nothing is
stored for outer indices until an expression asks for them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.members import BoundSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Label:
    """Members of a set: the value of an index over a space.

    Attributes:
        domain: The set.
        component: Which part of a tuple; −1 for whole tuples, 0 for a set of atoms.
        positions: Positions in the set, shape `(rows,)` or `()`.
    """

    domain: BoundSet
    component: int
    positions: Integers

    @property
    def arity(self) -> int:
        """Number of index positions it takes."""
        return self.domain.arity if self.component < 0 else 1

    def codes(self) -> tuple[Integers, ...]:
        """Codes, one array per index position."""
        if self.component < 0:
            return tuple(codes[self.positions] for codes in self.domain.components)
        return (self.domain.components[self.component][self.positions],)

    def objects(self, size: int) -> NDArray[np.object_]:
        """The members as an object array of shape `(size,)`."""
        source = (
            self.domain.objects
            if self.component < 0
            else self.domain.component_objects[self.component]
        )
        return np.broadcast_to(source[self.positions], (size,))


@dataclass(frozen=True, slots=True, eq=False)
class Atoms:
    """Atoms by code: a literal, or members chosen among several sets; shape `(rows,)` or `()`."""

    array: Integers

    arity = 1

    def codes(self) -> tuple[Integers, ...]:
        """Codes, one array for the single index position."""
        return (self.array,)


class Space:
    """Rows of index combinations.

    Args:
        size: Number of rows.
        outer: The space it grew from; None for the root.
        rows: Row of `outer` behind each row, ascending, shape `(size,)`.
        own: Indices bound here, with their values.
    """

    __slots__ = ("memo", "outer", "own", "rows", "size")

    def __init__(
        self,
        size: int = 1,
        outer: Space | None = None,
        rows: Integers | None = None,
        own: Mapping[str, Label] | None = None,
    ) -> None:
        self.size = size
        self.outer = outer
        self.rows = rows
        self.own: dict[str, Label] = dict(own or {})
        self.memo: dict[Any, Any] = {}

    def names(self) -> list[str]:
        """Every index in scope, outermost first."""
        outer = self.outer.names() if self.outer is not None else []
        return outer + [name for name in self.own if name not in outer]

    def get(self, name: str) -> Label | None:
        """Values of an index over the rows, None when it is not in scope."""
        label = self.own.get(name)
        if label is not None or self.outer is None:
            return label
        key = ("index", name)
        if key not in self.memo:
            label = self.outer.get(name)
            self.memo[key] = label if label is None else self._taken(label)
        found: Label | None = self.memo[key]
        return found

    def _taken(self, label: Label) -> Label:
        """An outer label over these rows; the parts of one tuple go on sharing their positions."""
        if self.rows is None or not label.positions.ndim:
            return label
        key = ("positions", id(label.positions))
        if key not in self.memo:
            self.memo[key] = (label.positions, label.positions[self.rows])
        return Label(label.domain, label.component, self.memo[key][1])

    def take(self, rows: Integers) -> Space:
        """The space of some rows, ascending; its outer space is this one."""
        return Space(rows.size, self, rows)

    def fresh(self) -> Space:
        """The same rows with nothing remembered."""
        return Space(self.size, self.outer, self.rows, self.own)

    def rows_in(self, ancestor: Space) -> Integers:
        """Row of an enclosing space behind each row."""
        rows: Integers | None = None
        space: Space = self
        while space is not ancestor:
            assert space.rows is not None
            assert space.outer is not None
            rows = space.rows if rows is None else space.rows[rows]
            space = space.outer
        return np.arange(self.size) if rows is None else rows

    def describe(self, row: int) -> str:
        """`p='Seattle', t=3`: the index values of a row, for messages."""
        parts = []
        for name in self.names():
            label = self.get(name)
            if label is not None:
                member = (
                    label.objects(self.size)[row] if label.positions.ndim else label.objects(1)[0]
                )
                parts.append(f"{name}={member!r}")
        return ", ".join(parts)


def groups(rows: Integers, size: int) -> tuple[Integers, Integers]:
    """Groups of ascending `rows` below `size`: first entry of each that occurs, and which occur."""
    counts = np.bincount(rows, minlength=size)
    present = np.flatnonzero(counts)
    starts = np.concatenate(([0], np.cumsum(counts[present])[:-1])).astype(np.int64)
    return starts[: present.size], present


def ragged(counts: Integers) -> tuple[Integers, Integers]:
    """Expand counts: `(owner, offset)` of each entry, e.g. [2, 0, 1] → [0, 0, 2], [0, 1, 0]."""
    owner = np.repeat(np.arange(counts.size), counts)
    starts = np.cumsum(counts) - counts
    return owner, np.arange(owner.size) - starts[owner]
