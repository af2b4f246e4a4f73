"""Members of sets such as `{t in T : t > 3}`, found by going through them."""

from __future__ import annotations

from collections.abc import Iterable

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.bound import Bound, Const, Idx, Ref, SetName
from orkernel_offline.written.facts import Facts
from orkernel_offline.written.nodes import Clause, Node
from orkernel_offline.written.scope import Binder
from orkernel_offline.written.sets import Atom, Member
from orkernel_offline.written.shifts import compare
from orkernel_offline.written.values import is_whole


def build_sets(facts: Facts, binder: Binder) -> None:
    for name, clause in facts.table.pending_builders:
        assert isinstance(clause.body, n.Compare)
        builder = clause.body.operands[0]
        assert isinstance(builder, n.SetBuilder)
        quants = builder.quants
        target = builder.target
        if isinstance(target, n.Gen):
            quants = (target, *quants)
            letters: tuple[str, ...] = target.targets
        elif isinstance(target, n.Vector):
            letters = tuple(i.name for i in target.items if isinstance(i, n.Sym))
        elif isinstance(target, n.Sym):
            letters = (target.name,)
        else:
            raise Unreadable("this set is not understood", ((target.start, target.end),))
        fake = Clause(clause.start, clause.end, "relation", _letters_node(target, letters),
                      quants=quants)  # fmt: skip
        bound = binder.bind(fake)
        members = tuple(_enumerate(facts, binder, bound, letters))
        found = facts.table.sets[name]
        found.members = members
        found.width = len(letters)
        found.spans.append((clause.start, clause.end))


def _letters_node(target: Node, letters: tuple[str, ...]) -> Node:
    items = tuple(n.Sym(target.start, target.end, x) for x in letters)
    return n.Vector(target.start, target.end, items)


def _enumerate(
    facts: Facts, binder: Binder, bound: Bound, letters: tuple[str, ...]
) -> Iterable[Member]:
    partial: list[dict[int, Atom]] = [{}]
    for loop in bound.loops:
        if loop.domain is None:
            raise Unreadable("this set does not say what its index runs over",
                             ((loop.start, loop.end),))  # fmt: skip
        rows: list[dict[int, Atom]] = []
        for row in partial:
            for member in facts.table.sets[loop.domain].members or ():
                parts = member if isinstance(member, tuple) else (member,)
                rows.append({**row, **dict(zip(loop.bindings, parts, strict=False))})
                if len(rows) > 1_000_000:
                    raise Unreadable("this set is too large", ((bound.start, bound.end),))
        partial = rows
    assert isinstance(bound.body, n.Vector)
    indices = [i.binding for i in bound.body.items if isinstance(i, Idx)]
    if len(indices) != len(letters):
        raise Unreadable("this set is not understood", ((bound.start, bound.end),))
    for row in partial:
        if all(_holds(facts, c, row) for c in bound.conditions):
            parts = tuple(row[i] for i in indices)
            yield parts if len(parts) > 1 else parts[0]


def _holds(facts: Facts, condition: Node, row: dict[int, Atom]) -> bool:
    if not isinstance(condition, n.Compare):
        raise Unreadable("this condition is not understood", ((condition.start, condition.end),))
    operands = [condition.heads[0], *condition.operands]
    for left, op, right in zip(operands, condition.ops, operands[1:], strict=False):
        if isinstance(right, SetName):
            heads = left.items if isinstance(left, n.Vector) else condition.heads
            parts = tuple(_member(h, row) for h in heads)
            member = parts if len(parts) > 1 else parts[0]
            inside = member in set(facts.table.sets[right.name].members or ())
            if inside != (op == "in"):
                return False
            continue
        a, b = _member(left, row), _member(right, row)
        if isinstance(a, int) and isinstance(b, int):
            if not compare(a, op, b):
                return False
        elif op not in ("=", "!=") or (a == b) != (op == "="):
            return False
    return True


def _member(node: Node, row: dict[int, Atom]) -> Atom:
    match node:
        case Idx():
            return row[node.binding]
        case Const():
            return node.member
        case n.Num() if is_whole(node.text):
            return int(node.text)
        case Ref() if not node.indices:
            return node.name
        case n.Bin(op="+" | "-"):
            left, right = _member(node.left, row), _member(node.right, row)
            if isinstance(left, int) and isinstance(right, int):
                return left + right if node.op == "+" else left - right
    raise Unreadable("this condition is not understood", ((node.start, node.end),))
