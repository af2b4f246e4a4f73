"""The classifier `structure`: which agents fit a model, from its structure report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orkernel.compose import Route, route
from orkernel.records import Capability as C
from orkernel.records import Classification, Guarantee, RankedAgent, SolverAgentSpec
from orkernel_offline.kinds import GLOBALS, is_front, kind_of

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem

__all__ = ["StructureClassifier", "kind_of"]

LARGE = 20_000
"""From so many columns on, conditions over whole numbers go to branch and cut first."""


@dataclass(frozen=True, slots=True)
class Fit:
    """Who is made for a class of models.

    Attributes:
        agents: Names, best first; all others come after them.
        why: What in the model makes them so.
    """

    agents: tuple[str, ...]
    why: str


def fit_of(model: Model) -> Fit:
    """Whom the structure of a model suits among equally strong agents, and why."""
    needs = model.needs
    sizes = model.structure.sizes
    found = [str(c) for c in GLOBALS if c in needs]
    whole = C.CONTINUOUS not in needs
    conditions = sorted(str(c) for c in (C.LOGICAL, C.PIECEWISE) if c in needs)
    if C.RANDOM in needs:
        return Fit(("numpy",), "random parameters call for simulation")
    if found:
        return Fit(
            ("ortools", "numpy"), f"{' and '.join(found)}: global constraints are propagated"
        )
    if C.NONLINEAR in needs:
        return Fit(("pyomo", "numpy", "pymoo"), "smooth nonlinear functions")
    if C.NONCONVEX in needs and whole:
        return Fit(("ortools", "pyomo"), "products of whole numbers")
    if {C.NONCONVEX, C.QUADRATIC_CONSTRAINT} & needs:
        return Fit(("pyomo", "ortools"), "products of variables")
    if C.QUADRATIC_OBJECTIVE in needs:
        return Fit(("highs", "pyomo"), "a convex quadratic objective over linear rows")
    if conditions and whole and sizes["columns"] < LARGE:
        return Fit(
            ("ortools", "highs", "pyomo"),
            f"{' and '.join(conditions)} over whole numbers only: propagated without big-M",
        )
    if conditions:
        return Fit(
            ("highs", "pyomo", "ortools"), f"{' and '.join(conditions)} in linear integer form"
        )
    if C.INTEGER in needs:
        return Fit(("highs", "ortools", "pyomo"), "linear with whole numbers: branch and cut")
    return Fit(("highs", "pyomo"), "linear: simplex, with dual values")


class StructureClassifier:
    """Ranks by guarantee, then by the user's preference, then by fit, then by name."""

    def classify(
        self,
        problem: Problem,
        model: Model,
        agents: Sequence[SolverAgentSpec],
        ctx: RunContext,
    ) -> Classification:
        """Rank the agents that take the model.

        Args:
            problem: Not used.
            model: The bound model.
            agents: Records of the agents; those that lack a capability are left out.
            ctx: Its option `prefer` orders equally strong agents.
        """
        del problem
        prefer = [n.strip() for n in str(ctx.options.get("prefer") or "").split(",") if n.strip()]
        fit = fit_of(model)
        ways = {a.name: way for a in agents if (way := route(a, model)) is not None}
        strengths = list(Guarantee)

        def rank(name: str) -> tuple[int, int, int, str]:
            return (
                strengths.index(ways[name].guarantee),
                _place(name, prefer),
                _place(name, fit.agents),
                name,
            )

        order = sorted(ways, key=rank)
        kind = kind_of(model)
        sizes = model.structure.sizes
        head = f"{kind} ({sizes['columns']} columns, {sizes['rows']} rows)"
        reasons = _Reasons(model, fit, ways, order, frozenset(prefer))
        ranked = tuple(RankedAgent(name, f"{head}: {reasons.of(name)}") for name in order)
        return Classification(kind, ranked)


def _place(name: str, names: Sequence[str]) -> int:
    return names.index(name) if name in names else len(names)


@dataclass(frozen=True, slots=True)
class _Reasons:
    """Puts into words why an agent stands where it does."""

    model: Model
    fit: Fit
    ways: dict[str, Route]
    order: Sequence[str]
    preferred: frozenset[str]

    def of(self, name: str) -> str:
        """Why this agent, next to the others."""
        way = self.ways[name]
        parts = [self._front(name) if is_front(self.model) else self._single(name)]
        if name in self.preferred:
            parts.append("preferred by the option `prefer`")
        if way.guarantee is Guarantee.GLOBAL:
            parts.append("global guarantee")
        return "; ".join(parts)

    def _front(self, name: str) -> str:
        way = self.ways[name]
        exact = [n for n in self.order if self.ways[n].guarantee is Guarantee.GLOBAL]
        if way.guarantee is not Guarantee.GLOBAL:
            text = f"{_count(self.model)} objectives: only samples the front ({way.guarantee})"
            return f"{text}; {exact[0]} computes it exactly" if exact else text
        how = "exact front" if way.native_front else "exact ε-constraint front"
        others = [n for n in self.order if n not in exact]
        text = f"{self._shape()} with {_count(self.model)} objectives: {how} through {name}"
        return f"{text}; {' and '.join(others)} would only sample it" if others else text

    def _shape(self) -> str:
        needs = self.model.needs
        return "linear" if not needs - _LINEAR else self.fit.why.partition(":")[0]

    def _single(self, name: str) -> str:
        way = self.ways[name]
        first = self.order[0]
        if way.guarantee is not self.ways[first].guarantee:
            return f"{way.guarantee} guarantee, weaker than that of {first}"
        if name == min(self.order, key=lambda n: (_place(n, self.fit.agents), n)):
            text = self.fit.why
        elif name in self.fit.agents:
            text = "takes the model as well"
        else:
            text = "takes the model, though it is not made for its kind"
        if way.guarantee is not Guarantee.GLOBAL:
            text += f"; {way.guarantee} guarantee, no installed agent gives a stronger one"
        return text


_LINEAR = frozenset({C.CONTINUOUS, C.INTEGER, C.LINEAR, C.MULTI_OBJECTIVE})


def _count(model: Model) -> str:
    number = len(model.formulation.objectives)
    words = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return words[number] if number < len(words) else str(number)
