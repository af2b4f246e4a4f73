"""What the parts of the reference agent hand back, and when they stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import scipy

from orkernel.errors import Cancelled
from orkernel.records import Guarantee
from orkernel.solution import Solution, SolverIdentity, Status

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.context import RunContext

IDENTITY = SolverIdentity("reference", "orkernel reference", scipy.__version__)


@dataclass(slots=True)
class Incumbent:
    """The best point so far.

    Attributes:
        loss: Its objective, turned so that less is better.
        values: Shape `(n,)`; None without a point.
    """

    loss: float = float("inf")
    values: Floats | None = None

    def offer(self, loss: float, values: Floats) -> None:
        """Take a point that is better."""
        if self.values is None or loss < self.loss:
            self.loss, self.values = loss, values


def out_of_time(ctx: RunContext) -> bool:
    """True once the deadline has passed or the user has interrupted."""
    return ctx.cancelled or ctx.remaining() == 0.0


def stopped(ctx: RunContext, values: Floats | None, guarantee: Guarantee) -> Solution:
    """The answer of a search that was cut short.

    Raises:
        Cancelled: By the user, without an incumbent.
    """
    if values is not None:
        message = "stopped early"
        return Solution(
            Status.FEASIBLE, IDENTITY, values=values, guarantee=guarantee, message=message
        )
    if ctx.cancelled:
        raise Cancelled
    return Solution(Status.TIME_LIMIT, IDENTITY, message="no time left")
