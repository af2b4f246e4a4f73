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
    # src/orkernel_echo/__init__.py
    from orkernel import FormulatorSpec, Option, hookimpl


    @hookimpl
    def orkernel_formulators():
        yield FormulatorSpec(
            name="echo",
            target="orkernel_echo.formulator:EchoFormulator",
            options=(Option("readings", int, default=1, help="Candidates to give."),),
            summary="Reads statements that are formulations already.",
        )
    ```

    ```python
    # src/orkernel_echo/formulator.py
    from orkernel import NoMoreReadings, Refused, load_formulation


    class EchoFormulator:
        def formulate(self, problem, history, ctx):
            if len(history) >= ctx.options["readings"]:
                raise NoMoreReadings
            if not problem.statement.lstrip().startswith("{"):
                raise Refused("the statement is not JSON", [(0, len(problem.statement))])
            return load_formulation(problem.statement)
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
    # src/orkernel_agreement/__init__.py
    from orkernel import ScorerSpec, hookimpl


    @hookimpl
    def orkernel_confidence_scorers():
        yield ScorerSpec(
            name="agreement",
            target="orkernel_agreement.scorer:AgreementScorer",
            compares=True,
            summary="Share of the other candidates with the same trial objective.",
        )
    ```

    ```python
    # src/orkernel_agreement/scorer.py
    from orkernel import DIMENSIONS, Evaluation, Score


    class AgreementScorer:
        def score(self, problem, candidate, peers, ctx):
            solved = [peer.trial.objective for peer in peers if peer.trial is not None]
            mine = candidate.trial.objective if candidate.trial is not None else None
            share = 100 * solved.count(mine) / len(solved) if solved else 50
            score = Score(share, f"{solved.count(mine)} of {len(solved)} agree")
            return Evaluation("agreement", {dimension: score for dimension in DIMENSIONS})
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
    # src/orkernel_latest/__init__.py
    from orkernel import SelectionSpec, hookimpl


    @hookimpl
    def orkernel_selection_rules():
        yield SelectionSpec(
            name="latest",
            target="orkernel_latest.rule:Latest",
            summary="The last candidate that was not refused.",
        )
    ```

    ```python
    # src/orkernel_latest/rule.py
    from orkernel import RefusedError, Selection


    class Latest:
        def select(self, candidates, ctx):
            for candidate in reversed(candidates):
                if not candidate.refused:
                    return Selection(candidate.index, "the latest")
            raise RefusedError("every candidate was refused")
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
    # src/orkernel_alphabetical/__init__.py
    from orkernel import ClassifierSpec, hookimpl


    @hookimpl
    def orkernel_classifiers():
        yield ClassifierSpec(
            name="alphabetical",
            target="orkernel_alphabetical.classifier:Alphabetical",
            summary="Agents in the order of their names.",
        )
    ```

    ```python
    # src/orkernel_alphabetical/classifier.py
    from orkernel import Classification, RankedAgent


    class Alphabetical:
        def classify(self, problem, model, agents, ctx):
            names = sorted(agent.name for agent in agents)
            ranked = tuple(RankedAgent(name, "by its name") for name in names)
            return Classification("unknown", ranked)
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
    # src/orkernel_milp/__init__.py
    from orkernel import Capability, Guarantee, Option, SolverAgentSpec, hookimpl

    LINEAR = frozenset({Capability.CONTINUOUS, Capability.INTEGER, Capability.LINEAR})


    @hookimpl
    def orkernel_solver_agents():
        yield SolverAgentSpec(
            name="milp",
            target="orkernel_milp.agent:MilpAgent",
            supports=(LINEAR,),
            guarantee=Guarantee.GLOBAL,
            options=(Option("presolve", bool, default=True, help="Simplify first."),),
            check="orkernel_milp.agent:check",
            requires=("scipy.optimize",),
            install_hint="pip install scipy",
            summary="Mixed-integer linear programs by scipy.optimize.milp.",
        )
    ```

    ```python
    # src/orkernel_milp/agent.py
    import scipy
    from scipy.optimize import Bounds, LinearConstraint, milp

    from orkernel import Solution, SolverIdentity, Status, Unsupported

    STATUS = {0: Status.OPTIMAL, 1: Status.TIME_LIMIT, 2: Status.INFEASIBLE, 3: Status.UNBOUNDED}


    class MilpAgent:
        def solve(self, problem, model, ctx):
            form = model.linear()
            if len(form.objectives) != 1:
                raise Unsupported("the objectives", "it takes exactly one")
            (objective,) = form.objectives
            sign = -1 if objective.maximize else 1
            limits = {"presolve": ctx.options["presolve"]}
            if ctx.remaining() is not None:
                limits["time_limit"] = ctx.remaining()
            found = milp(
                sign * objective.cost,
                integrality=form.columns.integer,
                bounds=Bounds(form.columns.lower, form.columns.upper),
                constraints=LinearConstraint(form.matrix, form.row_lower, form.row_upper),
                options=limits,
            )
            return Solution(
                status=STATUS.get(found.status, Status.ERROR),
                solver=SolverIdentity("milp", "scipy", scipy.__version__),
                values=found.x,
                objective=None if found.x is None else sign * found.fun + objective.offset,
                message=found.message,
            )


    def check():
        return f"scipy {scipy.__version__}"
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
    # src/orkernel_sceptic/__init__.py
    from orkernel import VerifierSpec, hookimpl


    @hookimpl
    def orkernel_proof_verifiers():
        yield VerifierSpec(
            name="sceptic",
            target="orkernel_sceptic.verifier:Sceptic",
            summary="Believes no proof.",
        )
    ```

    ```python
    # src/orkernel_sceptic/verifier.py
    from orkernel.proof.verdict import Reason, Verdict


    class Sceptic:
        def verify(self, batch, limits, ctx):
            verdict = Verdict(
                outcome=False,
                complete=False,
                tactics=(),
                first_error=None,
                reason=Reason.UNSOLVED_GOALS,
            )
            return [verdict for _ in batch]
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
    # src/orkernel_outcome/__init__.py
    from orkernel import CreditRuleSpec, Option, hookimpl


    @hookimpl
    def orkernel_credit_rules():
        yield CreditRuleSpec(
            name="centred",
            target="orkernel_outcome.credit:Centred",
            options=(Option("scale", float, default=1.0, help="Factor of every advantage."),),
            summary="Outcome minus the group's mean, the same for every token of a proof.",
        )
    ```

    ```python
    # src/orkernel_outcome/credit.py
    import numpy as np


    class Centred:
        def advantages(self, group, spans, entropies=None, *, ctx=None):
            outcome = np.array([verdict.outcome for verdict in group], dtype=float)
            scale = ctx.options["scale"] if ctx is not None else 1.0
            lengths = np.array([len(tokens) for tokens in spans])
            inside = np.arange(lengths.max()) < lengths[:, None]
            return scale * (outcome - outcome.mean())[:, None] * inside
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
    # src/orkernel_greet/__init__.py
    from orkernel import CommandSpec, hookimpl


    @hookimpl
    def orkernel_commands():
        yield CommandSpec(
            name="greet",
            target="orkernel_greet.command:greet",
            summary="Say how many solver agents there are.",
        )
    ```

    ```python
    # src/orkernel_greet/command.py
    import click

    from orkernel.cli.invocation import pass_invocation, plugin_options


    @click.command()
    @plugin_options
    @pass_invocation
    def greet(invocation):
        agents = invocation.registry().records("solver_agents")
        click.echo(f"{len(agents)} solver agents at your service")
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
    # src/orkernel_trace/__init__.py
    from orkernel import ObserverSpec, hookimpl


    @hookimpl
    def orkernel_observers():
        yield ObserverSpec(
            name="trace",
            target="orkernel_trace.observer:Trace",
            summary="Writes every event to stderr.",
        )
    ```

    ```python
    # src/orkernel_trace/observer.py
    import sys


    class Trace:
        def observe(self, event):
            print(f"{event.time:.3f} {event.kind} {event.message}", file=sys.stderr)
    ```

    Versionadded: 0.1
    """
    raise NotImplementedError
