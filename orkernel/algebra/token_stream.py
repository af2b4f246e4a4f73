"""The tokens of an expression as a stream, and the errors that name a token and a fix."""

from __future__ import annotations

import difflib
from typing import NoReturn

from orkernel.algebra.functions import FUNCTIONS
from orkernel.algebra.tokens import HINTS, Source, Token

MAX_DEPTH = 120
"""Deepest nesting of brackets and of the syntax tree."""

WORD_HINTS = {
    "lambda": "functions cannot be defined; write the expression itself",
    "True": "write 1 for true",
    "False": "write 0 for false",
    "None": "leave it out",
    "is": "write ==",
    "for": "a comprehension stands inside a call or in [ ], e.g. sum(x[i] for i in I)",
    "if": "write a if condition else b",
    "else": "write a if condition else b",
    "await": "choose another name",
    "import": "expressions are data and import nothing",
}
_CALL_HINTS = {
    "pow": "write x**y",
    "len": "write card(S)",
    "ln": "write log(x)",
    "fabs": "write abs(x)",
    "product": "write prod(… for i in I)",
    "range": 'define the range as a set, {"name": "T", "range": [1, 6]}',
    "forall": "put the indices into for_each, or write all(… for i in I)",
    "exists": "write any(… for i in I)",
    "If": "write a if condition else b, or implies(a, b)",
    "alldifferent": "write all_different(…)",
    "AllDifferent": "write all_different(…)",
}
INFIX_HINTS = {
    "implies": "write implies(a, b)",
    "iff": "write iff(a, b)",
    "mod": "write %",
    "div": "write //",
    "AND": "write and",
    "OR": "write or",
    "IN": "write in",
}


class TokenStream:
    """Reads tokens one by one.

    Args:
        source: The text, for errors.
        tokens: Its tokens; the last one is of kind `end`.
    """

    def __init__(self, source: Source, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.at = 0

    # ------------------------------------------------------------------ tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    @property
    def end(self) -> int:
        """Offset past the last token taken."""
        return self.tokens[self.at - 1].end

    def advance(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def is_next(self, text: str) -> bool:
        token = self.tokens[self.at]
        return token.text == text and token.kind != "string"

    def accept(self, text: str) -> bool:
        if self.is_next(text):
            self.at += 1
            return True
        return False

    def close(self, closing: str) -> None:
        if not self.accept(closing):
            self.fail_unexpected(closing)

    def follows_opening(self) -> bool:
        return self.at > 0 and self.tokens[self.at - 1].text in ("(", "[", ",")

    # ------------------------------------------------------------------ errors

    def fail(self, message: str, token: Token, fix: str = "") -> NoReturn:
        if token.kind == "wrong":
            message, fix = f"'{token.text}' is not an operator here", HINTS[token.text]
        self.source.fail(message, token.start, token.end, fix)

    def fail_depth(self) -> NoReturn:
        self.fail(
            f"the expression is nested more than {MAX_DEPTH} deep",
            self.next,
            "remove parentheses, or split it into several elements",
        )

    def fail_unknown_function(self, token: Token) -> NoReturn:
        name = token.text
        if name.startswith("__"):
            fix = "expressions are data and run no code"
        elif name in _CALL_HINTS:
            fix = _CALL_HINTS[name]
        elif near := difflib.get_close_matches(name[:50], FUNCTIONS, n=2, cutoff=0.6):
            fix = f"did you mean {' or '.join(near)}? An index is written {name[:50]}[i]"
        else:
            fix = f"an index is written {name[:50]}[i], a product {name[:50]}*(…)"
        self.fail(f"there is no function '{name[:50]}'", token, fix)

    def fail_missing_operand(self) -> NoReturn:
        token = self.next
        if token.kind == "end":
            self.fail("the expression ends too early", token, "an operand or bracket is missing")
        self.fail(f"an operand is missing before '{token.text}'", token, "write it, or remove this")

    def fail_unexpected(self, closing: str = "") -> NoReturn:
        token = self.next
        if token.kind == "end":
            self.fail(f"'{closing}' is missing at the end", token, f"add {closing}")
        if token.text in (")", "]") and not closing:
            self.fail(f"'{token.text}' closes nothing", token, "remove it or open it before")
        if token.text == "," and not closing:
            self.fail(
                "a comma cannot stand here",
                token,
                "write 1000 without separators; put each expression into its own element",
            )
        if token.text == "for":
            self.fail("'for' cannot stand here", token, WORD_HINTS["for"])
        if token.text == "not":
            self.fail("'not' cannot follow an operand", token, "write not in, or and not")
        wanted = f"; '{closing}' is missing before it" if closing else ""
        self.fail(f"'{token.text[:50]}' is not expected here{wanted}", token)
