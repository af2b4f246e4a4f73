"""Subscripts: from index values to positions in the arrays of parameters and variables."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.algebra.members import MAX_INTEGER, BoundSet
from orkernel.algebra.nodes import Node, Subscript
from orkernel.algebra.nodes import Sequence as Display
from orkernel.algebra.space import Atoms, Label, Space
from orkernel.errors import ExpressionError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from orkernel.algebra.data import DataEvaluator, Value

    Array = NDArray[Any]
    Integers = NDArray[np.int64]


def flat(data: DataEvaluator, node: Subscript, index: Sequence[BoundSet], space: Space) -> Integers:
    """Position in the flattened array of a parameter or variable, shape `(rows,)` or `()`.

    Raises:
        ExpressionError: Wrong number of indices, or a member that the set does not have.
    """
    parts: list[tuple[Node, Value]] = []
    for item in node.indices:
        for part in item.items if isinstance(item, Display) else (item,):
            parts.append((part, data.value(part, space)))
    given = sum(v.arity if isinstance(v, Label) else 1 for _, v in parts)
    empty = next((s.name for s in index if not len(s)), None)
    if empty is not None:
        if not space.size:
            return np.zeros(0, np.int64)
        message = f"'{node.base}' has no entries, since '{empty}' is empty"
        raise data.failure(message, node, space, np.array(True))
    if given != sum(s.arity for s in index) or not index:
        raise arity_error(data, node, node.base, given)
    flat: Integers = np.array(0, np.int64)
    for domain in index:
        taken: list[tuple[Node, Value]] = []
        while sum(v.arity if isinstance(v, Label) else 1 for _, v in taken) < domain.arity:
            taken.append(parts.pop(0))
        if sum(v.arity if isinstance(v, Label) else 1 for _, v in taken) != domain.arity:
            raise ExpressionError(
                f"'{node.base}': a tuple stands across index positions", span=node.span
            )
        positions = positions_in([v for _, v in taken], domain, node)
        bad = positions < 0
        if np.any(bad):
            raise _no_member(data, node, domain, taken, space, bad)
        flat = positions if flat.ndim == 0 and not flat.any() else flat * len(domain) + positions
    return flat


def positions_in(values: Sequence[Value], domain: BoundSet, node: Node) -> Integers:
    """Positions in a set of the members that `values` make up, −1 where there is none."""
    first = values[0]
    if isinstance(first, Label) and len(values) == 1:
        if first.domain is domain and (first.component < 0 or domain.arity == 1):
            return first.positions
        return domain.translate(first.domain, first.component)[first.positions]
    if isinstance(first, Label) and first.domain is domain:
        whole = all(
            isinstance(v, Label)
            and v.domain is domain
            and v.component == k
            and v.positions is first.positions
            for k, v in enumerate(values)
        )
        if whole:
            return first.positions
    codes: list[Integers] = []
    for value in values:
        codes.extend(codes_of(value, node))
    return domain.find(codes)


def codes_of(value: Value, node: Node) -> tuple[Integers, ...]:
    """Codes of members; whole numbers stand for themselves."""
    if isinstance(value, (Label, Atoms)):
        return value.codes()
    if value.dtype == np.bool_:
        raise ExpressionError("a condition stands where a member is expected", span=node.span)
    whole = (np.rint(value) == value) & (np.abs(value) <= MAX_INTEGER)
    codes = np.where(whole, value, 0.0).astype(np.int64)
    return (np.where(whole, codes, -(MAX_INTEGER + 1)),)


def _no_member(
    data: DataEvaluator,
    node: Subscript,
    domain: BoundSet,
    taken: Sequence[tuple[Node, Value]],
    space: Space,
    bad: Array,
) -> ExpressionError:
    row = int(np.argmax(bad)) if bad.ndim else 0
    shown = []
    texts, fix = False, ""
    for part, value in taken:
        for codes in codes_of(value, part):
            code = int(codes[row]) if codes.ndim else int(codes)
            if code < -MAX_INTEGER:
                assert not isinstance(value, (Label, Atoms))
                shown.append(f"{float(value[row] if value.ndim else value):g}")
            else:
                atom = data.scope.universe.atom(code)
                texts = texts or str(atom) in map(str, domain.members[:1000])
                fix = fix or near(str(atom), domain)
                shown.append(f'"{atom}"' if isinstance(atom, str) else str(atom))
    where = space.describe(row)
    error = ExpressionError(
        f"'{node.base}' has no entry for {', '.join(shown)}: it is not in '{domain.name}'"
        + (f", where {where}" if where else ""),
        span=node.span,
    )
    if texts:
        error.fix = "numbers and texts differ: write the member as it stands in the set"
    elif fix:
        error.fix = fix
    elif domain.first_of_run is not None:
        first, last = domain.members[0], domain.members[-1]
        error.fix = (
            f"'{domain.name}' runs from {first} to {last}; exclude the ends with a condition"
        )
    return error


def arity_error(data: DataEvaluator, node: Node, name: str, given: int) -> ExpressionError:
    """The error for a wrong number of indices."""
    index = data.scope.index_of(name)
    wanted = sum(s.arity for s in index)
    sets = ", ".join(s.name for s in index)
    takes = f"{wanted} {'index' if wanted == 1 else 'indices'} ({sets})" if wanted else "no index"
    return ExpressionError(f"'{name}' takes {takes}, {given or 'none'} given", span=node.span)


def near(text: str, domain: BoundSet) -> str:
    """`did you mean "Seattle"?`, or nothing when no member of a small set is close."""
    if not domain.numeric.count(False) or len(domain) > 10_000:
        return ""
    atoms = {str(atom) for objects in domain.component_objects for atom in objects.tolist()}
    close = difflib.get_close_matches(text, sorted(atoms - {text}), n=1)
    return f'did you mean "{close[0]}"?' if close else ""
