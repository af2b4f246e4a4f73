"""Write `docs/capabilities.md`: which solver agent takes what, from the agents' records.

python docs/generate_capabilities.py            with every plugin of the project installed
"""

from __future__ import annotations

from pathlib import Path

from orkernel.config import Config
from orkernel.plugins.catalogue import CATALOGUE
from orkernel.records import Capability, SolverAgentSpec
from orkernel.registry import Registry

PAGE = Path(__file__).parent / "capabilities.md"
HEAD = """# Capabilities of the solver agents

Written by `python docs/generate_capabilities.py` from the records of the plugins.

An agent takes a model if everything that the model needs lies within *one* of the agent's
capability sets; it refuses any other. The first table gives the strongest guarantee with which
an agent takes a capability in some set. The second lists the sets, each with its guarantee:
what an agent promises is for every model of the set. One that promises less than `global` may still
prove a single model, as numpy does where a model is convex, and then its answer says so.
"""


def agents() -> list[SolverAgentSpec]:
    """The project's solver agents that are installed, by name."""
    records = Registry.load(Config()).records("solver_agents").values()
    return [r for r in records if isinstance(r, SolverAgentSpec) and r.name in CATALOGUE]


def page() -> str:
    """The whole page."""
    specs = agents()
    header = ["capability", *(spec.name for spec in specs)]
    rows = [[str(c), *(_strongest(spec, c) for spec in specs)] for c in Capability]
    return "\n".join([HEAD, _table(header, rows), "", "## Sets", "", *map(_sets, specs)])


def _strongest(spec: SolverAgentSpec, capability: Capability) -> str:
    promise = spec.promise(frozenset({capability}))
    return "—" if promise is None else str(promise)


def _sets(spec: SolverAgentSpec) -> str:
    guarantees = spec.guarantees or (spec.guarantee,) * len(spec.supports)
    order = list(Capability)
    lines = [
        f"- {guarantee}: {', '.join(sorted(map(str, needs), key=order.index))}"
        for needs, guarantee in zip(spec.supports, guarantees, strict=True)
    ]
    return f"**{spec.name}**: {spec.summary}\n\n" + "\n".join(lines) + "\n"


def _table(header: list[str], rows: list[list[str]]) -> str:
    rule = ["---"] * len(header)
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [header, rule, *rows])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"wrote {PAGE.name}: {', '.join(spec.name for spec in agents())}")
