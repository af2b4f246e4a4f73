"""The plugin contract: one function per extension point.

A plugin is a module named by an entry point of the group `orkernel`:

```toml
[project.entry-points.orkernel]
example = "orkernel_example"
```

It implements any of these hooks with `@hookimpl`. A hook takes no arguments
and returns (or yields) records. It is called once, when plugins are loaded; so
keep the module light, and name what does the work by an import string, which
is resolved on first use. The order in which hooks run has no influence on
anything: records are keyed by their name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pluggy

if TYPE_CHECKING:
    from orkernel.records import (
        ClassifierSpec,
        CommandSpec,
        CreditRuleSpec,
        FormulatorSpec,
        ObserverSpec,
        ScorerSpec,
        SelectionSpec,
        SolverAgentSpec,
        VerifierSpec,
    )

hookspec = pluggy.HookspecMarker("orkernel")
hookimpl = pluggy.HookimplMarker("orkernel")
"""Marks a function of a plugin as the implementation of the hook of the same name."""


@hookspec
def orkernel_formulators() -> Iterable[FormulatorSpec]:
    """Register formulators: they turn a statement in plain words into a formulation.

    The target has `formulate(problem, history, ctx) -> Formulation`
    (`orkernel.protocols.Formulator`). It raises `Refused` when it cannot read the
    statement and `NoMoreReadings` when it has no further candidate.

    ```python
    from orkernel import FormulatorSpec, Option, hookimpl


    @hookimpl
    def orkernel_formulators():
        yield FormulatorSpec(
            name="echo",
            target="orkernel_echo.formulator:EchoFormulator",
            options=(Option("depth", int, default=2, help="Readings to consider."),),
            summary="Reads statements that are already JSON.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError


@hookspec
def orkernel_confidence_scorers() -> Iterable[ScorerSpec]:
    """Register confidence scorers: they say how far each candidate can be trusted.

    The target has `score(problem, candidate, peers, ctx) -> Evaluation`
    (`orkernel.protocols.ConfidenceScorer`), with a score from 0 to 100 and an
    explanation for each of `parameters`, `variables`, `objective`, `constraints`.

    ```python
    from orkernel import ScorerSpec, hookimpl


    @hookimpl
    def orkernel_confidence_scorers():
        yield ScorerSpec(
            name="agreement",
            target="orkernel_echo.scorer:AgreementScorer",
            compares=True,
            summary="Share of the other candidates with the same optimum.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError


@hookspec
def orkernel_selection_rules() -> Iterable[SelectionSpec]:
    """Register selection rules: they pick one of the candidates.

    The target has `select(candidates, ctx) -> Selection`
    (`orkernel.protocols.SelectionRule`). The index is 0-based and counts refused
    candidates too.

    ```python
    from orkernel import SelectionSpec, hookimpl


    @hookimpl
    def orkernel_selection_rules():
        yield SelectionSpec(
            name="latest",
            target="orkernel_echo.rules:Latest",
            summary="The last candidate that was not refused.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError


@hookspec
def orkernel_classifiers() -> Iterable[ClassifierSpec]:
    """Register classifiers: they rank the solver agents for a model.

    The target has `classify(problem, model, agents, ctx) -> Classification`
    (`orkernel.protocols.Classifier`). An agent that does not support the model's
    structure is never tried, whatever its rank.

    ```python
    from orkernel import ClassifierSpec, hookimpl


    @hookimpl
    def orkernel_classifiers():
        yield ClassifierSpec(
            name="alphabetical",
            target="orkernel_echo.classifier:Alphabetical",
            summary="Agents in the order of their names.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError


@hookspec
def orkernel_solver_agents() -> Iterable[SolverAgentSpec]:
    """Register solver agents: they solve a model.

    The target has `solve(problem, model, ctx) -> Solution`
    (`orkernel.protocols.SolverAgent`). An agent takes a model whose needs are within
    one of the sets in `supports`; it raises `Unsupported(element, why)` for an element
    it cannot take, and never drops one. For the formats in `exports` it also has
    `export(model, format) -> str`.

    ```python
    from orkernel import Capability, Guarantee, Option, SolverAgentSpec, hookimpl


    @hookimpl
    def orkernel_solver_agents():
        yield SolverAgentSpec(
            name="simplex",
            target="orkernel_simplex.agent:SimplexAgent",
            supports=(frozenset({Capability.CONTINUOUS, Capability.LINEAR}),),
            guarantee=Guarantee.GLOBAL,
            exports=frozenset({"lp"}),
            options=(
                Option("threads", int, default=1, help="Threads to use."),
                Option("pricing", choices=("dantzig", "devex"), default="devex"),
            ),
            check="orkernel_simplex.agent:check",
            requires=("simplexlib",),
            install_hint="pip install simplexlib",
            summary="Linear programs by the simplex method.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError


@hookspec
def orkernel_proof_verifiers() -> Iterable[VerifierSpec]:
    """Register proof verifiers: they judge proofs tactic by tactic.

    The target has `verify(batch, limits, ctx) -> list[Verdict | OracleFailure]`
    (`orkernel.protocols.ProofVerifier`). A verifier fails closed: whatever it cannot
    establish is not a proof; its own failure is an `OracleFailure`, never a verdict.

    ```python
    from orkernel import VerifierSpec, hookimpl


    @hookimpl
    def orkernel_proof_verifiers():
        yield VerifierSpec(
            name="lean",
            target="orkernel_prover.verifier:LeanVerifier",
            check="orkernel_prover.verifier:check",
            summary="Lean 4.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError


@hookspec
def orkernel_credit_rules() -> Iterable[CreditRuleSpec]:
    """Register credit rules: they turn verdicts into per-token advantages.

    The target has `advantages(group, spans, entropies=None, *, ctx=None)`, an array of
    shape `(G, T)` (`orkernel.protocols.CreditRule`).

    ```python
    from orkernel import CreditRuleSpec, Option, hookimpl


    @hookimpl
    def orkernel_credit_rules():
        yield CreditRuleSpec(
            name="outcome",
            target="orkernel_prover.credit:Outcome",
            options=(Option("scale", bool, default=True, help="Divide by the deviation."),),
            summary="The same advantage for every token of a proof.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError


@hookspec
def orkernel_commands() -> Iterable[CommandSpec]:
    """Register commands of the `orkernel` command line.

    The target is a click command. `orkernel --help` shows the record's name and summary
    without importing it; a command of the kernel cannot be replaced.

    ```python
    from orkernel import CommandSpec, hookimpl


    @hookimpl
    def orkernel_commands():
        yield CommandSpec(
            name="greet",
            target="orkernel_echo.commands:greet",
            summary="Say hello.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError


@hookspec
def orkernel_observers() -> Iterable[ObserverSpec]:
    """Register observers of events: tracing, progress, telemetry.

    The target has `observe(event)` (`orkernel.protocols.Observer`). It cannot change
    anything, and an exception in it is reported without ending the run.

    ```python
    from orkernel import ObserverSpec, hookimpl


    @hookimpl
    def orkernel_observers():
        yield ObserverSpec(
            name="trace",
            target="orkernel_echo.trace:TraceObserver",
            summary="Writes every event to a file.",
        )
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError
