"""Indices that move: `t - 1`, and which members conditions let through."""

from __future__ import annotations

from orkernel_offline.written import nodes as n
from orkernel_offline.written.bound import Const, Idx
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.values import is_whole


def shifted(index: Node, member: int) -> int | None:
    if isinstance(index, Idx):
        return member
    if isinstance(index, Const):
        return index.member if isinstance(index.member, int) else None
    if isinstance(index, n.Bin):
        left, right = shifted(index.left, member), shifted(index.right, member)
        if left is None or right is None:
            return None
        return {"+": left + right, "-": left - right, "*": left * right}.get(index.op)
    return None


def allowed(member: int, binding: int, conditions: tuple[Node, ...]) -> bool:
    """Whether `conditions` on one binding, compared with numbers, let `member` through."""
    for condition in conditions:
        if not isinstance(condition, n.Compare) or len(condition.heads) != 1:
            continue
        operands = [condition.heads[0], *condition.operands]
        for left, op, right in zip(operands, condition.ops, operands[1:], strict=False):
            involved = {p.binding for side in (left, right) for p in n.walk(side)
                        if isinstance(p, Idx)}  # fmt: skip
            if involved != {binding}:
                continue
            a, b = _value(left, member), _value(right, member)
            if a is not None and b is not None and not compare(a, op, b):
                return False
    return True


def _value(node: Node, member: int) -> int | None:
    if isinstance(node, n.Num) and is_whole(node.text):
        return int(node.text)
    return shifted(node, member)


def compare(left: int, op: str, right: int) -> bool:
    """One comparison of whole numbers."""
    return {
        "<=": left <= right, ">=": left >= right, "<": left < right, ">": left > right,
        "=": left == right, "!=": left != right,
    }.get(op, True)  # fmt: skip
