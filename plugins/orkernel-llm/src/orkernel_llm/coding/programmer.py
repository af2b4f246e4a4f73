"""The agent that writes programs: smolagents' loop with our words, parser and judge."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from smolagents import CodeAgent
from smolagents.agents import ActionOutput
from smolagents.memory import ActionStep, TaskStep
from smolagents.models import ChatMessage, MessageRole, Model
from smolagents.monitoring import LogLevel
from smolagents.utils import extract_code_from_text

from orkernel.context import RunContext
from orkernel.errors import PluginError
from orkernel.records import Event
from orkernel_llm.client import estimate_tokens
from orkernel_llm.coding.executor import CodeFailed, SandboxExecutor, last_line
from orkernel_llm.coding.hints import hint, uncalled
from orkernel_llm.coding.judging import Judge
from orkernel_llm.failures import Malformed, Truncated, excerpt

OBSERVED = 4000
"""Most characters of output that the model is shown, head and tail."""
FENCES = (
    (r"```[ \t]*(?i:python3?|py)[ \t]*\r?\n", r"\n[ \t]*```"),
    (r"<code>", r"</code>"),
    (r"```[ \t]*\r?\n", r"\n[ \t]*```"),
)
"""Opening and closing marks of code as models write them, the surest first."""
NO_CODE = (
    "There is no Python code in your answer. Answer with one code block:\n"
    "```python\n# your program\n```"
)


class Programmer(CodeAgent):  # type: ignore[misc]
    """Writes a program, runs it, corrects it by what the judge says, until its answer holds.

    Args:
        model: Whom to ask.
        executor: Where the code runs.
        judge: Says what is wrong with an answer.
        system: The system prompt.
        steps: Most answers of the model.
        tokens: Most tokens of all prompts and answers together.
        ctx: For events and cancellation.

    Attributes:
        answers: Answers of the model so far.
        last: What happened last that kept the agent from an answer, in one line.
    """

    def __init__(
        self,
        model: Model,
        executor: SandboxExecutor,
        judge: Judge,
        system: str,
        *,
        steps: int,
        tokens: int,
        ctx: RunContext,
    ) -> None:
        self._system = system
        self._judge = judge
        self._tokens = tokens
        self._ctx = ctx
        self._begun = _tokens(ctx)
        self.answers = 0
        self.last = ""
        super().__init__(
            tools=[],
            model=model,
            executor=executor,
            max_steps=steps,
            verbosity_level=LogLevel.OFF,
            code_block_tags="markdown",
        )

    @property
    def spent(self) -> int:
        """Tokens of all prompts and answers so far."""
        return _tokens(self._ctx) - self._begun

    def initialize_system_prompt(self) -> str:
        """Our own prompt, taken literally."""
        return self._system

    def provide_final_answer(self, task: str) -> ChatMessage:
        """Nothing: once the steps are used up, a guess of the model is worth no call."""
        del task
        return ChatMessage(role=MessageRole.ASSISTANT, content="")

    def write_memory_to_messages(self, summary_mode: bool = False) -> list[ChatMessage]:
        """The conversation, every answer and every observation once.

        An answer that was cut or empty is left out: models copy what they see themselves say.
        """
        del summary_mode
        messages = [_message(MessageRole.SYSTEM, self._system)]
        for step in self.memory.steps:
            if isinstance(step, TaskStep):
                messages.append(_message(MessageRole.USER, step.task))
            elif isinstance(step, ActionStep) and step.observations is not None:
                if step.model_output is None:
                    messages[-1].content[0]["text"] += f"\n\n{step.observations}"
                    continue
                messages.append(_message(MessageRole.ASSISTANT, str(step.model_output)))
                messages.append(_message(MessageRole.USER, step.observations))
        return messages

    def _step_stream(self, memory_step: ActionStep) -> Iterator[ActionOutput]:
        """One answer of the model: its code is run, its result judged."""
        messages = self.write_memory_to_messages()
        memory_step.model_input_messages = messages
        self._stay_within_budget(messages)
        self.answers += 1
        try:
            reply = self.model.generate(messages)
        except Truncated:
            self.last = "the model's answer was cut at its limit of tokens"
            told = (
                "Your last answer was too long and was cut. Write a short program, without prose."
            )
        except Malformed as error:
            self.last = f"the model's answer was of no use: {error.why}"
            told = NO_CODE
        else:
            memory_step.model_output = reply.content
            memory_step.token_usage = reply.token_usage
            told = self._acted(memory_step, reply.content)
        accepted = self._judge.accepted
        left = self.max_steps - self.step_number
        memory_step.observations = f"{told}\n\n{_left(left)}"
        self._ctx.emit(
            Event(
                "solver.step",
                "solve",
                f"step {self.step_number} of {self.max_steps}: "
                + (self.last if accepted is None else "the answer holds"),
            )
        )
        yield ActionOutput(output="", is_final_answer=accepted is not None)

    def _acted(self, memory_step: ActionStep, text: str) -> str:
        """Run the code in an answer; what the model is told about it."""
        code = code_in(text)
        if code is None:
            self.last = f"the model wrote no code: {excerpt(text, 80)!r}"
            return NO_CODE
        memory_step.code_action = code
        try:
            done = self.python_executor(code)
        except CodeFailed as error:
            self.last = excerpt(
                f"the program was stopped: {error.stopped}"
                if error.stopped
                else f"the program failed: {last_line(error.error)}"
            )
            return _failed(error, hint(error.error, code))
        printed = f"Output:\n{shortened(done.logs)}" if done.logs.strip() else "No output."
        if not done.is_final_answer:
            self.last = "the program did not call final_answer"
            return f"{printed}\n\n{uncalled(code)}"
        wrong = self._judge.examine(done.output)
        if wrong:
            self.last = wrong.replace("\n", " ")
        return f"{printed}\n\nThe answer was checked and refused: {wrong}"

    def _stay_within_budget(self, messages: list[ChatMessage]) -> None:
        """Raise where there is no time, or where the next call would go beyond the tokens."""
        if self._ctx.remaining() == 0.0:
            raise PluginError("there is no time left for another program")
        coming = estimate_tokens(sum(len(m.content[0]["text"]) for m in messages))
        if self.spent + coming > self._tokens:
            raise PluginError(
                f"the budget of {self._tokens} tokens is used up at step {self.step_number}"
                + (f"; last: {self.last}" if self.last else ""),
                fix="allow more with -o code.tokens=N",
            )


def _tokens(ctx: RunContext) -> int:
    return ctx.ledger.prompt_tokens + ctx.ledger.completion_tokens


def code_in(text: str) -> str | None:
    """The Python code in an answer; several blocks follow one another. None if there is none."""
    closed = text if text.count("```") % 2 == 0 else f"{text}\n```"
    for fences in FENCES:
        found: str | None = extract_code_from_text(closed, fences)
        if found and found.strip():
            return found
    return text if _is_program(text) else None


def _is_program(text: str) -> bool:
    """True for text that is Python and does something, unlike a word that happens to be a name."""
    try:
        body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return any(
        not (isinstance(node, ast.Expr) and not isinstance(node.value, ast.Call)) for node in body
    )


def shortened(text: str) -> str:
    """Head and tail of a long output."""
    if len(text) <= OBSERVED:
        return text
    half = OBSERVED // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n… ({left_out} characters left out) …\n{text[-half:]}"


def _failed(failure: CodeFailed, advice: str) -> str:
    parts = [f"Output:\n{shortened(failure.output)}"] if failure.output.strip() else []
    if failure.stopped:
        parts.append(
            f"The program was stopped: {failure.stopped}. The next one starts afresh: the model's "
            "data is defined, everything else is gone."
        )
    else:
        parts.append(f"The program failed:\n{shortened(failure.error)}")
    if advice:
        parts.append(advice)
    return "\n\n".join(parts)


def _left(steps: int) -> str:
    if steps <= 0:
        return "No answers left."
    return f"{steps} {'answer' if steps == 1 else 'answers'} left. Answer with one code block."


def _message(role: MessageRole, text: str) -> ChatMessage:
    return ChatMessage(role=role, content=[{"type": "text", "text": text}])
