"""Statement blocks to tokens: one alphabet for LaTeX, Unicode and plain text."""

from __future__ import annotations

import re

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import tokens as t
from orkernel_offline.written.keywords import KEYWORD
from orkernel_offline.written.macros import Macros
from orkernel_offline.written.markup import Block
from orkernel_offline.written.tokens import Kind, Token

_NUMBER = re.compile(r"(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d+(?![\w]))?", re.A)
_GROUPED = re.compile(r"\d{1,3}(?:(?:,|\{,\}|\\,)\d{3})+(?:\.\d+)?(?!\d)", re.A)
_BARE_GROUPED = re.compile(r"\d{1,3}(?:,\d{3})+(?!\d)", re.A)
_WORD = re.compile(r"[^\W\d_]+")
_HYPHENATED = re.compile(r"[^\W\d_]{2,}(?:[-–’'][^\W\d_]{2,})+")
_QUOTED = re.compile(r"\"([^\"\n]{1,80})\"|'([^'\n]{1,80})'")
_FILE = re.compile(r"[\w][\w\-./]*\.csv\b", re.I)
_OPERATOR = re.compile("|".join(re.escape(s) for s in sorted(t.SYMBOLS, key=len, reverse=True)))
_ITEM = re.compile(r"[ \t]*(?:>[ \t]*)*(?:[-•*–][ \t]+|\(?\d{1,3}[.)][ \t]+|\(?[a-z][)][ \t]+)+")
_HEADING = re.compile(r"[ \t]*#{1,6}[ \t]+")
_EMPHASIS = re.compile(r"(?<![\w*])(\*{1,3})(?![\s*])([^*\n]+?)(?<![\s*])\1(?![\w*])")
_BLANK = re.compile(r"\n[ \t]*(?:\n[ \t]*)+")
MAX_TOKENS = 40_000
MAX_DIGITS = 60


class Lexer(Macros):
    """Turns the blocks of one statement into tokens."""

    def run(self, blocks: list[Block]) -> list[Token]:
        """Lex every block.

        Raises:
            Unreadable: An unknown macro, an unbalanced brace, or a statement that is too long.
        """
        tables = 0
        for block in blocks:
            self._depth = 0
            if block.kind in ("markdown_table", "latex_table"):
                self._break("hard", block.start)
                self._emit("table", str(tables), block.start, block.end)
                self._break("hard", block.end)
                tables += 1
            elif block.kind == "inline":
                self._space = True
                self._lex(block.start, block.end, math=True)
                self._space = False
            elif block.kind == "display":
                self._break("hard", block.start)
                self._lex(block.start, block.end, math=True)
                self._break("hard", block.end)
            else:
                self._text(block.start, block.end, code=block.kind == "code")
        return self.tokens

    # -- text -----------------------------------------------------------------------------

    def _text(self, start: int, end: int, *, code: bool) -> None:
        dropped: set[int] = set()
        if not code:
            for match in _EMPHASIS.finditer(self.source, start, end):
                width = len(match.group(1))
                dropped.update(range(match.start(), match.start() + width))
                dropped.update(range(match.end() - width, match.end()))
        position = start
        if code:
            self._break("hard", start)
        while position < end:
            stop = self.source.find("\n", position, end)
            stop = end if stop < 0 else stop
            self._line(position, stop, dropped)
            if stop < end:
                self._break("hard" if code else "soft", stop)
                blank = _BLANK.match(self.source, stop, end)
                if blank:
                    self._break("hard", stop)
            position = stop + 1
        if code:
            self._break("hard", end)

    def _line(self, start: int, end: int, dropped: set[int]) -> None:
        at_line_start = start == 0 or self.source[start - 1] == "\n"
        if at_line_start:
            heading = _HEADING.match(self.source, start, end)
            if heading:
                self._break("hard", start)
                text = self.source[heading.end() : end].strip().rstrip(":.").lower()
                self._emit("heading", text, heading.end(), end)
                self._break("hard", end)
                return
            item = _ITEM.match(self.source, start, end)
            if item and not any(p in dropped for p in range(*item.span())):
                self._break("hard", start)
                self._emit("break", "item", start, item.end())
                start = item.end()
        self._lex(start, end, math=False, dropped=dropped)

    # -- both modes -----------------------------------------------------------------------

    def _lex(self, start: int, end: int, *, math: bool, dropped: set[int] | None = None) -> None:
        position = start
        while position < end:
            if len(self.tokens) > MAX_TOKENS:
                raise Unreadable(
                    f"the statement has more than {MAX_TOKENS} symbols; move its data to CSV files",
                    ((position, position + 1),),
                )
            character = self.source[position]
            if character.isspace() or (dropped and position in dropped) or character in "`~":
                self._space = True
                position += 1
                continue
            before = len(self.tokens)
            position = self._one(position, end, math)
            if len(self.tokens) > before:
                self._space = False

    def _one(self, at: int, end: int, math: bool) -> int:
        """Lex one token at `at`; returns where the next one starts."""
        source = self.source
        character = source[at]
        if math and source.startswith("{}", at) and not self._after_script():
            self._space = True
            return at + 2
        if character == "\\":
            return self._macro(at, end, math)
        if character == "&":
            return self._emit("quad", "&", at, at + 1, math)
        if _NUMBER.match(source, at, end):
            return self._number(at, end, math)
        if not math:
            file = _FILE.match(source, at, end)
            if file:
                return self._emit("file", file.group(), at, file.end())
            keyword = self._keyword(at, end)
            if keyword:
                return keyword
            hyphenated = _HYPHENATED.match(source, at, end)
            if hyphenated:
                return self._emit("prose", hyphenated.group(), at, hyphenated.end())
        if character in t.UNICODE_NUMSETS:
            return self._emit("numset", t.UNICODE_NUMSETS[character], at, at + 1, math)
        if character in t.SUBSCRIPTS or character in t.SUPERSCRIPTS:
            return self._script(at, end, math)
        if character in t.GREEK:
            return self._emit("name", t.GREEK[character], at, at + 1, math, styled=True)
        if character in "∑Σ∏√":
            func = {"∑": "sum", "Σ": "sum", "∏": "prod", "√": "sqrt"}[character]
            return self._emit("func", func, at, at + 1, math)
        word = _WORD.match(source, at, end)
        if word:
            return self._word(word, math)
        if character == "%" and math and not (at > 0 and source[at - 1] in "0123456789"):
            newline = source.find("\n", at, end)
            return end if newline < 0 else newline
        operator = _OPERATOR.match(source, at, end)
        if operator:
            return self._operator(operator, math)
        if character in ".;":
            if not math or at + 1 == end or source[at + 1].isspace() or character == ";":
                return self._break("hard", at, at + 1)
            return at + 1
        quoted = _QUOTED.match(source, at, end)
        if quoted and self._depth and self.tokens and self.tokens[-1].is_op("[", ",", "{", "("):
            return self._emit("name", quoted.group(1) or quoted.group(2), at, quoted.end(), math,
                              styled=True)  # fmt: skip
        if character in "$€£":
            self._space = True
            return at + 1
        return self._emit("prose", character, at, at + 1, math)

    def _word(self, word: re.Match[str], math: bool) -> int:
        text, at = word.group(), word.start()
        stop = word.end()
        if not math:
            # A Unicode subscript letter such as ᵢ is a letter too: it starts a subscript.
            for offset, character in enumerate(text):
                if offset and (character in t.SUBSCRIPTS or character in t.SUPERSCRIPTS):
                    text, stop = text[:offset], at + offset
                    break
        else:
            cut = next((i for i, c in enumerate(text) if i and c in t.SUBSCRIPTS), None)
            if cut:
                text, stop = text[:cut], at + cut
        if any(c in t.GREEK for c in text[1:]):
            cut = next(i for i, c in enumerate(text) if i and c in t.GREEK)
            text, stop = text[:cut], at + cut
        if not math and text.lower() in t.WORD_FUNCS and not self._after_underscore():
            return self._emit("func", t.WORD_FUNCS[text.lower()], at, stop)
        return self._emit("name", text, at, stop, math)

    def _keyword(self, at: int, end: int) -> int | None:
        if self._after_underscore():
            return None
        match = KEYWORD.match(self.source, at, end)
        if match is None:
            return None
        follows = self.source[match.end() : match.end() + 1]
        if match.lastgroup in ("max", "min") and follows == "_":
            return None
        assert match.lastgroup is not None
        if match.lastgroup == "integer" and match.group().lower().startswith("non"):
            self._emit("kw", "nonneg", at, match.end())
        return self._emit("kw", match.lastgroup, at, match.end())

    def _number(self, at: int, end: int, math: bool) -> int:
        grouped = _GROUPED.match(self.source, at, end)
        if grouped and self._depth and _BARE_GROUPED.match(self.source, at, end):
            closer = re.compile(r"[)\]}]").search(self.source, at, end)
            inside = self.source[self._bracket_start : closer.start() if closer else end]
            if ", " in inside:
                raise Unreadable(
                    f"{grouped.group()} in a list may be one number or two; "
                    "write it without a comma or put spaces between the entries",
                    (grouped.span(),),
                )
            grouped = None
        if grouped:
            value = re.sub(r"\{,\}|\\,|,", "", grouped.group())
            return self._emit("num", value, at, grouped.end(), math)
        number = _NUMBER.match(self.source, at, end)
        assert number is not None
        if len(number.group()) > MAX_DIGITS:
            raise Unreadable(f"a number of more than {MAX_DIGITS} characters", (number.span(),))
        return self._emit("num", number.group(), at, number.end(), math)

    def _operator(self, operator: re.Match[str], math: bool) -> int:
        text = operator.group()
        value = t.SYMBOLS[text]
        if value == "forall":
            return self._emit("kw", "forall", *operator.span(), math)
        if value in ("(", "[", "{"):
            self._depth += 1
            self._bracket_start = operator.start()
        elif value in (")", "]", "}"):
            self._depth = max(0, self._depth - 1)
        elif value == "dots" and text == ".." and self.source[operator.end() :][:1] == ".":
            return operator.end()
        return self._emit("op", value, *operator.span(), math)

    def _script(self, at: int, end: int, math: bool) -> int:
        table = t.SUBSCRIPTS if self.source[at] in t.SUBSCRIPTS else t.SUPERSCRIPTS
        stop = at
        while stop < end and self.source[stop] in table:
            stop += 1
        text = "".join(table[c] for c in self.source[at:stop])
        self._emit("op", "_" if table is t.SUBSCRIPTS else "^", at, at, math)
        self._emit("op", "{", at, at, math)
        for piece in re.finditer(r"\d+|[a-z]+|[^\da-z]", text):
            kind: Kind = "op"
            if piece.group()[0] in "0123456789":
                kind = "num"
            elif piece.group().isalpha():
                kind = "name"
            self._emit(kind, piece.group(), at + piece.start(), at + piece.end(), math)
        self._emit("op", "}", stop, stop, math)
        return stop

    # -- macros ---------------------------------------------------------------------------

    # -- output ---------------------------------------------------------------------------
