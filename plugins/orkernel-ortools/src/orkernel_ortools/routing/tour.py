"""What the routing library can search: one or more tours, and quantities that grow along them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from orkernel.algebra.affine import Affine

if TYPE_CHECKING:
    from orkernel.algebra.forms import Floats
    from orkernel.model import Model

Arc = tuple[int, int]
"""Tail and head, as positions in the list of nodes."""
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Stop:
    """What a quantity may be at a node.

    Attributes:
        column: Column of the model that holds it; None for an unnamed one.
        range: Allowed values, ends may be infinite.
    """

    column: int | None
    range: Interval


ANYTHING = Stop(None, (-inf, inf))
"""A node that the rules of a quantity do not mention."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """A quantity along the tours: a load, an arrival time, a position.

    Values here are those of the model's columns times `sign`.

    Attributes:
        sign: 1.0, or −1.0 where the model's columns fall along the tour.
        exact: Whether a transit is the whole growth along an arc, not the least.
        transits: Growth along the arcs that have a rule.
        stops: By node, the depot excluded.
        start: At the depot when leaving; its `range` is one value unless nothing ties it.
        end: At the depot when coming back.
    """

    sign: float
    exact: bool
    transits: Mapping[Arc, float]
    stops: Mapping[int, Stop]
    start: Stop
    end: Stop

    def along(self, route: Sequence[int]) -> list[Stop]:
        """The stops of a route, from depot to depot."""
        inner = [self.stops.get(node, ANYTHING) for node in route[1:-1]]
        return [self.start, *inner, self.end]


@dataclass(frozen=True, slots=True)
class Limit:
    """`lower ≤ Σ coefficient · column ≤ upper`."""

    terms: Mapping[int, float]
    lower: float
    upper: float

    @classmethod
    def of(cls, body: Affine, lower: float, upper: float) -> Limit:
        """A row with the constant of its body moved to the bounds."""
        return cls(body.terms, lower - body.constant, upper - body.constant)

    def times(self, factor: float) -> Limit:
        """The same row multiplied by a number other than 0."""
        ends = sorted((self.lower * factor, self.upper * factor))
        return Limit({k: c * factor for k, c in self.terms.items()}, *ends)


@dataclass(frozen=True, slots=True, eq=False)
class Tour:
    """A routing problem, with every row of the model in one of its parts.

    Attributes:
        model: Where it was found.
        nodes: Number of nodes, the depot included.
        depot: Where the tours begin and end; in a single tour any node that it must pass.
        arcs: Column of each arc that may be chosen; `(i, i)` leaves node i out.
        forced: Arcs that must be chosen.
        cost: Of each arc in `arcs`, to be minimised.
        vehicles: Fewest and most tours.
        dimensions: Quantities along the tours.
        limits: Further linear rows over arc columns.
        determined: Columns that are affine functions of the arc columns.
        lower: Column bounds, single-column rows included; shape `(n,)`.
        upper: Likewise.
    """

    model: Model
    nodes: int
    depot: int
    arcs: Mapping[Arc, int]
    forced: frozenset[Arc]
    cost: Mapping[Arc, float]
    vehicles: tuple[int, int]
    dimensions: tuple[Dimension, ...]
    limits: tuple[Limit, ...]
    determined: Mapping[int, Affine]
    lower: Floats
    upper: Floats
