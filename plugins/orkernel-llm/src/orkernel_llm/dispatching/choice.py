"""What the model has to say about the agents, and how its answer is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orkernel_llm.failures import Malformed, excerpt

KIND_SHOWN = 60
"""Characters of the kind of model."""
REASON_SHOWN = 200
"""Characters of one reason."""


@dataclass(frozen=True, slots=True)
class Choice:
    """The model's choice.

    Attributes:
        kind: What it calls the kind of model; empty where it does not say.
        reasons: The agents that exist, best first, each with its reason.
        unknown: Names that no agent has.
    """

    kind: str
    reasons: Mapping[str, str]
    unknown: tuple[str, ...]


def schema(names: Sequence[str]) -> Mapping[str, Any]:
    """JSON Schema of the answer, for these agents."""
    agent = {
        "type": "object",
        "properties": {
            "reason": {"type": "string"},
            "name": {"type": "string", "enum": list(names)},
        },
        "required": ["reason", "name"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "kind": {"type": "string"},
            "agents": {"type": "array", "items": agent, "maxItems": len(names)},
        },
        "required": ["kind", "agents"],
        "additionalProperties": False,
    }


def read_choice(value: Any, names: Sequence[str], text: str, model: str) -> Choice:
    """Read the model's answer; names count without regard to case and blanks.

    Args:
        value: The JSON value in it.
        names: The agents that may be chosen.
        text: The answer as it came, for the message.
        model: Name of the model, for the message.

    Raises:
        Malformed: It names no agent that may be chosen.
    """
    given = value.get("agents") if isinstance(value, dict) else None
    known = {name.casefold(): name for name in names}
    reasons: dict[str, str] = {}
    unknown: dict[str, None] = {}
    for item in given if isinstance(given, list) else ():
        entry = item if isinstance(item, dict) else {"name": item}
        said = excerpt(_text(entry.get("name")), KIND_SHOWN).strip()
        name = known.get(said.casefold())
        if name is None:
            unknown[said or "(no name)"] = None
        else:
            reasons.setdefault(name, excerpt(_text(entry.get("reason")), REASON_SHOWN))
    if not reasons:
        named = f", only {', '.join(unknown)}" if unknown else ""
        raise Malformed(text, f"it names none of {', '.join(names)}{named}", model=model)
    kind = _text(value.get("kind")) if isinstance(value, dict) else ""
    return Choice(excerpt(kind, KIND_SHOWN), reasons, tuple(unknown))


def _text(value: Any) -> str:
    """A text without control characters; empty for anything else."""
    found = value if isinstance(value, str) else ""
    return "".join(c if c.isprintable() else " " for c in found[:4000])
