"""Long sums and products, taken apart without recursion.

`a + b - c + …` parses to a tree as deep as it is long; these walk down its left spine.
"""

from __future__ import annotations

from orkernel.algebra.nodes import Binary, Node, Unary


def addends(node: Node) -> list[tuple[int, Node]]:
    """The terms of a sum with their signs, left to right."""
    found: list[tuple[int, Node]] = []
    stack = [(1, node)]
    while stack:
        sign, current = stack.pop()
        if isinstance(current, Binary) and current.op in ("+", "-"):
            stack.append((sign if current.op == "+" else -sign, current.right))
            stack.append((sign, current.left))
        elif isinstance(current, Unary) and current.op in ("+", "-"):
            stack.append((sign if current.op == "+" else -sign, current.operand))
        else:
            found.append((sign, current))
    return found


def factors(node: Node) -> list[tuple[str, Node]]:
    """The factors of a product, each with `*` or `/`, left to right."""
    found: list[tuple[str, Node]] = []
    while isinstance(node, Binary) and node.op in ("*", "/"):
        found.append((node.op, node.right))
        node = node.left
    found.append(("*", node))
    return found[::-1]
