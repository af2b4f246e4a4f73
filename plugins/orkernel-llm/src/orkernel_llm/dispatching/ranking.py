"""The ranking that holds whatever the language model says.

Agents are ranked by how strong their answer for this very model is; the language model only orders
agents of equal strength. An exact agent never stands behind a heuristic one because of a whim: a
weaker guarantee is the user's choice (`--solver NAME`), not the model's. Agents that it leaves out
follow the others of their strength, by name, so that none is lost.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from orkernel.compose import route
from orkernel.records import Guarantee, RankedAgent

if TYPE_CHECKING:
    from orkernel.model import Model
    from orkernel.records import SolverAgentSpec


def strengths(model: Model, agents: Sequence[SolverAgentSpec]) -> dict[str, Guarantee]:
    """The guarantee that each agent gives for a model, the strongest first, then by name.

    Agents that cannot take the model are left out.
    """
    ways = {agent.name: way for agent in agents if (way := route(agent, model)) is not None}
    order = sorted(ways, key=lambda name: (list(Guarantee).index(ways[name].guarantee), name))
    return {name: ways[name].guarantee for name in order}


def is_open(strength: Mapping[str, Guarantee]) -> bool:
    """Whether there is anything to choose: two agents of equal strength."""
    return any(count > 1 for count in Counter(strength.values()).values())


def by_strength(strength: Mapping[str, Guarantee], why: str) -> tuple[RankedAgent, ...]:
    """The ranking without a language model.

    Args:
        strength: As `strengths` gives it.
        why: Why there is none, as a clause.
    """
    return tuple(
        RankedAgent(name, f"{guarantee} guarantee; {why}") for name, guarantee in strength.items()
    )


def merged(
    strength: Mapping[str, Guarantee], said: Mapping[str, str], note: str = ""
) -> tuple[RankedAgent, ...]:
    """The ranking with a language model's order among equally strong agents.

    Args:
        strength: As `strengths` gives it.
        said: The agents that the model named, best first, with its reasons.
        note: Added to the first reason.
    """
    order = list(said)
    levels = list(Guarantee)
    ranked = sorted(
        strength,
        key=lambda n: (levels.index(strength[n]), order.index(n) if n in said else len(order), n),
    )
    return tuple(
        RankedAgent(
            name,
            f"{strength[name]} guarantee; {said.get(name) or 'not named by the language model'}"
            + (f"; {note}" if note and place == 0 else ""),
        )
        for place, name in enumerate(ranked)
    )
