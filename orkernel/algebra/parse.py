"""From the text of an expression to its syntax tree.

The grammar is a subset of Python's expressions, with the same precedence, so that the
trees agree with `ast`. The differences: line breaks are spaces, `x[[i, j]]` is `x[i, j]`,
and a chain of more than `MAX_CHAIN` summands or factors becomes one `sum([…])` or
`prod([…])`, which keeps every tree shallow. Nothing is ever evaluated.
"""

from __future__ import annotations

from orkernel.algebra.functions import FUNCTIONS, KEYWORDS, RESERVED
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
from orkernel.algebra.token_stream import INFIX_HINTS, MAX_DEPTH, WORD_HINTS, TokenStream
from orkernel.algebra.tokens import Source, Token, number, string, tokenize

MAX_CHAIN = 32
"""Longest chain of `+ -` or of `*` that is kept as nested binary nodes."""

CONDITIONAL, OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, POWER, PRIMARY = range(10)
"""Binding strengths, weakest first."""

_LEVELS = {
    "if": CONDITIONAL,
    "or": OR,
    "and": AND,
    "+": SUM,
    "-": SUM,
    "*": PRODUCT,
    "/": PRODUCT,
    "//": PRODUCT,
    "%": PRODUCT,
    "**": POWER,
} | dict.fromkeys(("<=", ">=", "==", "!=", "<", ">", "in", "not", "is"), COMPARE)


__all__ = ["MAX_CHAIN", "MAX_DEPTH", "parse", "parse_for_each"]


def parse(text: str, *, element: str = "") -> Node:
    """Parse an expression.

    Args:
        text: The expression.
        element: The element it belongs to, for error messages, e.g. `constraint 'supply'`.

    Returns:
        The tree; its depth is at most `MAX_DEPTH`, spans count characters of `text`.

    Raises:
        ExpressionError: The text is not an expression of the algebra; with span and fix.
    """
    return _parser(text, element).whole()


def parse_for_each(text: str, *, element: str = "") -> tuple[Generator, ...]:
    """Parse `i in I for (j, k) in ARC if i != j`; a comma is read as ` for `.

    Raises:
        ExpressionError: The text is not a list of generators; with span and fix.
    """
    return _parser(text, element).whole_for_each()


def _parser(text: str, element: str) -> _Parser:
    source = Source(text, element)
    return _Parser(source, tokenize(source))


class _Parser(TokenStream):
    """Precedence climbing over the tokens; recursion is bounded by `MAX_DEPTH`."""

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        super().__init__(source, tokens)
        self.depth = 0

    # ------------------------------------------------------------------ entry points

    def whole(self) -> Node:
        if self.next.kind == "end":
            self.source.fail("the expression is empty", 0, len(self.source.text), "write one")
        try:
            node = self.expression()
        except RecursionError:
            self.fail_depth()
        if self.next.kind != "end":
            self.fail_unexpected()
        self.check_depth(node)
        return node

    def whole_for_each(self) -> tuple[Generator, ...]:
        if self.is_next("for"):
            self.fail("'for' is not needed at the start", self.next, "begin with 'i in I'")
        try:
            generators = [self.generator()]
            while self.accept("for") or self.accept(","):
                generators.append(self.generator())
        except RecursionError:
            self.fail_depth()
        if self.next.kind != "end":
            self.fail_unexpected()
        for generator in generators:
            self.check_depth(generator)
        return tuple(generators)

    # ------------------------------------------------------------------ operators

    def expression(self, level: int = CONDITIONAL) -> Node:
        """Everything from here that binds at least as strongly as `level`."""
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail_depth()
        start = self.next.start
        node = self.prefixed(level)
        while (strength := self.strength()) >= level:
            if strength == CONDITIONAL:
                node = self.conditional(node, start)
            elif strength in (OR, AND):
                node = self.logic(node, strength, start)
            elif strength == COMPARE:
                node = self.comparison(node, start)
            elif strength == POWER:
                self.advance()
                right = self.expression(UNARY)
                node = Binary("**", node, right, span=(start, self.end))
            else:
                node = self.chain(node, strength, start)
        self.depth -= 1
        return node

    def strength(self) -> int:
        """Binding strength of the next token as an infix operator; −1 if it is none."""
        if self.next.kind not in ("operator", "name"):
            return -1
        if self.is_next("not") and self.tokens[self.at + 1].text != "in":
            return -1
        return _LEVELS.get(self.next.text, -1)

    def prefixed(self, level: int) -> Node:
        token = self.next
        if self.is_next("not"):
            if level > NOT:
                self.fail("'not' binds more weakly here", token, "put it in parentheses")
            self.advance()
            operand = self.expression(NOT)
            return Unary("not", operand, span=(token.start, self.end))
        if token.kind == "operator" and token.text in ("+", "-"):
            self.advance()
            operand = self.expression(UNARY)
            return Unary(token.text, operand, span=(token.start, self.end))
        return self.primary()

    def conditional(self, then: Node, start: int) -> Node:
        self.advance()
        test = self.expression(OR)
        if not self.accept("else"):
            self.fail(
                "a conditional expression needs 'else'",
                self.next,
                "write a if condition else b; a filter stands after 'for … in …'",
            )
        otherwise = self.expression(CONDITIONAL)
        return Conditional(test, then, otherwise, span=(start, self.end))

    def logic(self, first: Node, level: int, start: int) -> Node:
        op = self.next.text
        operands = [first]
        while self.accept(op):
            operands.append(self.expression(level + 1))
        return Logic(op, tuple(operands), span=(start, self.end))

    def comparison(self, first: Node, start: int) -> Node:
        operands, ops = [first], []
        while self.strength() == COMPARE:
            token = self.advance()
            if token.text == "is":
                self.fail("'is' is not a comparison", token, "write ==")
            if token.text == "not":
                self.advance()
            ops.append("not in" if token.text == "not" else token.text)
            operands.append(self.expression(SUM))
        return Compare(tuple(operands), tuple(ops), span=(start, self.end))

    def chain(self, first: Node, level: int, start: int) -> Node:
        """A run of `+ -` or of `* / // %`, all of one strength, grouped from the left."""
        operands, ops, ends = [first], [], []
        while self.strength() == level:
            ops.append(self.advance().text)
            operands.append(self.expression(level + 1))
            ends.append(self.end)
        span = (start, self.end)
        if len(operands) > MAX_CHAIN and level == SUM:
            terms = [first] + [
                Unary("-", term, span=term.span) if op == "-" else term
                for op, term in zip(ops, operands[1:], strict=True)
            ]
            return Call("sum", (Sequence(tuple(terms), span=span),), span=span)
        if len(operands) > MAX_CHAIN and set(ops) == {"*"}:
            return Call("prod", (Sequence(tuple(operands), span=span),), span=span)
        if len(operands) > MAX_DEPTH:
            self.source.fail(
                f"{len(operands):,} factors and divisors in a row are too many",
                *span,
                "split the expression with parentheses or several elements",
            )
        node = first
        for op, operand, end in zip(ops, operands[1:], ends, strict=True):
            node = Binary(op, node, operand, span=(start, end))
        return node

    # ------------------------------------------------------------------ primaries

    def primary(self) -> Node:
        token = self.next
        if token.kind == "number":
            self.advance()
            node: Node = Number(number(self.source, token), span=(token.start, token.end))
        elif token.kind == "string":
            self.advance()
            node = Text(string(self.source, token), span=(token.start, token.end))
        elif token.kind == "name":
            node = self.named()
        elif self.is_next("("):
            node = self.parenthesis()
        elif self.is_next("["):
            node = self.bracket()
        elif token.kind == "operator" and token.text in ("*", "**") and self.follows_opening():
            self.fail("unpacking with * does not exist here", token, "list the items")
        else:
            self.fail_missing_operand()
        self.check_postfix(node)
        return node

    def named(self) -> Node:
        token = self.advance()
        name = token.text
        following = self.next
        adjoining = following.start == token.end
        if following.kind == "string" and adjoining and name.lower() in ("f", "b", "r", "u", "rb"):
            self.fail("strings have no prefix here", token, "write a plain string in quotes")
        if name in KEYWORDS:
            self.fail(f"'{name}' cannot stand here", token, WORD_HINTS.get(name, ""))
        if self.is_next("("):
            return self.call(token)
        if name in FUNCTIONS:
            self.fail(
                f"'{name}' is a function and needs arguments",
                token,
                f"write {FUNCTIONS[name].signature}; elements cannot have this name",
            )
        if not self.is_next("["):
            return Name(name, span=(token.start, token.end))
        self.advance()
        if self.is_next("]"):
            self.fail("the index is missing", self.next, f"write {name}[i], or {name} without [ ]")
        indices = self.items("]")
        if len(indices) == 1 and isinstance(indices[0], Sequence):
            indices = list(indices[0].items)
        if not indices:
            self.fail("the index is missing", token, f"write {name}[i], or {name} without [ ]")
        return Subscript(name, tuple(indices), span=(token.start, self.end))

    def call(self, token: Token) -> Node:
        function = FUNCTIONS.get(token.text)
        if function is None:
            self.fail_unknown_function(token)
        self.advance()
        arguments = self.arguments()
        span = (token.start, self.end)
        if not function.takes(len(arguments)):
            self.source.fail(
                f"'{function.name}' does not take {len(arguments)} argument"
                f"{'' if len(arguments) == 1 else 's'}",
                *span,
                f"write {function.signature}",
            )
        return Call(function.name, tuple(arguments), span=span)

    def arguments(self) -> list[Node]:
        """After `(`: expressions, or one comprehension without brackets; takes the `)`."""
        if self.accept(")"):
            return []
        first = self.expression()
        if not self.is_next("for"):
            return [first, *self.items(")", started=True)]
        comprehension = self.comprehension(first)
        if self.is_next(","):
            self.fail(
                "a comprehension beside other arguments needs brackets",
                self.next,
                "write [… for i in I], …; a second generator begins with 'for'",
            )
        self.close(")")
        return [comprehension]

    def parenthesis(self) -> Node:
        opening = self.advance()
        if self.is_next(")"):
            self.fail("the parentheses are empty", self.next, "write an expression in them")
        first = self.expression()
        if self.is_next("for"):
            self.fail(
                "a comprehension stands inside a call or in [ ]",
                self.next,
                "write sum(… for i in I) or [… for i in I]",
            )
        if not self.is_next(","):
            self.close(")")
            return first
        items = [first, *self.items(")", started=True)]
        return Sequence(tuple(items), span=(opening.start, self.end))

    def bracket(self) -> Node:
        opening = self.advance()
        if self.accept("]"):
            return Sequence((), span=(opening.start, opening.end + 1))
        first = self.expression()
        if self.is_next("for"):
            comprehension = self.comprehension(first)
            self.close("]")
            return comprehension
        items = [first, *self.items("]", started=True)]
        return Sequence(tuple(items), span=(opening.start, self.end))

    def items(self, closing: str, *, started: bool = False) -> list[Node]:
        """Expressions with commas between them up to the closing bracket, which is taken."""
        found: list[Node] = [] if started else [self.expression()]
        while self.accept(","):
            if self.is_next(closing):
                break
            found.append(self.expression())
            if self.is_next("for"):
                self.fail(
                    "a comprehension beside other items needs brackets",
                    self.next,
                    "write [… for i in I]",
                )
        self.close(closing)
        return found

    # ------------------------------------------------------------------ comprehensions

    def comprehension(self, element: Node) -> Node:
        generators = []
        while self.accept("for"):
            generators.append(self.generator())
        return Comprehension(element, tuple(generators), span=(element.span[0], self.end))

    def generator(self) -> Generator:
        """`targets in source if condition …`, the `for` or comma before it already taken."""
        start = self.next.start
        targets = self.targets()
        if not self.accept("in"):
            self.fail("'in' is missing", self.next, "write i in I, or (i, j) in ARC")
        source = self.expression(OR)
        if isinstance(source, Logic):
            self.source.fail(
                f"'{source.op}' cannot join generators",
                *source.span,
                "write 'for' between generators and 'if' before a condition",
            )
        if not isinstance(source, Name | Sequence | Comprehension | Subscript):
            self.source.fail(
                "an index runs over a set", *source.span, "write the name of a set, or a list [ ]"
            )
        conditions = []
        while self.accept("if"):
            conditions.append(self.expression(OR))
            if self.is_next("else"):
                self.fail(
                    "a filter has no 'else'", self.next, "put the conditional into parentheses"
                )
        return Generator(targets, source, tuple(conditions), span=(start, self.end))

    def targets(self) -> tuple[str, ...]:
        opened = self.accept("(")
        names = [self.target()]
        while self.accept(","):
            if opened and self.is_next(")"):
                break
            names.append(self.target())
        if opened:
            self.close(")")
        return tuple(names)

    def target(self) -> str:
        token = self.next
        if token.kind != "name" or token.text in KEYWORDS:
            self.fail("the name of an index is missing", token, "write i in I, or (i, j) in ARC")
        if token.text in RESERVED:
            self.fail(f"'{token.text}' is a function", token, "give the index another name")
        return self.advance().text

    # ------------------------------------------------------------------ checks

    def check_depth(self, root: Node) -> None:
        """Refuse a tree that is too deep for those who walk it recursively."""
        level, depth = [root], 0
        while level:
            depth += 1
            if depth > MAX_DEPTH:
                self.source.fail(
                    f"the expression is nested more than {MAX_DEPTH} deep",
                    *level[0].span,
                    "split it into several elements",
                )
            level = [child for node in level for child in node.children()]

    def check_postfix(self, node: Node) -> None:
        """After an operand there comes an operator, not another operand."""
        token = self.next
        before = self.source.text[slice(*node.span)][-20:]
        if token.kind in ("number", "string"):
            self.fail(
                "an operator is missing", token, f"write {before}*{token.text[:20]} for a product"
            )
        if token.kind == "name" and token.text in INFIX_HINTS:
            self.fail(f"'{token.text}' is not an operator", token, INFIX_HINTS[token.text])
        if token.kind == "name" and token.text not in KEYWORDS:
            self.fail(
                "an operator is missing", token, f"write {before}*{token.text[:20]} for a product"
            )
        if self.is_next("["):
            self.fail(
                "an index can only follow a name", token, "write all indices together, x[i, j]"
            )
        if self.is_next("("):
            self.fail("an operator is missing", token, f"write {before}*(…) for a product")
