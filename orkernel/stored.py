"""Shapes of the files of a run folder, as far as `show`, `runs`, `replay` and `--resume` read them.

A folder may have been edited, cut short or written by something else; what does not have
the shape is damaged, and nothing is concluded from it.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, NonNegativeInt, PositiveInt, RootModel

from orkernel.records import Guarantee
from orkernel.solution import Evidence, Status


class Figures(RootModel["float | None | dict[str, Figures]"]):
    """A number, or numbers by member, nested."""


class StoredLanguageModel(BaseModel):
    """Which language model was asked."""

    name: str
    base_url: str | None
    replay: str | None
    options: dict[str, Any]


class StoredRequest(BaseModel):
    """Every field of a `Request` that is no input text."""

    model_config = ConfigDict(extra="forbid")

    k: PositiveInt
    formulator: str | None
    scorers: list[str] | None
    selector: str | None
    classifier: str | None
    solver: str
    time_limit: float | None
    gap: float | None
    front_points: PositiveInt | None = None
    seed: int
    second_opinion: bool
    options: dict[str, Any]
    language_model: StoredLanguageModel | None = None
    preset: str | None = None
    asks: bool = False


class StoredRun(BaseModel):
    """`run.json`; without a request in the first moments of a run."""

    state: Literal["running", "interrupted", "failed", "finished"]
    name: str
    request: StoredRequest | None = None
    data: str | None = None


class StoredIdentity(BaseModel):
    """Who answered."""

    agent: str
    name: str
    version: str


class StoredAnswer(BaseModel):
    """`answer.json`."""

    status: Status
    verified: bool
    message: str
    objectives: dict[str, float]
    variables: dict[str, Figures]
    results: dict[str, Figures]
    evidence: Evidence | None
    solver: StoredIdentity | None
    assumptions: list[str]
    notes: list[str]


class StoredSelection(BaseModel):
    """`selection.json`."""

    index: NonNegativeInt
    reason: str


class StoredAgent(BaseModel):
    """One agent of a ranking."""

    name: str
    reason: str


class StoredClassification(BaseModel):
    """`classification.json`."""

    kind: str
    agents: list[StoredAgent]


class StoredScore(BaseModel):
    """A scorer's view of one dimension."""

    value: float
    explanation: str


class StoredFinding(BaseModel):
    """A fault that a scorer sees."""

    dimension: str
    text: str


class StoredEstimate(BaseModel):
    """A simulated figure."""

    kind: str
    name: str
    value: float
    low: float
    high: float
    level: float
    samples: int


class StoredSolution(BaseModel):
    """`solution.json`, and the trial of a candidate."""

    status: Status
    solver: StoredIdentity
    objective: float | None
    bound: float | None
    guarantee: Guarantee
    certificate: str | None
    ranges: list[str]
    estimates: list[StoredEstimate] = []
    message: str
    seconds: float
    assumptions: list[str]
    statistics: dict[str, float | None]


class StoredCandidate(BaseModel):
    """`candidates/N.json`."""

    index: NonNegativeInt
    refused: str | None
    diagnostics: list[dict[str, Any]]
    evaluations: dict[str, dict[str, StoredScore]]
    findings: dict[str, list[StoredFinding]] = {}
    trial: StoredSolution | None
    second: StoredSolution | None = None
    formulation: dict[str, Any] | None


class StoredClarification(BaseModel):
    """A question to the user, and the answer; None where nobody answered."""

    question: str
    answer: str | None


class StoredClarifications(RootModel[list[StoredClarification]]):
    """`clarifications.json`."""


SHAPES: dict[str, type[BaseModel]] = {
    "run.json": StoredRun,
    "answer.json": StoredAnswer,
    "selection.json": StoredSelection,
    "classification.json": StoredClassification,
    "solution.json": StoredSolution,
    "clarifications.json": StoredClarifications,
    "candidates": StoredCandidate,
}
"""By file name, or by folder."""
