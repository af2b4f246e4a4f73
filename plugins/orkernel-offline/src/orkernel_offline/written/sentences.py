"""A walk through the sentences of a statement, and what every part of it needs to see."""

from __future__ import annotations

from itertools import pairwise

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

    def _refuse_joined(self, node: Node) -> None:
        """Refuse when algebra goes on directly after what was understood."""
        token = self.peek()
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
