"""Wording shared by the terminal and the HTML report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orkernel.answer import CHECKED
from orkernel.records import Guarantee
from orkernel.solution import Evidence, Status

if TYPE_CHECKING:
    from orkernel.answer import Answer
    from orkernel.solution import Estimate


def figure(value: float | None) -> str:
    """A number for people: ten digits at most, no trailing zeros, no minus zero.

    None is a figure that cannot be computed, such as a division by zero.
    """
    if value is None:
        return "undefined"
    text = f"{value:.10g}"
    return "0" if text == "-0" else text


STATUS_WORDS = {
    Status.OPTIMAL: "optimal",
    Status.FEASIBLE: "feasible",
    Status.INFEASIBLE: "infeasible: no answer satisfies all of the statement",
    Status.UNBOUNDED: "unbounded: the objective can be improved without end",
    Status.INFEASIBLE_OR_UNBOUNDED: "infeasible or unbounded: the solver could not tell which",
    Status.PARETO_FRONT: "Pareto front",
    Status.TIME_LIMIT: "time limit reached before any solution was found",
    Status.ILL_POSED: "refused",
    Status.ERROR: "no checked answer",
}


HEADLINE_RESULTS = 3
"""Figures asked for that the first line names; the table below it has all."""


def headline(answer: Answer) -> str:
    """One line: status, figures asked for, objective, whether it was checked."""
    text = STATUS_WORDS[answer.status]
    for name, value in list(answer.results.items())[:HEADLINE_RESULTS]:
        if isinstance(value, int | float):
            text += f" · {name} = {figure(value)}"
    if answer.objective is not None:
        text += f" · {next(iter(answer.objectives))} = {figure(answer.objective)}"
    if answer.status is Status.PARETO_FRONT:
        count = len(answer.pareto)
        text += f" · {count} point{'s' * (count != 1)}"
        if answer.guarantee is not None and answer.guarantee is not Guarantee.GLOBAL:
            text += f" · {answer.guarantee} search, not proven efficient"
        else:
            text += ", each proven efficient"
    if answer.status is Status.FEASIBLE:
        if answer.gap is not None:
            text += f" · gap {answer.gap:.2%}"
        if answer.guarantee is not None and answer.guarantee is not Guarantee.GLOBAL:
            text += f" · {answer.guarantee} answer, not proven optimal"
    return text


def evidence_words(answer: Answer) -> str:
    """What was checked and by whom; empty without a solver."""
    if answer.solver is None:
        return ""
    named = f"{answer.solver.name} {answer.solver.version}".strip()
    solver = f"{answer.solver.agent} ({named})"
    if not answer.verified:
        return f"answer of {solver}, not verified"
    parts = []
    if answer.max_violation is not None and answer.status in CHECKED:
        parts.append(
            "feasibility and objective recomputed by the kernel, largest violation "
            f"{answer.max_violation:.1e}"
        )
    claim = {
        Status.OPTIMAL: "optimality",
        Status.INFEASIBLE: "infeasibility",
        Status.UNBOUNDED: "unboundedness",
    }.get(answer.status)
    if claim and answer.evidence is not None:
        parts.append(
            {
                Evidence.CERTIFICATE: f"{claim} proven by a certificate that the kernel checked",
                Evidence.SECOND_AGENT: f"{claim} confirmed by a second, independent solver",
                Evidence.SOLVER_CLAIM: f"{claim} as claimed by the solver",
            }[answer.evidence]
        )
    return f"solved by {solver}; " + "; ".join(parts)


NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def conflict_words(answer: Answer) -> str:
    """What an infeasible subset is, e.g. `These three sentences cannot hold together`.

    Bounds and integrality that no sentence states are named beside the sentences.
    """
    members = answer.iis or ()
    quotes = {quote for member in members for quote in member.quotes}
    unsaid = [member.label for member in members if not member.quotes]
    spoken = bool(quotes) and all(m.quotes for m in members if m.kind == "constraint")
    count, noun = (len(quotes), "sentence") if spoken else (len(members), "condition")
    beside = f" (with {', '.join(unsaid[:4])}{', …' if len(unsaid) > 4 else ''})"
    beside = beside if spoken and unsaid else ""
    if not answer.iis_minimal:
        text = f"Among these {noun}s some cannot hold together{beside}"
        return f"{text}, not reduced to the fewest"
    if count == 1:
        return f"This {noun} cannot hold{beside}"
    number = NUMBERS[count] if count < len(NUMBERS) else str(count)
    return f"These {number} {noun}s cannot hold together{beside}"


def estimate_words(estimate: Estimate) -> str:
    """A confidence interval, e.g. `95 %: 12.1 to 12.9`."""
    level = f"{100 * estimate.level:.4g} %"
    return f"{level}: {estimate.low:.6g} to {estimate.high:.6g}"


def finding_lines(answer: Answer) -> list[str]:
    """The open faults that scorers see in the chosen candidate, one line each."""
    if answer.selection is None:
        return []
    chosen = answer.candidates[answer.selection.index]
    return [f"{f.dimension}: {f.text} ({e.scorer})" for e in chosen.evaluations for f in e.findings]


def usage_words(answer: Answer) -> str:
    """Calls, tokens and cost of the language model in one line; empty if none was asked."""
    usage = answer.usage
    calls = int(usage.get("calls") or 0)
    if not calls:
        return ""
    tokens = int(usage["prompt_tokens"] or 0) + int(usage["completion_tokens"] or 0)
    cost = usage.get("cost")
    price = "cost not known" if cost is None else f"${cost:.4g}"
    return f"language model: {calls} call{'s' if calls > 1 else ''}, {tokens:,} tokens, {price}"
