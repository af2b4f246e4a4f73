"""The usual name of a model's class, read off its structure report."""

from __future__ import annotations

from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING

from orkernel.compose import Levels, arrange
from orkernel.errors import Unsupported
from orkernel.records import Capability as C

if TYPE_CHECKING:
    from orkernel.model import Model

GLOBALS: dict[C, str] = {
    C.MULTI_CIRCUIT: "VRP",
    C.CIRCUIT: "TSP",
    C.CUMULATIVE: "RCPSP",
    C.NO_OVERLAP: "disjunctive scheduling",
    C.ALL_DIFFERENT: "CP",
    C.ELEMENT: "CP",
    C.TABLE: "CP",
    C.INVERSE: "CP",
}
"""Global constraints, the most telling first, with the class of problems they make."""


def kind_of(model: Model) -> str:
    """The usual name of the model's class, e.g. `LP`, `MIP`, `convex QP`, `MINLP`, `TSP`.

    Several objectives come first: `multi-objective` where a Pareto front is asked for,
    `lexicographic` for priorities, `weighted` for weights.
    """
    return f"{_objectives(model)}{_single(model.needs)}"


def _single(needs: AbstractSet[C]) -> str:
    integer = C.INTEGER in needs
    structures = [name for constraint, name in GLOBALS.items() if constraint in needs]
    if C.RANDOM in needs:
        return "stochastic program"
    if structures:
        return structures[0]
    if C.NONLINEAR in needs:
        return "MINLP" if integer else "NLP"
    if {C.QUADRATIC_CONSTRAINT, C.QUADRATIC_OBJECTIVE} & needs:
        name = "QCP" if C.QUADRATIC_CONSTRAINT in needs else "QP"
        convexity = "nonconvex" if C.NONCONVEX in needs else "convex"
        return f"{convexity} {'MI' if integer else ''}{name}"
    return "MIP" if integer or {C.LOGICAL, C.PIECEWISE} & needs else "LP"


def is_front(model: Model) -> bool:
    """Whether a Pareto front is asked for."""
    levels = _levels(model)
    return levels is not None and levels.is_front


def _levels(model: Model) -> Levels | None:
    """The levels of the objectives; None if they do not say what is to be optimised."""
    try:
        return arrange(model.formulation.objectives)
    except Unsupported:
        return None


def _objectives(model: Model) -> str:
    if C.MULTI_OBJECTIVE not in model.needs:
        return ""
    levels = _levels(model)
    if levels is None or levels.is_front:
        return "multi-objective "
    return "lexicographic " if len(levels.groups) > 1 else "weighted "
