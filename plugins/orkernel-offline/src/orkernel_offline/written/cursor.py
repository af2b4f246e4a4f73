"""A cursor over the tokens of a statement, and what the forms of algebra ask of each other."""

from __future__ import annotations

from orkernel_offline.reading import Unreadable
from orkernel_offline.written.nodes import Node
from orkernel_offline.written.tokens import Token

MAX_DEPTH = 60
END = Token("break", "hard", 0, 0)
"""What stands beyond the last token."""


class Cursor:
    """A position in the tokens of a statement."""

    def __init__(self, tokens: list[Token], source: str) -> None:
        self.tokens = tokens
        self.source = source
        self.at = 0
        self._depth = 0
        self._bars = 0
        self._in_matrix = False

    def peek(self, ahead: int = 0) -> Token:
        """The token `ahead` places on; a hard break beyond the end."""
        position = self.at + ahead
        return self.tokens[position] if position < len(self.tokens) else END

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

    # Forms that others contain; the classes that derive from this one provide them.

    def expression(self) -> Node:
        """A sum of terms."""
        raise NotImplementedError

    def set_expression(self) -> Node:
        """A set."""
        raise NotImplementedError

    def matrix(self) -> Node:
        """A matrix environment."""
        raise NotImplementedError

    def _function(self) -> Node:
        raise NotImplementedError

    def _is_remark(self) -> bool:
        raise NotImplementedError
