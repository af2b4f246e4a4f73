"""Diagnostics: what a check finds, with element, place, cause and suggestion."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """An error refuses the formulation; a warning is reported with the answer."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: Stable kebab-case name of the kind, e.g. `undefined-name`.
        severity: error or warning.
        element: The element, e.g. `constraint 'supply'`; `statement` for the text itself,
            `formulation` for the whole.
        message: What is wrong.
        suggestion: What to do about it.
        start: Offset of the place in the expression (or statement), or None.
        end: Offset past it, or None.
        field: Which text `start` and `end` count in: expression | for_each | lower | upper |
            range | value | table | index | unit | statement.
    """

    code: str
    severity: Severity
    element: str
    message: str
    suggestion: str = ""
    start: int | None = None
    end: int | None = None
    field: str = "expression"

    def to_json(self) -> dict[str, Any]:
        """All fields, as plain JSON values."""
        return {
            "code": self.code,
            "severity": str(self.severity),
            "element": self.element,
            "message": self.message,
            "suggestion": self.suggestion,
            "start": self.start,
            "end": self.end,
            "field": self.field,
        }
