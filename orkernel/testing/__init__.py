"""Tools for testing plugins: conformance kits, one per extension point, and hand-built forms.

Names are imported on first use; importing this module imports neither pytest nor numpy.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from orkernel.testing.conformance.classifiers import (
        ClassifierConformance as ClassifierConformance,
    )
    from orkernel.testing.conformance.commands import CommandConformance as CommandConformance
    from orkernel.testing.conformance.confidence_scorers import (
        ScorerConformance as ScorerConformance,
    )
    from orkernel.testing.conformance.credit_rules import (
        CreditRuleConformance as CreditRuleConformance,
    )
    from orkernel.testing.conformance.formulators import (
        FormulatorConformance as FormulatorConformance,
    )
    from orkernel.testing.conformance.observers import ObserverConformance as ObserverConformance
    from orkernel.testing.conformance.proof_verifiers import (
        VerifierConformance as VerifierConformance,
    )
    from orkernel.testing.conformance.selection_rules import (
        SelectionRuleConformance as SelectionRuleConformance,
    )
    from orkernel.testing.conformance.solver_agents import (
        SolverAgentConformance as SolverAgentConformance,
    )
    from orkernel.testing.forms import build_form as build_form
    from orkernel.testing.forms import market_split_form as market_split_form
    from orkernel.testing.forms import wyndor_form as wyndor_form

_NAMES = {
    "orkernel.testing.conformance.classifiers": "ClassifierConformance",
    "orkernel.testing.conformance.commands": "CommandConformance",
    "orkernel.testing.conformance.confidence_scorers": "ScorerConformance",
    "orkernel.testing.conformance.credit_rules": "CreditRuleConformance",
    "orkernel.testing.conformance.formulators": "FormulatorConformance",
    "orkernel.testing.conformance.observers": "ObserverConformance",
    "orkernel.testing.conformance.proof_verifiers": "VerifierConformance",
    "orkernel.testing.conformance.selection_rules": "SelectionRuleConformance",
    "orkernel.testing.conformance.solver_agents": "SolverAgentConformance",
    "orkernel.testing.forms": "build_form market_split_form wyndor_form",
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = [*_HOMES]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'orkernel.testing' has no attribute '{name}'")
        from importlib import import_module

        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
