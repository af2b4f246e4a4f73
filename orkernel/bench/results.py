"""What became of one item, whatever the labels say."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from orkernel.errors import ExitCode

if TYPE_CHECKING:
    from orkernel.answer import Answer

ANSWERED = "answered"
NO_SOLUTION = "no solution"
REFUSED = "refused"
FAILED = "failed"
STATES = (ANSWERED, NO_SOLUTION, REFUSED, FAILED)


@dataclass(frozen=True, slots=True)
class Result:
    """One item, answered in one setting.

    Attributes:
        setting: Name of the setting.
        id: The item.
        state: `answered` (a checked answer), `no solution` (checked to be infeasible or
            unbounded), `refused` or `failed`.
        status: Status of the answer.
        why: Reason of a refusal or failure.
        objectives: Values of the objectives by name.
        results: The single figures that the statement asks for besides the objective.
        seconds: Wall-clock seconds.
        solve_seconds: Of them in solvers, trials included.
        timings: Seconds per stage.
        usage: Calls, tokens, cost in USD (None if unknown) and seconds of the language model.
        confidence: Smallest score of the selected candidate, 0 to 100.
        confidences: Its smallest score by scorer.
        run_dir: The run folder, if one is kept.
    """

    setting: str
    id: str
    state: str
    status: str = "error"
    why: str = ""
    objectives: Mapping[str, float] = field(default_factory=dict)
    results: Mapping[str, float] = field(default_factory=dict)
    seconds: float = 0.0
    solve_seconds: float = 0.0
    timings: Mapping[str, float] = field(default_factory=dict)
    usage: Mapping[str, float | None] = field(default_factory=dict)
    confidence: float | None = None
    confidences: Mapping[str, float] = field(default_factory=dict)
    run_dir: str | None = None

    @property
    def overhead(self) -> float:
        """Seconds outside language model and solvers; calls at once may bring it to 0."""
        return max(0.0, self.seconds - self.solve_seconds - (self.usage.get("seconds") or 0.0))

    def to_json(self) -> dict[str, Any]:
        """All fields."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Result:
        """Inverse of `to_json`; further fields are left out.

        Raises:
            ValueError: It is no result.
        """
        known = {name: value[name] for name in cls.__slots__ if name in value}
        texts = ("setting", "id", "state", "status", "why")
        tables = ("objectives", "results", "timings", "usage", "confidences")
        if (
            not {"setting", "id", "state"} <= set(known)
            or any(not isinstance(known.get(name, ""), str) for name in texts)
            or any(not isinstance(known.get(name, {}), dict) for name in tables)
            or known["state"] not in STATES
        ):
            raise ValueError("it is no outcome of a bench")
        return cls(**known)


def measured(setting: str, id: str, answer: Answer, seconds: float) -> Result:
    """The result that an answer is; only what the kernel has verified counts as answered."""
    chosen = answer.candidates[answer.selection.index] if answer.selection else None
    trials = [t for c in answer.candidates for t in (c.trial, c.second) if t is not None]
    state = _state(answer)
    return Result(
        setting=setting,
        id=id,
        state=state,
        status=str(answer.status),
        why=answer.message or ("" if state == ANSWERED else str(answer.status)),
        objectives=dict(answer.objectives) if state == ANSWERED else {},
        results=(
            {n: float(v) for n, v in answer.results.items() if isinstance(v, int | float)}
            if state == ANSWERED
            else {}
        ),
        seconds=seconds,
        solve_seconds=answer.timings.get("solve", 0.0) + sum(t.seconds for t in trials),
        timings=dict(answer.timings),
        usage=dict(answer.usage),
        confidence=chosen.min_confidence if chosen is not None else None,
        confidences=(
            {e.scorer: min(s.value for s in e.scores.values()) for e in chosen.evaluations}
            if chosen is not None
            else {}
        ),
        run_dir=str(answer.run_dir) if answer.run_dir is not None else None,
    )


def _state(answer: Answer) -> str:
    if answer.exit_code is ExitCode.INFEASIBLE_OR_UNBOUNDED:
        return NO_SOLUTION
    if answer.verified and answer.objectives:
        return ANSWERED
    return FAILED if answer.exit_code is ExitCode.BROKEN else REFUSED
