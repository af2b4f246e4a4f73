"""Limit phrases: "at least", "no more than", "cannot exceed", …, and their senses."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sense:
    """Direction of a limit: ``op`` is ``<=``, ``>=`` or ``==``.

    Attributes:
        strict: the words say "less than" or "more than", not "at most" or "at least".
    """

    op: str
    strict: bool = False

    def negated(self) -> Sense:
        """The sense under "not": "not less than" is "at least"."""
        return Sense({"<=": ">=", ">=": "<=", "==": "=="}[self.op], not self.strict)


AT_LEAST, AT_MOST = Sense(">="), Sense("<=")
MORE, LESS = Sense(">=", True), Sense("<=", True)
EXACTLY = Sense("==")

# Longest phrases win; every phrase is a sequence of lower-case words.
PHRASES: dict[tuple[str, ...], Sense] = {
    tuple(phrase.split()): sense
    for sense, phrases in (
        (
            AT_LEAST,
            "at least|at the least|at the very least|no less than|not less than|no fewer than|"
            "not fewer than|no lower than|not lower than|not below|a minimum of|the minimum of|"
            "minimum of|at a minimum of|greater than or equal to|more than or equal to|"
            "at minimum|at a minimum|no smaller than|not smaller than|a minimum|"
            "larger than or equal to",
        ),
        (
            AT_MOST,
            "at most|at the most|at the very most|no more than|not more than|no greater than|"
            "not greater than|no larger than|not larger than|up to|a maximum of|the maximum of|"
            "maximum of|at a maximum of|less than or equal to|no higher than|not higher than|"
            "at maximum|at a maximum|fewer than or equal to|not above|not over|a maximum|"
            "smaller than or equal to|limited to at most|limited to no more than|limited to|"
            "and most",
        ),
        (MORE, "more than|greater than|larger than|higher than|above|over|bigger than"),
        (LESS, "less than|fewer than|smaller than|lower than|below|under"),
        (EXACTLY, "exactly|precisely|equal to|equals"),
    )
    for phrase in phrases.split("|")
}
# Words that are limits only directly before a number.
BEFORE_NUMBERS_ONLY = frozenset(
    {("over",), ("under",), ("above",), ("a", "minimum"), ("a", "maximum"), ("exactly",),
     ("precisely",), ("limited", "to"), ("and", "most"), ("up", "to"), ("at", "minimum"),
     ("at", "maximum"), ("at", "a", "minimum"), ("at", "a", "maximum")}
)  # fmt: skip
NUMBER_PREFIXES: dict[str, Sense] = {"minimum": AT_LEAST, "maximum": AT_MOST}
LONGEST = max(len(phrase) for phrase in PHRASES)

# Verbs that are limits themselves: "must exceed 20", "cannot exceed the number of vans".
LIMIT_VERBS: dict[str, Sense] = {"exceed": MORE, "surpass": MORE, "equal": EXACTLY}
