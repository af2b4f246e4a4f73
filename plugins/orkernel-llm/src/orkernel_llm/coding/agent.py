"""CodeSolverAgent: a language model writes a program, the kernel's check has the last word."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from orkernel.algebra.estimation import estimate
from orkernel.errors import PluginError, Unsupported, UsageError
from orkernel.records import Capability, Guarantee
from orkernel.solution import Solution, SolverIdentity, Status
from orkernel_llm.agent_model import AgentModel
from orkernel_llm.client import client_of
from orkernel_llm.coding.executor import SandboxExecutor
from orkernel_llm.coding.judging import Accepted, Judge
from orkernel_llm.coding.libraries import described, usable
from orkernel_llm.coding.material import Material, material
from orkernel_llm.coding.programmer import Programmer
from orkernel_llm.isolation import Limits, choose_backend
from orkernel_llm.prompting import render

if TYPE_CHECKING:
    from collections.abc import Mapping

    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.records import Problem
    from orkernel_llm.conversation import Message

PROMPT = "code-1"
FLATTERED = (
    "the scenarios that a point was chosen on flatter its objective; the simulated figures come "
    "from independent ones"
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The agent's options.

    Attributes:
        steps: Most answers of the model.
        tokens: Most tokens of all prompts and answers together.
        seconds: Longest run of one program, wall-clock; all of them together may take `steps`
            times as much of the processor's time.
        memory_mb: Memory of a program, in MiB.
        isolation: auto | bubblewrap | landlock.
    """

    steps: int = 6
    tokens: int = 60_000
    seconds: float = 60.0
    memory_mb: int = 2048
    isolation: str = "auto"

    @classmethod
    def of(cls, options: Mapping[str, object]) -> Settings:
        """The settings in a run's options.

        Raises:
            UsageError: A value makes no sense.
        """
        given = {name: options[name] for name in cls.__slots__ if options.get(name) is not None}
        settings = cls(**given)  # type: ignore[arg-type]
        for name in ("steps", "tokens", "seconds", "memory_mb"):
            value = getattr(settings, name)
            if not value > 0:
                raise UsageError(f"option code.{name} is {value}", fix="give a number above 0")
        return settings


class CodeSolverAgent:
    """Lets a language model write programs, which run isolated, until a point holds."""

    def solve(self, problem: Problem, model: Model, ctx: RunContext) -> Solution:
        """Solve a model.

        Args:
            problem: What the user gave; the statement is shown to the model.
            model: One objective or none.
            ctx: Language model, deadline, cancellation, options.

        Returns:
            `feasible` with a heuristic guarantee (sampled with random parameters), whatever the
            program claims; `time_limit` where the time ran out before a point held.

        Raises:
            Unsupported: There are several objectives.
            NoIsolation: There is nothing here that could isolate the programs.
            PluginError: No program gave a point that holds.
            Cancelled: The user interrupted.
            UsageError: No language model, or an option has no sensible value.
        """
        started = time.perf_counter()
        if len(model.formulation.objectives) > 1:
            raise Unsupported("objectives", "programs are written for one objective at a time")
        settings = Settings.of(ctx.options)
        backend = choose_backend(settings.isolation)
        client = client_of(ctx)
        limits = Limits(
            wall_seconds=settings.seconds,
            cpu_seconds=settings.seconds * settings.steps,
            memory_mb=settings.memory_mb,
        )
        given = material(model)
        system, user = _prompt(problem, model, given, settings)
        judge = Judge(model)
        executor = SandboxExecutor(backend, limits, given.data, ctx)
        programmer = Programmer(
            AgentModel(client, ctx, "solve", PROMPT),
            executor,
            judge,
            system.text,
            steps=settings.steps,
            tokens=settings.tokens,
            ctx=ctx,
        )
        who = SolverIdentity("code", client.name, PROMPT)
        try:
            programmer.run(user.text)
        except PluginError:
            if ctx.remaining() != 0.0:
                raise
        finally:
            executor.close()
        story = Story.of(programmer, executor)
        if judge.accepted is not None:
            solution = _solution(model, judge.accepted, who, story, ctx)
        elif ctx.remaining() == 0.0:
            solution = Solution(
                Status.TIME_LIMIT,
                who,
                guarantee=Guarantee.HEURISTIC,
                message=f"the time ran out before a program's answer held: {story}",
            )
        else:
            raise _failure(story, settings)
        return replace(
            solution, seconds=time.perf_counter() - started, statistics=story.statistics()
        )


@dataclass(frozen=True, slots=True)
class Story:
    """What happened while programs were written.

    Attributes:
        steps: Answers of the model.
        tokens: Tokens of all prompts and answers.
        programs: Programs that were run.
        stops: Why programs had to be stopped.
        fenced: What programs tried that the isolation does not allow.
        last: What kept the last program from an answer.
    """

    steps: int
    tokens: int
    programs: int
    stops: tuple[str, ...]
    fenced: tuple[str, ...]
    last: str

    @classmethod
    def of(cls, programmer: Programmer, executor: SandboxExecutor) -> Story:
        """The story so far."""
        return cls(
            steps=programmer.answers,
            tokens=programmer.spent,
            programs=executor.programs,
            stops=tuple(executor.stops),
            fenced=tuple(executor.fenced),
            last=programmer.last,
        )

    def statistics(self) -> dict[str, float]:
        """The numbers of it."""
        return {
            "steps": float(self.steps),
            "programs": float(self.programs),
            "stopped_programs": float(len(self.stops)),
            "tokens": float(self.tokens),
        }

    def __str__(self) -> str:
        last = [f"last: {self.last}"] if self.last else []
        return "; ".join([self.counts(), *last, *self.incidents()])

    def counts(self) -> str:
        """How many programs and steps, in words."""
        return f"{_counted(self.programs, 'program')} in {_counted(self.steps, 'step')}"

    def incidents(self) -> list[str]:
        """What the isolation stopped or refused, one line each."""
        return [
            *(f"a program was stopped: {why}" for why in self.stops),
            *(f"the isolation refused what a program tried: {what}" for what in self.fenced),
        ]


def _counted(count: int, one: str) -> str:
    return f"{count} {one}{'' if count == 1 else 's'}"


def _prompt(
    problem: Problem, model: Model, given: Material, settings: Settings
) -> tuple[Message, Message]:
    system, user = render(
        PROMPT,
        libraries=described(usable(model.needs)),
        seconds=f"{settings.seconds:g}",
        memory=str(settings.memory_mb),
        skeleton=given.skeleton,
        statement=problem.statement.strip() or "(none was given)",
        formulation=given.formulation,
        names=given.names,
    )
    return system, user


def _failure(story: Story, settings: Settings) -> PluginError:
    return PluginError(
        f"no program of the model gave an answer that holds: {story}",
        fix=f"allow more steps than {settings.steps} with -o code.steps=N, or take another model",
    )


def _solution(
    model: Model, accepted: Accepted, who: SolverIdentity, story: Story, ctx: RunContext
) -> Solution:
    """The accepted point as an answer that promises nothing but to be feasible."""
    remarks = (*accepted.remarks, *story.incidents())
    solution = Solution(
        Status.FEASIBLE,
        who,
        values=accepted.values,
        objective=accepted.objective,
        guarantee=Guarantee.HEURISTIC,
        message="; ".join((story.counts(), *remarks)),
        assumptions=remarks,
    )
    if Capability.RANDOM not in model.needs:
        return solution

    def stop() -> bool:
        return ctx.cancelled or ctx.remaining() == 0.0

    simulated = estimate(model, accepted.values, seed=ctx.seed, stop=stop)
    return replace(
        solution,
        guarantee=Guarantee.SAMPLED,
        estimates=simulated.estimates,
        assumptions=(*solution.assumptions, FLATTERED, *simulated.doubts),
    )
