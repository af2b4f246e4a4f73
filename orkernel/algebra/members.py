"""Members of index sets as integer codes, so that index work runs on NumPy arrays.

A member is a text, an integer or a tuple of them; each part of it is an *atom*. The code of an
integer is the integer itself; texts are numbered from `TEXT` upwards. Two atoms are equal
exactly when their codes are, whatever set they come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.forms import IndexSet, Member

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]
    Floats = NDArray[np.float64]

TEXT = 1 << 62
"""Codes from here up stand for texts."""
MAX_INTEGER = 1 << 53
"""Largest absolute value of an integer member; every one below is exact as a float."""

Atom = str | int


class Universe:
    """The texts that occur as atoms, numbered in order of appearance."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}
        self._texts: list[str] = []

    def code(self, atom: Atom) -> int:
        """Code of an atom; a new text gets the next number."""
        if isinstance(atom, int):
            return atom
        found = self._codes.get(atom)
        if found is None:
            found = self._codes[atom] = TEXT + len(self._texts)
            self._texts.append(atom)
        return found

    def atom(self, code: int) -> Atom:
        """The atom behind a code."""
        return self._texts[code - TEXT] if code >= TEXT else int(code)

    def codes(self, atoms: Sequence[Atom]) -> Integers:
        """Codes of many atoms."""
        return np.fromiter((self.code(atom) for atom in atoms), np.int64, len(atoms))


class _RangePositions(Mapping[Member, int]):
    """Positions in a range of integers, without a dictionary."""

    def __init__(self, members: range) -> None:
        self._range = members

    def __getitem__(self, member: Member) -> int:
        if isinstance(member, int) and member in self._range:
            return member - self._range.start
        raise KeyError(member)

    def __iter__(self) -> Iterator[Member]:
        return iter(self._range)

    def __len__(self) -> int:
        return len(self._range)


@dataclass(frozen=True, slots=True, eq=False)
class Lookup:
    """Finds members by their codes, one component after the other.

    Attributes:
        atoms: Per component the distinct codes, ascending.
        prefixes: Per component the distinct beginnings of members up to it, ascending, each as
            (number of the shorter beginning) · (number of atoms) + (number of the atom).
        order: Position of the member behind each complete beginning.
    """

    atoms: tuple[Integers, ...]
    prefixes: tuple[Integers, ...]
    order: Integers

    @classmethod
    def over(cls, components: Sequence[Integers]) -> Lookup:
        """Build from the codes of each component, one entry per distinct member."""
        atoms, prefixes = [], []
        numbers = np.zeros(components[0].size, np.int64)
        for component in components:
            distinct, ranks = np.unique(component, return_inverse=True)
            beginnings, numbers = np.unique(numbers * distinct.size + ranks, return_inverse=True)
            atoms.append(distinct)
            prefixes.append(beginnings)
        return cls(tuple(atoms), tuple(prefixes), np.argsort(numbers))

    def find(self, codes: Sequence[Integers]) -> Integers:
        """Position of each member, −1 where there is none."""
        numbers: Integers = np.zeros((), np.int64)
        known: NDArray[np.bool_] = np.ones((), np.bool_)
        for atoms, beginnings, wanted in zip(self.atoms, self.prefixes, codes, strict=True):
            ranks, is_atom = _search(atoms, wanted)
            numbers, is_prefix = _search(beginnings, numbers * atoms.size + ranks)
            known = known & is_atom & is_prefix
        if not self.order.size:
            return np.full(np.shape(numbers), -1, np.int64)
        return np.where(known, self.order[numbers], -1)


def _search(ascending: Integers, wanted: Integers) -> tuple[Integers, NDArray[np.bool_]]:
    """Index of each wanted value (0 where absent) and whether it is there."""
    if not ascending.size:
        return np.zeros(np.shape(wanted), np.int64), np.zeros(np.shape(wanted), np.bool_)
    places = np.minimum(np.searchsorted(ascending, wanted), ascending.size - 1)
    found = ascending[places] == wanted
    return np.where(found, places, 0), found


@dataclass(frozen=True, eq=False)
class BoundSet(IndexSet):
    """An index set with its members as codes.

    Attributes:
        components: Per index position the codes of the members, each of shape `(size,)`.
    """

    components: tuple[Integers, ...] = ()
    _translations: dict[tuple[int, int], tuple[BoundSet, Integers]] = field(
        default_factory=dict, repr=False
    )

    @classmethod
    def from_members(
        cls, name: str, members: Sequence[Any], arity: int, universe: Universe
    ) -> BoundSet:
        """Bind distinct members, all of the same arity (atoms for arity 1)."""
        columns: list[Sequence[Any]] = [members]
        if arity > 1:
            columns = list(zip(*members, strict=True)) if members else [()] * arity
        components = tuple(universe.codes(column) for column in columns)
        position = {member: k for k, member in enumerate(members)}
        return cls(name, tuple(members), arity, position, components)

    @classmethod
    def from_range(cls, name: str, first: int, last: int) -> BoundSet:
        """Bind the integers `first … last`, both included; empty when `last < first`."""
        members = range(first, last + 1)
        codes = np.arange(first, first + len(members), dtype=np.int64)
        return cls(name, tuple(members), 1, _RangePositions(members), (codes,))

    @cached_property
    def numeric(self) -> tuple[bool, ...]:
        """Per component, whether all its atoms are integers."""
        return tuple(not codes.size or int(codes.max()) < TEXT for codes in self.components)

    @cached_property
    def numbers(self) -> tuple[Floats, ...]:
        """Per component the integers as floats, NaN for texts."""
        return tuple(
            np.where(codes < TEXT, codes, np.nan).astype(np.float64) for codes in self.components
        )

    @cached_property
    def first_of_run(self) -> int | None:
        """First member if the set is a run of consecutive ascending integers, else None."""
        codes = self.components[0]
        if self.arity != 1 or not codes.size or codes[-1] >= TEXT or codes[0] >= TEXT:
            return None
        if int(codes[-1]) - int(codes[0]) != codes.size - 1 or np.any(np.diff(codes) != 1):
            return None
        return int(codes[0])

    @cached_property
    def lookup(self) -> Lookup:
        """Search structure over the members."""
        return Lookup.over(self.components)

    def find(self, codes: Sequence[Integers]) -> Integers:
        """Positions of members given by the codes of their parts, −1 where absent."""
        if self.first_of_run is not None:
            shifted = codes[0] - self.first_of_run
            inside = (shifted >= 0) & (shifted < len(self))
            return np.where(inside, shifted, -1)
        return self.lookup.find(codes)

    def translate(self, source: BoundSet, component: int) -> Integers:
        """Position in this set of each member of `source` (of one component, or −1: all of it)."""
        key = (id(source), component)
        if key not in self._translations:
            codes = source.components if component < 0 else (source.components[component],)
            self._translations[key] = (source, self.find(codes))
        return self._translations[key][1]

    @cached_property
    def objects(self) -> NDArray[np.object_]:
        """The members as an object array."""
        return np.fromiter(self.members, np.object_, len(self.members))

    @cached_property
    def component_objects(self) -> tuple[NDArray[np.object_], ...]:
        """Per component the atoms as an object array."""
        if self.arity == 1:
            return (self.objects,)
        columns: list[Sequence[Any]] = [()] * self.arity
        if self.members:
            columns = list(zip(*self.members, strict=True))
        return tuple(np.fromiter(column, np.object_, len(self.members)) for column in columns)
