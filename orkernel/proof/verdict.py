"""What a proof verifier answers and a credit rule consumes; standard library only.

Offsets count characters of the submitted proof text.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a verdict came out as it did."""

    OK = "ok"
    TACTIC_ERROR = "tactic_error"
    UNSOLVED_GOALS = "unsolved_goals"
    PARSE_ERROR = "parse_error"
    TIMEOUT = "timeout"
    FORBIDDEN = "forbidden"
    ORACLE_FAILURE = "oracle_failure"


@dataclass(frozen=True, slots=True)
class ProofTask:
    """One proof to judge: the theorem's statement, and the proof text for it."""

    statement: str
    proof: str


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits per proof.

    Attributes:
        seconds: Wall-clock limit.
        memory_mb: Memory limit in MiB; None leaves it to the verifier.
        heartbeats: Limit of the prover's own work counter; None leaves it to the verifier.
    """

    seconds: float = 15.0
    memory_mb: int | None = None
    heartbeats: int | None = None


@dataclass(frozen=True, slots=True)
class Tactic:
    """One tactic of a proof.

    Attributes:
        start: Offset of its first character.
        end: Offset past its last character.
        kind: Syntax kind in the prover's own words.
        depth: Nesting depth, 0 at the top.
        parent: Position of the enclosing tactic in `Verdict.tactics`, or None.
        status: `ok`, `error` or `not_reached`.
        goals_before: Goals as printed by the prover.
        goals_after: Goals as printed by the prover.
        message: The prover's error message; empty without one.
    """

    start: int
    end: int
    kind: str
    depth: int
    parent: int | None
    status: str
    goals_before: tuple[str, ...] = ()
    goals_after: tuple[str, ...] = ()
    message: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement of one proof.

    Attributes:
        outcome: True only for a complete proof of the given statement.
        complete: True if the prover saw the whole proof.
        tactics: In order of `start`.
        first_error: Position in `tactics` of the first failing tactic, or None.
        reason: Why.
    """

    outcome: bool
    complete: bool
    tactics: tuple[Tactic, ...]
    first_error: int | None
    reason: Reason


@dataclass(frozen=True, slots=True)
class OracleFailure:
    """The verifier itself failed; this is not a failed proof and earns no reward.

    Attributes:
        message: What happened.
        attempts: How often it was tried.
    """

    message: str
    attempts: int = 1
