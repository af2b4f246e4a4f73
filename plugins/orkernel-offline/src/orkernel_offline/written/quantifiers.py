"""Generators and conditions of sums and of "for all"."""

from __future__ import annotations

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.cursor import END
from orkernel_offline.written.expressions import Expressions
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.tokens import RELATIONS, Token


class Quantifiers(Expressions):
    """What an index runs over."""

    def quantifiers(self, closings: tuple[str, ...]) -> list[Node]:
        """Generators and conditions, up to one of `closings` or something else.

        Raises:
            Unreadable: What stands here is no index, set or condition.
        """
        found: list[Node] = []
        pending: list[Node] = []
        conditions = False
        while True:
            self.skip_quads()
            if self.peek().kind == "break" and closings:
                raise self.error("the index of this sum is never closed")
            if closings and self.peek().is_op(*closings):
                break
            mark = self.at
            if not self.starts_factor():
                break
            item = self._quantifier(pending, conditions)
            if item is None:
                self.at = mark
                break
            if isinstance(item, n.Sym | n.Vector):
                pending.append(item)
            else:
                found.append(item)
                pending = []
            self.skip_quads()
            if (
                self.peek().is_op(":", "|")
                or (
                    self.peek().kind == "prose"
                    and self.peek().value.lower() in ("with", "where", "if", "when")
                )
                or (self.peek().is_kw("st") and found)
            ):
                if not closings and self.peek().kind == "prose" and not self._condition_follows():
                    break
                if not closings and self.peek().is_op(":") and not self._condition_follows():
                    break
                self.take()
                conditions = True
                found.extend(_open_generators(pending))
                pending = []
                continue
            if not (self.peek().is_op(",") or self.peek().is_kw("and", "forall")):
                break
            if not closings and not self._quantifier_follows(found, pending):
                break
            self.take()
            while self.peek().is_kw("forall"):
                self.take()
        found.extend(_open_generators(pending))
        if not found:
            raise self.error("an index and its set are expected here")
        return found

    def _condition_follows(self) -> bool:
        """Whether the words after `:` or `with` compare bare indices, as in `i != j`."""
        first, relation = self.peek(1), self.peek(2)
        if first.is_op("(") and self.peek(1).kind == "op":
            return True
        return (
            first.kind == "name"
            and relation.kind == "op"
            and (relation.value in RELATIONS or relation.is_op("in", "notin"))
            and self.peek(3).kind in ("name", "num")
            and (self.peek(4).kind in ("break", "quad", "prose") or self.peek(4).is_op(","))
        )

    def _quantifier_follows(self, found: list[Node], pending: list[Node]) -> bool:
        """Whether after this comma comes another index and not the next constraint."""
        targets = {t for g in found if isinstance(g, n.Gen) for t in g.targets}
        targets |= {p.name for p in pending if isinstance(p, n.Sym)}
        position = self.at + 1
        tokens = self.tokens
        while position < len(tokens) and (
            tokens[position].is_kw("forall", "and") or tokens[position].kind == "quad"
        ):
            position += 1
        if position < len(tokens) and tokens[position].is_op("("):
            while position < len(tokens) and not tokens[position].is_op(")"):
                position += 1
            return position + 1 < len(tokens) and tokens[position + 1].is_op("in")
        saw: list[str] = []
        while position < len(tokens):
            token = tokens[position]
            if token.kind == "name" or token.kind == "num":
                saw.append(token.value)
            elif token.is_op("in", "notin"):
                after = tokens[position + 1] if position + 1 < len(tokens) else END
                return after.kind != "numset" and not _is_zero_one(tokens, position + 1)
            elif token.kind == "op" and token.value in RELATIONS:
                bound = bool(set(saw) & targets)
                after = tokens[position + 1] if position + 1 < len(tokens) else END
                if bound or (after.kind == "name" and after.value in targets):
                    return True
                return token.is_op("=") and self._dots_follow(position)
            elif not token.is_op(",", "+", "-"):
                return bool(saw) and token.kind in ("break", "quad") and bool(pending)
            position += 1
        return bool(saw) and bool(pending)

    def _dots_follow(self, position: int) -> bool:
        return any(
            t.is_op("dots") for t in self.tokens[position + 1 : position + 6] if t.kind != "break"
        )

    def _quantifier(self, pending: list[Node], conditions: bool) -> Node | None:
        start = self.peek()
        if start.is_op("("):
            left: Node = self._parenthesis("(", ")")
        elif start.kind in ("name", "num") or start.is_op("-"):
            left = self.expression()
        else:
            return None
        self.skip_quads()
        if self.peek().is_op("in", "notin"):
            negated = self.take().is_op("notin")
            domain = self.set_expression()
            heads = (*pending, left)
            if negated:
                return n.Compare(left.start, domain.end, heads, ("notin",), (domain,))
            targets = _targets(heads)
            if targets is None:
                return n.Compare(left.start, domain.end, heads, ("in",), (domain,))
            as_tuple = isinstance(left, n.Vector)
            return n.Gen(heads[0].start, domain.end, targets, domain, as_tuple)
        if self.peek().is_op("=") and isinstance(left, n.Sym) and not left.subs and not conditions:
            self.take()
            self.skip_quads()
            domain = self.index_values()
            targets = _targets((*pending, left))
            if targets is None:
                raise self.error("an index is expected before =", left)
            return n.Gen(left.start, domain.end, targets, domain)
        if self.peek().kind == "op" and self.peek().value in RELATIONS:
            heads = (*pending, left)
            ops: list[str] = []
            operands: list[Node] = []
            while self.peek().kind == "op" and self.peek().value in RELATIONS:
                ops.append(self.take().value)
                operands.append(self.expression())
            return n.Compare(heads[0].start, operands[-1].end, heads, tuple(ops), tuple(operands))
        if isinstance(left, n.Sym | n.Vector):
            return left
        raise self.error("an index is expected here", left)

    def index_values(self) -> Node:
        """What follows `i =`: `1, …, n`, `1..n`, `1, 2, 3` or one value."""
        first = self.expression()
        items: list[Node] = [first]
        while True:
            mark = self.at
            comma = self.accept(",")
            self.skip_quads()
            if self.accept("dots"):
                self.accept(",")
                self.skip_quads()
                last = self.expression()
                return n.RangeSet(first.start, last.end, first, last)
            if comma and self.peek().kind == "num" and isinstance(first, n.Num):
                after = self.peek(1)
                if not (after.kind in ("name", "func") or after.is_op("*", "^", "(")):
                    items.append(self.expression())
                    continue
            self.at = mark
            return n.SetLit(first.start, items[-1].end, tuple(items))


def _is_zero_one(tokens: list[Token], at: int) -> bool:
    values = [t.value for t in tokens[at : at + 5]]
    return values[1:4] == ["0", ",", "1"]


def _targets(heads: tuple[Node, ...]) -> tuple[str, ...] | None:
    """The index letters of generator heads, or None when one is not a bare letter."""
    names: list[str] = []
    for head in heads:
        for item in head.items if isinstance(head, n.Vector) else (head,):
            if not isinstance(item, n.Sym) or item.subs:
                return None
            names.append(item.name)
    return tuple(names)


def _open_generators(pending: list[Node]) -> list[Node]:
    generators: list[Node] = []
    for item in pending:
        targets = _targets((item,))
        if targets is None:
            raise Unreadable("an index is expected here", ((item.start, item.end),))
        as_tuple = isinstance(item, n.Vector)
        generators.append(n.Gen(item.start, item.end, targets, None, as_tuple))
    return generators
