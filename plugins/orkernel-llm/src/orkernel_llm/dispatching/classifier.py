"""The classifier `llm`: the language model orders the agents that take the model.

It is shown the original statement, so that what the formulation does not say (how often it will be
solved, how exact it has to be) may count; `ranking` in this package says what it may decide.
Where there is nothing to decide it is not asked; where it fails, the ranking goes by guarantee and
name, and says so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from orkernel.errors import PluginError
from orkernel.records import Classification, Event
from orkernel_llm.client import Prompt, client_of
from orkernel_llm.dispatching.choice import Choice, read_choice, schema
from orkernel_llm.dispatching.ranking import by_strength, is_open, merged, strengths
from orkernel_llm.failures import excerpt
from orkernel_llm.prompting import render

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Guarantee, Problem, SolverAgentSpec

PROMPT = "dispatch-1"
REASON_SHOWN = 160
"""Characters of a failure that a reason quotes."""


class LlmClassifier:
    """Asks the run's language model whom to ask."""

    def classify(
        self,
        problem: Problem,
        model: Model,
        agents: Sequence[SolverAgentSpec],
        ctx: RunContext,
    ) -> Classification:
        """Rank the agents that take the model.

        Raises:
            UsageError: There is no language model, or the user has to change something.
            Cancelled: The user interrupted.
        """
        strength = strengths(model, agents)
        kind = " ".join(sorted(model.needs))
        if not is_open(strength):
            why = "nothing to choose, as no two agents are equally strong"
            return Classification(kind, by_strength(strength, why))
        known = {agent.name: agent for agent in agents}
        try:
            choice = _asked(problem, model, [known[name] for name in strength], strength, ctx)
        except PluginError as error:
            why = f"the language model gave no ranking: {excerpt(error.message, REASON_SHOWN)}"
            ctx.emit(Event("classify.fallback", "classify", why))
            return Classification(kind, by_strength(strength, why))
        note = ""
        if choice.unknown:
            note = f"the language model also named {', '.join(choice.unknown)}, not to be had here"
            ctx.emit(Event("classify.dropped", "classify", note, {"names": list(choice.unknown)}))
        return Classification(choice.kind or kind, merged(strength, choice.reasons, note))


def _asked(
    problem: Problem,
    model: Model,
    agents: Sequence[SolverAgentSpec],
    strength: Mapping[str, Guarantee],
    ctx: RunContext,
) -> Choice:
    """The model's choice.

    Raises:
        PluginError: It did not answer, or not with an agent of the list.
    """
    names = [agent.name for agent in agents]
    messages = render(
        PROMPT,
        statement=problem.statement or model.formulation.statement,
        structure=structure_text(model),
        agents="\n".join(
            f"- {agent.name} ({strength[agent.name]} guarantee): {agent.summary or 'no summary'}"
            for agent in agents
        ),
    )
    client = client_of(ctx)
    reply = client.ask(Prompt(PROMPT, "classify", messages, schema(names)), ctx)
    return read_choice(reply.value, names, reply.text, client.name)


def structure_text(model: Model) -> str:
    """The structure report in lines: needs, classes of the parts, sizes."""
    found = model.structure
    sizes = ", ".join(f"{name} {size}" for name, size in sorted(found.sizes.items()))
    lines = [
        f"needs: {', '.join(sorted(model.needs))}",
        f"objectives: {_classes(found.objective_class)}",
        f"constraints: {_classes(found.constraint_class)}",
        f"sizes: {sizes}",
    ]
    if found.convex is not None:
        lines.append("convex" if found.convex else "not convex")
    return "\n".join(lines)


def _classes(classes: Mapping[str, str]) -> str:
    return ", ".join(sorted(set(classes.values()))) or "none"
