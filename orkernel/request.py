"""Request: everything that a run was asked for, and which plugins that means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from orkernel.errors import UsageError
from orkernel.language_model import without_credentials
from orkernel.plugins.catalogue import CATALOGUE
from orkernel.presets import CHECKED, DEFAULT_K, OFFLINE, Preset, preset_named
from orkernel.records import Problem

if TYPE_CHECKING:
    from orkernel.formulation.schema import Formulation
    from orkernel.language_model import LanguageModel
    from orkernel.records import Record
    from orkernel.registry import Registry

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
    k: int = DEFAULT_K
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
    language_model: LanguageModel | None = None
    preset: str | None = None
    asks: bool = False

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

    @property
    def defaults(self) -> Preset:
        """What the stages use where the request names nothing."""
        return preset_named(self.preset or (CHECKED if self.language_model else OFFLINE))

    def to_json(self) -> dict[str, Any]:
        """What `run.json` keeps, enough to resume and to replay."""
        asked = self.language_model
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
            "language_model": (
                {
                    "name": asked.name,
                    "base_url": without_credentials(asked.base_url),
                    "replay": str(asked.replay) if asked.replay is not None else None,
                    "options": dict(asked.options),
                }
                if asked is not None
                else None
            ),
            "preset": self.preset,
            "asks": self.asks,
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
                _require_language_model(request, kind, registry.get(kind, name))
    if request.preset is not None and request.formulation is None:
        chosen = request.defaults
        for kind, named in (
            ("formulators", () if request.formulator else (chosen.formulator,)),
            ("confidence_scorers", () if request.scorers else chosen.scorers),
        ):
            for name in named:
                _require_language_model(request, kind, registry.get(kind, name))


def _require_language_model(request: Request, kind: str, record: Record) -> None:
    if record.needs_language_model and request.language_model is None:
        from orkernel.plugins.kinds import KINDS

        raise UsageError(
            f"{KINDS[kind].title} '{record.name}' needs a language model",
            fix="choose one, e.g. --model openai/NAME or --model llamacpp/smollm2",
        )


def formulator_of(request: Request, registry: Registry) -> str:
    """The asked, preferred or only formulator.

    Raises:
        UsageError: None is installed, or several and none is preferred.
    """
    kind, wanted = "formulators", request.defaults.formulator
    name = _preferred(request, registry, kind, request.formulator, wanted)
    if name is None:
        installed = ", ".join(sorted(registry.records(kind)))
        if request.language_model is not None or wanted not in CATALOGUE:
            registry.get(kind, wanted)
        if installed:
            raise UsageError(
                f"several formulators are installed and none was chosen: {installed}",
                fix=f"choose one with {FLAGS[kind]} NAME",
            )
        raise UsageError("no formulator is installed", fix=f"`pip install {CATALOGUE[wanted]}`")
    return name


def scorers_of(request: Request, registry: Registry) -> tuple[str, ...]:
    """The asked scorers, those preferred that are installed, or the only one."""
    kind = "confidence_scorers"
    if request.scorers is not None:
        return tuple(registry.get(kind, name).name for name in request.scorers)
    installed = _usable(request, registry, kind)
    preferred = tuple(name for name in request.defaults.scorers if name in installed)
    return preferred or (tuple(installed) if len(installed) == 1 else ())


def selector_of(request: Request, registry: Registry) -> str | None:
    """The asked, preferred or only selection rule; None if there is none."""
    wanted = request.defaults.selector
    return _preferred(request, registry, "selection_rules", request.selector, wanted)


def classifier_of(request: Request, registry: Registry) -> str | None:
    """The asked, preferred or only classifier; None if there is none."""
    wanted = request.defaults.classifier
    return _preferred(request, registry, "classifiers", request.classifier, wanted)


def _preferred(
    request: Request, registry: Registry, kind: str, asked: str | None, wanted: str
) -> str | None:
    if asked is not None:
        return registry.get(kind, asked).name
    installed = _usable(request, registry, kind)
    if wanted in installed:
        return wanted
    return installed[0] if len(installed) == 1 else None


def _usable(request: Request, registry: Registry, kind: str) -> list[str]:
    """Names of the records that can work without a language model, or with the chosen one."""
    return [
        name
        for name, record in registry.records(kind).items()
        if request.language_model is not None or not record.needs_language_model
    ]
