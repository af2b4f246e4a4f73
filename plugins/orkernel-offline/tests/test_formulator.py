"""The formulator hands out its readings in order and refuses with the place."""

from __future__ import annotations

import pytest

from orkernel.context import RunContext
from orkernel.errors import NoMoreReadings, Refused
from orkernel.records import Candidate, Event, Problem
from orkernel_offline.formulator import ALTERNATIVE, OfflineFormulator
from orkernel_offline.health import check

ENGLISH = (
    "A joiner makes stools and shelves. A stool takes 2 hours and a shelf takes 3 hours. At most "
    "70 hours are available. The profit per stool is $12 and the profit per shelf is $20. "
    "Maximize the profit."
)


def test_readings_come_one_by_one_until_there_are_no_more() -> None:
    formulator = OfflineFormulator()
    problem = Problem(ENGLISH)
    history: list[Candidate] = []
    while True:
        try:
            formulation = formulator.formulate(problem, tuple(history), RunContext())
        except NoMoreReadings:
            break
        assert formulation.statement == ENGLISH
        history.append(Candidate(len(history), formulation))
    assert len(history) >= 2
    first, second = history[0].formulation, history[1].formulation
    assert first is not None
    assert second is not None
    assert first != second
    assert not any(a.text.startswith(ALTERNATIVE) for a in first.assumptions)
    assert any(a.text.startswith(ALTERNATIVE) for a in second.assumptions)


def test_every_quote_is_verbatim() -> None:
    formulation = OfflineFormulator().formulate(Problem(ENGLISH), (), RunContext())
    elements = (*formulation.parameters, *formulation.variables, *formulation.constraints)
    quotes = [s.quote for e in elements for s in e.sources]
    assert quotes
    assert all(q in ENGLISH for q in quotes)


def test_the_trace_of_every_stage_is_emitted() -> None:
    events: list[Event] = []
    OfflineFormulator().formulate(Problem(ENGLISH), (), RunContext(emit=events.append))
    (event,) = events
    assert event.kind == "formulator.reading"
    assert "hours" in event.data["trace"]


def test_what_cannot_be_read_is_refused_with_its_place() -> None:
    statement = "A cat wants to catch 3 mice with at most 2 ideas per hour. Maximize the fun."
    with pytest.raises(Refused) as refusal:
        OfflineFormulator().formulate(Problem(statement), (), RunContext())
    assert refusal.value.reason
    assert refusal.value.fix
    for start, end in refusal.value.spans:
        assert 0 <= start < end <= len(statement)


def test_written_algebra_goes_to_the_other_reader() -> None:
    statement = "maximize 3x + 2y subject to x + y <= 4, x <= 2, x, y >= 0"
    formulation = OfflineFormulator().formulate(Problem(statement), (), RunContext())
    assert {v.name for v in formulation.variables} == {"x", "y"}


def test_the_health_check_reads_a_statement() -> None:
    assert check() == "read a statement in 1 reading(s)"
