"""What is odd about one trial answer, by itself: each oddity caps some dimensions.

A cap is not a proof that the formulation is wrong: some problems are infeasible, and some are best
served by doing nothing. It says how far an answer of that kind can be trusted unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from orkernel.errors import OrkernelError
from orkernel.formulation.elements import elements, stated_numbers
from orkernel.formulation.numbers import find_numbers
from orkernel.model import Model
from orkernel.records import DIMENSIONS
from orkernel.solution import Status
from orkernel_offline.evidence import CAP, NOTHING

if TYPE_CHECKING:
    from orkernel.formulation.schema import Formulation, VariableDefinition
    from orkernel.records import Candidate, Problem
    from orkernel.solution import Vector

NOT_SOLVED = 70.0
"""Without a trial, or with one that found no answer in time, nothing speaks for the answer."""
NOT_FINITE = 20.0
"""An objective that is no finite number: a division by zero or an overflow got through."""
ABSURD = 30.0
"""An objective out of all proportion: as with an unbounded one, a limit or a unit is missing."""
ABSURD_FACTOR = 1e3
"""An objective is absurd beyond this factor times M² times the number of variables, M being the
largest number of statement and formulation. A sum of prices times quantities, both of them
stated, stays below M² per variable; the factor leaves room for units and compounding."""
BELOW_ZERO = 60.0
"""A least cost, time or distance below zero though no number of the statement is negative."""
FRACTIONAL = 70.0
"""A part of a thing where the statement asks how many there are."""
NEGATIVE = 50.0
"""Less than no things where the statement asks how many there are."""

SLACK = 1e-6
"""Below this a value is zero."""
WHOLE = 1e-5
"""Within this of a whole number a value is whole, as in the kernel's check."""
ASKED = re.compile(
    r"\b(?:how many|number of)\s+(?=((?:[a-z][\w-]*\s+){0,3}[a-z][\w-]*))", re.IGNORECASE
)
DIVISIBLE = re.compile(
    r"\b(?:fraction(?:s|al)?|partial(?:ly)?|divisible|need not be (?:whole|integ\w+)|"
    r"(?:can|may) be (?:split|divided)|on average)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[A-Za-z]+")
NEVER_NEGATIVE = re.compile(
    r"\b(?:costs?|expenses?|distance|length|time|duration|makespan|waste|weight|delay)\b",
    re.IGNORECASE,
)
SIGNED = re.compile(
    r"(?<![\w.)])[-−]\s?\d|\b(?:negative|net|refund|less the|minus)\b", re.IGNORECASE
)
VAGUE = frozenset(
    WORD.findall(
        "unit item product piece thing each type kind way total different of the a an to should be "
        "must are is and or in on for per it they we you he she that which all such these those do "
        "does can will would used needed made produced how many number"
    )
)
"""Words after "how many" that name no thing by themselves."""


@dataclass(frozen=True, slots=True)
class Cap:
    """The highest score that some dimensions can have, and why.

    Attributes:
        value: 0–100.
        dimensions: Which ones.
        reason: Why, as a clause.
        fault: True if it is something to be repaired.
    """

    value: float
    dimensions: tuple[str, ...]
    reason: str
    fault: bool = False


def oddities(problem: Problem, candidate: Candidate) -> Iterator[Cap]:
    """Everything odd about the trial answer of a candidate, judged by itself."""
    trial, formulation = candidate.trial, candidate.formulation
    if formulation is None:
        return
    if trial is None:
        yield Cap(NOT_SOLVED, DIMENSIONS, "it was not solved")
        return
    if trial.status in CAP:
        why = f": {trial.message}" if trial.status is Status.ERROR and trial.message else ""
        yield Cap(CAP[trial.status], _GOALS, f"the trial solve ended {trial.status}{why}", True)
    if trial.status is Status.TIME_LIMIT:
        yield Cap(NOT_SOLVED, DIMENSIONS, "the trial solve found no answer in time")
    if trial.objective is not None and not np.isfinite(trial.objective):
        yield Cap(NOT_FINITE, _GOALS, f"the objective is {trial.objective}", True)
    values = trial.values
    if values is None or not np.size(values):
        return
    if not np.any(np.abs(values) > SLACK):
        yield Cap(NOTHING, _GOALS, "every decision of the best plan is zero", True)
    statement = problem.statement or formulation.statement
    yield from _proportion(statement, candidate)
    yield from _sign(statement, candidate)
    yield from _things(statement, problem, formulation, values)


_GOALS = ("objective", "constraints")


# ------------------------------------------------------------------ the objective


def _proportion(statement: str, candidate: Candidate) -> Iterator[Cap]:
    """An objective beyond all proportion to the numbers that it is made of."""
    trial, formulation = candidate.trial, candidate.formulation
    assert trial is not None
    assert formulation is not None
    size = abs(trial.objective) if trial.objective is not None else 0.0
    if any(p.table is not None for p in formulation.parameters) or not np.isfinite(size):
        return
    stated = [m.value for m in find_numbers(statement)]
    stated += [
        abs(n) for _, definition in elements(formulation) for n in stated_numbers(definition)
    ]
    largest = max([10.0, *stated])
    columns = 1 if trial.values is None else max(1, trial.values.size)
    if size > ABSURD_FACTOR * largest * largest * columns:
        yield Cap(
            ABSURD,
            ("parameters", *_GOALS),
            f"an objective of {trial.objective:.4g} is out of proportion to the numbers given, "
            f"the largest of which is {largest:.10g}",
            True,
        )


def _sign(statement: str, candidate: Candidate) -> Iterator[Cap]:
    """A cost below zero."""
    trial, formulation = candidate.trial, candidate.formulation
    assert trial is not None
    assert formulation is not None
    if trial.objective is None or len(formulation.objectives) != 1 or SIGNED.search(statement):
        return
    goal = formulation.objectives[0]
    words = " ".join(
        (goal.name.replace("_", " "), goal.description, *(s.quote for s in goal.sources))
    )
    measured = NEVER_NEGATIVE.search(words)
    if goal.sense == "minimize" and measured and trial.objective < -SLACK:
        yield Cap(
            BELOW_ZERO,
            ("objective",),
            f"a least {measured.group().lower()} of {trial.objective:.6g} is below zero",
            True,
        )


# ------------------------------------------------------------------ things that are counted


def _things(
    statement: str, problem: Problem, formulation: Formulation, values: Vector
) -> Iterator[Cap]:
    """Parts of things, and negative numbers of them, where the statement counts them."""
    point = np.asarray(values, np.float64)
    if not np.any((point < -SLACK) | _is_partial(point)):
        return
    asked = counted_things(statement)
    counting = [
        (v, noun)
        for v in formulation.variables
        if (noun := _noun_of(v, asked) or _counted_in_quote(v))
    ]
    if not counting:
        return
    try:
        model = Model.bind(formulation, problem.data)
    except OrkernelError:
        return
    if len(model.columns) != point.size:
        return
    blocks = {block.name: block for block in model.columns.blocks}
    may_split = DIVISIBLE.search(statement) is not None
    for variable, noun in counting:
        block = blocks[variable.name]
        part = point[block.offset : block.offset + block.size]
        if np.any(part < -SLACK):
            reason = f"'{variable.name}' is {part.min():.6g}, and it counts {noun}"
            yield Cap(NEGATIVE, ("variables",), reason, True)
        partial = part[_is_partial(part)]
        if partial.size and variable.domain == "continuous" and not may_split:
            reason = f"'{variable.name}' is {partial[0]:.6g}, and it counts {noun}"
            yield Cap(FRACTIONAL, ("variables",), reason, True)


def _is_partial(point: Vector) -> Vector:
    """Where a point is no whole number; integer variables keep to 1e-5."""
    return np.asarray(np.abs(point - np.round(point)) > WHOLE)


def counted_things(statement: str) -> dict[str, str]:
    """The things that a statement asks the number of: noun in the singular to noun as written.

    Measures (hours, tons, acres, dollars) are no things: an amount of them can be split.
    """
    if ASKED.search(statement) is None:
        return {}
    from orkernel_offline.english.lexicon import UNITS
    from orkernel_offline.english.morphology import lemma, plural

    found: dict[str, str] = {}
    for match in ASKED.finditer(statement):
        for word in WORD.findall(match.group(1)):
            base = lemma(word.lower())
            if base in VAGUE or word.lower() in VAGUE:
                continue
            if base in UNITS:
                break
            if plural(word.lower()):
                found[base] = word.lower()
                break
    return found


def _counted_in_quote(variable: VariableDefinition) -> str | None:
    """What a variable counts whose own quote asks how many, e.g. "how many of each"."""
    from orkernel_offline.english.lexicon import UNITS
    from orkernel_offline.english.morphology import lemma

    for source in variable.sources:
        for match in ASKED.finditer(source.quote):
            words = [word.lower() for word in WORD.findall(match.group(1))]
            if words[:2] in (["of", "each"], ["of", "them"]) and not any(
                lemma(word) in UNITS for word in WORD.findall((variable.unit or "").lower())
            ):
                return "things: its quote asks how many"
    return None


def _noun_of(variable: VariableDefinition, asked: dict[str, str]) -> str | None:
    """The counted thing that a variable is the number of, by its unit, name or description."""
    from orkernel_offline.english.morphology import lemma

    named = variable.unit or variable.name.replace("_", " ")
    lemmas = {lemma(word.lower()) for word in WORD.findall(named)}
    if not variable.unit:
        lemmas |= counted_things(variable.description).keys()
    return next((noun for base, noun in asked.items() if base in lemmas), None)
