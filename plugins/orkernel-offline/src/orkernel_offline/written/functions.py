"""Functions, fractions, roots, and sums over an index."""

from __future__ import annotations

from dataclasses import replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.cursor import END, MAX_DEPTH
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.quantifiers import Quantifiers
from orkernel_offline.written.tokens import REDUCERS, Token


class Functions(Quantifiers):
    """Functions and reductions."""

    def _function(self) -> Node:
        token = self.take()
        if token.value == "frac":
            upper, lower = self._braced(), self._braced()
            return n.Bin(token.start, lower.end, "/", upper, lower)
        if token.value == "sqrt":
            return self._root(token)
        if token.value in REDUCERS:
            return self.reduction(token)
        power: Node | None = None
        if self.peek().is_op("_"):
            raise self.error(f"a base of {token.value} is not understood; divide by its logarithm")
        if self.accept("^"):
            power = self._braced() if self.peek().is_op("{") else self._exponent_token()
        call = n.Call(token.start, 0, token.value, self._arguments(token.value))
        call = n.Call(token.start, call.args[-1].end, token.value, call.args)
        if len(call.args) != 1:
            raise self.error(f"{token.value} takes one argument", call)
        return call if power is None else n.Bin(call.start, call.end, "^", call, power)

    def _braced(self) -> Node:
        if self.peek().is_op("{"):
            return self._parenthesis("{", "}")
        token = self.peek()
        if token.kind == "num" and len(token.value) > 1 and token.math:
            raise self.error("write the parts of a fraction in braces")
        return self._primary()

    def _root(self, token: Token) -> Node:
        degree: Node | None = None
        if self.peek().is_op("[") and token.math:
            self.take()
            degree = self.expression()
            self.expect("]", "this root's degree is never closed")
        arg = self._braced() if self.peek().is_op("{") else self._arguments("sqrt")[0]
        if degree is None:
            return n.Call(token.start, arg.end, "sqrt", (arg,))
        one = n.Num(degree.start, degree.end, "1")
        return n.Bin(token.start, arg.end, "^", arg, n.Bin(one.start, one.end, "/", one, degree))

    def _arguments(self, name: str) -> tuple[Node, ...]:
        opening = self.peek()
        closings = {"(": ")", "{": "}", "\\{": "\\}", "[": "]"}
        if opening.kind == "op" and opening.value in closings:
            self.take()
            items = [self.expression()]
            while self.accept(","):
                items.append(self.expression())
            if not self.peek().is_op(closings[opening.value]):
                raise Unreadable("this bracket is never closed", ((opening.start, opening.end),))
            end = self.take().end
            items[-1] = _stretched(items[-1], end)
            return tuple(items)
        if not self.starts_factor(implicit=False) or opening.is_op("-", "+"):
            raise self.error(f"{name} lacks its argument")
        arg = self.factor()
        while self.peek().kind in ("name",) and self.starts_factor(implicit=True):
            right = self.factor()
            arg = n.Bin(arg.start, right.end, "*", arg, right, implicit=True)
        return (arg,)

    def reduction(self, token: Token) -> Node:
        """`sum`, `prod`, `min`, `max` over an index, or `min`/`max` of arguments."""
        quants: list[Node] = []
        lower: Node | None = None
        upper: Node | None = None
        while self.peek().is_op("_", "^"):
            if self.take().is_op("^"):
                upper = self._upper_limit()
            else:
                quants, lower = self._lower_limit()
        if lower is not None or upper is not None:
            quants = [self._ranged(quants, lower, upper, token), *quants[1:]]
        if not quants:
            return self._reduction_without_script(token)
        self.skip_quads()
        if token.value in ("min", "max"):
            body = self._braced_or_term()
        else:
            body = self._signed_term_below_factor_or_term()
        return n.Reduce(token.start, body.end, token.value, tuple(quants), body)

    def _signed_term_below_factor_or_term(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.error("too many nested sums")
        if not self.starts_factor():
            raise self.error("this sum lacks its body")
        body = self.term()
        self._depth -= 1
        return body

    def _braced_or_term(self) -> Node:
        if self.peek().is_op("\\{"):
            (body,) = self._arguments("max")[:1]
            return body
        return self._signed_term_below_factor_or_term()

    def _ranged(
        self, quants: list[Node], lower: Node | None, upper: Node | None, token: Token
    ) -> Node:
        first = quants[0] if quants else None
        if not isinstance(first, n.Gen) or lower is None or upper is None:
            raise Unreadable(
                f"this {token.value} needs both limits, as in _{{i=1}}^{{n}}",
                ((token.start, token.end),),
            )
        domain = n.RangeSet(token.start, self.tokens[self.at - 1].end, lower, upper)
        return n.Gen(first.start, upper.end, first.targets, domain)

    def _upper_limit(self) -> Node:
        if self.peek().is_op("{"):
            return self._parenthesis("{", "}")
        return self._exponent_token()

    def _lower_limit(self) -> tuple[list[Node], Node | None]:
        if not self.peek().is_op("{"):
            token = self.take()
            if token.kind != "name":
                raise self.error("an index is expected under this sum")
            return [n.Gen(token.start, token.end, (token.value,), None)], None
        self.take()
        mark = self.at
        if self.peek().kind == "name":
            name = self.symbol()
            if not name.subs and self.accept("="):
                lower = self.expression()
                if self.accept("}"):
                    return [n.Gen(name.start, name.end, (name.name,), None)], lower
        self.at = mark
        quants = self.quantifiers(("}",))
        self.expect("}", "the index of this sum is never closed")
        return quants, None

    def _reduction_without_script(self, token: Token) -> Node:
        word = self.peek()
        if token.value == "sum" and word.kind == "prose" and word.value.lower() == "over":
            self.take()
            quants = self.quantifiers(())
            if self.peek().kind == "prose" and self.peek().value.lower() == "of":
                self.take()
            body = self._signed_term_below_factor_or_term()
            return n.Reduce(token.start, body.end, "sum", tuple(quants), body)
        opening = self.peek()
        if not opening.is_op("(", "{", "\\{", "["):
            raise Unreadable(
                f"this {token.value} does not say what it runs over", ((token.start, token.end),)
            )
        closing = {"(": ")", "{": "}", "\\{": "\\}", "[": "]"}[opening.value]
        self.take()
        if self._quantifier_in_parenthesis():
            quants = self.quantifiers((closing,))
            self.expect(closing, "the index of this sum is never closed")
            body = self._signed_term_below_factor_or_term()
            return n.Reduce(token.start, body.end, token.value, tuple(quants), body)
        items = [self.expression()]
        if self.peek().is_kw("forall") or (
            self.peek().kind == "prose" and self.peek().value == "over"
        ):
            self.take()
            quants = self.quantifiers((closing,))
            end = self.expect(closing, "this sum is never closed").end
            return n.Reduce(token.start, end, token.value, tuple(quants), items[0])
        while self.accept(","):
            items.append(self.expression())
        if not self.peek().is_op(closing):
            raise Unreadable("this bracket is never closed", ((opening.start, opening.end),))
        end = self.take().end
        if token.value in ("sum", "prod"):
            raise Unreadable(
                f"this {token.value} does not say what it runs over", ((token.start, token.end),)
            )
        return n.Call(token.start, end, token.value, tuple(items))

    def _quantifier_in_parenthesis(self) -> bool:
        position = self.at
        while position < len(self.tokens) and (
            self.tokens[position].kind == "name" or self.tokens[position].is_op(",")
        ):
            position += 1
        token = self.tokens[position] if position < len(self.tokens) else END
        return position > self.at and token.is_op("in", "=")


def _stretched(node: Node, end: int) -> Node:
    """`node` with its end moved, so that a call covers its closing bracket."""
    return replace(node, end=end)
