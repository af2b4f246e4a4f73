"""Which kit tests which kind of record."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from orkernel.plugins.loading import import_object

if TYPE_CHECKING:
    from orkernel.testing.conformance.base import Conformance

HOME = "orkernel.testing.conformance"

KITS = {
    "formulators": f"{HOME}.formulators:FormulatorConformance",
    "confidence_scorers": f"{HOME}.confidence_scorers:ScorerConformance",
    "selection_rules": f"{HOME}.selection_rules:SelectionRuleConformance",
    "classifiers": f"{HOME}.classifiers:ClassifierConformance",
    "solver_agents": f"{HOME}.solver_agents:SolverAgentConformance",
    "proof_verifiers": f"{HOME}.proof_verifiers:VerifierConformance",
    "credit_rules": f"{HOME}.credit_rules:CreditRuleConformance",
    "commands": f"{HOME}.commands:CommandConformance",
    "observers": f"{HOME}.observers:ObserverConformance",
}
"""Kind of record (as in `orkernel.plugins.kinds.KINDS`) to the import string of its kit."""


def kit_for(kind: str) -> type[Conformance]:
    """The kit of a kind of record.

    Raises:
        KeyError: There is no such kind.
    """
    return cast("type[Conformance]", import_object(KITS[kind]))
