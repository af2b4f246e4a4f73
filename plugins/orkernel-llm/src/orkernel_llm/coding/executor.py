"""Runs an agent's code in a sandbox, and in a fresh one after it had to be stopped."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from smolagents.local_python_executor import CodeOutput, PythonExecutor

from orkernel.context import RunContext
from orkernel.errors import PluginError
from orkernel_llm.coding.hints import was_fenced
from orkernel_llm.failures import excerpt
from orkernel_llm.isolation import Backend, Limits, Sandbox

STOPS = 3
"""How often the sandbox may have to be stopped before the agent is given up."""
BINDING_SECONDS = 30.0
"""Longest time to hand the data of a model over."""


class CodeFailed(Exception):
    """The code raised, or had to be stopped.

    Attributes:
        output: What it printed before.
        error: The exception with its line; empty if it was stopped.
        stopped: Which limit or fence ended the process; empty if it raised.
    """

    def __init__(self, output: str, error: str, stopped: str) -> None:
        super().__init__(stopped or error)
        self.output = output
        self.error = error
        self.stopped = stopped


class SandboxExecutor(PythonExecutor):  # type: ignore[misc]
    """smolagents' interface to an isolated interpreter; state is kept between pieces of code.

    Args:
        backend: What isolates.
        limits: Limits of every interpreter.
        data: The model's data, defined in every fresh interpreter.
        ctx: The run; its deadline and cancellation end the code.

    Attributes:
        stops: Why interpreters had to be stopped, in order.
        fenced: Exceptions that tell of something the isolation does not allow.
        programs: Pieces of code that were run.
    """

    def __init__(
        self,
        backend: Backend,
        limits: Limits,
        data: Mapping[str, Any],
        ctx: RunContext,
    ) -> None:
        self.stops: list[str] = []
        self.fenced: list[str] = []
        self.programs = 0
        self._backend = backend
        self._limits = limits
        self._data = data
        self._ctx = ctx
        self._sandbox: Sandbox | None = None

    def send_tools(self, tools: dict[str, Any]) -> None:
        """Nothing is sent: `final_answer` is part of the sandbox, and there are no other tools."""

    def send_variables(self, variables: dict[str, Any]) -> None:
        """Define variables; plain JSON only."""
        if variables:
            self._ready().put(variables)

    def __call__(self, code_action: str) -> CodeOutput:
        """Run one piece of code.

        Raises:
            CodeFailed: It raised or had to be stopped.
            PluginError: Too many interpreters had to be stopped.
            Cancelled: The user interrupted the run.
        """
        sandbox = self._ready()
        self.programs += 1
        done = sandbox.run(code_action, self._seconds())
        self._ctx.check_cancelled()
        if done.stopped:
            self.stops.append(done.stopped)
            self.close()
        elif was_fenced(done.error):
            self.fenced.append(excerpt(last_line(done.error)))
        if done.error or done.stopped:
            raise CodeFailed(done.output, done.error, done.stopped)
        return CodeOutput(output=done.value, logs=done.output, is_final_answer=done.finished)

    def close(self) -> None:
        """End the interpreter."""
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            sandbox.close()

    cleanup = close

    def _ready(self) -> Sandbox:
        """The interpreter, a fresh one with the model's data if there is none."""
        if self._sandbox is not None and self._sandbox.alive:
            self._sandbox.run(RESTORING, BINDING_SECONDS)
            return self._sandbox
        if len(self.stops) >= STOPS:
            raise PluginError(
                f"the model's programs had to be stopped {len(self.stops)} times, "
                f"the last time because {self.stops[-1]}",
                fix="allow more with -o code.memory_mb=N or -o code.seconds=S, "
                "or take another model",
            )
        self.close()
        sandbox = Sandbox(self._limits, self._backend, self._ctx.cancel)
        self._sandbox = sandbox
        source = files("orkernel_llm.coding").joinpath("prelude.py").read_text("utf-8")
        self._ctx.check_cancelled()
        sandbox.put({"_material": self._data, "_source": source})
        bound = sandbox.run(BINDING, BINDING_SECONDS)
        self._ctx.check_cancelled()
        if bound.error or bound.stopped:
            raise PluginError(
                f"the model's data does not fit into the sandbox: {bound.stopped or bound.error}",
                fix="allow more memory with -o code.memory_mb=N",
            )
        return sandbox

    def _seconds(self) -> float:
        """Longest time of the next piece of code."""
        remaining = self._ctx.remaining()
        limit: float = self._limits.wall_seconds
        return limit if remaining is None else min(limit, max(0.1, remaining))


def last_line(error: str) -> str:
    """The exception itself, below its traceback."""
    lines = error.strip().splitlines()
    return lines[-1] if lines else ""


BINDING = """
import sys as _sys, types as _types
_given = _types.ModuleType("_given")
exec(_source, _given.__dict__)
_given.send = final_answer
_given.bind(_material, globals())
_sys.modules["_given"] = _given
del _source, _material, _given, _sys, _types
from _given import final_answer
"""
"""Defines the data in a fresh interpreter, and lets answers have tuples as keys."""
RESTORING = "from _given import final_answer"
"""Run before every further program, which an earlier one may have left without."""
