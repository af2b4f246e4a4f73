"""Generators: growing a space by `for … in … if …` without building what conditions remove.

A condition on the outer indices alone removes rows first; one on the new indices alone removes
members first; equalities (`c == cluster[i]`) and memberships (`(i, j) in ARC`) that tie new to
outer indices become joins. What is left is tested in blocks of bounded size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeGuard

import numpy as np

from orkernel.algebra.members import TEXT, BoundSet
from orkernel.algebra.nodes import (
    Binary,
    Call,
    Compare,
    Comprehension,
    Generator,
    Logic,
    Name,
    Node,
    Subscript,
)
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.relations import key
from orkernel.algebra.space import Label, Space, ragged
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.data import DataEvaluator

    Integers = NDArray[np.int64]

MAX_ROWS = 50_000_000
"""Most combinations that one comprehension or `for_each` may have."""
MAX_TESTED = 2_000_000_000
"""Most combinations that conditions may be tested on, one by one."""
BLOCK = 4_000_000
"""Combinations tested at a time."""


def extend(data: DataEvaluator, space: Space, generators: Iterable[Generator]) -> Space:
    """The space grown by generators, left to right.

    Raises:
        ExpressionError: Unknown set, wrong number of names, or too many combinations.
    """
    for generator in generators:
        space = _extend(data, space, generator)
    return space


def collect(data: DataEvaluator, node: Node, name: str) -> BoundSet:
    """The set of the values of a list or comprehension, in order, repetitions dropped."""
    if isinstance(node, Comprehension):
        inner = extend(data, Space(), node.generators)
        rows = [(_components(data, node.element, inner), inner.size)]
    elif isinstance(node, Display):
        rows = [(_components(data, item, Space()), 1) for item in node.items]
    else:
        raise ExpressionError(
            "a list is expected", span=node.span, fix="write [t for t in T if …] or [a, b]"
        )
    arities = {len(components) for components, _ in rows}
    if len(arities) > 1:
        raise ExpressionError(
            "members of one set must have the same number of parts", span=node.span
        )
    arity = arities.pop() if arities else 1
    columns = [
        np.concatenate([np.broadcast_to(c[k], (size,)) for c, size in rows])
        if rows
        else np.zeros(0, np.int64)
        for k in range(arity)
    ]
    atom = data.scope.universe.atom
    atoms = [[atom(code) for code in column.tolist()] for column in columns]
    members = atoms[0] if arity == 1 else list(zip(*atoms, strict=True))
    distinct = list(dict.fromkeys(members))
    return BoundSet.from_members(name, distinct, arity, data.scope.universe)


def _components(data: DataEvaluator, node: Node, space: Space) -> list[Integers]:
    if isinstance(node, Display):
        return [c for item in node.items for c in _components(data, item, space)]
    value = data.value(node, space)
    if isinstance(value, np.ndarray) and np.any(np.rint(value) != value):
        raise data.failure(
            "members are texts or integers, not fractions", node, space, np.rint(value) != value
        )
    return list(data.codes(value, node))


@dataclass(slots=True)
class _Plan:
    """How the conditions of one generator are used."""

    rows: list[Node] = field(default_factory=list)
    members: list[Node] = field(default_factory=list)
    equalities: list[tuple[Node, Node]] = field(default_factory=list)
    membership: Compare | None = None
    rest: list[Node] = field(default_factory=list)


def _conjuncts(conditions: Iterable[Node]) -> Iterable[Node]:
    for condition in conditions:
        if isinstance(condition, Logic) and condition.op == "and":
            yield from _conjuncts(condition.operands)
        else:
            yield condition


def _total(node: Node) -> bool:
    """Whether evaluating it cannot fail, so that it may be moved before other conditions."""
    return not any(
        isinstance(part, (Subscript, Call))
        or (isinstance(part, Binary) and part.op != "*" and part.op not in "+-")
        for part in node.walk()
    )


def _plan(generator: Generator, outer: frozenset[str]) -> _Plan:
    plan = _Plan()
    new = frozenset(generator.targets)
    outer = outer - new
    guarded = False
    for condition in _conjuncts(generator.conditions):
        used = _names(condition)
        on_new, on_outer = bool(used & new), bool(used & outer)
        movable = not guarded or _total(condition)
        if movable and not on_new:
            plan.rows.append(condition)
        elif movable and not on_outer:
            plan.members.append(condition)
        elif movable and (pair := _equality(condition, new, outer)):
            plan.equalities.append(pair)
            guarded = True
        elif movable and plan.membership is None and _covers(condition, generator.targets):
            plan.membership = condition
            guarded = True
        else:
            plan.rest.append(condition)
            guarded = True
    return plan


def _names(node: Node) -> frozenset[str]:
    return frozenset(part.id for part in node.walk() if isinstance(part, Name))


def _equality(node: Node, new: frozenset[str], outer: frozenset[str]) -> tuple[Node, Node] | None:
    """`(side of new indices, side of outer ones)` of an equality that a join can use."""
    if not (isinstance(node, Compare) and node.ops == ("==",)):
        return None
    left, right = node.operands
    if isinstance(left, Display) or isinstance(right, Display):
        return None
    for a, b in ((left, right), (right, left)):
        if not _names(a) & outer and not _names(b) & new:
            return a, b
    return None


def _covers(node: Node, targets: Sequence[str]) -> TypeGuard[Compare]:
    """Whether it is `(…, i, …) in S` that names every target exactly once, bare."""
    if not (isinstance(node, Compare) and node.ops == ("in",)):
        return False
    left, right = node.operands
    if not isinstance(left, Display) or isinstance(right, Display):
        return False
    bare = [item.id for item in left.items if isinstance(item, Name) and item.id in targets]
    others = [item for item in left.items if not (isinstance(item, Name) and item.id in targets)]
    return sorted(bare) == sorted(targets) and not any(
        isinstance(item, Display) or _names(item) & set(targets) for item in others
    )


def _labels(domain: BoundSet, targets: Sequence[str], positions: Integers) -> dict[str, Label]:
    if len(targets) == 1:
        return {targets[0]: Label(domain, -1 if domain.arity > 1 else 0, positions)}
    return {name: Label(domain, k, positions) for k, name in enumerate(targets)}


def _extend(data: DataEvaluator, space: Space, generator: Generator) -> Space:
    domain = data.source(generator.source)
    targets = generator.targets
    if not len(domain) and len(targets) != domain.arity:
        domain = BoundSet.from_members(domain.name, [], len(targets), data.scope.universe)
    if len(targets) not in (1, domain.arity):
        raise ExpressionError(
            f"members of '{domain.name}' have {domain.arity} part(s), {len(targets)} names given",
            span=generator.span,
        )
    for name in targets:
        kind = data.scope.kind(name)
        if kind:
            raise ExpressionError(
                f"the index '{name}' has the name of a {kind}",
                span=generator.span,
                fix="rename the index",
            )
    plan = _plan(generator, frozenset(space.names()))
    rows = _filter(data, space, plan.rows)
    members = np.arange(len(domain))
    if plan.members and rows.size:
        alone = Space(len(domain), None, None, _labels(domain, targets, members))
        try:
            members = _filter(data, alone, plan.members)
        except ExpressionError:
            plan.rest = plan.members + plan.rest
            members = np.arange(len(domain))
    pairs = None
    if (plan.equalities or plan.membership is not None) and rows.size and members.size:
        pairs = _joined(data, space, generator, domain, plan, rows, members)
    if pairs is None:
        rest = [
            *(Compare(pair, ("==",)) for pair in plan.equalities),
            *([plan.membership] if plan.membership is not None else []),
            *plan.rest,
        ]
        pairs = _crossed(data, space, generator, domain, rest, rows, members)
    owners, positions = pairs
    return Space(owners.size, space, owners, _labels(domain, targets, positions))


def _filter(data: DataEvaluator, space: Space, conditions: Sequence[Node]) -> Integers:
    """Rows that meet all conditions, each tested only where the ones before hold."""
    kept = np.arange(space.size)
    current = space
    for condition in conditions:
        if not kept.size:
            break
        truth = np.broadcast_to(data.truth(condition, current), (current.size,))
        if not truth.all():
            kept = kept[truth]
            current = space.take(kept)
    return kept


def _too_many(generator: Generator, count: float) -> ExpressionError:
    return ExpressionError(
        f"this runs over about {count:,.0f} combinations; the limit is {MAX_ROWS:,}",
        span=generator.span,
        fix="use a set of tuples that holds only the combinations needed, or tighter conditions",
    )


def _crossed(
    data: DataEvaluator,
    space: Space,
    generator: Generator,
    domain: BoundSet,
    conditions: Sequence[Node],
    rows: Integers,
    members: Integers,
) -> tuple[Integers, Integers]:
    """Every row with every member, those that meet the conditions."""
    total = rows.size * members.size
    if not conditions:
        if total > MAX_ROWS:
            raise _too_many(generator, total)
        return np.repeat(rows, members.size), np.tile(members, rows.size)
    if total > MAX_TESTED:
        raise _too_many(generator, total)
    step = max(1, BLOCK // max(1, members.size))
    owners, positions, count = [], [], 0
    for start in range(0, rows.size, step):
        block = rows[start : start + step]
        owner, position = np.repeat(block, members.size), np.tile(members, block.size)
        labels = _labels(domain, generator.targets, position)
        kept = _filter(data, Space(owner.size, space, owner, labels), conditions)
        owners.append(owner[kept])
        positions.append(position[kept])
        count += kept.size
        if count > MAX_ROWS:
            raise _too_many(generator, count / (start + block.size) * rows.size)
    if not owners:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    return np.concatenate(owners), np.concatenate(positions)


def _joined(
    data: DataEvaluator,
    space: Space,
    generator: Generator,
    domain: BoundSet,
    plan: _Plan,
    rows: Integers,
    members: Integers,
) -> tuple[Integers, Integers] | None:
    """Rows and members matched by equalities or a membership; None where that cannot be done."""
    outer = space if rows.size == space.size else space.take(rows)
    rest = list(plan.rest)
    try:
        if plan.equalities:
            alone = Space(members.size, None, None, _labels(domain, generator.targets, members))
            new_keys = [key(data, new, alone) for new, _ in plan.equalities]
            outer_keys = [key(data, old, outer) for _, old in plan.equalities]
            owners, places = _match(outer_keys, outer.size, new_keys, members.size, generator)
            positions = members[places]
            if plan.membership is not None:
                rest.insert(0, plan.membership)
        else:
            assert plan.membership is not None
            owners, positions = _match_members(
                data, outer, generator, domain, plan.membership, members
            )
    except ExpressionError:
        return None
    owners = rows[owners]
    if rest:
        grown = Space(owners.size, space, owners, _labels(domain, generator.targets, positions))
        kept = _filter(data, grown, rest)
        owners, positions = owners[kept], positions[kept]
    return owners, positions


def _match(
    outer_keys: Sequence[NDArray[Any]],
    outer_size: int,
    new_keys: Sequence[NDArray[Any]],
    new_size: int,
    generator: Generator,
) -> tuple[Integers, Integers]:
    """Pairs (outer row, new row) with equal keys, ordered by both."""
    outer_code = np.zeros(outer_size, np.int64)
    new_code = np.zeros(new_size, np.int64)
    for a, b in zip(outer_keys, new_keys, strict=True):
        a, b = _comparable(a, b)
        both = np.concatenate([np.broadcast_to(a, (outer_size,)), np.broadcast_to(b, (new_size,))])
        distinct, codes = np.unique(both, return_inverse=True, equal_nan=False)
        joint = np.concatenate([outer_code, new_code]) * distinct.size + codes
        _, joint = np.unique(joint, return_inverse=True)
        outer_code, new_code = joint[:outer_size], joint[outer_size:]
    order = np.argsort(new_code, kind="stable")
    ascending = new_code[order]
    left = np.searchsorted(ascending, outer_code, "left")
    counts = np.searchsorted(ascending, outer_code, "right") - left
    total = int(counts.sum())
    if total > MAX_ROWS:
        raise _too_many(generator, total)
    owners, offsets = ragged(counts)
    return owners, order[left[owners] + offsets]


def _comparable(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    if a.dtype == b.dtype:
        return a, b
    return tuple(  # type: ignore[return-value]
        np.where(x < TEXT, x, np.nan) if x.dtype == np.int64 else x.astype(np.float64)
        for x in (a, b)
    )


def _match_members(
    data: DataEvaluator,
    outer: Space,
    generator: Generator,
    domain: BoundSet,
    membership: Compare,
    members: Integers,
) -> tuple[Integers, Integers]:
    """Pairs (outer row, member) for `(i, j) in S`: look up the rows in S, then its new parts."""
    left, right = membership.operands
    assert isinstance(left, Display)
    inside = data.source(right)
    targets = generator.targets
    if len(left.items) != inside.arity:
        raise ExpressionError("wrong number of parts", span=left.span)
    bound = [
        (k, item)
        for k, item in enumerate(left.items)
        if not (isinstance(item, Name) and item.id in targets)
    ]
    places = {item.id: k for k, item in enumerate(left.items) if isinstance(item, Name)}
    owners, found = _match(
        [key(data, item, outer) for _, item in bound],
        outer.size,
        [inside.components[k] for k, _ in bound],
        len(inside),
        generator,
    )
    if len(targets) == 1 and domain.arity > 1:
        raise ExpressionError("whole tuples", span=left.span)
    codes = [inside.components[places[name]][found] for name in targets]
    positions = domain.find(codes)
    allowed = np.zeros(len(domain) + 1, np.bool_)
    allowed[members] = True
    kept = np.flatnonzero(allowed[positions])
    kept = kept[np.lexsort((positions[kept], owners[kept]))]
    return owners[kept], positions[kept]
