"""Words that tell the reader what a sentence around a formula says."""

from __future__ import annotations

import re

DOMAIN_WORDS = frozenset({"integer", "binary", "continuous", "nonneg", "free"})
BE = frozenset(
    [
        "is",
        "are",
        "be",
        "being",
        "denote",
        "denotes",
        "denoting",
        "represent",
        "represents",
        "representing",
        "mean",
        "means",
        "indicate",
        "indicates",
        "stand",
        "stands",
        "equal",
        "equals",
        "describe",
        "describes",
        "takes",
        "give",
        "gives",
    ]
)
FILLER = BE | frozenset(
    ["must", "should", "shall", "have", "to", "all", "also", "either", "variables", "variable"]
)
CHANGES_MEANING = frozenset(
    [
        "if",
        "when",
        "whenever",
        "unless",
        "or",
        "either",
        "implies",
        "only",
        "otherwise",
        "provided",
        "not",
        "no",
        "never",
        "except",
        "without",
        "ignore",
        "ignoring",
        "relax",
        "relaxed",
        "violate",
        "violated",
        "example",
        "instance",
        "suppose",
        "optimal",
        "optimum",
        "solution",
        "thousand",
        "thousands",
        "million",
        "millions",
        "hundred",
        "hundreds",
        "dozen",
        "dozens",
        "times",
        "percent",
        "approximately",
        "about",
        "roughly",
        "probability",
        "expected",
        "sorry",
        "correction",
        "corrected",
        "mistake",
        "typo",
        "erratum",
        "instead",
        "formerly",
        "previously",
        "originally",
        "becomes",
    ]
)
"""Words that change what a relation next to them says; such a relation is refused."""
CHANGES_IN_REMARK = frozenset(
    ["if", "when", "whenever", "unless", "except", "ignore", "ignored", "dropped", "optional",
     "thousand", "thousands", "million", "millions", "hundred", "hundreds", "dozen", "dozens",
     "provided", "relaxed", "desired", "instead"]
)  # fmt: skip
"""The same for a remark in brackets, which may repeat the relation in words."""
CHANGES_DATA = frozenset(
    [
        "if",
        "when",
        "unless",
        "or",
        "either",
        "example",
        "instance",
        "thousand",
        "thousands",
        "million",
        "millions",
        "hundred",
        "hundreds",
        "dozen",
        "dozens",
        "percent",
        "approximately",
        "about",
        "roughly",
        "expected",
        "probability",
    ]
)
"""The same for a symbol that is given its value."""
OPERATIONS = frozenset(
    ["sum", "difference", "product", "ratio", "average", "mean", "twice", "half", "double"]
)
"""Words before a relation that stand for an operation, unless a colon makes them its name."""
NEW_THOUGHT = frozenset(
    ["where", "let", "with", "here", "and", "such", "given", "subject", "maximize", "minimize"]
)
SECTIONS = (
    ("variables", re.compile(r"\b(decision\s+)?variables?\b|\bdecisions?\b|\bunknowns?\b")),
    ("constraints", re.compile(r"\bconstraints?\b|\bsubject to\b|\brestrictions?\b")),
    ("objective", re.compile(r"\bobjectives?\b|\bgoal\b")),
    ("sets", re.compile(r"\bsets?\b|\bindices\b|\bindex\b")),
    ("parameters", re.compile(r"\bparameters?\b|\bdata\b|\bconstants?\b|\bcoefficients?\b")),
)
DOMAIN_NAMES = {"integer": "integer", "binary": "binary", "free": "free", "nonneg": "non-negative"}
MAX_SECTION_WORDS = 5
INDICATOR = re.compile(
    r"\b1\$? (?:if|when|iff)\b.*\b(?:0\$?,? otherwise|otherwise,? \$?0|else \$?0)", re.S
)
KINDS_OF_MODEL = frozenset(
    ["program", "programs", "programming", "linear", "model", "problem", "optimization"]
)


def section_of(text: str) -> str:
    """The part of a statement that a heading names: variables, constraints, …; or nothing."""
    for section, pattern in SECTIONS:
        if pattern.search(text):
            return section
    return ""
