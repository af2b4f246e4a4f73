"""From a network to formulations with two index sets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from . import lexicon as lex
from .facts import Span
from .naming import Names, literal, quotes, tidy
from .network import Network, PairLimit, SiteLimit
from .sites import Group

_SUFFIX = {"<=": "limit", ">=": "minimum", "==": "required"}


@dataclass(frozen=True, slots=True)
class NetworkChoice:
    """What the words leave open: whole amounts, strict limits, one of each."""

    whole: bool
    strict: bool
    one_each: bool


def network_choices(network: Network) -> list[NetworkChoice]:
    """The distinct ways to read a network, best first."""
    stricts = [False, True] if network.has_strict else [False]
    if network.assignment:
        pairs = [True, False] if network.one_each else [False]
        return [NetworkChoice(True, strict, one) for one, strict in product(pairs, stricts)]
    divisible = network.good in lex.DIVISIBLE_UNITS
    wholes = [not divisible, divisible]
    return [NetworkChoice(whole, strict, False) for whole, strict in product(wholes, stricts)]


class NetworkAssembler:
    """Builds one formulation of a network under a choice."""

    def __init__(self, statement: str, network: Network, choice: NetworkChoice) -> None:
        self.statement = statement
        self.network = network
        self.choice = choice
        self.names = Names()
        fallback = ("worker", "job") if network.assignment else ("source", "destination")
        self.sets = [
            self.names.give(group.noun, word).upper()
            for group, word in zip(network.groups, fallback, strict=True)
        ]
        self.members = [[name.text for name in group.names] for group in network.groups]
        self.cell = self.names.give(network.kind, "cost")
        self.variable = self.names.give("assign" if network.assignment else "ship", "x")
        self.parameters: list[dict[str, Any]] = []
        self.constraints: list[dict[str, Any]] = []

    def build(self) -> dict[str, Any]:
        """The formulation as a plain dictionary."""
        network = self.network
        self._cells()
        self._site_limits()
        for limit in network.pair_limits:
            self._pair_limit(limit)
        if self.choice.one_each:
            self._one_each()
        first, second = self.sets
        pairs = f"for i in {first} for j in {second}"
        return {
            "schema_version": 1,
            "statement": self.statement,
            "sets": [
                {"name": name, "members": members, "sources": self._sources([group.span])}
                for name, members, group in zip(
                    self.sets, self.members, network.groups, strict=True
                )
            ],
            "parameters": self.parameters,
            "variables": [self._variable()],
            "objectives": [
                {
                    "name": f"total {network.kind}",
                    "sense": network.sense,
                    "expression": f"sum({self.cell}[i,j]*{self.variable}[i,j] {pairs})",
                    "sources": self._sources([network.goal]),
                }
            ],
            "constraints": self.constraints,
            "results": [],
            "assumptions": self._assumptions(),
        }

    def _sources(self, spans: Sequence[Span]) -> list[dict[str, str]]:
        return quotes(self.statement, spans)

    def _variable(self) -> dict[str, Any]:
        domain = "integer" if self.choice.whole else "continuous"
        variable: dict[str, Any] = {
            "name": self.variable,
            "index": self.sets,
            "domain": "binary" if self.network.assignment else domain,
            "lower": 0,
            "sources": self._sources([group.span for group in self.network.groups]),
        }
        if self.network.good:
            variable["unit"] = lex.unit_name(self.network.good)
        return variable

    def _cells(self) -> None:
        first, second = self.members
        cells = self.network.cells
        parameter: dict[str, Any] = {
            "name": self.cell,
            "index": self.sets,
            "value": {
                one: {other: tidy(cells[i, j][0]) for j, other in enumerate(second)}
                for i, one in enumerate(first)
            },
            "sources": self._sources(
                [*self.network.heads, *(span for _, span in sorted(cells.values(), key=_place))]
            ),
        }
        if self.network.unit:
            parameter["unit"] = lex.unit_name(self.network.unit)
        self.parameters.append(parameter)

    def _sum(self, group: int, member: str) -> str:
        """All that one site sends or gets; ``member`` is a letter or a literal."""
        other = self.sets[1 - group]
        inner = f"{self.variable}[{member},k]" if group == 0 else f"{self.variable}[k,{member}]"
        return f"sum({inner} for k in {other})"

    def _site_limits(self) -> None:
        rows: dict[tuple[int, str, bool], list[SiteLimit]] = {}
        for limit in self.network.limits:
            key = (limit.group, limit.sense.op, limit.sense.strict)
            rows.setdefault(key, []).append(limit)
        for (group, op, strict), limits in rows.items():
            self._family(group, op, op[0] if strict and self.choice.strict else op, limits)

    def _family(self, group: int, op: str, written: str, limits: list[SiteLimit]) -> None:
        members = self.members[group]
        spans = [*self.network.heads, *(limit.span for limit in limits)]
        values = {members[limit.index]: tidy(limit.value) for limit in limits}
        one = self.network.assignment and set(values.values()) == {1}
        label = self._label(group, op)
        sources = self._sources(self._noted(spans))
        if len(values) == len(members):
            right = "1" if one else f"{self._limit_name(group, op)}[i]"
            if not one:
                self.parameters.append(
                    {
                        "name": right.removesuffix("[i]"),
                        "index": [self.sets[group]],
                        "value": {member: values[member] for member in members},
                        "sources": self._sources(spans),
                    }
                )
            self.constraints.append(
                {
                    "name": self.names.give(label, "limit"),
                    "for_each": f"i in {self.sets[group]}",
                    "expression": f"{self._sum(group, 'i')} {written} {right}",
                    "sources": sources,
                }
            )
            return
        for member, value in values.items():
            own = self._sources([x.span for x in limits if members[x.index] == member])
            name = self.names.give(f"{member}_{_SUFFIX[op]}", "limit")
            self.parameters.append({"name": name, "value": value, "sources": own})
            self.constraints.append(
                {
                    "name": self.names.give(f"{label}_{member}", "limit"),
                    "expression": f"{self._sum(group, literal(member))} {written} {name}",
                    "sources": own,
                }
            )

    def _noted(self, spans: list[Span]) -> list[Span]:
        return [*spans, *self.network.notes]

    def _label(self, group: int, op: str) -> str:
        if self.network.assignment:
            return f"each_{self.sets[group].lower()}"
        usual = (("<=", "supply"), (">=", "demand"))[group]
        return usual[1] if op == usual[0] else f"{self.sets[group].lower()}_{_SUFFIX[op]}"

    def _limit_name(self, group: int, op: str) -> str:
        usual = (("<=", "available"), (">=", "needed"))[group]
        wanted = usual[1] if op == usual[0] else f"{self.sets[group].lower()}_{_SUFFIX[op]}"
        return self.names.give(wanted, "limit")

    def _pair_limit(self, limit: PairLimit) -> None:
        first, second = (m[k] for m, k in zip(self.members, limit.pair, strict=True))
        strict = limit.sense.strict and self.choice.strict
        op = limit.sense.op[0] if strict else limit.sense.op
        name = self.names.give(f"{first}_{second}_{_SUFFIX[limit.sense.op]}", "limit")
        sources = self._sources([limit.span])
        self.parameters.append({"name": name, "value": tidy(limit.value), "sources": sources})
        flow = f"{self.variable}[{literal(first)},{literal(second)}]"
        self.constraints.append(
            {
                "name": self.names.give(f"{first}_to_{second}", "limit"),
                "expression": f"{flow} {op} {name}",
                "sources": sources,
            }
        )

    def _one_each(self) -> None:
        """The side of a one-to-one assignment that the words leave out."""
        (side,) = {1 - limit.group for limit in self.network.limits}
        self.constraints.append(
            {
                "name": self.names.give(f"each_{self.sets[side].lower()}", "limit"),
                "for_each": f"i in {self.sets[side]}",
                "expression": f"{self._sum(side, 'i')} == 1",
                "sources": self._sources([limit.span for limit in self.network.limits]),
            }
        )

    def _assumptions(self) -> list[dict[str, Any]]:
        found: list[tuple[str, list[str]]] = []
        if not self.network.assignment:
            kind = "whole numbers" if self.choice.whole else "fractions allowed"
            found.append((f"{self.variable}: {kind}", [self.variable]))
        if self.network.has_strict:
            state = "out" if self.choice.strict else "in"
            named = [c["name"] for c in self.constraints]
            found.append((f'"less than" and "more than": equality is {state}', named))
        if self.network.one_each:
            noun = self.sets[1 - self.network.limits[0].group].lower()
            text = "exactly one" if self.choice.one_each else "any number"
            names = [c["name"] for c in self.constraints if c["name"] == f"each_{noun}"]
            found.append((f"each {noun} is chosen by {text}: it is not said", names))
        return [{"text": text, "affects": affects} for text, affects in found]


def _place(cell: tuple[float, Span]) -> Span:
    return cell[1]


def assemble_network(statement: str, network: Network, choice: NetworkChoice) -> dict[str, Any]:
    """Build the formulation of ``network`` under ``choice``."""
    return NetworkAssembler(statement, network, choice).build()


__all__ = ["Group", "NetworkChoice", "assemble_network", "network_choices"]
