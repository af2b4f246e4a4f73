"""The solver agents of a registry: who takes a model, in which order, and asking them.

An agent that lacks a capability of the model is never asked.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from orkernel.compose import Stage, solve_composed
from orkernel.errors import PluginError, RefusedError
from orkernel.interrupts import graceful
from orkernel.plugins.containment import contained
from orkernel.records import Capability, Classification, Guarantee, RankedAgent, SolverAgentSpec
from orkernel.solution import Solution

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.protocols import Classifier, SolverAgent
    from orkernel.records import Problem
    from orkernel.registry import Registry


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
        """All usable solver agents by name."""
        records = self.registry.records("solver_agents")
        return {n: r for n, r in records.items() if isinstance(r, SolverAgentSpec)}

    def able(self, model: Model) -> list[SolverAgentSpec]:
        """The agents that support what the model needs."""
        return [spec for spec in self.specs().values() if takes(spec, model)]

    def solve(self, name: str, model: Model, ctx: RunContext) -> tuple[Solution, list[Stage]]:
        """Let one agent solve the model, composed if it has several objectives.

        Raises:
            Unsupported: The agent cannot take the model.
            OrkernelError: The agent failed.
            Cancelled: The user interrupted before there was a solution.
        """
        spec = self.registry.get("solver_agents", name)
        agent: SolverAgent = self.registry.resolve(spec)
        own = ctx.with_(options=self.registry.options(spec))

        def single(stage_model: Model, stage_ctx: RunContext) -> Solution:
            stage_ctx.check_cancelled()
            with contained(), graceful():
                found: object = agent.solve(self.problem, stage_model, stage_ctx)
            if not isinstance(found, Solution):
                raise PluginError(f"it returned {type(found).__name__}, not a Solution")
            return found

        if isinstance(spec, SolverAgentSpec) and composes(spec, model):
            return solve_composed(model, single, own)
        solution = single(model, own)
        return solution, [Stage(model, solution)]


def composes(spec: SolverAgentSpec, model: Model) -> bool:
    """True if several objectives have to be broken up for this agent."""
    return not any(Capability.MULTI_OBJECTIVE in s for s in spec.supports) or _ordered(model)


def _ordered(model: Model) -> bool:
    """True if priorities and weights settle several objectives without a Pareto front."""
    objectives = model.formulation.objectives
    priorities = [o.priority for o in objectives]
    return all(o.weight is not None or priorities.count(o.priority) == 1 for o in objectives)


def needs(model: Model) -> frozenset[Capability]:
    """What an agent must support, after composition of objectives."""
    wanted = model.needs
    return wanted - {Capability.MULTI_OBJECTIVE} if _ordered(model) else wanted


def takes(spec: SolverAgentSpec, model: Model) -> bool:
    """True if the model's needs lie within one of the agent's capability sets."""
    wanted = needs(model)
    return any(wanted <= supported for supported in spec.supports)


def lacking(spec: SolverAgentSpec, model: Model) -> list[str]:
    """What the best-fitting capability set of an agent lacks, for messages."""
    wanted = needs(model)
    gaps = [sorted(wanted - supported) for supported in spec.supports]
    return [str(c) for c in min(gaps, key=len, default=sorted(wanted))]


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
    able = agents.able(model)
    if solver != "auto":
        spec = agents.registry.get("solver_agents", solver)
        if not any(a.name == spec.name for a in able):
            assert isinstance(spec, SolverAgentSpec)
            others = ", ".join(a.name for a in able) or "no installed agent"
            raise RefusedError(
                f"solver '{solver}' cannot take this model: it lacks "
                f"{', '.join(lacking(spec, model))}",
                fix=f"able to take it: {others}",
            )
        chosen = (RankedAgent(spec.name, "asked for with --solver"),)
        return Classification(_kind(model), chosen)
    if not able:
        closest = "; ".join(
            f"{s.name} lacks {', '.join(lacking(s, model))}" for s in agents.specs().values()
        )
        raise RefusedError(
            f"no installed solver agent takes this model, which needs "
            f"{', '.join(sorted(needs(model)))}",
            fix=closest or "install one, e.g. `pip install orkernel-highs`",
        )
    if classifier is None:
        order = sorted(able, key=lambda a: (list(Guarantee).index(a.guarantee), a.name))
        ranked = tuple(RankedAgent(a.name, f"{a.guarantee} guarantee") for a in order)
        return Classification(_kind(model), ranked)
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
    return replace(answer, agents=ranked)


def _well_formed(answer: object) -> bool:
    return (
        isinstance(answer, Classification)
        and isinstance(answer.kind, str)
        and isinstance(answer.agents, tuple | list)
        and all(isinstance(agent, RankedAgent) for agent in answer.agents)
    )


def _kind(model: Model) -> str:
    return " ".join(sorted(model.needs))
