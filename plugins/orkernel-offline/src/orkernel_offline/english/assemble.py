"""From facts to a formulation in the kernel's schema, and to its alternative readings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from . import lexicon as lex
from .facts import Activity, Facts, Goal, Limit, Measure, Relation, Span, Target
from .limits import Sense
from .naming import Names, literal, quotes, tidy

_SUFFIX = {"<=": "limit", ">=": "minimum", "==": "required"}


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to settle what the words leave open.

    Attributes:
        strict_limits: "less than 20" excludes 20.
        strict_comparisons: "more cups than mugs" excludes as many.
        whole: the amounts to decide on are whole numbers.
        preferences: what is only preferred or hoped for binds.
        chosen: each thing is taken once or not at all.
    """

    strict_limits: bool
    strict_comparisons: bool
    whole: bool
    preferences: bool = True
    chosen: bool = False

    @property
    def domain(self) -> str:
        """The domain of the amounts to decide on."""
        if self.chosen:
            return "binary" if self.whole else "continuous"
        return "integer" if self.whole else "continuous"


def choices(facts: Facts) -> list[Choice]:
    """The distinct ways to read ``facts``, best first.

    Counts compared with "more than" or "must exceed" are read strictly first, since among
    whole numbers that is what the words say; every other "less than" and "more than" is first
    read as including the limit.
    """
    whole = facts.stated_whole if facts.stated_whole is not None else not facts.divisible
    limits = any(limit.sense.strict for limit in facts.limits)
    comparisons = any(relation.sense.strict for relation in facts.relations)
    first = Choice(False, comparisons and whole, whole, chosen=facts.selection is not None)
    result = [first]
    if comparisons:
        result.append(replace(first, strict_comparisons=not first.strict_comparisons))
    if limits:
        result.append(replace(first, strict_limits=True))
    if facts.stated_whole is None and not first.chosen:
        result.append(Choice(False, False, not whole))
    if any(relation.preference for relation in facts.relations):
        result.append(replace(first, preferences=False))
    return result


class Assembler:
    """Builds one formulation from the facts under a choice."""

    def __init__(self, statement: str, facts: Facts, choice: Choice) -> None:
        self.statement = statement
        self.facts = facts
        self.choice = choice
        self.names = Names()
        self.members = _member_names(facts.activities)
        self.set_name = self.names.give(_set_word(facts), "item").upper()
        self.variable = self.names.give(_variable_word(choice), "x")
        self.strict_rows: list[str] = []
        self.strict_relations: list[str] = []
        self.measures = [self.names.give(m.name, "measure") for m in facts.measures]
        self.parameters: list[dict[str, Any]] = []
        self.constraints: list[dict[str, Any]] = []

    def build(self) -> dict[str, Any]:
        """The formulation as a plain dictionary."""
        for name, measure in zip(self.measures, self.facts.measures, strict=True):
            self._measure(name, measure)
        for limit in self.facts.limits:
            self._limit(limit)
        for relation in self.facts.relations:
            if self.choice.preferences or not relation.preference:
                self._relation(relation)
        spans = [activity.span for activity in self.facts.activities]
        return {
            "schema_version": 1,
            "statement": self.statement,
            "sets": [
                {
                    "name": self.set_name,
                    "members": self.members,
                    "sources": self._sources([*spans, *self.facts.announced]),
                }
            ],
            "parameters": self.parameters,
            "variables": [self._variable(spans)],
            "objectives": [self._objective(self.facts.goal)],
            "constraints": self.constraints,
            "results": [self._result(goal) for goal in self.facts.results],
            "assumptions": self._assumptions(),
        }

    # -- pieces -------------------------------------------------------------------------

    def _sources(self, spans: Sequence[Span]) -> list[dict[str, str]]:
        return quotes(self.statement, spans)

    def _variable(self, spans: list[Span]) -> dict[str, Any]:
        asked = [self.facts.selection] if self.facts.selection else []
        variable: dict[str, Any] = {
            "name": self.variable,
            "index": [self.set_name],
            "domain": self.choice.domain,
            "lower": 0,
            "sources": self._sources([*spans, *asked]),
        }
        if self.choice.chosen and not self.choice.whole:
            variable["upper"] = 1
        if self.facts.unit is not None:
            variable["unit"] = lex.unit_name(self.facts.unit)
        return variable

    def _measure(self, name: str, measure: Measure) -> None:
        cells, unit = measure.cells, measure.unit
        values = {
            member: cells[index][0] if index in cells else 0.0
            for index, member in enumerate(self.members)
        }
        parameter: dict[str, Any] = {
            "name": name,
            "index": [self.set_name],
            "value": {member: tidy(value) for member, value in values.items()},
            "sources": self._sources([*measure.heads, *(s for _, s, _ in cells.values())]),
        }
        if unit is not None and unit not in {"unit", "unite"}:
            parameter["unit"] = lex.unit_name(unit)
        self.parameters.append(parameter)

    def _scalar(self, name: str, value: float, span: Span) -> str:
        given = self.names.give(name, "limit")
        self.parameters.append(
            {"name": given, "value": tidy(value), "sources": self._sources([span])}
        )
        return given

    def _sum(self, target: Target) -> str:
        """The linear expression of a target."""
        each = f"for i in {self.set_name}"
        if target.kind == "measure":
            return f"sum({self.measures[target.index]}[i]*{self.variable}[i] {each})"
        if target.kind == "total":
            return f"sum({self.variable}[i] {each})"
        return " + ".join(f"{self.variable}[{literal(self.members[i])}]" for i in target.members)

    def _label(self, target: Target) -> str:
        if target.kind == "measure":
            return self.measures[target.index]
        if target.kind == "total":
            return "total"
        return "_and_".join(self.members[index] for index in target.members)

    def _limit(self, limit: Limit) -> None:
        label = self._label(limit.target)
        parameter = self._scalar(f"{label}_{_SUFFIX[limit.sense.op]}", limit.value, limit.span)
        right = parameter if limit.scale == 1.0 else f"{limit.scale:.12g}*{parameter}"
        op = _op(limit.sense, self.choice.strict_limits)
        name = self.names.give(f"{label}_{_verb(limit.sense)}", "limit")
        self.strict_rows += [name] if limit.sense.strict else []
        self.constraints.append(
            {
                "name": name,
                "expression": f"{self._sum(limit.target)} {op} {right}",
                "sources": self._sources([limit.span]),
            }
        )

    def _relation(self, relation: Relation) -> None:
        first, second = self._label(relation.first), self._label(relation.second)
        right = self._sum(relation.second)
        if relation.offset and relation.quantity is not None:
            more = self._scalar(f"{first}_over_{second}", abs(relation.offset), relation.span)
            right = f"{right} {'+' if relation.offset > 0 else '-'} {more}"
        elif relation.quantity is not None:
            share = relation.second.kind == "total"
            wanted = f"{first}_share" if share else f"{first}_to_{second}_ratio"
            factor = self._scalar(wanted, relation.factor, relation.span)
            right = f"{factor}*({right})" if "+" in right else f"{factor}*{right}"
        op = _op(relation.sense, self.choice.strict_comparisons)
        name = self.names.give(f"{first}_versus_{second}", "relation")
        self.strict_relations += [name] if relation.sense.strict else []
        self.constraints.append(
            {
                "name": name,
                "expression": f"{self._sum(relation.first)} {op} {right}",
                "sources": self._sources([relation.span]),
            }
        )

    def _goal_expression(self, goal: Goal) -> str:
        expression = self._sum(goal.target)
        return expression if goal.less is None else f"{expression} - {self._sum(goal.less)}"

    def _objective(self, goal: Goal) -> dict[str, Any]:
        return {
            "name": _goal_name(goal),
            "sense": goal.sense,
            "expression": self._goal_expression(goal),
            "sources": self._sources([goal.span]),
        }

    def _result(self, goal: Goal) -> dict[str, Any]:
        return {
            "name": " ".join(goal.words),
            "expression": self._goal_expression(goal),
            "sources": self._sources([goal.span]),
        }

    # -- assumptions --------------------------------------------------------------------

    def _assumptions(self) -> list[dict[str, Any]]:
        found = [(text, list(affects)) for text, affects in self.facts.assumptions]
        kind = "whole numbers" if self.choice.whole else "fractions allowed"
        if self.facts.stated_whole is None:
            if self.choice.chosen:
                kind = "each is taken once or not at all"
            found.append((f"{self.variable}: {kind}", [self.variable]))
        if any(limit.sense.strict for limit in self.facts.limits):
            found.append((_bound_text("a limit", self.choice.strict_limits), self.strict_rows))
        if any(relation.sense.strict for relation in self.facts.relations):
            found.append(
                (_bound_text("two amounts", self.choice.strict_comparisons), self.strict_relations)
            )
        if any(relation.preference for relation in self.facts.relations):
            state = "binding" if self.choice.preferences else "not binding"
            found.append((f"a stated preference is {state}", []))
        for name, measure in zip(self.measures, self.facts.measures, strict=True):
            missing = [m for i, m in enumerate(self.members) if i not in measure.cells]
            if missing:
                found.append((f"{name} is 0 for {', '.join(missing)}: none is stated", [name]))
        return [
            {"text": text, "affects": [name for name in affects if name != "objective"]}
            for text, affects in found
        ]


def _op(sense: Sense, strict: bool) -> str:
    return sense.op[0] if sense.strict and strict else sense.op


def _bound_text(what: str, strict: bool) -> str:
    return f'"less than" and "more than" of {what}: equality is {"out" if strict else "in"}'


def _verb(sense: Sense) -> str:
    return {"<=": "at_most", ">=": "at_least", "==": "exactly"}[sense.op]


def _variable_word(choice: Choice) -> str:
    if choice.chosen:
        return "take"
    return "number" if choice.whole else "amount"


def _goal_name(goal: Goal) -> str:
    """A label such as "profit"; objectives have names of their own."""
    return re.sub(r"\W+", "_", "_".join(_plain(goal.words)).lower()).strip("_") or "objective"


def _plain(words: Sequence[str]) -> list[str]:
    drop = {"maximum", "minimum", "total", "number", "of"}
    return [word for word in words if word.lower() not in drop][:5]


def _member_names(activities: Sequence[Activity]) -> list[str]:
    names: list[str] = []
    for activity in activities:
        name = activity.name or "item"
        while name in names:
            name += "'"
        names.append(name)
    return names


def _set_word(facts: Facts) -> str:
    shared = frozenset.intersection(*(activity.full for activity in facts.activities))
    shared -= facts.basis
    ordered = [word for word in facts.activities[0].name.lower().split() if word in shared]
    spoken = facts.activities[0].name.split()
    if ordered and not (len(spoken) > 1 and _describes(ordered[-1], spoken)):
        return ordered[-1]
    return facts.classes[0] if facts.classes else "item"


def _describes(word: str, spoken: Sequence[str]) -> bool:
    """ "old wire", "old pipe": the shared word opens a name that ends in a noun of its own."""
    last = spoken[-1]
    label = len(last) < 3 or last[0].isupper() or last.isdigit()
    return spoken[0].lower() == word and not label


def assemble(statement: str, facts: Facts, choice: Choice) -> dict[str, Any]:
    """Build the formulation of ``facts`` under ``choice``."""
    return Assembler(statement, facts, choice).build()


__all__ = ["Choice", "assemble", "choices"]
