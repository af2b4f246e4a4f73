"""Calls into a plugin's object, with what the kits check of every one."""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from orkernel.errors import OrkernelError
from orkernel.testing.conformance.declaring import require

Answer = TypeVar("Answer")


@contextmanager
def unchanged(**arguments: object) -> Iterator[None]:
    """Check that a call in the block leaves its arguments as they are.

    Raises:
        AssertionError: One of them is another afterwards.
    """
    before = {name: copy.deepcopy(value) for name, value in arguments.items()}
    yield
    for name, value in arguments.items():
        require(same(value, before[name]), f"it changes its argument `{name}`")


def same(one: object, other: object) -> bool:
    """Equality that also looks into arrays."""
    import numpy as np

    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool(np.array_equal(one, other, equal_nan=True))
    return one == other


def within(seconds: float, what: str, call: Callable[[], Answer]) -> Answer:
    """The result of a call that has to end in time.

    Raises:
        AssertionError: It took longer.
    """
    started = time.monotonic()
    try:
        return call()
    finally:
        taken = time.monotonic() - started
        if taken > seconds:
            require(False, f"{what} takes {taken:.1f} s, more than {seconds:g} s")


def error_of(call: Callable[[], Any]) -> OrkernelError | None:
    """The deliberate error that a call ends with, or None; any other exception passes through."""
    try:
        call()
    except OrkernelError as error:
        return error
    return None


def cancelled() -> threading.Event:
    """The cancel flag of a run that the user has interrupted."""
    flag = threading.Event()
    flag.set()
    return flag
