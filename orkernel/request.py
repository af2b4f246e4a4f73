"""Request: everything that a run was asked for, and which plugins that means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orkernel.errors import UsageError
from orkernel.records import Problem

if TYPE_CHECKING:
    from orkernel.formulation.schema import Formulation
    from orkernel.registry import Registry

PREFERRED: Mapping[str, str] = {
    "formulators": "offline",
    "confidence_scorers": "evidence",
    "selection_rules": "max-min",
    "classifiers": "structure",
}
"""Stage defaults, used where installed; a lone installed plugin is used otherwise."""

FLAGS: Mapping[str, str] = {
    "formulators": "--formulator",
    "confidence_scorers": "--scorer",
    "selection_rules": "--selector",
    "classifiers": "--classifier",
}


@dataclass(frozen=True, slots=True)
class Request:
    """What a run was asked for. The fields mean what they mean in `orkernel.run`."""

    problem: Problem
    formulation: Formulation | None = None
    k: int = 3
    formulator: str | None = None
    scorers: tuple[str, ...] | None = None
    selector: str | None = None
    classifier: str | None = None
    solver: str = "auto"
    time_limit: float | None = None
    gap: float | None = None
    front_points: int | None = None
    seed: int = 0
    second_opinion: bool = True
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.k, int) or self.k < 1:
            raise UsageError(f"k is {self.k!r}; it must be a whole number, 1 or more")
        if not isinstance(self.seed, int):
            raise UsageError(f"seed is {self.seed!r}; it must be a whole number")
        if self.front_points is not None and (
            not isinstance(self.front_points, int) or self.front_points < 2
        ):
            raise UsageError(
                f"the number of front points is {self.front_points!r}; it must be a whole "
                "number, 2 or more",
                fix="leave the number of front points out to let the solver choose",
            )
        for what, value in (("time limit", self.time_limit), ("gap", self.gap)):
            if value is None:
                continue
            if not isinstance(value, int | float) or not 0 <= value < math.inf:
                raise UsageError(
                    f"the {what} is {value}; it must be a finite number, 0 or more",
                    fix=f"leave the {what} out for none",
                )

    def to_json(self) -> dict[str, Any]:
        """What `run.json` keeps, enough to resume and to replay."""
        return {
            "k": self.k,
            "formulator": self.formulator,
            "scorers": list(self.scorers) if self.scorers is not None else None,
            "selector": self.selector,
            "classifier": self.classifier,
            "solver": self.solver,
            "time_limit": self.time_limit,
            "gap": self.gap,
            "front_points": self.front_points,
            "seed": self.seed,
            "second_opinion": self.second_opinion,
            "options": dict(self.options),
        }


def check_names(request: Request, registry: Registry) -> None:
    """See that every plugin that was asked for by name exists, before any work.

    Raises:
        UnknownName: One does not; says near matches.
    """
    asked = {
        "formulators": (request.formulator,),
        "confidence_scorers": request.scorers or (),
        "selection_rules": (request.selector,),
        "classifiers": (request.classifier,),
        "solver_agents": (None if request.solver == "auto" else request.solver,),
    }
    for kind, names in asked.items():
        for name in names:
            if name is not None:
                registry.get(kind, name)


def preferred(registry: Registry, kind: str, asked: str | None) -> str | None:
    """The asked, preferred or only plugin of a kind; None if there is none.

    Raises:
        UnknownName: The asked one does not exist.
    """
    if asked is not None:
        return registry.get(kind, asked).name
    installed = registry.records(kind)
    if PREFERRED.get(kind) in installed:
        return PREFERRED[kind]
    return next(iter(installed)) if len(installed) == 1 else None


def required(registry: Registry, kind: str, asked: str | None) -> str:
    """Like `preferred`, but there must be one.

    Raises:
        UsageError: None is installed, or several and none is preferred.
    """
    name = preferred(registry, kind, asked)
    if name is None:
        installed = ", ".join(sorted(registry.records(kind)))
        word = kind.replace("_", " ").removesuffix("s")
        if installed:
            raise UsageError(
                f"several {word}s are installed and none was chosen: {installed}",
                fix=f"choose one with {FLAGS[kind]} NAME",
            )
        raise UsageError(f"no {word} is installed", fix="`pip install orkernel-offline`")
    return name


def chosen_scorers(registry: Registry, asked: tuple[str, ...] | None) -> tuple[str, ...]:
    """The asked scorers, or the preferred or only one."""
    if asked is not None:
        return tuple(registry.get("confidence_scorers", name).name for name in asked)
    name = preferred(registry, "confidence_scorers", None)
    return (name,) if name is not None else ()
