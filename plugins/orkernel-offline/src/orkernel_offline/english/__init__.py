"""Reads operations-research word problems in English, without a language model.

tokens → phrases → clauses → observations → facts → formulation; every stage is a value that
:class:`~.trace.Trace` keeps.
"""

from __future__ import annotations

from orkernel_offline.reading import Reading, Unreadable

from .assemble import assemble, choices
from .read import read_facts
from .trace import Trace


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
