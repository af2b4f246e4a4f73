"""Symbols with their subscripts and decorations."""

from __future__ import annotations

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.cursor import Cursor
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.tokens import REDUCERS


class Symbols(Cursor):
    """Names, subscripts, and a name that a parenthesis follows."""

    def symbol(self) -> n.Sym:
        """A name with its scripts: `x_{i,t-1}`, `d^+_i`, `C_{\\max}`, `x[i,j]`."""
        token = self.take()
        name, end, subs = token.value, token.end, []
        while True:
            follow = self.peek()
            if follow.is_op("'"):
                self.take()
                name, end = f"{name}_prime", follow.end
            elif follow.is_op("_"):
                self.take()
                items, end = self._script()
                subs.extend(items)
            elif follow.is_op("^") and (decoration := self._decoration()):
                name, end = f"{name}_{decoration[0]}", decoration[1]
            elif follow.is_op("[") and not follow.space and not follow.math:
                self.take()
                subs.extend(self._index_list())
                end = self.expect("]", "this index is never closed").end
            elif follow.kind == "num" and not follow.space and not subs:
                self.take()
                subs.append(n.Num(follow.start, follow.end, follow.value))
                end = follow.end
            else:
                return n.Sym(token.start, end, name, tuple(subs), token.styled)

    def _decoration(self) -> tuple[str, int] | None:
        """`^+`, `^-`, `^*`, `^{\\max}` or `^{\\text{…}}` after a name: part of the name."""
        braced = self.peek(1).is_op("{")
        token = self.peek(2 if braced else 1)
        name = {"+": "plus", "-": "minus", "*": "star", "'": "prime"}.get(token.value)
        if token.kind == "op" and name is None:
            return None
        if (
            (token.kind == "func" and token.value in ("min", "max"))
            or (token.kind == "name" and (token.styled and len(token.value) > 1))
            or (token.kind == "name" and braced and len(token.value) > 2)
        ):
            name = token.value
        if name is None:
            return None
        if braced and not self.peek(3).is_op("}"):
            return None
        if not braced and token.is_op("-", "+") and self.peek(2).kind in ("num", "name"):
            follows = self.peek(2)
            if not follows.space and token.is_op("-"):
                return None
        self.at += 4 if braced else 2
        return name, self.tokens[self.at - 1].end

    def _script(self) -> tuple[list[Node], int]:
        if self.peek().is_op("{"):
            self.take()
            items = self._index_list()
            return items, self.expect("}", "this subscript is never closed").end
        token = self.take()
        if token.kind == "num":
            return [n.Num(token.start, token.end, token.value)], token.end
        if token.kind in ("name", "prose") or (token.kind == "func" and token.value in REDUCERS):
            styled = token.styled or token.kind != "name"
            return [n.Sym(token.start, token.end, token.value, (), styled)], token.end
        self.at -= 1
        raise self.error("a subscript is expected here")

    def _index_list(self) -> list[Node]:
        """Subscripts: separated by commas or simply side by side."""
        items: list[Node] = []
        while not self.peek().is_op("}", "]", ")"):
            items.append(self._index())
            self.accept(",")
        if not items:
            raise self.error("an empty subscript")
        return items

    def _index(self) -> Node:
        left = self._index_atom()
        while self.peek().is_op("+", "-"):
            token = self.take()
            right = self._index_atom()
            left = n.Bin(left.start, right.end, token.value, left, right)
        return left

    def _index_atom(self) -> Node:
        token = self.take()
        if token.kind == "num":
            return n.Num(token.start, token.end, token.value)
        if token.kind in ("name", "prose"):
            if self.peek().is_op("_") or self.peek().is_op("'"):
                self.at -= 1
                return self.symbol()
            return n.Sym(token.start, token.end, token.value, (), token.styled)
        if token.kind == "func" and token.value in ("min", "max"):
            return n.Sym(token.start, token.end, token.value, (), True)
        if token.is_op("-") and self.peek().kind == "num":
            number = self._index_atom()
            return n.Neg(token.start, number.end, number)
        if token.is_op("+", "*"):
            return n.Sym(token.start, token.end, "plus" if token.value == "+" else "star", (), True)
        self.at -= 1
        raise self.error("a subscript is expected here")

    def _symbol_or_application(self) -> Node:
        sym = self.symbol()
        token = self.peek()
        if not token.is_op("(") or token.space or self._is_remark():
            return sym
        start = self.take().start
        arguments = [self.expression()]
        while self.accept(","):
            arguments.append(self.expression())
        if not self.peek().is_op(")"):
            raise Unreadable("this bracket is never closed", ((start, start + 1),))
        return n.Apply(sym.start, self.take().end, sym, tuple(arguments))
