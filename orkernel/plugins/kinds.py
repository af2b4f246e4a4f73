"""The kinds of records: which hook registers them and what their object must offer."""

from __future__ import annotations

from dataclasses import dataclass

from orkernel.records import (
    ClassifierSpec,
    CommandSpec,
    CreditRuleSpec,
    FormulatorSpec,
    ObserverSpec,
    Record,
    ScorerSpec,
    SelectionSpec,
    SolverAgentSpec,
    VerifierSpec,
)


@dataclass(frozen=True, slots=True)
class Kind:
    """One extension point.

    Attributes:
        name: As in `Registry.records(name)`.
        title: Singular, for messages.
        record: Class of its records.
        method: What the target must have; empty for a click command.
    """

    name: str
    title: str
    record: type[Record]
    method: str

    @property
    def hook(self) -> str:
        """Name of the hook that registers it."""
        return f"orkernel_{self.name}"


KINDS = {
    kind.name: kind
    for kind in (
        Kind("formulators", "formulator", FormulatorSpec, "formulate"),
        Kind("confidence_scorers", "confidence scorer", ScorerSpec, "score"),
        Kind("selection_rules", "selection rule", SelectionSpec, "select"),
        Kind("classifiers", "classifier", ClassifierSpec, "classify"),
        Kind("solver_agents", "solver agent", SolverAgentSpec, "solve"),
        Kind("proof_verifiers", "proof verifier", VerifierSpec, "verify"),
        Kind("credit_rules", "credit rule", CreditRuleSpec, "advantages"),
        Kind("commands", "command", CommandSpec, ""),
        Kind("observers", "observer", ObserverSpec, "observe"),
    )
}
"""Every kind, by name."""

HOOKS = {kind.hook: kind for kind in KINDS.values()}
"""Every kind, by the name of its hook."""


def kind_of(record: Record) -> Kind:
    """The kind that a record belongs to."""
    for kind in KINDS.values():
        if type(record) is kind.record:
            return kind
    raise TypeError(f"{type(record).__name__} is not a record of any hook")
