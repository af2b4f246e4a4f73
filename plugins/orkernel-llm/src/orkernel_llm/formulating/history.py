"""What a model is told of the earlier candidates: each fact once, within a bounded length."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from orkernel.records import DIMENSIONS
from orkernel_llm.formulating.conversion import to_compact
from orkernel_llm.scoring.view import trial_text

if TYPE_CHECKING:
    from orkernel.formulation.check import Diagnostic
    from orkernel.formulation.schema import Formulation
    from orkernel.records import Candidate, Evaluation, Problem

LONGEST = 24_000
"""Characters of the whole history; the formulations of the oldest candidates go first."""
LONGEST_VALUE = 1_500
"""Characters of one element's data that are shown."""
MOST_DIAGNOSTICS = 20
"""Diagnostics of one candidate that are shown."""
NONE_YET = "none yet"


def history_text(problem: Problem, history: Sequence[Candidate]) -> str:
    """All earlier candidates, the oldest first."""
    if not history:
        return NONE_YET
    for dropped in range(len(history) + 1):
        text = "\n\n".join(
            _candidate(problem, candidate, is_whole=position >= dropped)
            for position, candidate in enumerate(history)
        )
        if len(text) <= LONGEST:
            return text
    return text[:LONGEST] + "\n(cut for length)"


def _candidate(problem: Problem, candidate: Candidate, *, is_whole: bool) -> str:
    lines = [f"Candidate {candidate.index + 1}"]
    if candidate.formulation is None:
        lines.append(f"could not be used: {candidate.refused}")
        return "\n".join(lines)
    lines.append(shown(candidate.formulation) if is_whole else "(left out for length)")
    lines += found_lines(candidate)
    if not candidate.refused:
        lines.append(f"trial: {trial_text(problem, candidate)}")
    for evaluation in candidate.evaluations:
        lines += _evaluation(evaluation)
    return "\n".join(dict.fromkeys(lines))


def shown(formulation: Formulation) -> str:
    """A formulation in the compact form, long data cut."""
    whole = to_compact(formulation)
    for parameter in whole.get("parameters", ()):
        text = json.dumps(parameter.get("value"), ensure_ascii=False)
        if len(text) > LONGEST_VALUE:
            parameter["value"] = f"{text[:LONGEST_VALUE]}… ({len(text)} characters)"
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"))


def found_lines(candidate: Candidate) -> list[str]:
    """What the checks found, errors first, each once."""
    ordered = sorted(candidate.diagnostics, key=lambda d: d.severity != "error")
    lines = list(dict.fromkeys(_diagnostic(d, candidate.formulation) for d in ordered))
    if candidate.refused and not lines:
        lines.append(f"refused: {candidate.refused}")
    more = len(lines) - MOST_DIAGNOSTICS
    return [*lines[:MOST_DIAGNOSTICS], *([f"and {more} more"] if more > 0 else [])]


def _diagnostic(found: Diagnostic, formulation: Formulation | None) -> str:
    place = ""
    if found.start is not None and found.field == "statement" and formulation is not None:
        place = f" (“{formulation.statement[found.start : found.end]}”)"
    remedy = f"; {found.suggestion}" if found.suggestion else ""
    return f"{found.severity}: {found.element}: {found.message}{place}{remedy}"


def _evaluation(evaluation: Evaluation) -> Iterator[str]:
    scores: dict[str, Any] = dict(evaluation.scores)
    figures = ", ".join(f"{d} {scores[d].value:.0f}" for d in DIMENSIONS)
    yield f"scores of {evaluation.scorer} (0-100): {figures}"
    told = {f.text for f in evaluation.findings}
    for finding in evaluation.findings:
        yield f"open fault ({finding.dimension}): {finding.text}"
    for dimension in DIMENSIONS:
        score = scores[dimension]
        if score.value < 90 and score.explanation and score.explanation not in told:
            yield f"why {dimension} is low: {score.explanation}"
