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

_CERTAIN = frozenset(Capability) - {Capability.MULTI_OBJECTIVE, Capability.RANDOM}
_RANDOM = _CERTAIN | {Capability.RANDOM}


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
        supports=(_CERTAIN, _RANDOM),
        guarantee=Guarantee.HEURISTIC,
        guarantees=(Guarantee.HEURISTIC, Guarantee.SAMPLED),
        options=(
            Option("steps", int, 6, "Most answers of the model."),
            Option("tokens", int, 60_000, "Most tokens of all its prompts and answers together."),
            Option("seconds", float, 60.0, "Longest run of one program, in seconds."),
            Option("memory_mb", int, 2048, "Memory of a program, in MiB."),
            Option(
                "isolation",
                str,
                "auto",
                "What keeps programs from harm.",
                ("auto", "bubblewrap", "landlock"),
            ),
        ),
        check="orkernel_llm.coding.health:check",
        requires=("smolagents",),
        install_hint=HINT,
        needs_language_model=True,
        last_resort=True,
        summary="A language model writes code that runs isolated; the kernel checks its answer.",
    )
