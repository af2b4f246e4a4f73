"""orkernel: an operations-research problem in plain words in, a checked answer out.

Public names are imported on first use, so that `import orkernel` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orkernel.version import __version__

if TYPE_CHECKING:
    from orkernel.context import RunContext as RunContext
    from orkernel.errors import OrkernelError as OrkernelError
    from orkernel.errors import Refused as Refused
    from orkernel.errors import Unsupported as Unsupported
    from orkernel.formulation.check import check as check
    from orkernel.formulation.load import load_formulation as load_formulation
    from orkernel.formulation.schema import Formulation as Formulation
    from orkernel.hookspecs import hookimpl as hookimpl
    from orkernel.model import Model as Model
    from orkernel.pipeline import run as run
    from orkernel.records import Capability as Capability
    from orkernel.records import ClassifierSpec as ClassifierSpec
    from orkernel.records import CommandSpec as CommandSpec
    from orkernel.records import CreditRuleSpec as CreditRuleSpec
    from orkernel.records import FormulatorSpec as FormulatorSpec
    from orkernel.records import Guarantee as Guarantee
    from orkernel.records import ObserverSpec as ObserverSpec
    from orkernel.records import Option as Option
    from orkernel.records import ScorerSpec as ScorerSpec
    from orkernel.records import SelectionSpec as SelectionSpec
    from orkernel.records import SolverAgentSpec as SolverAgentSpec
    from orkernel.records import VerifierSpec as VerifierSpec
    from orkernel.solution import Solution as Solution
    from orkernel.solution import Status as Status

_HOMES = {
    "Capability": "orkernel.records",
    "ClassifierSpec": "orkernel.records",
    "CommandSpec": "orkernel.records",
    "CreditRuleSpec": "orkernel.records",
    "Formulation": "orkernel.formulation.schema",
    "FormulatorSpec": "orkernel.records",
    "Guarantee": "orkernel.records",
    "Model": "orkernel.model",
    "ObserverSpec": "orkernel.records",
    "Option": "orkernel.records",
    "OrkernelError": "orkernel.errors",
    "Refused": "orkernel.errors",
    "RunContext": "orkernel.context",
    "ScorerSpec": "orkernel.records",
    "SelectionSpec": "orkernel.records",
    "Solution": "orkernel.solution",
    "SolverAgentSpec": "orkernel.records",
    "Status": "orkernel.solution",
    "Unsupported": "orkernel.errors",
    "VerifierSpec": "orkernel.records",
    "check": "orkernel.formulation.check",
    "hookimpl": "orkernel.hookspecs",
    "load_formulation": "orkernel.formulation.load",
    "run": "orkernel.pipeline",
}

__all__ = ["__version__", *_HOMES]


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'orkernel' has no attribute '{name}'")
    from importlib import import_module

    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
