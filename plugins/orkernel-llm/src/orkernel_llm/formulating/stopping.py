"""When the loop has nothing left to do."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from orkernel.solution import Status
from orkernel_llm.formulating.conversion import to_compact

if TYPE_CHECKING:
    from orkernel.formulation.schema import Formulation
    from orkernel.records import Candidate
    from orkernel.solution import Solution

AGREEMENT = 1e-6
"""Relative difference of two optima that still counts as agreement."""
BEYOND_REPAIR = frozenset({"units-unchecked"})
"""Codes of warnings that are about the installation, not the formulation."""


def nothing_left(history: Sequence[Candidate]) -> str | None:
    """Why no further candidate is needed, or None if one is.

    Needed are two candidates that agree: the last one with nothing found against it by the
    checks, the scorers and the trial solves, and another one with the same optimum. Fronts,
    local optima and infeasible models are no such agreement.
    """
    if len(history) < 2:
        return None
    last = history[-1]
    if not is_clean(last):
        return None
    assert last.trial is not None
    agreeing = [
        other.index + 1
        for other in history[:-1]
        if not other.refused and other.trial is not None and agree(other.trial, last.trial)
    ]
    if not agreeing:
        return None
    return (
        f"nothing is left to repair in candidate {last.index + 1}, "
        f"and candidate {agreeing[-1]} agrees with it"
    )


def is_clean(candidate: Candidate) -> bool:
    """True if nothing is known against a candidate and its trial solve ends at an optimum."""
    trial = candidate.trial
    if candidate.refused or trial is None or trial.status is not Status.OPTIMAL:
        return False
    if any(d.code not in BEYOND_REPAIR for d in candidate.diagnostics):
        return False
    if any(evaluation.findings for evaluation in candidate.evaluations):
        return False
    is_empty = trial.values is not None and trial.values.size and not trial.values.any()
    second = candidate.second
    return not is_empty and (second is None or agree(second, trial))


def agree(first: Solution, second: Solution) -> bool:
    """True if two solves ended alike, with the same objective where there is one."""
    if first.status is not second.status:
        return False
    if first.objective is None or second.objective is None:
        return first.objective is second.objective
    scale = max(1.0, abs(first.objective), abs(second.objective))
    return abs(first.objective - second.objective) <= AGREEMENT * scale


def repeated(formulation: Formulation, history: Sequence[Candidate]) -> int | None:
    """Number, from 1, of an earlier candidate that says the same in the same words; or None."""
    mine = _said(formulation)
    for candidate in history:
        if candidate.formulation is not None and _said(candidate.formulation) == mine:
            return candidate.index + 1
    return None


def _said(formulation: Formulation) -> str:
    """All that counts in a formulation, its quotes included, without title and assumptions."""
    whole = to_compact(formulation)
    return json.dumps({k: v for k, v in whole.items() if k not in ("title", "assumptions")})
