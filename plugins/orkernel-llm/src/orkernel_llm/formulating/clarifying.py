"""Questions to the user before anything is formulated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError

from orkernel.context import no_answer
from orkernel.errors import PluginError, Unavailable
from orkernel.records import Event, Question
from orkernel_llm.client import Prompt, client_of
from orkernel_llm.prompting import render

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.records import Problem

PROMPT = "clarify-1"
KEY = "orkernel_llm.clarifications"
MOST_QUESTIONS = 3
MOST_CHOICES = 5

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "questions": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "question": {"type": "string"},
                    "choices": {"type": "array", "items": {"type": "string"}},
                    "default": {"type": "string"},
                },
                "required": ["question", "choices", "default"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["questions"],
    "additionalProperties": False,
}


def _list(value: Any) -> Any:
    return [] if value is None else value


class _Question(BaseModel):
    model_config = ConfigDict(extra="ignore")

    question: str
    choices: Annotated[list[str], BeforeValidator(_list)] = []
    default: str = ""


class _Questions(BaseModel):
    model_config = ConfigDict(extra="ignore")

    questions: Annotated[list[_Question], BeforeValidator(_list)] = []


def clarifications(problem: Problem, tables: str, ctx: RunContext) -> tuple[str, ...]:
    """What the user said about the statement's ambiguities, one sentence each.

    Asked once in a run, and only if there is somebody to ask. A question that gets no answer
    becomes the reading that the model would choose. A model that cannot list ambiguities costs no
    more than the call: the run goes on without.

    Raises:
        UsageError: The model cannot be asked as it was asked for.
        Unavailable: Its server does not answer.
        Cancelled: The user interrupted.
    """
    if ctx.ask is no_answer:
        return ()
    return ctx.resources.get(KEY, lambda: _asked(problem, tables, ctx))


def _asked(problem: Problem, tables: str, ctx: RunContext) -> tuple[str, ...]:
    messages = render(PROMPT, statement=problem.statement, tables=tables)
    prompt = Prompt(PROMPT, "formulate", messages, SCHEMA)
    try:
        reply = client_of(ctx).ask(prompt, ctx)
        found = _Questions.model_validate(reply.value)
    except Unavailable:
        raise
    except (PluginError, ValidationError) as error:
        ctx.emit(
            Event("formulator.no_questions", "formulate", f"no questions can be asked: {error}")
        )
        return ()
    return tuple(
        text
        for question in found.questions[:MOST_QUESTIONS]
        if (text := _put(question, ctx)) is not None
    )


def _put(question: _Question, ctx: RunContext) -> str | None:
    words = " ".join(question.question.split())
    if not words:
        return None
    choices = tuple(dict.fromkeys(c.strip() for c in question.choices if c.strip()))
    answer = ctx.ask(Question(words, choices[:MOST_CHOICES]))
    if answer is not None:
        return f"asked: {words} answered: {answer.strip()}"
    default = question.default.strip() or (choices[0] if choices else "")
    return f"asked: {words} not answered; taken: {default}" if default else None
