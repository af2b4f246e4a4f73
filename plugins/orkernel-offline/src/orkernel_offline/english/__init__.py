"""Reads operations-research word problems in English, without a language model.

tokens → phrases → clauses → observations → facts → formulation; every stage is a value that
:class:`~.trace.Trace` keeps. Transport and assignment between named sites take a way of their
own from the sentences on: sites → items → pairs → network → formulation.
"""

from __future__ import annotations

from typing import Any

from orkernel_offline.reading import Reading, Unreadable

from .assemble import assemble, choices
from .network_model import assemble_network, network_choices
from .network_read import read_network
from .read import read_facts
from .trace import Trace


def readings(statement: str) -> list[Reading]:
    """Return the distinct readings of ``statement``, best first.

    Raises:
        Unreadable: a number, limit or goal cannot be tied to the rest; it names the place.
    """
    found = read_network(statement)
    if found is not None:
        network, trace = found
        formulations = [
            assemble_network(statement, network, choice) for choice in network_choices(network)
        ]
    else:
        facts, trace = read_facts(statement)
        formulations = [assemble(statement, facts, choice) for choice in choices(facts)]
    return [Reading(formulation, _label(formulation), trace) for formulation in formulations]


def _label(formulation: dict[str, Any]) -> str:
    return "; ".join(item["text"] for item in formulation["assumptions"])


__all__ = ["Reading", "Trace", "Unreadable", "readings"]
