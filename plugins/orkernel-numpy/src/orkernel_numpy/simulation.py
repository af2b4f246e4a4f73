"""Simulated figures of an answer to a model with random parameters."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from orkernel.algebra.estimation import Precision, compare, estimate
from orkernel.errors import UsageError

if TYPE_CHECKING:
    from orkernel.context import RunContext
    from orkernel.model import Model
    from orkernel.solution import Solution


def precision(ctx: RunContext) -> Precision:
    """What the options ask of the estimates.

    Raises:
        UsageError: An option has no sensible value.
    """
    options = ctx.options
    text = str(options.get("half_width") or "").strip()
    relative = text.endswith("%")
    try:
        width = float(text.rstrip("%")) / (100.0 if relative else 1.0) if text else None
    except ValueError:
        raise UsageError(
            f"option numpy.half_width is '{text}'", fix="write a number, or a percentage like 1%"
        ) from None
    try:
        return Precision(
            level=float(options.get("level", 0.95)),
            samples=int(options.get("samples", 16_384)),
            half_width=width,
            relative=relative,
            limit=int(options.get("samples_limit", 1_000_000)),
        )
    except ValueError as error:
        raise UsageError(f"options of numpy: {error}") from None


def simulated(model: Model, solution: Solution, wanted: Precision, ctx: RunContext) -> Solution:
    """The solution with estimates from independent scenarios, and what they put in doubt."""
    if solution.values is None:
        return solution

    def stop() -> bool:
        return ctx.cancelled or ctx.remaining() == 0.0

    found = estimate(model, solution.values, wanted, seed=ctx.seed, stop=stop)
    notes = [
        "the scenarios that a point was chosen on flatter its objective; the simulated figures "
        "come from independent ones",
        *found.doubts,
    ]
    if not found.met:
        notes.append(
            f"the wanted half-width {ctx.options.get('half_width')} was not reached within "
            f"{max(e.samples for e in found.estimates):,} scenarios"
        )
    return replace(
        solution,
        estimates=found.estimates,
        assumptions=(*solution.assumptions, *notes),
        message="; ".join(filter(None, (solution.message, _gain(model, solution, wanted, ctx)))),
    )


def _gain(model: Model, solution: Solution, wanted: Precision, ctx: RunContext) -> str:
    """How much better than the given starting design, with common random numbers."""
    start = model.columns.start
    if not len(start) or not np.all(np.isfinite(start)) or ctx.remaining() == 0.0:
        return ""
    assert solution.values is not None
    settings = Precision(level=wanted.level, samples=wanted.samples)
    lines = [
        f"{e.name} {e.value:+.6g} against the given start "
        f"({e.level:.0%} confidence interval {e.low:+.6g} to {e.high:+.6g}, same scenarios)"
        for e in compare(model, start, solution.values, settings, seed=ctx.seed)
        if e.kind == "objective"
    ]
    return "; ".join(lines)
