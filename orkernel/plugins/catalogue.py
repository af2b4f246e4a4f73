"""What orkernel's own plugins provide, so that an absent one can be installed by name."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from orkernel.records import Capability as C

CATALOGUE = {
    "offline": "orkernel-offline",
    "evidence": "orkernel-offline",
    "solving": "orkernel-offline",
    "structure": "orkernel-offline",
    "max-min": "orkernel-maxmin",
    "highs": "orkernel-highs",
    "pyomo": "orkernel-pyomo",
    "ortools": "orkernel-ortools",
    "pymoo": "orkernel-pymoo",
    "numpy": "orkernel-numpy",
    "llm": "orkernel-llm",
    "self-confidence": "orkernel-llm",
    "code": "orkernel-llm",
    "lean": "orkernel-lean",
}
"""Name of a record, to the distribution to install."""

_SPECIALISTS: tuple[tuple[frozenset[C], tuple[str, ...]], ...] = (
    (frozenset({C.RANDOM}), ("numpy",)),
    (
        frozenset(
            {
                C.ALL_DIFFERENT,
                C.CIRCUIT,
                C.MULTI_CIRCUIT,
                C.CUMULATIVE,
                C.NO_OVERLAP,
                C.ELEMENT,
                C.TABLE,
                C.INVERSE,
            }
        ),
        ("ortools",),
    ),
    (frozenset({C.NONLINEAR, C.NONCONVEX, C.QUADRATIC_CONSTRAINT}), ("pyomo",)),
    (frozenset({C.QUADRATIC_OBJECTIVE}), ("highs", "pyomo")),
)


def suggested(needs: AbstractSet[C]) -> tuple[str, ...]:
    """Names of the agents of orkernel that are made for a model with these needs."""
    for capabilities, names in _SPECIALISTS:
        if capabilities & needs:
            several = C.MULTI_OBJECTIVE in needs
            return (*names, "pymoo") if several and "numpy" not in names else names
    return ("highs",)
