"""The formulator `llm`: a language model writes candidates and mends them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from orkernel.errors import NoMoreReadings, NoMoreRepairs, PluginError, Refused
from orkernel.formulation.schema import Assumption, Formulation
from orkernel.records import Event
from orkernel_llm.client import Prompt, Reply, client_of
from orkernel_llm.failures import Malformed, excerpt
from orkernel_llm.formulating.budget import budget_of
from orkernel_llm.formulating.clarifying import clarifications
from orkernel_llm.formulating.compact import SCHEMA
from orkernel_llm.formulating.conversion import (
    Unreadable,
    read_compact,
    to_formulation,
    unwrapped,
)
from orkernel_llm.formulating.history import found_lines, history_text, shown
from orkernel_llm.formulating.published import is_published, read_published
from orkernel_llm.formulating.stopping import is_clean, nothing_left, repeated
from orkernel_llm.formulating.tables import tables_text
from orkernel_llm.prompting import render

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.records import Candidate, Problem

FORMULATE = "formulate-1"
REPAIR = "repair-1"
STAGE = "formulate"
LONGEST_ANSWER = 12_000
"""Characters of an unreadable answer that the model is shown again."""
NO_CLARIFICATIONS = "none"
FIRST = "Write the formulation."
MEND = (
    "Write a better candidate: mend every fault that is listed above, and keep what is right. "
    "Read the statement again first: an earlier candidate may lack what nobody has noticed."
)
AFRESH = (
    "Nothing is known against the last candidate. Write the formulation afresh, from the statement "
    "alone and in your own way, so that the two can be compared; do not copy an earlier candidate."
)


class LlmFormulator:
    """Asks the run's language model; see `docs/prompts.md` for what it is told."""

    def formulate(
        self, problem: Problem, history: Sequence[Candidate], ctx: RunContext
    ) -> Formulation:
        """Write the next candidate, with the earlier ones and what is known of them in view.

        Raises:
            NoMoreReadings: Nothing is left to repair and the candidates agree, or the model says
                again what it has said.
            Refused: The model finds no optimisation problem in the statement.
            PluginError: The answer is of no use.
            Unavailable: The model's server does not answer.
            UsageError: The model cannot be asked as it was asked for.
            Cancelled: The user interrupted.
        """
        ends_early = bool(ctx.options.get("stop_early", True))
        if ends_early and (reason := nothing_left(history)) is not None:
            raise NoMoreReadings(reason)
        tables = tables_text(problem.statement, problem.data)
        known = clarifications(problem, tables, ctx)
        messages = render(
            FORMULATE,
            statement=problem.statement,
            tables=tables,
            clarifications="\n".join(known) or NO_CLARIFICATIONS,
            history=history_text(problem, history),
            task=_task(history),
        )
        found = self._read(problem, Prompt(FORMULATE, STAGE, messages, SCHEMA), known, ctx)
        if ends_early and (number := repeated(found, history)) is not None:
            raise NoMoreReadings(f"the model gives candidate {number} again")
        return found

    def repair(self, problem: Problem, candidate: Candidate, ctx: RunContext) -> Formulation:
        """Mend a candidate that the checks refuse.

        Raises:
            NoMoreRepairs: The run has paid for its repairs, or there is nothing to mend.
            PluginError, Unavailable, UsageError, Cancelled: As for `formulate`.
        """
        if candidate.formulation is None or not budget_of(ctx).take():
            raise NoMoreRepairs
        tables = tables_text(problem.statement, problem.data)
        known = clarifications(problem, tables, ctx)
        prompt = _repair_prompt(
            problem, tables, known, shown(candidate.formulation), "\n".join(found_lines(candidate))
        )
        return self._read(problem, prompt, known, ctx)

    def _read(
        self, problem: Problem, prompt: Prompt, known: tuple[str, ...], ctx: RunContext
    ) -> Formulation:
        """The formulation in the model's answer, asked for again while the budget lasts."""
        client = client_of(ctx)
        while True:
            answer = ""
            try:
                reply = client.ask(prompt, ctx)
                answer = reply.text
                return _formulation(reply, known)
            except (Malformed, Unreadable) as error:
                failure = error
                if isinstance(error, Malformed):
                    answer = error.text
            if not budget_of(ctx).take():
                why = failure.why if isinstance(failure, Malformed) else str(failure)
                raise PluginError(
                    f"{client.name}: the answer is no formulation: {excerpt(why, 400)}"
                ) from failure
            ctx.emit(Event("candidate.repairing", STAGE, f"asking again: {excerpt(str(failure))}"))
            tables = tables_text(problem.statement, problem.data)
            prompt = _repair_prompt(
                problem, tables, known, excerpt(answer, LONGEST_ANSWER), str(failure)
            )


def _task(history: Sequence[Candidate]) -> str:
    if not history:
        return FIRST
    return AFRESH if is_clean(history[-1]) else MEND


def _repair_prompt(
    problem: Problem, tables: str, known: tuple[str, ...], answer: str, problems: str
) -> Prompt:
    messages = render(
        REPAIR,
        statement=problem.statement,
        tables=tables,
        clarifications="\n".join(known) or NO_CLARIFICATIONS,
        answer=answer,
        problems=problems,
    )
    return Prompt(REPAIR, STAGE, messages, SCHEMA)


def _formulation(reply: Reply, known: tuple[str, ...]) -> Formulation:
    found = _found(unwrapped(reply.value))
    if not known:
        return found
    said = tuple(Assumption(text=text) for text in known)
    return found.model_copy(update={"assumptions": (*said, *found.assumptions)})


def _found(value: Any) -> Formulation:
    """The formulation in either of the two forms.

    Raises:
        Unreadable: It is in neither.
        Refused: The model says that there is no optimisation problem.
    """
    if is_published(value):
        return read_published(value)
    compact = read_compact(value)
    if compact.refusal.strip() and not compact.variables:
        raise Refused(
            f"the language model finds no optimisation problem: {excerpt(compact.refusal, 400)}",
            fix="say what is to be decided, what limits it, and what is to be largest or smallest",
        )
    found = to_formulation(compact)
    if not compact.refusal.strip():
        return found
    doubt = Assumption(text=f"the language model doubts it: {excerpt(compact.refusal, 400)}")
    return found.model_copy(update={"assumptions": (*found.assumptions, doubt)})
