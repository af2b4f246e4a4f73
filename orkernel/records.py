"""Records that hooks return, and the small values that pass between stages.

Standard library only: importing this module costs nothing, so that a plugin
can describe itself without loading what it wraps. A record names its object by
an import string (`target`, `"package.module:attribute"`) that is resolved on
first use.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from orkernel.formulation.check import Diagnostic
    from orkernel.formulation.schema import Formulation
    from orkernel.solution import Solution

API_LEVEL = 1
"""The level of the plugin contract; a record with another `api` is not loaded."""


class Capability(StrEnum):
    """What a model may need and a solver agent may offer."""

    CONTINUOUS = "continuous"
    INTEGER = "integer"
    LINEAR = "linear"
    QUADRATIC_OBJECTIVE = "quadratic_objective"
    QUADRATIC_CONSTRAINT = "quadratic_constraint"
    NONCONVEX = "nonconvex"
    NONLINEAR = "nonlinear"
    LOGICAL = "logical"
    PIECEWISE = "piecewise"
    RANDOM = "random"
    MULTI_OBJECTIVE = "multi_objective"
    ALL_DIFFERENT = "all_different"
    CIRCUIT = "circuit"
    MULTI_CIRCUIT = "multi_circuit"
    CUMULATIVE = "cumulative"
    NO_OVERLAP = "no_overlap"
    ELEMENT = "element"
    TABLE = "table"
    INVERSE = "inverse"


class Guarantee(StrEnum):
    """How strong an agent's answer is: `optimal` may only be said with GLOBAL."""

    GLOBAL = "global"
    LOCAL = "local"
    HEURISTIC = "heuristic"
    SAMPLED = "sampled"


DIMENSIONS = ("parameters", "variables", "objective", "constraints")
"""The four dimensions of an evaluation (COOPA, arXiv 2606.27611)."""


# --------------------------------------------------------------------------- records


@dataclass(frozen=True, slots=True)
class Option:
    """A declared option, set with `-o NAME.key=value` or in a configuration file.

    Attributes:
        name: The key.
        type: `str`, `int`, `float` or `bool`; values are converted and checked.
        default: Value when the user says nothing.
        help: One line for `orkernel plugins show`.
        choices: Allowed values; empty means any.
    """

    name: str
    type: type[str] | type[int] | type[float] | type[bool] = str
    default: str | int | float | bool | None = None
    help: str = ""
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """What every record has in common.

    Attributes:
        name: The name a user writes; unique within its kind.
        target: Import string of the object, resolved on first use.
        options: Declared options.
        check: Import string of a health check `() -> str` for `orkernel doctor`;
            it returns one line, or raises.
        requires: Importable modules it needs, tested with `find_spec` only.
        install_hint: What to type when something in `requires` is missing.
        summary: One line.
        api: Level of the plugin contract it was written for.
        needs_language_model: True if it asks the language model of the run (`--model`).
    """

    name: str
    target: str
    options: tuple[Option, ...] = ()
    check: str = ""
    requires: tuple[str, ...] = ()
    install_hint: str = ""
    summary: str = ""
    api: int = API_LEVEL
    needs_language_model: bool = False


class FormulatorSpec(Record):
    """A formulator: turns a statement into a `Formulation`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ScorerSpec(Record):
    """A confidence scorer.

    Attributes:
        compares: True if it wants to be asked once more after the last candidate.
        second_trial: True if it looks at `Candidate.second`, the trial of a second agent.
    """

    compares: bool = False
    second_trial: bool = False


class SelectionSpec(Record):
    """A selection rule: picks one of the candidates."""

    __slots__ = ()


class ClassifierSpec(Record):
    """A classifier: ranks the solver agents for a model."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SolverAgentSpec(Record):
    """A solver agent.

    Attributes:
        supports: A model is taken if its needs are within ONE of these sets
            (HiGHS: MIP, or QP, not both).
        guarantee: The strongest guarantee of its answers; one answer may be weaker.
        guarantees: Per set of `supports` the strongest guarantee there; empty means
            `guarantee` for each.
        exports: Formats it can write (`"lp"`, `"mps"`, `"nl"`).
        last_resort: True for an agent that is asked only after all others, or by name; it is
            never used for a trial solve or a second opinion.
    """

    supports: tuple[frozenset[Capability], ...]
    guarantee: Guarantee
    exports: frozenset[str] = frozenset()
    guarantees: tuple[Guarantee, ...] = ()
    last_resort: bool = False

    def __post_init__(self) -> None:
        if self.guarantees and len(self.guarantees) != len(self.supports):
            raise ValueError(
                f"solver agent '{self.name}': {len(self.guarantees)} guarantees for "
                f"{len(self.supports)} capability sets"
            )

    def promise(self, needs: frozenset[Capability]) -> Guarantee | None:
        """The strongest guarantee for a model with these needs; None if it cannot take it."""
        guarantees = self.guarantees or (self.guarantee,) * len(self.supports)
        fitting = [g for s, g in zip(self.supports, guarantees, strict=True) if needs <= s]
        return min(fitting, key=list(Guarantee).index, default=None)


class VerifierSpec(Record):
    """A proof verifier: judges proofs tactic by tactic."""

    __slots__ = ()


class CreditRuleSpec(Record):
    """A credit rule: turns verdicts into per-token advantages."""

    __slots__ = ()


class CommandSpec(Record):
    """A click command added to `orkernel`."""

    __slots__ = ()


class ObserverSpec(Record):
    """An observer of events; it cannot change anything."""

    __slots__ = ()


# --------------------------------------------------------------------------- stage values


@dataclass(frozen=True, slots=True)
class Problem:
    """What the user gave.

    Attributes:
        statement: The text, as read; offsets of sources count its characters.
        name: Short name, from the file name.
        data: Folder with data tables, or None.
    """

    statement: str
    name: str = "problem"
    data: Path | None = None


@dataclass(frozen=True, slots=True)
class Score:
    """Confidence in one dimension: `value` in 0–100 and why."""

    value: float
    explanation: str = ""

    def __post_init__(self) -> None:
        if not 0.0 <= self.value <= 100.0:
            raise ValueError(f"a score lies between 0 and 100, not {self.value!r}")


@dataclass(frozen=True, slots=True)
class Finding:
    """A fault that a scorer sees in a candidate: one of `DIMENSIONS`, and what is wrong."""

    dimension: str
    text: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One scorer's view of one candidate.

    Attributes:
        scorer: Name of the scorer.
        scores: A `Score` for each of `DIMENSIONS`.
        findings: Open faults, the weightiest first; empty when the scorer sees none.
    """

    scorer: str
    scores: Mapping[str, Score]
    findings: tuple[Finding, ...] = ()

    @property
    def minimum(self) -> float:
        """The weakest dimension."""
        return min(score.value for score in self.scores.values())


@dataclass(frozen=True, slots=True)
class Candidate:
    """One formulation on its way through the pipeline.

    Attributes:
        index: 0-based position among all candidates, refused ones included.
        formulation: None when the formulator produced nothing usable.
        diagnostics: What the checks found.
        trial: The trial solution, if one was tried.
        evaluations: One per scorer.
        refused: Why it cannot be selected; empty when it can.
        second: The trial of a second, independent exact agent, where there is one.
    """

    index: int
    formulation: Formulation | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    trial: Solution | None = None
    evaluations: tuple[Evaluation, ...] = ()
    refused: str = ""
    second: Solution | None = None

    @property
    def confidence(self) -> dict[str, float]:
        """Per dimension the minimum over the scorers; empty without evaluations."""
        if not self.evaluations:
            return {}
        return {
            dimension: min(e.scores[dimension].value for e in self.evaluations)
            for dimension in DIMENSIONS
        }

    @property
    def min_confidence(self) -> float:
        """min_j c_ij, the figure that max-min selection maximises; 0 without evaluations."""
        return min(self.confidence.values(), default=0.0)


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen candidate (0-based over all, refused ones included) and why."""

    index: int
    reason: str


@dataclass(frozen=True, slots=True)
class RankedAgent:
    """A solver agent's place in a classification."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Classification:
    """The kind of model and the agents to try, best first."""

    kind: str
    agents: tuple[RankedAgent, ...]


@dataclass(frozen=True, slots=True)
class Question:
    """A question to the user, with the choices if there are any."""

    text: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened in a run.

    Attributes:
        kind: Dotted name such as `stage.started`, `candidate.refused`,
            `solver.incumbent`, `log.line`.
        stage: formulate | trial | evaluate | select | classify | solve | verify.
        message: One line for people.
        data: JSON-able details.
        time: Seconds since the epoch.
    """

    kind: str
    stage: str = ""
    message: str = ""
    data: Mapping[str, Any] = field(default_factory=dict)
    time: float = field(default_factory=time.time)
