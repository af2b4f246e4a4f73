"""Bound trees to the project's algebra."""

from __future__ import annotations

import json

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written import values
from orkernel_offline.written.bound import Const, Idx, Key, Loop, Ref, SetName, Sigma
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.scope import Binder
from orkernel_offline.written.sets import Atom

_SUM, _PRODUCT, _UNARY, _POWER, _ATOM = range(5)
_STRENGTH = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
_RELATION = {"=": "==", "in": "in", "notin": "not in"}


class Printer:
    """Writes expressions with the identifiers of one formulation.

    Args:
        binder: Holds the bindings.
        identifiers: Identifier of each family.
        sets: Identifier of each index set.
        taken: Identifiers that no index letter may have.
    """

    def __init__(
        self, binder: Binder, identifiers: dict[Key, str], sets: dict[str, str], taken: set[str]
    ) -> None:
        self.binder = binder
        self.identifiers = identifiers
        self.sets = sets
        self._taken = taken

    def expression(self, node: Node) -> str:
        """An expression or condition as text."""
        return self._write(node, _SUM)

    def relation(self, body: n.Compare, head: Node, strict: bool) -> str:
        """A relation with one of its heads; `strict` keeps `<`, otherwise it becomes `<=`."""
        parts = [self.expression(head)]
        for op, operand in zip(body.ops, body.operands, strict=True):
            kept = op if strict or op not in ("<", ">") else f"{op}="
            parts += [_RELATION.get(kept, kept), self.expression(operand)]
        return " ".join(parts)

    def generators(self, loops: tuple[Loop, ...], conditions: tuple[Node, ...]) -> str:
        """`i in I for j in J if i != j`."""
        parts: list[str] = []
        waiting = list(conditions)
        opened: set[int] = set()
        for loop in loops:
            opened.update(loop.bindings)
            parts.append(self._generator(loop))
            ready = [c for c in waiting if self._bindings(c) <= opened | self._outside(loops)]
            for condition in ready:
                waiting.remove(condition)
                parts[-1] += f" if {self.condition(condition)}"
        for condition in waiting:
            parts[-1] += f" if {self.condition(condition)}"
        return " for ".join(parts)

    def _outside(self, loops: tuple[Loop, ...]) -> set[int]:
        inside = {b for loop in loops for b in loop.bindings}
        return {k for k in range(len(self.binder.bindings)) if k not in inside}

    def _bindings(self, node: Node) -> set[int]:
        return {p.binding for p in n.walk(node) if isinstance(p, Idx)}

    def _generator(self, loop: Loop) -> str:
        names = [self.letter(b) for b in loop.bindings]
        domain = loop.domain or self.binder.bindings[loop.bindings[0]].domain
        if domain is None:
            binding = self.binder.bindings[loop.bindings[0]]
            raise Unreadable(
                f"it is not said what the index {binding.letter} runs over", (binding.span,)
            )
        target = names[0] if len(names) == 1 else f"({', '.join(names)})"
        return f"{target} in {self.sets[domain]}"

    def letter(self, binding: int) -> str:
        """The identifier of a bound index."""
        letter = self.binder.bindings[binding].letter
        return f"{letter}_index" if letter in self._taken else letter

    def condition(self, node: Node) -> str:
        """A condition on indices and data."""
        if not isinstance(node, n.Compare):
            raise Unreadable("this condition is not understood", ((node.start, node.end),))
        head = node.heads[0]
        if len(node.heads) > 1 or isinstance(head, n.Vector):
            items = head.items if isinstance(head, n.Vector) else node.heads
            left = f"({', '.join(self.expression(i) for i in items)})"
        else:
            left = self.expression(head)
        parts = [left]
        for op, operand in zip(node.ops, node.operands, strict=True):
            parts += [_RELATION.get(op, op), self.expression(operand)]
        return " ".join(parts)

    # -- nodes ----------------------------------------------------------------------------

    def _write(self, node: Node, outer: int) -> str:
        match node:
            case n.Num():
                if node.text == "inf":
                    raise Unreadable("infinity is not a number here", ((node.start, node.end),))
                return values.literal(values.number(node.text))
            case Const():
                return member_text(node.member)
            case Idx():
                return self.letter(node.binding)
            case SetName():
                return self.sets[node.name]
            case Ref():
                return self._reference(node)
            case n.Neg():
                text = f"-{self._write(node.arg, _PRODUCT)}"
                return f"({text})" if outer > _SUM else text
            case n.Bin():
                return self._operation(node, outer)
            case n.Call():
                return self._call(node)
            case Sigma():
                return self._reduction(node)
            case n.Compare():
                return self.condition(node)
        raise Unreadable(
            "a list, matrix or set cannot stand in an expression here", ((node.start, node.end),)
        )

    def _reference(self, node: Ref) -> str:
        name = self.identifiers[node.key]
        if not node.indices:
            return name
        return f"{name}[{', '.join(self._write(i, _SUM) for i in node.indices)}]"

    def _operation(self, node: n.Bin, outer: int) -> str:
        if node.op == "^":
            text = f"{self._write(node.left, _ATOM)}**{self._write(node.right, _ATOM)}"
            return f"({text})" if outer > _POWER else text
        strength = _STRENGTH[node.op]
        spine: list[n.Bin] = [node]
        left = node.left
        while isinstance(left, n.Bin) and left.op != "^" and _STRENGTH[left.op] == strength:
            spine.append(left)
            left = left.left
        parts = [self._write(left, strength)]
        for part in reversed(spine):
            gap = f" {part.op} " if strength == _SUM else part.op
            parts.append(f"{gap}{self._write(part.right, strength + 1)}")
        text = "".join(parts)
        return f"({text})" if outer > strength else text

    def _reduction(self, node: Sigma) -> str:
        loops, conditions, body = node.loops, node.conditions, node.body
        while isinstance(body, Sigma) and body.func == node.func:
            loops, conditions = (*loops, *body.loops), (*conditions, *body.conditions)
            body = body.body
        return f"{node.func}({self._write(body, _SUM)} for {self.generators(loops, conditions)})"

    def _call(self, node: n.Call) -> str:
        if node.func == "transpose":
            raise Unreadable(
                "this transposed product is not understood; write it as a sum over an index",
                ((node.start, node.end),),
            )
        return f"{node.func}({', '.join(self._write(a, _SUM) for a in node.args)})"


def member_text(member: Atom) -> str:
    """A member as a literal of the algebra."""
    return str(member) if isinstance(member, int) else json.dumps(member, ensure_ascii=False)
