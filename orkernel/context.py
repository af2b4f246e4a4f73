"""RunContext: all that a plugin's object may know and do besides its arguments."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from orkernel.errors import Cancelled
from orkernel.records import Event, Question
from orkernel.resources import Resources

if TYPE_CHECKING:
    from orkernel.language_model import LanguageModel


def ignore(event: Event) -> None:
    """Where events go when nobody listens."""
    del event


def no_answer(question: Question) -> str | None:
    """What a question gets when nobody is there."""
    del question
    return None


@dataclass(slots=True)
class Ledger:
    """Tokens and cost of the language-model calls of a run; threads may add at once.

    Attributes:
        calls: Number of calls.
        prompt_tokens: Tokens of all prompts.
        completion_tokens: Tokens of all answers.
        cost: USD of the calls whose price is known.
        unpriced: Number of calls whose price is not known.
        seconds: Time spent waiting for the model; calls at once count each.
    """

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    seconds: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)

    def add(
        self,
        *,
        prompt_tokens: int,
        completion_tokens: int,
        cost: float | None = None,
        seconds: float = 0.0,
    ) -> None:
        """Count one call.

        Args:
            prompt_tokens: Tokens of the prompt.
            completion_tokens: Tokens of the answer.
            cost: USD; None where the price is not known.
            seconds: How long the call took.
        """
        with self._lock:
            self.calls += 1
            self.prompt_tokens += prompt_tokens
            self.completion_tokens += completion_tokens
            self.cost += cost or 0.0
            self.unpriced += cost is None
            self.seconds += seconds

    def to_json(self) -> dict[str, float | None]:
        """The `usage` object of `orkernel run --json`; no cost where a call has no known price."""
        return {
            "calls": self.calls,
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.completion_tokens,
            "cost": None if self.unpriced else self.cost,
            "seconds": round(self.seconds, 6),
        }


@dataclass(frozen=True, slots=True)
class RunContext:
    """Handed to every target of a record.

    Attributes:
        seed: Seed of everything random.
        deadline: `time.monotonic()` value after which to stop; None means no limit.
        gap: Relative MIP gap at which a solver may stop; None means its default.
        front_points: Wanted number of points of a Pareto front; None leaves it to the agent.
        options: The record's declared options, converted, defaults filled in.
        folder: Working folder for logs and scratch files; None outside a run.
        emit: Reports an event; cheap, never raises.
        cancel: Set when the user interrupts; long work polls it.
        ask: Puts a question to the user; None when nobody is there to answer.
        ledger: Token and cost counts of the run.
        language_model: Which language model to ask; None when none was chosen.
        resources: What the plugins of a run share, e.g. a client with its connections.
    """

    seed: int = 0
    deadline: float | None = None
    gap: float | None = None
    front_points: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    folder: Path | None = None
    emit: Callable[[Event], None] = ignore
    cancel: threading.Event = field(default_factory=threading.Event)
    ask: Callable[[Question], str | None] = no_answer
    ledger: Ledger = field(default_factory=Ledger)
    language_model: LanguageModel | None = None
    resources: Resources = field(default_factory=Resources)

    @property
    def cancelled(self) -> bool:
        """True once the user has interrupted."""
        return self.cancel.is_set()

    def check_cancelled(self) -> None:
        """Raise `Cancelled` once the user has interrupted."""
        if self.cancel.is_set():
            raise Cancelled

    def remaining(self) -> float | None:
        """Seconds until the deadline (never negative), None without one."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    def with_(self, **changes: Any) -> RunContext:
        """A copy with some fields replaced."""
        return replace(self, **changes)

    def limited(self, seconds: float) -> RunContext:
        """A copy whose deadline is at most `seconds` from now."""
        deadline = time.monotonic() + seconds
        if self.deadline is not None:
            deadline = min(deadline, self.deadline)
        return replace(self, deadline=deadline)
