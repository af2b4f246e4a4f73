"""Selection rules: `max-min`, `mean` and `first`."""

from __future__ import annotations

from collections.abc import Iterable

from orkernel import SelectionSpec, hookimpl


@hookimpl
def orkernel_selection_rules() -> Iterable[SelectionSpec]:
    """The three rules."""
    yield SelectionSpec(
        name="max-min",
        target="orkernel_maxmin.rules:MaxMin",
        summary="The candidate whose weakest dimension is strongest.",
    )
    yield SelectionSpec(
        name="mean",
        target="orkernel_maxmin.rules:Mean",
        summary="The candidate with the highest mean confidence.",
    )
    yield SelectionSpec(
        name="first",
        target="orkernel_maxmin.rules:First",
        summary="The first candidate that passes the checks.",
    )
