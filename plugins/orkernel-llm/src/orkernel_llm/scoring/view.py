"""What the scoring model is shown: a formulation in few words, and what is known about it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from orkernel.errors import OrkernelError
from orkernel.formulation.elements import GROUPS, Definition
from orkernel.formulation.schema import VariableDefinition
from orkernel.model import Model

if TYPE_CHECKING:
    from orkernel.formulation.schema import Formulation
    from orkernel.records import Candidate, Problem
    from orkernel.solution import Solution

DATA_SHOWN = 600
"""Characters of the data of one element; what is longer was read by rules, not by a model."""
QUOTE_SHOWN = 240
"""Characters of one quote."""
MOST_DIAGNOSTICS = 25
"""Diagnostics that are shown."""
MOST_VALUES = 40
"""Values of variables that are shown."""

_FACTS = (
    *("index", "members", "range", "value", "default", "table", "expression", "distribution"),
    *("for_each", "sense", "priority", "weight", "domain", "lower", "upper", "unit"),
    "description",
)


def formulation_text(formulation: Formulation) -> str:
    """Every element on a line of its own, with its quotes below it."""
    return "\n".join(_formulation(formulation))


def _formulation(formulation: Formulation) -> Iterator[str]:
    for group in GROUPS:
        found = getattr(formulation, group)
        if found:
            yield f"{group}:"
        for definition in found:
            yield from _element(definition)
    for number, assumption in enumerate(formulation.assumptions):
        if number == 0:
            yield "assumptions:"
        affected = f" (affects {', '.join(assumption.affects)})" if assumption.affects else ""
        yield f"- {_cut(assumption.text, DATA_SHOWN)}{affected}"


def _element(definition: Definition) -> Iterator[str]:
    given = definition.model_dump(mode="json", exclude_defaults=True, exclude={"sources"})
    if isinstance(definition, VariableDefinition):
        given.setdefault("domain", definition.domain)
        given.setdefault("lower", definition.lower)
    facts = (f"{key}={_value(given[key])}" for key in _FACTS if key in given)
    yield f"- {definition.name}: {', '.join(facts)}"
    for source in definition.sources:
        mark = "" if source.start is not None else " (NOT in the statement)"
        yield f"    quotes “{_cut(source.quote, QUOTE_SHOWN)}”{mark}"
    if not definition.sources:
        yield "    quotes nothing"


def _value(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return _cut(text, DATA_SHOWN)


# ------------------------------------------------------------------ what is known about it


def diagnostics_text(candidate: Candidate) -> str:
    """The findings of the kernel's checks, errors first."""
    found = candidate.diagnostics
    if not found:
        return "none: names, indices, data, units and quotes pass every check"
    lines = [f"- {d.severity}: {d.element}: {_cut(d.message, DATA_SHOWN)}" for d in found]
    more = len(lines) - MOST_DIAGNOSTICS
    return "\n".join([*lines[:MOST_DIAGNOSTICS], *([f"- and {more} more"] if more > 0 else [])])


def trial_text(problem: Problem, candidate: Candidate) -> str:
    """How the trial solves ended, with the plan that was found."""
    if candidate.trial is None:
        return "not solved"
    lines = [_ended("", candidate.trial)]
    if candidate.second is not None:
        lines.append(_ended("a second solver: ", candidate.second))
    if candidate.formulation is not None:
        lines.extend(_plan(problem, candidate.formulation, candidate.trial))
    return "\n".join(lines)


def _ended(who: str, solution: Solution) -> str:
    value = f", objective {solution.objective:.10g}" if solution.objective is not None else ""
    said = f" ({_cut(solution.message, QUOTE_SHOWN)})" if solution.message else ""
    return f"{who}{solution.status}{value}{said}"


def _plan(problem: Problem, formulation: Formulation, trial: Solution) -> Iterator[str]:
    """Values of the variables that are not zero, and the figures asked for."""
    if trial.values is None:
        return
    try:
        model = Model.bind(formulation, problem.data)
        columns = np.flatnonzero(np.abs(trial.values) > 1e-9)
        shown = [f"{model.columns.label(int(c))}={trial.values[c]:.8g}" for c in columns]
        results = model.results(trial.values)
    except (OrkernelError, ValueError, IndexError):
        return
    more = len(shown) - MOST_VALUES
    end = f", and {more} more" if more > 0 else ""
    yield f"plan: {', '.join(shown[:MOST_VALUES]) or 'every variable is zero'}{end}"
    for name, value in results.items():
        yield f"result {name}: {_value(value)}"


def _cut(text: str, length: int) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else f"{line[:length]}… ({len(line) - length} more)"
