"""The classifier `structure`: which agents fit a model, from its structure report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from orkernel.compose import route
from orkernel.records import (
    Capability,
    Classification,
    Guarantee,
    RankedAgent,
    SolverAgentSpec,
)

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem


def kind_of(model: Model) -> str:
    """The usual name of the model's class, e.g. `LP`, `MIP`, `convex QP`, `MINLP`."""
    needs = model.needs
    integer = "I" if Capability.INTEGER in needs else ""
    if Capability.RANDOM in needs:
        name = "stochastic"
    elif Capability.NONLINEAR in needs:
        name = f"M{integer}NLP" if integer else "NLP"
    elif Capability.QUADRATIC_CONSTRAINT in needs:
        name = f"M{integer}QCP" if integer else "QCP"
    elif Capability.QUADRATIC_OBJECTIVE in needs:
        name = f"M{integer}QP" if integer else "QP"
    elif {Capability.LOGICAL, Capability.PIECEWISE} & needs or integer:
        name = "MIP"
    else:
        name = "LP"
    if name.endswith(("QP", "QCP")):
        name = f"{'nonconvex' if Capability.NONCONVEX in needs else 'convex'} {name}"
    if Capability.MULTI_OBJECTIVE in needs:
        name = f"multi-objective {name}"
    return name


def guarantee_for(agent: SolverAgentSpec, model: Model) -> Guarantee:
    """What an agent can promise for a model; the weakest there is if it cannot take it."""
    way = route(agent, model)
    return list(Guarantee)[-1] if way is None else way.guarantee


class StructureClassifier:
    """Ranks by guarantee, then by preference, then by name."""

    def classify(
        self,
        problem: Problem,
        model: Model,
        agents: Sequence[SolverAgentSpec],
        ctx: RunContext,
    ) -> Classification:
        """Rank the agents that support the model.

        Args:
            problem: Not used.
            model: The bound model.
            agents: Records of the agents; those that lack a capability are left out.
            ctx: Its option `prefer` orders equally strong agents.
        """
        del problem
        prefer = [n.strip() for n in str(ctx.options.get("prefer") or "").split(",") if n.strip()]
        strengths = list(Guarantee)

        able = [agent for agent in agents if route(agent, model) is not None]

        def rank(agent: SolverAgentSpec) -> tuple[int, int, str]:
            preference = prefer.index(agent.name) if agent.name in prefer else len(prefer)
            return strengths.index(guarantee_for(agent, model)), preference, agent.name

        kind = kind_of(model)
        sizes = model.structure.sizes
        size = f"{sizes['columns']} columns, {sizes['rows']} rows"
        ranked = tuple(
            RankedAgent(agent.name, f"{kind} ({size}): {guarantee_for(agent, model)} guarantee")
            for agent in sorted(able, key=rank)
        )
        return Classification(kind, ranked)
