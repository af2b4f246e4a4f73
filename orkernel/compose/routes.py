"""How an agent takes a model: as it is, or objective by objective; and with which guarantee."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from orkernel.compose.levels import Levels, arrange
from orkernel.errors import Unsupported
from orkernel.records import Capability, Guarantee, SolverAgentSpec

if TYPE_CHECKING:
    from orkernel.formulation.schema import ObjectiveDefinition
    from orkernel.model import Model


@dataclass(frozen=True, slots=True)
class Route:
    """How an agent takes a model.

    Attributes:
        guarantee: The strongest guarantee of its answer for this model.
        composed: True if the objectives are broken up into single-objective solves.
        native_front: True if the agent computes the Pareto front itself.
        free: Name of the objective of a front that the agent cannot take as a constraint.
    """

    guarantee: Guarantee
    composed: bool = False
    native_front: bool = False
    free: str | None = None


def route(spec: SolverAgentSpec, model: Model) -> Route | None:
    """How an agent takes a model; None if it cannot.

    A model with several objectives is composed where priorities and weights settle it. A front
    is asked of the agent itself if it supports several objectives, else computed by the
    ε-constraint method, provided that the agent is exact on the single-objective models of
    that method. Of two ways the one with the stronger guarantee is taken.
    """
    objectives = model.formulation.objectives
    if len(objectives) <= 1:
        promise = spec.promise(model.needs)
        return None if promise is None else Route(promise)
    try:
        levels = arrange(objectives)
    except Unsupported:
        return None
    ways = [
        Route(promise, composed, native_front, free)
        for needs, composed, native_front, free in _ways(model, levels)
        for promise in [spec.promise(needs)]
        if promise is not None
        and (native_front or not levels.is_front or promise is Guarantee.GLOBAL)
    ]
    return min(ways, key=lambda way: list(Guarantee).index(way.guarantee), default=None)


def lacking(spec: SolverAgentSpec, model: Model) -> list[str]:
    """What the best-fitting capability set of an agent lacks; empty if it takes the model."""
    if route(spec, model) is not None:
        return []
    wanted = [model.needs]
    try:
        levels = arrange(model.formulation.objectives)
        wanted += [needs for needs, *_ in _ways(model, levels)]
    except Unsupported:
        pass
    gaps = [sorted(needs - supported) for needs in wanted for supported in spec.supports]
    return [str(c) for c in min(filter(None, gaps), key=len, default=sorted(model.needs))]


_Way = tuple[frozenset[Capability], bool, bool, str | None]


def _ways(model: Model, levels: Levels) -> list[_Way]:
    """Needs, composed, native front and free objective of every way to take the model."""
    above = [o for group in levels.settled for o in group]
    if not levels.is_front:
        held = [o for group in levels.groups[:-1] for o in group]
        return [(_staged(model, held), True, False, None)]
    native = _staged(model, above) | {Capability.MULTI_OBJECTIVE}
    ways: list[_Way] = [
        (native, bool(above), True, None),
        (_staged(model, [*above, *levels.front]), True, False, None),
    ]
    curved = [o for o in levels.front if _class(model, o) != "linear"]
    if len(levels.front) == 2 and len(curved) == 1:
        straight = [o for o in levels.front if o is not curved[0]]
        ways.append((_staged(model, [*above, *straight]), True, False, curved[0].name))
    return ways


def _class(model: Model, objective: ObjectiveDefinition) -> str:
    return model.structure.objective_class[objective.name]


def _staged(model: Model, held: Iterable[ObjectiveDefinition]) -> frozenset[Capability]:
    """Needs of the single-objective models in which some objectives become constraints."""
    needs = set(model.needs) - {Capability.MULTI_OBJECTIVE}
    classes = {_class(model, o) for o in held}
    if "quadratic" in classes:
        needs.add(Capability.QUADRATIC_CONSTRAINT)
    if "linear" in classes:
        needs.add(Capability.LINEAR)
    return frozenset(needs)
