"""Expressions, sets and quantifiers: tokens to syntax tree, by precedence."""

from __future__ import annotations

from dataclasses import replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import nodes as n
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.tokens import MATRIX_ENVIRONMENTS, RELATIONS, Token

MAX_DEPTH = 60
_END = Token("break", "hard", 0, 0)
_ADDITIVE = ("+", "-")
_REDUCERS = ("sum", "prod", "min", "max")


class Grammar:
    """A cursor over the tokens of a statement with one method per syntactic form."""

    def __init__(self, tokens: list[Token], source: str) -> None:
        self.tokens = tokens
        self.source = source
        self.at = 0
        self._depth = 0
        self._bars = 0
        self._in_matrix = False

    # -- cursor ---------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> Token:
        """The token `ahead` places on; a hard break beyond the end."""
        position = self.at + ahead
        return self.tokens[position] if position < len(self.tokens) else _END

    def take(self) -> Token:
        """The next token, consumed."""
        token = self.peek()
        if self.at > len(self.tokens) + 2:
            raise self.error("the statement ends in the middle of a formula")
        self.at += 1
        return token

    def skip_quads(self) -> None:
        """Pass over wide spaces and alignment marks, which part the entries of a matrix."""
        while not self._in_matrix and self.peek().kind == "quad":
            self.at += 1

    def accept(self, *values: str) -> bool:
        """Consume the next token if it is one of these operators."""
        if self.peek().is_op(*values):
            self.at += 1
            return True
        return False

    def expect(self, value: str, why: str) -> Token:
        """Consume the operator `value` or refuse."""
        if not self.peek().is_op(value):
            raise self.error(why)
        return self.take()

    def error(self, reason: str, node: Node | None = None) -> Unreadable:
        """An `Unreadable` at `node`, or at the next token."""
        if node is not None:
            return Unreadable(reason, ((node.start, node.end),))
        token = self.peek()
        if token.start >= token.end:
            previous = self.tokens[min(self.at, len(self.tokens)) - 1] if self.tokens else token
            return Unreadable(reason, ((previous.start, previous.end),))
        return Unreadable(reason, ((token.start, token.end),))

    # -- expressions ----------------------------------------------------------------------

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
            raise self.error(f"two words side by side; write * before {token.value} if they multiply")
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
        if token.is_op("transpose") or (
            token.kind == "name" and token.value == "T" and self._follows_vector()
        ):
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

    def _follows_vector(self) -> bool:
        """Whether an unbraced `T` exponent is a transpose: always, unless a digit follows."""
        return True

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

    # -- symbols --------------------------------------------------------------------------

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
        if token.kind == "func" and token.value in ("min", "max"):
            name = token.value
        elif token.kind == "name" and (token.styled and len(token.value) > 1):
            name = token.value
        elif token.kind == "name" and braced and len(token.value) > 2:
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
        if token.kind in ("name", "prose") or (token.kind == "func" and token.value in _REDUCERS):
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

    # -- functions ------------------------------------------------------------------------

    def _function(self) -> Node:
        token = self.take()
        if token.value == "frac":
            upper, lower = self._braced(), self._braced()
            return n.Bin(token.start, lower.end, "/", upper, lower)
        if token.value == "sqrt":
            return self._root(token)
        if token.value in _REDUCERS:
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
        if self.peek().is_kw("forall") or (self.peek().kind == "prose" and self.peek().value == "over"):
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
        token = self.tokens[position] if position < len(self.tokens) else _END
        return position > self.at and token.is_op("in", "=")

    # -- quantifiers ----------------------------------------------------------------------

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
            if self.peek().is_op(":", "|") or (
                self.peek().kind == "prose"
                and self.peek().value.lower() in ("with", "where", "if", "when")
            ) or (self.peek().is_kw("st") and found):
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
                after = tokens[position + 1] if position + 1 < len(tokens) else _END
                return after.kind != "numset" and not _is_zero_one(tokens, position + 1)
            elif token.kind == "op" and token.value in RELATIONS:
                bound = bool(set(saw) & targets)
                after = tokens[position + 1] if position + 1 < len(tokens) else _END
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
            return n.Compare(
                heads[0].start, operands[-1].end, heads, tuple(ops), tuple(operands)
            )
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

    # -- sets and data --------------------------------------------------------------------

    def set_expression(self) -> Node:
        """A set: a name, number set, literal, range, interval, difference or product."""
        left = self._set_primary()
        while True:
            token = self.peek()
            if token.is_op("setminus") or (
                token.is_op("-") and self.peek(1).is_op("\\{", "{")
            ):
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
        end = self.expect("]", "this interval is never closed").end
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


def _stretched(node: Node, end: int) -> Node:
    """`node` with its end moved, so that a call covers its closing bracket."""
    return replace(node, end=end)
