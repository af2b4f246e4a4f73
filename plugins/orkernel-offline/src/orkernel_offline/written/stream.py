"""Tell algebra from prose in the token stream.

Between LaTeX delimiters every name is a symbol. Elsewhere a word is a symbol only when the
characters next to it say so: an operator, a subscript, a number that multiplies it.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from orkernel_offline.reading import Unreadable
from orkernel_offline.written.tokens import RELATIONS, Token

STOPWORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "is",
        "are",
        "be",
        "and",
        "or",
        "to",
        "in",
        "for",
        "from",
        "with",
        "where",
        "let",
        "if",
        "then",
        "each",
        "all",
        "at",
        "by",
        "on",
        "than",
        "least",
        "most",
        "that",
        "this",
        "these",
        "those",
        "which",
        "not",
        "no",
        "we",
        "our",
        "it",
        "its",
        "as",
        "so",
        "let's",
        "must",
        "should",
        "can",
        "may",
        "will",
        "has",
        "have",
        "per",
        "any",
        "every",
        "such",
        "both",
        "either",
        "than",
        "when",
        "over",
        "under",
        "subject",
        "minimize",
        "maximize",
        "denote",
        "denotes",
        "denoting",
        "define",
        "defined",
        "given",
        "respectively",
        "otherwise",
    ]
)
_STRONG = frozenset({"+", "-", "*", "/", "^", "_", "in", "notin", "setminus"}) | RELATIONS
_JOINS_NEXT = frozenset({"+", "-", "*", "/", "^", "_", ",", "(", "[", "in"}) | RELATIONS
_JOINS_PREVIOUS = frozenset({"+", "*", "/", "^", "in"}) | RELATIONS


def separate(tokens: list[Token]) -> list[Token]:
    """Mark prose words, split run-together symbols, and drop line breaks inside a sentence.

    Args:
        tokens: What the lexer gave.

    Returns:
        Tokens in which a `name` is a symbol and a word of prose is `prose`.

    Raises:
        Unreadable: A subscript or exponent that LaTeX and its author read differently.
    """
    tokens = _rename_calligraphic(tokens)
    tokens = _mark_prose(tokens)
    tokens = _split_scripts(tokens)
    tokens = _split_words(tokens)
    return _join_lines(tokens)


def _rename_calligraphic(tokens: list[Token]) -> list[Token]:
    plain = {t.value for t in tokens if t.kind == "name" and "@" not in t.value}

    def renamed(token: Token) -> Token:
        if token.kind != "name" or not token.value.endswith("@cal"):
            return token
        letter = token.value.removesuffix("@cal")
        return replace(token, value=f"{letter}_set" if letter in plain else letter)

    return [renamed(t) for t in tokens]


def _mark_prose(tokens: list[Token]) -> list[Token]:
    symbols = _symbol_positions(tokens)
    known = {tokens[i].value for i in symbols}
    _extend_along_lists(tokens, symbols, known)
    out: list[Token] = []
    depth = 0
    for at, token in enumerate(tokens):
        if token.is_op("{", "\\{"):
            depth += 1
        elif token.is_op("}", "\\}"):
            depth = max(0, depth - 1)
        if token.kind == "break" and token.value == "hard":
            depth = 0
        if token.kind != "name" or token.math or token.styled or at in symbols:
            out.append(token)
        elif token.value == "in" and _reads_as_membership(tokens, at, symbols):
            out.append(replace(token, kind="op", value="in"))
        elif token.value.lower() == "for" and _reads_as_quantifier(tokens, at, symbols):
            out.append(replace(token, kind="kw", value="forall"))
        elif token.value.lower() == "and":
            out.append(replace(token, kind="kw", value="and"))
        elif depth and token.value.lower() not in STOPWORDS:
            out.append(token)
        else:
            out.append(replace(token, kind="prose"))
    return out


def _neighbours(tokens: list[Token], at: int) -> tuple[Token | None, Token | None]:
    before = tokens[at - 1] if at else None
    after = tokens[at + 1] if at + 1 < len(tokens) else None
    return before, after


def _symbol_positions(tokens: list[Token]) -> set[int]:
    found: set[int] = set()
    for at, token in enumerate(tokens):
        if token.kind != "name" or token.math or token.styled:
            continue
        before, after = _neighbours(tokens, at)
        described = (
            before is not None and before.kind == "op" and before.value in RELATIONS
            and after is not None and after.kind == "name" and not after.math
            and len(token.value) > 1 and len(after.value) > 1
        )  # fmt: skip
        if described:
            continue
        strong = bool(
            (before and before.kind == "op" and before.value in _STRONG)
            or (after and after.kind == "op" and after.value in _STRONG)
            or (after and after.is_op("[") and not after.space)
            or (before and before.kind == "num" and not token.space)
            or (before and before.is_op("\\{"))
        )
        dashed = all(
            (n is not None and n.is_op("-")) or n is None or n.kind in ("prose", "name")
            for n in (before, after)
        ) and any(n is not None and n.is_op("-") and n.space for n in (before, after))
        word = token.value
        digit = bool(after and after.kind == "num" and not after.space and len(word) <= 3)
        if word.lower() in STOPWORDS and not (word in "aAI" and strong and not dashed):
            continue
        single = len(word) == 1 and word not in "aI"
        after_number = bool(before and before.kind == "num" and (len(word) == 1))
        if single or digit or after_number or (strong and not (dashed and len(word) > 1)):
            found.add(at)
    singles = {t.value for at, t in enumerate(tokens) if at in found and len(t.value) == 1}
    for at, token in enumerate(tokens):
        short = token.kind == "name" and not token.math and 1 < len(token.value) < 4
        after_goal = at > 0 and tokens[at - 1].is_kw("min", "max")
        if short and after_goal and token.value.lower() not in STOPWORDS:
            found |= {at} if set(token.value) <= singles else set()
    return found


def _extend_along_lists(tokens: list[Token], symbols: set[int], known: set[str]) -> None:
    """Take `chairs` for a symbol in `chairs, tables >= 0` when it is one elsewhere."""
    for at in range(len(tokens) - 3, -1, -1):
        token = tokens[at]
        if token.kind != "name" or token.math or at in symbols or token.value not in known:
            continue
        separator, following = tokens[at + 1], tokens[at + 2]
        joined = separator.is_op(",") or (separator.kind == "name" and separator.value == "and")
        if joined and (at + 2 in symbols or following.math):
            symbols.add(at)
    for at, token in enumerate(tokens):
        if token.kind != "name" or token.math or at in symbols or token.value not in known:
            continue
        before, after = _neighbours(tokens, at)
        enclosed = bool(before and before.is_op("(", "|") and after and after.kind == "op")
        closes = bool(after and after.is_op(")", "|") and before and before.kind == "op")
        domain = bool(after and after.kind == "kw" and after.value != "forall")
        if enclosed or closes or domain:
            symbols.add(at)


def _reads_as_membership(tokens: list[Token], at: int, symbols: set[int]) -> bool:
    before, after = _neighbours(tokens, at)
    if before is None or after is None:
        return False
    left = (at - 1 in symbols) or before.math or before.is_op(")")
    right = (
        (at + 1 in symbols)
        or after.math
        or after.is_op("{", "\\{", "[", "(")
        or after.kind in ("num", "numset")
        or (after.kind == "name" and after.value[:1].isupper())
    )
    if left and right and after.kind == "name":
        symbols.add(at + 1)
    return left and right


def _reads_as_quantifier(tokens: list[Token], at: int, symbols: set[int]) -> bool:
    """Whether `for` at `at` starts `i in I`, `t = 1..T`, `i, j in I` or `(i, j) in A`."""
    position = at + 1
    if position < len(tokens) and tokens[position].is_op("("):
        position += 1
    saw_name = False
    while position < len(tokens):
        token = tokens[position]
        if token.kind == "name" and (token.math or position in symbols or len(token.value) == 1):
            saw_name = True
        elif token.is_op(",", ")"):
            pass
        else:
            names = token.kind == "name" and token.value == "in"
            return saw_name and (token.is_op("in", "=", "<", "<=", ">", ">=", "!=") or names)
        position += 1
    return False


def _index_letters(tokens: list[Token]) -> set[str]:
    """Letters that stand in subscripts anywhere."""
    letters: set[str] = set()
    for at, token in enumerate(tokens):
        if not token.is_op("_") or at + 1 >= len(tokens):
            continue
        position = at + 1
        if tokens[position].kind == "name":
            letters.add(tokens[position].value[0])
        elif tokens[position].is_op("{"):
            while position < len(tokens) and not tokens[position].is_op("}"):
                if tokens[position].kind == "name":
                    letters.update(tokens[position].value)
                if tokens[position].kind == "break":
                    break
                position += 1
    return letters


def _split_scripts(tokens: list[Token]) -> list[Token]:
    """Apply LaTeX's rule that an unbraced script is one character."""
    letters = _index_letters(tokens)
    out: list[Token] = []
    for at, token in enumerate(tokens):
        previous = tokens[at - 1] if at else None
        script = previous is not None and previous.is_op("_", "^") and token.math
        if not script or len(token.value) < 2 or token.styled or token.kind not in ("name", "num"):
            out.append(token)
            continue
        rest = token.value[1:]
        after = tokens[at + 1] if at + 1 < len(tokens) else None
        followed = after is not None and after.is_op("_") and not after.space
        mark = previous.value if previous else "_"
        if token.kind == "num" or (not followed and set(rest) <= letters):
            raise Unreadable(
                f"LaTeX takes only the first character of {mark}{token.value} as script; "
                f"write {mark}{{{token.value}}}",
                ((token.start - 1, token.end),),
            )
        cut = token.start + 1
        out.append(replace(token, value=token.value[0], end=cut))
        out.append(replace(token, value=rest, start=cut, space=False))
    return out


def _split_words(tokens: list[Token]) -> list[Token]:
    """Split `xy` into `x y` where both are symbols of their own and `xy` is not."""
    singles = {t.value for t in tokens if t.kind == "name" and len(t.value) == 1}
    own = {
        t.value
        for t, after in itertools.pairwise(tokens)
        if t.kind == "name" and len(t.value) > 1 and after.is_op("_", "=") and not t.math
    }
    out: list[Token] = []
    script_depth: list[bool] = []
    for at, token in enumerate(tokens):
        if token.is_op("{", "\\{"):
            opens_script = bool(at and tokens[at - 1].is_op("_"))
            script_depth.append(opens_script or token.value == "\\{")
        elif token.is_op("}", "\\}") and script_depth:
            script_depth.pop()
        elif token.kind == "break":
            script_depth.clear()
        splits = (
            token.kind == "name"
            and 1 < len(token.value) <= 4
            and not token.styled
            and not any(script_depth)
            and token.value not in own
            and not (at and tokens[at - 1].is_op("_"))
            and all(c in singles for c in token.value)
        )
        if not splits:
            out.append(token)
            continue
        for offset, letter in enumerate(token.value):
            start = token.start + offset
            space = token.space and not offset
            out.append(replace(token, value=letter, start=start, end=start + 1, space=space))
    return out


def _join_lines(tokens: list[Token]) -> list[Token]:
    out: list[Token] = []
    following = _following(tokens)
    for at, token in enumerate(tokens):
        if token.kind == "break" and token.value == "row" and _continues_row(tokens, at):
            continue
        if token.kind != "break" or token.value != "soft":
            out.append(token)
            continue
        before, after = out[-1] if out else None, following[at]
        if before is None or after is None or before.kind == "break" or after.kind == "break":
            out.append(token)
            continue
        wraps = before.kind in ("prose", "kw") and after.kind in ("prose", "kw")
        continues = before.kind == "op" and before.value in _JOINS_NEXT
        continued = after.kind == "op" and after.value in _JOINS_PREVIOUS
        if (
            before.is_op(",") and after.kind in ("prose", "kw") and not after.is_kw("forall")
        ) or not (wraps or continues or continued or before.is_kw("forall", "and")):
            out.append(token)
    return out


def _following(tokens: list[Token]) -> list[Token | None]:
    """For every token the next one that is no end of a line."""
    found: list[Token | None] = [None] * len(tokens)
    following: Token | None = None
    for at in range(len(tokens) - 1, -1, -1):
        found[at] = following
        if not (tokens[at].kind == "break" and tokens[at].value == "soft"):
            following = tokens[at]
    return found


def _continues_row(tokens: list[Token], at: int) -> bool:
    """Whether the row after `\\\\` goes on with the formula of the row before."""
    first = at + 1
    while first < len(tokens) and tokens[first].kind == "quad":
        first += 1
    if first >= len(tokens) or tokens[first].kind != "op":
        return False
    if tokens[first].value in _JOINS_PREVIOUS - {"in"}:
        return True
    if tokens[first].value != "-":
        return False
    before, after = at - 1, first
    while before >= 0 and tokens[before].kind != "break":
        if tokens[before].kind == "op" and tokens[before].value in RELATIONS - {"="}:
            return False
        before -= 1
    while after < len(tokens) and tokens[after].kind != "break":
        if tokens[after].kind == "op" and tokens[after].value in RELATIONS:
            return False
        after += 1
    return True
