"""The solver agents of a registry: who takes a model, in which order, and asking them.

An agent that lacks a capability of the model is never asked.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from orkernel.compose import arrange, lacking, route, solve_composed
from orkernel.errors import Cancelled, OrkernelError, PluginError, RefusedError, Unsupported
from orkernel.interrupts import graceful
from orkernel.plugins.catalogue import CATALOGUE, suggested
from orkernel.plugins.containment import contained
from orkernel.records import (
    Capability,
    Classification,
    Guarantee,
    RankedAgent,
    SolverAgentSpec,
)
from orkernel.solution import Solution, Status

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.protocols import Classifier, SolverAgent
    from orkernel.records import Problem
    from orkernel.registry import Registry
    from orkernel.verify import Verification

MOST_NAMES = 3
"""Most variables that a message lists."""


@dataclass(slots=True)
class Agents:
    """The solver agents of a registry, ready to be asked.

    Attributes:
        registry: Where the records come from.
        problem: Passed to every agent.
        ctx: Run context; options are filled in per agent.
        notes: What went wrong with agents on the way, one line each.
    """

    registry: Registry
    problem: Problem
    ctx: RunContext
    notes: list[str] = field(default_factory=list)

    def specs(self) -> Mapping[str, SolverAgentSpec]:
        """All usable solver agents by name, those of last resort left out."""
        return {n: r for n, r in self._usable().items() if not r.last_resort}

    def last_resorts(self, model: Model) -> list[SolverAgentSpec]:
        """The agents of last resort that take the model and can work in this run."""
        return [r for r in self._usable().values() if r.last_resort and takes(r, model)]

    def _usable(self) -> dict[str, SolverAgentSpec]:
        """The agents that can work in this run: with its language model, or without any."""
        return {
            n: r
            for n, r in self.registry.records("solver_agents").items()
            if isinstance(r, SolverAgentSpec)
            and (self.ctx.language_model is not None or not r.needs_language_model)
        }

    def is_last_resort(self, name: str) -> bool:
        """True for an agent that is asked only after all others, or by name."""
        return bool(getattr(self.registry.get("solver_agents", name), "last_resort", False))

    def quick_classifier(self, name: str | None) -> str | None:
        """The classifier itself, or in its place one that asks no language model."""
        records = self.registry.records("classifiers")
        if name is None or not records[name].needs_language_model:
            return name
        return next((n for n, r in records.items() if not r.needs_language_model), None)

    def able(self, model: Model) -> list[SolverAgentSpec]:
        """The agents that take the model, as it is or objective by objective."""
        return [spec for spec in self.specs().values() if takes(spec, model)]

    def exact(self, model: Model) -> list[SolverAgentSpec]:
        """The agents whose guarantee for this model is global."""
        ways = {name: route(spec, model) for name, spec in self.specs().items()}
        return [
            self.specs()[name]
            for name, way in ways.items()
            if way is not None
            and way.guarantee is Guarantee.GLOBAL
            and self._keeps_promise(self.specs()[name], model)
        ]

    def _keeps_promise(self, spec: SolverAgentSpec, model: Model) -> bool:
        """False if the agent itself says that its global guarantee does not reach this model."""
        try:
            promise = getattr(self.registry.resolve(spec), "promise", None)
            if promise is None:
                return True
            own = self.ctx.with_(options=self.registry.options(spec))
            with contained():
                return bool(promise(model, own) is Guarantee.GLOBAL)
        except OrkernelError:
            return False

    def solve(
        self, name: str, model: Model, ctx: RunContext
    ) -> tuple[Solution, list[Verification]]:
        """Let one agent solve the model, composed if it has several objectives.

        Returns:
            The solution, and the check of every single-objective solve it rests on; none if
            the agent was given the model as it is.

        Raises:
            Unsupported: The agent cannot take the model.
            OrkernelError: The agent failed.
            Cancelled: The user interrupted before there was a solution.
        """
        spec = self.registry.get("solver_agents", name)
        assert isinstance(spec, SolverAgentSpec)
        agent: SolverAgent = self.registry.resolve(spec)
        own = ctx.with_(options=self.registry.options(spec))

        def single(stage_model: Model, stage_ctx: RunContext) -> Solution:
            stage_ctx.check_cancelled()
            with contained(), graceful():
                found: object = agent.solve(self.problem, stage_model, stage_ctx)
            if not isinstance(found, Solution):
                raise PluginError(f"it returned {type(found).__name__}, not a Solution")
            return _within_promise(spec, stage_model, found)

        way = route(spec, model)
        if way is None:
            arrange(model.formulation.objectives)
            raise Unsupported("the model", f"it needs {', '.join(lacking(spec, model))}")
        if way.composed:
            return solve_composed(model, single, own, native_front=way.native_front, free=way.free)
        return single(model, own), []


class Panel:
    """The exact agents as one: whoever is quickest is asked, the others where it cannot answer.

    Args:
        agents: The installed agents.
        first: Name of the agent to prefer as long as it is quick.
    """

    QUICK = 0.25
    """Seconds up to which nobody quicker is looked for."""

    def __init__(self, agents: Agents, first: str) -> None:
        self._agents = agents
        self._first = first
        self._seconds = dict.fromkeys(agents.specs(), 0.0)

    def __call__(self, model: Model, ctx: RunContext) -> Solution:
        """The first conclusive answer.

        Raises:
            Unsupported: No exact agent takes the model.
        """
        refusal: OrkernelError = Unsupported("the model", "no exact agent takes it")
        answer: Solution | None = None
        for name in sorted((spec.name for spec in self._agents.exact(model)), key=self._order):
            started = time.perf_counter()
            try:
                answer = self._agents.solve(name, model, ctx)[0]
            except Cancelled:
                raise
            except OrkernelError as error:
                refusal = error
                continue
            finally:
                self._seconds[name] = time.perf_counter() - started
            if answer.status is Status.INFEASIBLE or answer.values is not None:
                return answer
        if answer is None:
            raise refusal
        return answer

    def _order(self, name: str) -> tuple[float, bool, str]:
        return max(self.QUICK, self._seconds[name]), name != self._first, name


def _within_promise(spec: SolverAgentSpec, model: Model, solution: Solution) -> Solution:
    """The solution; one that is only feasible is no stronger than the agent's record promises."""
    promise = spec.promise(model.needs)
    if (
        promise not in (None, Guarantee.GLOBAL)
        and solution.status is Status.FEASIBLE
        and solution.guarantee is Guarantee.GLOBAL
    ):
        return replace(solution, guarantee=promise)
    return solution


def takes(spec: SolverAgentSpec, model: Model) -> bool:
    """True if an agent takes the model, as it is or objective by objective."""
    return route(spec, model) is not None


def classify(
    agents: Agents, model: Model, classifier: str | None, solver: str, ctx: RunContext
) -> Classification:
    """Rank the agents for a model.

    Args:
        agents: The installed agents.
        model: The bound model.
        classifier: Name of the classifier; None ranks by guarantee and name.
        solver: `auto`, or the name of the only agent to try.
        ctx: Run context.

    Raises:
        UnknownName: No such agent or classifier.
        RefusedError: No installed agent, or not the one asked for, takes the model.
    """
    try:
        arrange(model.formulation.objectives)
    except Unsupported as error:
        raise RefusedError(
            f"{error.element}: {error.why}", fix="edit `priority` and `weight` of the objectives"
        ) from error
    able = agents.able(model)
    if solver != "auto":
        spec = agents.registry.get("solver_agents", solver)
        assert isinstance(spec, SolverAgentSpec)
        if not takes(spec, model):
            raise RefusedError(
                f"solver '{solver}' cannot take this model: it lacks "
                f"{', '.join(lacking(spec, model))}",
                fix=alternatives(agents, model, able),
            )
        chosen = (RankedAgent(spec.name, "asked for with --solver"),)
        return Classification(_kind(model), chosen)
    resorts = tuple(
        RankedAgent(
            spec.name,
            "last resort: no other agent takes the model"
            if not able
            else "last resort, if all others fail",
        )
        for spec in agents.last_resorts(model)
    )
    if not able and resorts:
        return Classification(_kind(model), resorts)
    if able and (remedy := _once_whole(agents, model)):
        agents.notes.append(f"no solver agent can prove an answer: {remedy}")
    if not able:
        closest = "; ".join(
            f"{s.name} lacks {', '.join(lacking(s, model))}" for s in agents.specs().values()
        )
        raise RefusedError(
            f"no installed solver agent takes this model, which needs "
            f"{', '.join(sorted(model.needs))}" + (f": {closest}" if closest else ""),
            fix=alternatives(agents, model, able),
        )
    if classifier is None:
        ways = {a.name: way.guarantee for a in able if (way := route(a, model)) is not None}
        order = sorted(ways, key=lambda name: (list(Guarantee).index(ways[name]), name))
        ranked = tuple(RankedAgent(name, f"{ways[name]} guarantee") for name in order)
        return Classification(_kind(model), (*ranked, *resorts))
    spec_c = agents.registry.get("classifiers", classifier)
    chooser: Classifier = agents.registry.resolve(spec_c)
    own = ctx.with_(options=agents.registry.options(spec_c))
    with contained(f"classifier '{classifier}' failed: "):
        answer = chooser.classify(agents.problem, model, able, own)
    if not _well_formed(answer):
        raise PluginError(f"classifier '{classifier}' gave no Classification of RankedAgents")
    names = {a.name for a in able}
    ranked = tuple(a for a in answer.agents if a.name in names)
    for agent in answer.agents:
        if agent.name not in names:
            agents.notes.append(
                f"classifier '{classifier}' named '{agent.name}', which cannot take the model"
            )
    if not ranked:
        raise RefusedError(f"classifier '{classifier}' found no agent for the model")
    return replace(answer, agents=(*ranked, *resorts))


def _well_formed(answer: object) -> bool:
    return (
        isinstance(answer, Classification)
        and isinstance(answer.kind, str)
        and isinstance(answer.agents, tuple | list)
        and all(isinstance(agent, RankedAgent) for agent in answer.agents)
    )


def alternatives(agents: Agents, model: Model, able: Sequence[SolverAgentSpec]) -> str:
    """Who takes the model, or else what to install or change."""
    if able:
        found = f"able to take it: {', '.join(sorted(a.name for a in able))}"
    else:
        names = [name for name in suggested(model.needs) if name not in agents.specs()]
        found = " or ".join(f"`pip install {CATALOGUE[name]}`" for name in names)
    parts = [part for part in (found, _once_whole(agents, model)) if part]
    default = "rewrite the part that needs what they lack, or install another solver plugin"
    return "; ".join(parts) or default


def _once_whole(agents: Agents, model: Model) -> str | None:
    """Which further agents, exact ones, would take the model without its continuous variables.

    None if there are none, or if some exact agent takes the model as it is.
    """
    if Capability.CONTINUOUS not in model.needs or agents.exact(model):
        return None
    needs = model.needs - {Capability.CONTINUOUS} | {Capability.INTEGER}
    names = [
        spec.name
        for spec in agents.specs().values()
        if spec.promise(needs) is Guarantee.GLOBAL and not takes(spec, model)
    ]
    if not names:
        return None
    variables = [v.name for v in model.formulation.variables if v.domain == "continuous"]
    return (
        f"{' and '.join(sorted(names))} can once {_listed(variables)} "
        f"{'is' if len(variables) == 1 else 'are'} integer, if whole numbers will do"
    )


def _listed(names: Sequence[str]) -> str:
    """Names in quotes, at most three of them."""
    if len(names) > MOST_NAMES:
        return f"'{names[0]}' and {len(names) - 1} more variables"
    return " and ".join(", ".join(f"'{n}'" for n in names).rsplit(", ", 1))


def _kind(model: Model) -> str:
    return " ".join(sorted(model.needs))
