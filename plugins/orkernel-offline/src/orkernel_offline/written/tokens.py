"""Tokens of written algebra, and the tables that say which spelling means what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "num",  # value: the number as text, without grouping
    "name",  # value: the name
    "op",  # value: the normalised operator
    "func",  # value: the normalised function
    "kw",  # value: the keyword's meaning
    "prose",  # a word that is not algebra
    "quad",  # wide space or alignment mark: ends a term, starts nothing
    "break",  # value: "soft" (a line ends), "row" (`\\`), "item", "hard" (sentence, paragraph)
    "numset",  # value: B, Z, N, R
    "begin",  # value: environment
    "end",
    "file",  # value: the name of a CSV file
    "heading",  # a heading's or list lead's text, value: lower-cased text
    "table",  # value: index into the document's tables
]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the statement.

    Attributes:
        kind: What sort of piece it is.
        value: Its normalised meaning; see `Kind`.
        start: First character in the statement.
        end: One past the last character.
        math: Whether it stands between LaTeX math delimiters (adjacent letters multiply there).
        space: Whether white space stands before it.
        styled: Whether a macro such as `\\text` makes it one word.
    """

    kind: Kind
    value: str
    start: int
    end: int
    math: bool = False
    space: bool = False
    styled: bool = False

    def is_op(self, *values: str) -> bool:
        """Whether this is one of the given operators."""
        return self.kind == "op" and self.value in values

    def is_kw(self, *values: str) -> bool:
        """Whether this is one of the given keywords."""
        return self.kind == "kw" and self.value in values


REDUCERS = ("sum", "prod", "min", "max")
RELATIONS = frozenset({"<=", ">=", "<", ">", "=", "!="})

SYMBOLS: dict[str, str] = {
    "<=": "<=", "=<": "<=", "≤": "<=", "⩽": "<=", "≦": "<=",
    ">=": ">=", "=>": ">=", "≥": ">=", "⩾": ">=", "≧": ">=",
    "==": "=", ":=": "=", "=": "=", "!=": "!=", "<>": "!=", "≠": "!=",
    "<": "<", ">": ">",
    "∈": "in", "∉": "notin", "∖": "setminus", "∪": "union", "∩": "intersect",
    "+": "+", "-": "-", "−": "-", "–": "-", "*": "*", "·": "*", "⋅": "*", "×": "*", "∗": "*",
    "/": "/", "÷": "/", "^": "^", "**": "^", "_": "_",
    "(": "(", ")": ")", "[": "[", "]": "]", "{": "{", "}": "}",
    ",": ",", ":": ":", "|": "|", "!": "!", "%": "%", "∞": "inf", "'": "'", "′": "'",
    "…": "dots", "⋯": "dots", "...": "dots", "..": "dots", "∀": "forall",
}  # fmt: skip

MACRO_OPS: dict[str, str] = {
    "le": "<=", "leq": "<=", "leqslant": "<=", "leqq": "<=",
    "ge": ">=", "geq": ">=", "geqslant": ">=", "geqq": ">=",
    "lt": "<", "gt": ">", "ne": "!=", "neq": "!=", "coloneqq": "=", "equiv": "=",
    "in": "in", "notin": "notin", "setminus": "setminus", "backslash": "setminus",
    "cup": "union", "cap": "intersect", "subseteq": "subset", "subset": "subset",
    "cdot": "*", "times": "*", "ast": "*", "div": "/",
    "dots": "dots", "ldots": "dots", "cdots": "dots", "dotsc": "dots", "dotsb": "dots",
    "infty": "inf", "mid": "|", "vert": "|", "lvert": "|", "rvert": "|", "colon": ":",
    "forall": "forall", "prime": "'", "top": "transpose", "intercal": "transpose",
    "lbrace": "\\{", "rbrace": "\\}", "{": "\\{", "}": "\\}", "%": "%", "_": "_",
    "langle": "(", "rangle": ")", "lbrack": "[", "rbrack": "]",
}  # fmt: skip

MACRO_FUNCS: dict[str, str] = {
    "exp": "exp", "log": "log", "ln": "log", "sin": "sin", "cos": "cos", "tan": "tan",
    "sqrt": "sqrt", "frac": "frac", "dfrac": "frac", "tfrac": "frac",
    "sum": "sum", "prod": "prod", "min": "min", "max": "max",
}  # fmt: skip

WORD_FUNCS: dict[str, str] = {
    "exp": "exp", "log": "log", "ln": "log", "sin": "sin", "cos": "cos", "tan": "tan",
    "sqrt": "sqrt", "abs": "abs", "sum": "sum", "prod": "prod", "min": "min", "max": "max",
}  # fmt: skip

SPACE_MACROS = frozenset({",", ";", ":", "!", " ", "thinspace", "medspace", "enspace", "space"})
QUAD_MACROS = frozenset({"quad", "qquad", "hfill", "hskip"})
IGNORED_MACROS = frozenset({
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl",
    "biggr", "Biggl", "Biggr", "middle", "limits", "nolimits", "displaystyle", "textstyle",
    "scriptstyle", "nonumber", "notag", "noindent", "centering", "hline", "toprule", "midrule",
    "bottomrule", "newline", "par", "bigskip", "medskip", "smallskip", "small", "item", "$",
    "maketitle", "tableofcontents",
})  # fmt: skip
DROPPED_WITH_ARGUMENT = frozenset(
    {"label", "tag", "hspace", "vspace", "phantom", "hphantom", "vphantom", "ref", "eqref",
     "documentclass", "usepackage", "author", "date", "pagestyle", "bibliographystyle"}
)  # fmt: skip
TEXT_MACROS = frozenset({
    "text", "textrm", "textit", "textbf", "textsf", "texttt", "mbox", "mathrm", "mathit",
    "mathsf", "mathtt", "operatorname", "emph",
})  # fmt: skip
LETTER_MACROS = frozenset({"mathbf", "boldsymbol", "bm", "mathcal", "mathscr", "vec", "pmb"})
SET_MACROS = frozenset({"mathbb", "Bbb"})
ACCENT_MACROS = frozenset({
    "bar", "hat", "tilde", "overline", "underline", "widehat", "widetilde", "dot", "ddot",
})  # fmt: skip
HEADING_MACROS = frozenset({"section", "subsection", "subsubsection", "paragraph", "title"})

GREEK: dict[str, str] = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ϵ": "epsilon",
    "ζ": "zeta", "η": "eta", "θ": "theta", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu",
    "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho", "σ": "sigma", "τ": "tau", "φ": "phi",
    "ϕ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega", "Γ": "Gamma", "Δ": "Delta",
    "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Φ": "Phi", "Ψ": "Psi", "Ω": "Omega",
}  # fmt: skip
GREEK_MACROS: dict[str, str] = {
    **{name: name for name in GREEK.values()},
    "varepsilon": "epsilon", "vartheta": "theta", "varphi": "phi", "varrho": "rho",
    "ell": "ell", "iota": "iota", "upsilon": "upsilon",
}  # fmt: skip

SUBSCRIPTS = {
    **dict(zip("₀₁₂₃₄₅₆₇₈₉", "0123456789", strict=True)),
    **dict(zip("ᵢⱼₖₗₘₙₚₛₜₐₑₒₓ", "ijklmnpstaeox", strict=True)),
    "₊": "+", "₋": "-", "₌": "=", "₍": "(", "₎": ")",
}  # fmt: skip
SUPERSCRIPTS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ⁺⁻", "0123456789n+-", strict=True))
UNICODE_NUMSETS = {"ℤ": "Z", "ℝ": "R", "ℕ": "N", "𝔹": "B", "ℚ": "R"}
"""Number sets; `R` also stands for the rationals, which no solver tells apart."""

ROW_ENVIRONMENTS = frozenset({
    "equation", "align", "aligned", "alignat", "alignedat", "gather", "gathered", "split",
    "array", "eqnarray", "flalign", "multline", "cases", "math", "displaymath", "subequations",
    "mini", "maxi", "dcases", "rcases", "itemize", "enumerate",
})  # fmt: skip
MATRIX_ENVIRONMENTS = frozenset({"matrix", "pmatrix", "bmatrix", "Bmatrix", "smallmatrix"})
