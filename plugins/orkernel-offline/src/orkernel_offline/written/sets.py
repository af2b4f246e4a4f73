"""Index sets of a statement: named, anonymous, derived, or read from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written import values
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.values import is_whole

Atom = int | str
Member = Atom | tuple[Atom, ...]
MAX_MEMBERS = 1_000_000
Span = tuple[int, int]


@dataclass(slots=True)
class IndexSet:
    """An index set.

    Attributes:
        name: Its identifier in the formulation.
        members: Its members in order; None when a file holds them.
        width: How many index positions a member fills.
        spans: Where the statement gives it.
        file: CSV file and columns, when the members are there.
        description: What the statement calls its members.
    """

    name: str
    members: tuple[Member, ...] | None
    width: int = 1
    spans: list[Span] = field(default_factory=list)
    file: tuple[str, tuple[str, ...]] | None = None
    description: str = ""

    @property
    def bounds(self) -> tuple[int, int] | None:
        """First and last member when these are consecutive whole numbers."""
        return consecutive(self.members) if self.members else None


def consecutive(members: tuple[Member, ...]) -> tuple[int, int] | None:
    """First and last of `members` when they are consecutive whole numbers in order."""
    numbers = [m for m in members if isinstance(m, int)]
    if not numbers or len(numbers) != len(members):
        return None
    first = numbers[0]
    if numbers != list(range(first, first + len(numbers))):
        return None
    return first, numbers[-1]


class SetTable:
    """All index sets, by name, and the values of the scalars that size them."""

    def __init__(self, known: Mapping[str, values.Number], taken: set[str]) -> None:
        self.known = dict(known)
        self.sets: dict[str, IndexSet] = {}
        self.pending_builders: list[tuple[str, n.Clause]] = []
        self._taken = taken

    def define(self, name: str, node: Node, span: Span) -> IndexSet:
        """Register the set that the statement calls `name`.

        Raises:
            Unreadable: Its members are not understood, or it is defined differently elsewhere.
        """
        found = self._read(node, name)
        found.spans.append(span)
        before = self.sets.get(name)
        if before is not None:
            if before.members != found.members:
                raise Unreadable(f"the set {name} is given twice, differently", (span,))
            before.spans.append(span)
            return before
        self.sets[name] = found
        return found

    def anonymous(self, node: Node, letter: str) -> IndexSet:
        """The set of a domain that has no name, such as `1, …, n` for the index `letter`."""
        found = self._read(node, "")
        for existing in self.sets.values():
            if existing.members == found.members and (
                existing.description == letter or not found.name
            ):
                return existing
        found.name = self.fresh(letter.upper() if len(letter) == 1 else letter)
        found.description = letter
        found.spans.append((node.start, node.end))
        self.sets[found.name] = found
        return found

    def of_members(self, letter: str, members: tuple[Member, ...], span: Span) -> IndexSet:
        """Register a set by its members, named after an index letter."""
        for existing in self.sets.values():
            if existing.members == members:
                return existing
        name = self.fresh(letter.upper() if len(letter) == 1 else letter)
        width = len(members[0]) if members and isinstance(members[0], tuple) else 1
        self.sets[name] = IndexSet(name, members, width, [span])
        return self.sets[name]

    def fresh(self, wanted: str) -> str:
        """A name that nothing else in the statement has."""
        candidate, number = wanted, 1
        while candidate in self._taken or candidate in self.sets:
            number += 1
            candidate = f"{wanted}_set" if number == 2 else f"{wanted}_set{number}"
        return candidate

    # -- members --------------------------------------------------------------------------

    def _read(self, node: Node, name: str) -> IndexSet:
        if isinstance(node, n.Sym):
            known = self.sets.get(node.name)
            if known is None:
                raise _unknown_set(node)
            return IndexSet(name or known.name, known.members, known.width)
        if isinstance(node, n.RangeSet | n.Interval):
            return IndexSet(name, self._range(node.lo, node.hi, node))
        if isinstance(node, n.SetLit):
            return self._literal(node, name)
        if isinstance(node, n.SetMinus):
            left, right = self._read(node.left, ""), self._read(node.right, "")
            kept = tuple(m for m in left.members or () if m not in set(right.members or ()))
            return IndexSet(name, kept, left.width)
        if isinstance(node, n.SetTimes):
            return self._product(node, name)
        raise Unreadable("this set is not understood", ((node.start, node.end),))

    def _range(self, lo: Node, hi: Node, node: Node) -> tuple[Member, ...]:
        first, last = values.whole(lo, self.known), values.whole(hi, self.known)
        for end, value in ((lo, first), (hi, last)):
            if value is None:
                raise Unreadable("the end of this range has no value", ((end.start, end.end),))
        assert first is not None
        assert last is not None
        if last < first:
            raise Unreadable("this range is empty", ((node.start, node.end),))
        if last - first >= MAX_MEMBERS:
            raise Unreadable("this range is too long", ((node.start, node.end),))
        return tuple(range(first, last + 1))

    def _literal(self, node: n.SetLit, name: str) -> IndexSet:
        items = node.items
        if any(isinstance(i, n.Dots) for i in items):
            return IndexSet(name, self._with_dots(node))
        members = tuple(self.member(i) for i in items)
        if len(set(members)) != len(members):
            raise Unreadable("this set names a member twice", ((node.start, node.end),))
        widths = {len(m) if isinstance(m, tuple) else 1 for m in members}
        if len(widths) > 1:
            raise Unreadable("the members of this set differ in length", ((node.start, node.end),))
        return IndexSet(name, members, widths.pop() if widths else 1)

    def _with_dots(self, node: n.SetLit) -> tuple[Member, ...]:
        items = [i for i in node.items if not isinstance(i, n.Dots)]
        numbers = [values.whole(i, self.known) for i in items]
        if None in numbers or len(items) < 2 or not isinstance(node.items[-2], n.Dots):
            raise Unreadable("this ellipsis has no clear meaning", ((node.start, node.end),))
        given = [k for k in numbers if k is not None]
        first, last = given[0], given[-1]
        step = given[1] - given[0] if len(given) > 2 else 1
        if step <= 0 or (last - first) % step or last - first > MAX_MEMBERS:
            raise Unreadable("this ellipsis has no clear meaning", ((node.start, node.end),))
        members = tuple(range(first, last + 1, step))
        if members[: len(given) - 1] != tuple(given[:-1]):
            raise Unreadable("this ellipsis has no clear meaning", ((node.start, node.end),))
        return members

    def member(self, node: Node) -> Member:
        """A member of a set literal."""
        if isinstance(node, n.Vector):
            parts = tuple(self.member(i) for i in node.items)
            return tuple(p for p in parts if not isinstance(p, tuple))
        if isinstance(node, n.Num) and is_whole(node.text):
            return int(node.text)
        if isinstance(node, n.Num):
            return node.text
        if isinstance(node, n.Sym):
            if node.name in self.known and not node.styled:
                value = values.whole(node, self.known)
                if value is not None:
                    return value
            return label_text(node)
        if isinstance(node, n.Member):
            return int(node.text) if is_whole(node.text) else node.text
        raise Unreadable("this member is not understood", ((node.start, node.end),))

    def _product(self, node: n.SetTimes, name: str) -> IndexSet:
        parts = [self._read(p, "") for p in node.parts]
        rows: list[tuple[Atom, ...]] = [()]
        for part in parts:
            rows = [
                (*row, *(m if isinstance(m, tuple) else (m,)))
                for row in rows
                for m in part.members or ()
            ]
            if len(rows) > MAX_MEMBERS:
                raise Unreadable("this product of sets is too large", ((node.start, node.end),))
        return IndexSet(name, tuple(rows), sum(p.width for p in parts))


def label_text(node: n.Sym) -> str:
    """A symbol used as a label, such as `A` or `p_1`, as text."""
    parts = [node.name]
    for sub in node.subs:
        parts.append(sub.text if isinstance(sub, n.Num) else getattr(sub, "name", ""))
    return "_".join(p for p in parts if p)


def _unknown_set(node: n.Sym) -> Unreadable:
    return Unreadable(
        f"the set {node.name} is not given; list it, for example {node.name} = {{1, ..., 5}}",
        ((node.start, node.end),),
    )
