"""Sums, products, powers and parentheses, by precedence."""

from __future__ import annotations

from dataclasses import replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.cursor import MAX_DEPTH
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.symbols import Symbols
from orkernel_offline.written.tokens import MATRIX_ENVIRONMENTS

_ADDITIVE = ("+", "-")


class Expressions(Symbols):
    """Expressions without functions, sums and sets."""

    def starts_factor(self, *, implicit: bool = False) -> bool:
        """Whether the next token can start a factor (after another one if `implicit`)."""
        token = self.peek()
        if token.kind in ("name", "func"):
            return True
        if token.kind == "num":
            return not implicit
        if token.kind == "begin":
            return token.value in MATRIX_ENVIRONMENTS and not implicit
        if token.is_op("(", "["):
            return not (implicit and (token.is_op("[") or self._is_remark()))
        if token.is_op("{"):
            return token.math
        if token.is_op("|"):
            return not implicit or self._bars == 0
        return token.is_op("-", "+") and not implicit

    def _is_remark(self) -> bool:
        """Whether the parenthesis here is an equation number or a remark, not a factor."""
        if not self.peek().space and not (self.at and self.tokens[self.at - 1].kind == "quad"):
            return self.peek(1).kind in ("prose", "kw")
        inside, closing, after = self.peek(1), self.peek(2), self.peek(3)
        if inside.kind in ("prose", "kw", "break"):
            return True
        if inside.kind == "name" and closing.is_op("=", "in", ","):
            return closing.value != "," or self._tuple_quantifier()
        single = inside.kind in ("num", "name") and closing.is_op(")")
        return single and after.kind in ("break", "quad")

    def _tuple_quantifier(self) -> bool:
        """Whether `(i, j = 1, ..., n)` or `(i, j in I)` stands here."""
        position = self.at + 1
        while position < len(self.tokens) and (
            self.tokens[position].kind == "name" or self.tokens[position].is_op(",")
        ):
            position += 1
        return position < len(self.tokens) and self.tokens[position].is_op("=", "in")

    def expression(self) -> Node:
        """A sum of terms.

        Raises:
            Unreadable: What stands here is not an expression.
        """
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.error(f"more than {MAX_DEPTH} nested parentheses or scripts")
        try:
            return self._sum_of_terms()
        finally:
            self._depth -= 1

    def _sum_of_terms(self) -> Node:
        left = self._signed_term()
        while True:
            mark = self.at
            self.skip_quads()
            token = self.peek()
            if not token.is_op(*_ADDITIVE):
                self.at = mark
                return left
            self.take()
            self.skip_quads()
            right = self._signed_term()
            left = n.Bin(left.start, right.end, token.value, left, right)

    def _signed_term(self) -> Node:
        token = self.peek()
        if token.is_op("-"):
            self.take()
            term = self._signed_term_below()
            return n.Neg(token.start, term.end, term)
        if token.is_op("+"):
            self.take()
            return self._signed_term_below()
        return self.term()

    def _signed_term_below(self) -> Node:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.error("too many signs in a row")
        term = self._signed_term()
        self._depth -= 1
        return term

    def term(self) -> Node:
        """A product of factors, with the `*` written or not."""
        left = self.factor()
        while True:
            token = self.peek()
            if token.kind == "quad" and self.peek(1).is_op("*", "/") and not self._in_matrix:
                self.skip_quads()
                token = self.peek()
            if token.is_op("*", "/"):
                self.take()
                self.skip_quads()
                right = self.factor()
                left = n.Bin(left.start, right.end, token.value, left, right)
            elif self._multiplies(left):
                right = self.factor()
                left = n.Bin(left.start, right.end, "*", left, right, implicit=True)
            else:
                return left

    def _multiplies(self, left: Node) -> bool:
        if not self.starts_factor(implicit=True):
            return False
        token = self.peek()
        if token.kind == "func" and token.value in ("min", "max") and not self._is_call():
            return False
        before = self.tokens[self.at - 1]
        long_words = (
            not token.math and token.kind == "name" and before.kind == "name"
            and len(token.value) > 1 and len(before.value) > 1
        )  # fmt: skip
        if long_words:
            raise self.error(
                f"two words side by side; write * before {token.value} if they multiply"
            )
        return True

    def _is_call(self) -> bool:
        return self.peek(1).is_op("(", "{", "\\{", "_", "[")

    def factor(self) -> Node:
        """One factor with its exponent."""
        base = self._primary()
        while True:
            token = self.peek()
            if token.is_op("^"):
                if isinstance(base, n.Bin) and base.op == "^" and base.right.end == token.start:
                    raise self.error("a power of a power: write parentheses")
                self.take()
                base = self._raised(base)
            elif token.is_op("%"):
                self.take()
                hundred = n.Num(token.start, token.end, "100")
                base = n.Bin(base.start, token.end, "/", base, hundred)
            elif token.is_op("!") and not token.space:
                raise self.error("a factorial is not understood")
            else:
                return base

    def _raised(self, base: Node) -> Node:
        token = self.peek()
        if token.is_op("transpose") or (token.kind == "name" and token.value == "T"):
            self.take()
            return n.Call(base.start, token.end, "transpose", (base,))
        if token.is_op("{"):
            inner = self.peek(1)
            if inner.is_op("transpose") or (inner.value == "T" and self.peek(2).is_op("}")):
                self.at += 2
                end = self.expect("}", "this exponent is never closed").end
                return n.Call(base.start, end, "transpose", (base,))
            self.take()
            exponent = self.expression()
            end = self.expect("}", "this exponent is never closed").end
        elif token.is_op("("):
            self.take()
            exponent = self.expression()
            end = self.expect(")", "this exponent is never closed").end
        else:
            exponent = self._exponent_token()
            end = exponent.end
        return n.Bin(base.start, end, "^", base, exponent)

    def _exponent_token(self) -> Node:
        token = self.peek()
        if token.is_op("-"):
            self.take()
            inner = self._exponent_token()
            return n.Neg(token.start, inner.end, inner)
        if token.kind == "num":
            self.take()
            return n.Num(token.start, token.end, token.value)
        if token.kind == "name":
            return self.symbol()
        raise self.error("an exponent is expected here")

    def _primary(self) -> Node:
        token = self.peek()
        if token.kind == "num":
            self.take()
            return n.Num(token.start, token.end, token.value)
        if token.kind == "name":
            return self._symbol_or_application()
        if token.kind == "func":
            return self._function()
        if token.is_op("-", "+"):
            return self._signed_term_below_factor()
        if token.is_op("("):
            return self._parenthesis("(", ")")
        if token.is_op("["):
            return self._parenthesis("[", "]")
        if token.is_op("{"):
            return self._parenthesis("{", "}")
        if token.is_op("|"):
            return self._absolute()
        if token.kind == "begin" and token.value in MATRIX_ENVIRONMENTS:
            return self.matrix()
        if token.is_op("inf"):
            self.take()
            return n.Num(token.start, token.end, "inf")
        raise self.error("a number, a symbol or a parenthesis is expected here")

    def _signed_term_below_factor(self) -> Node:
        token = self.take()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise self.error("too many signs in a row")
        inner = self.factor()
        self._depth -= 1
        return inner if token.is_op("+") else n.Neg(token.start, inner.end, inner)

    def _parenthesis(self, opening: str, closing: str) -> Node:
        start = self.expect(opening, "").start
        bars, self._bars = self._bars, 0
        items = [self.expression()]
        while self.accept(","):
            if self.accept("dots"):
                items.append(n.Dots(self.peek(-1).start, self.peek(-1).end))
                continue
            items.append(self.expression())
        if not self.peek().is_op(closing):
            opener = Unreadable("this bracket is never closed", ((start, start + 1),))
            if self.peek().kind == "break":
                raise opener
            raise self.error(f"{closing} or an operator is expected here")
        end = self.take().end
        self._bars = bars
        if opening == "[" and all(isinstance(i, n.Vector) for i in items):
            return n.Matrix(start, end, tuple(i for i in items if isinstance(i, n.Vector)))
        if len(items) == 1 and opening != "[":
            return replace(items[0], start=start, end=end)
        return n.Vector(start, end, tuple(items))

    def _absolute(self) -> Node:
        start = self.take().start
        self._bars += 1
        inner = self.expression()
        self._bars -= 1
        end = self.expect("|", "this | has no partner").end
        return n.Call(start, end, "abs", (inner,))
