"""What counts as right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from orkernel.bench.labels import Label
from orkernel.bench.results import ANSWERED, NO_SOLUTION, Result
from orkernel.bench.tolerance import WHOLE, Tolerance

BY_STATUS = "status"
"""The rule that scores `infeasible` and `unbounded`."""
_NOISE = """
a an and at be by can for from get he in is it its of on or per she should that the their
they this to we will with you your total overall number amount value maximum minimum maximal
minimal maximized minimized maximised minimised maximize minimize maximise minimise max min
largest smallest highest lowest greatest least optimal best
"""
NOISE = frozenset(_NOISE.split())
"""Words that do not tell one figure from another."""
DEFAULT_TOLERANCE = Tolerance("rel", 1e-4)


@dataclass(frozen=True, slots=True)
class Rules:
    """How figures are compared where a label brings no rule of its own.

    Attributes:
        tolerance: For all figures.
        whole: Whether a label that is a whole number is compared after rounding the figure.
    """

    tolerance: Tolerance = DEFAULT_TOLERANCE
    whole: bool = False


@dataclass(frozen=True, slots=True)
class Score:
    """What one label says about one result.

    Attributes:
        verdict: right | wrong | unscored (answered, but no figure to compare) | refused |
            failed.
        found: The figure found, or the status that was claimed; None without an answer.
        label: The figure or status in the file.
        figure: Which figure was compared: `objective NAME` or `result NAME`.
        rule: How: `rel:R`, `abs:A`, `whole` or `status`.
        fault: Why the label is known to be wrong.
    """

    verdict: str
    found: float | str | None = None
    label: float | str | None = None
    figure: str = ""
    rule: str = ""
    fault: str = ""

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)


def score(result: Result, label: Label, rules: Rules) -> Score:
    """Compare a result with a label.

    A checked claim that there is no solution is right if the label says so in the same word,
    and wrong if the label is a figure.
    """
    if result.state not in (ANSWERED, NO_SOLUTION):
        return Score(result.state, None, label.value, fault=label.fault)
    name, found = _figure(result, label.key)
    if label.value is None or found is None:
        return Score("unscored", found, label.value, name, fault=label.fault)
    if isinstance(label.value, str) or isinstance(found, str):
        verdict = "right" if found == label.value else "wrong"
        return Score(verdict, found, label.value, name, BY_STATUS, label.fault)
    rule = label.tolerance or rules.tolerance
    if label.tolerance is None and rules.whole and label.value.is_integer():
        rule = Tolerance(WHOLE)
    verdict = "right" if rule.accepts(found, label.value) else "wrong"
    return Score(verdict, found, label.value, name, str(rule), label.fault)


def _figure(result: Result, key: str | None) -> tuple[str, float | str | None]:
    """The figure that a label's name means, with what it is.

    The result or else the objective whose name says the same; else the only result, since
    the statement asks for that; else the only objective.
    """
    if result.state == NO_SOLUTION:
        return BY_STATUS, result.status
    results, objectives = result.results, result.objectives
    for kind, figures in (("result", results), ("objective", objectives)):
        if key is not None and (name := named(key, figures)) is not None:
            return f"{kind} {name}", figures[name]
    for kind, figures in (("result", results), ("objective", objectives)):
        if len(figures) == 1:
            ((name, value),) = figures.items()
            return f"{kind} {name}", value
    return "", None


def named(key: str, figures: Mapping[str, float]) -> str | None:
    """The one name that says the same as a key, but for case, order and words like "total"."""
    wanted = _words(key)
    alike = [name for name in figures if wanted and _words(name) == wanted]
    return alike[0] if len(alike) == 1 else None


def _words(text: str) -> frozenset[str]:
    spaced = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    words = frozenset(re.findall(r"[^\W_]+", spaced.casefold())) - NOISE
    return frozenset(w.removesuffix("s") if len(w) > 3 else w for w in words)
