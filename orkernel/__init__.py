"""orkernel: an operations-research problem in plain words in, a checked answer out.

Public names are imported on first use, so that `import orkernel` costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from orkernel.version import __version__ as __version__

if TYPE_CHECKING:
    from orkernel.answer import Answer as Answer
    from orkernel.config import Config as Config
    from orkernel.context import Ledger as Ledger
    from orkernel.context import RunContext as RunContext
    from orkernel.errors import DataError as DataError
    from orkernel.errors import ExitCode as ExitCode
    from orkernel.errors import ExpressionError as ExpressionError
    from orkernel.errors import NoMoreReadings as NoMoreReadings
    from orkernel.errors import NoMoreRepairs as NoMoreRepairs
    from orkernel.errors import OrkernelError as OrkernelError
    from orkernel.errors import PluginError as PluginError
    from orkernel.errors import Refused as Refused
    from orkernel.errors import RefusedError as RefusedError
    from orkernel.errors import Unavailable as Unavailable
    from orkernel.errors import UnknownName as UnknownName
    from orkernel.errors import Unsupported as Unsupported
    from orkernel.errors import UsageError as UsageError
    from orkernel.formulation.check import Diagnostic as Diagnostic
    from orkernel.formulation.check import Severity as Severity
    from orkernel.formulation.check import check as check
    from orkernel.formulation.load import load_formulation as load_formulation
    from orkernel.formulation.schema import Formulation as Formulation
    from orkernel.hookspecs import hookimpl as hookimpl
    from orkernel.language_model import LanguageModel as LanguageModel
    from orkernel.model import Model as Model
    from orkernel.pipeline import run as run
    from orkernel.records import API_LEVEL as API_LEVEL
    from orkernel.records import DIMENSIONS as DIMENSIONS
    from orkernel.records import Candidate as Candidate
    from orkernel.records import Capability as Capability
    from orkernel.records import Classification as Classification
    from orkernel.records import ClassifierSpec as ClassifierSpec
    from orkernel.records import CommandSpec as CommandSpec
    from orkernel.records import CreditRuleSpec as CreditRuleSpec
    from orkernel.records import Evaluation as Evaluation
    from orkernel.records import Event as Event
    from orkernel.records import Finding as Finding
    from orkernel.records import FormulatorSpec as FormulatorSpec
    from orkernel.records import Guarantee as Guarantee
    from orkernel.records import ObserverSpec as ObserverSpec
    from orkernel.records import Option as Option
    from orkernel.records import Problem as Problem
    from orkernel.records import Question as Question
    from orkernel.records import RankedAgent as RankedAgent
    from orkernel.records import Record as Record
    from orkernel.records import Score as Score
    from orkernel.records import ScorerSpec as ScorerSpec
    from orkernel.records import Selection as Selection
    from orkernel.records import SelectionSpec as SelectionSpec
    from orkernel.records import SolverAgentSpec as SolverAgentSpec
    from orkernel.records import VerifierSpec as VerifierSpec
    from orkernel.registry import Registry as Registry
    from orkernel.solution import Certificate as Certificate
    from orkernel.solution import Duals as Duals
    from orkernel.solution import Estimate as Estimate
    from orkernel.solution import Evidence as Evidence
    from orkernel.solution import InfeasibleSubset as InfeasibleSubset
    from orkernel.solution import ParetoPoint as ParetoPoint
    from orkernel.solution import Solution as Solution
    from orkernel.solution import SolverIdentity as SolverIdentity
    from orkernel.solution import Status as Status

_NAMES = {
    "orkernel.answer": "Answer",
    "orkernel.config": "Config",
    "orkernel.context": "Ledger RunContext",
    "orkernel.errors": (
        "DataError ExitCode ExpressionError NoMoreReadings NoMoreRepairs OrkernelError "
        "PluginError Refused RefusedError Unavailable UnknownName Unsupported UsageError"
    ),
    "orkernel.formulation.check": "Diagnostic Severity check",
    "orkernel.formulation.load": "load_formulation",
    "orkernel.formulation.schema": "Formulation",
    "orkernel.hookspecs": "hookimpl",
    "orkernel.language_model": "LanguageModel",
    "orkernel.model": "Model",
    "orkernel.pipeline": "run",
    "orkernel.records": (
        "API_LEVEL DIMENSIONS Candidate Capability Classification ClassifierSpec "
        "CommandSpec CreditRuleSpec Evaluation Event Finding FormulatorSpec Guarantee "
        "ObserverSpec Option Problem Question RankedAgent Record Score ScorerSpec "
        "Selection SelectionSpec SolverAgentSpec VerifierSpec"
    ),
    "orkernel.registry": "Registry",
    "orkernel.solution": (
        "Certificate Duals Estimate Evidence InfeasibleSubset ParetoPoint Solution SolverIdentity"
        " Status"
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = ["__version__", *_HOMES]


if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:
        if name not in _HOMES:
            raise AttributeError(f"module 'orkernel' has no attribute '{name}'")
        from importlib import import_module

        value = getattr(import_module(_HOMES[name]), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
