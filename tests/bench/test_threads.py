"""What threads of one process share stays whole."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

from orkernel.interrupts import _graceful, graceful
from orkernel.plugins.containment import contained
from orkernel.registry import Registry


def in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_overlapping_calls_into_plugins_give_stdout_back() -> None:
    before = sys.stdout
    entered, left = threading.Event(), threading.Event()

    def other() -> None:
        with contained():
            entered.set()
            assert left.wait(10)

    with contained():
        thread = in_thread(other)
        assert entered.wait(10)
    assert sys.stdout is sys.stderr
    left.set()
    thread.join(10)
    assert sys.stdout is before


def test_a_solver_in_another_thread_does_not_change_what_ctrl_c_does_here() -> None:
    left = threading.Event()
    entered = threading.Event()

    def other() -> None:
        with graceful():
            entered.set()
            assert left.wait(10)

    with graceful():
        thread = in_thread(other)
        assert entered.wait(10)
        left.set()
        thread.join(10)
        assert _graceful.is_set()
    assert not _graceful.is_set()


class Counted:
    """Counts how often it is made, slowly."""

    made = 0

    def __init__(self) -> None:
        before = Counted.made
        threading.Event().wait(0.05)
        Counted.made = before + 1


def test_threads_get_the_same_object_of_a_record() -> None:
    registry = Registry.load()
    record = registry.get("selection_rules", "max-min")
    registry._resolved.clear()
    registry._make = lambda record: Counted()  # type: ignore[method-assign]
    found: list[object] = []
    threads = [in_thread(lambda: found.append(registry.resolve(record))) for _ in range(8)]
    for thread in threads:
        thread.join(10)
    assert len(found) == 8
    assert len(set(map(id, found))) == Counted.made == 1
