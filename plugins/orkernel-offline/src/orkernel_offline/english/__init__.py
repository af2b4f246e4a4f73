"""Reads operations-research word problems in English, without a language model.

tokens → phrases → clauses → observations → facts → formulation; every stage is a value that
:class:`~.trace.Trace` keeps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .assemble import assemble, choices
from .read import Unreadable, read_facts
from .trace import Trace


@dataclass(frozen=True, slots=True)
class Reading:
    """One reading of a statement.

    Attributes:
        formulation: plain data in the kernel's formulation schema.
        label: the assumptions that set this reading apart, in a few words.
        trace: the stages that led to it.
    """

    formulation: dict[str, Any]
    label: str
    trace: Trace


def readings(statement: str) -> list[Reading]:
    """Return the distinct readings of ``statement``, best first.

    Raises:
        Unreadable: a number, limit or goal cannot be tied to the rest; it names the place.
    """
    facts, trace = read_facts(statement)
    result: list[Reading] = []
    for choice in choices(facts):
        formulation = assemble(statement, facts, choice)
        label = "; ".join(item["text"] for item in formulation["assumptions"])
        result.append(Reading(formulation, label, trace))
    return result


__all__ = ["Reading", "Trace", "Unreadable", "readings"]
