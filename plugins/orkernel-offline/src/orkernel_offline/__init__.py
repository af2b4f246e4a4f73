"""A formulator, a confidence scorer and a classifier that need no language model."""

from __future__ import annotations

from collections.abc import Iterable

from orkernel import ClassifierSpec, FormulatorSpec, Option, ScorerSpec, hookimpl


@hookimpl
def orkernel_formulators() -> Iterable[FormulatorSpec]:
    """`offline`: reads written algebra and English word problems."""
    yield FormulatorSpec(
        name="offline",
        target="orkernel_offline.formulator:OfflineFormulator",
        check="orkernel_offline.health:check",
        summary="Reads algebra, LaTeX and English word problems by rules; refuses what it cannot.",
    )


@hookimpl
def orkernel_confidence_scorers() -> Iterable[ScorerSpec]:
    """`evidence`: what the formulation accounts for. `solving`: what solving it shows."""
    yield ScorerSpec(
        name="evidence",
        target="orkernel_offline.evidence:EvidenceScorer",
        summary="Scores what share of the statement's numbers, limits and goals is accounted for.",
    )
    yield ScorerSpec(
        name="solving",
        target="orkernel_offline.agreement:SolvingScorer",
        compares=True,
        second_trial=True,
        summary="Scores agreement of candidates and of two agents, and the sanity of the answer.",
    )


@hookimpl
def orkernel_classifiers() -> Iterable[ClassifierSpec]:
    """`structure`: ranks agents by what the model is."""
    yield ClassifierSpec(
        name="structure",
        target="orkernel_offline.structure:StructureClassifier",
        options=(
            Option(
                "prefer",
                str,
                "",
                "Agents to prefer among equally strong ones, best first; else by structure.",
            ),
        ),
        summary="Ranks agents by guarantee and by what the model's structure asks for.",
    )
