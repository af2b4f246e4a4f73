"""Resources: what the plugins of one run share, made once and closed with the run."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


class Resources:
    """Objects by key. A key starts with the package that owns it: `"orkernel_llm.client"`."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._found: dict[str, Any] = {}

    def get(self, key: str, make: Callable[[], T]) -> T:
        """The object of a key; made when it is asked for first, by whichever thread that is."""
        with self._lock:
            if key not in self._found:
                self._found[key] = make()
            found: T = self._found[key]
            return found

    def close(self) -> None:
        """Close what can be closed, the youngest first; what fails to close is left."""
        with self._lock:
            found = [self._found.pop(key) for key in reversed(list(self._found))]
        for resource in found:
            close = getattr(resource, "close", None)
            if close is not None:
                with contextlib.suppress(Exception):
                    close()
