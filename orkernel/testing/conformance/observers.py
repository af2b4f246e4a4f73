"""The conformance kit of observers."""

from __future__ import annotations

import copy
import io
from collections.abc import Iterator
from contextlib import redirect_stdout
from typing import Any

from orkernel.records import Event
from orkernel.testing.conformance.base import Conformance, Subject, conformance_test, require
from orkernel.testing.conformance.plugin_calls import within

MANY = 500
"""Events of a lively run."""


class Strange:
    """A value that JSON lacks and that does not like to be printed."""

    def __repr__(self) -> str:
        return "<strange>"


def _events() -> Iterator[Event]:
    """Events as a run emits them, and some that no run has emitted yet."""
    for stage in ("formulate", "trial", "evaluate", "select", "classify", "solve", "verify"):
        yield Event("stage.started", stage)
        yield Event("stage.finished", stage, "done", {"seconds": 0.25})
    yield Event("solver.incumbent", "solve", "objective 12", {"objective": 12.0, "bound": 13.5})
    yield Event("log.line", "solve", "a line of a log")
    yield Event("candidate.refused", "formulate", "no objective", {"index": 0})
    yield Event("something.new", "elsewhere", "nobody knows this kind")
    yield Event("")
    yield Event("odd.text", "solve", "\x00\ud800 \u202e🙂\n\r\t" + "z" * 100_000)
    nested = {"list": [1, {"deep": (2, 3)}], "set": {1}, "nan": float("nan"), "object": Strange()}
    yield Event("odd.data", "solve", "nested", nested)
    yield Event("odd.keys", "solve", "keys that are no texts", {1: "one"})  # type: ignore[dict-item]


def _fields(event: Event) -> tuple[Any, ...]:
    return event.kind, event.stage, event.message, repr(event.data), event.time


@conformance_test(added_in="0.1")
def test_every_event_is_taken(subject: Subject) -> None:
    """No event makes it raise, whatever its kind, text or data."""
    observer = subject.fresh()
    for event in _events():
        try:
            observer.observe(event)
        except Exception as error:
            raise AssertionError(f"event '{event.kind}': it raises {error!r}") from error


@conformance_test(added_in="0.1")
def test_events_are_not_changed(subject: Subject) -> None:
    """An event, and what its data holds, is the same afterwards."""
    observer = subject.fresh()
    for event in _events():
        before = copy.deepcopy(_fields(event))
        observer.observe(event)
        require(_fields(event) == before, f"it changes event '{event.kind}'")


@conformance_test(added_in="0.1")
def test_standard_output_is_left_alone(subject: Subject) -> None:
    """Nothing is printed to standard output, which belongs to the command's result."""
    observer = subject.fresh()
    with redirect_stdout(io.StringIO()) as printed:
        for event in _events():
            observer.observe(event)
    require(not printed.getvalue(), f"it prints {printed.getvalue()[:80]!r}")


@conformance_test(added_in="0.1")
def test_it_is_quick(subject: Subject) -> None:
    """It is called in the run's own thread: hundreds of events take less than a second."""
    observer = subject.fresh()
    event = Event("log.line", "solve", "a line of a log", {"number": 1})

    def watch() -> None:
        for _ in range(MANY):
            observer.observe(event)

    within(1.0, f"taking {MANY} events", watch)


@conformance_test(added_in="0.1")
def test_nothing_is_answered(subject: Subject) -> None:
    """`observe` returns None."""
    observer = subject.fresh()
    for event in _events():
        require(observer.observe(event) is None, "it returns something")


class ObserverConformance(Conformance, kind="observers", modules=(__name__,)):
    """What an observer must do."""
