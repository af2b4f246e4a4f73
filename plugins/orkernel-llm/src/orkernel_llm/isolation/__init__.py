"""Running code that nobody has read: one isolated interpreter, JSON in and out.

Standard library and the kernel's errors only; it imports on every system, and refuses where it
cannot isolate.
"""

from __future__ import annotations

from orkernel_llm.isolation.backends.base import Backend
from orkernel_llm.isolation.choosing import choose_backend
from orkernel_llm.isolation.limits import Executed, Limits
from orkernel_llm.isolation.refusing import NoIsolation
from orkernel_llm.isolation.sandbox import Sandbox

__all__ = ["Backend", "Executed", "Limits", "NoIsolation", "Sandbox", "choose_backend"]
