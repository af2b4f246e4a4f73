"""What the object behind each record must offer.

A plugin's classes need not inherit from these; having the method is enough.
A target that is a class is instantiated without arguments, anything else is
used as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from orkernel.context import RunContext
    from orkernel.formulation.schema import Formulation
    from orkernel.model import Model
    from orkernel.proof.verdict import Limits, OracleFailure, ProofTask, Verdict
    from orkernel.records import (
        Candidate,
        Classification,
        Evaluation,
        Event,
        Problem,
        Selection,
        SolverAgentSpec,
    )
    from orkernel.solution import Solution


class Formulator(Protocol):
    """Turns a statement into a formulation."""

    def formulate(
        self, problem: Problem, history: Sequence[Candidate], ctx: RunContext
    ) -> Formulation:
        """Return the next reading of the statement.

        Args:
            problem: What the user gave.
            history: The candidates so far, with diagnostics, trial solution and evaluations.
            ctx: Seed, deadline, options, events.

        Raises:
            Refused: The statement, or a part of it, cannot be read.
            NoMoreReadings: There is no further, different reading.
        """
        ...


class ConfidenceScorer(Protocol):
    """Says how far a candidate can be trusted."""

    def score(
        self,
        problem: Problem,
        candidate: Candidate,
        peers: Sequence[Candidate],
        ctx: RunContext,
    ) -> Evaluation:
        """Return a score in 0–100 with an explanation for each of `DIMENSIONS`.

        Args:
            problem: What the user gave.
            candidate: The candidate, with its diagnostics and trial solution.
            peers: The other candidates so far.
            ctx: Seed, deadline, options, events.
        """
        ...


class SelectionRule(Protocol):
    """Picks one candidate."""

    def select(self, candidates: Sequence[Candidate], ctx: RunContext) -> Selection:
        """Return the index of a candidate that is not refused, and the reason.

        Args:
            candidates: All candidates, refused ones included.
            ctx: Seed, deadline, options, events.
        """
        ...


class Classifier(Protocol):
    """Ranks solver agents for a model."""

    def classify(
        self,
        problem: Problem,
        model: Model,
        agents: Sequence[SolverAgentSpec],
        ctx: RunContext,
    ) -> Classification:
        """Return the kind of model and the agents to try, best first.

        Args:
            problem: What the user gave.
            model: The formulation bound to its data.
            agents: Records of the available agents.
            ctx: Seed, deadline, options, events.
        """
        ...


class SolverAgent(Protocol):
    """Solves a model.

    It may also have `export(model, format) -> str`, and `promise(model, ctx) -> Guarantee`: what
    it promises for this very model, where that is less than its record says (too large to
    enumerate, say). An agent whose promise is not global is not asked for a second opinion.
    """

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        """Return a solution whose values follow the model's column order.

        Args:
            problem: What the user gave.
            model: The formulation bound to its data; its lowered forms are made on demand.
            ctx: Seed, deadline, gap, options, events.

        Raises:
            Unsupported: The agent cannot take an element of the model. No element is ever dropped.
        """
        ...


class Exporter(Protocol):
    """A solver agent that writes the formats named in its record's `exports`."""

    def export(self, model: Model, format: str) -> str:
        """Return the model as text in one of the record's formats.

        Raises:
            Unsupported: The format cannot express an element of the model.
        """
        ...


class ProofVerifier(Protocol):
    """Judges proofs tactic by tactic."""

    def verify(
        self, batch: Sequence[ProofTask], limits: Limits, ctx: RunContext
    ) -> list[Verdict | OracleFailure]:
        """Return one verdict per task, in order. Anything unclear is not a proof.

        Args:
            batch: Statements with their proofs.
            limits: Limits per proof.
            ctx: Seed, deadline, options, events.
        """
        ...


class CreditRule(Protocol):
    """Turns verdicts into advantages."""

    def advantages(
        self,
        group: Sequence[Verdict],
        spans: Sequence[Sequence[tuple[int, int]]],
        entropies: NDArray[np.float64] | None = None,
        *,
        ctx: RunContext | None = None,
    ) -> NDArray[np.float64]:
        """Return advantages, shape `(G, T)`, zero past a proof's last token.

        Args:
            group: The G proofs of one theorem.
            spans: Per proof the character range of every token in the proof text;
                T is the longest proof's number of tokens.
            entropies: Entropy of every token, shape `(G, T)`, in nats; None if unknown.
            ctx: Options; None means the declared defaults.
        """
        ...


class Observer(Protocol):
    """Watches a run; it cannot change anything, and its errors are reported, not raised."""

    def observe(self, event: Event) -> None:
        """Take note of an event; called in the run's own thread, so be quick."""
        ...
