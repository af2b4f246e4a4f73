"""Language models: a formulator, a confidence scorer, a classifier and an isolated code agent."""

from __future__ import annotations

from collections.abc import Iterable

from orkernel import (
    Capability,
    ClassifierSpec,
    FormulatorSpec,
    Guarantee,
    Option,
    ScorerSpec,
    SolverAgentSpec,
    hookimpl,
)

HINT = "pip install orkernel-llm"


@hookimpl
def orkernel_formulators() -> Iterable[FormulatorSpec]:
    """`llm`: formulations written by a language model, repaired with the kernel's findings."""
    yield FormulatorSpec(
        name="llm",
        target="orkernel_llm.formulating.formulator:LlmFormulator",
        options=(
            Option(
                "stop_early",
                bool,
                True,
                "End the loop when nothing is left to repair and the candidates agree.",
            ),
        ),
        requires=("smolagents",),
        install_hint=HINT,
        needs_language_model=True,
        summary="A language model writes candidates and repairs them with what the checks found.",
    )


@hookimpl
def orkernel_confidence_scorers() -> Iterable[ScorerSpec]:
    """`self-confidence`: the language model judges a formulation in four dimensions."""
    yield ScorerSpec(
        name="self-confidence",
        target="orkernel_llm.scoring.scorer:SelfConfidenceScorer",
        requires=("smolagents",),
        install_hint=HINT,
        needs_language_model=True,
        summary="A language model lists findings, then scores each dimension from 0 to 100.",
    )


@hookimpl
def orkernel_classifiers() -> Iterable[ClassifierSpec]:
    """`llm`: the language model ranks the installed agents."""
    yield ClassifierSpec(
        name="llm",
        target="orkernel_llm.dispatching.classifier:LlmClassifier",
        requires=("smolagents",),
        install_hint=HINT,
        needs_language_model=True,
        summary="A language model chooses among the agents that take the model, with reasons.",
    )


@hookimpl
def orkernel_solver_agents() -> Iterable[SolverAgentSpec]:
    """`code`: a language model writes a program that runs in an isolated process."""
    yield SolverAgentSpec(
        name="code",
        target="orkernel_llm.coding.agent:CodeSolverAgent",
        supports=(frozenset(Capability),),
        guarantee=Guarantee.HEURISTIC,
        requires=("smolagents",),
        install_hint=HINT,
        needs_language_model=True,
        last_resort=True,
        summary="A language model writes code that runs isolated; the kernel checks its answer.",
    )
