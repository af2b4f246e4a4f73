"""Index letters before they are bound: which stand free, and what `1 <= i <= n` ranges."""

from __future__ import annotations

from orkernel_offline.written import nodes as n
from orkernel_offline.written.nodes import Node


def free_letters(node: Node, letters: set[str]) -> set[str]:
    """Index letters that stand free in `node`: bare, in a subscript, or run together in one."""
    found: set[str] = set()
    stack: list[tuple[Node, frozenset[str]]] = [(node, frozenset())]
    while stack:
        part, bound = stack.pop()
        if isinstance(part, n.Sym):
            names = [part.name]
            if part.name not in letters and all(c in letters for c in part.name):
                names = list(part.name)
            found.update(x for x in names if x in letters and x not in bound)
        if isinstance(part, n.Reduce):
            inner = {t for q in part.quants if isinstance(q, n.Gen) for t in q.targets}
            bound = bound | inner
        stack.extend((child, bound) for child in n.children(part))
    return found


def ranges_from_chains(quants: tuple[Node, ...], outer: set[str]) -> tuple[Node, ...]:
    """Turn `1 <= i < j <= n` into generators and the conditions between them."""
    bound = set(outer)
    for quant in quants:
        if isinstance(quant, n.Gen):
            bound.update(quant.targets)
    out: list[Node] = []
    for quant in quants:
        out.extend(_range_from_chain(quant, bound) if isinstance(quant, n.Compare) else [quant])
    return tuple(out)


def _range_from_chain(quant: n.Compare, bound: set[str]) -> list[Node]:
    operands = (*quant.heads, *quant.operands)
    middle = operands[1:-1]
    free = [m for m in middle if isinstance(m, n.Sym) and not m.subs and m.name not in bound]
    upward = all(op in ("<=", "<") for op in quant.ops)
    if len(quant.heads) > 1 or not middle or len(free) != len(middle) or not upward:
        return [quant]
    lo: Node = operands[0] if quant.ops[0] == "<=" else _plus_one(operands[0], 1)
    hi: Node = operands[-1] if quant.ops[-1] == "<=" else _plus_one(operands[-1], -1)
    out: list[Node] = []
    for symbol in free:
        domain = n.RangeSet(quant.start, quant.end, lo, hi)
        out.append(n.Gen(symbol.start, symbol.end, (symbol.name,), domain))
    for left, op, right in zip(middle, quant.ops[1:-1], middle[1:], strict=True):
        out.append(n.Compare(left.start, right.end, (left,), (op,), (right,)))
    return out


def _plus_one(node: Node, step: int) -> Node:
    one = n.Num(node.start, node.end, "1")
    return n.Bin(node.start, node.end, "+" if step > 0 else "-", node, one)
