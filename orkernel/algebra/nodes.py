"""Syntax tree of the algebra: immutable nodes, each with its place in the text.

Spans are character offsets into the expression text and take no part in
equality, so that two expressions are equal when they mean the same syntax.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Node:
    """Base of all nodes."""

    span: Span = field(default=(0, 0), compare=False, kw_only=True)

    def children(self) -> tuple[Node, ...]:
        """Direct sub-expressions, left to right."""
        return ()

    def walk(self) -> Iterator[Node]:
        """This node and everything below it, depth first, without recursion."""
        stack: list[Node] = [self]
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children()))


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A finite number; ints stay ints so that index arithmetic is exact."""

    value: int | float


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A member written as a literal, e.g. `"Seattle"`."""

    value: str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A scalar parameter or variable, an index, or a set, depending on scope."""

    id: str


@dataclass(frozen=True, slots=True)
class Subscript(Node):
    """`base[i, j]`: an indexed parameter or variable (or `S[i]`, the i-th member)."""

    base: str
    indices: tuple[Node, ...]

    def children(self) -> tuple[Node, ...]:
        return self.indices


@dataclass(frozen=True, slots=True)
class Unary(Node):
    """`-x`, `+x` or `not b`."""

    op: str
    operand: Node

    def children(self) -> tuple[Node, ...]:
        return (self.operand,)


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """`+ - * / // % **`."""

    op: str
    left: Node
    right: Node

    def children(self) -> tuple[Node, ...]:
        return (self.left, self.right)


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """A comparison or chain: `operands[0] ops[0] operands[1] ops[1] …`.

    Operators: `<= >= == != < >`, and on data `in`, `not in`.
    """

    operands: tuple[Node, ...]
    ops: tuple[str, ...]

    def children(self) -> tuple[Node, ...]:
        return self.operands


@dataclass(frozen=True, slots=True)
class Logic(Node):
    """`and` / `or` over two or more operands."""

    op: str
    operands: tuple[Node, ...]

    def children(self) -> tuple[Node, ...]:
        return self.operands


@dataclass(frozen=True, slots=True)
class Conditional(Node):
    """`then if test else otherwise`; the test must be data."""

    test: Node
    then: Node
    otherwise: Node

    def children(self) -> tuple[Node, ...]:
        return (self.then, self.test, self.otherwise)


@dataclass(frozen=True, slots=True)
class Generator(Node):
    """`for targets in source if conditions…`; several targets unpack a tuple member."""

    targets: tuple[str, ...]
    source: Node
    conditions: tuple[Node, ...] = ()

    def children(self) -> tuple[Node, ...]:
        return (self.source, *self.conditions)


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`element for … for … if …`, only as the argument of a call or as a list."""

    element: Node
    generators: tuple[Generator, ...]

    def children(self) -> tuple[Node, ...]:
        return (self.element, *self.generators)


@dataclass(frozen=True, slots=True)
class Sequence(Node):
    """A list or tuple display, `[a, b]` or `(a, b)`."""

    items: tuple[Node, ...]

    def children(self) -> tuple[Node, ...]:
        return self.items


@dataclass(frozen=True, slots=True)
class Call(Node):
    """A call of a reserved function, aggregate or global constraint."""

    function: str
    arguments: tuple[Node, ...]

    def children(self) -> tuple[Node, ...]:
        return self.arguments
