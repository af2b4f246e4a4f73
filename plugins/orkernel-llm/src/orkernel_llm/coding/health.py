"""Health check of the code agent: can programs be isolated here?"""

from __future__ import annotations

from orkernel_llm.isolation import choose_backend


def check() -> str:
    """What isolates programs here.

    Raises:
        NoIsolation: Nothing does; says how to get it.
    """
    return f"{choose_backend().name} isolates programs: tested with a process just now"
