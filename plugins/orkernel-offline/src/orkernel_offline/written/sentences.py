"""A walk through the sentences of a statement, and what every part of it needs to see."""

from __future__ import annotations

from itertools import pairwise

from orkernel_offline.reading import Unreadable
from orkernel_offline.written.grammar import Grammar
from orkernel_offline.written.nodes import Clause, Mention, Node
from orkernel_offline.written.tokens import RELATIONS, Token
from orkernel_offline.written.vocabulary import (
    DOMAIN_WORDS,
    FILLER,
)


class Sentences(Grammar):
    """State of the walk, and looks ahead in the sentence."""

    def __init__(self, tokens: list[Token], source: str) -> None:
        super().__init__(tokens, source)
        self.clauses: list[Clause] = []
        self.mentions: list[Mention] = []
        self.everywhere: list[tuple[str, int, int]] = []
        self._section = ""
        self._words: list[Token] = []
        self._sense = ""
        self._sense_token: Token | None = None
        self._leading: list[Node] = []
        self._sentence_start = 0
        self._goal_words: list[Token] = []
        self._trailing_words: list[Token] = []
        self._described: set[int] = set()
        self._defined = {
            t.value
            for t, after in pairwise(tokens)
            if t.kind == "name" and after.is_op("=") and len(t.value) > 1
        }

    def _text_of(self, words: list[Token]) -> str:
        if not words:
            return ""
        return " ".join(w.value for w in words if w.kind in ("prose", "name", "num", "kw"))

    def _domain_words(self) -> tuple[list[str], int]:
        words: list[str] = []
        end = 0
        while True:
            mark = self.at
            while (
                self.peek().kind == "quad"
                or self.peek().is_op(",", "(")
                or self.peek().is_kw("and")
                or (self.peek().kind == "prose" and self.peek().value.lower() in FILLER)
            ):
                self.take()
            token = self.peek()
            if token.kind != "kw" or token.value not in DOMAIN_WORDS:
                self.at = mark
                return words, end
            self.take()
            self.accept(")")
            words.append(token.value)
            end = token.end
            while self.peek().kind == "prose" and self.peek().value.lower() in FILLER:
                self.take()

    def _skip_index_noun(self) -> None:
        """`for each product i`: the noun between the words and the index."""
        mark = self.at
        while self.peek().kind == "prose":
            self.take()
        if self.peek().kind != "name" and not self.peek().is_op("("):
            self.at = mark

    def _sentence_end(self) -> int:
        position, end = self.at, self.peek().start
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind == "break" and token.value != "soft":
                break
            end = token.end
            position += 1
        return end

    def _starts_algebra(self, position: int, *, numbers: bool = True) -> bool:
        if position >= len(self.tokens):
            return True
        kinds = ("name", "num", "func") if numbers else ("name", "func")
        return self.tokens[position].kind in kinds

    def _relation_follows(self) -> bool:
        position = self.at
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind == "break" and token.value != "soft":
                return False
            if token.kind == "op" and token.value in RELATIONS | {"in"}:
                return True
            position += 1
        return False

    def _relation_next(self) -> bool:
        return self.peek().kind == "op" and self.peek().value in RELATIONS | {"in"}

    def _run_end(self, mark: int) -> int:
        position = mark
        while position < len(self.tokens) and self.tokens[position].kind not in ("break", "prose"):
            position += 1
        return position

    def _glued_number(self) -> bool:
        """Whether a sign and a number stand here with no space before either."""
        return not self.peek().space and self.peek(1).kind == "num" and not self.peek(1).space

    def _decimal_comma(self) -> bool:
        """Whether `,5` goes on after the number before it, as in `0,5`."""
        before = self.tokens[self.at - 1] if self.at else None
        return (
            before is not None
            and before.kind == "num"
            and self.peek().is_op(",")
            and self._glued_number()
        )

    def _comma_error(self) -> Unreadable:
        first, last = self.tokens[self.at - 1], self.peek(1)
        return Unreadable(
            f"{first.value},{last.value} may be one number or two; write a decimal with a point, "
            "or a space after the comma of a list",
            ((first.start, last.end),),
        )

    def _term_goes_on(self, position: int) -> bool:
        token = self.tokens[position] if position < len(self.tokens) else None
        return token is not None and (
            token.kind in ("name", "func")
            or (token.kind == "op" and token.value in RELATIONS | {"+", "-", "*", "/", "^", "("})
        )

    def _relation_in_item(self, position: int) -> bool:
        """Whether a relation stands before the next comma or the end of the line."""
        while position < len(self.tokens):
            token = self.tokens[position]
            if token.kind in ("break", "prose", "kw") or token.is_op(","):
                return False
            if token.kind == "op" and token.value in RELATIONS:
                return True
            position += 1
        return False

    def _refuse_joined(self, node: Node) -> None:
        """Refuse when algebra goes on directly after what was understood."""
        token = self.peek()
        if token.is_op(":") and self._glued_number():
            raise self.error("a ratio is not understood; write it as a relation, such as 2*x = y")
        if self._decimal_comma() and not self._relation_in_item(self.at + 1):
            raise self._comma_error()
        glued = token.kind == "op" and token.value in (
            "*", "/", "^", "_", "!", "'", "]", "}", "\\}", "setminus", "notin", "union", "dots",
        )  # fmt: skip
        if glued or (token.kind in ("num", "func", "name", "numset") and not token.space):
            raise self.error("this is not understood after the formula before it")
        if token.kind in ("num", "name", "func", "numset") and token.math:
            previous = self.tokens[self.at - 1]
            if previous.math and previous.kind not in ("quad", "break"):
                gap = self.source[previous.end : token.start]
                if "$" not in gap and "\\)" not in gap and "}" not in gap:
                    raise self.error("this is not understood after the formula before it")
