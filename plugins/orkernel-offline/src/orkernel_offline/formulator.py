"""The formulator `offline`: its k candidates are its alternative readings, best first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from orkernel.errors import NoMoreReadings, Refused
from orkernel.formulation.load import parse_formulation
from orkernel.records import Event
from orkernel_offline import english, written
from orkernel_offline.reading import Reading, Unreadable

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.formulation.schema import Formulation
    from orkernel.records import Candidate, Problem

ALTERNATIVE = "alternative reading: "
"""Marks an assumption that the first reading does not make."""


class OfflineFormulator:
    """Reads a statement once and hands out its readings one by one.

    Attributes:
        examples: Statements that it reads; the conformance kit tries them.
    """

    examples: ClassVar[Sequence[str]] = (
        "A joiner makes stools and shelves. Each stool earns $20 and each shelf earns $30. A stool "
        "takes 1 hour and a shelf takes 2 hours. There are 40 hours available. At most 15 shelves "
        "can be made. How many of each should be made to maximize profit?",
        "maximize 3 x + 5 y\nsubject to\nx + 2 y <= 14\n3 x - y >= 0\nx - y <= 2\nx, y >= 0",
        "\\min 4 a + 3 b \\quad \\text{s.t.} \\quad a + b \\ge 6, \\; a \\le 4, \\; a, b \\ge 0",
    )

    def formulate(
        self, problem: Problem, history: Sequence[Candidate], ctx: RunContext
    ) -> Formulation:
        """The reading number `len(history)`.

        Raises:
            Refused: No reader understands the statement; says which part.
            NoMoreReadings: All readings have been handed out.
        """
        readings = read(problem.statement)
        if len(history) >= len(readings):
            raise NoMoreReadings
        reading = readings[len(history)]
        ctx.emit(
            Event(
                "formulator.reading",
                "formulate",
                f"reading {len(history) + 1} of {len(readings)}: {reading.label}",
                {"trace": str(reading.trace)},
            )
        )
        value = {**reading.formulation, "statement": problem.statement}
        if history:
            value["assumptions"] = _marked(value, readings[0])
        return parse_formulation(value, name=f"reading {len(history) + 1}")


def read(statement: str) -> list[Reading]:
    """All readings of a statement by the reader that fits it, best first.

    Raises:
        Refused: It cannot be read.
    """
    readings = written.readings if written.looks_written(statement) else english.readings
    try:
        return readings(statement)
    except Unreadable as error:
        raise Refused(
            error.reason,
            error.spans,
            fix="reword that part, write the model as algebra, or give a formulation (.json)",
        ) from error


def _marked(value: dict[str, Any], first: Reading) -> list[dict[str, Any]]:
    usual = {a["text"] for a in first.formulation.get("assumptions", ())}
    return [
        a if a["text"] in usual else {**a, "text": ALTERNATIVE + a["text"]}
        for a in value.get("assumptions", ())
    ]
