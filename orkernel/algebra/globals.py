"""Truth of the global constraints at given points.

A variable that stands for a member holds the member itself where the set has integers, and its
position from 1 where it has texts or tuples. Positions in a written list count from 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.nodes import Call, Comprehension, Name, Node
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.space import Label, Space
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.data import DataEvaluator
    from orkernel.algebra.evaluate import Evaluator
    from orkernel.algebra.members import BoundSet

    Array = NDArray[Any]
    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

TOLERANCE = 1e-6


def truth(evaluator: Evaluator, node: Call, space: Space) -> Bools:
    """Truth of a global constraint, shape `(points, rows)`."""
    return _CONSTRAINTS[node.function](evaluator, node, space)


def _row_slices(owner: Integers, size: int) -> list[slice]:
    ends = np.cumsum(np.bincount(owner, minlength=size))
    return [slice(int(a), int(b)) for a, b in zip([0, *ends[:-1]], ends, strict=True)]


def _each(evaluator: Evaluator, space: Space, test: Callable[[int, int], bool]) -> Bools:
    """`test(point, row)` for all."""
    count = evaluator.points.shape[0]
    return np.array(
        [[test(p, r) for r in range(space.size)] for p in range(count)], np.bool_
    ).reshape(count, space.size)


# --------------------------------------------------------------------------- values


def all_different(evaluator: Evaluator, node: Call, space: Space) -> Bools:
    """No two values of the list closer than the tolerance."""
    owner, values = evaluator.entries(node.arguments[0], space)
    order = np.lexsort((values, np.broadcast_to(owner, values.shape)), axis=1)
    ascending = np.take_along_axis(values, order, axis=1)
    same_row = owner[1:] == owner[:-1]
    clash = (np.diff(ascending, axis=1) <= TOLERANCE) & same_row
    bad = clash | ((np.isnan(ascending[:, 1:]) | np.isnan(ascending[:, :-1])) & same_row)
    result = np.ones((values.shape[0], space.size), np.bool_)
    for point, entry in np.argwhere(bad):
        result[point, owner[entry]] = False
    return result


def key_values(domain: BoundSet) -> Floats:
    """The number by which a variable refers to each member of a set."""
    if domain.arity == 1 and domain.numeric[0]:
        return domain.numbers[0]
    return np.arange(1.0, len(domain) + 1)


def array_of(evaluator: Evaluator, node: Node, space: Space) -> tuple[Array, tuple[Floats, ...]]:
    """A list that a variable looks into.

    Returns:
        Values of shape `(points, rows, entries…)` (leading axes may be 1), and per axis of
        entries the numbers that refer to them.
    """
    scope = evaluator.program.scope
    if isinstance(node, Name) and node.id not in scope.sets and space.get(node.id) is None:
        index = scope.index_of(node.id)
        shape = tuple(len(s) for s in index)
        values = np.atleast_2d(evaluator.named(node))
        keys = tuple(key_values(s) for s in index)
        return values.reshape(values.shape[0], 1, *shape), keys
    owner, entries = evaluator.entries(node, space)
    counts = np.bincount(owner, minlength=space.size)
    if space.size and np.any(counts != counts[0]):
        raise ExpressionError("the list has a different length in every row", span=node.span)
    length = int(counts[0]) if space.size else 0
    values = entries.reshape(entries.shape[0], space.size, length)
    return values, (np.arange(1.0, length + 1),)


def _locate(keys: Floats, wanted: Array) -> tuple[Integers, Bools]:
    """Position of the key nearest to each value, and whether it is within the tolerance."""
    order = np.argsort(keys)
    ascending = keys[order]
    if not keys.size:
        return np.zeros(wanted.shape, np.int64), np.zeros(wanted.shape, np.bool_)
    right = np.clip(np.searchsorted(ascending, wanted), 0, keys.size - 1)
    left = np.maximum(right - 1, 0)
    nearest = np.where(
        np.abs(ascending[left] - wanted) <= np.abs(ascending[right] - wanted), left, right
    )
    return order[nearest], np.abs(ascending[nearest] - wanted) <= 1e-5


def element(evaluator: Evaluator, node: Call, space: Space) -> Array:
    """Value at a variable position; NaN where there is no such position."""
    values, keys = array_of(evaluator, node.arguments[0], space)
    if len(keys) != len(node.arguments) - 1:
        raise ExpressionError(
            f"element needs {len(keys)} positions here, {len(node.arguments) - 1} given",
            span=node.span,
        )
    count = evaluator.points.shape[0]
    found = np.ones((count, space.size), np.bool_)
    places = []
    for axis, argument in zip(keys, node.arguments[1:], strict=True):
        wanted = evaluator.full(evaluator.number(argument, space), space)
        position, known = _locate(axis, wanted)
        places.append(position)
        found &= known
    if not all(axis.size for axis in keys):
        return np.full((count, space.size), np.nan)
    points = np.arange(count)[:, np.newaxis] if values.shape[0] > 1 else 0
    rows = np.arange(space.size)[np.newaxis, :] if values.shape[1] > 1 else 0
    return np.where(found, values[(points, rows, *places)], np.nan)


def table(evaluator: Evaluator, node: Call, space: Space) -> Bools:
    """The values form one of the rows."""
    values, _ = array_of(evaluator, node.arguments[0], space)
    rows = table_rows(evaluator.program.data, node.arguments[1])
    if rows.shape[1] != values.shape[2]:
        raise ExpressionError(
            f"the rows have {rows.shape[1]} entries, {values.shape[2]} values are given",
            span=node.span,
        )
    near = np.abs(values[:, :, np.newaxis, :] - rows) <= 1e-5
    fits: Bools = np.all(near, axis=3)
    return np.asarray(np.any(fits, axis=2))


def table_rows(data: DataEvaluator, node: Node) -> Floats:
    """The rows of a table, shape `(rows, entries)`: a set of tuples, a 2-D parameter or a list."""
    scope = data.scope
    if isinstance(node, Name) and node.id in scope.parameters:
        values = scope.parameters[node.id].values
        if values.ndim == 2:
            return values
        raise ExpressionError("a table parameter needs two index sets", span=node.span)
    domain = data.source(node)
    if not all(domain.numeric):
        raise ExpressionError("the rows of a table must be integers", span=node.span)
    return np.stack(domain.numbers, axis=1)


def inverse(evaluator: Evaluator, node: Call, space: Space) -> Bools:
    """after[i] == j exactly when before[j] == i."""
    after, after_keys = array_of(evaluator, node.arguments[0], space)
    before, before_keys = array_of(evaluator, node.arguments[1], space)
    if after.ndim != 3 or before.ndim != 3:
        raise ExpressionError("inverse needs lists with one index", span=node.span)
    count = evaluator.points.shape[0]
    after = np.broadcast_to(after, (count, space.size, after.shape[2]))
    before = np.broadcast_to(before, (count, space.size, before.shape[2]))
    result = np.ones((count, space.size), np.bool_)
    for one, one_keys, other, other_keys in (
        (after, after_keys[0], before, before_keys[0]),
        (before, before_keys[0], after, after_keys[0]),
    ):
        position, known = _locate(other_keys, one)
        back = np.take_along_axis(other, position, axis=2)
        result &= (known & (np.abs(back - one_keys) <= 1e-5)).all(axis=2)
    return result


# --------------------------------------------------------------------------- tours


def arc_ends(
    data: DataEvaluator, node: Node, space: Space
) -> tuple[Space, Integers, Integers, list[int]]:
    """The arcs of `circuit(arc[i,j] for i in N for j in N)`.

    Returns:
        The space of the arcs, the codes of their tails and heads, and the codes of all nodes: the
        members of the sets that single indices run over, and every end of an arc.
    """
    if not isinstance(node, Comprehension):
        raise ExpressionError(
            "arcs are written as a comprehension over their two ends",
            span=node.span,
            fix="write arc[i,j] for i in N for j in N if i != j",
        )
    inner = data.grow(node, space)
    ends: list[Integers] = []
    nodes: dict[int, None] = {}
    for generator in node.generators:
        for target in generator.targets:
            label = inner.get(target)
            assert isinstance(label, Label)
            ends.extend(np.broadcast_to(c, (inner.size,)) for c in label.codes())
        domain = data.source(generator.source)
        if domain.arity == 1:
            nodes.update(dict.fromkeys(domain.components[0].tolist()))
    if len(ends) != 2:
        raise ExpressionError(
            f"an arc has two ends, here are {len(ends)} indices",
            span=node.span,
            fix="write arc[i,j] for i in N for j in N if i != j",
        )
    for codes in ends:
        nodes.update(dict.fromkeys(codes.tolist()))
    return inner, ends[0], ends[1], list(nodes)


def circuit(evaluator: Evaluator, node: Call, space: Space) -> Bools:
    """One tour through every node; a chosen loop at a node leaves it out."""
    return _tours(evaluator, node.arguments[0], space, None)


def multi_circuit(evaluator: Evaluator, node: Call, space: Space) -> Bools:
    """Tours that all pass the depot; every other node is on exactly one."""
    data = evaluator.program.data
    codes = data.codes(data.value(node.arguments[1], space), node)[0]
    return _tours(evaluator, node.arguments[0], space, np.broadcast_to(codes, (space.size,)))


def _tours(evaluator: Evaluator, arcs: Node, space: Space, depots: Integers | None) -> Bools:
    inner, tails, heads, nodes = arc_ends(evaluator.program.data, arcs, space)
    assert isinstance(arcs, Comprehension)
    chosen = evaluator.full(evaluator.truth(arcs.element, inner), inner)
    slices = _row_slices(inner.rows_in(space), space.size)

    def test(point: int, row: int) -> bool:
        part = slices[row]
        used = chosen[point, part]
        pairs = list(zip(tails[part][used].tolist(), heads[part][used].tolist(), strict=True))
        return _is_tour(pairs, nodes, None if depots is None else int(depots[row]))

    return _each(evaluator, space, test)


def _is_tour(arcs: list[tuple[int, int]], nodes: list[int], depot: int | None) -> bool:
    loops = {a for a, b in arcs if a == b and a != depot}
    after: dict[int, int] = {}
    entered: set[int] = set()
    starts: list[int] = []
    for a, b in arcs:
        if a == b:
            if a == depot:
                return False
            continue
        if a == depot:
            starts.append(b)
        elif a in after:
            return False
        else:
            after[a] = b
        if b != depot:
            if b in entered:
                return False
            entered.add(b)
    wanted = [n for n in nodes if n not in loops and n != depot]
    if set(after) != set(wanted) or entered != set(wanted):
        return False
    if depot is None:
        if not wanted:
            return True
        current, steps = after[wanted[0]], 1
        while current != wanted[0]:
            current, steps = after[current], steps + 1
        return steps == len(wanted)
    visited = 0
    for current in starts:
        while current != depot:
            visited += 1
            current = after[current]
    return visited == len(wanted) and sum(b == depot for b in after.values()) == len(starts)


# --------------------------------------------------------------------------- time


def _intervals(
    evaluator: Evaluator, node: Node, space: Space
) -> tuple[Integers, Array, Array, Bools]:
    """Owner row of each interval, and start, size, presence of shape `(points, intervals)`."""
    if isinstance(node, Comprehension):
        inner = evaluator.program.data.grow(node, space)
        calls, spaces = [node.element], [inner]
    elif isinstance(node, Display):
        calls, spaces = list(node.items), [space] * len(node.items)
    else:
        raise ExpressionError("a list of intervals is expected", span=node.span)
    owners, starts, sizes, present = [], [], [], []
    for call, around in zip(calls, spaces, strict=True):
        if not (isinstance(call, Call) and call.function == "interval"):
            raise ExpressionError(
                "an interval is expected", span=call.span, fix="write interval(start, size)"
            )
        owners.append(around.rows_in(space))
        starts.append(evaluator.full(evaluator.number(call.arguments[0], around), around))
        sizes.append(evaluator.full(evaluator.number(call.arguments[1], around), around))
        there = (
            evaluator.truth(call.arguments[2], around)
            if len(call.arguments) > 2
            else np.array(True)
        )
        present.append(evaluator.full(there, around))
    count = evaluator.points.shape[0]
    if not owners:
        return (
            np.zeros(0, np.int64),
            np.zeros((count, 0)),
            np.zeros((count, 0)),
            np.zeros((count, 0), np.bool_),
        )
    owner = np.concatenate(owners)
    order = np.argsort(owner, kind="stable")
    return (
        owner[order],
        np.concatenate(starts, axis=1)[:, order],
        np.concatenate(sizes, axis=1)[:, order],
        np.concatenate(present, axis=1)[:, order],
    )


def no_overlap(evaluator: Evaluator, node: Call, space: Space) -> Bools:
    """Of any two present intervals one ends before the other starts."""
    owner, starts, sizes, present = _intervals(evaluator, node.arguments[0], space)
    slices = _row_slices(owner, space.size)

    def test(point: int, row: int) -> bool:
        part = slices[row]
        there = present[point, part]
        start, size = starts[point, part][there], sizes[point, part][there]
        if not _sizes_fit(start, size):
            return False
        order = np.lexsort((start + size, start))
        start, end = start[order], (start + size)[order]
        return bool(np.all(start[1:] >= end[:-1] - TOLERANCE))

    return _each(evaluator, space, test)


def _sizes_fit(start: Floats, size: Floats) -> bool:
    return bool(np.all(np.isfinite(start)) and np.all(size >= -TOLERANCE))


def cumulative(evaluator: Evaluator, node: Call, space: Space) -> Bools:
    """At no time do the demands of the running intervals exceed the capacity."""
    owner, starts, sizes, present = _intervals(evaluator, node.arguments[0], space)
    demand_owner, demands = evaluator.entries(node.arguments[1], space)
    if not np.array_equal(owner, demand_owner):
        raise ExpressionError(
            "cumulative needs as many demands as intervals", span=node.arguments[1].span
        )
    capacity = evaluator.full(evaluator.number(node.arguments[2], space), space)
    slices = _row_slices(owner, space.size)

    def test(point: int, row: int) -> bool:
        part = slices[row]
        there = present[point, part]
        start, size = starts[point, part][there], sizes[point, part][there]
        demand = demands[point, part][there]
        if not _sizes_fit(start, size) or np.any(demand < -TOLERANCE):
            return False
        limit = float(capacity[point, row])
        slack = TOLERANCE * max(1.0, abs(limit))
        if not start.size:
            return limit >= -slack
        running = (start <= start[:, np.newaxis] + TOLERANCE) & (
            start + size > start[:, np.newaxis] + TOLERANCE
        )
        return bool(np.all(running @ demand <= limit + slack))

    return _each(evaluator, space, test)


_CONSTRAINTS: dict[str, Callable[[Evaluator, Call, Space], Bools]] = {
    "all_different": all_different,
    "circuit": circuit,
    "multi_circuit": multi_circuit,
    "no_overlap": no_overlap,
    "cumulative": cumulative,
    "table": table,
    "inverse": inverse,
}
