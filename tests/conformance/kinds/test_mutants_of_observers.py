"""Faulty observers, each caught by the test that is meant for it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from orkernel import Event


def doing(act: Callable[[Event], Any]) -> Any:
    """A mutation that does something more with every event."""

    def mutate(observer: type[Any]) -> type[Any]:
        class Mutant(observer):
            def observe(self, event: Event) -> Any:
                super().observe(event)
                return act(event)

        return Mutant

    return mutate


def insists_on_json(event: Event) -> None:
    json.dumps(dict(event.data))


def tidies_up(event: Event) -> None:
    if isinstance(event.data, dict):
        event.data.pop("list", None)


def renames(event: Event) -> None:
    object.__setattr__(event, "kind", event.kind.upper())


def prints(event: Event) -> None:
    print(event.kind)


def dawdles(event: Event) -> None:
    time.sleep(0.003)


def answers(event: Event) -> bool:
    return True


@pytest.mark.parametrize(
    ("test", "act"),
    [
        ("test_every_event_is_taken", insists_on_json),
        ("test_events_are_not_changed", tidies_up),
        ("test_events_are_not_changed", renames),
        ("test_standard_output_is_left_alone", prints),
        ("test_it_is_quick", dawdles),
        ("test_nothing_is_answered", answers),
    ],
)
def test_the_kit_catches(caught: Callable[..., None], test: str, act: Any) -> None:
    caught("observer", test, doing(act))
