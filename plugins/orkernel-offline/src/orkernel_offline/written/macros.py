"""LaTeX macros and environments as tokens."""

from __future__ import annotations

import re

from orkernel_offline.reading import Unreadable
from orkernel_offline.written import tokens as t
from orkernel_offline.written.keywords import KEYWORD
from orkernel_offline.written.tokens import Kind, Token

_MACRO = re.compile(r"\\(?:[A-Za-z]+\*?|.)", re.S)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s*\{([A-Za-z]+)\*?\}")
_IDENTIFIER_TEXT = re.compile(r"[A-Za-z][\w-]*(?: [A-Za-z][\w-]*){0,3}$")


_OPTIONAL = re.compile(r"\s*\[[^\]\n]*\]")


class Macros:
    """Lexes what starts with a backslash."""

    def __init__(self, statement: str) -> None:
        self.source = statement
        self.tokens: list[Token] = []
        self._depth = 0
        self._bracket_start = 0
        self._space = False

    def _emit(
        self, kind: Kind, value: str, start: int, end: int, math: bool = False,
        styled: bool = False,
    ) -> int:  # fmt: skip
        self.tokens.append(Token(kind, value, start, end, math, self._space, styled))
        return end

    def _break(self, value: str, start: int, end: int | None = None) -> int:
        end = start if end is None else end
        self.tokens.append(Token("break", value, start, end, False, True))
        self._space = True
        return end

    def _after_script(self) -> bool:
        return bool(self.tokens) and self.tokens[-1].is_op("_", "^")

    def _after_underscore(self) -> bool:
        return bool(self.tokens) and self.tokens[-1].is_op("_") and not self._space

    def _lex(self, start: int, end: int, *, math: bool, dropped: set[int] | None = None) -> None:
        """Lex a stretch; the class that derives from this one provides it."""
        raise NotImplementedError

    def _macro(self, at: int, end: int, math: bool) -> int:
        source = self.source
        environment = _ENVIRONMENT.match(source, at, end)
        if environment:
            return self._environment(environment, end, math)
        match = _MACRO.match(source, at, end)
        if match is None:
            return end
        name, stop = match.group()[1:].rstrip("*"), match.end()
        if name == "\\":
            optional = re.compile(r"\[[^\]\n]*\]").match(source, stop, end)
            return self._break("row", at, optional.end() if optional else stop)
        if name in t.MACRO_OPS:
            value = t.MACRO_OPS[name]
            if value == "forall":
                return self._emit("kw", "forall", at, stop, math)
            if value in ("\\{", "("):
                self._depth += 1
                self._bracket_start = at
            elif value in ("\\}", ")"):
                self._depth = max(0, self._depth - 1)
            return self._emit("op", value, at, stop, math)
        if name in t.MACRO_FUNCS:
            self._emit("func", t.MACRO_FUNCS[name], at, stop, math)
            return self._bare_digits(stop, end, math) if t.MACRO_FUNCS[name] == "frac" else stop
        if name in t.GREEK_MACROS:
            return self._emit("name", t.GREEK_MACROS[name], at, stop, math, styled=True)
        if name in t.SPACE_MACROS:
            self._space = True
            return stop
        if name in t.QUAD_MACROS:
            return self._emit("quad", name, at, stop, math)
        if name in t.IGNORED_MACROS:
            return self._ignored(name, stop, end)
        if name in t.DROPPED_WITH_ARGUMENT:
            optional = _OPTIONAL.match(self.source, stop, end)
            return self._argument(optional.end() if optional else stop, end)[1]
        if name == "underset":
            return self._under(name, stop, end, math)
        if name in ("Z", "R", "N", "B"):
            return self._emit("numset", name, at, stop, math)
        return self._with_argument(name, at, stop, end, math)

    def _with_argument(self, name: str, at: int, stop: int, end: int, math: bool) -> int:
        if name in t.TEXT_MACROS and not math:
            return self._opened(stop, end)
        if name in t.TEXT_MACROS:
            (inner_start, inner_end), after = self._argument(stop, end)
            self._styled_text(inner_start, inner_end, at, after, math)
            return after
        if name in t.LETTER_MACROS or name in t.ACCENT_MACROS:
            (inner_start, inner_end), after = self._argument(stop, end)
            text = source_name(self.source[inner_start:inner_end])
            if not text:
                raise Unreadable(f"\\{name} takes a single name", ((at, after),))
            if name in t.ACCENT_MACROS:
                text = f"{text}_{name.removeprefix('wide').replace('overline', 'bar')}"
            if name in ("mathcal", "mathscr"):
                text = f"{text}@cal"
            return self._emit("name", text, at, after, math, styled=True)
        if name in t.SET_MACROS:
            (inner_start, inner_end), after = self._argument(stop, end)
            letter = self.source[inner_start:inner_end].strip()
            value = {"Z": "Z", "R": "R", "N": "N", "B": "B", "Q": "R"}.get(letter)
            if value is None:
                return self._emit("name", letter, at, after, math, styled=True)
            return self._emit("numset", value, at, after, math)
        if name in t.HEADING_MACROS:
            (inner_start, inner_end), after = self._argument(stop, end)
            self._break("hard", at)
            self._emit("heading", self.source[inner_start:inner_end].lower(), inner_start, after)
            return self._break("hard", after)
        if name == "substack":
            (inner_start, inner_end), after = self._argument(stop, end)
            first = len(self.tokens)
            self._lex(inner_start, inner_end, math=math)
            for position in range(first, len(self.tokens)):
                token = self.tokens[position]
                if token.kind == "break":
                    self.tokens[position] = Token("op", ",", token.start, token.end, math)
            return after
        if name == "caption":
            return self._break("hard", at, self._opened(stop, end))
        raise Unreadable(
            f"the macro \\{name} is not understood; write it with standard LaTeX math",
            ((at, stop),),
        )

    def _bare_digits(self, at: int, end: int, math: bool) -> int:
        """The parts of a fraction without braces, one character each, as in `\\frac12`."""
        for _ in range(2):
            digit = re.compile(r"\s*([0-9])").match(self.source, at, end)
            if digit is None:
                return at
            at = self._emit("num", digit.group(1), digit.start(1), digit.end(), math)
        return at

    def _under(self, name: str, at: int, end: int, math: bool) -> int:
        """`\\underset{x \\ge 0}{\\min}`: the goal word, then what stands under it as its script."""
        under, after = self._argument(at, end)
        base, after = self._argument(after, end)
        first = len(self.tokens)
        self._lex(*base, math=math)
        goal = [x for x in self.tokens[first:] if x.is_kw("min", "max") or x.kind == "func"]
        if len(self.tokens) != first + 1 or not goal:
            raise Unreadable(f"\\{name} is understood at min and max only", ((at, after),))
        self._emit("op", "_", under[0], under[0], math)
        self._emit("op", "{", under[0], under[0], math)
        self._lex(*under, math=math)
        self._emit("op", "}", under[1], under[1], math)
        self._space = True
        return after

    def _ignored(self, name: str, stop: int, end: int) -> int:
        if name in ("left", "right", "middle") and self.source[stop : stop + 1] == ".":
            return stop + 1
        if name == "left":
            brace = re.compile(r"\s*\\(?:\{|lbrace)\s*(?=\\begin)").match(self.source, stop, end)
            if brace:
                return brace.end()
        if name == "item":
            optional = re.compile(r"\s*\[[^\]\n]*\]").match(self.source, stop, end)
            return self._break("hard", stop, optional.end() if optional else stop)
        self._space = True
        return stop

    def _opened(self, at: int, end: int) -> int:
        """Past the brace that opens a text argument, which may hold formulas of its own."""
        self._space = True
        return at + 1 if at < end and self.source[at] == "{" else at

    def _argument(self, at: int, end: int) -> tuple[tuple[int, int], int]:
        """The span inside a macro's argument and where the argument ends."""
        source = self.source
        while at < end and source[at].isspace():
            at += 1
        if at >= end:
            raise Unreadable("a macro lacks its argument", ((max(at - 1, 0), at),))
        if source[at] != "{":
            match = _MACRO.match(source, at, end)
            stop = match.end() if match else at + 1
            return (at, stop), stop
        depth = 0
        position = at
        while position < end:
            character = source[position]
            if character == "\\":
                position += 2
                continue
            if character == "{":
                depth += 1
            elif character == "}":
                depth -= 1
                if depth == 0:
                    return (at + 1, position), position + 1
            position += 1
        raise Unreadable("this brace is never closed", ((at, at + 1),))

    def _styled_text(self, start: int, end: int, outer: int, after: int, math: bool) -> None:
        text = self.source[start:end].strip()
        follows = self.source[after : after + 1]
        if "$" in text or "\\" in text:
            self._lex_text_with_math(start, end)
        elif text.lower() in t.WORD_FUNCS:
            self._emit("func", t.WORD_FUNCS[text.lower()], outer, after, math)
        elif (
            KEYWORD.search(text)
            or not _IDENTIFIER_TEXT.match(text)
            or (" " in text and follows not in ("_", "^"))
        ):
            self._lex(start, end, math=False)
            self._space = True
        else:
            self._emit("name", source_name(text), outer, after, math, styled=True)

    def _lex_text_with_math(self, start: int, end: int) -> None:
        position = start
        math = False
        while position <= end:
            stop = self.source.find("$", position, end)
            stop = end if stop < 0 else stop
            self._lex(position, stop, math=math)
            math = not math
            position = stop + 1
        self._space = True

    def _environment(self, match: re.Match[str], end: int, math: bool) -> int:
        which, name = match.groups()
        stop = match.end()
        if name in t.MATRIX_ENVIRONMENTS:
            self._depth += 1 if which == "begin" else -1
            kind: Kind = "begin" if which == "begin" else "end"
            return self._emit(kind, name, match.start(), stop, math)
        if name in t.ROW_ENVIRONMENTS:
            if which == "begin" and name in ("array", "alignat", "alignedat"):
                stop = self._argument(stop, end)[1]
            if name in ("cases", "dcases"):
                kind = "begin" if which == "begin" else "end"
                return self._emit(kind, name, match.start(), stop, math)
            return self._break("hard", match.start(), stop)
        if not math:
            return self._break("hard", match.start(), stop)
        raise Unreadable(f"the environment {name} is not understood", (match.span(),))


def source_name(text: str) -> str:
    """A name from the inside of a `\\text` macro: words joined by `_`, Greek spelt out."""
    text = text.strip().strip("{}")
    if text.startswith("\\"):
        return t.GREEK_MACROS.get(text[1:], "")
    text = "".join(t.GREEK.get(c, c) for c in text)
    name = re.sub(r"[\s-]+", "_", text)
    return name if re.fullmatch(r"[^\W\d]\w*", name) else ""
