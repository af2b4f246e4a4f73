"""From a syntax tree back to text, with as few parentheses as the grammar needs."""

from __future__ import annotations

import json

from orkernel.algebra.nodes import (
    Binary,
    Call,
    Compare,
    Comprehension,
    Conditional,
    Generator,
    Logic,
    Name,
    Node,
    Number,
    Sequence,
    Subscript,
    Text,
    Unary,
)
from orkernel.algebra.parse import (
    AND,
    COMPARE,
    CONDITIONAL,
    NOT,
    OR,
    POWER,
    PRIMARY,
    PRODUCT,
    SUM,
    UNARY,
)

_SPACED = frozenset({"+", "-", "//", "%"})


def to_text(node: Node) -> str:
    """Text of a tree: `parse(to_text(n)) == n` for every tree that `parse` returns."""
    return _print(node, CONDITIONAL)


def for_each_text(generators: tuple[Generator, ...]) -> str:
    """Text of the generators of a `for_each`."""
    return " for ".join(_generator(generator) for generator in generators)


def _print(node: Node, level: int) -> str:
    """Text of a node where only what binds at least as strongly as `level` may stand."""
    text, strength = _parts(node)
    return f"({text})" if strength < level else text


def _parts(node: Node) -> tuple[str, int]:
    """Text of a node without parentheses around it, and how strongly it binds."""
    match node:
        case Number(value):
            return repr(value), UNARY if value < 0 else PRIMARY
        case Text(value):
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f"), PRIMARY
        case Name(name):
            return name, PRIMARY
        case Subscript(base, indices):
            return f"{base}[{', '.join(_tuple(i, CONDITIONAL) for i in indices)}]", PRIMARY
        case Unary("not", operand):
            return f"not {_print(operand, NOT)}", NOT
        case Unary(op, operand):
            return f"{op}{_print(operand, UNARY)}", UNARY
        case Binary("**", left, right):
            return f"{_print(left, PRIMARY)}**{_print(right, UNARY)}", POWER
        case Binary(op, left, right):
            strength = SUM if op in ("+", "-") else PRODUCT
            shown = f" {op} " if op in _SPACED else op
            return f"{_print(left, strength)}{shown}{_print(right, strength + 1)}", strength
        case Compare(operands, ops):
            first, *rest = (_tuple(operand, SUM) for operand in operands)
            tail = "".join(f" {op} {text}" for op, text in zip(ops, rest, strict=True))
            return first + tail, COMPARE
        case Logic(op, operands):
            strength = OR if op == "or" else AND
            return f" {op} ".join(_print(o, strength + 1) for o in operands), strength
        case Conditional(test, then, otherwise):
            text = f"{_print(then, OR)} if {_print(test, OR)} else {_print(otherwise, CONDITIONAL)}"
            return text, CONDITIONAL
        case Call(function, (Comprehension() as only,)):
            return f"{function}({_comprehension(only)})", PRIMARY
        case Call(function, arguments):
            return f"{function}({_list(arguments)})", PRIMARY
        case Comprehension():
            return f"[{_comprehension(node)}]", PRIMARY
        case Sequence(items):
            return f"[{_list(items)}]", PRIMARY
        case Generator():
            return _generator(node), CONDITIONAL
    raise TypeError(f"not a node of the algebra: {node!r}")


def _list(items: tuple[Node, ...]) -> str:
    return ", ".join(_print(item, CONDITIONAL) for item in items)


def _tuple(node: Node, level: int) -> str:
    """A member in a comparison or index: tuples read better in parentheses."""
    if isinstance(node, Sequence) and len(node.items) > 1:
        return f"({_list(node.items)})"
    return _print(node, level)


def _comprehension(node: Comprehension) -> str:
    tail = " for ".join(_generator(generator) for generator in node.generators)
    return f"{_print(node.element, CONDITIONAL)} for {tail}"


def _generator(node: Generator) -> str:
    targets = node.targets[0] if len(node.targets) == 1 else f"({', '.join(node.targets)})"
    conditions = "".join(f" if {_print(condition, OR)}" for condition in node.conditions)
    return f"{targets} in {_print(node.source, OR)}{conditions}"
