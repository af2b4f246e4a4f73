"""Tokens of an expression, with character offsets; every foreign symbol has its own hint."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NoReturn

from orkernel.errors import ExpressionError

MAX_LENGTH = 100_000
"""Longest expression, in characters; it bounds the number of terms as well."""
MAX_NUMBER = 1_000
"""Longest number literal, in characters."""

_DIGITS = "[0-9](?:_?[0-9])*"
_TOKEN = re.compile(
    rf"""
    (?P<space>[ \t\r\n\f]+)
  | (?P<number>(?:(?:{_DIGITS})?\.{_DIGITS}|{_DIGITS}\.?)(?:[eE][+-]?{_DIGITS})?)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
  | (?P<wrong><=>|<->|=>|=<|<>|->|:=|&&|\|\||<<|>>|\.\.\.|===)
  | (?P<operator>\*\*|//|<=|>=|==|!=|[-+*/%<>()\[\],])
    """,
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)", re.DOTALL)
_SIMPLE_ESCAPES = {
    "\\": "\\",
    '"': '"',
    "'": "'",
    "/": "/",
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "b": "\b",
    "f": "\f",
}

HINTS = {
    "=": "write == for equality; arguments have no keywords",
    "===": "write == for equality",
    "=<": "write <=",
    "=>": "write >= for a comparison, implies(a, b) for an implication",
    "->": "write implies(a, b)",
    "<=>": "write iff(a, b)",
    "<->": "write iff(a, b)",
    "<>": "write !=",
    ":=": "write == for equality; nothing can be assigned in an expression",
    "&&": "write and",
    "&": "write and",
    "||": "write or",
    "|": "write or; for an absolute value write abs(x)",
    "!": "write not, or != for unequal",
    "~": "write not",
    "^": "write x**2 for a power",
    "<<": "write < or <=",
    ">>": "write > or >=",
    "≤": "write <=",
    "⩽": "write <=",
    "≦": "write <=",
    "≥": "write >=",
    "⩾": "write >=",
    "≧": "write >=",
    "≠": "write !=",
    "×": "write *",
    "·": "write *",
    "⋅": "write *",
    "∙": "write *",
    "÷": "write /",
    "−": "write an ordinary minus sign -",
    "–": "write an ordinary minus sign -",
    "—": "write an ordinary minus sign -",
    "∑": "write sum(… for i in I)",
    "Σ": "write sum(… for i in I)",
    "∏": "write prod(… for i in I)",
    "∈": "write in",
    "∉": "write not in",
    "∀": "put the indices into for_each",
    "∧": "write and",
    "∨": "write or",
    "¬": "write not",
    "⇒": "write implies(a, b)",
    "→": "write implies(a, b)",
    "⇔": "write iff(a, b)",
    "↔": "write iff(a, b)",
    "√": "write sqrt(x)",
    "²": "write x**2",
    "³": "write x**3",
    "∞": "leave the bound out, or write null in the variable's bound",
    "“": 'write the ordinary quote "',
    "”": 'write the ordinary quote "',
    "„": 'write the ordinary quote "',
    "‘": 'write the ordinary quote "',
    "’": 'write the ordinary quote "',
    "`": 'write the ordinary quote "',
    ".": "attributes do not exist here; for a decimal number write digits on a side of the dot",
    "...": "write the range as a set and use a comprehension",
    ":": "slices, lambdas and type marks do not exist here; use a comprehension with if",
    ";": "put each expression into its own element",
    "{": "write a list with [ ]",
    "}": "write a list with [ ]",
    "@": "write * or sum(… for i in I) for a product",
    "#": "comments do not exist here; use the element's description",
    "$": "leave the sign out; currencies go into unit",
    "€": "leave the sign out; currencies go into unit",
    "£": "leave the sign out; currencies go into unit",
    "?": "write a if condition else b",
    "\\": "write plain text instead of LaTeX, e.g. sum(… for i in I)",
}


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the text: `kind` is number, name, string, operator, wrong or end.

    A wrong token is a symbol that does not belong to the algebra but has a hint.
    """

    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Source:
    """The text of one expression and the element it belongs to."""

    text: str
    element: str = ""

    def fail(self, message: str, start: int, end: int, fix: str = "") -> NoReturn:
        """Raise the error for the characters `start … end`."""
        raise ExpressionError(
            message, text=self.text, span=(start, end), element=self.element, fix=fix
        )


def tokenize(source: Source) -> list[Token]:
    """Cut a text into tokens, the last one of kind `end`.

    Raises:
        ExpressionError: The text is too long or holds a symbol that is no part of the algebra.
    """
    text = source.text
    if len(text) > MAX_LENGTH:
        source.fail(
            f"the expression has {len(text):,} characters, {MAX_LENGTH:,} are allowed",
            MAX_LENGTH,
            len(text),
            "use index sets and sum(… for i in I), or several elements",
        )
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            kind, end = "wrong", position + 1
            _check_character(source, position)
        else:
            kind, end = str(match.lastgroup), match.end()
        piece = text[position:end]
        if kind == "number":
            _check_number(source, piece, position, end)
        if kind != "space":
            tokens.append(Token(kind, piece, position, end))
        position = end
    tokens.append(Token("end", "", len(text), len(text)))
    return tokens


def number(source: Source, token: Token) -> int | float:
    """Value of a number token; ints stay ints.

    Raises:
        ExpressionError: The number is beyond what a double can hold.
    """
    digits = token.text.replace("_", "")
    value: int | float = int(digits) if digits.isdigit() else float(digits)
    if abs(value) > 1.7976931348623157e308:
        source.fail(
            "the number is too large", token.start, token.end, "numbers go up to about 1.8e308"
        )
    return value


def string(source: Source, token: Token) -> str:
    """Value of a string token.

    Raises:
        ExpressionError: The string holds an unknown escape or a character that cannot be written.
    """

    def replace(match: re.Match[str]) -> str:
        escape = match.group()
        code = int(escape[2:], 16) if len(escape) > 2 else -1
        valid = 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
        character = chr(code) if valid else _SIMPLE_ESCAPES.get(escape[1:])
        if character is None:
            start = token.start + 1 + match.start()
            end = start + len(escape)
            source.fail(f"'{escape}' is not an escape", start, end, "write \\\\ for a backslash")
        return character

    body = token.text[1:-1]
    for offset, character in enumerate(body):
        if _is_unwritable(character):
            _refuse_character(source, token.start + 1 + offset)
    return _ESCAPE.sub(replace, body) if "\\" in body else body


def _check_number(source: Source, piece: str, start: int, end: int) -> None:
    text = source.text
    if len(piece) > MAX_NUMBER:
        source.fail(
            f"the number has {len(piece):,} characters, {MAX_NUMBER:,} are allowed", start, end
        )
    whole = piece.replace("_", "")
    if whole.isdigit() and whole[0] == "0" and whole.strip("0"):
        source.fail("a whole number cannot start with 0", start, end, f"write {whole.lstrip('0')}")
    following = text[end : end + 1]
    if following.isascii() and (following.isalpha() or following == "_"):
        if piece == "0" and following in "xXoObB":
            source.fail("only decimal numbers are allowed", start, end + 1, "write it in base 10")
        if following in "jJ" and not text[end + 1 : end + 2].isalnum():
            source.fail("complex numbers are not allowed", start, end + 1)
        source.fail(
            "a multiplication sign is missing",
            start,
            end + 1,
            f"write {piece[:20]}*{text[end : end + 20].split(maxsplit=1)[0]}",
        )


def _check_character(source: Source, position: int) -> None:
    """Raise for a character at which no token starts, unless it has a hint of its own."""
    character = source.text[position]
    if character in "\"'":
        source.fail("a quote is not closed", position, len(source.text), f"add {character}")
    if character not in HINTS:
        _refuse_character(source, position)


def _refuse_character(source: Source, position: int) -> NoReturn:
    character = source.text[position]
    code = f"U+{ord(character):04X}"
    unnamed = "a surrogate" if "\ud800" <= character <= "\udfff" else "a control character"
    name = unicodedata.name(character, unnamed)
    if character.isspace():
        fix = "write an ordinary space"
    elif character.isalpha():
        fix = "names are made of the letters A–Z, digits and _"
    else:
        fix = "remove it"
    shown = f"'{character}' ({code}, {name})" if character.isprintable() else f"{code} ({name})"
    source.fail(f"the character {shown} is not allowed", position, position + 1, fix)


def _is_unwritable(character: str) -> bool:
    """Control characters and surrogates, which no output format can carry."""
    return unicodedata.category(character) in ("Cc", "Cs")
