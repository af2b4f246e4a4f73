"""Data that the statement gives for its parameters, by family and index."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written import values
from orkernel_offline.written.bound import Bound, Const, Idx, Key, Ref
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.sets import Atom, SetTable
from orkernel_offline.written.values import Number

Span = tuple[int, int]
Members = tuple[Atom, ...]


@dataclass(slots=True)
class Datum:
    """What is known of one parameter.

    Attributes:
        key: Its family.
        entries: Value by members, one per index.
        dense: Values in set order, nested one level per index, when no members are named.
        default: One value for every index.
        letters: The index letters that the statement uses with it, None where it uses none.
        spans: Where the data stand.
        file: CSV file, index columns and value column.
        by_order: Whether rows of a table stand for 1, 2, … although they have other labels.
    """

    key: Key
    entries: dict[Members, Number] = field(default_factory=dict)
    dense: list[object] | None = None
    default: Number | None = None
    letters: tuple[str | None, ...] = ()
    spans: list[Span] = field(default_factory=list)
    file: tuple[str, tuple[str, ...], str] | None = None
    by_order: bool = False

    def axis(self, position: int) -> Members:
        """Members at one index position, in the order given; 1, 2, … for dense data."""
        if self.dense is not None:
            level: object = self.dense
            for _ in range(position):
                level = level[0] if isinstance(level, list) else []
            return tuple(range(1, len(level) + 1)) if isinstance(level, list) else ()
        return tuple(dict.fromkeys(key[position] for key in self.entries))


class Data:
    """Collects the data of a statement."""

    def __init__(self, table: SetTable) -> None:
        self.table = table
        self.by_key: dict[Key, Datum] = {}

    def add(self, datum: Datum) -> None:
        """Merge what is said in another place about the same parameter.

        Raises:
            Unreadable: The two places disagree.
        """
        known = self.by_key.get(datum.key)
        if known is None:
            self.by_key[datum.key] = datum
            return
        clash = [k for k, v in datum.entries.items() if known.entries.get(k, v) != v]
        both = known.dense is not None and datum.dense is not None and known.dense != datum.dense
        if clash or both or (datum.dense is None) != (known.dense is None):
            raise Unreadable(
                f"{datum.key[0]} is given twice, differently", (*datum.spans, *known.spans)
            )
        known.entries.update(datum.entries)
        known.spans.extend(datum.spans)
        known.default = known.default if datum.default is None else datum.default

    def take(self, bound: Bound, declared: set[Key]) -> bool:
        """Whether `bound` gives data; it is then recorded.

        Args:
            bound: A clause.
            declared: Families known to be variables.

        Raises:
            Unreadable: A vector or matrix that has no clear meaning.
        """
        body = bound.body
        if not isinstance(body, n.Compare) or body.ops != ("=",):
            return False
        operand = body.operands[0]
        if isinstance(body.heads[0], n.Vector) and isinstance(operand, n.Vector):
            return self._pairs(bound, body.heads[0], operand, declared)
        head = body.heads[0]
        if len(body.heads) != 1 or not isinstance(head, Ref):
            return False
        if isinstance(operand, n.Call) and operand.func == "transpose":
            operand = operand.args[0]
        if isinstance(operand, n.Vector | n.Matrix | n.Mapping | n.SetLit):
            if head.key in declared:
                raise Unreadable(
                    f"{head.name} is a variable and has data", ((bound.start, bound.end),)
                )
            self.add(self._several(bound, head, operand))
            return True
        value = values.constant(operand, self.table.known)
        if value is None or head.key in declared or bound.clause.words:
            return False
        return self._single(bound, head, value)

    def _single(self, bound: Bound, head: Ref, value: Number) -> bool:
        span = (bound.start, bound.end)
        if all(isinstance(i, Const) for i in head.indices):
            members = tuple(i.member for i in head.indices if isinstance(i, Const))
            self.add(Datum(head.key, {members: value}, spans=[span]))
            return True
        letters = [i.binding for i in head.indices if isinstance(i, Idx)]
        if len(set(letters)) == len(head.indices) and not bound.conditions:
            self.add(Datum(head.key, default=value, spans=[span]))
            return True
        return False

    def _pairs(self, bound: Bound, heads: n.Vector, operand: n.Vector, declared: set[Key]) -> bool:
        refs = [h for h in heads.items if isinstance(h, Ref)]
        if len(refs) != len(heads.items) or len(refs) != len(operand.items):
            raise Unreadable("these lists differ in length", ((bound.start, bound.end),))
        if any(r.key in declared for r in refs):
            return False
        for ref, item in zip(refs, operand.items, strict=True):
            value = values.constant(item, self.table.known)
            if value is None or not all(isinstance(i, Const) for i in ref.indices):
                return False
            members = tuple(i.member for i in ref.indices if isinstance(i, Const))
            self.add(Datum(ref.key, {members: value}, spans=[(bound.start, bound.end)]))
        return True

    def _several(self, bound: Bound, head: Ref, operand: Node) -> Datum:
        span = (bound.start, bound.end)
        fixed = [i for i in head.indices if isinstance(i, Const)]
        if isinstance(operand, n.Mapping):
            entries = {self._members(k): self._number(v) for k, v in operand.items}
            arity = len(next(iter(entries)))
            return Datum((head.name, arity), entries, spans=[span])
        if fixed:
            return self._row(bound, head, operand)
        if isinstance(operand, n.Matrix):
            rows: list[object] = [[self._number(i) for i in r.items] for r in operand.rows]
            return Datum((head.name, 2), dense=rows, spans=[span])
        assert isinstance(operand, n.Vector | n.SetLit)
        flat: list[object] = [self._number(i) for i in operand.items]
        return Datum((head.name, 1), dense=flat, spans=[span])

    def _row(self, bound: Bound, head: Ref, operand: Node) -> Datum:
        """`c_{1j} = (3, 5, 2)`: one row of a matrix."""
        if not isinstance(operand, n.Vector):
            raise Unreadable("this row of data is not understood", ((bound.start, bound.end),))
        entries: dict[Members, Number] = {}
        for at, item in enumerate(operand.items, start=1):
            members = tuple(i.member if isinstance(i, Const) else at for i in head.indices)
            entries[members] = self._number(item)
        if len(entries) != len(operand.items):
            raise Unreadable("this row of data is not understood", ((bound.start, bound.end),))
        return Datum(head.key, entries, spans=[(bound.start, bound.end)])

    def _members(self, node: Node) -> Members:
        member = self.table.member(node)
        return member if isinstance(member, tuple) else (member,)

    def _number(self, node: Node) -> Number:
        value = values.constant(node, self.table.known)
        if value is None:
            raise Unreadable("a number is expected here", ((node.start, node.end),))
        return value


def nested(datum: Datum, axes: list[Members]) -> object:
    """The data as the formulation writes them, complete over `axes`.

    Raises:
        Unreadable: An entry is missing, or the shape does not fit the index sets.
    """
    span = tuple(datum.spans)
    name = datum.key[0]
    if datum.dense is not None:
        shape = [len(datum.axis(k)) for k in range(len(axes))]
        if shape != [len(a) for a in axes] or not _is_regular(datum.dense, shape):
            wanted = " by ".join(str(len(a)) for a in axes)
            raise Unreadable(f"{name} has {' by '.join(map(str, shape))} entries but its index "
                             f"sets have {wanted} members", span)  # fmt: skip
        return datum.dense
    if not axes:
        return datum.entries[()]
    members = [set(a) for a in axes]
    for key in datum.entries:
        for position, member in enumerate(key):
            if member not in members[position]:
                raise Unreadable(f"{name} has a value for {member}, which is not in its index set",
                                 span)  # fmt: skip
    if datum.default is None:
        for key in itertools.product(*axes):
            if key not in datum.entries:
                where = ", ".join(map(str, key))
                raise Unreadable(f"{name}[{where}] has no value", span)
    return _objects(datum.entries, axes, ())


def _objects(entries: dict[Members, Number], axes: list[Members], prefix: Members) -> object:
    if len(prefix) == len(axes):
        return entries[prefix]
    out: dict[str, object] = {}
    for member in axes[len(prefix)]:
        deeper = (*prefix, member)
        if any(key[: len(deeper)] == deeper for key in entries):
            out[str(member)] = _objects(entries, axes, deeper)
    return out


def _is_regular(level: object, shape: list[int]) -> bool:
    if not shape:
        return not isinstance(level, list)
    if not isinstance(level, list) or len(level) != shape[0]:
        return False
    return all(_is_regular(item, shape[1:]) for item in level)
