"""Sets and data; with them the grammar of expressions is complete."""

from __future__ import annotations

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.functions import Functions
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.tokens import Token


class Grammar(Functions):
    """The whole grammar of written algebra."""

    def set_expression(self) -> Node:
        """A set: a name, number set, literal, range, interval, difference or product."""
        left = self._set_primary()
        while True:
            token = self.peek()
            if token.is_op("setminus") or (token.is_op("-") and self.peek(1).is_op("\\{", "{")):
                self.take()
                right = self._set_primary()
                left = n.SetMinus(left.start, right.end, left, right)
            elif token.is_op("*"):
                self.take()
                right = self._set_primary()
                parts = left.parts if isinstance(left, n.SetTimes) else (left,)
                left = n.SetTimes(left.start, right.end, (*parts, right))
            elif token.is_op("union", "intersect"):
                raise self.error("unions and intersections of sets are not understood; list it")
            else:
                return left

    def _set_primary(self) -> Node:
        token = self.peek()
        if token.kind == "numset":
            return self._number_set()
        if token.is_op("\\{", "{"):
            return self.set_literal()
        if token.is_op("["):
            return self._interval()
        if token.kind == "name":
            return self.symbol()
        if token.kind == "num":
            return self.index_values()
        raise self.error("a set is expected here")

    def _number_set(self) -> Node:
        token = self.take()
        sign, end = "", token.end
        if self.peek().is_op(">=", ">") and not self.peek().space and self.peek(1).value == "0":
            sign = self.take().value + "0"
            end = self.take().end
        while self.peek().is_op("_", "^"):
            self.take()
            braced = self.accept("{")
            parts: list[str] = []
            while True:
                part = self.take()
                if part.kind == "break":
                    raise self.error("this number set's script is never closed")
                if braced and part.is_op("}"):
                    end = part.end
                    break
                parts.append(part.value)
                end = part.end
                if not braced:
                    break
            text = "".join(parts)
            if text in ("+", ">=0"):
                sign = ">=0"
            elif text in ("++", ">0"):
                sign = ">0"
            elif text == "0" and token.value == "N":
                sign = ">=0"
            elif text in ("-", "<=0"):
                sign = "<=0"
            elif not all(c.isalnum() or c in "*|" for c in text):
                raise Unreadable(f"the number set's script {text} is not understood",
                                 ((token.start, end),))  # fmt: skip
        return n.NumberSet(token.start, end, token.value, sign)

    def _interval(self) -> Node:
        start = self.take().start
        lo = self.expression()
        if self.peek().is_op("]"):
            end = self.take().end
            one = n.Num(start, start, "1")
            return n.RangeSet(start, end, one, lo)
        self.expect(",", "an interval has two ends")
        hi = self.expression()
        infinite = isinstance(hi, n.Num) and hi.text == "inf"
        closing = ")" if infinite and self.peek().is_op(")") else "]"
        end = self.expect(
            closing, "write an interval as [a, b], or [a, inf) without an upper end"
        ).end
        return n.Interval(start, end, lo, hi)

    def set_literal(self) -> Node:
        """`{A, B}`, `{1, …, n}`, `{(1,2), (2,3)}`, `{A: 3}` or `{(i,j) : i in I, i < j}`."""
        opening = self.take()
        closing = "\\}" if opening.is_op("\\{") else "}"
        items: list[Node] = []
        values: list[tuple[Node, Node]] = []
        while not self.peek().is_op(closing):
            if self.peek().kind == "break" and self.peek().value == "hard":
                raise Unreadable("this set is never closed", ((opening.start, opening.end),))
            if self.peek().kind in ("break", "quad") or self.accept(","):
                if self.peek().kind in ("break", "quad"):
                    self.take()
                continue
            item = self._member(closing)
            colon = self.peek().is_op(":", "|") or self.peek().is_kw("st")
            if colon and not items:
                builder = self._after_colon(opening, item, closing)
                if isinstance(builder, n.SetBuilder):
                    return builder
                values.append((item, builder))
            elif colon and values:
                self.take()
                values.append((item, self.expression()))
            elif values:
                raise self.error("a value is expected after this key", item)
            else:
                items.append(item)
        end = self.take().end
        if values:
            return n.Mapping(opening.start, end, tuple(values))
        return n.SetLit(opening.start, end, tuple(items))

    def _after_colon(self, opening: Token, item: Node, closing: str) -> Node:
        self.take()
        if self.peek().kind == "num" or self.peek().is_op("-"):
            mark = self.at
            value = self.expression()
            if self.peek().is_op(",", closing):
                return value
            self.at = mark
        quants = self.quantifiers((closing,))
        end = self.expect(closing, "this set is never closed").end
        return n.SetBuilder(opening.start, end, item, tuple(quants))

    def _member(self, closing: str) -> Node:
        token = self.peek()
        if token.is_op("dots"):
            self.take()
            return n.Dots(token.start, token.end)
        if token.is_op("("):
            return self._member_tuple()
        first = last = self.take()
        if first.is_op("'", "`"):
            return self._member(closing)
        depth = 0
        simple = first.kind == "name"
        while not (depth == 0 and self.peek().is_op(",", closing, ":", "|", "dots")):
            follow = self.peek()
            if follow.kind == "break" or follow.is_op("in", "="):
                if follow.is_op("in") and simple and first is last:
                    return self._membership_head(first)
                raise self.error("a set's members are separated by commas")
            simple = False
            depth += follow.is_op("{", "(") - follow.is_op("}", ")")
            last = self.take()
        if first is last:
            if first.kind == "num":
                return n.Num(first.start, first.end, first.value)
            if first.kind == "name":
                return n.Sym(first.start, first.end, first.value, (), first.styled)
        if first.kind in ("name", "num") and self.source[first.start] != "\\":
            text = self.source[first.start : last.end]
            return n.Member(first.start, last.end, " ".join(text.split()).strip("\"'"))
        text = " ".join(
            t.value for t in self.tokens[self.tokens.index(first, max(0, self.at - 200)) : self.at]
        )
        return n.Member(first.start, last.end, text.strip("\"'"))

    def _membership_head(self, token: Token) -> Node:
        """`t \\in T` before the bar of a set builder."""
        self.take()
        domain = self.set_expression()
        return n.Gen(token.start, domain.end, (token.value,), domain)

    def _member_tuple(self) -> Node:
        start = self.take().start
        items: list[Node] = []
        while not self.peek().is_op(")"):
            if self.peek().kind == "break":
                raise Unreadable("this bracket is never closed", ((start, start + 1),))
            if self.accept(","):
                continue
            items.append(self._member(")"))
        return n.Vector(start, self.take().end, tuple(items))

    def matrix(self) -> Node:
        """A matrix environment; one row or one column gives a `Vector`."""
        begin = self.take()
        rows: list[n.Vector] = []
        row: list[Node] = []
        while True:
            token = self.peek()
            if token.kind == "end":
                end = self.take().end
                break
            if self.at >= len(self.tokens):
                raise Unreadable(f"this {begin.value} is never closed", ((begin.start, begin.end),))
            if token.kind == "break":
                self.take()
                if row:
                    rows.append(n.Vector(row[0].start, row[-1].end, tuple(row)))
                row = []
            elif token.kind == "quad" or token.is_op(","):
                self.take()
            else:
                outside, self._in_matrix = self._in_matrix, True
                row.append(self.expression())
                self._in_matrix = outside
        if row:
            rows.append(n.Vector(row[0].start, row[-1].end, tuple(row)))
        if not rows or len({len(r.items) for r in rows}) > 1:
            raise Unreadable("the rows of this matrix differ in length", ((begin.start, end),))
        if len(rows) == 1:
            return n.Vector(begin.start, end, rows[0].items)
        if len(rows[0].items) == 1:
            return n.Vector(begin.start, end, tuple(r.items[0] for r in rows))
        return n.Matrix(begin.start, end, tuple(rows))
